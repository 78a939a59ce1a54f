"""A decision on a terminal, explained so that one can disagree with it: within 80 columns, plain where it is piped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from pointsman.cli.rendering import money
from pointsman.complexity import LEAST, MOST
from pointsman.decision import Candidate, Decision
from pointsman.explanation.explain import Explanation
from pointsman.explanation.kind import KindReasons, Sign
from pointsman.explanation.sentences import condition, kind_in_words
from pointsman.explanation.what_if import WhatIf
from pointsman.printable import one_line
from pointsman.text_features import HEAD_CHARACTERS, TAIL_CHARACTERS

_WIDTH = 80
_MATCHED_CHARACTERS = 40
_READ = f"of so long a question the first {HEAD_CHARACTERS} and the last {TAIL_CHARACTERS} characters are read"


def print_decision(decision: Decision, explanation: Explanation) -> None:
    """Headings in bold on a terminal, and nothing but text elsewhere."""
    console = Console(highlight=False, soft_wrap=True)
    for line in page(decision, explanation):
        console.print(Text(line, style="" if line.startswith(" ") else "bold"))


def page(decision: Decision, explanation: Explanation) -> Iterator[str]:
    """The lines; what is no heading is indented."""
    yield from _wrapped(
        f"{decision.query_type} (confidence {decision.classification_confidence:.2f}, "
        f"complexity {decision.complexity:g}), chain {decision.route}"
    )
    yield ""
    yield f"Why {decision.query_type}"
    if explanation.in_part and explanation.kind.by == "model":
        yield from _wrapped(_READ, indent=2)
    yield from _kind(explanation.kind)
    if decision.complexity_reasons:
        yield ""
        yield f"Why complexity {decision.complexity:g}, of 1 to 5"
        if explanation.in_part:
            yield from _wrapped(_READ, indent=2)
        yield from _complexity(decision)
    yield ""
    yield from _wrapped(f"Who is asked: {explanation.rule}")
    yield from _candidates(decision)
    yield from _rejected(decision)
    yield ""
    yield "What would change it"
    yield from _what_ifs(decision, explanation.what_ifs)


def _kind(kind: KindReasons) -> Iterator[str]:
    yield from _wrapped(kind_in_words(kind), indent=2)
    for match in kind.matches:
        text = one_line(match.text)
        short = text if len(text) <= _MATCHED_CHARACTERS else f"{text[:_MATCHED_CHARACTERS]}..."
        yield from _wrapped(f"{match.query_type:<20}  {short!r}", indent=4)
    if kind.likeliest is None:
        return
    yield from _signs(kind.signs_for)
    yield from _signs(kind.signs_against)
    yield from _row("everything else together", "", f"{kind.others:+.2f}")
    yield from _wrapped(f"(added up, the logarithm of the odds of {kind.likeliest} over {kind.runner_up})", indent=4)


def _signs(signs: Iterable[Sign]) -> Iterator[str]:
    for sign in signs:
        shape = sign.seen_as == ("shape",)
        text = one_line(sign.text)
        yield from _row(text if shape else f'"{text}"', ", ".join(sign.seen_as), f"{sign.weight:+.2f}")


def _row(left: str, middle: str, right: str) -> Iterator[str]:
    line = f"    {left:<28} {middle:<36} {right:>7}"
    if len(line) <= _WIDTH:
        yield line
    else:
        yield f"    {left}"
        yield f"      {middle:<63}{right:>7}".rstrip()


def _complexity(decision: Decision) -> Iterator[str]:
    """To three places, as they are added up."""
    yield from _row("every question", "", f"{LEAST:+.3f}")
    for reason in decision.complexity_reasons:
        size = f"{reason.found} byte{'s'[: reason.found != 1]}" if reason.what == "length" else str(reason.found)
        yield from _row(reason.what, "" if reason.what.startswith("kind:") else size, f"{reason.points:+.3f}")
    beyond = MOST - LEAST - sum(reason.points for reason in decision.complexity_reasons)
    if beyond < 0:
        yield from _row(f"no question is above {MOST:g}", "", f"{beyond:+.3f}")


def _candidates(decision: Decision) -> Iterator[str]:
    if not decision.candidates:
        yield "  nobody may be asked"
    for place, candidate in enumerate(decision.candidates, start=1):
        yield from _candidate(place, candidate, decision.figures)
    if decision.panel is not None and len(decision.panel.members) > 1:
        yield from _wrapped(f"the stakes are high: {' and '.join(decision.panel.members)} at once", indent=2)
    if decision.reason != "primary":
        why, _, passed = decision.reason.partition(":")
        yield from _wrapped(f"{passed} would go first but for its health: {why.replace('_', ' ')}", indent=2)


def _candidate(place: int, candidate: Candidate, figures: str) -> Iterator[str]:
    terms = candidate.terms
    failing = f", {terms.error_rate:.1%} of calls failing" if terms.error_rate else ""
    standing = candidate.standing
    health = f", cooling: {standing.cooling}" if standing.cooling else (", ramping up" if standing.ramping else "")
    yield from _wrapped(
        f"{place}. {candidate.provider:<20} {candidate.score:.3f} = fit {terms.fit:.4f} "
        f"- cost {terms.cost_penalty:.4f} - latency {terms.latency_penalty:.4f}",
        indent=2,
    )
    yield from _wrapped(
        f"strength {terms.strength:g} ({figures}), reasoning match {terms.reasoning_match:g}{failing}; "
        f"{terms.latency_ms:.6g} ms ({'live' if terms.measured else figures}){health}",
        indent=5,
    )
    estimate = money(candidate.estimated_cost_usd)
    yield from _wrapped(f"{one_line(candidate.model)}, about {estimate} an answer", indent=5)


def _rejected(decision: Decision) -> Iterator[str]:
    for rejection in decision.rejected:
        if rejection.reason != "not_in_chain":
            detail = f" ({one_line(rejection.detail)})" if rejection.detail else ""
            yield from _wrapped(f"not {rejection.provider}: {rejection.reason}{detail}", indent=2)
    outside = [rejection.provider for rejection in decision.rejected if rejection.reason == "not_in_chain"]
    if outside:
        yield from _wrapped(f"not in the chain: {', '.join(outside)}", indent=2)


def _what_ifs(decision: Decision, what_ifs: tuple[WhatIf, ...]) -> Iterator[str]:
    choices = [found for found in what_ifs if found.candidate is None]
    for first in dict.fromkeys(found.first for found in choices):
        yield "  Nobody could be asked" if first is None else f"  {first} would go first"
        own = [found for found in choices if found.first == first]
        for found in own:
            if found.about != "type":
                yield from _wrapped(condition(found), indent=4)
        types = [str(found.to) for found in own if found.about == "type"]
        if types:
            yield from _wrapped(f"if it were taken for {' or '.join(types)}", indent=4)
    outside = {rejection.provider for rejection in decision.rejected if rejection.reason == "not_in_chain"}
    for found in what_ifs:
        if found.candidate is not None and found.candidate not in outside:
            yield f"  {found.candidate} would be a candidate"
            yield from _wrapped(condition(found), indent=4)
    able = [found.candidate for found in what_ifs if found.candidate in outside and len(found.settings) == 1]
    if able:
        yield from _wrapped(f"With a place in {decision.route}.chain: {', '.join(map(str, able))}", indent=2)
    if not what_ifs:
        yield "  no single figure that is looked at"


def _wrapped(text: str, indent: int = 0) -> list[str]:
    begin = " " * indent
    return wrap(text, _WIDTH, initial_indent=begin, subsequent_indent=begin + "  ", break_on_hyphens=False)
