"""When a response counts as worse than usual: the ensemble document's detector, and its harder variant."""

from __future__ import annotations

from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pointsman.throttling import Detector, Sample, ThrottlingSettings, Verdict, density

NORMAL = (
    "The API rate limit is 250 requests per second per project since release 2.4, with bursts up to 500 for 10 seconds."
)
always = settings(derandomize=True, deadline=None)


def _sample(
    text: str = NORMAL,
    latency_s: float = 0.8,
    *,
    provider: str = "a",
    tokens: int | None = None,
    query_type: str = "simple_factual",
    refused: bool = False,
) -> Sample:
    return Sample(
        provider=provider,
        query_type=query_type,
        latency_s=latency_s,
        output_tokens=len(text.split()) if tokens is None else tokens,
        text=text,
        refused=refused,
    )


def _judge(detector: Detector, *samples: Sample, now: float = 0.0) -> list[Verdict]:
    return [detector.judge(sample, now, count_refusals=True) for sample in samples]


def _signals(verdict: Verdict) -> list[str]:
    return [flag.signal for flag in verdict.flags]


def _evidence(*samples: Sample) -> Detector:
    detector = Detector(ThrottlingSettings(action="evidence"))
    _judge(detector, *samples)
    return detector


def test_the_printed_example_of_the_ensemble_document() -> None:
    verdicts = _judge(
        Detector(ThrottlingSettings()),
        *[_sample()] * 3,
        _sample(latency_s=3.0),
        _sample("Rate limit: 250."),
        _sample("limit " * 20),
        _sample("I am unable to help with this request.", refused=True),
        _sample(latency_s=0.9),
    )
    assert [verdict.reasons for verdict in verdicts] == [
        (),
        (),
        (),
        ("latency 3.00s vs median 0.80s",),
        ("length 3 vs median 22",),
        ("density 0.05 vs median 0.96",),
        ("refusal", "length 8 vs median 22"),
        (),
    ]
    assert [verdict.cool for verdict in verdicts] == [bool(verdict.flags) for verdict in verdicts]
    assert density(NORMAL) == 22 / 23


def test_the_printed_run_of_the_ensemble_document_flags_the_second_answer_of_a_provider() -> None:
    verdicts = _judge(
        Detector(ThrottlingSettings()),
        _sample(latency_s=0.01, tokens=155),
        _sample(latency_s=0.01, tokens=183, provider="b"),
        _sample(latency_s=0.06, tokens=36),
    )
    assert verdicts[2].reasons == ("latency 0.06s vs median 0.01s", "length 36 vs median 169")


def test_every_comparison_is_strict() -> None:
    detector = Detector(ThrottlingSettings())
    words = " ".join(str(number) for number in range(20))
    _judge(detector, *[_sample(words, 1.0)] * 6)
    thirteen_of_twenty = " ".join(str(number % 13) for number in range(20))
    at, beyond = _judge(
        detector,
        _sample(thirteen_of_twenty, 3.0, tokens=8),
        _sample(thirteen_of_twenty.replace("12", "0"), 3.001, tokens=7),
    )
    assert density(thirteen_of_twenty) == 0.65
    assert _signals(at) == []
    assert _signals(beyond) == ["latency", "length", "density"]


def test_a_refusal_is_flagged_only_where_the_route_goes_on_after_one_and_is_never_learnt_from() -> None:
    detector = Detector(ThrottlingSettings())
    refusal = _sample("I am unable to help.", 0.01, refused=True)
    assert [detector.judge(refusal, 0.0, count_refusals=False) for _ in range(6)] == [Verdict()] * 6
    assert _signals(_judge(detector, _sample())[0]) == []
    assert _signals(detector.judge(refusal, 0.0, count_refusals=False)) == []
    assert _signals(_judge(detector, refusal)[0]) == ["refusal", "length"]


def test_without_any_response_to_compare_with_only_a_refusal_is_flagged() -> None:
    slow, refused = _judge(Detector(ThrottlingSettings()), _sample("x", 99.0), _sample(query_type="b", refused=True))
    assert _signals(slow) == []
    assert _signals(refused) == ["refusal"]


def test_one_response_of_another_provider_is_baseline_enough() -> None:
    _, verdict = _judge(Detector(ThrottlingSettings()), _sample(), _sample("Short.", provider="b"))
    assert _signals(verdict) == ["length"]


def test_a_provider_with_two_responses_is_compared_with_itself() -> None:
    detector = Detector(ThrottlingSettings())
    _judge(detector, *[_sample(latency_s=2.0)] * 2, *[_sample(latency_s=1.0, provider="b")] * 6)
    assert _signals(_judge(detector, _sample(latency_s=5.0))[0]) == []
    assert _signals(_judge(detector, _sample(latency_s=5.0, provider="b"))[0]) == ["latency"]


