"""Whether the context of a question supports what its answer says.

A claim is held against the records that it cites, and is not supported where it cites none or one that is not there. An
answer without claims is held, sentence by sentence, against the whole context. By which rule a text supports a
statement, `pointsman.examination.source` says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from pydantic import ValidationError

from pointsman.examination.source import Source, sentences
from pointsman.messages import ContextRecord
from pointsman.outcomes import Claim

_STATEMENTS = 200
"""Of an answer, from its beginning."""
_SHOWN = 80


@dataclass(frozen=True)
class Support:
    """How much of what an answer says its context supports."""

    statements: int
    unsupported: tuple[str, ...]
    """A sentence for each statement that is not supported."""

    @property
    def share(self) -> float | None:
        """Of its statements; `None` where it makes none."""
        return 1 - len(self.unsupported) / self.statements if self.statements else None


def support(
    text: str, context: Sequence[ContextRecord], *, parsed: Any = None, claims: Sequence[Claim] = ()
) -> Support:
    """Hold an answer against the context of its question.

    Claims count, else those of a `parsed` object's field `claims`, else the sentences of its texts or of `text`.
    """
    made = tuple(claims) or tuple(_claims_in(parsed))
    records = {record.id: record.text for record in context}
    if made:
        looked_at = made[:_STATEMENTS]

        @cache
        def source_of(cited: tuple[str, ...]) -> Source:
            return Source("\n".join(records[source] for source in cited))

        reasons = [_fault_of_claim(claim, records, source_of) for claim in looked_at]
        said = [claim.text for claim in looked_at]
    else:
        source = Source("\n".join(records.values()))
        said = list(islice(sentences(_texts(parsed, records) if parsed is not None else [text]), _STATEMENTS))
        reasons = [source.fault_of(sentence) for sentence in said]
    faults = [f"{_shown(one)}: {why}" for one, why in zip(said, reasons, strict=True) if why is not None]
    return Support(statements=len(said), unsupported=tuple(faults))


def grounded_share(
    text: str, context: Sequence[ContextRecord], *, parsed: Any = None, claims: Sequence[Claim] = ()
) -> float | None:
    """Share of an answer's claims, or of its sentences where it makes none, that the context supports."""
    return support(text, context, parsed=parsed, claims=claims).share


def _fault_of_claim(
    claim: Claim, records: dict[str, str], source_of: Callable[[tuple[str, ...]], Source]
) -> str | None:
    if not claim.sources:
        return "it cites no source"
    unknown = [source for source in claim.sources if source not in records]
    if unknown:
        return f"it cites {unknown[0]!r:.80}, which is not in the context"
    return source_of(claim.sources).fault_of(claim.text)


def _claims_in(parsed: Any) -> Iterator[Claim]:
    listed = parsed.get("claims") if isinstance(parsed, dict) else None
    for entry in listed if isinstance(listed, list) else ():
        try:
            yield Claim.model_validate(entry)
        except ValidationError:
            # Not a claim as the claims form has it; then it is a text like any other.
            continue


def _texts(parsed: Any, records: dict[str, str]) -> Iterator[str]:
    """The texts of a JSON value, those aside that only name a record."""
    if isinstance(parsed, str) and parsed not in records:
        yield parsed
    elif isinstance(parsed, bool | int | float):
        yield json.dumps(parsed) if not isinstance(parsed, bool) else ""
    elif isinstance(parsed, dict | list):
        for inner in parsed.values() if isinstance(parsed, dict) else parsed:
            yield from _texts(inner, records)


def _shown(statement: str) -> str:
    text = " ".join(statement.split())
    return f"{text[:_SHOWN]!r}{'…' if len(text) > _SHOWN else ''}"
