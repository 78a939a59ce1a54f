"""What it costs."""

from __future__ import annotations

from deploy.dashboard.panel import ORANGE, PER_SECOND, RED, SHARE, USD, YELLOW, Panel, Query
from deploy.dashboard.wording import CHOSEN, TYPES, in_all, largest, per_second, share

_COST = f"pointsman_cost_usd_total{{{CHOSEN}}}"
_FOUND = 'provider!="none"'
"""Of the decisions those that cost anything: a question that waits is routed, and finds nobody, again and again."""
_SPENT = largest(f"pointsman_provider_spent_today_usd{{{CHOSEN}}}", "provider")
_CAP = largest(f"pointsman_provider_daily_cap_usd{{{CHOSEN}}}", "provider")
# The dashboard's variables choose providers: a tenant's questions go to all of them.
_TENANT_SPENT = largest("pointsman_tenant_spent_today_usd", "tenant")
_TENANT_CAP = largest("pointsman_tenant_daily_cap_usd", "tenant")

PANELS = (
    Panel(
        "USD an hour by type of question",
        "Losers of hedges, failures and probes included. Type unknown: calls of no question, such as measurements.",
        (Query(f"3600 * {per_second(_COST, 'query_type', '5m')}", "{{query_type}}"),),
        unit=USD,
        stack="normal",
    ),
    Panel(
        "USD by type of question",
        "Over the time that is shown.",
        (Query(in_all(_COST, "query_type"), "{{query_type}}", instant=True),),
        "bargauge",
        unit=USD,
    ),
    Panel(
        "USD for a question of each type",
        "Mean over the time that is shown, for one that found a provider; one that waited and was routed again counts "
        "again. It rises with longer prompts, dearer providers, and more extra calls.",
        (
            Query(
                f"{in_all(f'pointsman_cost_usd_total{{{TYPES}, {CHOSEN}}}', 'query_type')}"
                f" / {in_all(f'pointsman_decisions_total{{{TYPES}, {_FOUND}}}', 'query_type')}",
                "{{query_type}}",
                instant=True,
            ),
        ),
        "bargauge",
        unit=USD,
    ),
    Panel(
        "USD an hour by provider",
        "Who is paid.",
        (Query(f"3600 * {per_second(_COST, 'provider', '5m')}", "{{provider}}"),),
        unit=USD,
        stack="normal",
    ),
    Panel(
        "Spend against cap, today",
        "Since midnight UTC, where a provider has a daily_cost_cap_usd. Others are asked until midnight once what "
        "is left does not pay for a call.",
        (Query(f"{_SPENT} / {_CAP}", "{{provider}}", instant=True),),
        "bargauge",
        unit=SHARE,
        highest=1,
        steps=((0.8, ORANGE), (1, RED)),
    ),
    Panel(
        "Spend against cap by tenant, today",
        "Since midnight UTC, for each table of [tenants]; * is all without a cap of their own. Questions "
        "that what is left does not pay for are refused until midnight.",
        (Query(f"{_TENANT_SPENT} / {_TENANT_CAP}", "{{tenant}}", instant=True),),
        "bargauge",
        unit=SHARE,
        highest=1,
        steps=((0.8, ORANGE), (1, RED)),
    ),
    Panel(
        "Spend since midnight UTC",
        "Of the whole fleet, probes included.",
        (Query(_SPENT, "{{provider}}"), Query(_CAP, "{{provider}}: cap")),
        unit=USD,
    ),
    Panel(
        "Tokens a second by type",
        "input holds the cached ones, output those of reasoning.",
        (Query(per_second(f"pointsman_tokens_total{{{CHOSEN}}}", "type"), "{{type}}"),),
        unit=PER_SECOND,
    ),
    Panel(
        "Output tokens a second by provider",
        "What is paid for most.",
        (Query(per_second(f'pointsman_tokens_total{{{CHOSEN}, type="output"}}', "provider"), "{{provider}}"),),
        unit=PER_SECOND,
        stack="normal",
    ),
    Panel(
        "Estimated share of the cost",
        "Calls that were cut off, or whose provider told no usage. High: the bill may differ from what is shown.",
        (
            Query(
                share(f'pointsman_cost_usd_total{{{CHOSEN}, source="estimated"}}', _COST, "provider", "1h"),
                "{{provider}}",
            ),
        ),
        unit=SHARE,
        highest=1,
    ),
    Panel(
        "Calls of unknown cost",
        "Their provider has no price, so no sum and no cap holds them. Give it one in the configuration.",
        (Query(in_all(f"pointsman_calls_unpriced_total{{{CHOSEN}}}", "provider"), "{{provider}}", instant=True),),
        "bargauge",
        steps=((1, YELLOW),),
    ),
    Panel(
        "Providers without a price",
        "By the configuration that the workers run with.",
        (Query(f"count(min by (provider) (pointsman_provider_priced{{{CHOSEN}}}) == 0) or vector(0)", "without"),),
        "stat",
        steps=((1, YELLOW),),
    ),
    Panel(
        "Lost lines of the decision log",
        "Its file or reader was too slow; questions were not.",
        (Query(in_all("pointsman_telemetry_dropped_total", "what"), "{{what}}", instant=True),),
        "stat",
        steps=((1, YELLOW),),
    ),
)
