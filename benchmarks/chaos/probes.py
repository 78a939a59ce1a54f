"""Whether each probe is known: the health entity has scheduled it, or its process heard nothing of the entity."""

from __future__ import annotations

from benchmarks.chaos.calls import call_of, is_probe, sent_twice, worker_of
from benchmarks.chaos.witness import Evidence, Look
from pointsman.health.settings import HealthSettings
from workers.embedded.scripted.request import Hit

_SETTINGS = HealthSettings()
_SHORTEST_S = 3.0
"""A process's own breaker stays open for so long before it probes: `[breaker] open_s` here."""


def own(evidence: Evidence) -> list[Hit]:
    """Those that a process sent by itself: they belong to no run."""
    return [hit for hit in evidence.hits if is_probe(hit) and not call_of(hit).run]


def strange(evidence: Evidence) -> list[str]:
    """Probes that were sent twice, that nobody has scheduled, or that a process sent which was not cut off."""
    sent = [hit for hit in evidence.hits if is_probe(hit)]
    found = [f"{call}: a probe that was sent twice" for call in sent_twice(sent)]
    found += [
        f"{call}: a probe that nobody has scheduled"
        for call in map(call_of, sent)
        if call.run and call not in evidence.probes
    ]
    found += [
        f"{call_of(hit)}: a probe of {worker_of(hit) or 'a process'} by itself, which was not cut off from the entity"
        for hit in own(evidence)
        if not _cut_off(evidence, hit)
    ]
    return found


def _cut_off(evidence: Evidence, hit: Hit) -> bool:
    """Whether the entity was out of reach for as long as a process trusts its last word.

    One that has just started has no word yet. Where others heard more than half of what they asked in that time, a
    process that heard nothing would be a fault, not an outage.
    """
    ready_at = evidence.ready.get(worker_of(hit), float("-inf"))
    since = min(hit.started - _SHORTEST_S, max(ready_at, hit.started - _SETTINGS.stale_after))
    looks = [look for look in evidence.looks if since <= look.ended and look.began <= hit.started]
    return bool(looks) and sum(map(_heard, looks)) <= len(looks) / 2


def _heard(look: Look) -> bool:
    """Whether a worker, which waits no longer, would have had its answer."""
    return look.heard_after_s is not None and look.heard_after_s <= _SETTINGS.query_timeout
