"""Cooldowns counted in router calls, and the ensemble document's router driven by detector and cooldowns together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.call_cooldowns import CallCooldowns, order
from pointsman.throttling import Detector, Sample, ThrottlingSettings

always = settings(derandomize=True, deadline=None)
TEXT = "- API rate limit is 250 requests per second per project since release 2.4"

Provider = Callable[[], tuple[str, float]]
"""What it answers and how many seconds that took."""


def _mock(latency_s: float, *, degrade_after: int | None = None, fail_after: int | None = None) -> Provider:
    """The document's MockProvider, whose degraded answers are cut, never refused."""
    calls = 0

    def complete() -> tuple[str, float]:
        nonlocal calls
        calls += 1
        if fail_after is not None and calls > fail_after:
            raise RuntimeError
        if degrade_after is not None and calls > degrade_after:
            return TEXT[: len(TEXT) // 5], 6 * latency_s
        return TEXT, latency_s

    return complete


@dataclass
class _Router:
    """The document's router in as few lines as possible."""

    providers: dict[str, Provider]
    settings: ThrottlingSettings = field(default_factory=ThrottlingSettings)
    cooldowns: CallCooldowns = field(default_factory=CallCooldowns)
    events: list[list[str]] = field(default_factory=list[list[str]])
    calls: int = 0

    def __post_init__(self) -> None:
        self.detector = Detector(self.settings)

    def call(self) -> tuple[str, ...]:
        """Who was asked, the one who answered last."""
        self.calls += 1
        asked: list[str] = []
        for provider in order(list(self.providers), self.cooldowns.begin(str(self.calls))):
            asked.append(provider)
            try:
                text, latency_s = self.providers[provider]()
            except RuntimeError as error:
                self.events.append([f"error: {type(error).__name__}"])
                self.cooldowns.cool(provider, self.settings.failure_cooldown_calls)
                continue
            sample = Sample(
                provider=provider, query_type="x", latency_s=latency_s, output_tokens=len(text.split()), text=text
            )
            verdict = self.detector.judge(sample, 0.0, count_refusals=True)
            if not verdict.cool:
                break
            self.events.append(list(verdict.reasons))
            self.cooldowns.cool(provider, self.settings.cooldown_calls)
        return tuple(asked)


def test_the_printed_example_of_the_ensemble_document() -> None:
    router = _Router(
        {"provider-a": _mock(0.0, fail_after=0), "provider-b": _mock(0.0)}, ThrottlingSettings(failure_cooldown_calls=3)
    )
    printed = [(router.call()[-1], router.cooldowns.left) for _ in range(5)]
    assert printed == [
        ("provider-b", {"provider-a": 3}),
        ("provider-b", {"provider-a": 2}),
        ("provider-b", {"provider-a": 1}),
        ("provider-b", {}),
        ("provider-b", {"provider-a": 3}),
    ]
    assert router.events == [["error: RuntimeError"], ["error: RuntimeError"]]


def test_by_default_a_failure_is_the_breakers_affair() -> None:
    router = _Router({"a": _mock(0.0, fail_after=0), "b": _mock(0.0)})
    assert [router.call() for _ in range(3)] == [("a", "b")] * 3
    assert router.cooldowns.left == {}


def test_a_flagged_provider_is_skipped_on_three_calls_and_tried_on_the_fifth() -> None:
    router = _Router({"a": _mock(0.01, degrade_after=2), "b": _mock(0.01)})
    assert [router.call() for _ in range(2)] == [("a",)] * 2
    asked, left = [], []
    for _ in range(5):
        asked.append(router.call())
        left.append(router.cooldowns.left.get("a", 0))
    assert asked == [("a", "b"), ("b",), ("b",), ("b",), ("a", "b")]
    assert left == [3, 2, 1, 0, 3]
    assert router.events == [["latency 0.06s vs median 0.01s", "length 4 vs median 14"]] * 2


def test_all_cooling_are_tried_anyway_the_least_degraded_first() -> None:
    cooldowns = CallCooldowns()
    cooldowns.cool("a", 3)
    cooldowns.begin("1")
    cooldowns.cool("b", 3)
    assert cooldowns.left == {"a": 2, "b": 3}
    assert order(["b", "a"], cooldowns.begin("2")) == ("a", "b")
    assert order(["b", "a", "c"], cooldowns.begin("3")) == ("c", "a", "b")


def test_every_candidate_flagged_is_every_candidate_asked() -> None:
    router = _Router({"a": _mock(0.01, degrade_after=2), "b": _mock(0.01, degrade_after=0)})
    router.call()
    router.call()
    assert router.call() == ("a", "b")
    assert router.cooldowns.left == {"a": 3, "b": 3}


def test_a_question_counts_once_however_often_it_is_planned() -> None:
    cooldowns = CallCooldowns()
    cooldowns.cool("a", 3)
    assert [cooldowns.begin("1") for _ in range(3)] == [{"a": 3}, {"a": 2}, {"a": 2}]
    assert cooldowns.left == {"a": 2}


def test_a_shorter_cooldown_shortens_none() -> None:
    cooldowns = CallCooldowns()
    cooldowns.cool("a", 3)
    cooldowns.cool("a", 1)
    cooldowns.cool("b", 0)
    assert cooldowns.left == {"a": 3}


def test_what_is_remembered_of_questions_is_bounded() -> None:
    cooldowns = CallCooldowns()
    for number in range(10_001):
        cooldowns.begin(str(number))
    cooldowns.cool("a", 3)
    cooldowns.begin("1")
    assert cooldowns.left == {"a": 3}
    cooldowns.begin("0")
    assert cooldowns.left == {"a": 2}


@always
@given(st.permutations(["a", "b", "c", "d"]), st.dictionaries(st.sampled_from("abcdz"), st.integers(1, 5)))
def test_an_order_loses_nobody_and_keeps_the_written_one_among_equals(chain: list[str], left: dict[str, int]) -> None:
    ordered = order(chain, left)
    assert [(left.get(one, 0), chain.index(one)) for one in ordered] == sorted(
        (left.get(one, 0), chain.index(one)) for one in chain
    )


@always
@given(st.integers(1, 20))
def test_a_provider_is_skipped_for_exactly_as_many_calls_as_asked(calls: int) -> None:
    cooldowns = CallCooldowns()
    cooldowns.cool("a", calls)
    skipped = ["a" in cooldowns.begin(str(number)) for number in range(calls + 3)]
    assert skipped == [True] * calls + [False] * 3
