"""Figures grow old while time passes: warned of at 75 days, retired at 90, with the reason in every decision.

In a module of its own: time that has passed on its server would make the figures of every other test old.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from activities.process_catalogue import ProcessCatalogue
from pointsman import QuestionFailed
from pointsman.configuration import Configuration
from pointsman.contract import ALL_PROVIDERS_UNAVAILABLE
from tests.catalogues import profile, view
from tests.workflows.conftest import PROVIDERS, Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _serve(pointsman: Pointsman, *measured: str, **changes: Any) -> datetime:
    """Serve with these providers measured a moment ago, by the server's clock, and the others three weeks later."""
    now = await pointsman.env.get_current_time()
    settings: Configuration = configuration(catalogue={"admission": "measured"}, **changes)
    later = now + timedelta(days=21)
    profiles = [profile(name, measured_at=now if name in measured else later) for name in PROVIDERS]
    catalogue = ProcessCatalogue(settings)
    read = view(*profiles, version=5).snapshot
    assert read is not None
    catalogue.accept(read)
    await pointsman.serve(settings, catalogue=catalogue)
    return now


async def _days_pass(pointsman: Pointsman, until: datetime) -> None:
    await pointsman.env.sleep(until - await pointsman.env.get_current_time())


async def test_a_profile_is_warned_of_at_75_days_and_its_provider_is_out_at_90(pointsman: Pointsman) -> None:
    measured_at = await _serve(pointsman, "alpha")
    fresh = await pointsman.ask()
    assert (fresh.provider, fresh.decision.warnings) == ("alpha", ())
    assert (fresh.decision.figures, fresh.decision.catalogue_version) == ("measured", 5)

    await _days_pass(pointsman, measured_at + timedelta(days=75, minutes=1))
    warned = await pointsman.ask()
    assert warned.provider == "alpha"
    assert warned.decision.warnings == (
        "alpha: its profile is 75 days old, and it is retired at 90; run `pointsman profile run alpha`",
    )

    await _days_pass(pointsman, measured_at + timedelta(days=90, minutes=1))
    without = await pointsman.ask()
    assert without.provider == "beta"
    (out,) = (found for found in without.decision.rejected if found.provider == "alpha")
    assert (out.reason, out.detail) == (
        "retired",
        "its profile is 90 days old; run `pointsman profile run alpha`",
    )
    assert without.decision.warnings == ()


async def test_when_all_figures_are_old_the_question_fails_with_each_reason(pointsman: Pointsman) -> None:
    measured_at = await _serve(pointsman, *PROVIDERS)
    await _days_pass(pointsman, measured_at + timedelta(days=90, minutes=1))
    with pytest.raises(QuestionFailed) as failed:
        await pointsman.ask()
    assert failed.value.failure_type != ALL_PROVIDERS_UNAVAILABLE, "waiting would not help"
    assert {found.provider: found.reason for found in failed.value.rejected} == dict.fromkeys(PROVIDERS, "retired")
    assert "run `pointsman profile run alpha`" in str(failed.value)


async def test_declared_figures_grow_old_alike(pointsman: Pointsman) -> None:
    today = (await pointsman.env.get_current_time()).astimezone(UTC)
    declared = {name: {"declared_at": today.date().isoformat()} for name in PROVIDERS[:1]}
    await pointsman.serve(configuration(catalogue={"admission": "declared"}, providers=declared))
    await _days_pass(pointsman, today + timedelta(days=76))
    warned = await pointsman.ask()
    assert (warned.provider, warned.decision.figures) == ("alpha", "declared")
    (warning,) = warned.decision.warnings
    assert "check them and renew providers.alpha.declared_at" in warning
    await _days_pass(pointsman, today + timedelta(days=91))
    without = await pointsman.ask()
    assert without.provider == "beta"
    assert {found.provider: found.reason for found in without.decision.rejected}["alpha"] == "retired"
