"""The benchmark and the suites that ship: each case is passed by a right answer, and by hardly any other.

The scripted providers' answer key holds an answer to each case as a good model would give it, `variants.jsonl` other
right ones and near misses. They go through the same judgement as a provider's reply: what is marked here is marked in
earnest.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pointsman.acceptance import accept
from pointsman.benchmark.questions import benchmark
from pointsman.call import FailedCall
from pointsman.config_file import load
from pointsman.evals.suite_folder import load_suites
from pointsman.examination.case import Case
from pointsman.examination.check import Fields, Grounded, Judge, Refusal
from pointsman.examination.marking import mark
from pointsman.faults import ProviderFault
from pointsman.query_types import QueryType
from pointsman.response import ProviderResponse
from tests.builders import completion
from workers.embedded.answer_key import REFERENCES

_ROOT = Path(__file__).parents[2]
_SUITES = load_suites(_ROOT / "evals", load(_ROOT / "config" / "router.toml"))
_SETS: dict[str, tuple[Case, ...]] = {
    "benchmark": benchmark().questions,
    **{task: suite.cases for task, suite in _SUITES.items()},
}
_KNOWS_NOT = "I do not know."
_STRAY_SHARE = 0.15
"""Of the other answers of a set that a case may pass: letters, small numbers and intents are often the same."""


def _lines(name: str) -> list[dict[str, Any]]:
    folder = _ROOT / "tests" / "references" if name == "variants" else REFERENCES
    text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


_REFERENCES = {name: {entry["id"]: entry["answer"] for entry in _lines(name)} for name in _SETS}
_BY_ID = {case.id: case for cases in _SETS.values() for case in cases}
_CASES = [
    pytest.param(case, _REFERENCES[name].get(case.id), id=case.id) for name, cases in _SETS.items() for case in cases
]
_TASKS = [pytest.param(name, id=name) for name in _SETS]


def _faults(case: Case, answer: Any) -> tuple[str, ...]:
    """Why a reply with this answer does not pass, by all checks that need no judge."""
    content = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    try:
        accepted = accept(ProviderResponse(content=content, latency_s=1.0), case.question(), case.response_schema)
    except ProviderFault as fault:
        return mark(case, FailedCall(fault=fault.fault, attempts=())).reasons
    told = {"parsed": accepted.parsed, "claims": accepted.claims, "refused": accepted.refused}
    return mark(case, completion(accepted.text, **told)).reasons


def _with(kind: type[object]) -> list[Any]:
    return [entry for entry in _CASES if any(isinstance(check, kind) for check in _case(entry).checks)]


def _case(entry: Any) -> Case:
    found: Case = entry.values[0]
    return found


def test_every_query_type_has_more_questions_than_a_profile_needs() -> None:
    counts = Counter(question.query_type for question in benchmark().questions)
    assert all(counts[query_type] >= 14 for query_type in QueryType)


@pytest.mark.parametrize("task", ["classify", "extract", "synthesise"])
def test_a_suite_that_ships_has_twenty_cases(task: str) -> None:
    assert len(_SUITES[task].cases) >= 20


@pytest.mark.parametrize("name", _TASKS)
def test_every_case_has_a_reference_and_every_reference_a_case(name: str) -> None:
    assert list(_REFERENCES[name]) == [case.id for case in _SETS[name]]


@pytest.mark.parametrize("name", _TASKS)
def test_no_question_is_asked_twice(name: str) -> None:
    asked = Counter((case.prompt, case.context) for case in _SETS[name])
    assert asked.most_common(1)[0][1] == 1


@pytest.mark.parametrize(("case", "answer"), _CASES)
def test_a_right_answer_passes(case: Case, answer: Any) -> None:
    assert _faults(case, answer) == ()


@pytest.mark.parametrize("name", _TASKS)
def test_the_answer_to_the_next_question_that_expects_another_fails(name: str) -> None:
    cases = _SETS[name]
    passed: list[tuple[str, str]] = []
    for at, case in enumerate(cases):
        later = (*cases[at + 1 :], *cases[:at])
        other = next(one for one in later if (one.expected, one.checks[0]) != (case.expected, case.checks[0]))
        if not _faults(case, _REFERENCES[name][other.id]):
            passed.append((case.id, other.id))
    assert passed == []


@pytest.mark.parametrize("name", _TASKS)
def test_the_answers_to_other_questions_hardly_ever_pass(name: str) -> None:
    answers = _REFERENCES[name]
    for case in _SETS[name]:
        strays = [other for other, answer in answers.items() if other != case.id and not _faults(case, answer)]
        assert len(strays) <= _STRAY_SHARE * len(answers), f"{case.id} is passed by {strays}"


@pytest.mark.parametrize(("case", "answer"), _CASES)
def test_not_knowing_passes_only_where_nothing_can_be_known(case: Case, answer: Any) -> None:
    nothing_to_say = isinstance(answer, dict) and answer.get("claims") == []
    assert bool(_faults(case, _KNOWS_NOT)) is not nothing_to_say


@pytest.mark.parametrize(("case", "answer"), _with(Grounded))
def test_a_claim_that_cites_another_record_fails(case: Case, answer: dict[str, Any]) -> None:
    first, *others = answer["claims"]
    elsewhere = next(record.id for record in case.context if record.id not in first["sources"])
    astray = {**answer, "claims": [{**first, "sources": [elsewhere]}, *others]}
    assert any(fault.startswith("grounded: ") for fault in _faults(case, astray))


@pytest.mark.parametrize(
    ("case", "answer"), [entry for entry in _with(Fields) if "facts" in (_case(entry).expected or {})]
)
def test_a_fact_that_is_wrong_or_missing_or_made_up_fails(case: Case, answer: dict[str, Any]) -> None:
    *others, last = answer["facts"]
    for facts in ([*others, {**last, "value": "7"}], others, [*others, last, last]):
        assert _faults(case, {"facts": facts}) != ()


def test_some_synthesised_answers_are_refusals_and_some_need_a_judge() -> None:
    cases = _SUITES["synthesise"].cases
    refused = [case for case in cases if Refusal(expected=True) in case.checks]
    judged = [case for case in cases if any(isinstance(check, Judge) for check in case.checks)]
    assert len(refused) == len(judged) == 2


@pytest.mark.parametrize(
    ("case", "answer", "passes"),
    [pytest.param(_BY_ID[one["id"]], one["answer"], one["passes"], id=one["id"]) for one in _lines("variants")],
)
def test_another_right_answer_passes_and_a_near_miss_fails(case: Case, answer: Any, *, passes: bool) -> None:
    assert (_faults(case, answer) == ()) is passes
