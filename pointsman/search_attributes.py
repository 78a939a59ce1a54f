"""The search attributes of a question: what the Temporal UI and `temporal workflow list` can filter by."""

from __future__ import annotations

from typing import Any

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey, SearchAttributePair, SearchAttributeUpdate, TypedSearchAttributes
from temporalio.service import RPCError, RPCStatusCode

from pointsman.contract import Status
from pointsman.messages import Answer, Question

STATUS = SearchAttributeKey.for_keyword("PointsmanStatus")
TASK = SearchAttributeKey.for_keyword("PointsmanTask")
QUERY_TYPE = SearchAttributeKey.for_keyword("PointsmanQueryType")
PROVIDER = SearchAttributeKey.for_keyword("PointsmanProvider")
STAKES = SearchAttributeKey.for_keyword("PointsmanStakes")
HEDGED = SearchAttributeKey.for_bool("PointsmanHedged")
DIVERGENT = SearchAttributeKey.for_bool("PointsmanDivergent")
COST_USD = SearchAttributeKey.for_float("PointsmanCostUsd")

_KINDS: dict[str, IndexedValueType.ValueType] = {
    **{key.name: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD for key in (STATUS, TASK, QUERY_TYPE, PROVIDER, STAKES)},
    **{key.name: IndexedValueType.INDEXED_VALUE_TYPE_BOOL for key in (HEDGED, DIVERGENT)},
    COST_USD.name: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
}


class MissingSearchAttributes(Exception):
    """The namespace lacks search attributes and this client may not add them."""


def at_start(question: Question) -> TypedSearchAttributes:
    """What is known when the question is asked; setting these at the start costs no event."""
    pairs = [
        SearchAttributePair(STATUS, Status.ROUTING.value),
        SearchAttributePair(STAKES, question.stakes or "normal"),
    ]
    if question.task is not None:
        pairs.append(SearchAttributePair(TASK, question.task))
    return TypedSearchAttributes(pairs)


def of_answer(answer: Answer, question: Question) -> list[SearchAttributeUpdate[Any]]:
    """The final upsert of an answered question."""
    updates: list[SearchAttributeUpdate[Any]] = [
        STATUS.value_set(Status.ANSWERED.value),
        QUERY_TYPE.value_set(answer.query_type),
        PROVIDER.value_set(answer.provider),
        STAKES.value_set(answer.decision.stakes),
        HEDGED.value_set(answer.hedged),
    ]
    if question.task is not None:
        updates.append(TASK.value_set(question.task))
    if answer.divergence is not None and answer.divergence.divergent is not None:
        updates.append(DIVERGENT.value_set(answer.divergence.divergent))
    if answer.cost_usd is not None:
        updates.append(COST_USD.value_set(answer.cost_usd))
    return updates


def of_review() -> list[SearchAttributeUpdate[Any]]:
    """What a question shows that waits for a person; the route may have set its stakes."""
    return [STATUS.value_set(Status.AWAITING_REVIEW.value), STAKES.value_set("high")]


async def register(client: Client) -> None:
    """Add the search attributes that the namespace lacks: an unknown one would halt every question that sets it.

    Raises:
        MissingSearchAttributes: some are missing and cannot be added from here; the message names them.
    """
    present = await _present(client)
    missing = {name: kind for name, kind in _KINDS.items() if name not in present}
    if not missing:
        return
    try:
        await client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(namespace=client.namespace, search_attributes=missing)
        )
    except RPCError as fault:
        if fault.status is RPCStatusCode.ALREADY_EXISTS:
            return
        wanted = ", ".join(f"{name} ({IndexedValueType.Name(kind)[19:].title()})" for name, kind in missing.items())
        raise MissingSearchAttributes(
            f"the namespace {client.namespace} lacks the search attributes {wanted} and they cannot be added from here "
            f"({fault.message}); add them there"
        ) from fault


async def _present(client: Client) -> set[str]:
    try:
        known = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError as fault:
        if fault.status is RPCStatusCode.UNIMPLEMENTED:
            # The time-skipping test server can add them and not list them.
            return set()
        raise
    return {*known.custom_attributes, *known.system_attributes}
