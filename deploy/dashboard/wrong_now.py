"""What is wrong now: the first rows, for whoever was woken."""

from __future__ import annotations

from deploy.dashboard.panel import BLUE, GREEN, ORANGE, PER_SECOND, RED, SECONDS, SHARE, YELLOW, Panel, Query
from deploy.dashboard.wording import CHOSEN, ENDED, GIVEN, LIVE, RECENT, in_all, largest, per_second, quantile, share

_CALLS = f"pointsman_calls_total{{{CHOSEN}, {LIVE}, {ENDED}}}"
_FAILED = f'pointsman_calls_total{{{CHOSEN}, {LIVE}, outcome="failed"}}'
_ADMITTED = f"pointsman_provider_admitted{{{CHOSEN}}}"
_NOT_CLOSED = f'pointsman_breaker_state{{{CHOSEN}, state=~"open|half_open|forced_open"}}'
_UNANSWERED = 'pointsman_questions_total{outcome="failed"}'
_STATES = ("closed", "disabled", "half_open", "open", "forced_open")
"""The worst last: processes that have not heard of a change yet see another state."""


def _state() -> str:
    told = " or ".join(
        f'{code} * pointsman_breaker_state{{{CHOSEN}, state="{state}"}}' for code, state in enumerate(_STATES)
    )
    return largest(told, "provider, model")


def _error_rate(window: str, title: str) -> Panel:
    return Panel(
        f"Error rate, {title}",
        "Failed of all live calls of each provider within the window that ends at each moment. High in the short one "
        "alone: just begun, or just over. A breaker opens at [breaker] failure_rate within its own window.",
        (Query(share(_FAILED, _CALLS, "provider", window), "{{provider}}"),),
        unit=SHARE,
        highest=1,
        steps=((0.1, RED),),
    )


SUMMARY = (
    Panel(
        "Providers that take calls",
        "Those that breaker, quota, cap and key let through, as the process sees it that lets the fewest through, and "
        "all. None: its questions get no answer; `pointsman health`.",
        (
            Query(f"min(sum by (instance) ({_ADMITTED}))", "take calls"),
            Query(f"count({largest(_ADMITTED, 'provider')})", "of"),
        ),
        "stat",
        width=4,
        height=4,
    ),
    Panel(
        "Breakers not closed",
        "Open, probing, or opened by hand. `pointsman health events` says why.",
        (Query(f"count({largest(_NOT_CLOSED, 'provider, model')} == 1) or vector(0)", "breakers"),),
        "stat",
        width=4,
        height=4,
        steps=((1, RED),),
    ),
    Panel(
        "Errors of providers",
        "Failed of all live calls within five minutes. A question survives most of them.",
        (Query(share(_FAILED, _CALLS, window="5m"), "of calls"),),
        "stat",
        unit=SHARE,
        width=4,
        height=4,
        steps=((0.05, YELLOW), (0.25, RED)),
    ),
    Panel(
        "Questions without answer",
        "Within an hour: what those who ask have felt. Which failures: in the next section.",
        (Query(f"{in_all(_UNANSWERED, window='1h')} or vector(0)", "failed"),),
        "stat",
        width=4,
        height=4,
        steps=((1, ORANGE),),
    ),
    Panel(
        "Questions that wait for a person",
        "`pointsman reviews list` names them.",
        (Query(largest("pointsman_reviews_waiting"), "waiting"),),
        "stat",
        width=4,
        height=4,
        steps=((1, BLUE),),
    ),
    Panel(
        "Worker processes",
        "Those that report to the fleet; and for how long one of them has heard nothing of the others.",
        (
            Query(largest("pointsman_fleet_processes"), "processes"),
            Query(f"ceil({largest('pointsman_health_snapshot_age_seconds')})", "unheard for (s)"),
        ),
        "stat",
        width=4,
        height=4,
    ),
)

