"""How every process of Pointsman reaches Temporal: one data converter, one way to read the connection.

Address, namespace, API key and TLS come from Temporal's own TEMPORAL_* variables or its configuration file.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
from typing import Any

from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.contrib.pydantic import PydanticJSONPlainPayloadConverter
from temporalio.converter import CompositePayloadConverter, DataConverter, DefaultPayloadConverter
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError
from temporalio.runtime import LoggingConfig, MetricBuffer, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.service import RPCError

from pointsman.address import DEFAULT_ADDRESS, with_port
from pointsman.contract import INVALID_QUESTION
from pointsman.errors import NoServer
from pointsman.headers import NOT_A_HEADER, header_safe
from pointsman.messages import Question
from pointsman.sentences import ConfigurationError, in_one, shortened
from pointsman.server_faults import plain_reason
from pointsman.telemetry.asking import asking_interceptor

_CONNECT_TIMEOUT_S = 10.0
"""For a server that takes the connection and then says nothing: the SDK itself would try for half a minute."""

_runtimes: list[Runtime] = []
"""That of this process, once it has one."""

_BAD_TLS = {
    "PrivateKeyParseError": "the client's private key is no PEM key",
    "NoCertificatesPresented": "the client's certificate is no PEM certificate",
    "CertificateParseError": "a certificate is no PEM certificate",
    "Invalid URI": "the server name is no host name",
}
"""What the SDK says of TLS settings that no server was asked about."""


class _QuestionsAsSentences(PydanticJSONPlainPayloadConverter):
    """Pydantic's JSON; a question that cannot be read fails its workflow with a sentence.

    Any other error while a workflow reads its input would be retried for ever.
    """

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> Any:
        """Read a payload as `type_hint`."""
        try:
            return super().from_payload(payload, type_hint)
        except ValidationError as fault:
            if type_hint is not Question:
                raise
            raise ApplicationError(in_one(fault, Question), type=INVALID_QUESTION, non_retryable=True) from None


class PayloadConverter(CompositePayloadConverter):
    """Temporal's converters with Pydantic for JSON."""

    def __init__(self) -> None:
        """Replace the JSON converter and keep the rest."""
        json_converter = _QuestionsAsSentences()
        super().__init__(
            *(
                json_converter if converter.encoding == json_converter.encoding else converter
                for converter in DefaultPayloadConverter.default_encoding_payload_converters
            )
        )


DATA_CONVERTER = dataclasses.replace(DataConverter.default, payload_converter_class=PayloadConverter)
"""For every client, worker, replayer and test."""


async def connect(address: str | None = None, namespace: str | None = None) -> Client:
    """Connect as the environment says; the arguments take precedence over it.

    Raises:
        ConfigurationError: the environment, or the file that it names, cannot be used.
        NoServer: nothing answers at the address, or it refuses the key.
    """
    options = _environment()
    if address is not None:
        options["target_host"] = address
    if namespace is not None:
        options["namespace"] = namespace
    return await _connected({"target_host": DEFAULT_ADDRESS, **options})


async def connect_plainly(address: str, namespace: str = "default") -> Client:
    """Connect to a server on this machine, whatever the environment says about another.

    Raises:
        NoServer: nothing answers at the address.
    """
    return await _connected({"target_host": address, "namespace": namespace, "tls": False})


def file_settings() -> bool:
    """Whether the file that Temporal's clients read by default says anything about the connection."""
    try:
        return bool(ClientConfig.load_client_connect_config(override_env_vars=_without_temporal()))
    except (OSError, RuntimeError, ValueError):
        return True


def _without_temporal() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("TEMPORAL_")}


def _environment() -> dict[str, Any]:
    try:
        options: dict[str, Any] = {**ClientConfig.load_client_connect_config()}
    except OSError as fault:
        what = f"{fault.filename} cannot be read ({fault.strerror}); correct the path"
        raise ConfigurationError([f"{_origin(str(fault.filename))}: {what}"]) from fault
    except (RuntimeError, ValueError) as fault:
        raise ConfigurationError([f"Temporal's connection settings: {_settings_fault(str(fault))}"]) from fault
    if not options.get("namespace", "x"):
        del options["namespace"]  # set to nothing is not set, as the SDK itself reads the address
    if not header_safe(options.get("api_key", "x")):
        raise ConfigurationError([f"TEMPORAL_API_KEY: {NOT_A_HEADER}; set it again"])
    return options


async def _connected(options: dict[str, Any]) -> Client:
    use_quiet_runtime()
    target = options["target_host"]
    if "://" in target:
        raise _no_address(target, "it starts with a scheme")
    options["target_host"] = with_port(target)
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            return await Client.connect(**options, data_converter=DATA_CONVERTER, interceptors=[asking_interceptor()])
    except ValueError as fault:
        told = plain_reason(str(fault))
        if "target URL" in told:
            raise _no_address(target, told.rpartition(": ")[2]) from fault
        raise ConfigurationError([f"Temporal's connection settings: {told}"]) from fault
    except (RPCError, RuntimeError, OSError) as fault:
        if "Invalid headers" in str(fault):
            raise ConfigurationError([f"TEMPORAL_GRPC_META_*: {plain_reason(str(fault))}; set it again"]) from fault
        bad = [what for told, what in _BAD_TLS.items() if told in str(fault)]
        if bad:
            raise ConfigurationError([f"Temporal's TLS settings: {bad[0]}; correct TEMPORAL_TLS_*"]) from fault
        raise NoServer(
            f"no Temporal server reached at {shortened(target)} ({_short(fault)}); start one with `make dev`, "
            "or set TEMPORAL_ADDRESS (host:port)"
        ) from fault


def use_quiet_runtime(metrics: MetricBuffer | None = None) -> bool:
    """Keep the SDK's native log to errors: it goes to standard output, where answers are printed.

    The first call of a process decides, before the first connection; `metrics` takes the SDK's own. Gives whether this
    was the first.
    """
    if _runtimes:
        return False
    logging_config = LoggingConfig(filter=TelemetryFilter(core_level="ERROR", other_level="ERROR"))
    _runtimes.append(Runtime(telemetry=TelemetryConfig(logging=logging_config, metrics=metrics)))
    Runtime.set_default(_runtimes[0], error_if_already_set=False)
    return True


def _no_address(target: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        [f"{target!r} is no address ({why}); give host:port, such as {DEFAULT_ADDRESS}, or set TEMPORAL_ADDRESS so"]
    )


def _origin(value: str) -> str:
    """The variable that holds a value, else the words for all the places it may come from."""
    named = [name for name, held in os.environ.items() if name.startswith("TEMPORAL_") and held == value]
    return named[0] if named else "Temporal's connection settings"


def _settings_fault(text: str) -> str:
    # In between stands a line of the file, which may hold a key.
    lines = [line.strip() for line in text.removeprefix("Configuration loading error: ").splitlines() if line.strip()]
    told = lines[0] if len(lines) == 1 else f"{lines[0]} ({lines[-1]})"
    file = os.environ.get("TEMPORAL_CONFIG_FILE")
    return f"{told}; correct the file {file or 'that Temporal reads'}, or the TEMPORAL_* variable that is meant"


def _short(fault: Exception) -> str:
    if isinstance(fault, TimeoutError):
        return f"no reply within {_CONNECT_TIMEOUT_S:g} s"
    return plain_reason(str(fault) or type(fault).__name__)
