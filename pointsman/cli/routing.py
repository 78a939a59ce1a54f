"""`pointsman route`: where would a question go, and why? Calls nobody, and needs no server.

Where workers answer within about a second, the decision takes in how the providers are.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pointsman.cli import fleet, json_lines, rendering
from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.cli.question import Limits, parse, question_from
from pointsman.config_file import from_environment, load
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.errors import InvalidQuestion
from pointsman.health.told import Told
from pointsman.messages import Question
from pointsman.model_classifier import classifier_by
from pointsman.routing import UnknownName, classify, decide
from pointsman.sentences import shortened

if TYPE_CHECKING:
    from pointsman.health.snapshot import Snapshot


def route(
    prompt: Annotated[
        str | None, typer.Argument(metavar="PROMPT", help="The question; - reads standard input.")
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help='Decide many: {"prompt": ...} a line, one object out a line.'),
    ] = None,
    task: Annotated[str | None, typer.Option(metavar="T", help="A route of the configuration.")] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration; else POINTSMAN_CONFIG.")] = None,
    as_json: AsJson = False,
) -> int:
    """Show where a question would go and why, without a call; no server is needed."""
    configuration = load(config or from_environment())
    if file is not None and prompt is None:
        for line in _lines(file, configuration):
            print(line)
        return Exit.DONE
    if prompt is None or file is not None:
        raise InvalidQuestion("give a PROMPT or --file, one of them")
    question = question_from(prompt, Limits(task=task))
    told = fleet.snapshot()
    decision = _decide(question, configuration, told)
    if as_json:
        print(json.dumps(decision_document(decision, live=told is not None), ensure_ascii=False, indent=2))
    else:
        rendering.print_decision(decision)
        print(f"{_knows(live=told is not None)}; route reason {decision.reason}")
    return Exit.DONE if decision.candidates else Exit.FAILED


def decision_document(decision: Decision, *, live: bool = False) -> dict[str, Any]:
    """A decision as the JSON of `pointsman route --json`; `live` says whether it knew how the providers are."""
    return {
        "health": "live" if live else "unknown",
        "query_type": decision.query_type,
        "confidence": decision.classification_confidence,
        "complexity": decision.complexity,
        "route": decision.route,
        "reason": decision.reason,
        "candidates": [
            {
                "provider": candidate.provider,
                "model": candidate.model,
                "score": candidate.score,
                "terms": candidate.terms.model_dump(mode="json"),
                "estimated_cost_usd": candidate.estimated_cost_usd,
                "cooling": candidate.standing.cooling,
                "ramping": candidate.standing.ramping,
            }
            for candidate in decision.candidates
        ],
        "rejected": [rejection.model_dump(mode="json") for rejection in decision.rejected],
    }


def _knows(*, live: bool) -> str:
    return "with the health that workers tell" if live else "health unknown: no worker tells it"


def _lines(path: Path, configuration: Configuration) -> Iterator[str]:
    numbered = json_lines.lines(path, "--file")
    health = fleet.snapshot()
    for number, line in numbered:
        with json_lines.told(number):
            question = parse(json_lines.fields(line, '{"prompt": "..."}'))
            decision = _decide(question, configuration, health)
        yield json.dumps(decision_document(decision, live=health is not None), ensure_ascii=False)


def _decide(question: Question, configuration: Configuration, told: Snapshot | None) -> Decision:
    # Which questions a ramp lets through goes by their id; one that is not asked has none but its text.
    health = None if told is None else Told(told, configuration, question.text, time.time())
    try:
        classification = classify(question, configuration, classifier_by(configuration.classification.by))
        return decide(question, classification, configuration, lambda _: 0, health)
    except UnknownName as fault:
        raise InvalidQuestion(shortened(str(fault))) from fault
