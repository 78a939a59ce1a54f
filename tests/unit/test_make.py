"""What verbs of the Makefile would run, as `make --dry-run` tells it: the seeds of what is made by chance."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def dry(*words: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in {"SEED", "N", "MAKEFLAGS"}}
    ended = subprocess.run(
        ["make", "--dry-run", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    return ended.stdout


def test_fuzz_takes_the_seed_that_ci_takes_unless_it_is_given_one() -> None:
    assert "POINTSMAN_FUZZ_SEED=pointsman " in dry("fuzz")
    assert "POINTSMAN_FUZZ_SEED=mine " in dry("fuzz", "SEED=mine")


def test_soak_fuzzes_by_another_seed_each_time_and_tells_it() -> None:
    told = dry("soak")
    (seed,) = re.findall(r"POINTSMAN_FUZZ_SEED=(\S+)", told)
    assert re.fullmatch(r"\d{14}", seed)
    assert "repeats them" in told
    assert "POINTSMAN_FUZZ_SEED=mine " in dry("soak", "SEED=mine")


def test_chaos_has_a_seed_only_where_it_is_given_one() -> None:
    assert "--seed" not in dry("chaos")
    assert "benchmarks.chaos --seed 7" in dry("chaos", "SEED=7")
