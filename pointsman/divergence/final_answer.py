"""Where an answer says what it comes to: a box, a marked line, "the answer is", or else its last sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST = 600
_SENTENCES = 12
# Each of these reads a line once: what is repeated excludes what ends it, or does not give back.
_TAGS = (("<answer>", "</answer>"), ("[answer]", "[/answer]"))
_HASHES = re.compile(r"^[ \t]*#{4}[ \t]*(\S[^\n]*)", re.MULTILINE)
_FIELD = re.compile(r'"(?:final[_ ]?)?answer"[ \t]*:[ \t]*("(?:[^"\\\n]|\\.)*+"|[^\n]+)', re.IGNORECASE)
_BE = r"(?:[ \t]*(?:[:=]|is:?|are:?|was|were|will be|would be|should be|must be|equals|comes to)(?![A-Za-z])[ \t]*)"
_ANSWER = re.compile(rf"\banswer(?: to [^\n.:]{{1,80}}| choice)?{_BE}\s*+", re.IGNORECASE)
_OUTCOME = re.compile(
    rf"\b(?:result|output|solution|choice|option|total|value)(?: of [^\n.:=]{{1,80}})?{_BE}", re.IGNORECASE
)
_BOLD = re.compile(r"(\*\*|__)(?=[^\s*_])([^*\n]{1,200}?)\1(?![\w(])")
_DISPLAY = re.compile(r"\\\[((?:(?!\\[\[\]]).)*+)\\\]|\$\$((?:(?!\$\$).)*+)\$\$", re.DOTALL)
_END = re.compile(r"(?<![.!?])[.!?]++[\"')*]*+(?=\s|$)|\n+")
# Neither after these nor after the number of a list's entry does a sentence end.
_ENTRY = re.compile(r"^\d{1,2}[.)]\s+(?=\S)")
_ABBREVIATED = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|St|No|vs|e\.g|i\.e|approx|ca|[A-Z])|\.|^[ \t]*\d{1,2})$", re.MULTILINE)


@dataclass(frozen=True)
class FinalAnswer:
    """What an answer comes to."""

    text: str
    explicit: bool
    """Whether it is marked as the answer, and not merely what is said last."""


def final_answer(text: str) -> FinalAnswer:
    """The final answer of a folded text."""
    marked = _boxed(text) or _tagged(text) or _last(_HASHES, text) or _field(text)
    if marked is None:
        marked = _stated(_ANSWER, text)
    if marked is not None:
        return FinalAnswer(marked, explicit=True)
    last = (sentences(text) or [text])[-1]
    outcome = _stated(_OUTCOME, last)
    return FinalAnswer(outcome or last, explicit=outcome is not None)


def ends_in_hashes(text: str) -> bool:
    """Whether a folded answer has a line in GSM8K's form, `#### 42`."""
    return _HASHES.search(text) is not None


def sentences(text: str) -> list[str]:
    """The last dozen sentences and lines, without emphasis; mathematics that is set apart stays in its line."""
    text = without_emphasis(_DISPLAY.sub(lambda found: f"${' '.join((found[1] or found[2] or '').split())}$", text))
    cut: list[str] = []
    at = 0
    for end in _END.finditer(text):
        if end[0][0] == "." and _ABBREVIATED.search(text, max(at, end.start() - 6), end.start()):
            continue
        cut.append(text[at : end.start()].strip())
        at = end.end()
    cut.append(text[at:].strip())
    return [_ENTRY.sub("", sentence) for sentence in cut if sentence.strip(" *_#$-`")][-_SENTENCES:]


def without_emphasis(text: str) -> str:
    """Markdown's bold without its asterisks."""
    return _BOLD.sub(r"\2", text) if "**" in text or "__" in text else text


def _boxed(text: str) -> str | None:
    start = max(text.rfind("\\boxed{"), text.rfind("\\fbox{"))
    if start < 0:
        return None
    at = text.index("{", start) + 1
    open_braces = 1
    for end in range(at, min(len(text), at + _LONGEST)):
        open_braces += {"{": 1, "}": -1}.get(text[end], 0)
        if not open_braces:
            return text[at:end].strip()
    return None


def _tagged(text: str) -> str | None:
    lower = text.lower()
    for opening, closing in _TAGS:
        start = lower.rfind(opening)
        if start >= 0:
            end = lower.find(closing, start)
            return text[start + len(opening) : end if end >= 0 else None].strip()
    return None


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return found[-1].strip() if found else None


def _field(text: str) -> str | None:
    # The last field of a JSON object whose other fields hold the reasoning, also where the object is malformed.
    found = _last(_FIELD, text)
    if found is None:
        return None
    if found.startswith('"') and found.endswith('"') and len(found) > 1:
        return found[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return found.rstrip(",} \t")


def _stated(pattern: re.Pattern[str], text: str) -> str | None:
    """What follows the last mark, up to the end of its sentence."""
    text = without_emphasis(text)
    start = max((found.end() for found in pattern.finditer(text)), default=-1)
    if start < 0:
        return None
    ends = (end.start() for end in _END.finditer(text, start))
    end = next((end for end in ends if not _ABBREVIATED.search(text, max(start, end - 6), end)), len(text))
    return text[start:end].strip(" \t*_") or None
