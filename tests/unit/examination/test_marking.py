"""Each check on answers that stand it and answers that do not, and what a mark says then."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.call import Completion, FailedCall
from pointsman.examination.case import Case
from pointsman.examination.marking import mark
from pointsman.examination.marks import Judgement, Marks
from pointsman.messages import ContextRecord
from pointsman.outcomes import Claim, ErrorClass, Fault
from tests.builders import attempt, completion

LEASE = ContextRecord(id="lease", text="Rent is 1,250 euros a month. The lease began on 4 March 2024.")
SCHEMA = {"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}}


def _case(check: dict[str, Any], **fields: Any) -> Case:
    return Case.model_validate({"id": "a-1", "prompt": "How much?", "checks": [check], **fields})


def _marks(check: dict[str, Any], answer: Completion | str, **fields: Any) -> Marks:
    return mark(_case(check, **fields), completion(answer) if isinstance(answer, str) else answer)


STANDS: list[tuple[dict[str, Any], Completion | str, dict[str, Any]]] = [
    ({"check": "exact", "value": "Paris"}, " paris. ", {}),
    ({"check": "exact"}, "Paris", {"expected": "Paris"}),
    ({"check": "exact", "value": {"a": [1, "X"]}}, completion("...", parsed={"a": [1.0, "x"]}), {}),
    ({"check": "exact", "value": [1, 2]}, "```json\n[1, 2]\n```", {}),
    ({"check": "exact", "value": 5}, "5", {}),
    ({"check": "number", "value": 51}, "17 * 3 = 51, so the answer is 51.", {}),
    ({"check": "number"}, "It comes to $1,250.00", {"expected": 1250}),
    ({"check": "number", "value": 3.14159, "tolerance": 0.01}, "3.14", {}),
    ({"check": "number", "value": 100, "relative": 0.05}, "about 104", {}),
    ({"check": "number", "value": 7}, completion("{}", parsed={"reasoning": "3 + 4", "answer": 7}), {}),
    ({"check": "choice", "among": ["spam", "not spam"], "value": "not spam"}, "It is Not Spam.", {}),
    ({"check": "choice", "among": ["A", "B"]}, "a clear case: B", {"expected": "B"}),
    ({"check": "choice", "among": ["low", "high"], "value": "low"}, completion("{}", parsed={"risk": "low"}), {}),
    ({"check": "regex", "pattern": r"\bdef \w+\("}, "def add(a, b): ...", {}),
    ({"check": "regex", "pattern": "sorry", "absent": True}, "Here it is", {}),
    ({"check": "contains", "values": ["Rome", "Oslo"]}, "oslo and ROME", {}),
    ({"check": "contains", "values": ["Rome", "Oslo"], "any": True}, "Oslo", {}),
    ({"check": "contains", "values": ["Rome"], "absent": True}, "Oslo", {}),
    ({"check": "contains"}, "Oslo", {"expected": ["oslo"]}),
    ({"check": "json_schema"}, completion("{}", parsed={"total": 4}), {"response_schema": SCHEMA}),
    ({"check": "json_schema", "schema": SCHEMA}, 'The JSON: {"total": 4}', {}),
    ({"check": "fields", "values": {"total.amount": 12.5, "items.0": "Chair"}},
     completion("", parsed={"total": {"amount": 12.5, "more": 1}, "items": [" chair"]}), {}),
    ({"check": "fields", "tolerance": 0.1}, '{"a": {"b": 1.05}, "c": 3}', {"expected": {"a": {"b": 1}}}),
    ({"check": "fields", "values": {"missing": None}}, '{"a": 1}', {}),
    ({"check": "grounded"}, completion("x", claims=(Claim(text="Rent is 1250 euros a month.", sources=("lease",)),)),
     {"context": (LEASE,)}),
    ({"check": "grounded", "min_share": 0.5}, "Rent is 1250 euros a month. Dogs bark.", {"context": (LEASE,)}),
    ({"check": "refusal", "expected": True}, completion("", refused=True), {}),
    ({"check": "refusal", "expected": True}, "I don't have enough information to say.", {}),
    ({"check": "refusal", "expected": False}, "It is 4.", {}),
    ({"check": "latency", "max_ms": 100}, completion("x", attempts=(attempt(latency_ms=100),)), {}),
    ({"check": "cost", "max_usd": 0.001}, "x", {}),
]  # fmt: skip


@pytest.mark.parametrize(("check", "answer", "fields"), STANDS)
def test_an_answer_that_stands_its_check_passes(
    check: dict[str, Any], answer: Completion | str, fields: dict[str, Any]
) -> None:
    marks = _marks(check, answer, **fields)
    assert (marks.outcome, marks.reasons) == ("passed", ())


FAILS: list[tuple[dict[str, Any], Completion | str, dict[str, Any], str]] = [
    ({"check": "exact", "value": "Paris"}, "It is Paris", {}, 'it is "It is Paris", expected "Paris"'),
    ({"check": "exact", "value": "Paris", "ignore_case": False}, "paris", {}, 'it is "paris", expected "Paris"'),
    ({"check": "exact", "value": {"a": 1}}, completion("", parsed={"a": 1, "b": 2}), {},
     'it is {"a": 1, "b": 2}, expected {"a": 1}'),
    ({"check": "exact", "value": 1}, "true", {}, "it is true, expected 1"),
    ({"check": "number", "value": 51}, "The answer is 52.", {}, "it comes to 52, expected 51"),
    ({"check": "number", "value": 51}, "I would say many.", {}, "it comes to no number, expected 51"),
    ({"check": "number", "value": 51}, "50, 51", {}, "it comes to 2 numbers, expected 51"),
    ({"check": "number", "value": 100, "relative": 0.05}, "106", {}, "it comes to 106, expected 100"),
    ({"check": "choice", "among": ["spam", "not spam"], "value": "spam"}, "Not spam", {},
     "it names 'not spam', expected 'spam'"),
    ({"check": "choice", "among": ["A", "B"], "value": "A"}, "A or B", {}, "it names 'A' and 'B', expected 'A'"),
    ({"check": "choice", "among": ["A", "B"], "value": "A"}, "a word", {},
     "it names none of the choices, expected 'A'"),
    ({"check": "regex", "pattern": "^def"}, "lambda", {}, "the pattern '^def' is not found in it"),
    ({"check": "regex", "pattern": "x", "absent": True}, "x", {}, "the pattern 'x' is found in it"),
    ({"check": "regex", "pattern": "^(a|aa)+$b"}, "a" * 60, {}, "the pattern '^(a|aa)+$b' takes too long on it"),
    ({"check": "contains", "values": ["Rome", "Oslo"]}, "Rome", {}, 'it does not say "Oslo"'),
    ({"check": "contains", "values": ["Rome", "Oslo"], "any": True}, "Bern", {}, 'it says none of "Rome", "Oslo"'),
    ({"check": "contains", "values": ["Rome"], "absent": True}, "In rome.", {}, 'it says "Rome"'),
    ({"check": "json_schema", "schema": SCHEMA}, '{"total": "4"}', {}, "total breaks 'type'"),
    ({"check": "json_schema", "schema": SCHEMA}, "four", {}, "it holds no JSON"),
    ({"check": "fields", "values": {"a.b": 1, "c": "x", "d": [1, 2]}}, '{"a": {"b": 2}, "c": "y", "d": [1]}', {},
     'a.b is 2, expected 1; c is "y", expected "x"; d is [1], expected [1, 2]'),
    ({"check": "fields"}, '{"a": {}}', {"expected": {"a": {"b": True}}}, "a.b is missing, expected true"),
    ({"check": "fields", "values": {"a": 1}}, "none", {}, "it holds no JSON object"),
    ({"check": "grounded"}, completion("x", claims=(Claim(text="Rent is 1250 euros a month."),)),
     {"context": (LEASE,)}, "0 of 1 statements are supported; 'Rent is 1250 euros a month.': it cites no source"),
    ({"check": "grounded"}, "", {"context": (LEASE,)}, "it says nothing that the context could support"),
    ({"check": "refusal", "expected": True}, "It is 4.", {}, "it is an answer, and a refusal was expected"),
    ({"check": "refusal", "expected": False}, completion("", refused=True), {}, "the model refused to answer"),
    ({"check": "exact", "value": "x"}, completion("x", refused=True), {}, "the model refused to answer"),
    ({"check": "judge", "rubric": "is kind"}, completion("", refused=True), {}, "the model refused to answer"),
    ({"check": "latency", "max_ms": 100}, completion("x", attempts=(attempt(latency_ms=140),)), {},
     "it took 140 ms, 100 ms are allowed"),
    ({"check": "latency", "max_ms": 100}, "x", {}, "how long it took is not known"),
    ({"check": "cost", "max_usd": 0.001}, completion("x", attempts=(attempt(), attempt())), {},
     "it cost 0.002000 USD, 0.001 USD are allowed"),
    ({"check": "cost", "max_usd": 1}, completion("x", attempts=(attempt(cost_usd=None),)), {},
     "what it cost is not known"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "answer", "fields", "why"), FAILS)
def test_an_answer_that_does_not_stand_its_check_is_told_why(
    check: dict[str, Any], answer: Completion | str, fields: dict[str, Any], why: str
) -> None:
    marks = _marks(check, answer, **fields)
    assert (marks.outcome, marks.reasons) == ("failed", (f"{check['check']}: {why}",))


def _failed(error_class: ErrorClass, kind: str) -> FailedCall:
    return FailedCall(fault=Fault(error_class=error_class, kind=kind, summary="so it was"), attempts=())


def test_an_outage_tells_nothing_of_the_model() -> None:
    marks = mark(_case({"check": "exact", "value": "x"}), _failed(ErrorClass.FAILURE, "http_503"))
    assert (marks.outcome, marks.reasons) == ("error", ("no answer: so it was (http_503)",))


@pytest.mark.parametrize(
    ("error_class", "kind"),
    [
        (ErrorClass.QUALITY, "schema_invalid"),
        (ErrorClass.FAILURE, "empty_answer"),
        (ErrorClass.CLIENT, "max_output_tokens"),
    ],
)
def test_an_unusable_answer_fails_every_check(error_class: ErrorClass, kind: str) -> None:
    case = Case.model_validate(
        {
            "id": "a",
            "prompt": "x",
            "checks": [{"check": "exact", "value": "x"}, {"check": "refusal", "expected": True}],
        }
    )
    marks = mark(case, _failed(error_class, kind))
    assert (marks.outcome, len(marks.reasons)) == ("failed", 2)


def test_a_rubric_waits_for_its_judge() -> None:
    waiting = _marks({"check": "judge", "rubric": "is kind"}, "hello")
    assert waiting.rubrics == ("is kind",)
    assert waiting.judged((Judgement(passed=True, reason="kind"),)).outcome == "passed"
    unkind = waiting.judged((Judgement(passed=False, reason="not kind"),))
    assert (unkind.outcome, unkind.reasons) == ("failed", ("judge: the judge says: not kind",))
    assert waiting.unjudged("nobody is left").reasons == ("no judge: nobody is left",)
    assert waiting.unjudged("nobody is left").outcome == "error"


def test_no_judge_is_paid_for_an_answer_that_has_failed() -> None:
    case = Case.model_validate(
        {"id": "a", "prompt": "x", "checks": [{"check": "exact", "value": "x"}, {"check": "judge", "rubric": "r"}]}
    )
    assert mark(case, completion("y")).rubrics == ()
