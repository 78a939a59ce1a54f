"""Where telemetry goes as the environment of a process tells it."""

from __future__ import annotations

import pytest

from pointsman.sentences import ConfigurationError
from pointsman.telemetry.settings import TelemetrySettings
from workers.telemetry.surroundings import telemetry_here

FILE = TelemetrySettings(listen="127.0.0.1:1", service_name="ours", sampling_ratio=0.5)


def test_what_the_environment_says_stands_in_place_of_the_files_word_and_the_rest_stays() -> None:
    here = {
        "POINTSMAN_LISTEN": "0.0.0.0:9464",
        "POINTSMAN_OTLP_ENDPOINT": "http://collector:4318",
        "POINTSMAN_SDK_METRICS": "true",
    }
    assert telemetry_here(FILE, here) == FILE.model_copy(
        update={"listen": "0.0.0.0:9464", "otlp_endpoint": "http://collector:4318", "sdk_metrics": True}
    )


@pytest.mark.parametrize("here", [{}, {"POINTSMAN_LISTEN": ""}, {"LISTEN": "0.0.0.0:9464"}])
def test_an_environment_that_says_nothing_changes_nothing(here: dict[str, str]) -> None:
    assert telemetry_here(FILE, here) is FILE


@pytest.mark.parametrize("variable", ["POINTSMAN_LISTEN", "POINTSMAN_OTLP_ENDPOINT"])
def test_a_variable_that_is_no_address_is_named_in_one_sentence(variable: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        telemetry_here(FILE, {variable: "nowhere at all"})
    assert str(refused.value).startswith(f"{variable}: not ")


def test_temporals_own_metrics_can_be_switched_off_here_too() -> None:
    everywhere = FILE.model_copy(update={"sdk_metrics": True})
    assert not telemetry_here(everywhere, {"POINTSMAN_SDK_METRICS": "false"}).sdk_metrics


@pytest.mark.parametrize(
    ("settings", "value"), [(FILE, "perhaps"), (TelemetrySettings(), "true")], ids=["neither", "goes nowhere"]
)
def test_a_switch_that_cannot_be_set_is_named_in_one_sentence(settings: TelemetrySettings, value: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        telemetry_here(settings, {"POINTSMAN_SDK_METRICS": value})
    (sentence,) = refused.value.faults
    assert sentence.startswith("POINTSMAN_SDK_METRICS: ")
