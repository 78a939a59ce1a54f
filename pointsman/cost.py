"""Tokens and money: estimates before a call, the bill after it. Prices are USD per million tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pointsman.outcomes import Usage
from pointsman.provider import Price

_MILLION = 1_000_000
_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 8
MIN_OUTPUT_TOKENS = 16
"""An answer that may be no longer than this is not worth its input."""


def estimated_tokens(texts: Iterable[str]) -> int:
    """Tokens of some texts without a tokenizer: one per three bytes of UTF-8, and a few for each text's frame.

    Errs to the high side for English (about four bytes a token) and is near for scripts of three bytes a character.
    """
    return sum(
        math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE for text in texts
    )


def cost_usd(usage: Usage, price: Price | None) -> float | None:
    """What a call costs in USD; `None` where the price or the usage is unknown. Never 0 for unknown."""
    if price is None or usage.source == "unknown":
        return None
    cached = min(usage.cached_tokens, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    fresh = usage.input_tokens - cached
    return (fresh * price.input + cached * cached_price + usage.output_tokens * price.output) / _MILLION


def estimated_cost_usd(input_tokens: int, output_tokens: int, price: Price | None) -> float | None:
    """What an answer of `output_tokens` would cost in USD, or `None` without a price."""
    return None if price is None else (input_tokens * price.input + output_tokens * price.output) / _MILLION


def per_1k_usd(input_tokens: int, output_tokens: int, price: Price | None) -> float | None:
    """USD per 1,000 tokens of a call of this shape (DESIGN ruling 2)."""
    return of_1k(estimated_cost_usd(input_tokens, output_tokens, price), input_tokens + output_tokens)


def of_1k(usd: float | None, tokens: int) -> float | None:
    """USD per 1,000 of so many tokens, of what all of them cost."""
    return None if usd is None else usd * 1000 / max(1, tokens)


def blended_price(price: Price | None) -> float | None:
    """One figure to compare providers by: input and output at 3 : 1, the usual shape of a question."""
    return None if price is None else (3 * price.input + price.output) / 4


def affordable_output_tokens(input_tokens: int, price: Price | None, limit_usd: float, cap: int) -> int | None:
    """The longest answer, up to `cap` tokens, that keeps a call within `limit_usd`; `None` where none is worth it."""
    if price is None:
        return None
    left = limit_usd * _MILLION - input_tokens * price.input
    if left < 0:
        return None
    tokens = cap if price.output == 0 else int(min(float(cap), left / price.output))
    return tokens if tokens >= min(cap, MIN_OUTPUT_TOKENS) else None
