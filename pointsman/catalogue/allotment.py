"""Which questions the new model of an upgrade answers, and which it is asked besides: decided by the question's id.

The same id is always told the same, in every process and however often it is decided. Who is in a share of 10 % is in
50 % too, so that a step only moves questions forward. The two are drawn independently.
"""

from __future__ import annotations

from hashlib import blake2b

from pointsman.catalogue.upgrade import SERVING, UpgradePlan

_BYTES = 8


def answered_by_new(plan: UpgradePlan, question_id: str) -> bool:
    """Whether the new model is to answer this question."""
    return plan.stage in SERVING and _place("promotion", plan, question_id) < plan.share


def shadowed_by_new(plan: UpgradePlan, question_id: str) -> bool:
    """Whether the new model is to be asked this question besides; money and pace may still forbid it."""
    return plan.stage == "shadowing" and _place("shadow", plan, question_id) < plan.sample


def _place(purpose: str, plan: UpgradePlan, question_id: str) -> float:
    """A number from 0 to just below 1, as good as drawn by chance."""
    text = f"{purpose}/{plan.id}/{question_id}".encode(errors="replace")
    return float(int.from_bytes(blake2b(text, digest_size=_BYTES).digest(), "big") / (1 << 8 * _BYTES))
