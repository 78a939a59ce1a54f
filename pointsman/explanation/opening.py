"""What would have to be otherwise for a provider that is out to be a candidate."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.candidacy import Candidacy
from pointsman.explanation.change import Setting
from pointsman.explanation.grid import above
from pointsman.explanation.what_if import WhatIf
from pointsman.limits import affordable
from pointsman.provider import Provider

_Opener = Callable[[Candidacy, str, str, Provider], Setting | None]


def opening(candidacy: Candidacy, table: str, name: str, declared: Provider) -> WhatIf | None:
    """The settings that would let the provider in, all of them; `None` where settings alone would not.

    What has to be measured, evaluated anew or waited for stands in the rejection itself.
    """
    provider = candidacy.effective(name, declared)
    settings: list[Setting] = []
    for reason, detail in candidacy.reasons(name, provider):
        opener = _by_money if reason == "over_cost" and detail.startswith("an answer") else _OPENERS.get(reason)
        found = None if opener is None else opener(candidacy, table, name, provider)
        if found is None:
            return None
        settings.append(found)
    return WhatIf(about="opening", settings=tuple(settings), candidate=name) if settings else None


def _into_chain(candidacy: Candidacy, table: str, name: str, _provider: Provider) -> Setting:
    return _configured((*_keys(table), "chain"), [*candidacy.route.chain, name])


def _enabled(_candidacy: Candidacy, _table: str, name: str, _provider: Provider) -> Setting:
    return _configured(("providers", name, "enabled"), value=True)


def _allowed(candidacy: Candidacy, _table: str, name: str, _provider: Provider) -> Setting:
    return _asked("allow", [*(candidacy.question.allow or ()), name])


def _not_denied(candidacy: Candidacy, _table: str, name: str, _provider: Provider) -> Setting:
    return _asked("deny", [other for other in candidacy.question.deny if other != name])


def _able(ability: str) -> _Opener:
    def supports(_candidacy: Candidacy, _table: str, name: str, provider: Provider) -> Setting:
        # Both abilities may be missing: the last setting of a key is the one that holds.
        missing = [ability] if ability == "json_schema" else ["json_schema", ability]
        known = [*provider.supports, *(one for one in missing if one not in provider.supports)]
        return _configured(("providers", name, "supports"), known)

    return supports


def _shorter(candidacy: Candidacy, _table: str, _name: str, provider: Provider) -> Setting | None:
    left = provider.context_tokens - candidacy.tokens
    return _asked("max_output_tokens", left) if left > 0 else None


def _unevaluated(_candidacy: Candidacy, table: str, _name: str, _provider: Provider) -> Setting:
    return _configured((*_keys(table), "require_eval"), value=False)


def _by_price(candidacy: Candidacy, _table: str, name: str, provider: Provider) -> Setting | None:
    per_1k = candidacy.demand(name, provider).per_1k_usd
    return None if per_1k is None else _configured(("scoring", "max_cost_per_1k"), above(per_1k))


def _by_money(candidacy: Candidacy, _table: str, name: str, provider: Provider) -> Setting | None:
    demand, usd = candidacy.demand(name, provider), candidacy.question.max_cost_usd
    while usd is not None and not affordable(demand, usd):
        usd = above(usd * 1.05)
    return None if usd is None else _asked("max_cost_usd", usd)


def _without_money(_candidacy: Candidacy, _table: str, _name: str, _provider: Provider) -> Setting:
    return _asked("max_cost_usd", None)


def _slower(candidacy: Candidacy, _table: str, name: str, provider: Provider) -> Setting:
    latency_ms = above(candidacy.demand(name, provider).latency_ms)
    if candidacy.question.max_latency_ms is not None:
        return _asked("max_latency_ms", latency_ms)
    return _configured(("scoring", "max_latency_ms"), latency_ms)


_OPENERS: dict[str, _Opener] = {
    "not_in_chain": _into_chain,
    "disabled": _enabled,
    "not_allowed": _allowed,
    "denied": _not_denied,
    "no_json_schema": _able("json_schema"),
    "no_tools": _able("tools"),
    "context_too_small": _shorter,
    "not_evaluated": _unevaluated,
    "eval_failed": _unevaluated,
    "over_cost": _by_price,
    "price_unknown": _without_money,
    "over_latency": _slower,
}


def _keys(table: str) -> tuple[str, str]:
    kind, _, name = table.partition(".")
    return kind, name


def _configured(path: tuple[str, ...], value: object) -> Setting:
    return Setting(where="configuration", path=path, value=value)


def _asked(field: str, value: object) -> Setting:
    return Setting(where="question", path=(field,), value=value)
