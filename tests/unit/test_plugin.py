"""One plugin, and no other data converter beside it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, cast

import pytest
from temporalio.client import ClientConfig
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError
from temporalio.worker import ReplayerConfig

from pointsman.data_converter import (
    DATA_CONVERTER,
    PayloadConverter,
    StoringPayloadConverter,
    data_converter,
    max_question_bytes,
)
from pointsman.encoding.keys import Key, KeyRing
from pointsman.encoding.payloads import Payloads
from pointsman.messages import MAX_QUESTION_BYTES, MAX_STORED_QUESTION_BYTES, Question
from pointsman.plugin import PointsmanPlugin, require_converter
from pointsman.sentences import ConfigurationError

KEYS = KeyRing((Key("k1", bytes(32)),), "KEYS")
OTHER_KEYS = KeyRing((Key("k1", bytes(range(32))),), "KEYS")


def _client(converter: DataConverter) -> ClientConfig:
    config: dict[str, Any] = {"data_converter": converter}
    return cast("ClientConfig", config)


@pytest.mark.parametrize("given", [DataConverter.default, DATA_CONVERTER])
def test_client_and_replayer_get_the_same_converter(given: DataConverter) -> None:
    plugin = PointsmanPlugin(Payloads(keys=KEYS))
    replayer: ReplayerConfig = {"data_converter": given}
    assert plugin.configure_client(_client(given))["data_converter"] is plugin.converter
    assert plugin.configure_replayer(replayer).get("data_converter") is plugin.converter


def test_a_converter_of_ones_own_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="the client's payload converter is not the one"):
        PointsmanPlugin(Payloads()).configure_client(_client(pydantic_data_converter))


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"payload_converter_class": StoringPayloadConverter}, "payload converter"),
        ({"payload_codec": None}, "payload codec"),
        ({"failure_converter_class": DataConverter.default.failure_converter_class}, "failure converter"),
    ],
)
def test_a_part_that_another_plugin_replaced_is_named(changes: dict[str, Any], part: str) -> None:
    replaced = dataclasses.replace(data_converter(Payloads(keys=KEYS)), **changes)
    with pytest.raises(ConfigurationError, match=f"the client's {part} is not the one"):
        require_converter(replaced, Payloads(keys=KEYS))


def test_other_keys_and_another_folder_are_other_settings(tmp_path: Path) -> None:
    require_converter(data_converter(Payloads(keys=KEYS, store=tmp_path)), Payloads(keys=KEYS, store=tmp_path))
    for other in (Payloads(keys=OTHER_KEYS, store=tmp_path), Payloads(keys=KEYS, store=tmp_path / "x")):
        with pytest.raises(ConfigurationError):
            require_converter(data_converter(Payloads(keys=KEYS, store=tmp_path)), other)


def test_a_question_may_be_larger_where_large_payloads_are_stored(tmp_path: Path) -> None:
    assert max_question_bytes(DATA_CONVERTER) == MAX_QUESTION_BYTES
    assert max_question_bytes(data_converter(Payloads(store=tmp_path))) == MAX_STORED_QUESTION_BYTES


def test_a_question_too_large_is_refused_on_its_way_out_and_on_its_way_in() -> None:
    large = Question(prompt="x" * MAX_QUESTION_BYTES)
    with pytest.raises(ApplicationError, match="at most 1,500,000 fit") as refused:
        PayloadConverter().to_payloads([large])
    assert (refused.value.type, refused.value.non_retryable) == ("InvalidQuestion", True)
    payloads = StoringPayloadConverter().to_payloads([large])
    assert StoringPayloadConverter().from_payloads(payloads, [Question]) == [large]
    with pytest.raises(ApplicationError, match="at most 1,500,000 fit"):
        PayloadConverter().from_payloads(payloads, [Question])
