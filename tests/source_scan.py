"""Reads the application's source: whom it names, what it imports, and where it asks a provider."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.source_texts import folded, texts

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
        *(
            "litellm",
            "openai",
            "anthropic",
            "cohere",
            "mistralai",
            "ollama",
            "groq",
            "together",
            "replicate",
            "vertexai",
        ),
        *("boto3", "botocore", "google.genai", "google.generativeai", "huggingface_hub", "transformers"),
        *("httpx", "httpcore", "aiohttp", "requests", "urllib3", "urllib.request", "http.client", "websockets", "grpc"),
        *("pycurl", "socket", "_socket", "ssl", "socketserver", "ftplib", "smtplib", "xmlrpc", "telnetlib"),
        *("os.system", "os.popen", "os.posix_spawn", "os.posix_spawnp", "os.forkpty"),
        *(f"os.{verb}{how}" for verb in ("exec", "spawn") for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
        *("subprocess", "_posixsubprocess", "pty", "ctypes", "cffi"),
    }
)
"""Modules that a provider could be reached with, by oneself or by a program such as curl."""

WAYS_OUT = frozenset(
    {
        *("open_connection", "open_unix_connection", "create_connection", "create_unix_connection"),
        *("create_datagram_endpoint", "sock_connect", "sock_sendto"),
        *("create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
    }
)
"""What asyncio has for it, by name, whoever has it: an event loop, or `from asyncio import ...`."""

MADE = "a module by a name that is made"
"""An import that cannot be read here, or a look into what others have imported."""

REACHING = {
    "activities/providers/bounded_reply.py": {"httpx", "litellm"},
    "activities/providers/litellm.py": {"litellm"},
    "pointsman/__init__.py": {MADE},  # its own modules, each when it is first used
    "pointsman/address.py": {"create_connection", "socket"},  # whether something listens where Temporal should
    "pointsman/telemetry/asking.py": {MADE},  # whether somebody has imported OpenTelemetry
    "workers/embedded/leash.py": {"subprocess"},  # ends a server with its parent
    "workers/embedded/temporal_server.py": {"socket", "subprocess"},  # the server, and a free port for it
    "workers/quiet_server.py": {"socket"},  # listens: for who asks how the worker is, and for Temporal's UI
    "workers/webhook.py": {"httpx"},  # tells reviewers, at an address of their own
    "workers/embedded/scripted/delivery.py": {"aiohttp", "socket"},  # these serve, and ask nobody
    "workers/embedded/scripted/endpoint.py": {"aiohttp"},
    "workers/embedded/scripted/server.py": {"aiohttp"},
}
"""Who may use which of them, and for what."""

REQUEST = "CompletionRequest"
ASKING = {
    "activities/ports.py": {REQUEST},  # the port itself
    "activities/providers/litellm.py": {REQUEST, "litellm.acompletion"},
    "activities/providers/simulated.py": {REQUEST},
    "activities/complete.py": {REQUEST, "self._completer.complete"},
    "activities/probe.py": {REQUEST, "completer.complete"},
    "workflows/provider_call.py": {"Complete.complete"},  # the activity by its name
    "workers/wiring.py": {"Complete().complete"},  # the same, for the worker that runs it
    # Whether a table of outcomes has gaps.
    "pointsman/tuning/curve.py": {"self._outcomes.complete"},
    "pointsman/tuning/judgement.py": {"outcomes.complete"},
    "pointsman/tuning/tuned.py": {"outcomes.complete"},
}
"""Who makes, takes or sends requests to providers: the port, its adapters, and the two activities that use it."""

_FAMILIES = re.compile(
    r"\b(chatgpt|gpt-(\d|oss)|o[1345]-(mini|pro|preview|deep)|text-(embedding|davinci)|claude-[a-z0-9]"
    r"|gem(ini|ma)-?\d|llama-?\d|(mi[sx]|mini|magi|dev|code|pix)s?tral-[a-z0-9]|(mixtral|ministral|codestral)"
    r"|command-[ar]|deepseek-[a-z0-9]|grok-?\d|qwen-?[\d.]|qw[qe]n?-\d|phi-?\d|kimi-k|glm-\d|yi-\d|nova-(micro|lite|pro)"
    r"|sonar-(pro|reason)|jamba-|titan-text|nemotron|granite-\d|olmo-|falcon-\d|minimax-)|(?<=/)o[1345]\b",
    re.IGNORECASE,
)
"""Names of models that are in no configuration here."""


def sources(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """Every source file of the application with its path below `root`."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            yield path.relative_to(root).as_posix(), _parsed(path.read_text(encoding="utf-8"))


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def configured(root: Path) -> set[str]:
    """Every name of a provider or a model in the configurations, with and without its vendor."""
    found = set[str]()
    for path in (root / "config").glob("*.toml"):
        providers = tomllib.loads(path.read_text(encoding="utf-8")).get("providers", {})
        for name, table in providers.items():
            found |= {name, table["model"], table["model"].partition("/")[2]}
    return found


