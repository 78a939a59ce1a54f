"""What the value of an HTTP header may be: printable ASCII that neither begins nor ends with a space."""

from __future__ import annotations

import re

_VALUE = re.compile(r"[!-~]([ -~]*[!-~])?")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

NOT_A_HEADER = "holds what no HTTP header can (a control character, a space at its edge, or a letter outside ASCII)"


def header_safe(value: str) -> bool:
    """Whether a value can be sent."""
    return _VALUE.fullmatch(value) is not None


def header_name(name: str) -> bool:
    """Whether a header can be called so."""
    return _NAME.fullmatch(name) is not None
