"""`pointsman tune`: what each policy would have cost and brought on known outcomes, and what to set."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.config_file import CONFIG_VARIABLE, load
from pointsman.configuration import Configuration
from pointsman.errors import InvalidOutcomes
from pointsman.ledger.settings import DEFAULT_URL, LedgerSettings
from pointsman.model_classifier import classifier_by
from pointsman.query_types import QueryType

if TYPE_CHECKING:
    from pointsman.ledger.entry import LedgerEntry
    from pointsman.tuning.outcomes import Asked, Outcomes
    from pointsman.tuning.report import TuningReport
    from pointsman.tuning.scored_ledger import Score
    from pointsman.tuning.snippet import Strengths

_DEFAULT = "default"
_MOST_NAMES = 1000


def tune(  # noqa: PLR0913 - one for each option
    *,
    outcomes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Rows with question (id or text), provider, score (0 to 1), cost_usd and, if known, latency_ms, "
            "prompt, query_type, task, output_tokens: JSON a line, or .csv. Read too: a .json report of `pointsman "
            "eval run --out`, and the published forms of ZeroEval and RouteLLM. docs/tuning.md tells more.",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="In place of --outcomes: rows with workflow_id, score (0 to 1) and, where several answered, provider; "
            "cost and latency come from the ledger.",
        ),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(metavar="URL", help='The ledger for --scores; "default" or none is that of the configuration.'),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Whose limits, prices and depths hold; else POINTSMAN_CONFIG, if it is set."),
    ] = None,
    keep: Annotated[
        float, typer.Option(metavar="SHARE", min=0.5, max=1.0, help="Of the best single provider's quality.")
    ] = 0.97,
    allow_gaps: Annotated[
        bool, typer.Option("--allow-gaps", help="Take questions too that not every provider has answered.")
    ] = False,
    sample: Annotated[
        int, typer.Option(metavar="N", min=5, max=20_000, help="At most so many questions, picked by chance.")
    ] = 2500,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where snippet and picture are written; nothing is overwritten.")
    ] = Path(),
    as_json: AsJson = False,
) -> int:
    """Tell what each policy would have cost and brought on outcomes that are known, and which weights to set.

    Prints the curve of cost and quality and writes it as NAME.tuning.svg, and the recommended weights with the
    measured strengths as NAME.tuning.toml. Calls nobody; strengths and weights are judged on other questions than they
    were learned from.
    """
    from pointsman.tuning.tuned import Settings, tuned  # noqa: PLC0415 - help needs none of this

    if (outcomes is None) == (scores is None):
        raise InvalidOutcomes("give --outcomes FILE, or --scores FILE to join with the ledger, one of them")
    if ledger is not None and scores is None:
        raise InvalidOutcomes("--ledger: it is joined with scores; give them by --scores FILE")
    configuration = _configuration(config)
    _writable(out)
    source, known = _from_file(outcomes, allow_gaps) if outcomes else _from_ledger(scores, ledger, configuration)
    typed = known.sampled(sample).typed(_kind(configuration))
    settings = (
        Settings(keep=keep)
        if configuration is None
        else Settings(keep=keep, scoring=configuration.scoring, owned=configuration.providers, fixed=True)
    )
    try:
        report = tuned(source, typed, settings)
    except InvalidOutcomes as fault:
        raise InvalidOutcomes(f"--{'outcomes' if outcomes else 'scores'}: {outcomes or scores}: {fault}") from None
    declared = {name: one.strengths for name, one in settings.owned.items()}
    written = _write(report, out, (outcomes or scores or Path("outcomes")).stem, declared)
    if as_json:
        print(json.dumps({**report.model_dump(mode="json"), "written": written}, ensure_ascii=False, indent=2))
    else:
        from pointsman.cli.tuning_table import print_report  # noqa: PLC0415 - only to show something

        print_report(report)
        print(f"written: {', '.join(written)}")
    return Exit.DONE


def _configuration(config: Path | None) -> Configuration | None:
    path = config or (Path(os.environ[CONFIG_VARIABLE]) if os.environ.get(CONFIG_VARIABLE) else None)
    return None if path is None else load(path)


def _from_file(path: Path, allow_gaps: bool) -> tuple[str, Outcomes]:  # noqa: FBT001 - the option as it is
    from pointsman.tuning.outcome_file import read  # noqa: PLC0415 - as above

    return path.name, read(path, allow_gaps=allow_gaps, kind=_by_text())


def _from_ledger(path: Path | None, url: str | None, configuration: Configuration | None) -> tuple[str, Outcomes]:
    from pointsman.masking import masked_url  # noqa: PLC0415 - as above
    from pointsman.tuning.outcome_file import numbered  # noqa: PLC0415
    from pointsman.tuning.scored_ledger import joined, scores  # noqa: PLC0415

    where = _address(url, configuration)
    path = path or Path()
    try:
        found = scores(numbered(path))
        known = joined(found, _entries(where, found))
    except InvalidOutcomes as fault:
        raise InvalidOutcomes(f"--scores: {path}: {fault}") from None
    return f"{path.name} and {masked_url(where)}", known


def _address(url: str | None, configuration: Configuration | None) -> str:
    if url in {None, _DEFAULT}:
        return DEFAULT_URL if configuration is None else configuration.ledger.url
    try:
        return LedgerSettings(url=url or "").url
    except ValueError:
        raise InvalidOutcomes(
            "--ledger: not a ledger; give sqlite:///PATH/ledger.db or postgresql://HOST/DATABASE"
        ) from (None)


def _entries(url: str, found: list[Score]) -> list[LedgerEntry]:
    from pointsman.ledger.database import Ledger  # noqa: PLC0415 - the database's package takes a while to load
    from pointsman.ledger.entry import LedgerUnavailable  # noqa: PLC0415

    names = {score.row.workflow_id for score in found}
    ledger = Ledger.open(url)
    try:
        if len(names) > _MOST_NAMES:
            return [entry for entry in ledger.rows() if entry.workflow_id in names]
        return [entry for name in names for entry in ledger.rows(workflow_id=name)]
    except LedgerUnavailable as fault:
        raise InvalidOutcomes(f"the ledger cannot be read: {fault}") from None
    finally:
        ledger.close()


def _kind(configuration: Configuration | None) -> Callable[[Asked], QueryType]:
    """A question's type: its task's, where that is a route; else by its text."""
    routes = {} if configuration is None else configuration.routes
    by_text = _by_text()

    def kind(one: Asked) -> QueryType:
        route = routes.get(one.task or "")
        return by_text(one.text) if route is None else route.query_type

    return kind


def _by_text() -> Callable[[str], QueryType]:
    classifier = classifier_by("model")
    return lambda text: classifier.classify(text).query_type


def _writable(folder: Path) -> None:
    """Refuse a folder that nothing can be written to before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        raise InvalidOutcomes(f"--out: {folder} cannot be written to ({fault.strerror}); name another folder") from None


def _write(report: TuningReport, folder: Path, stem: str, declared: Mapping[str, Strengths]) -> list[str]:
    """Snippet and picture under the first name that is free: nothing is overwritten."""
    from pointsman.tuning.picture import svg  # noqa: PLC0415 - as above
    from pointsman.tuning.snippet import snippet  # noqa: PLC0415

    texts = {"toml": snippet(report, declared), "svg": svg(report)}
    number = 1
    while True:
        name = f"{stem}.tuning" if number == 1 else f"{stem}.tuning-{number}"
        paths = {kind: folder / f"{name}.{kind}" for kind in texts}
        if not any(path.exists() for path in paths.values()):
            break
        number += 1
    try:
        for kind, path in paths.items():
            with path.open("x", encoding="utf-8") as file:
                file.write(texts[kind])
    except OSError as fault:
        raise InvalidOutcomes(f"--out: {folder} cannot be written to ({fault.strerror}); name another folder") from None
    return [str(path) for path in paths.values()]
