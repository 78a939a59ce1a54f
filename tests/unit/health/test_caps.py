"""Daily caps: who is held back, until when, and when no more."""

from __future__ import annotations

from pointsman.health.caps import CapChange, Caps
from pointsman.health.spend import MICRO, day_end, day_of

NOW = 1_796_342_400.0
TODAY, END = day_of(NOW), day_end(NOW)


def _spent(**usd: int) -> Caps:
    caps = Caps()
    for name, amount in usd.items():
        caps = caps.booked(name, amount * MICRO, "calls", TODAY)
    return caps


def test_those_who_reach_their_cap_are_held_back_until_the_days_end_and_told_of_once() -> None:
    caps, changes = _spent(a=3, b=2, c=9).checked({"a": 3.0, "b": 3.0}, TODAY, END)
    assert changes == [CapChange("a", "daily_cost_cap", END)]
    assert caps.reached == {"a": END}
    assert caps.checked({"a": 3.0, "b": 3.0}, TODAY, END) == (caps, [])


def test_a_raised_cap_and_one_that_was_taken_away_hold_nobody_back() -> None:
    caps, _ = _spent(a=3, b=3).checked({"a": 3.0, "b": 3.0}, TODAY, END)
    caps, changes = caps.checked({"a": 4.0}, TODAY, END)
    assert changes == [CapChange("a", "the cap was raised"), CapChange("b", "the cap was raised")]
    assert caps.reached == {}


def test_midnight_lets_everyone_go_whose_day_is_over() -> None:
    caps, _ = _spent(a=3).checked({"a": 3.0}, TODAY, END)
    assert caps.at(END - 1) == (caps, [])
    after, changes = caps.at(END)
    assert (after.reached, changes) == ({}, [CapChange("a", "daily_cost_cap")])


def test_what_was_spent_on_another_day_does_not_count() -> None:
    tomorrow = day_of(END)
    caps, changes = _spent(a=9).checked({"a": 3.0}, tomorrow, END + 86_400)
    assert (caps.reached, changes) == ({}, [])
    assert caps.booked("a", MICRO, "calls", tomorrow).spend["a"].total == MICRO