@pytest.mark.parametrize(("class_by", "expected"), [("query_type", []), ("none", ["length"])])
def test_kinds_of_question_are_compared_apart_unless_told_otherwise(class_by: str, expected: list[str]) -> None:
    detector = Detector(ThrottlingSettings.model_validate({"class_by": class_by}))
    _judge(detector, *[_sample(tokens=700, query_type="creative_generation")] * 3)
    assert _signals(_judge(detector, _sample(tokens=80))[0]) == expected


def test_only_the_last_six_count() -> None:
    detector = Detector(ThrottlingSettings())
    _judge(detector, *[_sample(latency_s=1.0)] * 6, *[_sample(latency_s=2.9)] * 4)
    assert _signals(_judge(detector, _sample(latency_s=8.0))[0]) == []


def test_what_is_unknown_is_not_compared() -> None:
    detector = Detector(ThrottlingSettings())
    _judge(detector, *[_sample()] * 3)
    unknown = _sample("").model_copy(update={"output_tokens": None})
    assert _signals(_judge(detector, unknown)[0]) == []
    assert density("... !") is None


def test_under_each_a_lasting_change_stays_flagged() -> None:
    verdicts = _judge(Detector(ThrottlingSettings()), *[_sample()] * 3, *[_sample(latency_s=4.0)] * 40)
    assert all(verdict.cool and not verdict.rebased for verdict in verdicts[3:])


def test_under_each_six_agreeing_responses_give_a_provider_that_had_only_the_others_a_baseline_of_its_own() -> None:
    detector = Detector(ThrottlingSettings())
    _judge(detector, *[_sample(provider="fast")] * 6)
    verdicts = _judge(detector, *[_sample(latency_s=2.4), *[_sample(latency_s=3.1)] * 7, _sample(latency_s=9.5)])
    assert [_signals(verdict) for verdict in verdicts] == [[], *[["latency"]] * 6, [], ["latency"]]
    assert [verdict.cool for verdict in verdicts] == [False, *[True] * 5, False, False, True]
    assert [verdict.rebased for verdict in verdicts].index(True) == 6
    # The others are as they were.
    assert _signals(_judge(detector, _sample(latency_s=3.0, provider="fast"))[0]) == ["latency"]


@pytest.mark.parametrize(
    "spoiled",
    [
        pytest.param(_sample(latency_s=40.0), id="one that does not agree"),
        pytest.param(_sample(latency_s=0.9), id="a usual one"),
    ],
)
def test_under_each_responses_that_do_not_agree_found_no_baseline(spoiled: Sample) -> None:
    detector = Detector(ThrottlingSettings())
    _judge(detector, *[_sample(provider="fast")] * 6)
    verdicts = _judge(detector, *[_sample(latency_s=4.0)] * 5, spoiled, *[_sample(latency_s=4.0)] * 5)
    assert not any(verdict.rebased for verdict in verdicts)


def test_under_each_refusals_found_no_baseline() -> None:
    detector = Detector(ThrottlingSettings())
    _judge(detector, *[_sample(provider="fast")] * 6)
    refusal = _sample("I am unable to help with this request.", 0.1, refused=True)
    assert all(verdict.cool and not verdict.rebased for verdict in _judge(detector, *[refusal] * 30))


def test_under_each_a_window_of_any_size_is_filled_before_it_counts() -> None:
    detector = Detector(ThrottlingSettings(window=20))
    _judge(detector, *[_sample(provider="fast")] * 6)
    verdicts = _judge(detector, *[_sample(latency_s=9.0)] * 21)
    assert [verdict.rebased for verdict in verdicts].index(True) == 19
    assert not verdicts[20].flags


def test_with_evidence_three_flags_in_six_cool_a_provider_down() -> None:
    detector = _evidence(*[_sample()] * 6)
    slow, usual = _sample(latency_s=4.0), _sample()
    verdicts = _judge(detector, slow, usual, slow, usual, usual, slow, slow, slow)
    assert [verdict.cool for verdict in verdicts] == [False] * 5 + [True] * 3
    assert all(verdict.flags for verdict in (verdicts[0], verdicts[2], verdicts[5]))


def test_with_evidence_two_flags_in_six_never_do() -> None:
    detector = _evidence(*[_sample()] * 6)
    verdicts = _judge(detector, *[_sample(latency_s=4.0), _sample(), _sample()] * 10)
    assert not any(verdict.cool for verdict in verdicts)


def test_with_evidence_twelve_agreeing_responses_become_the_baseline() -> None:
    detector = _evidence(*[_sample()] * 6)
    verdicts = _judge(detector, *[_sample(latency_s=3.1)] * 13)
    assert [verdict.rebased for verdict in verdicts] == [False] * 11 + [True, False]
    assert not verdicts[11].cool
    assert not verdicts[12].flags
    slower = _judge(detector, *[_sample(latency_s=10.0)] * 3)
    assert [_signals(verdict) for verdict in slower] == [["latency"]] * 3
    assert [verdict.cool for verdict in slower] == [False, False, True]


