"""The written examples, and how they are parted for cross-validation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pointsman.query_types import QueryType

FOLDER = Path(__file__).parent / "examples"
FOLDS = 6


@dataclass(frozen=True)
class Example:
    """A question and its type; `batch` is the file it stands in."""

    text: str
    query_type: QueryType
    batch: str
    fold: int

    @property
    def whole(self) -> bool:
        """Whether its batch is held out as a whole: a manner of asking that nothing in training is like."""
        return _is_whole(self.batch)


def read(folder: Path = FOLDER) -> list[Example]:
    """All examples in the order of files and lines.

    A manner of asking (a file `en-...`) is held out as a whole, since a person who asks in another manner than ours is
    what is to be foreseen. A language is held out in parts: without it nothing would be known of its words.
    """
    found: list[Example] = []
    for number, path in enumerate(sorted(folder.glob("*.jsonl"))):
        whole = _is_whole(path.stem)
        with path.open(encoding="utf-8") as lines:
            for at, line in enumerate(lines):
                row = json.loads(line)
                fold = (number if whole else at) % FOLDS
                found.append(Example(row["text"], QueryType(row["label"]), path.stem, fold))
    return found


def _is_whole(batch: str) -> bool:
    return batch.startswith("en-")
