"""Whether two answers to one question agree, decided by what kind of answer it is.

    compare("It is 3:30 pm.", "15:30", question="When does it leave?").verdict    # "agree"

Each rule answers, or passes on what is none of its kind; the last one always answers, if only "cannot tell".
"""

from __future__ import annotations

import json
import operator
from dataclasses import replace
from typing import Any

from pointsman.divergence import choices, code, dates, numbers, output, polarity, structured, versions
from pointsman.divergence.comparison import Comparison, decided, differ, difference, same, unclear
from pointsman.divergence.facts import compare_facts
from pointsman.divergence.final_answer import ends_in_hashes
from pointsman.divergence.final_number import final_number
from pointsman.divergence.jaccard import compare_tokens
from pointsman.divergence.prose import compare_prose
from pointsman.divergence.refusal import refuses
from pointsman.divergence.relations import compare_relations
from pointsman.divergence.settings import DEFAULTS, DivergenceSettings
from pointsman.divergence.statement import Statement, statement
from pointsman.divergence.text import folded
from pointsman.divergence.wanted import asked, asks_for_number, calculates

_QUESTION_ENDS = 4_000
_FEW_WORDS = 6


def compare(
    a: str | Statement,
    b: str | Statement,
    *,
    question: str | None = None,
    schema: dict[str, Any] | None = None,
    settings: DivergenceSettings = DEFAULTS,
) -> Comparison:
    """Compare two answers.

    Every answer agrees with itself, and changing the answers' places mirrors the result. Two answers without any
    text say the same, namely nothing; under `jaccard` they diverge, as in the source document.

    Args:
        a: An answer, or a statement that also holds its parsed value and its claims.
        b: The other.
        question: What both answer; without it the kind is guessed from the answers.
        schema: The JSON Schema of structured answers: it tells which lists are sets.
        settings: Which detector, and how strict.
    """
    first, second = statement(a), statement(b)
    if settings.detector == "jaccard":
        return compare_tokens(first.text, second.text, settings.threshold)
    if _order(second) < _order(first):
        return _compared(second, first, _ends(question or ""), schema, settings).mirrored()
    return _compared(first, second, _ends(question or ""), schema, settings)


def _order(said: Statement) -> tuple[str, tuple[str, ...], str]:
    # Rules need not be symmetric one by one if the pair always comes in one order.
    return said.text, said.claims, "" if said.parsed is None else _sorted(said.parsed)


def _sorted(value: Any) -> str:
    """A parsed value as text that does not depend on the order of its keys."""
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return ""


def _ends(question: str) -> str:
    """A long question is asked at one of its ends."""
    if len(question) > 2 * _QUESTION_ENDS:
        question = f"{question[:_QUESTION_ENDS]}\n\n{question[-_QUESTION_ENDS:]}"
    return folded(question).strip()


def _compared(
    a: Statement, b: Statement, question: str, schema: dict[str, Any] | None, settings: DivergenceSettings
) -> Comparison:
    if a.parsed is None and b.parsed is None and a.folded == b.folded and a.text.strip() == b.text.strip():
        return same("identical")
    trees = None if output.asks_for_output(question) and schema is None else _documents(a, b)
    if trees is not None:
        return structured.compare_documents(*trees, schema, question, settings)
    a, b = _answer(a), _answer(b)
    if not a.folded or not b.folded:
        return decided(
            "empty", difference("text", "one of them is empty", a.text, b.text), equal=not a.folded and not b.folded
        )
    if refuses(a.folded) or refuses(b.folded):
        both = refuses(a.folded) and refuses(b.folded)
        return decided("refusal", difference("text", "one of them gives no answer", a.text, b.text), equal=both)
    return _by_kind(a, b, question, settings) or compare_facts(a, b, question) or compare_prose(a, b, settings)


def _documents(a: Statement, b: Statement) -> tuple[Any, Any] | None:
    """What both come to, where that is an object or a list for both."""
    pair = tuple(structured.answer_in(_value(one)) for one in (a, b))
    return (pair[0], pair[1]) if all(isinstance(one, dict | list) for one in pair) else None


def _answer(said: Statement) -> Statement:
    """The answer alone, where an object holds its reasoning besides."""
    value = _value(said)
    answer = structured.answer_in(value)
    if answer is value:
        return said
    return replace(said, text=answer if isinstance(answer, str) else _sorted(answer), parsed=None)


