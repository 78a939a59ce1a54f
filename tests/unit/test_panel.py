"""Who sits on a panel."""

from __future__ import annotations

import pytest

from pointsman.panel import Equal, Panel, seated


def _equal(provider: str, vendor: str = "", tier: str = "frontier", *, well: bool = True) -> Equal:
    return Equal(provider=provider, vendor=vendor or provider, tier=tier, well=well)


def test_only_the_best_candidates_tier_is_compared() -> None:
    found = seated([_equal("a"), _equal("small", tier="small"), _equal("b")], 2)
    assert found == (("a", "b"), ())


def test_another_vendor_sits_before_a_better_model_of_the_same() -> None:
    candidates = [_equal("a-large", "acme"), _equal("a-medium", "acme"), _equal("b", "bold")]
    assert seated(candidates, 2) == (("a-large", "b"), ("a-medium",))


def test_one_vendor_sits_twice_where_there_is_no_other() -> None:
    assert seated([_equal("a-large", "acme"), _equal("a-medium", "acme")], 3) == (("a-large", "a-medium"), ())


def test_who_is_unwell_only_stands_by() -> None:
    assert seated([_equal("a"), _equal("b", well=False), _equal("c")], 3) == (("a", "c"), ("b",))


def test_who_is_unwell_is_asked_where_there_would_be_nothing_to_compare() -> None:
    assert seated([_equal("a", well=False), _equal("b"), _equal("c", well=False)], 3) == (("b", "a"), ("c",))


@pytest.mark.parametrize(("names", "enough"), [((), False), (("a",), False), (("a", "b"), True)])
def test_two_are_needed_to_compare(names: tuple[str, ...], enough: bool) -> None:  # noqa: FBT001
    members, _ = seated([_equal(name) for name in names], 2)
    assert Panel(members=members).can_compare is enough
