"""The composition root: settings in, Temporal workers out. Nothing else builds an activity or a provider."""

from __future__ import annotations

import asyncio
import os
import platform
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.worker import Interceptor, Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from activities.announce import Announce
from activities.classify import Classify
from activities.compare_shadow import CompareShadow
from activities.complete import Complete
from activities.ledger import AttemptLedger, BackgroundLedger, NoLedger, ProbeRun
from activities.measure import Measure
from activities.planner import Planner
from activities.ports import CallIdentity, Completer
from activities.probe import Probe, probe
from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from activities.process_telemetry import ProcessTelemetry
from activities.providers.simulated import Simulated
from activities.reconcile import Reconcile
from activities.score import Score
from activities.shadowing import Shadowing
from activities.take_token import TakeToken
from activities.upgrade_desk import UpgradeDesk
from pointsman.catalogue_contract import CATALOGUE_QUEUE
from pointsman.contract import TASK_QUEUE
from pointsman.health.probe import ProbeRequest, ProbeResult
from pointsman.health_contract import HEALTH_ENTITY_ID
from pointsman.ledger.database import Ledger
from pointsman.ledger.settings import LedgerSettings
from pointsman.model_classifier import classifier_by
from pointsman.provider import Provider, task_queue
from pointsman.rate_limit import FROM_QUEUE_PER_MINUTE
from workers.health_feed import SendProbe
from workers.settings import Settings
from workers.webhook import post
from workflows.eval_run import EvalRun
from workflows.model_upgrade import ModelUpgrade
from workflows.profile_run import ProfileRun
from workflows.provider_catalogue import ProviderCatalogue
from workflows.provider_health import ProviderHealth
from workflows.provider_sitting import ProviderSitting
from workflows.route_and_answer import RouteAndAnswer
from workflows.shadow_question import ShadowQuestion

SANDBOX = SandboxedWorkflowRunner(
    restrictions=SandboxRestrictions.default.with_passthrough_modules("pointsman", "activities", "workflows")
)
CANCEL_POLL_S = 0.25
CACHED_WORKFLOWS = 1000
_CANCEL_POLL = timedelta(seconds=CANCEL_POLL_S)
_DRAIN_MARGIN_S = 5.0

MakeCompleter = Callable[[str, Provider, str | None], Completer]


def make_completer(name: str, provider: Provider, api_key: str | None) -> Completer:
    """The adapter for a provider."""
    if provider.simulated:
        return Simulated(
            name,
            degrade_after=provider.degrade_after,
            fail_after=provider.fail_after,
            seed=provider.seed,
            latency_s=provider.latency_s,
        )
    # Three seconds and 190 MB: only a process that calls such a provider pays for it.
    from activities.providers.litellm import LiteLLM  # noqa: PLC0415

    return LiteLLM(name, provider, api_key)


@asynccontextmanager
async def kept_ledger(settings: LedgerSettings) -> AsyncGenerator[AttemptLedger]:
    """The ledger of this process; what still waits when the block ends is written then."""
    if not settings.enabled:
        yield NoLedger()
        return
    rows = Ledger.open(settings.url)
    writing = BackgroundLedger(rows)
    try:
        yield writing
    finally:
        await asyncio.to_thread(writing.close)
        rows.close()


