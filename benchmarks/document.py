"""Figures in a page of the documentation: between two marks, where the next run puts its own."""

from __future__ import annotations

from pathlib import Path

from benchmarks.figures import Figure

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


def write(path: Path, text: str) -> None:
    """Put the text between the marks."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def in_markdown(figures: list[Figure]) -> str:
    """A row for each, with its key, in Markdown."""
    words = {True: "yes", False: "**no**", None: ""}
    rows = [
        (f"`{one.key}`", one.amount, one.wanted, words[one.holds], "; ".join(other.sentence for other in one.beside))
        for one in figures
    ]
    heads = ("figure", "value", "wanted", "holds", "beside it"), ("---",) * 5
    return "\n".join(f"| {' | '.join(row)} |" for row in (*heads, *rows))
