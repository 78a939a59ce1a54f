"""The table `[telemetry]`: off by default, and refused in a sentence that names the field and the fix."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pointsman.configuration import Configuration
from pointsman.sentences import sentences
from pointsman.telemetry.settings import ListenAt, TelemetrySettings
from tests.builders import configuration, document


def refusal(**fields: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        Configuration.model_validate(document(telemetry=fields))
    (sentence,) = sentences(caught.value, Configuration, toml=True)
    return sentence


def test_everything_is_off_by_default() -> None:
    settings = configuration().telemetry
    assert (settings.measures, settings.traces, settings.decision_log, settings.record_content) == (
        False,
        False,
        None,
        False,
    )


@pytest.mark.parametrize(
    ("listen", "at"),
    [
        ("127.0.0.1:9464", ListenAt("127.0.0.1", 9464, 9464)),
        ("0.0.0.0:9464-9473", ListenAt("0.0.0.0", 9464, 9473)),
        ("localhost:0", ListenAt("localhost", 0, 0)),
        ("[::1]:9464", ListenAt("::1", 9464, 9464)),
    ],
)
def test_an_address_to_listen_at_is_a_host_with_a_port_or_a_range(listen: str, at: ListenAt) -> None:
    assert TelemetrySettings(listen=listen).listen_at == at


@pytest.mark.parametrize(
    "listen",
    ["9464", "127.0.0.1", ":9464", "127.0.0.1:65536", "h:9-8", "h:0-9", "h:1-5000", "http://h:1", "h:1 ", ""],
)
def test_any_other_address_is_refused_with_an_example(listen: str) -> None:
    told = refusal(listen=listen)
    assert told.startswith("telemetry.listen: not an address to listen at")
    assert "127.0.0.1:9464" in told


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:4318", "https://collector.example.com/otlp"])
def test_a_collector_is_named_by_its_base_address(endpoint: str) -> None:
    assert TelemetrySettings(otlp_endpoint=endpoint).traces


@pytest.mark.parametrize(
    "endpoint",
    [
        "127.0.0.1:4318",
        "grpc://h:4317",
        "http://",
        "http://h:0",
        "http://h:99999",
        "http://h?x=1",
        "http://h/ä",
        "http://h/ ",
    ],
)
def test_any_other_collector_is_refused(endpoint: str) -> None:
    assert refusal(otlp_endpoint=endpoint).startswith("telemetry.otlp_endpoint: not the address of a collector")


def test_a_key_in_the_collectors_address_is_refused_and_not_repeated() -> None:
    told = refusal(otlp_endpoint="https://user:sk-secret@collector.example.com")
    assert "OTEL_EXPORTER_OTLP_HEADERS" in told
    assert "sk-secret" not in told


def test_metrics_of_the_sdk_that_nobody_reads_are_refused() -> None:
    assert refusal(sdk_metrics=True).startswith("telemetry.sdk_metrics: these metrics go nowhere")
    assert TelemetrySettings(sdk_metrics=True, listen="127.0.0.1:0").sdk_metrics


@pytest.mark.parametrize(
    "fields", [{"sampling_ratio": 1.1}, {"service_name": ""}, {"decision_log": ""}, {"export_every_s": 0}]
)
def test_a_figure_or_name_out_of_its_bounds_is_refused_by_its_path(fields: dict[str, Any]) -> None:
    (name,) = fields
    assert refusal(**fields).startswith(f"telemetry.{name}: ")


def test_an_unknown_key_is_refused_with_the_one_that_was_meant() -> None:
    assert refusal(otlp_endpont="http://h") == "telemetry.otlp_endpont: unknown key; did you mean otlp_endpoint?"
