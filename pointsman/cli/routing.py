"""`pointsman route`: where would a question go, and why? Calls nobody, and needs no server.

Where workers answer within about a second, the decision takes in how the providers are.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from pointsman.catalogue.view import CatalogueView
from pointsman.circumstances import Circumstances
from pointsman.cli import decision_page, fleet, json_lines, lots
from pointsman.cli.asking import AsJson
from pointsman.cli.decision_document import decision_document
from pointsman.cli.exits import Exit
from pointsman.cli.question import Limits, parse, question_from
from pointsman.config_file import from_environment, load
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.errors import InvalidQuestion
from pointsman.explanation.explain import Explanation, explained
from pointsman.explanation.kind import classified
from pointsman.health.told import Told
from pointsman.messages import Question
from pointsman.routing import UnknownName, decide
from pointsman.sentences import shortened
from pointsman.standing import Unknown


def route(
    prompt: Annotated[
        str | None, typer.Argument(metavar="PROMPT", help="The question; - reads standard input.")
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help='Decide many: {"prompt": ...} a line, one object out a line.'),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(metavar="T", help="A route of the configuration; with --file, of the lines that name none."),
    ] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration; else POINTSMAN_CONFIG.")] = None,
    as_json: AsJson = False,
) -> int:
    """Show where a question would go and why, without a call; no server is needed."""
    configuration = load(config or from_environment())
    if file is not None and prompt is None:
        for line in decided_lines(file, configuration, fleet.told, task):
            print(line)
        return Exit.DONE
    if prompt is None or file is not None:
        raise InvalidQuestion("give a PROMPT or --file, one of them")
    question = question_from(prompt, Limits(task=task))
    told = fleet.told()
    (decision, explanation), live = _decide(question, configuration, told), told.health is not None
    if as_json:
        print(json.dumps(decision_document(decision, explanation, live=live), ensure_ascii=False, indent=2))
    else:
        decision_page.print_decision(decision, explanation)
        print()
        print(f"{_knows(live=live)}; {_figures(decision)}; route reason {decision.reason}")
    return Exit.DONE if decision.candidates else Exit.FAILED


def _knows(*, live: bool) -> str:
    return "with the health that workers tell" if live else "health unknown: no worker tells it"


def _figures(decision: Decision) -> str:
    if decision.catalogue_version is None:
        return "figures as declared: no worker tells the catalogue"
    return f"figures {decision.figures}, catalogue version {decision.catalogue_version}"


def decided_lines(
    path: Path, configuration: Configuration, told: Callable[[], fleet.Fleet], task: str | None = None
) -> Iterator[str]:
    """The decision of each line of a file, explained, as a line of JSON; what comes before a fault is still told.

    `task` is that of the lines that name none.

    Raises:
        InvalidQuestion: the file cannot be read, or one of its lines is no question.
    """
    work = lots.Work(partial(_decided_lot, configuration=configuration, task=task), told)
    for found in work.results(list(json_lines.lines(path, "--file"))):
        yield from found.lines
        if found.fault is not None:
            raise InvalidQuestion(found.fault)


class _Decided(NamedTuple):
    """Lines of JSON, and what was wrong with the line after them."""

    lines: list[str]
    fault: str | None


def _decided_lot(
    numbered: Sequence[tuple[int, str]], told: fleet.Fleet, *, configuration: Configuration, task: str | None
) -> _Decided:
    given = {} if task is None else {"task": task}
    found: list[str] = []
    try:
        for number, line in numbered:
            with json_lines.told(number):
                question = parse({**given, **json_lines.fields(line, '{"prompt": "..."}')})
                decision, explanation = _decide(question, configuration, told)
            document = decision_document(decision, explanation, live=told.health is not None)
            found.append(json.dumps(document, ensure_ascii=False))
    except InvalidQuestion as fault:
        return _Decided(found, str(fault))
    return _Decided(found, None)


def _decide(question: Question, configuration: Configuration, told: fleet.Fleet) -> tuple[Decision, Explanation]:
    # Which questions a ramp or an upgrade's share takes goes by their id; one that is not asked has none but its text.
    health = Unknown() if told.health is None else Told(told.health, configuration, question.text, time.time())
    circumstances = Circumstances(
        health=health, catalogue=CatalogueView(told.catalogue), question_id=question.text, now=datetime.now(UTC)
    )
    try:
        classification, kind = classified(question, configuration)
        decision = decide(question, classification, configuration, circumstances)
    except UnknownName as fault:
        raise InvalidQuestion(shortened(str(fault))) from fault
    return decision, explained(question, configuration, decision, kind, circumstances)
