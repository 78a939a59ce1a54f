"""Where telemetry goes as the environment of a process tells it."""

from __future__ import annotations

import pytest

from pointsman.sentences import ConfigurationError
from pointsman.telemetry.settings import TelemetrySettings
from workers.telemetry.surroundings import telemetry_here

FILE = TelemetrySettings(listen="127.0.0.1:1", service_name="ours", sampling_ratio=0.5)


def test_what_the_environment_says_stands_in_place_of_the_files_word_and_the_rest_stays() -> None:
    here = {"POINTSMAN_LISTEN": "0.0.0.0:9464", "POINTSMAN_OTLP_ENDPOINT": "http://collector:4318"}
    assert telemetry_here(FILE, here) == FILE.model_copy(
        update={"listen": "0.0.0.0:9464", "otlp_endpoint": "http://collector:4318"}
    )


@pytest.mark.parametrize("here", [{}, {"POINTSMAN_LISTEN": ""}, {"LISTEN": "0.0.0.0:9464"}])
def test_an_environment_that_says_nothing_changes_nothing(here: dict[str, str]) -> None:
    assert telemetry_here(FILE, here) is FILE


@pytest.mark.parametrize("variable", ["POINTSMAN_LISTEN", "POINTSMAN_OTLP_ENDPOINT"])
def test_a_variable_that_is_no_address_is_named_in_one_sentence(variable: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        telemetry_here(FILE, {variable: "nowhere at all"})
    assert str(refused.value).startswith(f"{variable}: not ")
