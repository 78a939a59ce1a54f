"""Models put to the benchmark: figures by query type, told to the catalogue."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from temporalio.client import WorkflowFailureError

from activities import measure
from pointsman.benchmark.questions import read_benchmark
from pointsman.query_types import QueryType
from tests.fakes import Step, failing, reply
from tests.workflows.conftest import Pointsman, configuration
from tests.workflows.measuring import Measuring, refusal

pytestmark = pytest.mark.asyncio(loop_scope="module")

BENCHMARK = read_benchmark(
    "\n".join(
        json.dumps(
            {
                "id": f"{query_type}-{number}",
                "query_type": query_type,
                "prompt": f"{query_type}: what is 1 + {number}?",
                "checks": [{"check": "number", "value": 1 + number}],
            }
        )
        for query_type in QueryType
        for number in range(1, 5)
    )
)


@pytest_asyncio.fixture(loop_scope="module")
async def measuring(pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Measuring]:
    monkeypatch.setattr(measure.Measure.__init__, "__defaults__", (None, lambda: BENCHMARK))
    running = Measuring(pointsman)
    yield running
    await running.close()


def _answers(prompt: str) -> Step:
    """Right but for program text, and no answer at all to one analysis."""
    if prompt == "analysis: what is 1 + 2?":
        return failing()
    number = int(prompt.removesuffix("?").split()[-1])
    return reply("0" if prompt.startswith("code_task") else str(1 + number))


async def test_figures_are_kept_by_query_type(measuring: Measuring) -> None:
    measuring.says("alpha", _answers)
    await measuring.serve(configuration())
    report = await measuring.profile("alpha", samples=3)
    (profile,) = report.profiles
    told = {kind: (figures.samples, figures.answered, figures.passed) for kind, figures in profile.figures.items()}
    assert told == {
        QueryType.SIMPLE_FACTUAL: (3, 3, 3),
        QueryType.COMPLEX_REASONING: (3, 3, 3),
        QueryType.CREATIVE_GENERATION: (3, 3, 3),
        QueryType.CODE_TASK: (3, 3, 0),
        QueryType.ANALYSIS: (3, 2, 2),
    }
    figures = profile.figures[QueryType.CODE_TASK]
    assert (figures.mean_input_tokens, figures.mean_output_tokens) == (10, 5)
    assert figures.cost_usd == pytest.approx(3 * 60e-6)
    assert figures.p50_ms is not None
    assert (profile.benchmark, profile.model_served) == (BENCHMARK.digest, "model-2026-01-01")
    assert report.lacking() == {"alpha/openai/model-2026-01-01": (QueryType.ANALYSIS,)}
    assert [result.id for result in report.failing["alpha/openai/model-2026-01-01"]] == [
        *(f"code_task-{number}" for number in (1, 2, 3)),
        "analysis-2",
    ]
    assert (await measuring.document()).profiles["alpha/openai/model-2026-01-01"] == profile


async def test_all_enabled_providers_are_measured_by_default(measuring: Measuring) -> None:
    for name in ("alpha", "beta"):
        measuring.says(name, _answers)
    await measuring.serve(configuration(providers={"gamma": {"enabled": False}}))
    report = await measuring.profile(samples=1)
    assert [profile.provider for profile in report.profiles] == ["alpha", "beta"]


async def test_an_unknown_provider_is_refused_with_a_sentence(measuring: Measuring) -> None:
    await measuring.serve(configuration())
    with pytest.raises(WorkflowFailureError) as ended:
        await measuring.profile("omega")
    assert refusal(ended.value) == ("RunRefused", "'omega' is no provider; known: alpha, beta, gamma")
