"""How a local step says that the question cannot be asked as it is."""

from __future__ import annotations

from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from pointsman.contract import INVALID_QUESTION
from pointsman.sentences import shortened


def invalid_question(fault: Exception) -> ApplicationError:
    """The error that ends the question; the caller's mistake needs no traceback in the worker's log."""
    return ApplicationError(
        shortened(str(fault)), type=INVALID_QUESTION, non_retryable=True, category=ApplicationErrorCategory.BENIGN
    )
