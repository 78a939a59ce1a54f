"""The catalogue of a real fleet: nobody answers unmeasured, a file configures it, and a vendor's change is noticed."""

from __future__ import annotations

import getpass
import json
import signal
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pointsman.catalogue.document import CatalogueDocument
from pointsman.cli.catalogue import written
from tests.catalogues import holding, profile
from tests.e2e.conftest import PATIENCE_S, Ended, Site, new_site, sentence
from tests.e2e.fleet import Fleet
from workers.embedded.scripted.script import Reply
from workers.embedded.scripted.server import ScriptedProviders

PINNED = "gpt-5.2-2026-08-15"
MODEL = f"openai/{PINNED}"
OTHER = "gpt-5.2-2026-11-01"
MEMBERS: dict[str, dict[str, Any]] = {
    "alpha": {"model": MODEL},
    "beta": {"model": MODEL},
    "warned": {"model": MODEL},
    "strict": {"model": MODEL, "on_model_change": "retire"},
}


def measured(*names: str) -> CatalogueDocument:
    """Profiles of a moment ago."""
    return holding(*(profile(name, model=MODEL, model_served=PINNED, measured_at=datetime.now(UTC)) for name in names))


def site_with(fleet: Fleet) -> Site:
    """The fleet's site, configured to trust measured figures only."""
    routes = {"one": {"chain": ["alpha", "beta"]}, "two": {"chain": ["strict", "warned"]}}
    fleet.configure(MEMBERS, routes, catalogue={"admission": "measured"}, health={"snapshot_interval": 0.2})
    return fleet.site


