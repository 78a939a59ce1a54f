"""An answer, marked: each check of its case says whether it stands, and if not, why not."""

from __future__ import annotations

import re
from typing import Any, assert_never

from pointsman.acceptance import is_refusal, json_values
from pointsman.bounded_validator import PATTERN_LIMIT_S, TooCostly, compiled
from pointsman.call import Completion, FailedCall
from pointsman.divergence.final_number import final_number
from pointsman.divergence.numbers import Numeric
from pointsman.divergence.refusal import refuses
from pointsman.divergence.statement import Statement
from pointsman.divergence.structured import answer_in
from pointsman.divergence.text import folded
from pointsman.examination.case import Case
from pointsman.examination.check import (
    Check,
    Choice,
    Contains,
    Exact,
    Fields,
    Grounded,
    Judge,
    MatchesSchema,
    Number,
    Refusal,
    Regex,
    WithinCost,
    WithinLatency,
)
from pointsman.examination.grounding import support
from pointsman.examination.marks import CheckMark, Marks
from pointsman.examination.values import at, differences, plain, same_number, same_text, same_value, shown
from pointsman.outcomes import ErrorClass, Fault, total_cost
from pointsman.schemas import mismatch

_ITS_DOING = frozenset({"empty_answer", "max_output_tokens"})
_LISTED = 8


def mark(case: Case, outcome: Completion | FailedCall) -> Marks:
    """Mark what came of the case's question.

    A refusal fails every check but an expected refusal. A call that failed for the answer's sake fails every check; one
    that failed for any other reason tells nothing of the model. Checks by a judge are left in `rubrics`.
    """
    filled = case.filled()
    if isinstance(outcome, FailedCall):
        why = f"no answer: {outcome.fault.summary} ({outcome.fault.kind})"
        if not tells_of_quality(outcome.fault):
            return Marks(case=case.id, no_answer=why)
        return Marks(
            case=case.id, checks=tuple(CheckMark(check=check.check, passed=False, why=why) for check in filled.checks)
        )
    marks = tuple(_marked(check, filled, outcome) for check in filled.checks if not _waits(check, outcome))
    rubrics = tuple(check.rubric for check in filled.checks if isinstance(check, Judge) and _waits(check, outcome))
    return Marks(case=case.id, checks=marks, rubrics=rubrics if all(one.passed for one in marks) else ())


def tells_of_quality(fault: Fault) -> bool:
    """Whether a call failed because of what the model answered, and not on its way there."""
    return fault.error_class is ErrorClass.QUALITY or fault.kind in _ITS_DOING


def _refused(answer: Completion) -> bool:
    return answer.refused or is_refusal(answer.text)


def _waits(check: Check, answer: Completion) -> bool:
    return isinstance(check, Judge) and not _refused(answer)


def _marked(check: Check, case: Case, answer: Completion) -> CheckMark:
    why = "the model refused to answer"
    if isinstance(check, Refusal) or not _refused(answer):
        why = _fault(check, case, answer) or ""
    return CheckMark(check=check.check, passed=not why, why=why)


def _fault(check: Check, case: Case, answer: Completion) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one a kind
    """Why the answer does not stand the check, or `None`."""
    match check:
        case Exact():
            return _inexact(check, answer)
        case Number():
            return _other_number(check, case, answer)
        case Choice():
            return _other_choice(check, answer)
        case Regex():
            return _unmatched(check, answer.text)
        case Contains():
            return _wrongly_worded(check, answer.text)
        case MatchesSchema():
            return _breaks_schema(check.schema_ or {}, answer)
        case Fields():
            return _other_fields(check, case.expected, answer)
        case Grounded():
            return _ungrounded(check, case, answer)
        case Refusal():
            return _not_as_refused(check, answer)
        case WithinLatency():
            return _too_slow(check, answer)
        case WithinCost():
            return _too_dear(check, answer)
        case Judge():
            return "no judge was asked"
        case _:
            assert_never(check)


def _inexact(check: Exact, answer: Completion) -> str | None:
    value: Any = answer.parsed
    if value is None and not isinstance(check.value, str):
        value = next(json_values(answer.text), None)
    if value is None:
        fits = same_text(answer.text, str(check.value), ignore_case=check.ignore_case)
        value = plain(answer.text)
    else:
        fits = same_value(check.value, value, ignore_case=check.ignore_case)
    return None if fits else f"it is {shown(value)}, expected {shown(check.value)}"


def _other_number(check: Number, case: Case, answer: Completion) -> str | None:
    wanted = check.value if check.value is not None else float("nan")
    said = answer.text if answer.parsed is None else answer_in(answer.parsed)
    if isinstance(said, int | float) and not isinstance(said, bool):
        found = float(said)
    else:
        read = final_number(Statement(said), case.prompt) if isinstance(said, str) else None
        if read is None:
            return f"it comes to no number, expected {wanted:g}"
        if len(read.items) != 1:
            return f"it comes to {len(read.items)} numbers, expected {wanted:g}"
        found = _float(read)
    near = same_number(found, wanted, tolerance=check.tolerance, relative=check.relative)
    return None if near else f"it comes to {found:.10g}, expected {wanted:.10g}"


