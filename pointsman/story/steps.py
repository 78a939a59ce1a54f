"""What happened to a question, a sentence a step: facts in, steps out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from pointsman.call import Completion, FailedCall
from pointsman.decision import Decision
from pointsman.phrases import attempted, classifier_words, paid, passed_over, rejected, span
from pointsman.reconciliation import Reconciliation
from pointsman.story.facts import (
    Announced,
    Answered,
    CallCancelled,
    Called,
    CallEnded,
    CancelRequested,
    ClassifiedAs,
    Compared,
    Decided,
    Ended,
    Fact,
    ReviewOpened,
    ReviewSent,
    ShadowStarted,
    StepFailed,
    TaskFailed,
    TimerFired,
    TimerSet,
    TokenAsked,
)
from pointsman.story.wording import END_WORDS, completed_words, cut_off_words, failed_words, offset, review_words

_HEDGE_DELAYS = 0.005
"""A timer without a summary that is shorter only parts the calls of a panel into two tasks."""
_DIFFERENCES_SHOWN = 10
_AFTER_TIMEOUT = {"best": "the surest answer is given", "fail": "the question fails", "extend": "it waits on"}


class Step(BaseModel):
    """Something that happened, in words."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    after_s: float
    """Seconds since the question was asked."""
    text: str
    details: tuple[str, ...] = ()


