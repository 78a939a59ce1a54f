"""How large modules are imported."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def importing() -> Generator[None]:
    """Around an import that makes very many objects: the garbage collector rests, and leaves them alone from then on.

    They live as long as the process, and looking through them again and again took a quarter of LiteLLM's import.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()
