"""Reads the suites of a configuration: a folder with one folder a task, each with `suite.toml` and `cases.jsonl`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pointsman.configuration import Configuration
from pointsman.evals.suite import EvalSuite, SuiteHead, completed
from pointsman.examination.case import MAX_DEPTH, Case, case_faults, nested_too_deeply
from pointsman.examination.case_file import read_cases
from pointsman.schemas import schema_fault
from pointsman.sentences import ConfigurationError, file_fault, sentences

HEAD, CASES = "suite.toml", "cases.jsonl"
MAX_CASES = 200
MAX_BYTES = 1_000_000
"""Of the cases' file, and of all other files of a suite."""
_FAULTS_SHOWN = 20


def load_suites(folder: Path, configuration: Configuration) -> dict[str, EvalSuite]:
    """The suites by task.

    Raises:
        ConfigurationError: with every fault that was found, each a sentence that starts with file and line.
    """
    try:
        tasks = sorted(found for found in folder.iterdir() if found.is_dir() and not found.name.startswith("."))
    except OSError as fault:
        raise ConfigurationError(
            [f"catalogue.evals: the folder {folder} cannot be read ({fault.strerror}); correct it, or leave it out"]
        ) from None
    suites: dict[str, EvalSuite] = {}
    faults: list[str] = []
    for task in tasks:
        try:
            suites[task.name] = load_suite(task, configuration)
        except ConfigurationError as fault:
            faults += fault.faults
    faults += [
        f"{folder / task / HEAD}: judge: routes.{suite.judge} is evaluated by a judge itself, so that none could ever "
        "begin; name a route with require_eval = false"
        for task, suite in suites.items()
        if suite.judges and _waits_for_a_judge(suite.judge, suites, configuration)
    ]
    if faults:
        raise ConfigurationError(faults)
    return suites


def load_suite(folder: Path, configuration: Configuration) -> EvalSuite:
    """One task's suite; its folder is named for the task.

    Raises:
        ConfigurationError: it is none, or its task has no route.
    """
    task = folder.name
    route = configuration.routes.get(task)
    if route is None:
        known = ", ".join(sorted(configuration.routes)) or "none"
        raise ConfigurationError([f"{folder}: {task!r} is not a route; rename the folder for its task; known: {known}"])
    head = _head(folder / HEAD)
    own = _schema(folder, head.schema_) if head.schema_ else None
    of_route = configuration.schemas.get(route.response_schema) if route.response_schema else None
    if nested_too_deeply(of_route):
        raise ConfigurationError([f"schemas.{route.response_schema}: nested over {MAX_DEPTH} deep; flatten it"])
    suite = EvalSuite(
        task=task,
        description=head.description,
        threshold=head.threshold,
        judge=head.judge,
        cases=_cases(folder / CASES, head, own or of_route),
        route_schema=of_route,
    )
    fault = _judge_fault(suite, configuration)
    if fault is not None:
        raise ConfigurationError([f"{folder / HEAD}: judge: {fault}"])
    return suite


def _head(path: Path) -> SuiteHead:
    try:
        return SuiteHead.model_validate(tomllib.loads(_text(path)))
    except ValidationError as fault:
        raise ConfigurationError(
            [f"{path}: {sentence}" for sentence in sentences(fault, SuiteHead, toml=True)]
        ) from None
    except (ValueError, RecursionError) as fault:
        raise ConfigurationError([f"{path}: not TOML: {fault}"]) from None


def _schema(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    if path.resolve().parent != folder.resolve():
        raise ConfigurationError([f"{folder / HEAD}: schema: {name!r} is not in the suite's folder; put it there"])
    try:
        schema = json.loads(_text(path))
    except (ValueError, RecursionError) as fault:
        raise ConfigurationError([f"{path}: not JSON: {fault}"]) from None
    unusable = schema_fault(schema) if isinstance(schema, dict) else "not a JSON Schema: an object is expected"
    if unusable is not None:
        raise ConfigurationError([f"{path}: {unusable}"])
    return dict(schema)


def _cases(path: Path, head: SuiteHead, schema: dict[str, Any] | None) -> tuple[Case, ...]:
    numbered, found = read_cases(_text(path), Case)
    faults = [f"{path}: {fault}" for fault in found]
    cases = completed(head, tuple(case for _, case in numbered), schema)
    for (number, _), case in zip(numbered, cases, strict=True):
        faults += [f"{path}: line {number}: {fault}" for fault in case_faults(case)]
    if not numbered and not faults:
        faults.append(f"{path}: no cases; write one JSON object a line")
    if len(numbered) > MAX_CASES:
        faults.append(f"{path}: {len(numbered)} cases, and a suite has at most {MAX_CASES}; leave some out")
    if faults:
        more = [f"{path}: and {len(faults) - _FAULTS_SHOWN} faults more"] if len(faults) > _FAULTS_SHOWN else []
        raise ConfigurationError([*faults[:_FAULTS_SHOWN], *more])
    return cases


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigurationError([f"{path}: over {MAX_BYTES:,} bytes; shorten it"])
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError([f"{path}: no such file; a suite has {HEAD} and {CASES}"]) from None
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigurationError([f"{path}: {file_fault(fault)}"]) from None


def _waits_for_a_judge(task: str | None, suites: dict[str, EvalSuite], configuration: Configuration) -> bool:
    route, suite = configuration.routes.get(task or ""), suites.get(task or "")
    return suite is not None and suite.judges and route is not None and route.require_eval is not False


def _judge_fault(suite: EvalSuite, configuration: Configuration) -> str | None:
    """Why the suite's judge cannot judge every member of the task's chain, or `None`."""
    if suite.judge is None:
        return "missing, and a check asks for one; name the task whose route judges" if suite.judges else None
    route = configuration.routes.get(suite.judge)
    if route is None:
        known = ", ".join(sorted(configuration.routes))
        return f"{suite.judge!r} is not a route; known: {known}"
    providers = configuration.providers
    vendors = {providers[name].vendor_name for name in route.chain if name in providers}
    judged = {providers[name].vendor_name for name in configuration.routes[suite.task].chain if name in providers}
    alone = vendors & judged if len(vendors) == 1 else set[str]()
    if alone:
        return f"routes.{suite.judge} has members of {alone.pop()} only, and no vendor judges its own; add another's"
    return None
