"""What the parts of the benchmark have found, gathered for one table."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.table import Table

from benchmarks.figures import Figure


@dataclass
class Found:
    """Figures for the table, details in tables of their own, and what is said or only written down."""

    figures: list[Figure] = field(default_factory=list[Figure])
    tables: list[Table] = field(default_factory=list[Table])
    remarks: list[str] = field(default_factory=list[str])
    """Sentences: what was not measured, and what worker processes complained of."""
    noted: list[Figure] = field(default_factory=list[Figure])
    """For the file alone."""

    def add(self, other: Found) -> None:
        """Take in what another part has found."""
        self.figures += other.figures
        self.tables += other.tables
        self.remarks += other.remarks
        self.noted += other.noted
