"""How a run that measures tells the catalogue what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from pointsman.catalogue.evaluation import Evaluation
    from pointsman.catalogue.profile import Profile
    from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, ProviderCatalogue

_Found = TypeVar("_Found", Evaluation, Profile)


async def recorded(signal: Callable[[ProviderCatalogue, _Found], None], found: Iterable[_Found]) -> tuple[str, ...]:
    """Tell the catalogue of each; the providers of whom it could not be told."""
    entity = workflow.get_external_workflow_handle_for(ProviderCatalogue.run, CATALOGUE_ENTITY_ID)
    untold: list[str] = []
    for one in found:
        try:
            await entity.signal(signal, one)
        except FailureError as fault:
            if is_cancelled_exception(fault):
                raise
            untold.append(one.provider)
    return tuple(untold)