PANELS = (
    *SUMMARY,
    Panel(
        "Alerts",
        "What fires or is about to. Each says what to do; docs/dashboard.md says more.",
        kind="alertlist",
        width=8,
    ),
    Panel(
        "State of each breaker",
        "As the process that sees it worst sees it. Open: no calls. Half open: the workers' own probes find out.",
        (Query(_state(), "{{provider}} ({{model}})"),),
        "state-timeline",
        width=16,
        words=(
            (0, "closed", GREEN),
            (1, "always admitted", BLUE),
            (2, "half open", YELLOW),
            (3, "open", RED),
            (4, "forced open", "purple"),
        ),
    ),
    _error_rate("1m", "1 minute"),
    _error_rate("5m", "5 minutes"),
    _error_rate("1h", "1 hour"),
    Panel(
        "Errors by class",
        "throttle: too many calls. quota, config: account or key, which no waiting mends. quality: empty, cut off or "
        "off-schema answers.",
        (
            Query(
                per_second(f'pointsman_calls_total{{{CHOSEN}, error_class!="none"}}', "provider, error_class"),
                "{{provider}} {{error_class}}",
            ),
        ),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Latency: p50, p95, p99",
        "Of calls that were answered. A p95 near the timeout costs hedges and fallbacks; see the heatmaps below.",
        tuple(
            Query(
                quantile(
                    number,
                    "pointsman_call_duration_seconds",
                    f"{{{CHOSEN}, {GIVEN}}}",
                    "provider",
                ),
                f"{{{{provider}}}} p{number * 100:g}",
            )
            for number in (0.5, 0.95, 0.99)
        ),
        unit=SECONDS,
    ),
    Panel(
        "Cooldowns",
        "How long each provider is still passed over: it throttled, said how long to wait, or was flagged.",
        (Query(largest(f"pointsman_provider_cooldown_left_seconds{{{CHOSEN}}}", "provider"), "{{provider}}"),),
        unit=SECONDS,
    ),
    Panel(
        "Last failure",
        "Since any process last saw a fault that counts against the provider.",
        (
            Query(
                f"time() - {largest(f'pointsman_provider_last_failure_seconds{{{CHOSEN}}}', 'provider')}",
                "{{provider}}",
                instant=True,
            ),
        ),
        "bargauge",
        unit=SECONDS,
    ),
    Panel(
        "Openings and closings",
        "Changes of breakers that the longest-lived process has learnt of. Many of both: the provider flaps.",
        (
            Query(
                largest(f"pointsman_breaker_transitions_total{{{CHOSEN}}}", "provider, to"),
                "{{provider}} {{to}}",
                instant=True,
            ),
        ),
        "bargauge",
    ),
    Panel(
        "Calls under way",
        "At a provider whose calls pile up while its latency grows, slots run out next: see the wait.",
        (Query(f"sum by (provider) (pointsman_calls_in_flight{{{CHOSEN}}})", "{{provider}}"),),
        stack="normal",
    ),
    Panel(
        "Wait for a worker, p95",
        "From the moment a call was scheduled until a worker took it. More than a second: start workers, or raise "
        "max_concurrent.",
        (
            Query(
                quantile(0.95, "pointsman_queue_wait_seconds", f"{{{CHOSEN}}}", "provider"),
                "{{provider}}",
            ),
        ),
        unit=SECONDS,
    ),
    Panel(
        "Slots left",
        "Temporal's own count of what the workers could take besides, by task queue; empty without [telemetry] "
        "sdk_metrics. At 0 calls wait.",
        (
            Query(
                'sum by (task_queue) (temporal_worker_task_slots_available{worker_type="ActivityWorker"})',
                "{{task_queue}}",
            ),
        ),
    ),
    Panel(
        "Retry budget",
        "Extra calls that the processes have saved up together. Empty: failures are told instead of repeated.",
        (
            Query("sum(pointsman_budget_level)", "left"),
            Query("sum(pointsman_budget_capacity)", "at most"),
        ),
    ),
    Panel(
        "Extra calls denied",
        "Retries, hedges and further fallbacks that the budget did not grant.",
        (Query(per_second('pointsman_budget_charges_total{result="denied"}', "charge"), "{{charge}}"),),
        unit=PER_SECOND,
    ),
    Panel(
        "Age of the oldest review",
        "Beside the time at which a question's on_review_timeout decides in a person's place.",
        (
            Query(largest("pointsman_reviews_oldest_seconds"), "oldest"),
            Query(largest("pointsman_reviews_timeout_seconds"), "timeout"),
        ),
        unit=SECONDS,
    ),
    Panel(
        "Review backlog",
        "Questions that wait for a person.",
        (Query(largest("pointsman_reviews_waiting"), "waiting"),),
    ),
)

DISTRIBUTIONS = (
    Panel(
        "Latency of $provider",
        "How many calls took how long. Two bands: two kinds of questions, or a second, slower machine behind the name.",
        (
            Query(
                in_all(f"pointsman_call_duration_seconds_bucket{{{CHOSEN}, {GIVEN}}}", "le", RECENT),
                "{{le}}",
            ),
        ),
        "heatmap",
        unit=SECONDS,
        repeat="provider",
    ),
)
