"""What an explanation says, in words: conditions under which another provider would go first, or could at all."""

from __future__ import annotations

from pointsman.explanation.change import Setting
from pointsman.explanation.kind import KindReasons
from pointsman.explanation.what_if import WhatIf

_SHOWN_FROM = 0.005
"""Probabilities that two places show as something."""


def condition(found: WhatIf) -> str:
    """The change itself: "with scoring.weights.cost at 0.34 or less (now 0.5)"."""
    match found.about:
        case "price":
            return _price(found)
        case "policy":
            return f'under scoring.policy = "{found.to}" with its own weights (now "{found.now}")'
        case "type":
            return f"if it were taken for {found.to}"
        case "opening":
            return "with " + " and ".join(_opened(found, setting) for setting in found.settings)
        case _:
            key = ".".join(found.settings[0].path)
            return f"with {_owner(found.settings[0])}{key} at {_turn(found)} (now {_figure(found.now)})"


def in_words(found: WhatIf) -> str:
    """The whole sentence."""
    if found.candidate is not None:
        return f"{found.candidate} would be a candidate {condition(found)}"
    if found.first is None:
        return f"nobody could be asked {condition(found)}"
    return f"{found.first} would go first {condition(found)}"


def kind_in_words(kind: KindReasons) -> str:
    """What the type rests on, in a sentence."""
    if kind.by == "route":
        return f"the route of the task {kind.task} fixes the type"
    if kind.by == "rules":
        asked = "" if kind.asks_first is None else f"; a worker asks {kind.asks_first} first, which was not done here"
        if kind.fell_back:
            return f"no pattern of the rules matches: analysis at 0.3{asked}"
        return f"the last pattern of the rules that matches decides{asked}"
    if kind.likeliest is None:
        return "there is no text to go by: analysis at 0.3"
    if kind.fell_back:
        return f"nothing is likelier than 0.3: analysis, though {kind.likeliest} is the likeliest"
    probability = kind.runner_up_probability or 0.0
    at = f"{probability:.2f}" if probability >= _SHOWN_FROM else "less than 0.01"
    return f"{kind.likeliest} is likeliest, {kind.runner_up} comes next at {at}"


def _price(found: WhatIf) -> str:
    percent = float(found.to or 0) - 100
    return f"if {found.provider} were {abs(percent):.0f} % {'dearer' if percent > 0 else 'cheaper'}"


def _turn(found: WhatIf) -> str:
    if not found.lasting:
        return _figure(found.to)
    down = float(found.to or 0) < float(found.now or 0)
    return f"{_figure(found.to)} or {'less' if down else 'more'}"


def _opened(found: WhatIf, setting: Setting) -> str:
    key = setting.path[-1]
    if key == "chain":
        return f"a place in {'.'.join(setting.path)}"
    if key == "supports":
        return f"{' and '.join(map(str, setting.value))} among what {found.candidate} supports"
    if key in ("allow", "deny"):
        return f"the question {'allowing' if key == 'allow' else 'not denying'} it"
    if setting.value is None:
        return f"the question's {key} left out"
    value = str(setting.value).lower() if isinstance(setting.value, bool) else _figure(setting.value)
    return f"{_owner(setting)}{'.'.join(setting.path)} at {value}"


def _owner(setting: Setting) -> str:
    return "the question's " if setting.where == "question" else ""


def _figure(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
