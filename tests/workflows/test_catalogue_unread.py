"""A worker that has not read the catalogue yet holds its questions back, and answers those that wait for it."""

from __future__ import annotations

import asyncio

import pytest

from activities.process_catalogue import ProcessCatalogue
from pointsman import QuestionFailed
from pointsman.contract import ALL_PROVIDERS_UNAVAILABLE
from tests.catalogues import profile, view
from tests.workflows.conftest import PROVIDERS, Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_question_fails_as_unavailable_or_waits_until_the_catalogue_is_read(pointsman: Pointsman) -> None:
    settings = configuration(catalogue={"admission": "measured"})
    catalogue = ProcessCatalogue(settings)
    await pointsman.serve(settings, catalogue=catalogue)
    with pytest.raises(QuestionFailed) as failed:
        await pointsman.ask()
    assert failed.value.failure_type == ALL_PROVIDERS_UNAVAILABLE
    assert {found.reason for found in failed.value.rejected} == {"catalogue_unread"}
    assert failed.value.retry_after_s is not None

    now = await pointsman.env.get_current_time()
    read = view(*(profile(name, measured_at=now) for name in PROVIDERS)).snapshot
    assert read is not None
    with pointsman.env.auto_time_skipping_disabled():
        asyncio.get_running_loop().call_later(0.5, catalogue.accept, read)
        answer = await pointsman.ask(on_exhausted="wait", deadline_s=60)
    assert (answer.provider, answer.decision.catalogue_version) == ("alpha", 7)
