"""The one data converter: JSON by Pydantic, questions that are refused in a sentence, payloads as the settings say."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticJSONPlainPayloadConverter
from temporalio.converter import (
    CompositePayloadConverter,
    DataConverter,
    DefaultFailureConverter,
    DefaultFailureConverterWithEncodedAttributes,
    DefaultPayloadConverter,
    ExternalStorage,
)
from temporalio.exceptions import ApplicationError

from pointsman.contract import INVALID_QUESTION
from pointsman.encoding.codec import Codec
from pointsman.encoding.folder import FolderDriver
from pointsman.encoding.payloads import Payloads
from pointsman.messages import MAX_QUESTION_BYTES, MAX_STORED_QUESTION_BYTES, Question, oversize
from pointsman.sentences import in_one


class _QuestionsAsSentences(PydanticJSONPlainPayloadConverter):
    """Pydantic's JSON; a question that cannot be read, or is too large, fails its workflow with a sentence.

    Any other error while a workflow reads its input would be retried for ever.
    """

    def __init__(self, max_question_bytes: int) -> None:
        """Let questions of this size through."""
        super().__init__()
        self._max_question_bytes = max_question_bytes

    def to_payload(self, value: Any) -> Payload | None:
        """Write a value; a question too large to be started by whatever workflow is refused here."""
        if isinstance(value, Question):
            self._refuse_oversize(value)
        return super().to_payload(value)

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> Any:
        """Read a payload as `type_hint`."""
        try:
            value = super().from_payload(payload, type_hint)
        except ValidationError as fault:
            if type_hint is not Question:
                raise
            raise ApplicationError(in_one(fault, Question), type=INVALID_QUESTION, non_retryable=True) from None
        if isinstance(value, Question):
            self._refuse_oversize(value)
        return value

    def _refuse_oversize(self, question: Question) -> None:
        refusal = oversize(question, self._max_question_bytes)
        if refusal is not None:
            raise ApplicationError(refusal, type=INVALID_QUESTION, non_retryable=True)


class PayloadConverter(CompositePayloadConverter):
    """Temporal's converters with Pydantic for JSON."""

    max_question_bytes = MAX_QUESTION_BYTES

    def __init__(self) -> None:
        """Replace the JSON converter and keep the rest."""
        json_converter = _QuestionsAsSentences(self.max_question_bytes)
        super().__init__(
            *(
                json_converter if converter.encoding == json_converter.encoding else converter
                for converter in DefaultPayloadConverter.default_encoding_payload_converters
            )
        )


class StoringPayloadConverter(PayloadConverter):
    """The same where large payloads are stored, so that questions may be larger than a payload."""

    max_question_bytes = MAX_STORED_QUESTION_BYTES


def data_converter(payloads: Payloads) -> DataConverter:
    """The converter for these settings; every process of a fleet has the same."""
    store = payloads.store
    return DataConverter(
        payload_converter_class=PayloadConverter if store is None else StoringPayloadConverter,
        payload_codec=Codec(payloads),
        # Else the text of an error stays plain, and may quote a prompt.
        failure_converter_class=DefaultFailureConverter
        if payloads.keys is None
        else DefaultFailureConverterWithEncodedAttributes,
        external_storage=None
        if store is None
        else ExternalStorage(drivers=[FolderDriver(store)], payload_size_threshold=payloads.store_from_bytes),
    )


def max_question_bytes(converter: DataConverter) -> int:
    """How large a question may be that a client with this converter asks."""
    found = converter.payload_converter_class
    return found.max_question_bytes if issubclass(found, PayloadConverter) else MAX_QUESTION_BYTES


def unlike(converter: DataConverter, payloads: Payloads) -> str | None:
    """In which part a converter is not the one for these settings; `None` where it is."""
    wanted = data_converter(payloads)
    codec = converter.payload_codec
    if converter.payload_converter_class is not wanted.payload_converter_class:
        return "payload converter"
    if not isinstance(codec, Codec) or codec.payloads != payloads:
        return "payload codec"
    if converter.failure_converter_class is not wanted.failure_converter_class:
        return "failure converter"
    return None if _stores(converter) == _stores(wanted) else "external storage"


def _stores(converter: DataConverter) -> list[tuple[Any, ...]]:
    storage = converter.external_storage
    if storage is None:
        return []
    return [
        (type(driver), storage.payload_size_threshold, getattr(driver, "folder", None)) for driver in storage.drivers
    ]


DATA_CONVERTER = data_converter(Payloads())
"""For every client, worker, replayer and test where nothing is switched on."""
