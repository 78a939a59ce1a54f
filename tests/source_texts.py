"""The texts of a source file as the program will have them: what it puts together is put together here too."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence


def texts(module: ast.Module) -> Iterator[str]:
    """Every text and every bytes of a module, sums of constants too; docstrings explain, and are none."""
    explained = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if id(node) not in explained and (text := folded(node)) is not None:
            yield text


def folded(node: ast.AST) -> str | None:
    """What an expression of constants is, or `None` where it is no text, or not known before it runs."""
    match node:
        case ast.Constant(value=str() | bytes() as content):
            return content if isinstance(content, str) else content.decode("latin-1")
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _together([left, right])
        case ast.JoinedStr(values=parts):
            return _together(parts)
        case ast.Call(
            func=ast.Attribute(value=between, attr="join"), args=[ast.List(elts=parts) | ast.Tuple(elts=parts)]
        ):
            return _together(parts, folded(between))
        case ast.Call(func=ast.Attribute(value=inner, attr="decode" | "encode")) | ast.FormattedValue(value=inner):
            return folded(inner)
        case _:
            return None


def _together(parts: Sequence[ast.AST], between: str | None = "") -> str | None:
    found = [folded(part) for part in parts]
    known = [text for text in found if text is not None]
    return between.join(known) if between is not None and len(known) == len(found) else None
