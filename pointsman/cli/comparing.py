"""`pointsman compare`: do two answers to one question agree, and where do they part? Calls nobody, needs no server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from pointsman.cli import json_lines
from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.cli.rendering import printable
from pointsman.divergence.settings import DetectorName, DivergenceSettings
from pointsman.errors import InvalidQuestion

if TYPE_CHECKING:
    from pointsman.divergence.comparison import Comparison

_OPTION = re.compile(r"--[a-z][a-z-]*(=.*)?")
_EXAMPLE = '{"question": "...", "a": "...", "b": "..."}'


def compare(  # noqa: PLR0913 - one parameter per option
    a: Annotated[str | None, typer.Argument(metavar="A", help="An answer.")] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="The other answer.")] = None,
    *,
    question: Annotated[
        str | None, typer.Option(metavar="Q", help="What both answer; without it their kind is guessed.")
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help='Compare many: {"question", "a", "b"} a line, one object out a line.'),
    ] = None,
    detector: Annotated[
        str, typer.Option(metavar="NAME", help="default, or jaccard: the share of common words.")
    ] = "default",
    as_json: AsJson = False,
) -> int:
    """Tell whether two answers agree, and if not, where they part: agree, disagree or cannot_tell."""
    settings = _settings(detector)
    if pairs is not None and a is None:
        for line in _lines(pairs, question, settings):
            print(line)
        return Exit.DONE
    if a is None or b is None or pairs is not None:
        raise InvalidQuestion("give A and B or --pairs, one of them")
    for answer in (a, b):
        if _OPTION.fullmatch(answer):
            raise InvalidQuestion(f"no such option: {answer.partition('=')[0]}; see `pointsman compare --help`")
    found = _compared(a, b, question, settings)
    print(json.dumps(found.model_dump(), ensure_ascii=False, indent=2) if as_json else printable(_in_words(found)))
    return Exit.DONE


def _settings(detector: str) -> DivergenceSettings:
    names = get_args(DetectorName)
    if detector not in names:
        raise InvalidQuestion(f"--detector: no detector is called {detector!r}; known are {' and '.join(names)}")
    return DivergenceSettings.model_validate({"detector": detector})


def _lines(path: Path, question: str | None, settings: DivergenceSettings) -> Iterator[str]:
    for number, line in json_lines.lines(path, "--pairs"):
        with json_lines.told(number):
            pair = json_lines.fields(line, _EXAMPLE)
            texts = [_text(pair, name) for name in ("a", "b")]
            asked = _text(pair, "question") if pair.get("question") is not None else question
        yield json.dumps(_compared(texts[0], texts[1], asked, settings).model_dump(), ensure_ascii=False)


def _text(pair: dict[str, Any], name: str) -> str:
    if name not in pair:
        raise InvalidQuestion(f"{name}: missing; it is required")
    value = pair[name]
    if not isinstance(value, str):
        raise InvalidQuestion(f"{name}: should be a text")
    return value


def _compared(a: str, b: str, question: str | None, settings: DivergenceSettings) -> Comparison:
    # Its many patterns take a moment to compile, which only this command is worth.
    from pointsman.divergence.detector import compare as compare_answers  # noqa: PLC0415

    return compare_answers(a, b, question=question, settings=settings)


def _in_words(found: Comparison) -> str:
    parts = (f"  {point.what}: {point.why}\n    A  {point.a}\n    B  {point.b}" for point in found.differences)
    said = found.verdict.replace("_", " ")
    return "\n".join([f"{said} (by the rule {found.detector}, similarity {found.similarity:g})", *parts])
