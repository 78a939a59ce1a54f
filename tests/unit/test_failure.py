"""The sentence of a question that nobody may answer."""

from __future__ import annotations

from pointsman.configuration import Configuration
from pointsman.contract import NO_CANDIDATE
from pointsman.failure import failure
from pointsman.messages import Question
from pointsman.progress import Progress
from tests.builders import QUERY_TYPES, configuration, decision, provider_table


def _outside() -> Configuration:
    """Providers a and b in every chain, c in none."""
    names = {name: provider_table() for name in ("a", "b")}
    return configuration(
        {**names, "c": provider_table(reasoning_depth=1.0, price={"input": 9.0, "output": 90.0})},
        query_types={kind: {"chain": ["a", "b"]} for kind in QUERY_TYPES},
    )


def _sentence(question: Question) -> str:
    kind, sentence, _ = failure(Progress(question), decision(question, _outside()), late=False)
    assert kind == NO_CANDIDATE
    return sentence


def test_an_allowed_provider_outside_the_chain_is_said_to_be_outside() -> None:
    assert _sentence(Question(prompt="hello", allow=("c",))) == (
        "No provider may answer this question. a: not_allowed (the question allows others only); b: not_allowed "
        "(the question allows others only); c: not_in_chain (the question allows it, and query_types.analysis does "
        "not hold it)"
    )


def test_a_provider_outside_the_chain_that_nobody_asked_for_is_not_told() -> None:
    assert "not_in_chain" not in _sentence(Question(prompt="hello", deny=("a", "b")))