@cache
def _texts(module: ast.Module) -> tuple[str, ...]:
    return tuple(texts(module))


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
    """What each file uses, by whatever statement, of what a provider could be reached with."""
    found = dict[str, set[str]]()
    for path, module in sources(root):
        imported = _imported(module)
        hits = {known for name in imported for known in NETWORK if f"{name}.".startswith(f"{known}.")}
        hits |= WAYS_OUT & _names(module)
        if MADE in imported:
            hits.add(MADE)
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


def asking(root: Path) -> dict[str, set[str]]:
    """What each file names of the port: its request, and whatever has its method, called at once or kept for later."""
    found = {path: set(_asked(module)) for path, module in sources(root)}
    return {path: asked for path, asked in found.items() if asked}


_RENAMED = frozenset({"asyncio", "builtins", "importlib", "os", "sys"})
"""Modules whose parts are looked for by the module's own name."""
_IMPORTING = frozenset({"import_module", "__import__"})


@cache
def _asked(module: ast.Module) -> frozenset[str]:
    named = {REQUEST} & _names(module)
    return frozenset(named.union(*(_asks(node) for node in ast.walk(module))))


def _asks(node: ast.AST) -> set[str]:
    match node:
        case ast.Attribute(value=ast.Call(func=ast.Name(id=maker)), attr="complete"):
            return {f"{maker}().complete"}
        case ast.Attribute(attr="complete" | "acompletion"):
            return {ast.unparse(node)}
        # As a mere word it is what came back.
        case ast.Call(func=ast.Attribute(attr="completion") as called):
            return {ast.unparse(called)}
        case ast.Call(func=ast.Name(id="getattr" | "attrgetter" | "methodcaller"), args=arguments):
            return {folded(one) or "" for one in arguments} & {"complete", "acompletion", "completion"}
        case _:
            return set()


@cache
def _names(module: ast.Module) -> frozenset[str]:
    """Every name that is used, imported or looked up by its text."""
    return frozenset(name for node in ast.walk(module) for name in _named_by(node))


def _named_by(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.alias(name=name):
            return (name.rpartition(".")[2],)
        case ast.Call(func=ast.Name(id="getattr"), args=[_, sought, *_]):
            return (folded(sought) or "",)
        case _:
            return ()


@cache
def _imported(module: ast.Module) -> frozenset[str]:
    called = {id(node.func) for node in ast.walk(module) if isinstance(node, ast.Call)}
    kept = {MADE for node in ast.walk(module) if _imports(node) and id(node) not in called}
    return frozenset(kept.union(*(_imported_by(node) for node in ast.walk(module))))


def _imports(node: ast.AST) -> bool:
    """Whether it is a function that imports; to keep one under another name is to hide what it imports."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _IMPORTING
        case _:
            return False


def _imported_by(node: ast.AST) -> set[str]:
    match node:
        case ast.Import(names=names):
            hidden = {MADE for alias in names if alias.asname and alias.name in _RENAMED}
            return {alias.name for alias in names} | hidden
        case ast.ImportFrom(module=str(name), level=0, names=names):
            hidden = {MADE for alias in names if alias.asname and alias.name in _IMPORTING}
            return {name, *(f"{name}.{alias.name}" for alias in names)} | hidden
        case ast.Call(func=function) if _imports(function):
            given = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "name")]
            return {(folded(given[0]) if given else None) or MADE}
        case ast.Attribute(value=ast.Name(id="sys"), attr="modules") | ast.Name(id="exec" | "eval"):
            return {MADE}
        case ast.Attribute(value=ast.Name(id="os"), attr=name):
            return {f"os.{name}"}
        case _:
            return set()
