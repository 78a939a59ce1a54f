"""The key is nowhere, and the prompt neither in an error nor in a log, whatever a provider says of them (F30)."""

from __future__ import annotations

import logging
import traceback

import pytest
from temporalio.api.failure.v1 import Failure

from pointsman.connection import DATA_CONVERTER
from tests.wire.asking import KEY, each_dialect
from tests.wire.calling import BOUND_S, CANARY, Activity
from workers.embedded.scripted import faults
from workers.embedded.scripted.script import ErrorInside, Hang, Raw, Reply, Reset, Status, Step
from workers.embedded.scripted.server import ScriptedProviders


def _quoting(status: int) -> Status:
    """What some vendors do: repeat the prompt and the key."""
    return Status(status, f"cannot process 'what is it? {CANARY}' for url https://x/y?key={KEY}")


@pytest.mark.parametrize(
    "step",
    [
        *(pytest.param(_quoting(status), id=str(status)) for status in (400, 404, 422, 429, 500, 503)),
        pytest.param(faults.echoed_key, id="echoed key"),
        pytest.param(ErrorInside(503, f"{KEY} {CANARY}"), id="error inside"),
        pytest.param(Raw(f'{{"choices": "{KEY} {CANARY}'.encode()), id="malformed"),
        pytest.param(Raw(f"<html>{KEY} {CANARY}</html>".encode()), id="html"),
        pytest.param(Raw(f'{{"error": "{KEY} {CANARY}"}}'.encode()), id="odd json"),
        pytest.param(Reset(), id="reset"),
        pytest.param(Hang(), id="hang"),
    ],
)
@each_dialect
async def test_f30_key_and_prompt_are_in_no_error_and_no_log(
    providers: ScriptedProviders,
    dialect: str,
    step: Step,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)

    failed = await Activity(providers, dialect, timeout_s=BOUND_S).fail(step)

    failure = Failure()
    await DATA_CONVERTER.encode_failure(failed.error, failure)
    printed = "".join(capfd.readouterr())
    shown = "".join(traceback.format_exception(failed.error)) + str(failure) + repr(failed.error.details) + printed
    logged = [(record.levelno, f"{record.getMessage()} {record.exc_text} {record.args}") for record in caplog.records]
    assert KEY not in shown
    assert CANARY not in shown
    assert all(KEY not in text for _, text in logged)
    assert all(CANARY not in text for level, text in logged if level >= logging.INFO)


@each_dialect
async def test_f30_key_and_prompt_are_in_no_log_of_an_answer(
    providers: ScriptedProviders, dialect: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    await Activity(providers, dialect).run(Reply())

    text = caplog.text + "".join(capfd.readouterr())
    assert KEY not in text
    assert CANARY not in text
