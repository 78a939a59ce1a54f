"""Waiting for a person: durable for days, with reminders and an end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.announce import Announce
    from pointsman import narrative
    from pointsman.announcement import Announcement, Occasion
    from pointsman.review import PendingReview, ReviewTerms
    from pointsman.review_desk import ReviewDesk
    from workflows.provider_call import consume
    from workflows.timeouts import ANNOUNCE_RETRY, ANNOUNCE_TIMEOUT


async def decided(desk: ReviewDesk, pending: PendingReview, terms: ReviewTerms) -> bool:
    """Open the desk and wait for a decision; `False` if none came in time and the terms do not extend it."""
    announcing: list[asyncio.Task[None]] = []

    def announce(occasion: Occasion) -> None:
        workflow.logger.info("review %s: %s", occasion, workflow.info().workflow_id)
        # One at a time: where the webhook is out of order they would pile up.
        if terms.announce and desk.pending is not None and all(task.done() for task in announcing):
            task = asyncio.create_task(_announced(desk.pending, occasion))
            task.add_done_callback(consume)
            announcing.append(task)

    desk.open(pending, workflow.now())
    show(desk)
    if desk.decision is None:
        announce("opened")
    try:
        while desk.decision is None and await _waited(desk, terms, announce):
            pass
    finally:
        desk.close()
        for task in announcing:
            task.cancel()
    return desk.decision is not None


async def _waited(desk: ReviewDesk, terms: ReviewTerms, announce: Callable[[Occasion], None]) -> bool:
    """Wait for a decision, the next reminder or the end; whether to go on waiting."""
    pending = desk.pending
    if pending is None:
        return False
    next_look = min(filter(None, [pending.remind_at, pending.decide_by]))
    try:
        await workflow.wait_condition(
            lambda: desk.decision is not None,
            timeout=max(next_look - workflow.now(), timedelta(0)),
            timeout_summary="until the review is due",
        )
    except TimeoutError:
        pass
    else:
        return False
    now, overdue = workflow.now(), workflow.now() >= pending.decide_by
    if overdue and terms.on_timeout != "extend":
        return False
    remind_at, decide_by = first_times(terms, now)
    decide_by = decide_by if overdue else pending.decide_by
    later = {"decide_by": decide_by, "remind_at": remind_at if remind_at and remind_at < decide_by else None}
    # From the desk anew: a review that was refused meanwhile is noted there.
    desk.pending = (desk.pending or pending).model_copy(update=later)
    if overdue:
        desk.extensions += 1
    else:
        desk.reminders += 1
    announce("extended" if overdue else "reminder")
    show(desk)
    return True


def first_times(terms: ReviewTerms, now: datetime) -> tuple[datetime | None, datetime]:
    """When to remind, if before the end, and when a decision is due."""
    decide_by = now + timedelta(seconds=terms.timeout_s)
    remind_at = now + timedelta(seconds=terms.remind_after_s)
    return (remind_at if remind_at < decide_by else None), decide_by


def show(desk: ReviewDesk) -> None:
    """Put what is to be decided, and what was wrong with the last review, where the UI shows it."""
    if desk.waits and desk.pending is not None:
        workflow.set_current_details(narrative.of_review(desk.pending))


async def _announced(pending: PendingReview, occasion: Occasion) -> None:
    """Tell the webhook. Whatever comes of it, the question waits on."""
    announcement = Announcement(
        question_id=workflow.info().workflow_id,
        run_id=workflow.info().run_id,
        occasion=occasion,
        task=pending.task,
        why=pending.why,
        opened_at=pending.opened_at,
        decide_by=pending.decide_by,
    )
    try:
        await workflow.execute_activity_method(
            Announce.announce_review,
            announcement,
            start_to_close_timeout=ANNOUNCE_TIMEOUT,
            schedule_to_close_timeout=timedelta(hours=1),
            retry_policy=ANNOUNCE_RETRY,
            summary=f"webhook: review {occasion}",
        )
    except Exception as fault:  # noqa: BLE001 - an announcement that fails must not end the question
        workflow.logger.warning("the webhook was not told of a review: %s", type(fault).__name__)
