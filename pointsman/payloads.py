"""What a Temporal payload can carry: JSON in UTF-8, nested no deeper than those who read it go."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json, to_json

_FRAMES = 20
"""Levels that a question or an answer adds around a value of its own; 200 are read in all."""


def unsendable(value: Any) -> str | None:
    """Why a value would not arrive as it is, or `None`."""
    try:
        from_json(b"[" * _FRAMES + to_json(value) + b"]" * _FRAMES, allow_inf_nan=False)
    except (ValueError, RecursionError) as fault:
        told = str(fault)
        if "surrogates" in told:
            return "is not valid Unicode (a lone surrogate); send text that can be encoded as UTF-8"
        if "depth" in told or "recursion" in told:
            return "is nested too deeply; about 180 levels can be sent"
        return "cannot be sent as JSON (an infinite or very long number, or a value that JSON does not have)"
    return None
