"""The activities that measure: who is put to which questions, the next of these, and the marks for an answer.

Each works from the configuration, the suites and the benchmark of the process it runs in; the digest that a sitting
carries tells when these are other ones than those it was planned with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.process_catalogue import ProcessCatalogue
from pointsman.benchmark.questions import Benchmark, BenchmarkQuestion, benchmark
from pointsman.call import ProviderCall
from pointsman.candidacy import Candidacy
from pointsman.catalogue.upgrade import SERVING
from pointsman.classification import of_type
from pointsman.configuration import Configuration, Route
from pointsman.examination.marking import mark
from pointsman.examination.marks import Marks
from pointsman.measuring.request import EvalRequest, ProfileRequest
from pointsman.measuring.sitting import Judges, Lot, LotRequest, MarkRequest, Plan, PlannedQuestion, Sitting
from pointsman.measuring_contract import RUN_REFUSED
from pointsman.provider import Price, Provider
from pointsman.query_types import QueryType

AT_ONCE = 4
"""Questions under way at one provider: measuring shares its rate limit with those that somebody waits for."""
MAX_ATTEMPTS = 3
LOT_QUESTIONS = 20
LOT_BYTES = 400_000
MOST_ANSWERS = 2_000
"""Of one run: their results travel in one payload."""
_DEADLINE_S = 300.0
_TIMEOUTS = 4
_CALLS_A_MINUTE = 10


class Measure:
    """Plans and marks."""

    def __init__(
        self,
        configuration: Configuration,
        catalogue: ProcessCatalogue | None = None,
        questions: Callable[[], Benchmark] = benchmark,
    ) -> None:
        """`catalogue` tells which models serve; `questions` gives the benchmark, read when it is first needed."""
        self._configuration = configuration
        self._catalogue = catalogue or ProcessCatalogue(configuration)
        self._benchmark = questions

    @activity.defn
    async def plan_eval(self, request: EvalRequest) -> Plan:
        """Who is put to a task's suite.

        Raises:
            ApplicationError: the task has no suite, or a provider does not exist or is not enabled.
        """
        suite = self._configuration.suites.get(request.task)
        if suite is None:
            raise _refused(self._no_suite(request.task))
        digest = suite.digest
        names = request.providers or self._enabled(self._configuration.routes[request.task].chain)
        sittings = [
            Sitting(
                purpose="eval",
                provider=name,
                model=model,
                price=price,
                task=request.task,
                digest=digest,
                questions=len(suite.cases),
            )
            for name, model, price in self._sitters(names, request.models, request.prices)
        ]
        return Plan(
            sittings=_together(sittings), digest=digest, description=suite.description, threshold=suite.threshold
        )

    @activity.defn
    async def plan_profile(self, request: ProfileRequest) -> Plan:
        """Who is put to the benchmark.

        Raises:
            ApplicationError: a provider does not exist or is not enabled.
        """
        digest = self._benchmark().digest
        questions = len(self._sample(request.samples))
        names = request.providers or self._enabled(self._configuration.providers)
        sittings = [
            Sitting(
                purpose="profile",
                provider=name,
                model=model,
                price=price,
                samples=request.samples,
                digest=digest,
                questions=questions,
            )
            for name, model, price in self._sitters(names, request.models, request.prices)
        ]
        return Plan(sittings=_together(sittings), digest=digest)

    @activity.defn
    async def next_lot(self, request: LotRequest) -> Lot:
        """The next questions of a sitting, as calls; none of the filters of a decision is asked.

        Raises:
            ApplicationError: the questions are not those that the sitting was planned with.
        """
        return await asyncio.to_thread(self._lot, request.sitting, request.start)

    @activity.defn
    async def mark_answer(self, request: MarkRequest) -> Marks:
        """How what came of one question stands its checks.

        Raises:
            ApplicationError: the questions are not those that the sitting was planned with.
        """
        question = next((one for one in self._questions(request.sitting) if one.id == request.question), None)
        if question is None:
            raise _changed(request.sitting)
        # Long answers take a while to be read, in which this process's calls must go on.
        return await asyncio.to_thread(mark, question, request.outcome)

    def _lot(self, sitting: Sitting, start: int) -> Lot:
        questions = self._questions(sitting)
        provider = self._provider(sitting)
        planned: list[PlannedQuestion] = []
        size = 0
        for question in questions[start : start + LOT_QUESTIONS]:
            call = self._call(sitting, provider, question)
            size += len(call.model_dump_json())
            if planned and size > LOT_BYTES:
                break
            planned.append(PlannedQuestion(id=question.id, query_type=question.query_type, call=call))
        end = start + len(planned)
        return Lot(
            questions=tuple(planned),
            following=end if end < len(questions) else None,
            at_once=_at_once(provider),
            max_attempts=MAX_ATTEMPTS,
            limits=self._configuration.retry.limits(),
            judges=self._judges(sitting, provider),
        )

    def _call(self, sitting: Sitting, provider: Provider, question: BenchmarkQuestion) -> ProviderCall:
        limits = self._configuration.retry.limits()
        task = self._configuration.routes.get(sitting.task)
        route = Route(chain=(sitting.provider,), timeout_s=None if task is None else task.timeout_s)
        asked = question.question()
        kind = of_type(question.query_type, 1.0, classifier=sitting.purpose)
        candidacy = Candidacy(asked, kind, route, self._configuration.scoring, asked.response_schema)
        candidate = candidacy.candidate(sitting.provider, provider)
        deadline_s = max(_DEADLINE_S, _TIMEOUTS * candidate.timeout_s)
        return ProviderCall(
            question=asked.model_copy(update={"deadline_s": deadline_s}),
            candidate=candidate,
            retry=limits.retry,
            # Nobody else can answer for it: what is worth another try here is tried.
            last_candidate=True,
            purpose=sitting.purpose,
            query_type=str(question.query_type),
        )

    def _questions(self, sitting: Sitting) -> tuple[BenchmarkQuestion, ...]:
        if sitting.purpose == "profile":
            if self._benchmark().digest != sitting.digest:
                raise _changed(sitting)
            return self._sample(sitting.samples)
        suite = self._configuration.suites.get(sitting.task)
        if suite is None or suite.digest != sitting.digest:
            raise _changed(sitting)
        query_type = self._configuration.routes[sitting.task].query_type
        # A suite's checks are validated when it is read; here they are only copied.
        return tuple(BenchmarkQuestion.model_construct(**dict(case), query_type=query_type) for case in suite.cases)

    def _sample(self, samples: int) -> tuple[BenchmarkQuestion, ...]:
        return tuple(question for kind in QueryType for question in self._benchmark().sample(kind, samples))

    def _provider(self, sitting: Sitting) -> Provider:
        provider = self._configuration.providers.get(sitting.provider)
        if provider is None or not provider.enabled:
            raise _changed(sitting)
        return provider.model_copy(update={"model": sitting.model, "price": sitting.price})

    def _judges(self, sitting: Sitting, judged: Provider) -> Judges | None:
        suite = self._configuration.suites.get(sitting.task)
        if suite is None or suite.judge is None:
            return None
        providers = self._configuration.providers
        deny = tuple(name for name, other in providers.items() if other.vendor_name == judged.vendor_name)
        return Judges(task=suite.judge, deny=deny)

    def _enabled(self, names: Sequence[str] | Mapping[str, Provider]) -> tuple[str, ...]:
        return tuple(name for name in names if self._configuration.providers[name].enabled)

    def _sitters(
        self, names: tuple[str, ...], models: Mapping[str, str], prices: Mapping[str, Price]
    ) -> list[tuple[str, str, Price | None]]:
        """Provider, model and its price of each."""
        if not names:
            raise _refused("no provider is enabled that could be asked; enable one in the configuration")
        found: list[tuple[str, str, Price | None]] = []
        for name in dict.fromkeys(names):
            provider = self._configuration.providers.get(name)
            if provider is None:
                raise _refused(f"{name!r} is no provider; known: {', '.join(self._configuration.providers)}")
            if not provider.enabled:
                raise _refused(f"{name} is not enabled, so no worker asks it; enable it in the configuration")
            wanted = models.get(name)
            if wanted is None:
                found += [(name, model, price) for model, price in self._serving(name, provider)]
            else:
                price = prices.get(name, provider.price if wanted == provider.model else None)
                found.append((name, wanted, price))
        return found

    def _serving(self, name: str, provider: Provider) -> list[tuple[str, Price | None]]:
        """The models that answer questions at a provider: two while an upgrade is promoted by shares."""
        configured = (provider.model, provider.price)
        plan = self._catalogue.view.upgrade(name, provider)
        if plan is None or plan.stage not in SERVING or plan.share <= 0:
            return [configured]
        new = (plan.model, plan.price or provider.price)
        return [new] if plan.share >= 1 else [configured, new]

    def _no_suite(self, task: str) -> str:
        if task not in self._configuration.routes:
            known = ", ".join(sorted(self._configuration.routes)) or "none"
            return f"{task!r} is not a route; known: {known}"
        known = ", ".join(sorted(self._configuration.suites)) or "none"
        return f"there is no evaluation suite for {task!r}; there are: {known} (catalogue.evals names their folder)"


def _together(sittings: Sequence[Sitting]) -> tuple[Sitting, ...]:
    answers = sum(sitting.questions for sitting in sittings)
    if answers > MOST_ANSWERS:
        raise _refused(
            f"{len(sittings)} models and {sittings[0].questions} questions each are more than the {MOST_ANSWERS:,} "
            "answers of one run; name fewer providers"
        )
    return tuple(sittings)


def _at_once(provider: Provider) -> int:
    """Where the rate limit is low each question waits for a slot, and its deadline runs meanwhile."""
    return max(1, min(AT_ONCE, provider.max_concurrent, provider.rate_limit_per_minute // _CALLS_A_MINUTE))


def _changed(sitting: Sitting) -> ApplicationError:
    what = f"the suite of {sitting.task}" if sitting.purpose == "eval" else "the benchmark"
    return _refused(f"{what}, or the configuration, was changed while {sitting.provider} was asked; start it again")


def _refused(sentence: str) -> ApplicationError:
    return ApplicationError(sentence, type=RUN_REFUSED, non_retryable=True)
