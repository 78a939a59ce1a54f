"""How large modules are imported."""

from __future__ import annotations

import gc

import pytest

from pointsman.importing import importing


def test_the_collector_rests_during_an_import_and_works_on_afterwards() -> None:
    with importing():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off_and_one_that_was_on_comes_back_after_a_failure() -> None:
    gc.disable()
    with importing():
        pass
    assert not gc.isenabled()
    gc.enable()
    with pytest.raises(ModuleNotFoundError), importing():
        import no_such_module  # type: ignore[import-not-found]  # noqa: F401, PLC0415
    assert gc.isenabled()