def test_with_evidence_a_slow_provider_among_fast_ones_gets_a_baseline_of_its_own() -> None:
    detector = _evidence(*[_sample(provider="fast")] * 6)
    assert [verdict.rebased for verdict in _judge(detector, *[_sample(latency_s=9.0)] * 13)].index(True) == 11
    assert not _judge(detector, _sample(latency_s=9.0))[0].flags


def test_with_evidence_responses_that_disagree_are_not_learnt() -> None:
    detector = _evidence(*[_sample()] * 6)
    erratic = [_sample(latency_s=latency_s) for latency_s in (4.0, 4.0, 4.0, 40.0)]
    assert not any(verdict.rebased for verdict in _judge(detector, *erratic * 10))


def test_with_evidence_a_usual_response_starts_the_count_anew() -> None:
    detector = _evidence(*[_sample()] * 6)
    assert not any(v.rebased for v in _judge(detector, *([_sample(latency_s=4.0)] * 11 + [_sample()]) * 3))


def test_with_evidence_refusals_cool_but_are_never_learnt() -> None:
    detector = _evidence(*[_sample()] * 6)
    refusals = [_sample("I am unable to help with this request.", 0.1, refused=True)] * 30
    verdicts = _judge(detector, *refusals)
    assert [verdict.cool for verdict in verdicts] == [False, False] + [True] * 28
    assert not any(verdict.rebased for verdict in verdicts)
    assert not any(verdict.rebased for verdict in _judge(detector, *refusals, now=9999.0))


def test_with_evidence_a_baseline_older_than_half_an_hour_gives_way_to_two_responses() -> None:
    slow = _sample(latency_s=4.0)
    at = _evidence(*[_sample()] * 6)
    assert not any(verdict.rebased for verdict in _judge(at, slow, slow, now=1800.0))
    renewed = _evidence(*[_sample()] * 2)
    _judge(renewed, _sample(), now=1700.0)
    assert not any(verdict.rebased for verdict in _judge(renewed, slow, slow, now=1900.0))
    past = _evidence(*[_sample()] * 6)
    assert [verdict.rebased for verdict in _judge(past, slow, slow, slow, now=1800.1)] == [False, True, False]


samples = st.builds(
    _sample,
    st.sampled_from(["", NORMAL, "limit " * 20, "one two", "words of a text that is of middling length"]),
    st.sampled_from([0.0, 0.1, 0.8, 2.0, 9.0]),
    provider=st.sampled_from(["a", "b"]),
    query_type=st.sampled_from(["x", "y"]),
    refused=st.sampled_from([False, False, False, True]),
)


@always
@given(st.lists(samples, max_size=40))
def test_until_a_baseline_is_founded_a_flagged_response_never_changes_a_later_verdict(responses: list[Sample]) -> None:
    verdicts = _judge(Detector(ThrottlingSettings()), *responses)
    judged = list(takewhile(lambda pair: not pair[1].rebased, zip(responses, verdicts, strict=True)))
    unflagged = [response for response, verdict in judged if not verdict.flags]
    assert not any(verdict.flags for verdict in _judge(Detector(ThrottlingSettings()), *unflagged))


@always
@given(st.lists(samples, max_size=60), st.sampled_from(["each", "evidence"]))
def test_no_response_is_cooled_without_a_flag_and_reasons_keep_their_order(
    responses: list[Sample], action: str
) -> None:
    order = ["refusal", "latency", "length", "density"]
    for verdict in _judge(Detector(ThrottlingSettings.model_validate({"action": action})), *responses):
        assert verdict.flags or not verdict.cool
        assert _signals(verdict) == sorted(_signals(verdict), key=order.index)


@pytest.mark.parametrize("action", ["each", "evidence"])
@pytest.mark.parametrize("response", [_sample(""), _sample("", 0.0), _sample(latency_s=0.0), _sample()])
def test_identical_responses_of_a_single_provider_are_never_flagged(action: str, response: Sample) -> None:
    detector = Detector(ThrottlingSettings.model_validate({"action": action}))
    assert _judge(detector, *[response] * 30) == [Verdict()] * 30


def test_a_median_of_zero_flags_neither_latency_nor_length() -> None:
    detector = Detector(ThrottlingSettings())
    _judge(detector, *[_sample("", 0.0)] * 6)
    assert _signals(_judge(detector, _sample(NORMAL, 5.0))[0]) == []


@pytest.mark.parametrize(
    "table", [{"windows": 6}, {"min_history": 7}, {"latency_factor": 0.5}, {"action": "sometimes"}]
)
def test_settings_that_make_no_sense_are_refused(table: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ThrottlingSettings.model_validate(table)
