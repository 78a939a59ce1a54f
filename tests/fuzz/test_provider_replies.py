"""Whatever a provider sends: never a crash, a hang, a second request, or an answer that does not stand in its reply."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.fuzz import reading
from tests.fuzz.campaign import DIALECTS, generated, judged, run
from tests.fuzz.case import Case, corpus
from tests.fuzz.settings import SEED, TIME_LIMIT_S, share
from tests.source_scan import PACKAGES
from tests.wire.conftest import no_open_clients

__all__ = ["no_open_clients"]

# LiteLLM makes its request in two steps, and a call that is cut off between them leaves the second one unused.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:coroutine")


@pytest.mark.timeout(TIME_LIMIT_S)
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_no_reply_crashes_hangs_or_is_answered_falsely(dialect: str) -> None:
    campaign = await run(SEED, [dialect], share(2_500))

    assert not campaign.findings, campaign.summary()
    assert "requests elsewhere" not in campaign.outcomes
    # The seed gives some of everything: a campaign of which all were turned away would show nothing.
    assert {"answered", "refused", "ProviderFailure", "AnswerNotAccepted"} <= set(campaign.outcomes)


async def test_what_was_once_answered_wrongly_is_not_again() -> None:
    campaign = await judged(corpus())

    assert not campaign.findings, campaign.summary()


@pytest.mark.parametrize(
    ("wire", "wrong"),
    [
        pytest.param(b'{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}', "misread", id="text"),
        pytest.param(b'{"choices": []}', "though the reply was sound", id="failure"),
    ],
)
async def test_the_judge_of_this_fuzz_finds_what_is_wrong(wire: bytes, wrong: str) -> None:
    sound = next(found for found in (generated(SEED, "openai", n) for n in range(1, 500)) if found.expected.must_answer)
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"

    campaign = await judged([("mutant", Case("openai", head + wire, sound.expected, "mutant"))])

    (finding,) = campaign.findings
    assert any(wrong in sentence for sentence in finding.wrong)


def test_the_oracle_reads_by_none_of_our_code() -> None:
    module = ast.parse(Path(reading.__file__).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(module) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in ast.walk(module) if isinstance(node, ast.Import) for name in node.names}
    assert {name for name in imported if name and name.partition(".")[0] in PACKAGES} == set()


def test_a_seed_always_gives_the_same_case() -> None:
    assert generated("a", "gemini", 7) == generated("a", "gemini", 7)
    assert generated("a", "gemini", 7) != generated("b", "gemini", 7)
