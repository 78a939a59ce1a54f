"""The English words that `complexity` counts, each set with what it tells of a question."""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


CLAUSES = _words(
    """
    and but or if when while then after before because since that which who whose where so although though whereas
    """
)
"""One thing is joined to another."""

CONDITIONS = _words(
    """
    if unless except only must should without instead however assume assumes assumed assuming suppose given provided
    remaining rest left until both neither either whether exactly respectively total altogether still again already
    same different
    """
)
"""What an answer has to keep to, or what holds at one time and not at another."""

NUMBERS = _words(
    """
    one two three four five six seven eight nine ten eleven twelve dozen fifteen twenty thirty forty fifty sixty seventy
    eighty ninety hundred thousand million
    """
)
"""Numbers in words."""

RELATIONS = _words(
    """
    % percent percentage half third quarter twice thrice double doubles doubled triple triples tripled times than per
    each every ratio fraction average rate proportion proportional fewer less more
    """
)
"""One quantity is told by another."""

NEGATIONS = _words(
    """
    not no never none nor neither except least false incorrect wrong cannot without
    isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't hasn't haven't
    """
)
"""Turns a statement round; the ones with a slanted apostrophe are seldom typed."""

JUDGEMENTS = _words(
    """
    statement statements scenario scenarios claim claims case cases premise premises argument arguments assertion
    assertions proposition propositions ii iii iv true false correct wrong valid invalid
    """
)
"""Several statements are to be judged, or one of them against others."""

OPERATIONS = _words(
    """
    prove proves proof derive derives derivation optimize optimise optimal minimize minimise maximize maximise compute
    calculate determine solve analyze analyse analysis compare contrast evaluate assess explain why justify infer
    inference implement refactor debug design plan reason reasoning tradeoff tradeoffs estimate predict conclude
    conclusion imply implies entail entails
    """
)
"""Thinking that is asked for by name."""
