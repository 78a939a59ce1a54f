"""How every process of Pointsman reaches Temporal: one data converter, one way to read the connection.

Address, namespace, API key and TLS come from Temporal's own TEMPORAL_* variables or its configuration file.
"""

from __future__ import annotations

import asyncio
import dataclasses
from functools import cache
from typing import Any

from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.contrib.pydantic import PydanticJSONPlainPayloadConverter
from temporalio.converter import CompositePayloadConverter, DataConverter, DefaultPayloadConverter
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.service import RPCError

from pointsman.address import DEFAULT_ADDRESS
from pointsman.contract import INVALID_QUESTION
from pointsman.errors import NoServer
from pointsman.messages import Question
from pointsman.sentences import sentences

_CONNECT_TIMEOUT_S = 10.0
"""For a server that takes the connection and then says nothing: the SDK itself would try for half a minute."""


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
            raise ApplicationError(
                "; ".join(sentences(fault, Question)), type=INVALID_QUESTION, non_retryable=True
            ) from None


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
        NoServer: nothing answers at the address, or it refuses the namespace or the key.
    """
    options: dict[str, Any] = {**ClientConfig.load_client_connect_config()}
    if address is not None:
        options["target_host"] = address
    if namespace is not None:
        options["namespace"] = namespace
    _quiet_runtime()
    target = options.setdefault("target_host", DEFAULT_ADDRESS)
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            return await Client.connect(**options, data_converter=DATA_CONVERTER)
    except (RPCError, RuntimeError, OSError) as fault:
        raise NoServer(
            f"no Temporal server reached at {target} ({_short(fault)}); start one with `make dev`, "
            "or set TEMPORAL_ADDRESS"
        ) from fault


@cache
def _quiet_runtime() -> None:
    """Keep the SDK's native log to errors: it goes to standard output, where answers are printed."""
    logging_config = LoggingConfig(filter=TelemetryFilter(core_level="ERROR", other_level="ERROR"))
    Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=logging_config)), error_if_already_set=False)


def _short(fault: Exception) -> str:
    if isinstance(fault, TimeoutError):
        return f"no reply within {_CONNECT_TIMEOUT_S:g} s"
    return (str(fault).splitlines() or [type(fault).__name__])[0][:120]
