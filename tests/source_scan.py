"""Reads the application's source: whom it names, what it imports, and where it asks a provider."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("pointsman", "workflows", "activities", "workers")

DEMO = frozenset(
    {
        "workers/embedded/answers.py",
        "workers/embedded/demo.py",
        "workers/embedded/local_model.py",
        "workers/embedded/measuring_demo.py",
    }
)
"""The play that `make demo` shows is written for the providers of config/demo.toml; no other command reads these."""

NETWORK = frozenset(
    {
        *("litellm", "openai", "anthropic", "cohere", "mistralai", "ollama", "groq", "boto3", "google.genai"),
        *(
            "httpx",
            "httpcore",
            "aiohttp",
            "requests",
            "urllib3",
            "urllib.request",
            "http.client",
            "websockets",
            "socket",
        ),
    }
)
"""What a provider could be reached with."""

REACHING = {
    "activities/providers/bounded_reply.py": {"httpx", "litellm"},
    "activities/providers/litellm.py": {"litellm"},
    "pointsman/address.py": {"socket"},  # whether something listens where Temporal should
    "workers/embedded/temporal_server.py": {"socket"},  # a free port for it
    "workers/quiet_server.py": {"socket"},  # listens: for who asks how the worker is, and for Temporal's UI
    "workers/webhook.py": {"httpx"},  # tells reviewers, at an address of their own
    "workers/embedded/scripted/delivery.py": {"aiohttp", "socket"},  # these serve, and ask nobody
    "workers/embedded/scripted/endpoint.py": {"aiohttp"},
    "workers/embedded/scripted/server.py": {"aiohttp"},
}
"""Who may import which of them, and for what."""

ASKING = frozenset({"activities/complete.py", "activities/probe.py"})
"""The activities that use the port to a provider."""

_FAMILIES = re.compile(
    r"\b(gpt-\d|claude-[a-z0-9]|gemini-\d|llama-?\d|mi[sx]tral-[a-z0-9]|command-r|deepseek-[a-z0-9])", re.IGNORECASE
)
"""Names of models that are in no configuration here."""


def sources(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """Every source file of the application with its path below `root`."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            yield path.relative_to(root).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def configured(root: Path) -> set[str]:
    """Every name of a provider or a model in the configurations, with and without its vendor."""
    found = set[str]()
    for path in (root / "config").glob("*.toml"):
        providers = tomllib.loads(path.read_text(encoding="utf-8")).get("providers", {})
        for name, table in providers.items():
            found |= {name, table["model"], table["model"].partition("/")[2]}
    return found


def named(root: Path) -> dict[str, set[str]]:
    """The providers and models that texts of the source name, by file; docstrings explain with examples."""
    names = configured(root)
    known = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in names))
    found = dict[str, set[str]]()
    for path, module in sources(root):
        texts = [text for text in _texts(module) if known.search(text) or _FAMILIES.search(text)]
        if texts:
            found[path] = set(texts)
    return found


def reaching(root: Path) -> dict[str, set[str]]:
    """What each file imports, by whatever statement, of what a provider could be reached with."""
    found = dict[str, set[str]]()
    for path, module in sources(root):
        hits = {known for name in _imported(module) for known in NETWORK if f"{name}.".startswith(f"{known}.")}
        if hits:
            found[path] = hits
    return found


def adapting(root: Path) -> set[str]:
    """The files outside the adapters that import one."""
    return {
        path
        for path, module in sources(root)
        if not path.startswith("activities/providers/")
        and any(f"{name}.".startswith("activities.providers.") for name in _imported(module))
    }


def asking(root: Path) -> set[str]:
    """The files that make a request for the port, or call it."""
    return {path for path, module in sources(root) if any(_asks(node) for node in ast.walk(module))}


def _asks(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    match node.func:
        case ast.Name(id="CompletionRequest") | ast.Attribute(attr="CompletionRequest"):
            return True
        case ast.Attribute(attr="complete" | "acompletion" | "completion"):
            # Of LiteLLM itself: the adapter's own one request.
            return not (isinstance(node.func.value, ast.Name) and node.func.value.id == "litellm")
        case _:
            return False


def _texts(module: ast.Module) -> Iterator[str]:
    explained = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield node.value


def _imported(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(name), level=0):
                yield name
                yield from (f"{name}.{alias.name}" for alias in node.names)
            case ast.Call(func=ast.Name(id="import_module" | "__import__"), args=[ast.Constant(value=str(name)), *_]):
                yield name
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
                yield name
            case _:
                pass