async def build(  # noqa: PLR0913 - everything that a process is made of
    client: Client,
    settings: Settings,
    completers: Mapping[str, Completer],
    *,
    health: ProcessHealth | None = None,
    catalogue: ProcessCatalogue | None = None,
    ledger: AttemptLedger | None = None,
    telemetry: ProcessTelemetry | None = None,
    interceptors: Sequence[Interceptor] = (),
    max_cached_workflows: int = CACHED_WORKFLOWS,
) -> list[Worker]:
    """One worker for questions and the health entity, and one per enabled provider on its own task queue.

    Without `health` and `catalogue` the process stands alone: nothing of what it sees reaches the fleet.
    """
    configuration = settings.configuration
    known = health or ProcessHealth.of(configuration, worker_id())
    measured = catalogue or ProcessCatalogue(configuration)
    measured.on_change, measured.is_open = known.begin_anew, known.is_open
    in_flight = known.in_flight
    planner = Planner(known)
    timeouts = [provider.timeout_s for provider in configuration.providers.values()]
    timeouts += [route.timeout_s for route in configuration.tables().values() if route.timeout_s is not None]
    drain_s = max(timeouts, default=0) + _DRAIN_MARGIN_S
    beat_every_s = None if await _pushes_cancellations(client) else CANCEL_POLL_S
    questions = Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=[RouteAndAnswer, ProviderHealth],
        activities=[
            Classify(configuration, classifier_by(configuration.classification.by)).classify,
            Score(
                configuration,
                in_flight,
                planner,
                measured,
                Shadowing(measured, known.processes),
                telemetry=telemetry,
            ).score,
            TakeToken(planner).take_token,
            Reconcile(configuration.divergence, telemetry).reconcile,
            Announce(configuration.review.webhook, post).announce_review,
        ],
        workflow_runner=SANDBOX,
        interceptors=interceptors,
        max_cached_workflows=max_cached_workflows,
    )
    enabled = {name: provider for name, provider in configuration.providers.items() if provider.enabled}
    providers = [
        Worker(
            client,
            task_queue=task_queue(name),
            activities=[
                Complete(
                    completers[name],
                    known,
                    ledger,
                    catalogue=measured,
                    telemetry=telemetry,
                    beat_every_s=beat_every_s,
                ).complete,
                Probe(completers[name], provider, ledger, telemetry).probe_provider,
            ],
            interceptors=interceptors,
            max_concurrent_activities=provider.max_concurrent,
            max_task_queue_activities_per_second=_queue_rate(provider),
            max_heartbeat_throttle_interval=_CANCEL_POLL,
            default_heartbeat_throttle_interval=_CANCEL_POLL,
            # A call under way at shutdown is let finish: cut off it would be paid for twice.
            graceful_shutdown_timeout=timedelta(seconds=drain_s),
        )
        for name, provider in enabled.items()
    ]
    return [questions, *providers]


def build_measuring(  # noqa: PLR0913 - everything that it is made of
    client: Client,
    settings: Settings,
    *,
    catalogue: ProcessCatalogue | None = None,
    telemetry: ProcessTelemetry | None = None,
    interceptors: Sequence[Interceptor] = (),
    max_cached_workflows: int = CACHED_WORKFLOWS,
) -> Worker:
    """The worker for the catalogue and for everything that measures: apart, so that none of it delays a question."""
    configuration = settings.configuration
    measure = Measure(configuration, catalogue)
    comparing = CompareShadow(client, configuration.divergence, telemetry)
    return Worker(
        client,
        task_queue=CATALOGUE_QUEUE,
        workflows=[ProviderCatalogue, EvalRun, ProfileRun, ProviderSitting, ShadowQuestion, ModelUpgrade],
        activities=[
            measure.plan_eval,
            measure.plan_profile,
            measure.next_lot,
            measure.mark_answer,
            comparing.await_base,
            comparing.compare_shadow,
            UpgradeDesk(client, configuration).begin_upgrade,
        ],
        workflow_runner=SANDBOX,
        interceptors=interceptors,
        max_cached_workflows=max_cached_workflows,
    )


def make_completers(settings: Settings, make: MakeCompleter = make_completer) -> dict[str, Completer]:
    """The adapter of every enabled provider, by name."""
    return {
        name: make(name, provider, settings.api_keys.get(name))
        for name, provider in settings.configuration.providers.items()
        if provider.enabled
    }


def probes(
    settings: Settings,
    completers: Mapping[str, Completer],
    process: str,
    ledger: AttemptLedger | None = None,
    telemetry: ProcessTelemetry | None = None,
) -> dict[str, SendProbe]:
    """How this process probes a provider by itself, while no entity does; each probe is numbered in its name."""
    kept, told = ledger or NoLedger(), telemetry or ProcessTelemetry()
    providers = settings.configuration.providers
    numbers = count(1)

    async def send(name: str, request: ProbeRequest) -> ProbeResult:
        identity = CallIdentity(f"{HEALTH_ENTITY_ID}/{process}", str(next(numbers)))
        # No server is within reach whose clock would be the fleet's.
        run = ProbeRun(identity, run_id="", started_at=datetime.now(UTC))
        result = await probe(completers[name], providers[name], request, run, kept)
        told.probed(request, result)
        return result

    return {name: partial(send, name) for name in completers}


def worker_id() -> str:
    """A name that no other process, and no earlier start of this one, has."""
    return f"{platform.node()[:100]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _queue_rate(provider: Provider) -> float | None:
    """Calls a second that the task queue itself hands out; a low limit would delay the first call after a pause."""
    per_minute = provider.rate_limit_per_minute
    return per_minute / 60 if per_minute >= FROM_QUEUE_PER_MINUTE else None


async def _pushes_cancellations(client: Client) -> bool:
    """Whether the server tells a worker about a cancellation at once instead of with its next heartbeat."""
    described = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    return described.namespace_info.capabilities.worker_commands
