"""How health and live figures change where a question goes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.hedge_delay import CallClass, tokens_bucket
from pointsman.messages import Question
from pointsman.query_types import QueryType
from pointsman.routing import decide
from pointsman.standing import NOTHING_MEASURED, WELL, Live, Standing
from tests.builders import configuration, provider_table

THREE = configuration({name: provider_table() for name in ("a", "b", "c")})


@dataclass
class Known:
    """Health as a test tells it."""

    standings: dict[str, Standing] = field(default_factory=dict[str, Standing])
    figures: dict[str, Live] = field(default_factory=dict[str, Live])

    def standing(self, provider: str, _model: str, _most_usd: float, /) -> Standing:
        return self.standings.get(provider, WELL)

    def live(self, provider: str, _query_type: QueryType, /) -> Live:
        return self.figures.get(provider, NOTHING_MEASURED)

    def hedge_delay_s(self, call: CallClass, /, *, static_s: float, timeout_s: float) -> float | None:
        assert (call.tokens, static_s, timeout_s) == (tokens_bucket(1024), 1.0, 25.0)
        return {"a": 1.0, "b": 2.0}.get(call.provider)


def _decided(known: Known, settings: Configuration = THREE) -> Decision:
    return decide(Question(prompt="hello"), of_type(QueryType.ANALYSIS, 0.7), settings, Circumstances(health=known))


def _order(known: Known, settings: Configuration = THREE) -> list[str]:
    return [candidate.provider for candidate in _decided(known, settings).candidates]


def test_the_well_come_first_then_the_ramping_then_the_cooling() -> None:
    known = Known({"a": Standing(cooling="throttle", recovers_in_s=5), "b": Standing(ramping=True)})
    assert _order(known) == ["c", "b", "a"]


def test_of_the_cooling_those_that_count_calls_come_before_those_that_count_seconds() -> None:
    known = Known(
        {
            "a": Standing(cooling="overdue", recovers_in_s=0.5),
            "b": Standing(cooling="flagged", calls_left=3),
            "c": Standing(cooling="flagged", calls_left=1),
        }
    )
    assert _order(known) == ["c", "b", "a"]


def test_whoever_is_barred_is_rejected_with_the_reason_and_when_he_may_be_back() -> None:
    decided = _decided(Known({"a": Standing(barred="breaker_open", recovers_in_s=42.4)}))
    (rejected,) = decided.rejected
    assert (rejected.provider, rejected.reason, rejected.recovers_in_s) == ("a", "breaker_open", 42.4)
    assert rejected.detail == "back in 42 s at the earliest"
    assert [candidate.provider for candidate in decided.candidates] == ["b", "c"]


@pytest.mark.parametrize(
    ("barred", "recovers_in_s", "words"),
    [
        ("half_open", 0.0, "back once probes succeed"),
        ("breaker_open", 0.3, "back in 1 s at the earliest"),
        ("quota", 0.2, "back in 1 s at the earliest"),
        ("forced_open", None, ""),
    ],
)
def test_nobody_is_said_to_be_back_in_0_s(barred: str, recovers_in_s: float | None, words: str) -> None:
    (rejected,) = _decided(Known({"a": Standing(barred=barred, recovers_in_s=recovers_in_s)})).rejected
    assert rejected.detail == words


def test_the_reason_of_the_first_names_whom_health_has_passed_over() -> None:
    reasons = {
        "breaker_open:a": Standing(barred="half_open"),
        "cooldown:a": Standing(barred="quota"),
        "throttled:a": Standing(cooling="flagged", calls_left=2),
        "primary": WELL,
    }
    assert {reason: _decided(Known({"a": found})).reason for reason, found in reasons.items()} == {
        reason: reason for reason in reasons
    }
    assert _decided(Known({"a": Standing(cooling="throttle", recovers_in_s=1)})).reason == "cooldown:a"
    assert _decided(Known({"b": Standing(barred="breaker_open")})).reason == "primary"


@given(
    st.dictionaries(
        st.sampled_from("abc"),
        st.builds(
            Standing,
            barred=st.none() | st.just("breaker_open"),
            ramping=st.booleans(),
            cooling=st.none() | st.sampled_from(["throttle", "flagged"]),
            calls_left=st.integers(0, 3),
            recovers_in_s=st.none() | st.floats(0, 100),
        ),
    )
)
def test_nobody_is_lost_and_cooldowns_alone_refuse_nobody(standings: dict[str, Standing]) -> None:
    decided = _decided(Known(standings))
    admitted = {candidate.provider for candidate in decided.candidates}
    barred = {name for name, found in standings.items() if found.barred is not None}
    assert admitted == {"a", "b", "c"} - barred
    assert {rejection.provider for rejection in decided.rejected} == barred
    assert all(candidate.standing == standings.get(candidate.provider, WELL) for candidate in decided.candidates)


def test_f22_a_provider_that_fails_half_of_its_calls_quickly_does_not_lead() -> None:
    settings = configuration({"fast": provider_table(), "steady": provider_table()})
    known = Known(figures={"fast": Live(p50_ms=5, error_rate=0.5), "steady": Live(p50_ms=400, error_rate=0.0)})
    assert _order(known, settings) == ["steady", "fast"]


def test_measured_latency_and_length_stand_in_for_the_declared_ones() -> None:
    known = Known(figures={"a": Live(p50_ms=2500, output_tokens=900), "b": Live(p50_ms=50)})
    decided = _decided(known)
    found = {candidate.provider: candidate for candidate in decided.candidates}
    assert [candidate.provider for candidate in decided.candidates] == ["b", "c", "a"]
    assert (found["a"].terms.latency_ms, found["a"].terms.measured, found["c"].terms.measured) == (2500, True, False)
    assert (found["a"].expected_output_tokens, found["c"].expected_output_tokens) == (900, 450)


def test_a_provider_that_has_become_too_slow_is_out() -> None:
    (rejected,) = _decided(Known(figures={"a": Live(p50_ms=6000)})).rejected
    assert (rejected.provider, rejected.reason) == ("a", "over_latency")


def test_only_a_route_that_hedges_has_delays() -> None:
    assert [candidate.hedge_delay_s for candidate in _decided(Known()).candidates] == [None] * 3
    hedged = configuration(
        {name: provider_table() for name in ("a", "b", "c")},
        query_types={query_type: {"chain": ["a", "b", "c"], "hedge": True} for query_type in QueryType},
    )
    decided = _decided(Known(), hedged)
    assert decided.hedge
    assert [candidate.hedge_delay_s for candidate in decided.candidates] == [1.0, 2.0, None]
