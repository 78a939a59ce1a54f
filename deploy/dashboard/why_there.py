"""Why questions went where they went."""

from __future__ import annotations

from deploy.dashboard.panel import ORANGE, PER_SECOND, SECONDS, SHARE, Panel, Query
from deploy.dashboard.wording import CHOSEN, ENDED, LIVE, TYPES, largest, per_second, quantile, share

_CALLS = f"pointsman_calls_total{{{CHOSEN}, {LIVE}}}"

PANELS = (
    Panel(
        "Where $query_type goes",
        "Share of the questions of this type by the provider that is asked first; none: no candidate was left.",
        (Query(per_second(f"pointsman_decisions_total{{{TYPES}, {CHOSEN}}}", "provider", "5m"), "{{provider}}"),),
        unit=PER_SECOND,
        stack="percent",
        repeat="query_type",
    ),
    Panel(
        "Reasons of decisions",
        "primary in quiet times. breaker_open, cooldown, throttled: the best one was passed over. unwell, tenant, "
        "unadmitted, request: nobody was left, for the state of providers, the tenant's cap, the catalogue or the "
        "configuration, or the question's own limits.",
        (Query(per_second(f"pointsman_decisions_total{{{TYPES}, {CHOSEN}}}", "reason", "5m"), "{{reason}}"),),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Passed over",
        "Members of a chain that a decision did not take, by reason. One question in full: "
        "`pointsman route`, or its history.",
        (
            Query(
                per_second(f"pointsman_rejections_total{{{CHOSEN}}}", "provider, reason", "5m"),
                "{{provider}} {{reason}}",
            ),
        ),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Turned away after the decision",
        "Attempts that were not sent after all: the world had moved on since the decision.",
        (
            Query(
                per_second(f"pointsman_calls_turned_away_total{{{CHOSEN}}}", "provider, kind"), "{{provider}} {{kind}}"
            ),
        ),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Share of calls",
        "Who is asked in the end, hedges, retries and fallbacks included.",
        (Query(per_second(_CALLS, "provider", "5m"), "{{provider}}"),),
        unit=PER_SECOND,
        stack="percent",
    ),
    Panel(
        "Way back after a closing",
        "Share of its questions that a provider gets again; 100 % where there is no ramp.",
        (
            Query(
                f"min by (provider, model) (pointsman_breaker_ramp_share{{{CHOSEN}}})",
                "{{provider}} ({{model}})",
            ),
        ),
        unit=SHARE,
        highest=1,
    ),
    Panel(
        "Hedges and retries",
        "Extra calls of all live ones. More hedges than [hedging] quantile lets through: the fleet's usual latency has "
        "changed.",
        (
            Query(share(f"pointsman_hedges_total{{{CHOSEN}}}", _CALLS), "hedges"),
            Query(share(f"pointsman_retries_total{{{CHOSEN}}}", _CALLS), "retries"),
        ),
        unit=SHARE,
    ),
    Panel(
        "Set aside",
        "Times that a process began to pass a provider over, by reason.",
        (Query(per_second(f"pointsman_cooldowns_total{{{CHOSEN}}}", "provider, reason"), "{{provider}} {{reason}}"),),
        unit=PER_SECOND,
    ),
    Panel(
        "Divergence rate",
        "Panels whose answers disagreed, and those of which nobody can tell, of all within an hour. A jump: a model "
        "was changed behind its name, or a new kind of question came.",
        tuple(
            Query(
                share(
                    f'pointsman_divergences_total{{outcome="{outcome}"}}', "pointsman_divergences_total", window="1h"
                ),
                legend,
            )
            for outcome, legend in (("disagreed", "disagree"), ("cannot_tell", "cannot tell"))
        ),
        unit=SHARE,
        highest=1,
    ),
    Panel(
        "Pairs of answers",
        "Single comparisons, of panels and of shadows.",
        (Query(per_second("pointsman_comparisons_total", "source, verdict", "5m"), "{{source}}: {{verdict}}"),),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Questions by outcome",
        "What those who ask have got.",
        (Query(per_second("pointsman_questions_total", "outcome"), "{{outcome}}"),),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Failures of questions",
        "By type: AllProvidersFailed, NoCandidate, DeadlineExceeded and so on.",
        (Query(per_second('pointsman_questions_total{failure!="none"}', "failure"), "{{failure}}"),),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Time to an answer",
        "From asking to the end, fallbacks included.",
        tuple(
            Query(
                quantile(number, "pointsman_question_duration_seconds", '{outcome="answered"}', ""),
                f"p{number * 100:g}",
            )
            for number in (0.5, 0.95, 0.99)
        ),
        unit=SECONDS,
    ),
    Panel(
        "Refusals",
        "Of the live calls that ended: a rise is a matter of the model or of what is asked, not of health.",
        (
            Query(
                share(
                    f'pointsman_calls_total{{{CHOSEN}, {LIVE}, outcome="refused"}}',
                    f"pointsman_calls_total{{{CHOSEN}, {LIVE}, {ENDED}}}",
                    "provider",
                    "1h",
                ),
                "{{provider}}",
            ),
        ),
        unit=SHARE,
    ),
    Panel(
        "What the fleet knows",
        "How old each process's picture of the others is. Above [health] stale_after it goes by its own alone.",
        (Query(largest("pointsman_health_snapshot_age_seconds", "instance"), "{{instance}}"),),
        unit=SECONDS,
        steps=((15, ORANGE),),
    ),
)