@pytest.fixture(scope="module")
def site(loop: Any, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server and one worker whose whole fleet is measured."""
    with new_site(loop, providers, tmp_path_factory.mktemp("catalogue")) as new:
        site_with(Fleet(new, providers))
        new.start_worker()
        yield new


def imported(site: Site, document: CatalogueDocument) -> None:
    file = site.folder / "catalogue.json"
    file.write_text(written(document), encoding="utf-8")
    ended = site.cli("catalogue", "import", str(file), "--note", "from git")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"imported: {len(document.profiles)} profiles")


def asked(site: Site, task: str) -> Ended:
    return site.cli("ask", "What is 1 + 1?", "--task", task, "--json")


def until_answered(site: Site, task: str, provider: str, within_s: float = PATIENCE_S) -> dict[str, Any]:
    """Ask until this provider answers: a change has reached the worker with its next look."""
    give_up = time.monotonic() + within_s
    while True:
        ended = asked(site, task)
        told: dict[str, Any] = json.loads(ended.stdout)
        if ended.returncode == 0 and told["provider"] == provider:
            return told
        assert time.monotonic() < give_up, (ended.stdout, ended.stderr)


def shown(site: Site) -> dict[str, Any]:
    ended = site.cli("catalogue", "show", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


def until_told(site: Site, kind: str, target: str) -> dict[str, Any]:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        for event in shown(site)["events"]:
            if (event["kind"], event["target"]) == (kind, target):
                found: dict[str, Any] = event
                return found
        assert time.monotonic() < give_up, f"no {kind} of {target}"
        time.sleep(0.2)


def test_nobody_answers_until_measured_and_a_worker_that_is_started_anew_answers_at_once(
    unserved: Site, providers: ScriptedProviders
) -> None:
    site = site_with(Fleet(unserved, providers))
    worker = site.start_worker()
    assert "nothing has been measured yet; begin with `pointsman profile run`" in site.cli("catalogue", "show").stdout
    refused = site.cli("ask", "What is 1 + 1?", "--task", "one")
    assert refused.returncode == 1
    said = sentence(refused)
    assert "run `pointsman profile run alpha`" in said
    assert "run `pointsman profile run beta`" in said
    assert providers.hits("alpha") == []

    imported(site, measured("alpha"))
    answer = until_answered(site, "one", "alpha", within_s=10)
    decision = answer["decision"]
    assert (decision["figures"], decision["catalogue_version"]) == ("measured", 2)
    assert {found["provider"]: found["reason"] for found in decision["rejected"]}["beta"] == "not_profiled"

    worker.signal(signal.SIGKILL)
    site.start_worker()
    at_once = asked(site, "one")
    assert (at_once.returncode, json.loads(at_once.stdout)["provider"]) == (0, "alpha")
    assert json.loads(at_once.stdout)["decision"]["catalogue_version"] >= 2


def test_the_catalogue_goes_to_a_file_and_back_and_is_the_same(site: Site, tmp_path: Path) -> None:
    document = measured("alpha", "beta", "strict", "warned")
    imported(site, document)
    file = tmp_path / "exported.json"
    exported = site.cli("catalogue", "export", str(file))
    said = "exported: 4 profiles, 0 evaluations, 0 upgrades\n"
    assert (exported.returncode, exported.stdout, exported.stderr) == (0, said, "")
    text = file.read_text(encoding="utf-8")
    told = CatalogueDocument.model_validate_json(text)
    assert told.profiles == document.profiles
    assert site.cli("catalogue", "export").stdout == text
    assert site.cli("catalogue", "import", str(file)).returncode == 0
    assert site.cli("catalogue", "export").stdout == text
    table = site.cli("catalogue", "show").stdout
    assert "12 of 12" in table
    assert f"imported by {getpass.getuser()}: 4 profiles, 0 evaluations, 0 upgrades (from git)" in table


def test_what_cannot_be_imported_exported_or_accepted_is_refused_in_a_sentence(site: Site, tmp_path: Path) -> None:
    before = shown(site)["profiles"]
    wrong, late, full = tmp_path / "wrong.json", tmp_path / "late.json", tmp_path / "full.json"
    wrong.write_text("version = 1", encoding="utf-8")
    late.write_text(written(holding(profile(measured_at=datetime(2100, 1, 1, tzinfo=UTC)))), encoding="utf-8")
    full.write_text(written(measured(*(f"p{number}" for number in range(2500)))), encoding="utf-8")
    keys = tmp_path / "keys.json"
    keys.write_text('{"profils": {}, "served": {"x": {"provider": "x"}}}', encoding="utf-8")
    for words, status, said in (
        (("import", str(wrong)), 2, f"{wrong}: input: invalid JSON"),
        (("import", str(late)), 2, "its date 2100-01-01 lies in the future; correct it"),
        (("import", str(full)), 2, "profiles: 2500 entries of"),
        (("import", str(tmp_path / "none.json")), 2, "no such file; give what `pointsman catalogue export` wrote"),
        (("import", str(tmp_path)), 2, "cannot be read"),
        (("import", str(late), "--note", "x" * 501), 2, "note: "),
        (("export", str(wrong / "below.json")), 2, "below.json: cannot be written (File exists); give another FILE"),
        (("accept", "omega"), 1, "nothing that 'omega' serves has changed; see `pointsman catalogue show`"),
    ):
        ended = site.cli("catalogue", *words)
        assert said in sentence(ended), words
        assert ended.returncode == status, words
    both = site.cli("catalogue", "import", str(keys))
    assert both.returncode == 2
    assert "profils: unknown key; did you mean profiles?" in both.stderr
    assert "served.x.model: missing; it is required" in both.stderr
    assert shown(site)["profiles"] == before


def test_without_a_worker_or_a_server_it_says_so(unserved: Site) -> None:
    for words in (("show",), ("export",), ("accept", "alpha")):
        ended = unserved.cli("catalogue", *words)
        assert ended.returncode == 3
        assert "no worker has kept a catalogue here yet; start one" in sentence(ended)
        ended = unserved.cli("catalogue", *words, TEMPORAL_ADDRESS="127.0.0.1:1")
        assert ended.returncode == 3
        assert "no Temporal server reached at 127.0.0.1:1" in sentence(ended)


def test_a_vendor_that_begins_to_serve_another_model_is_noticed_and_out_where_the_owner_wants_it_so(
    site: Site, providers: ScriptedProviders
) -> None:
    imported(site, measured("alpha", "beta", "strict", "warned"))
    for name in ("strict", "warned"):
        providers.script(name, Reply("two", model=PINNED))
    before = until_answered(site, "two", "strict")
    assert {"model_changed", "model_differs"}.isdisjoint(before["tags"])
    until_served(site, "strict", PINNED)

    providers.script("strict", Reply("two", model=OTHER))
    changed = until_answered(site, "two", "strict")
    assert {"model_changed", "model_differs"} <= set(changed["tags"])
    event = until_told(site, "model_changed", f"strict/{MODEL}")
    assert event["detail"] == f"{PINNED} before, {OTHER} now"
    assert until_told(site, "model_differs", f"strict/{MODEL}")["detail"] == f"{OTHER} is served"
    assert "changed; not accepted yet" in site.cli("catalogue", "show").stdout

    instead = until_answered(site, "two", "warned")
    (out,) = (found for found in instead["decision"]["rejected"] if found["provider"] == "strict")
    assert out["reason"] == "model_changed"
    assert "run `pointsman catalogue accept strict`" in out["detail"]
    until_served(site, "warned", PINNED)

    accepted = site.cli("catalogue", "accept", "strict", "--note", "they told us")
    assert (accepted.returncode, accepted.stdout, accepted.stderr) == (0, "accepted: strict\n", "")
    again = until_answered(site, "two", "strict")
    assert "model_changed" not in again["tags"]
    last = shown(site)["events"][-1]
    assert (last["kind"], last["operator"], last["note"]) == ("model_accepted", getpass.getuser(), "they told us")


def until_served(site: Site, provider: str, model: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while (found := shown(site)["served"].get(f"{provider}/{MODEL}")) is None or found["served"] != model:
        assert time.monotonic() < give_up, found
        time.sleep(0.2)
