"""Versions are names and no numbers: 3.10 is not 3.1."""

from __future__ import annotations

import re

from pointsman.divergence.comparison import Comparison, decided, difference
from pointsman.divergence.statement import Statement

_ASKS = re.compile(r"\b(?:what|which)\b[^?\n]{0,60}\b(?:version|release)s?\b", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\w.])v?(\d++(?:\.\d++)++(?:[-+][\w.]+)?)(?![\w])", re.IGNORECASE)
_FIELD = re.compile(r"(?:^|[._\]])v(?:er)?$|version$", re.IGNORECASE)
_FEW_WORDS = 12


def compare_versions(a: Statement, b: Statement, question: str) -> Comparison | None:
    """By the one version that each short answer names, where the question is for one."""
    if not _ASKS.search(question) or max(len(a.words), len(b.words)) > _FEW_WORDS:
        return None
    found = [_VERSION.findall(one.final.text) for one in (a, b)]
    if any(len(versions) != 1 for versions in found):
        return None
    first, second = found[0][0], found[1][0]
    return decided("fact", difference("version", "the versions differ", first, second), equal=first == second)


def names_version(path: str) -> bool:
    """Whether the field of a document at this path holds a version."""
    return _FIELD.search(path) is not None