class Teller:
    """Tells one fact after another; remembers what a later one refers to."""

    def __init__(self, asked_at: datetime) -> None:
        """`asked_at` is when the time of the story begins."""
        self._asked_at = asked_at
        self._decision: Decision | None = None
        self._calls: dict[int, Called] = {}
        self._timers: dict[str, TimerSet] = {}
        self._late = False
        """Whether the delay of a hedge has just passed, so that the budget is asked for one."""
        self._compared = False
        self._cancelled = False
        self._reviewed = False
        self._winner = ""

    def tell(self, facts: Sequence[Fact]) -> tuple[Step, ...]:
        """The steps of these facts, in the order of their times."""
        told = [(fact.at, *self._told(fact)) for fact in facts]
        steps = [
            Step(at=at, after_s=round((at - self._asked_at).total_seconds(), 3), text=text, details=details)
            for at, text, details in told
            if text
        ]
        # Two calls at once may have been recorded in another order than they ended in.
        return tuple(sorted(steps, key=lambda step: step.at))

    def _told(self, fact: Fact) -> tuple[str, tuple[str, ...]]:
        match fact:
            case CallEnded():
                return self._call_ended(fact)
            case Compared():
                return self._compare(fact.found)
            case _:
                return self._of_call(fact) or self._of_decision(fact) or self._of_review(fact) or self._of_end(fact), ()

    def _of_call(self, fact: Fact) -> str:
        match fact:
            case Called():
                return self._called(fact)
            case CallCancelled():
                return self._call_cancelled(fact)
            case TokenAsked():
                return self._token(fact)
            case TimerSet() | TimerFired():
                return self._timer(fact)
            case _:
                return ""

    def _of_decision(self, fact: Fact) -> str:
        match fact:
            case ClassifiedAs():
                return self._classified(fact)
            case Decided():
                return self._decided(fact)
            case ShadowStarted():
                return self._shadow(fact)
            case StepFailed():
                return f"the step {fact.step or 'of the worker'} failed: {fact.message}"
            case _:
                return ""

    def _of_review(self, fact: Fact) -> str:
        match fact:
            case ReviewOpened():
                return self._review_opened()
            case ReviewSent():
                return self._review_sent(fact)
            case Announced():
                return f"the webhook was {'' if fact.told else 'not '}told of the review"
            case _:
                return ""

    def _of_end(self, fact: Fact) -> str:
        match fact:
            case TaskFailed():
                return f"a worker could not go on, and one tries again: {fact.message}"
            case CancelRequested():
                self._cancelled = True
                return "somebody asks for it to be cancelled"
            case Answered():
                return "the answer is given"
            case Ended():
                return END_WORDS[fact.how]
            case _:
                return ""

    def _classified(self, fact: ClassifiedAs) -> str:
        found = fact.classified.classification
        who = classifier_words(found.classifier)
        told = f"classified as {found.query_type} by {who}, confidence {found.confidence:.2f}"
        opinion = fact.classified.second_opinion
        return told if opinion is None else f"{told}; {opinion.candidate.provider} is asked for a second opinion"

    def _decided(self, fact: Decided) -> str:
        again = "decided anew" if self._decision is not None else "decided"
        self._decision = fact.decision
        names = ", ".join(candidate.provider for candidate in fact.decision.candidates)
        if names:
            over = "" if fact.decision.reason == "primary" else f" ({fact.decision.reason})"
            return f"{again}: {names}, in this order{over}"
        out = "; ".join(rejected(rejection) for rejection in passed_over(fact.decision))
        return f"{again}: nobody may be asked{f' ({out})' if out else ''}"

    def _called(self, fact: Called) -> str:
        self._calls[fact.leg] = fact
        who = f"{fact.provider} ({fact.model})"
        if fact.purpose == "classification":
            return f"{who} is asked what kind of question this is"
        if fact.hedge:
            return f"{who} is asked too: a hedge"
        panel = None if self._decision is None else self._decision.panel
        if panel is not None and fact.provider in panel.members and panel.can_compare:
            return f"{who} is asked, as one of a panel"
        if panel is not None and fact.provider in panel.reserves:
            return f"{who} is asked in the place of one that failed"
        delay = (
            ""
            if fact.hedge_delay_s is None or not self._hedges
            else (f"; a second one too if there is no answer within {span(fact.hedge_delay_s)}")
        )
        return f"{who} is asked{delay}"

    @property
    def _hedges(self) -> bool:
        return self._decision is not None and self._decision.hedge

    def _call_ended(self, fact: CallEnded) -> tuple[str, tuple[str, ...]]:
        name, outcome = self._name(fact.leg), fact.outcome
        if isinstance(outcome, Completion):
            text, rows = completed_words(name, outcome, self._decision), outcome.attempts
            self._winner = name
        elif isinstance(outcome, FailedCall):
            text, rows = failed_words(name, outcome.fault), outcome.attempts
        else:
            text, rows = cut_off_words(name, outcome), fact.left
            self._winner = name if outcome == "answered_unread" else self._winner
        # The last row is that of the attempt whose times the history holds, where that one left a row at all.
        last = next((row for row in rows if row.attempt == fact.attempt), None)
        facts = [self._times(fact), *([paid(last)] if last is not None else [])]
        earlier = [f"{attempted(row)}, {paid(row)}" for row in rows if row is not last]
        if fact.attempt - 1 > len(earlier):
            why = f": {fact.before}" if fact.before else ""
            earlier.append(f"{name}, attempt {fact.attempt - 1}: its worker left no word of it{why}")
        return f"{text} ({', '.join(part for part in facts if part)})".removesuffix(" ()"), tuple(earlier)

    def _times(self, fact: CallEnded) -> str:
        if fact.started is None:
            return ""
        started, ended = fact.started - self._asked_at, fact.at - self._asked_at
        return f"attempt {fact.attempt}, {offset(started.total_seconds())} to {offset(ended.total_seconds())}"

    def _call_cancelled(self, fact: CallCancelled) -> str:
        why = (
            "the question is cancelled"
            if self._cancelled
            else "the vote is settled"
            if self._compared
            else f"{self._winner} was first"
            if self._winner
            else "it is not needed any more"
        )
        return f"the call to {self._name(fact.leg)} is cancelled: {why}"

    def _token(self, fact: TokenAsked) -> str:
        hedge, self._late = self._late, False
        if hedge:
            return "the retry budget grants a hedge" if fact.granted else "the retry budget denies a hedge"
        return f"the retry budget {'grants' if fact.granted else 'denies'} a further call"

    def _compare(self, found: Reconciliation) -> tuple[str, tuple[str, ...]]:
        self._compared = found.settled
        groups = " | ".join(" = ".join(group) for group in found.votes)
        alike = "" if found.similarity is None else f", similarity {found.similarity:.2f}"
        details = [f"{groups} (compared by {found.detector}{alike})"]
        details += [difference.in_words for difference in found.differences[:_DIFFERENCES_SHOWN]]
        return f"answers compared: {found.outcome.replace('_', ' ')}, {found.why}", tuple(details)

    def _timer(self, fact: TimerSet | TimerFired) -> str:
        if isinstance(fact, TimerSet):
            self._timers[fact.timer] = fact
            waits = fact.summary and not _of_review(fact)
            return f"waits {span(fact.seconds)} {fact.summary}" if waits else ""
        timer = self._timers.get(fact.timer)
        if timer is None or timer.seconds < _HEDGE_DELAYS:
            return ""
        if _of_review(timer):
            return "nobody has decided the review yet"
        if timer.summary:
            return ""
        self._late = True
        return f"no answer within {span(timer.seconds)}"

    def _review_opened(self) -> str:
        panel = None if self._decision is None else self._decision.panel
        if panel is None:
            return "a person is to decide"
        terms = panel.review
        return f"a person is to decide within {span(terms.timeout_s)}; after that {_AFTER_TIMEOUT[terms.on_timeout]}"

    def _review_sent(self, fact: ReviewSent) -> str:
        late = ", too late: it was decided before" if self._reviewed else ""
        self._reviewed = self._reviewed or fact.review is not None
        return f"{review_words(fact.review)} (by {'signal' if fact.by_signal else 'update'}){late}"

    def _shadow(self, fact: ShadowStarted) -> str:
        plan = None if self._decision is None else self._decision.shadow
        model = "a new model" if plan is None else f"{plan.candidate.model}, the new model of {plan.provider},"
        if not fact.workflow_id:
            return f"{model} was to be asked besides, and its workflow could not be started"
        return f"{model} is asked besides, which the question neither waits nor pays for ({fact.workflow_id})"

    def _name(self, leg: int) -> str:
        call = self._calls.get(leg)
        return "a provider" if call is None else call.provider


def _of_review(timer: TimerSet) -> bool:
    return "review" in timer.summary
