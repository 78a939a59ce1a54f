"""Export then import is the identity, whatever the catalogue holds; and processes only ever take a newer one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.process_catalogue import ProcessCatalogue
from pointsman.catalogue import entity
from pointsman.catalogue.commands import ImportCatalogue
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.profile import Profile, TypeFigures
from pointsman.catalogue.served import ServedModel
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.cli.catalogue import read, written
from pointsman.query_types import QueryType
from pointsman.sentences import ConfigurationError
from tests import upgrades
from tests.builders import configuration
from tests.catalogues import NOON, evaluation, profile, served, state

_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
_MOMENTS = st.datetimes(
    datetime(2020, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    datetime(2026, 12, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(-timedelta(hours=9))]),
)
_MEASURES = st.none() | st.floats(0, allow_nan=False, allow_infinity=False)


@st.composite
def _figures(draw: st.DrawFn) -> TypeFigures:
    samples = draw(st.integers(0, 10**9))
    answered = draw(st.integers(0, samples))
    measures = {name: draw(_MEASURES) for name in ("p50_ms", "p95_ms", "mean_input_tokens", "cost_usd")}
    return TypeFigures(samples=samples, answered=answered, passed=draw(st.integers(0, answered)), **measures)


_PROFILES = st.builds(
    Profile,
    provider=_NAMES,
    model=_NAMES,
    model_served=st.none() | _NAMES,
    measured_at=_MOMENTS,
    benchmark=_NAMES,
    figures=st.dictionaries(st.sampled_from(QueryType), _figures(), max_size=5),
)


@st.composite
def _evaluations(draw: st.DrawFn) -> Evaluation:
    cases = draw(st.integers(0, 100))
    passed = draw(st.integers(0, cases))
    return Evaluation(
        task=draw(_NAMES),
        provider=draw(_NAMES),
        model=draw(_NAMES),
        model_served=draw(st.none() | _NAMES),
        suite=draw(_NAMES),
        cases=cases,
        passed=passed,
        errors=draw(st.integers(0, cases - passed)),
        threshold=draw(st.floats(0, 1)),
        verdict=draw(st.sampled_from(["passed", "failed", "inconclusive"])),
        evaluated_at=draw(_MOMENTS),
        cost_usd=draw(_MEASURES),
    )


_SERVED = st.builds(
    ServedModel,
    provider=_NAMES,
    model=_NAMES,
    served=_NAMES,
    since=_MOMENTS,
    before=st.none() | _NAMES,
    accepted=st.booleans(),
)
_UPGRADES = st.sampled_from(
    [
        upgrades.begun(note="„so“ \u2028 \x7f"),
        upgrades.shadowing(price={"input": 0.1, "output": 1e-7}),
        upgrades.shown(),
        upgrades.shown(upgrades.shadowing(provider="beta", id="u-2", daily_cost_cap_usd=0.001), upgrade_id="u-2"),
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> CatalogueDocument:
    return CatalogueDocument(
        profiles={one.key: one for one in draw(st.lists(_PROFILES, max_size=4))},
        evaluations={one.key: one for one in draw(st.lists(_evaluations(), max_size=4))},
        served={one.key: one for one in draw(st.lists(_SERVED, max_size=4))},
        upgrades={one.provider: one for one in draw(st.lists(_UPGRADES, max_size=2))},
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exported") / "catalogue.json"


@given(documents())
def test_what_is_written_reads_as_the_same_document_and_is_written_the_same(
    file: Path, document: CatalogueDocument
) -> None:
    text = written(document)
    file.write_text(text, encoding="utf-8")
    again = read(file)
    assert again == document
    assert written(again) == text


@given(documents(), documents())
def test_after_an_import_the_catalogue_gives_that_document_whatever_it_held(
    held: CatalogueDocument, told: CatalogueDocument
) -> None:
    before = state().model_copy(update={"document": held})
    after, _ = entity.import_catalogue(before, ImportCatalogue(document=told), now=NOON)
    assert after.document == told
    assert after.version == before.version + 1


@given(documents())
def test_the_document_survives_the_way_through_a_run_of_the_entity(document: CatalogueDocument) -> None:
    held = state(profile()).model_copy(update={"document": document})
    assert type(held).model_validate_json(held.model_dump_json()) == held
    snapshot = held.snapshot()
    assert CatalogueSnapshot.model_validate_json(snapshot.model_dump_json()) == snapshot


def test_two_exports_of_the_same_differ_in_nothing_whatever_came_first() -> None:
    first = entity.take_profile(entity.take_profile(state(), profile("b"), now=NOON)[0], profile("a"), now=NOON)[0]
    other = entity.take_profile(entity.take_profile(state(), profile("a"), now=NOON)[0], profile("b"), now=NOON)[0]
    assert written(first.document) == written(other.document)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 9)), max_size=30))
def test_a_process_never_goes_back_to_an_older_snapshot(arriving: list[tuple[int, int]]) -> None:
    process, latest = ProcessCatalogue(configuration()), (0, 0)
    for epoch, version in arriving:
        process.accept(CatalogueSnapshot(epoch=epoch, version=version))
        latest = max(latest, (epoch, version))
        assert (process.snapshot.epoch, process.snapshot.version) == latest
        assert process.view.version == latest[1]


def _changed(**changes: Any) -> str:
    told = json.loads(written(CatalogueDocument(profiles={profile().key: profile()})))
    return json.dumps(told | changes)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("what?", "invalid JSON"),
        ("", "invalid JSON"),
        ("[]", "input should be an object"),
        ('{"profils": {}}', "profils: unknown key; did you mean profiles?"),
        ('{"format": 2}', "format: input should be 1"),
        ('{"served": {"x": {"provider": "x"}}}', "served.x.model: missing; it is required"),
        ('{"profiles": {"x": "\\ud800"}}', "not valid Unicode"),
        (_changed(evaluations={"x": evaluation().model_dump(mode="json")}), "holds what belongs to extract/alpha/"),
        (_changed(served={"x": served().model_dump(mode="json")}), "served.x holds what belongs to alpha/openai/"),
    ],
)
def test_a_file_that_is_no_catalogue_is_refused_with_its_name(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "c.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        read(file)
    assert refused.value.faults[0].startswith(f"{file}: ")
    assert sentence in refused.value.faults[0]


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file; give what `pointsman catalogue export` wrote"):
        read(tmp_path / "missing.json")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="binary: "):
        read(tmp_path / "binary")
