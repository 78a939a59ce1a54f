"""The key of a breaker: `provider/model`, such as `frontier-a/openai/gpt-5.2-2026-08-15`.

Provider names contain no slash, and one configured provider has one credential, so this names a credential too.
"""

from __future__ import annotations


def key_of(provider: str, model: str) -> str:
    """The key of a provider's model."""
    return f"{provider}/{model}"


def provider_of(key: str) -> str:
    """The provider that a key belongs to."""
    return key.partition("/")[0]


def model_of(key: str) -> str:
    """The model string of a key."""
    return key.partition("/")[2]
