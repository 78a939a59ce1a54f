"""The report of an evaluation, as `pointsman eval run --out FILE` writes it, as outcomes: a passed case scores 1."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from pointsman.errors import InvalidOutcomes
from pointsman.measuring.eval_report import EvalReport
from pointsman.tuning.outcomes import Outcome, Row


def report_in(text: str) -> EvalReport:
    """The report in a file.

    Raises:
        InvalidOutcomes: there is none.
    """
    try:
        return EvalReport.model_validate_json(text)
    except ValidationError:
        raise InvalidOutcomes(
            "a .json file is read as a report of `pointsman eval run --out FILE`, which this is not; "
            "give rows as .jsonl or .csv"
        ) from None


def rows(report: EvalReport) -> Iterator[Row]:
    """The cases that could be marked and whose cost is known; a line is the case's place."""
    for model in report.models:
        for place, case in enumerate(model.results, start=1):
            if case.outcome != "error" and case.cost_usd is not None:
                outcome = Outcome(float(case.outcome == "passed"), case.cost_usd, case.latency_ms, case.output_tokens)
                yield Row(place, case.id, model.provider, outcome, query_type=case.query_type, task=report.task)
