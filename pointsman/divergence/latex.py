r"""LaTeX mathematics in plain letters: \\frac{3}{4} becomes ((3)/(4))."""

from __future__ import annotations

import re

_LONGEST = 600
_NESTED = 12
# A whole number before a fraction of digits is no factor: it is read as one mixed number.
_MIXED = re.compile(r"(?<![\d^{])(\d+)\s?\\[dt]?frac\s?\{(\d+)\}\s?\{(\d+)\}")
_FIRST = {"{,}": ",", ",\\!": ",", "\\!": "", "\\$": "$", "\\%": "%", "\\{": "{", "\\}": "}", "^\\circ": " degrees"}
_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mbox|operatorname|boxed|textnormal)\s?\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dtc]?frac\s?(?:\{([^{}]*)\}|(\d))\s?(?:\{([^{}]*)\}|(\d))")
_ROOT = re.compile(r"\\sqrt\s?(?:\[(\d)\])?\s?(?:\{([^{}]*)\}|(\d))")
_RAISED = re.compile(r"([_^])\{([^{}]*)\}")
_COMMANDS = {
    **dict.fromkeys(("left", "right", "big", "Big", "displaystyle", "quad", "qquad", "limits", "bigl", "bigr"), " "),
    **dict.fromkeys(("times", "cdot", "ast"), "*"),
    "div": "/",
    "infty": " infinity ",
    "pi": " pi ",
    "circ": " degrees",
    "degree": " degrees",
    "pm": "\N{PLUS-MINUS SIGN}",
    "cup": " U ",
    "approx": "=",
    **dict.fromkeys(("le", "leq", "leqslant"), "<="),
    **dict.fromkeys(("ge", "geq", "geqslant"), ">="),
    **dict.fromkeys(("ne", "neq"), "!="),
    "lt": "<",
    "gt": ">",
    "implies": " ",
    "dots": "...",
    "ldots": "...",
}
_COMMAND = re.compile(r"\\([A-Za-z]++|.)", re.DOTALL)


def plain(latex: str) -> str:
    """The mathematics in a short text as one would type it; a longer text is none and stays as it is."""
    if len(latex) > _LONGEST or not ("\\" in latex or "{" in latex):
        return latex
    text = _MIXED.sub(r"\1 \2/\3", latex)
    for written, meant in _FIRST.items():
        text = text.replace(written, meant)
    for _ in range(_NESTED):
        # Innermost braces first, so that each pass is one look at the text.
        inner = _RAISED.sub(r"\1(\2)", _TEXT.sub(r" \1 ", _ROOT.sub(_root, _FRACTION.sub(_fraction, text))))
        if inner == text:
            break
        text = inner
    return _COMMAND.sub(lambda found: _COMMANDS.get(found[1], f" {found[1]} " if found[1].isalpha() else " "), text)


def _fraction(found: re.Match[str]) -> str:
    return f"(({found[1] or found[2]})/({found[3] or found[4]}))"


def _root(found: re.Match[str]) -> str:
    inner = found[2] or found[3]
    return f"(({inner})^(1/{found[1]}))" if found[1] else f"sqrt({inner})"
