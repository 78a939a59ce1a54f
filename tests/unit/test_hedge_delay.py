"""How long a first provider is waited for, and that hedging on that figure stays at one question in twenty."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pointsman.hedge_delay import CallClass, HedgingSettings, LatencySamples, SampleKind, nearest_rank, tokens_bucket

CALL = CallClass("a", "vendor/a-2026-08-01", "analysis", 1)
OTHER = CallClass("b", "vendor/b-2026-08-01", "analysis", 1)
always = settings(derandomize=True, deadline=None)
latencies = st.floats(0, 1000, allow_nan=False)


def _samples(*latencies_s: float, call: CallClass = CALL, kind: SampleKind = "success") -> LatencySamples:
    samples = LatencySamples(HedgingSettings())
    for latency_s in latencies_s:
        samples.record(call, kind, latency_s, 0.0)
    return samples


def _delay(
    samples: LatencySamples, *, static: float | None = None, timeout_s: float = 1000.0, now: float = 0.0
) -> float | None:
    return samples.delay(CALL, now, attempt_timeout_s=timeout_s, static_delay_s=static)


def test_the_delay_is_the_nearest_rank_p95() -> None:
    assert _delay(_samples(*range(1, 101))) == 95
    assert _delay(_samples(*range(200, 0, -1))) == 190


@always
@given(st.lists(latencies, min_size=1, max_size=600), st.sampled_from([0.5, 0.55, 0.8, 0.95, 0.99]))
def test_a_nearest_rank_is_the_least_value_that_its_share_does_not_exceed(values: list[float], share: float) -> None:
    value = nearest_rank(sorted(values), share)
    assert sum(one <= value for one in values) >= share * len(values) - 1e-6
    assert sum(one < value for one in values) < share * len(values) + 1e-6


def test_below_twenty_samples_the_declared_figure_stands_in() -> None:
    assert _delay(_samples(*[1.0] * 19), static=6.0) == 6.0
    assert _delay(_samples(*[1.0] * 20), static=6.0) == 2.0


def test_without_a_declared_figure_all_providers_of_the_class_stand_in() -> None:
    samples = _samples(*[3.0] * 100, call=OTHER)
    samples.record(CALL, "success", 1.0, 0.0)
    assert _delay(samples) == 3.0
    assert _delay(_samples(*[3.0] * 100, call=OTHER._replace(query_type="code_task"))) is None
    assert _delay(_samples(*[3.0] * 100, call=OTHER._replace(tokens=2))) is None


def test_three_samples_of_a_millisecond_hedge_nothing() -> None:
    assert _delay(_samples(0.001, 0.001, 0.001)) is None
    assert _delay(LatencySamples(HedgingSettings())) is None


@always
@given(st.lists(latencies, max_size=19))
def test_fewer_than_twenty_samples_never_hedge_by_themselves(values: list[float]) -> None:
    assert _delay(_samples(*values)) is None


def test_below_a_hundred_samples_the_delay_is_at_least_twice_the_median() -> None:
    assert _delay(_samples(*[1.0] * 99)) == 2.0
    assert _delay(_samples(*[1.0] * 80, *[9.0] * 19)) == 9.0
    assert _delay(_samples(*[1.0] * 100)) == 1.0


@always
@given(st.lists(latencies, max_size=150), st.none() | latencies, st.floats(0.1, 600))
def test_a_delay_is_never_outside_its_clamp(values: list[float], static: float | None, timeout_s: float) -> None:
    delay = _delay(_samples(*values), static=static, timeout_s=timeout_s)
    if delay is None:
        assert len(values) < 20
        assert static is None
    else:
        assert 0.25 <= delay <= max(0.25, 0.5 * timeout_s)


def test_timeouts_and_losers_count_for_the_delay_and_not_for_the_median() -> None:
    samples = _samples(*[1.0] * 90)
    for _ in range(5):
        samples.record(CALL, "timeout", 30.0, 0.0)
        samples.record(CALL, "loser", 8.0, 0.0)
    assert _delay(samples) == 8.0
    assert samples.median(CALL, 0.0) == 1.0
    assert samples.count(CALL, 0.0) == 100


def test_a_median_of_too_few_calls_is_none() -> None:
    assert _samples(*[1.0] * 19).median(CALL, 0.0, at_least=20) is None
    assert _samples(*[1.0] * 20).median(CALL, 0.0, at_least=20) == 1.0
    assert _samples(1.0, kind="timeout").median(CALL, 0.0) is None
    assert _samples().median(CALL, 0.0) is None


def test_samples_are_forgotten_after_ten_minutes() -> None:
    samples = _samples(*[1.0] * 100)
    assert _delay(samples, now=600.0) == 1.0
    assert _delay(samples, now=600.1) is None
    assert samples.median(CALL, 600.1) is None


def test_a_clock_that_goes_back_ages_no_sample() -> None:
    samples = LatencySamples(HedgingSettings())
    samples.record(CALL, "success", 1.0, 100.0)
    samples.record(CALL, "success", 1.0, 90.0)
    assert samples.count(CALL, 695.0) == 2
    assert samples.count(CALL, 701.0) == 0


def test_only_the_last_512_count() -> None:
    samples = _samples(*[9.0] * 512, *[1.0] * 512)
    assert samples.count(CALL, 0.0) == 512
    assert _delay(samples) == 1.0


kinds = st.sampled_from(["success", "timeout", "loser"])
records = st.lists(st.tuples(kinds, st.floats(0, 100), st.sampled_from([0.0, 1.0, 60.0, 599.0, -10.0])), max_size=80)


@always
@given(records)
def test_the_sorted_samples_are_those_of_a_plain_list(recorded: list[tuple[SampleKind, float, float]]) -> None:
    samples = LatencySamples(HedgingSettings(samples=20))
    plain: list[tuple[float, SampleKind, float]] = []
    now = latest = 0.0
    for kind, latency_s, pause in recorded:
        samples.record(CALL, kind, latency_s, now)
        plain.append((latest, kind, latency_s))
        now += pause
        latest = max(latest, now)
        kept = [(k, value) for at, k, value in plain[-20:] if latest - at <= 600]
        successes = sorted(value for k, value in kept if k == "success")
        assert samples.count(CALL, now) == len(kept)
        assert samples.median(CALL, now) == (nearest_rank(successes, 0.5) if successes else None)
        if len(kept) == 20:
            values = sorted(value for _, value in kept)
            expected = max(nearest_rank(values, 0.95), 2 * nearest_rank(values, 0.5))
            assert _delay(samples, now=now) == max(0.25, expected)


def test_calls_are_grouped_by_how_much_they_may_write() -> None:
    assert [tokens_bucket(tokens) for tokens in (1, 256, 257, 1024, 4096, 4097, 64_000)] == [0, 0, 1, 1, 2, 3, 3]


def _hedge_rate(seed: int, *, record_losers: bool) -> float:
    """Share of questions hedged, of 6,000 at 10 a second over two like providers, after 1,000 to warm up.

    A call takes 2 s, log-normal with sigma 0.45; 4 % of calls take 5 to 12 times as long, independently.
    """
    chance = random.Random(seed)
    samples = LatencySamples(HedgingSettings())
    hedged = 0

    def call_s() -> float:
        usual = 2 * chance.lognormvariate(0, 0.45)
        return usual * chance.uniform(5, 12) if chance.random() < 0.04 else usual

    for number in range(7000):
        now = number / 10
        first, second = (CALL, OTHER) if number % 2 else (OTHER, CALL)
        delay = samples.delay(first, now, attempt_timeout_s=120, static_delay_s=6.0)
        assert delay is not None
        first_s = call_s()
        if first_s <= delay:
            samples.record(first, "success", first_s, now)
            continue
        hedged += number >= 1000
        second_s = call_s()
        end_s = min(first_s, delay + second_s)
        winner, loser = (first, second) if first_s == end_s else (second, first)
        samples.record(winner, "success", end_s if winner == first else second_s, now)
        if record_losers:
            samples.record(loser, "loser", end_s if loser == first else end_s - delay, now)
    return hedged / 6000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_question_in_twenty_is_hedged_and_more_without_the_losers(seed: int) -> None:
    with_losers = _hedge_rate(seed, record_losers=True)
    assert 0.04 <= with_losers <= 0.06
    assert _hedge_rate(seed, record_losers=False) > 1.3 * with_losers


@pytest.mark.parametrize("table", [{"quantile": 1}, {"max_hedges": 2}, {"samples": 5}, {"delay": 1}])
def test_settings_that_make_no_sense_are_refused(table: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        HedgingSettings.model_validate(table)
