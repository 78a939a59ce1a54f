"""Whose money a question draws on, and how that is said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from pointsman.checks import faults, warnings
from pointsman.cli.health_table import tenant_words
from pointsman.configuration import Configuration
from pointsman.failure import failure
from pointsman.health.overview import TenantOverview, overview
from pointsman.health.policy import HealthPolicy
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.spend import Spend, day_of
from pointsman.health.state import HealthState
from pointsman.messages import Question
from pointsman.progress import Progress
from pointsman.purse import Purse
from pointsman.sentences import sentences
from pointsman.tenants import TENANTS_MAX, TenantCap, account_of
from tests.builders import configuration, decision, document, provider_table

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
BLUE = {"blue": {"daily_cost_cap_usd": 5.0}}
CAP = TenantCap.of("blue", 5.0, 4.999, MIDNIGHT, pays_later=True)
SENTENCE = (
    "The tenant blue has spent $4.9990 of $5 for today, and what is left does not pay for this question. "
    "The cap begins anew at 2026-12-01 00:00 UTC"
)


@pytest.mark.parametrize(
    ("tenant", "caps", "account"),
    [
        ("blue", {"blue"}, "blue"),
        ("red", {"blue"}, None),
        (None, {"blue"}, None),
        ("red", {"blue", "*"}, "*"),
        (None, {"*"}, "*"),
        ("*", {"*"}, "*"),
    ],
)
def test_a_question_draws_on_its_tenants_account_else_on_that_of_all_others(
    tenant: str | None, caps: set[str], account: str | None
) -> None:
    assert account_of(tenant, caps) == account


def test_a_cap_says_which_it_is_what_is_spent_and_when_it_begins_anew() -> None:
    assert CAP.sentence == SENTENCE
    others = SENTENCE.replace("The tenant blue has", "All without a cap of their own have")
    assert TenantCap.of("*", 5.0, 4.999, MIDNIGHT, pays_later=True).sentence == others


@pytest.mark.parametrize(
    ("account", "whose", "table"),
    [
        ("blue", "of the tenant blue", "[tenants.blue]"),
        ("*", "without a cap of their own", '[tenants."*"]'),
    ],
)
def test_a_cap_that_no_day_would_pay_by_promises_none_and_says_what_to_change(
    account: str, whose: str, table: str
) -> None:
    assert TenantCap.of(account, 0.001, 0.0, MIDNIGHT, pays_later=False).sentence == (
        f"One question {whose} may cost more than a worker may spend of $0.001 in a whole day; lower its "
        f"max_output_tokens, or raise daily_cost_cap_usd of {table}"
    )


def test_a_question_that_its_tenants_cap_does_not_pay_for_fails_as_that() -> None:
    capped = decision().model_copy(update={"candidates": (), "tenant_cap": CAP})
    kind, message, _ = failure(Progress(Question(prompt="hello")), capped, late=False)
    assert (kind, message) == ("TenantCapReached", SENTENCE)


def test_a_cap_that_bars_one_provider_alone_does_not_name_the_failure() -> None:
    told = decision().model_copy(update={"tenant_cap": CAP})
    assert failure(Progress(Question(prompt="hello")), told, late=False)[0] == "AllProvidersUnavailable"


@pytest.mark.parametrize(
    ("tenants", "sentence"),
    [
        ({"blue": {}}, "tenants.blue.daily_cost_cap_usd: missing; it is required"),
        ({"blue": {"daily_cost_cap_usd": -1}}, "tenants.blue.daily_cost_cap_usd: input should be greater than"),
        ({"blue": {"cap": 1}}, "tenants.blue.cap: unknown key"),
        ({"blue": 5}, "tenants.blue: is a table"),
        (
            {str(n): {"daily_cost_cap_usd": 1} for n in range(TENANTS_MAX + 1)},
            "tenants: dictionary should have at most",
        ),
    ],
)
def test_a_table_that_cannot_hold_is_refused(tenants: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Configuration.model_validate(document(tenants=tenants))
    assert any(told.startswith(sentence) for told in sentences(refused.value, Configuration, toml=True))


def test_a_name_that_no_question_can_have_is_refused() -> None:
    assert faults(configuration(tenants={"a" * 65: {"daily_cost_cap_usd": 1}})) == [
        f"tenants.{'a' * 64}: a tenant's name has 1 to 64 bytes; rename it"
    ]
    assert faults(configuration(tenants=BLUE)) == []


def test_what_no_cap_can_hold_is_warned_about() -> None:
    free = {"alpha": provider_table(price=None), "beta": provider_table()}
    told = warnings(configuration(free, tenants={"blue": {"daily_cost_cap_usd": 0}}), datetime.now(UTC).date())
    assert any(line.startswith("tenants: what alpha costs is unknown without a price") for line in told)
    assert "tenants.blue.daily_cost_cap_usd: 0 admits no call that costs anything; raise or remove it" in told


def test_a_purse_tells_what_was_spent_today() -> None:
    purse = Purse({"blue": 5.0})
    purse.tell({"blue": 1_000_000}, day_of(NOON), processes=1, acked_seq=0)
    money = purse.reserve("blue", 2.0, NOON)
    assert money is not None
    assert purse.spent_usd("blue", NOON) == 1.0
    purse.settle(money, 0.5, seq=1)
    assert (purse.spent_usd("blue", NOON), purse.spent_usd("blue", MIDNIGHT)) == (1.5, 0.0)


def test_whole_micro_usd_of_a_tenant_are_reported_and_the_rest_is_kept() -> None:
    builder = ReportBuilder("w")
    builder.tenant_spent("blue", "2026-11-30", 0.0000004)
    assert builder.empty
    assert builder.take().tenants == ()
    builder.tenant_spent("blue", "2026-11-30", 0.0000007)
    assert not builder.empty
    assert [(told.tenant, told.micro_usd) for told in builder.take().tenants] == [("blue", 1)]


def test_an_overview_shows_tenants_with_a_cap_and_what_they_spent() -> None:
    spend = {"blue": Spend(day=day_of(NOON), calls=4_999_000), "red": Spend(day=day_of(NOON), calls=6_000_000)}
    state = HealthState(epoch=1, now=NOON, tenant_spend=spend, tenant_capped={"red": MIDNIGHT})
    state = state.model_copy(update={"policy": HealthPolicy(tenants={"blue": 5.0, "red": 5.0})})
    found = overview(state).tenants
    assert [tenant_words(tenant, NOON) for tenant in found] == [
        "tenant red: $6.0000 of $5 today, used up, 12 h 0 min left",
        "tenant blue: $4.9990 of $5 today",
    ]
    steering = TenantOverview(tenant="\x1b[2J\nx", spent_today_usd=1.0)
    assert tenant_words(steering, NOON) == "tenant \\x1b[2J\\x0ax: $1.0000 today"


def test_a_state_from_before_there_were_tenants_is_read() -> None:
    old = HealthState(epoch=1, now=NOON).model_dump(mode="json")
    for name in ("tenant_spend", "tenant_capped"):
        del old[name]
    del old["policy"]["tenants"]
    assert HealthState.model_validate(old) == HealthState(epoch=1, now=NOON)
