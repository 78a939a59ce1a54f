"""Why something in a history cannot be read, in a sentence that names what is missing."""

from __future__ import annotations

from pydantic import ValidationError

from pointsman.errors import stored_elsewhere, unreadable_payload
from pointsman.sentences import shortened
from pointsman.server_faults import NO_FOLDER

OTHER_VERSION = "it is no record of this version; use the version that wrote it"


def why_unread(fault: BaseException) -> str:
    """What is wrong with a payload, by the error that reading it ended with."""
    told = unreadable_payload(fault)
    if told is not None:
        return str(told)
    if stored_elsewhere(str(fault)):
        return NO_FOLDER
    if isinstance(fault, ValidationError):
        # What it says in full quotes what was asked.
        return OTHER_VERSION
    return f"reading it ended in an error ({type(fault).__name__}: {shortened(str(fault))})"
