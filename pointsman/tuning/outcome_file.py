"""Reads a file of outcomes in any form that is known, line by line."""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pointsman.errors import InvalidOutcomes
from pointsman.printable import one_line
from pointsman.query_types import QueryType
from pointsman.tuning import eval_reports, model_table, outcome_row, weak_and_strong
from pointsman.tuning.outcome_row import KNOWN, Fields
from pointsman.tuning.outcomes import Outcomes, Row, gathered

EXAMPLE = '{"question": "q1", "provider": "a", "score": 0.8, "cost_usd": 0.002}'


def read(path: Path, *, allow_gaps: bool, kind: Callable[[str], QueryType]) -> Outcomes:
    """The outcomes of a file; `kind` tells a text's type of question.

    Raises:
        InvalidOutcomes: it cannot be read, or a line of it; the sentence names file, line and field.
    """
    try:
        return _read(path, allow_gaps=allow_gaps, kind=kind)
    except InvalidOutcomes as fault:
        raise InvalidOutcomes(f"--outcomes: {path}: {fault}") from None


def numbered(path: Path) -> Iterator[Fields]:
    """The rows of a file of JSON lines, or of CSV by its extension, with their lines; an empty cell is no field.

    Raises:
        InvalidOutcomes: as `read`.
    """
    lines = _lines(path)
    return _csv(lines) if path.suffix.lower() == ".csv" else _json(lines)


def _read(path: Path, *, allow_gaps: bool, kind: Callable[[str], QueryType]) -> Outcomes:
    if path.suffix.lower() == ".json":
        report = eval_reports.report_in("".join(text for _, text in _lines(path)))
        return gathered(eval_reports.rows(report), allow_gaps=allow_gaps)
    found = numbered(path)
    first = next(found, None)
    if first is None:
        raise InvalidOutcomes(f"it is empty; give a line such as {EXAMPLE}")
    every = itertools.chain([first], found)
    fields = first[1]
    if model_table.is_model_table(fields):
        return _of_table(path, every, allow_gaps=allow_gaps)
    if weak_and_strong.is_weak_and_strong(fields):
        pairs = gathered(weak_and_strong.rows(every, kind), allow_gaps=allow_gaps)
        return replace(pairs, prices=weak_and_strong.PRICES).noting(weak_and_strong.NOTE)
    if not outcome_row.is_own(fields):
        raise InvalidOutcomes(f"line {first[0]}: provider: no known form of outcomes; give a line such as {EXAMPLE}")
    unread: set[str] = set()
    known = gathered(outcome_row.rows(_noting(every, unread)), allow_gaps=allow_gaps)
    return known.noting(f"fields that are not read: {', '.join(sorted(unread))[:200]}") if unread else known


def _of_table(path: Path, every: Iterable[Fields], *, allow_gaps: bool) -> Outcomes:
    beside = path.with_name(model_table.DESCRIPTION)
    try:
        text = beside.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidOutcomes(
            f"line 1: m: {model_table.DESCRIPTION}, which names its models and prices, is not beside the file"
        ) from None
    known = model_table.described(text, path.name)
    prices = known.prices()
    lacking = [name for name in known.order_of_m if name not in prices]
    if lacking:
        raise InvalidOutcomes(f"{model_table.DESCRIPTION}: usd_per_million_in_out: {lacking[0]!r} is missing")
    rows: Iterator[Row] = model_table.rows(every, known.order_of_m, prices)
    return replace(gathered(rows, allow_gaps=allow_gaps), prices=prices)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open("rb") as raw:
            for number, line in enumerate(raw, start=1):
                try:
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    raise InvalidOutcomes(f"line {number}: not UTF-8; save the file in UTF-8") from None
    except FileNotFoundError:
        raise InvalidOutcomes("no such file; give the path of a file of outcomes") from None
    except OSError as fault:
        raise InvalidOutcomes(f"it cannot be read ({fault.strerror})") from None


def _json(lines: Iterable[tuple[int, str]]) -> Iterator[Fields]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as fault:
            raise InvalidOutcomes(f"line {number}: not JSON ({fault}); give a line such as {EXAMPLE}") from None
        if not isinstance(found, dict):
            raise InvalidOutcomes(f"line {number}: expected an object such as {EXAMPLE}")
        yield number, found


def _csv(lines: Iterable[tuple[int, str]]) -> Iterator[Fields]:
    reader = csv.DictReader((line for _, line in lines), skipinitialspace=True)
    try:
        _check_names(reader.fieldnames or ())
        for row in reader:
            if None in row:
                raise InvalidOutcomes(f"line {reader.line_num}: more cells than the first line has names")
            yield reader.line_num, {name: cell for name, cell in row.items() if cell}
    except csv.Error as fault:
        raise InvalidOutcomes(f"line {reader.line_num}: not CSV ({fault})") from None


def _check_names(names: Sequence[str]) -> None:
    """Of what a table's first line can be that none of the known forms begins with, what is seen most often."""
    if len(names) == 1 and re.search(r"[;\t]", names[0]):
        raise InvalidOutcomes("line 1: the cells are not parted by commas; save the table with commas between them")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidOutcomes(f"line 1: {one_line(twice)!r:.60}: two columns have this name; keep one of them")
    unlike = next((name for name in names if name not in KNOWN and name.strip().lower() in KNOWN), None)
    if unlike is not None:
        raise InvalidOutcomes(f"line 1: {one_line(unlike)!r:.60}: write this name as {unlike.strip().lower()!r}")


def _noting(every: Iterable[Fields], unread: set[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, fields in every:
        unread.update(fields.keys() - KNOWN)
        yield line, fields
