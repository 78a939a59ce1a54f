"""When is the same provider asked again? The rule for one failed attempt (resilience specification, section 9)."""

from __future__ import annotations

from pointsman.decision import RetrySchedule
from pointsman.faults import CONSEQUENCES
from pointsman.outcomes import ErrorClass, Fault

_SPREAD = 0.1
_SPREAD_MAX_S = 1.0


def retry_delay_s(  # noqa: PLR0913 - what the rule depends on
    fault: Fault,
    *,
    attempt: int,
    last_candidate: bool,
    remaining_s: float,
    schedule: RetrySchedule,
    chance: float,
) -> float | None:
    """Seconds to wait before the same provider is asked again, or `None`: go on to the next at once.

    Args:
        fault: Why this attempt failed.
        attempt: Its number, from 1.
        last_candidate: Whether no other provider is left.
        remaining_s: What is left of the question's deadline.
        schedule: The back-off of the decision.
        chance: A random number in [0, 1) for the jitter, so that a crowd does not come back as one.
    """
    if not _repeatable(fault, last_candidate=last_candidate):
        return None
    hint = fault.retry_after_s
    if hint is not None:
        longest = schedule.max_sleep_s if last_candidate else schedule.same_provider_wait_s
        delay = hint + chance * min(_SPREAD_MAX_S, _SPREAD * hint)
        return delay if hint <= longest and delay < remaining_s else None
    # Cap first, then jitter down: jitter on top of a cap gives every late attempt the same wait.
    ceiling = min(schedule.max_interval_s, schedule.initial_s * schedule.backoff ** (attempt - 1))
    delay = chance * ceiling
    return delay if delay < remaining_s else None


def _repeatable(fault: Fault, *, last_candidate: bool) -> bool:
    if not CONSEQUENCES[fault.error_class].retryable:
        return False
    if fault.kind == "timeout":
        # A hang is not repeated while another provider is left: it has cost a whole timeout already.
        return last_candidate
    if fault.error_class is ErrorClass.THROTTLE and fault.retry_after_s is None:
        return last_candidate
    return True
