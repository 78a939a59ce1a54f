"""Suites as they stand in a folder: read whole, or refused with file, line and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pointsman.config_file import load
from pointsman.configuration import Configuration
from pointsman.evals.suite import EvalSuite
from pointsman.evals.suite_folder import load_suite, load_suites
from pointsman.sentences import ConfigurationError
from tests.builders import configuration, provider_table

HEAD = 'description = "sums"\nthreshold = 0.9\nchecks = [{ check = "number" }]\n'
CASE: dict[str, Any] = {"id": "s-1", "prompt": "What is 1 + 1?", "expected": 2}
ROUTES = {"sums": {"chain": ["alpha", "beta"]}, "judges": {"chain": ["alpha", "beta"]}}


def _folder(root: Path, head: str = HEAD, *cases: dict[str, Any] | str, task: str = "sums") -> Path:
    folder = root / task
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text(head, encoding="utf-8")
    lines = [case if isinstance(case, str) else json.dumps(case) for case in cases or (CASE,)]
    (folder / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def _settings(**vendors: str) -> Configuration:
    providers = {name: provider_table(vendor=vendors.get(name, name)) for name in ("alpha", "beta")}
    return configuration(providers, routes=ROUTES)


def _suite(root: Path, head: str = HEAD, *cases: dict[str, Any] | str) -> EvalSuite:
    return load_suite(_folder(root, head, *cases), _settings())


def _faults(root: Path, head: str = HEAD, *cases: dict[str, Any] | str) -> list[str]:
    with pytest.raises(ConfigurationError) as refused:
        _suite(root, head, *cases)
    return [fault.replace(f"{root}/", "") for fault in refused.value.faults]


def test_a_case_takes_what_it_does_not_say_from_the_suite(tmp_path: Path) -> None:
    head = f'{HEAD}system = "Reckon."\nmax_output_tokens = 50\n'
    (case,) = _suite(tmp_path, head).cases
    assert (case.system, case.max_output_tokens) == ("Reckon.", 50)
    assert case.checks[0].model_dump()["value"] == 2


def test_a_case_keeps_what_it_says(tmp_path: Path) -> None:
    own = {**CASE, "system": "Think.", "checks": [{"check": "contains", "values": ["two"]}]}
    (case,) = _suite(tmp_path, f'{HEAD}system = "Reckon."\n', own).cases
    assert (case.system, case.checks[0].check) == ("Think.", "contains")


def _nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


BAD: list[tuple[str, tuple[dict[str, Any] | str, ...], str]] = [
    ("threshold = 0.9", (CASE,), "sums/suite.toml: description: missing; it is required"),
    (HEAD.replace("0.9", "90"), (CASE,),
     "sums/suite.toml: threshold: input should be less than or equal to 1 (it is 90)"),
    (f"{HEAD}treshold = 1\n", (CASE,), "sums/suite.toml: treshold: unknown key; did you mean threshold?"),
    ("description = ", (CASE,), "sums/suite.toml: not TOML: Invalid value (at end of document)"),
    (f'{HEAD}schema = "s.json"\n', (CASE,), "sums/s.json: no such file; a suite has suite.toml and cases.jsonl"),
    (f'{HEAD}schema = "../s.json"\n', (CASE,),
     "sums/suite.toml: schema: '../s.json' is not in the suite's folder; put it there"),
    (f'{HEAD}judge = "nobody"\n', (CASE,),
     "sums/suite.toml: judge: 'nobody' is not a route; known: judges, sums"),
    (HEAD, ({**CASE, "checks": [{"check": "judge", "rubric": "r"}]},),
     "sums/suite.toml: judge: missing, and a check asks for one; name the task whose route judges"),
    (HEAD, ("",), "sums/cases.jsonl: no cases; write one JSON object a line"),
    (HEAD, ("{",), ("sums/cases.jsonl: line 1: not JSON (Expecting property name enclosed in double quotes: line 1 "
     "column 2 (char 1)); write one object a line")),
    (HEAD, ("[]",),
     'sums/cases.jsonl: line 1: no object; write one such as {"id": "a-1", "prompt": "...", "expected": "..."}'),
    (HEAD, (CASE, "", CASE), "sums/cases.jsonl: line 3: id: 's-1' stands in line 1 already; give each case its own"),
    (HEAD, ({"id": "a", "promt": "x"},), "sums/cases.jsonl: line 1: prompt: missing; it is required"),
    (HEAD, ({**CASE, "expected": "two"},),
     ("sums/cases.jsonl: line 1: checks.0: number has no number to compare with; give it a value, or the case an "
     "expected number")),
    (HEAD, ({**CASE, "checks": [{"check": "exact"}], "expected": None},),
     "sums/cases.jsonl: line 1: checks.0: exact has nothing to compare with; give it a value, or the case an expected"),
    (HEAD, ({**CASE, "checks": [{"check": "choice", "among": ["a", "b"]}], "expected": "c"},),
     "sums/cases.jsonl: line 1: checks.0: choice has a right choice that is not among its choices: 'c'"),
    (HEAD, ({**CASE, "checks": [{"check": "choice", "among": ["a", "b"]}]},),
     "sums/cases.jsonl: line 1: checks.0: choice has no right choice; give it a value, or the case an expected text"),
    (HEAD, ({**CASE, "checks": [{"check": "contains"}]},),
     ("sums/cases.jsonl: line 1: checks.0: contains looks for nothing; give it values, or the case an expected text or "
     "list of texts")),
    (HEAD, ({**CASE, "checks": [{"check": "contains", "values": ["a"], "any": True, "absent": True}]},),
     "sums/cases.jsonl: line 1: checks.0: contains cannot look for any and for none; leave out any or absent"),
    (HEAD, ({**CASE, "checks": [{"check": "regex", "pattern": "("}]},),
     "sums/cases.jsonl: line 1: checks.0: regex is unusable: '(' is not a pattern (missing ) at position 1)"),
    (HEAD, ({**CASE, "checks": [{"check": "regex", "pattern": "(" * 5000 + ")" * 5000}]},),
     ("sums/cases.jsonl: line 1: checks.0: regex is unusable: "
     f"{'(' * 80!r} is not a usable pattern (nested too deeply)")),
    (HEAD, ({**CASE, "checks": [{"check": "regex", "pattern": "(?au)a"}]},),
     ("sums/cases.jsonl: line 1: checks.0: regex is unusable: '(?au)a' is not a usable pattern (ASCII, LOCALE and "
     "UNICODE flags are mutually incompatible)")),
    (HEAD, ({**CASE, "response_schema": {"pattern": "(" * 5000 + ")" * 5000}},),
     ("sums/cases.jsonl: line 1: response_schema: not a JSON Schema: "
     f"{'(' * 80!r} is not a usable pattern (nested too deeply)")),
    (HEAD, ({**CASE, "expected": float("nan")},),
     ("sums/cases.jsonl: line 1: checks.0: number cannot be compared with nan; give it a finite value, or the case a "
     "finite expected number")),
    (HEAD, ({**CASE, "expected": "-inf"},),
     ("sums/cases.jsonl: line 1: checks.0: number cannot be compared with -inf; give it a finite value, or the case a "
     "finite expected number")),
    (HEAD, ({**CASE, "expected": _nested(300)},),
     "sums/cases.jsonl: line 1: expected: nested over 100 deep; flatten it"),
    (HEAD, ({**CASE, "checks": [{"check": "exact", "value": _nested(300)}]},),
     "sums/cases.jsonl: line 1: checks: nested over 100 deep; flatten it"),
    (HEAD, ({**CASE, "checks": [{"check": "json_schema"}]},),
     "sums/cases.jsonl: line 1: checks.0: json_schema has no schema; give it one, or the case a response_schema"),
    (HEAD, ({**CASE, "checks": [{"check": "json_schema", "schema": {"type": "thing"}}]},),
     ("sums/cases.jsonl: line 1: checks.0: json_schema not a JSON Schema (at type): 'thing' is not valid under any of "
     "the given schemas")),
    (HEAD, ({**CASE, "response_schema": {"type": 1}},),
     ("sums/cases.jsonl: line 1: response_schema: not a JSON Schema (at type): 1 is not valid under any of the given "
     "schemas")),
    (HEAD, ({**CASE, "checks": [{"check": "fields"}]},),
     ("sums/cases.jsonl: line 1: checks.0: fields has no fields to compare; give it values, or the case an expected "
     "object")),
    (HEAD, ({**CASE, "checks": [{"check": "fields", "values": {}}]},),
     "sums/cases.jsonl: line 1: checks.0: fields has no fields to compare; give it values"),
    (HEAD, ({**CASE, "checks": [{"check": "grounded"}]},),
     "sums/cases.jsonl: line 1: checks.0: grounded needs a context; give the case one"),
    ('description = "x"\nthreshold = 1\n', (CASE,),
     "sums/cases.jsonl: line 1: checks: missing; give the case, or the suite, at least one"),
    (HEAD, tuple({**CASE, "id": f"s-{number}"} for number in range(201)),
     "sums/cases.jsonl: 201 cases, and a suite has at most 200; leave some out"),
    (HEAD, ({**CASE, "prompt": "x" * 1_000_000},), "sums/cases.jsonl: over 1,000,000 bytes; shorten it"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "cases", "fault"), BAD)
def test_a_bad_suite_is_refused_with_its_place(
    tmp_path: Path, head: str, cases: tuple[dict[str, Any] | str, ...], fault: str
) -> None:
    assert fault in _faults(tmp_path, head, *cases)


def test_an_unknown_check_names_the_known_ones(tmp_path: Path) -> None:
    (fault,) = _faults(tmp_path, HEAD, {**CASE, "checks": [{"check": "nmber"}]})
    assert fault.startswith("sums/cases.jsonl: line 1: checks.0: ")
    assert "'number'" in fault


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    assert len(_faults(tmp_path, HEAD, "{", CASE, CASE, {"id": "b"})) == 3


def test_a_suite_whose_folder_names_no_route_is_refused(tmp_path: Path) -> None:
    folder = _folder(tmp_path, task="differences")
    with pytest.raises(ConfigurationError) as refused:
        load_suite(folder, _settings())
    (fault,) = refused.value.faults
    assert fault.endswith("'differences' is not a route; rename the folder for its task; known: judges, sums")


def test_a_judge_of_the_judged_ones_vendor_alone_is_refused(tmp_path: Path) -> None:
    folder = _folder(tmp_path, f'{HEAD}judge = "judges"\n', {**CASE, "checks": [{"check": "judge", "rubric": "r"}]})
    assert load_suite(folder, _settings()).judge == "judges"
    with pytest.raises(ConfigurationError, match="has members of one only, and no vendor judges its own"):
        load_suite(folder, _settings(alpha="one", beta="one"))


def test_a_judge_who_waits_for_a_judgement_himself_is_refused(tmp_path: Path) -> None:
    judged = {**CASE, "checks": [{"check": "judge", "rubric": "r"}]}
    _folder(tmp_path, f'{HEAD}judge = "sums"\n', judged)
    with pytest.raises(ConfigurationError) as refused:
        load_suites(tmp_path, _settings())
    (fault,) = refused.value.faults
    assert fault.endswith(
        "judge: routes.sums is evaluated by a judge itself, so that none could ever begin; "
        "name a route with require_eval = false"
    )
    settings = _settings()
    free = settings.routes["sums"].model_copy(update={"require_eval": False})
    assert load_suites(tmp_path, settings.model_copy(update={"routes": {**settings.routes, "sums": free}}))


def test_the_digest_changes_with_what_is_asked_and_not_with_how_it_is_written(tmp_path: Path) -> None:
    first = _suite(tmp_path / "a")
    reordered = _suite(tmp_path / "b", f"# a comment\n{HEAD}", dict(reversed(CASE.items())))
    assert first.digest == reordered.digest
    for number, changed in enumerate(
        [
            _suite(tmp_path / "c", HEAD, {**CASE, "expected": 3}),
            _suite(tmp_path / "d", HEAD, {**CASE, "prompt": "What is 1 + 2?"}),
            _suite(tmp_path / "e", HEAD.replace("0.9", "0.8")),
            _suite(tmp_path / "f", f'{HEAD}system = "Reckon."\n'),
        ]
    ):
        assert changed.digest != first.digest, number


def test_a_change_of_the_routes_schema_changes_the_digest(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    routes = {"sums": {"chain": ["alpha", "beta"], "response_schema": "s.json"}}

    def suite(schema: dict[str, Any]) -> EvalSuite:
        return load_suite(folder, configuration(routes=routes).model_copy(update={"schemas": {"s.json": schema}}))

    one, other = suite({"type": "object"}), suite({"type": "array"})
    assert one.cases[0].response_schema == {"type": "object"}
    assert one.digest != other.digest


def test_the_suites_of_a_configuration_stand_beside_its_file(tmp_path: Path) -> None:
    _folder(tmp_path / "evals")
    file = tmp_path / "router.toml"
    file.write_text(_toml('[catalogue]\nevals = "evals"\n'), encoding="utf-8")
    loaded = load(file)
    assert list(loaded.suites) == ["sums"]
    assert "suites" not in loaded.model_dump()


def test_a_folder_of_suites_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"catalogue\.evals: the folder .* cannot be read"):
        load_suites(tmp_path / "nowhere", _settings())


def test_a_route_that_wants_an_evaluation_needs_a_suite(tmp_path: Path) -> None:
    file = tmp_path / "router.toml"
    file.write_text(_toml("[routes.more]\nchain = ['alpha', 'beta']\nrequire_eval = true\n"), encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        load(file)
    assert refused.value.faults == [
        (
            "routes.more.require_eval: there is no evaluation suite for more; "
            "name a folder of suites in catalogue.evals, or leave it out"
        )
    ]


def test_a_query_type_cannot_want_an_evaluation(tmp_path: Path) -> None:
    file = tmp_path / "router.toml"
    text = _toml("").replace("[query_types.analysis]", "[query_types.analysis]\nrequire_eval = true")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"query_types\.analysis\.require_eval: suites belong to tasks"):
        load(file)


def _toml(more: str) -> str:
    table = "\n".join(f"{key} = {_value(value)}" for key, value in provider_table().items())
    types = "\n".join(
        f"[query_types.{name}]\nchain = ['alpha', 'beta']"
        for name in ("simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis")
    )
    routes = "[routes.sums]\nchain = ['alpha', 'beta']"
    return f"[providers.alpha]\n{table}\n[providers.beta]\n{table}\n{routes}\n{types}\n{more}"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {_value(inner)}' for key, inner in value.items())}}}"
    return json.dumps(value) if value != "2026-11-30" else "2026-11-30"


def test_a_suite_with_the_deepest_case_that_is_taken_has_a_digest(tmp_path: Path) -> None:
    deepest = {**CASE, "expected": _nested(100), "checks": [{"check": "contains", "values": ["2"]}]}
    assert _suite(tmp_path, HEAD, deepest).digest
    too_deep = {**deepest, "expected": _nested(101)}
    assert "expected: nested over 100 deep" in _faults(tmp_path / "another", HEAD, too_deep)[0]


@pytest.mark.parametrize("own", ["of the suite", "of the case", "none"])
def test_another_schema_of_the_route_is_another_suite_whatever_the_suite_brings(tmp_path: Path, own: str) -> None:
    schema = {"type": "object"}
    case = {**CASE, "response_schema": schema} if own == "of the case" else CASE
    folder = _folder(tmp_path, f'{HEAD}schema = "own.json"\n' if own == "of the suite" else HEAD, case)
    (folder / "own.json").write_text(json.dumps(schema), encoding="utf-8")

    def digest(**of_route: Any) -> str:
        routed = {**ROUTES["sums"], "response_schema": "form"}
        settings = _settings().model_copy(update={"schemas": {"form": of_route}})
        route = type(settings.routes["sums"]).model_validate(routed)
        return load_suite(folder, settings.model_copy(update={"routes": {**settings.routes, "sums": route}})).digest

    digests = [digest(type="object"), digest(type="array"), load_suite(folder, _settings()).digest]
    assert len(set(digests)) == 3
    assert digest(type="object") == digests[0]
