"""`pointsman upgrade`: a real fleet changes its model by evidence, through the death of its worker, and back."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.conftest import PATIENCE_S, Site, new_site, sentence
from workers.embedded.scripted.server import ScriptedProviders

NEW = "openai/gpt-5.2-2026-11-01"
_UPGRADE = "\n[upgrade]\nmin_shadows = 3\nmin_live = 3\nmax_latency_ratio = 50\n"


@pytest.fixture
def served(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A server of its own, and one worker."""
    with new_site(loop, providers, tmp_path_factory.mktemp("upgrade")) as site:
        site.config.write_text(site.config.read_text(encoding="utf-8") + _UPGRADE, encoding="utf-8")
        site.start_worker()
        yield site


def _told(site: Site) -> dict[str, Any]:
    ended = site.cli("upgrade", "status", "alpha", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    found: dict[str, Any] = json.loads(ended.stdout)["upgrades"][0]
    return found


def _until(site: Site, stage: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while _told(site)["stage"] != stage:
        assert time.monotonic() < give_up, _told(site)
        time.sleep(0.2)


def _asked(site: Site) -> dict[str, Any]:
    ended = site.cli("ask", "What is 1 + 1?", "--json")
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def _until_model(site: Site, model: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while _asked(site)["model_requested"] != model:
        assert time.monotonic() < give_up
        time.sleep(0.2)


def test_a_model_is_changed_step_by_step_and_back_at_once(served: Site) -> None:
    base = _asked(served)["model_requested"]
    begun = served.cli("upgrade", "start", "alpha", "--model", NEW, "--sample", "1", "--note", "newer")
    assert (begun.returncode, begun.stderr) == (0, "")
    _until(served, "shadowing")

    early = served.cli("upgrade", "promote", "alpha")
    assert early.returncode == 1
    assert "comparisons and 3 are wanted" in sentence(early)

    # Whatever is known stands in the catalogue: another process goes on with it.
    served.started[-1].signal(signal.SIGKILL)
    served.start_worker()
    give_up = time.monotonic() + PATIENCE_S
    while _told(served)["shadow_comparison"]["verdict"] != "better_or_equal":
        assert time.monotonic() < give_up, _told(served)
        assert _asked(served)["model_requested"] == base

    shown = served.cli("upgrade", "status")
    assert "it may be promoted" in shown.stdout
    promoted = served.cli("upgrade", "promote", "alpha", "--share", "100")
    assert promoted.stdout == f"alpha: {NEW} answers all questions\n"
    _until_model(served, NEW)

    ended = served.cli("upgrade", "rollback", "alpha", "--note", "enough")
    assert ended.stdout == f"alpha: {base} answers every further question\n"
    _until_model(served, base)
    steps = [(step["stage"], step["note"]) for step in _told(served)["steps"]]
    assert steps == [("evaluating", "newer"), ("shadowing", ""), ("promoted", ""), ("rolled_back", "enough")]
    assert served.cli("upgrade", "rollback", "alpha").returncode == 1


def test_what_cannot_be_is_refused_in_one_sentence(served: Site) -> None:
    refused = {
        ("start", "nobody", "--model", NEW): "'nobody' is no provider; known: alpha, beta, delta, gamma",
        ("start", "alpha", "--model", "anthropic/x-2026-11-01"): "give a model that begins with openai/",
        ("start", "alpha", "--model", "plain"): "model: ",
        ("start", "alpha", "--model", NEW, "--sample", "7"): "sample: ",
        ("status", "alpha"): "no upgrade of 'alpha' is on record",
        ("promote", "alpha", "--share", "101"): "--share is 101; give a percentage above 0, up to 100",
        (
            "start",
            "alpha",
            "--model",
            NEW,
            "--input-price",
            "-1",
            "--output-price",
            "1",
        ): "--input-price is -1; give USD",
    }
    for arguments, told in refused.items():
        ended = served.cli("upgrade", *arguments)
        assert (ended.returncode, ended.stdout) == (2, ""), arguments
        assert told in sentence(ended)
    for word in ("promote", "rollback"):
        ended = served.cli("upgrade", word, "alpha")
        assert ended.returncode == 1
        assert "begin one with `pointsman upgrade start`" in sentence(ended)