def _value(said: Statement) -> Any:
    return structured.document(said.text) if said.parsed is None else said.parsed


def _by_kind(a: Statement, b: Statement, question: str, settings: DivergenceSettings) -> Comparison | None:
    if found := _programs(a, b, question):
        return found
    if choices.asks_for_choice(question) and (found := choices.compare_choices(a, b, question)):
        return found
    if output.asks_for_output(question) or (output.container(a) and output.container(b)):
        return output.compare_outputs(a, b, settings.number_tolerance)
    return (
        compare_relations(a, b, question)
        or versions.compare_versions(a, b, question)
        or _dates(a, b, asked=dates.asks_for_date(question))
        or _yes_or_no(a, b, question)
        or _numbers(a, b, question, settings)
    )


def _programs(a: Statement, b: Statement, question: str) -> Comparison | None:
    # A fence also holds outputs and calculations, where something else than a program was asked for.
    elsewhere = (output.asks_for_output, choices.asks_for_choice, asks_for_number, polarity.asks_yes_or_no)
    if not code.asks_for_code(question) and any(asks(question) for asks in elsewhere):
        return None
    first, second = code.program(a), code.program(b)
    return None if first is None or second is None else code.compare_programs(first, second, question)


def _dates(a: Statement, b: Statement, *, asked: bool) -> Comparison | None:
    if not asked and max(len(a.words), len(b.words)) > _FEW_WORDS:
        return None
    texts = _dated(a), _dated(b)
    found = dates.moments(texts[0]), dates.moments(texts[1])
    if not all(found) or not (asked or all(map(_specific, found))):
        return None
    equal = any(dates.agrees(one, other) for one in found[0] for other in found[1])
    if equal and dates.ambiguous(*found):
        return unclear("date", difference("date", "day and month may be either", *texts), similarity=0.5)
    zones_differ = dates.zones_differ(*texts)
    if zones_differ and not equal:
        return unclear("date", difference("date", "the time zones differ", *texts), similarity=0.5)
    equal = equal and not zones_differ
    return decided("date", difference("date", "the dates differ", *texts), equal=equal)


def _dated(said: Statement) -> str:
    """The marked answer, else the first sentence that holds a date: what follows explains it."""
    if said.final.explicit and dates.moments(said.final.text):
        return said.final.text
    return next((sentence for sentence in said.sentences if dates.moments(sentence)), said.folded)


def _specific(moments: tuple[dates.Moment, ...]) -> bool:
    # Without a question 1984 is a number like any other.
    return moments[0].month is not None or moments[0].time is not None


def _yes_or_no(a: Statement, b: Statement, question: str) -> Comparison | None:
    asked = polarity.asks_yes_or_no(question)
    if not asked and max(len(a.words), len(b.words)) > _FEW_WORDS:
        return None
    said = [polarity.polarity(one) for one in (a, b)]
    if asked:
        said = [polarity.restated(one, question) if yes is None else yes for one, yes in zip((a, b), said, strict=True)]
    if None in said:
        return None
    if said[0] is said[1] and polarity.qualified(a) != polarity.qualified(b):
        return unclear(
            "yes_no", difference("yes or no", "only one of them is qualified", a.text, b.text), similarity=0.5
        )
    words = ["yes" if one else "no" for one in said]
    return decided("yes_no", difference("yes or no", "one says yes, the other no", *words), equal=said[0] is said[1])


def _numbers(a: Statement, b: Statement, question: str, settings: DivergenceSettings) -> Comparison | None:
    wanted = asks_for_number(question)
    last = settings.last_number_beside_marker and any(ends_in_hashes(one.folded) for one in (a, b))
    found = [final_number(one, question, last=last) for one in (a, b)]
    certain = [one is not None and one.certain for one in found]
    shown = [calculates(one.folded) for one in (a, b)]
    if not (wanted or all(certain) or all(map(operator.or_, certain, shown))):
        return None
    if found[0] is None or found[1] is None:
        return _one_number(a, b, found) if any(certain) else None
    equal = numbers.same_numbers(found[0], found[1], asked(question, settings.number_tolerance))
    return decided(
        "number", difference("number", "the numbers differ", found[0].written, found[1].written), equal=equal
    )


def _one_number(a: Statement, b: Statement, found: list[numbers.Numeric | None]) -> Comparison:
    written = [one.written if one else said.text for one, said in zip(found, (a, b), strict=True)]
    return differ("number", difference("number", "only one of them gives a number", *written))
