"""What may hold a secret, as it may be printed: names stay readable, values do not."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

MASK = "***"
# Up to the last @, since a password that was not escaped may hold one too.
_PASSWORD = re.compile(r"(?<=://)([^/?#:@]*):.*@", re.DOTALL)
_PARAMETER = re.compile(r"([?&][^=&]*(?:pass|key|token|secret)[^=&]*=)[^&]*", re.IGNORECASE)


def masked_url(url: str) -> str:
    """A URL without the password, and without the parameters whose names sound like one."""
    return _PARAMETER.sub(rf"\1{MASK}", _PASSWORD.sub(rf"\1:{MASK}@", url))


def masked_configuration(document: dict[str, Any]) -> dict[str, Any]:
    """A configuration as plain values, fit to be printed: `extra` and `extra_headers` may hold anything, a key too."""
    return {
        **document,
        "providers": {name: _masked_provider(provider) for name, provider in document["providers"].items()},
        "ledger": {**document["ledger"], "url": masked_url(document["ledger"]["url"])},
        "review": _masked_review(document["review"]),
    }


def _masked_review(review: dict[str, Any]) -> dict[str, Any]:
    """A webhook's path is often the secret itself: only the host is shown."""
    if review.get("webhook") is None:
        return review
    address = urlsplit(review["webhook"])
    return {**review, "webhook": f"{address.scheme}://{address.netloc.rpartition('@')[2]}/{MASK}"}


def _masked_provider(provider: dict[str, Any]) -> dict[str, Any]:
    masked: dict[str, Any] = {table: dict.fromkeys(provider[table], MASK) for table in ("extra", "extra_headers")}
    if "api_base" in provider:
        masked["api_base"] = masked_url(provider["api_base"])
    return {**provider, **masked}
