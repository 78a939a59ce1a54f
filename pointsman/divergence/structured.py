"""Documents of JSON, field by field. Keys have no order; lists have one, unless they are sets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pointsman.divergence.comparison import MOST_DIFFERENCES, Comparison, Difference, differ, difference, same, unclear
from pointsman.divergence.leaves import Likeness, likeness
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.versions import names_version

_MOST_LEAVES = 20_000
"""Of a larger document this much is compared, and what then shows no difference is unclear."""
_LARGEST_SET = 60
"""Each member of a set is held against each of the other; a larger one is compared in its order."""
_LONGEST = 2_000_000
_FENCED = re.compile(r"```(?:json)?[ \t]*\n((?:(?!```).)*+)```", re.DOTALL | re.IGNORECASE)
_ORDERED = re.compile(
    r"\b(?:order|ordered|rank|ranked|sort|sorted|sequence|steps?|first|top|largest|smallest)\b", re.IGNORECASE
)
ANSWER_KEYS = ("answer", "final_answer", "finalAnswer", "final answer", "result", "output", "choice", "solution")
_ASIDES = (
    "reasoning reason reasons explanation rationale thought thoughts analysis steps working work confidence notes "
    "note comment comments justification chain_of_thought certainty"
)
_ASIDE = frozenset(_ASIDES.split())
"""How an answer was come to is no part of it, and differs between any two."""


def document(text: str) -> Any:
    """The object or list that a text is, in a fence or bare, or `None`."""
    text = text.strip()
    fenced = [found.strip() for found in _FENCED.findall(text)] if "```" in text else []
    for part in [text, *fenced[-1:]]:
        if part[:1] in {"{", "["} and len(part) <= _LONGEST:
            try:
                return json.loads(part)
            except (ValueError, RecursionError):
                # Also an integer of more digits than Python reads.
                continue
    return None


def answer_in(value: Any) -> Any:
    """The answer of an object such as {"reasoning": ..., "answer": ...}; any other value is the answer itself."""
    if not isinstance(value, dict):
        return value
    keys = [key for key in ANSWER_KEYS if key in value]
    others = {str(key).lower() for key in value} - _ASIDE
    return value[keys[0]] if len(keys) == len(others) == 1 else value


def compare_documents(
    a: Any, b: Any, schema: dict[str, Any] | None, question: str, settings: DivergenceSettings
) -> Comparison:
    """By the leaves of both; one that only free text of some length makes unclear leaves the whole unclear."""
    compared, alike = 0, 0
    different: list[Difference] = []
    open_points: list[Difference] = []
    for path, found, one, other in _leaves(a, b, schema, settings, ordered=bool(_ORDERED.search(question))):
        compared += 1
        alike += found == "same"
        if found == "different" and len(different) < MOST_DIFFERENCES:
            why = "the value differs" if one is not _ABSENT and other is not _ABSENT else "only one has it"
            different.append(difference(path, why, _shown(one), _shown(other)))
        elif found == "unclear" and len(open_points) < MOST_DIFFERENCES:
            open_points.append(difference(path, "different words", _shown(one), _shown(other)))
        if compared >= _MOST_LEAVES:
            open_points.append(difference(path, "what follows was not compared", "", ""))
            break
    similarity = alike / compared if compared else 1.0
    if different:
        return differ("structured", *different, similarity=similarity)
    return unclear("structured", *open_points, similarity=similarity) if open_points else same("structured")


_ABSENT = object()


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return ""
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "(too large or too deep to be shown)"


def _leaves(
    a: Any, b: Any, schema: dict[str, Any] | None, settings: DivergenceSettings, *, ordered: bool
) -> Iterator[tuple[str, Likeness, Any, Any]]:
    """Each path at which one of them has a leaf. A stack and no recursion: documents may be nested as they like."""
    stack: list[tuple[str, Any, Any, dict[str, Any]]] = [("", a, b, schema or {})]
    while stack:
        path, one, other, rules = stack.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            keys = [key for key in {**one, **other} if str(key).lower() not in _ASIDE] or [*{**one, **other}]
            # `null` and a field that is left out say the same.
            pairs = [(key, one.get(key), other.get(key)) for key in sorted(keys, key=str, reverse=True)]
            stack.extend((f"{path}.{key}".lstrip("."), x, y, _within(rules, key)) for key, x, y in pairs)
        elif isinstance(one, list) and isinstance(other, list):
            if _is_set(one, other, rules, ordered=ordered):
                one, other = _matched(one, other, settings)
            longest = max(len(one), len(other))
            stack.extend((f"{path}[{i}]", _at(one, i), _at(other, i), _items(rules)) for i in reversed(range(longest)))
        elif isinstance(one, dict | list) and isinstance(other, dict | list):
            yield path or "the whole", "different", one, other
        elif isinstance(one, dict | list) or isinstance(other, dict | list) or one is _ABSENT or other is _ABSENT:
            yield path or "the whole", "same" if _nothing(one) and _nothing(other) else "different", one, other
        else:
            literal = names_version(path) and (isinstance(one, str) or isinstance(other, str))
            yield path or "the whole", likeness(one, other, settings, literal=literal), one, other


def _nothing(value: Any) -> bool:
    return value is None or value is _ABSENT or (isinstance(value, dict | list | str) and not value)


def _within(rules: dict[str, Any], key: object) -> dict[str, Any]:
    properties = rules.get("properties")
    inner = properties.get(key) if isinstance(properties, dict) else None
    return inner if isinstance(inner, dict) else {}


def _items(rules: dict[str, Any]) -> dict[str, Any]:
    inner = rules.get("items")
    return inner if isinstance(inner, dict) else {}


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else _ABSENT


def _is_set(a: list[Any], b: list[Any], rules: dict[str, Any], *, ordered: bool) -> bool:
    """The schema says so; else distinct words are one, where the question does not speak of an order."""
    members = [*a, *b]
    if max(len(a), len(b)) > _LARGEST_SET or any(isinstance(member, dict | list) for member in members):
        return False
    if rules.get("uniqueItems") is True:
        return True
    words = all(isinstance(member, str) for member in members)
    return words and not ordered and len(set(a)) == len(a) and len(set(b)) == len(b)


def _matched(a: list[Any], b: list[Any], settings: DivergenceSettings) -> tuple[list[Any], list[Any]]:
    """Both with their common members first, in one order."""
    left, rest = [], list(b)
    common: list[tuple[Any, Any]] = []
    for member in a:
        at = next((i for i, other in enumerate(rest) if likeness(member, other, settings) == "same"), None)
        if at is None:
            left.append(member)
        else:
            common.append((member, rest.pop(at)))
    return [one for one, _ in common] + left, [other for _, other in common] + rest
