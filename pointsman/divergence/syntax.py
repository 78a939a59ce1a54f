"""A syntax tree of Python as a sequence of marks that is the same for programs that differ in form only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

Mark = tuple[str, str]
"""The kind of node, which makes the shape, and what it holds: a constant, an operator, a name."""

_OPERATORS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
_SILENT = (ast.expr_context,)


class Normalised:
    """A tree without docstrings, annotations and examples of use, with its own names numbered as they appear.

    Functions and classes that the question mentions keep their names: somebody is going to call them so.
    """

    def __init__(self, tree: ast.Module, *, kept: str) -> None:
        """Take the names apart first, because one may be used before it is bound."""
        self._tree = tree
        named = set(re.findall(r"\w+", kept))
        self._own = {name for node in ast.walk(tree) for name in _bound(node, named)}
        self._numbers: dict[str, str] = {}

    def marks(self) -> list[Mark]:
        """Every node in written order; a stack and no recursion, because chains of operators nest deeply."""
        body = _without_examples(self._tree.body)
        stack: list[ast.AST] = list(reversed(body))
        found: list[Mark] = []
        while stack:
            node = stack.pop()
            found.append(self._mark(node))
            children = list(_children(node))
            # How many there are is part of the shape: else a statement could move out of its block unseen.
            found.append((f"/{len(children)}", ""))
            stack.extend(reversed(children))
        return found

    def _mark(self, node: ast.AST) -> Mark:
        if isinstance(node, _OPERATORS):
            return ("operator", type(node).__name__)
        if isinstance(node, ast.Constant):
            return ("constant", f"{type(node.value).__name__} {_written(node.value)}")
        held = [self._name(value) for _, value in ast.iter_fields(node) if isinstance(value, str)]
        return (type(node).__name__, " ".join(held))

    def _name(self, name: str) -> str:
        if name not in self._own:
            return name
        return self._numbers.setdefault(name, f"name {len(self._numbers) + 1}")


def _written(value: object) -> str:
    # Python prints no integer of more digits than it reads.
    if isinstance(value, int):
        return hex(value)
    return repr(value)


def _bound(node: ast.AST, kept: set[str]) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        if node.name not in kept:
            yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "type_comment"}:
            continue
        listed = value if isinstance(value, list) else [value]
        if field == "body" and isinstance(value, list):
            listed = _without_docstring(value)
        yield from (child for child in listed if isinstance(child, ast.AST) and not isinstance(child, _SILENT))


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if len(body) > 1 and isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[1:] if isinstance(first.value.value, str) else body
    return body


def _without_examples(body: list[ast.stmt]) -> list[ast.stmt]:
    """What follows the definitions only to show them: calls, assertions, `if __name__`."""
    if not any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in body):
        return _without_docstring(body)
    return [node for node in _without_docstring(body) if not isinstance(node, ast.Expr | ast.Assert | ast.If)]
