"""A tenant's daily cap over a fleet: what one worker's calls have cost, another one's questions are refused for."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator

import pytest

from pointsman.cli.exits import Exit
from pointsman.contract import TENANT_CAP_REACHED
from tests.e2e.conftest import new_site, sentence
from tests.e2e.fleet import Fleet
from workers.embedded.scripted.script import Reply, Tokens
from workers.embedded.scripted.server import ScriptedProviders

# Each answer costs 0.0101 USD, and none can cost more than 0.0103.
ANSWER = Reply("4", usage=Tokens(input=100, output=1000))
CAP_USD = 0.045


@pytest.fixture
def fleet(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    with new_site(loop, providers, tmp_path_factory.mktemp("tenants")) as site:
        fleet = Fleet(site, providers)
        capped = {"tenants.blue": {"daily_cost_cap_usd": CAP_USD}}
        fleet.configure({"north": {}, "south": {}}, {"plain": {"chain": ["north", "south"]}}, **capped)
        yield fleet


def test_a_tenants_cap_holds_over_processes_and_restarts_and_is_shown(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    for name in ("north", "south"):
        providers.script(name, ANSWER)
    (first,) = fleet.start(1)
    asked = [fleet.ask("plain", tenant="blue", max_output_tokens=1000) for _ in range(6)]
    answered = [one for one in asked if one.answer is not None]
    # Each question knows what this process has spent, so that nothing of the cap is overshot.
    assert len(answered) == 4
    refused = asked[-1].failure
    assert refused is not None
    assert refused.failure_type == TENANT_CAP_REACHED
    assert str(refused).startswith(f"The tenant blue has spent $0.0404 of ${CAP_USD:g} for today")
    assert fleet.ask("plain", tenant="red").answer is not None

    # The fleet remembers, whoever asks next.
    fleet.until(lambda: [row for row in fleet.overview().tenants if row.spent_today_usd > 0.0403])
    assert first.signal(signal.SIGTERM) == 0
    fleet.start(1)
    again = fleet.ask("plain", tenant="blue", max_output_tokens=1000).failure
    assert again is not None
    assert again.failure_type == TENANT_CAP_REACHED
    assert len(fleet.questions("north")) == 5

    by_hand = ("ask", "What is 2 + 2?", "--task", "plain", "--max-output-tokens", "1000", "--tenant")
    ended = fleet.site.cli(*by_hand, "blue")
    assert ended.returncode == Exit.FAILED
    assert "The tenant blue has spent $0.0404" in sentence(ended)
    assert fleet.site.cli(*by_hand, "red").returncode == Exit.DONE

    told = fleet.site.cli("health")
    assert f"tenant blue: $0.0404 of ${CAP_USD:g} today" in told.stdout
    explained = fleet.site.cli("explain", asked[-1].id)
    assert "TenantCapReached: The tenant blue has spent" in explained.stdout
    assert "nobody may be asked (north: tenant_cost_cap" in explained.stdout
    report = json.loads(fleet.site.cli("costs", "--by", "tenant", "--json").stdout)
    assert {row["name"]: row["attempts"] for row in report["rows"]} == {"blue": 4, "red": 2}