def _float(read: Numeric) -> float:
    try:
        return float(read.items[0].value)
    except OverflowError:
        return float("inf")


def _other_choice(check: Choice, answer: Completion) -> str | None:
    text = answer.text if answer.parsed is None else "\n".join(_texts(answer.parsed))
    named = _named(plain(text), check.among)
    if named == {check.value}:
        return None
    found = " and ".join(repr(one) for one in check.among if one in named) or "none of the choices"
    return f"it names {found}, expected {check.value!r}"


def _named(text: str, among: tuple[str, ...]) -> set[str]:
    """The choices that a text names as words; one that holds another hides it: "not spam" is no "spam"."""
    named: set[str] = set()
    for choice in sorted(among, key=len, reverse=True):
        # A lone letter counts as it is written: "a" is also an article.
        flags = re.NOFLAG if len(choice) == 1 else re.IGNORECASE
        text, times = re.subn(rf"(?<!\w){re.escape(plain(choice))}(?!\w)", "\0", text, flags=flags)
        if times:
            named.add(choice)
    return named


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        return [text for inner in (value.values() if isinstance(value, dict) else value) for text in _texts(inner)]
    return [value] if isinstance(value, str) else []


def _unmatched(check: Regex, text: str) -> str | None:
    try:
        found = compiled(check.pattern).search(text, timeout=PATTERN_LIMIT_S) is not None
    except TimeoutError:
        return f"the pattern {check.pattern[:80]!r} takes too long on it"
    if found == check.absent:
        return f"the pattern {check.pattern[:80]!r} is {'found' if found else 'not found'} in it"
    return None


def _wrongly_worded(check: Contains, text: str) -> str | None:
    held = " ".join(folded(text).split()).casefold()
    there = [value for value in check.values if " ".join(folded(value).split()).casefold() in held]
    missing = [value for value in check.values if value not in there]
    if check.absent:
        return f"it says {shown(there[0])}" if there else None
    if check.any:
        return None if there else f"it says none of {', '.join(map(shown, missing[:_LISTED]))}"
    return f"it does not say {', '.join(map(shown, missing[:_LISTED]))}" if missing else None


def _breaks_schema(schema: dict[str, Any], answer: Completion) -> str | None:
    values = [answer.parsed] if answer.parsed is not None else list(json_values(answer.text))
    if not values:
        return "it holds no JSON"
    try:
        faults = [mismatch(value, schema) for value in values]
    except TooCostly:
        return "the schema takes too long to apply to it"
    return None if None in faults else faults[0]


def _other_fields(check: Fields, expected: Any, answer: Completion) -> str | None:
    value = answer.parsed
    if value is None:
        value = next((one for one in json_values(answer.text) if isinstance(one, dict | list)), None)
    if value is None:
        return "it holds no JSON object"
    if check.values is None:
        wrong = list(differences(expected, value, tolerance=check.tolerance))
    else:
        wrong = [
            fault
            for path, wanted in check.values.items()
            for fault in differences(wanted, at(value, tuple(path.split("."))), tolerance=check.tolerance, within=path)
        ]
    if not wrong:
        return None
    more = [f"and {len(wrong) - _LISTED} more"] if len(wrong) > _LISTED else []
    return "; ".join([*wrong[:_LISTED], *more])


def _ungrounded(check: Grounded, case: Case, answer: Completion) -> str | None:
    found = support(answer.text, case.context, parsed=answer.parsed, claims=answer.claims)
    if found.share is None:
        return "it says nothing that the context could support"
    if found.share >= check.min_share:
        return None
    supported = found.statements - len(found.unsupported)
    return f"{supported} of {found.statements} statements are supported; {'; '.join(found.unsupported[:3])}"


def _not_as_refused(check: Refusal, answer: Completion) -> str | None:
    refused = _refused(answer) or refuses(folded(answer.text).strip())
    if refused == check.expected:
        return None
    return "the model refused to answer" if refused else "it is an answer, and a refusal was expected"


def _too_slow(check: WithinLatency, answer: Completion) -> str | None:
    latency_ms = answer.attempts[-1].latency_ms if answer.attempts else None
    if latency_ms is None:
        return "how long it took is not known"
    return f"it took {latency_ms:.0f} ms, {check.max_ms:g} ms are allowed" if latency_ms > check.max_ms else None


def _too_dear(check: WithinCost, answer: Completion) -> str | None:
    cost_usd = total_cost(answer.attempts)
    if cost_usd is None:
        return "what it cost is not known"
    return f"it cost {cost_usd:.6f} USD, {check.max_usd:g} USD are allowed" if cost_usd > check.max_usd else None
