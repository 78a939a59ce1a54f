"""Why a question finds nobody to be asked: whoever is woken must not be woken by what a question asks of itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pointsman.admission import CATALOGUE_UNREAD
from pointsman.decision import Rejection
from pointsman.health_order import OUT_FOR_HEALTH
from pointsman.tenants import TENANT_COST_CAP

Absence = Literal["unwell", "tenant", "unadmitted", "request"]
"""unwell: a provider that might answer is out for its state, by breaker, quota, key or cap. tenant: the tenant's cap
does not pay. unadmitted: catalogue or configuration keep them out, so a person has to. request: the question's own
limits, lists, tools, schema or length do."""

_UNWELL = OUT_FOR_HEALTH - {TENANT_COST_CAP, CATALOGUE_UNREAD}
_UNADMITTED = frozenset(
    {CATALOGUE_UNREAD, "not_profiled", "retired", "model_changed", "not_evaluated", "eval_failed"},
)
_DISABLED = "disabled"
_NOT_IN_CHAIN = "not_in_chain"


def why_nobody(rejected: Iterable[Rejection]) -> Absence:
    """The reason for which a decision without candidates has none, by what it says of the members of its chain.

    Health is looked at last (`Candidacy.weigh`, `by_health`), so of a member that is out for its state nothing else
    was found wanting; the tenant's cap is looked at after that, and keeps the question from one that is well.
    """
    reasons = {rejection.reason for rejection in rejected} - {_NOT_IN_CHAIN}
    if TENANT_COST_CAP in reasons:
        return "tenant"
    if reasons & _UNWELL:
        return "unwell"
    return "unadmitted" if reasons & _UNADMITTED or reasons <= {_DISABLED} else "request"
