"""A decision as people read it and as programs do."""

from __future__ import annotations

import json
import re

import pytest

from pointsman.circumstances import Circumstances
from pointsman.cli.decision_document import decision_document
from pointsman.cli.decision_page import page, print_decision
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.explanation.explain import Explanation, explained
from pointsman.explanation.kind import classified
from pointsman.messages import Question
from pointsman.routing import decide
from pointsman.standing import Standing, Unknown
from tests.builders import configuration, provider_table

PROMPT = "Compare the two drafts, and explain why the second one is kinder to the tenant."


class _Cooling(Unknown):
    def standing(self, *told: object) -> Standing:
        return Standing(cooling="throttle", recovers_in_s=3) if told[0] == "first" else Standing()


def _made(settled: Configuration, question: Question | None = None) -> tuple[Decision, Explanation]:
    asked, known = question or Question(prompt=PROMPT), Circumstances(health=_Cooling())
    taken, kind = classified(asked, settled)
    made = decide(asked, taken, settled, known)
    return made, explained(asked, settled, made, kind, known)


def _settled(by: str = "model", **scoring: object) -> Configuration:
    strengths = {"complex_reasoning": 0.9, "analysis": 0.4}
    providers = {
        "first": provider_table(strengths=strengths, supports=["json_schema"]),
        "second": provider_table(strengths={"complex_reasoning": 0.85}, price={"input": 0.5, "output": 2.0}),
        "a-provider-with-a-rather-long-name-that-is-slow": provider_table(latency={"p50_ms": 8000, "p95_ms": 9000}),
        "elsewhere": provider_table(),
    }
    chain = {"chain": [name for name in providers if name != "elsewhere"]}
    kinds = ("simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis")
    return configuration(providers, query_types=dict.fromkeys(kinds, chain), classification={"by": by}, scoring=scoring)


def _page(settled: Configuration, question: Question | None = None) -> str:
    return "\n".join(page(*_made(settled, question)))


@pytest.mark.parametrize("by", ["model", "rules"])
@pytest.mark.parametrize("policy", ["source", "balanced", "cheapest_good", "best"])
def test_a_page_keeps_within_80_columns(by: str, policy: str) -> None:
    told = _page(_settled(by, policy=policy))
    assert max(map(len, told.splitlines())) <= 80


def test_a_page_tells_type_complexity_terms_and_what_would_change_it() -> None:
    told = _page(_settled())
    assert "complex_reasoning is likeliest" in told
    assert re.search(r'^    "explain"  .*word.*  \+\d\.\d\d$', told, re.MULTILINE)
    assert "every question                                                     +1.000" in told
    assert "Who is asked: the highest score: fit, less 0.5 x the share of the cost limit" in told
    assert "1. second               0." in told
    assert "cooling: throttle" in " ".join(told.split())
    assert "  first would go first but for its health: cooldown" in told
    assert "  not a-provider-with-a-rather-long-name-that-is-slow: over_latency (8000 ms" in told
    assert "    with scoring.max_latency_ms at 8000 (now" not in told
    assert "    with scoring.max_latency_ms at 8000" in told
    assert "  not in the chain: elsewhere" in told
    assert "  With a place in query_types.complex_reasoning.chain: elsewhere" in told


@pytest.mark.parametrize(
    "prompt", [PROMPT, "why why why, if not why? " * 400, "Prove, derive and compare: x = 2, y = 3."]
)
def test_what_is_shown_adds_up(prompt: str) -> None:
    made, explanation = _made(_settled(), Question(prompt=prompt))
    told = list(page(made, explanation))
    assert max(map(len, told)) <= 80
    parts = told[told.index(next(line for line in told if line.startswith("Why complexity"))) + 1 :]
    points = [float(line.split()[-1]) for line in parts[: parts.index("")] if re.search(r"[+-]\d\.\d{3}$", line)]
    assert round(sum(points), 2) == made.complexity
    for candidate in made.candidates:
        terms = candidate.terms
        shown = f"{terms.fit:.4f} - cost {terms.cost_penalty:.4f} - latency {terms.latency_penalty:.4f}"
        assert f"{candidate.score:.3f} = fit {shown}" in "\n".join(told)
        assert terms.fit - terms.cost_penalty - terms.latency_penalty == pytest.approx(candidate.score, abs=7e-4)


def test_a_question_that_is_read_in_part_is_told_as_such() -> None:
    sentence = "of so long a question the first 900 and the last 500 characters are read"
    assert _page(_settled(), Question(prompt="a word " * 201)).count(sentence) == 2  # for its type, and its complexity
    assert sentence not in _page(_settled(), Question(prompt="a word " * 200))
    assert sentence not in _page(_settled("rules"), Question(prompt="a word " * 201))


def test_a_chain_as_written_says_that_scores_decide_nothing() -> None:
    settled = configuration(routes={"sum": {"chain": ["beta", "alpha"], "order": "chain"}})
    told = _page(settled, Question(prompt=PROMPT, task="sum"))
    assert 'as written in routes.sum (order = "chain"): the scores decide' in told
    assert "the route of the task sum fixes the type" in told


def test_the_rules_show_what_matched() -> None:
    assert "    complex_reasoning     'compare'" in _page(_settled("rules"))


def test_with_nobody_left_the_page_says_what_would_let_one_in() -> None:
    told = _page(_settled(), Question(prompt=PROMPT, deny=("first", "second")))
    assert "  nobody may be asked" in told
    assert "  first would be a candidate\n    with the question not denying it" in told


def test_high_stakes_name_who_is_asked_at_once() -> None:
    settled = configuration(
        {name: provider_table(model=f"{name}/model-2026-01-01", api_base="http://127.0.0.1:9") for name in ("a", "b")}
    )
    assert "the stakes are high: a and b at once" in _page(settled, Question(prompt=PROMPT, stakes="high"))


def test_a_page_that_is_piped_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    print_decision(*_made(_settled()))
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert told == _page(_settled()) + "\n"


def test_the_json_keeps_what_is_promised_and_adds_the_explanation() -> None:
    document = json.loads(json.dumps(decision_document(*_made(_settled()))))
    assert document.keys() >= {"query_type", "confidence", "complexity", "candidates", "rejected"}
    assert all(one.keys() >= {"provider", "score", "terms"} for one in document["candidates"])
    assert all(one.keys() >= {"provider", "reason"} for one in document["rejected"])
    assert document["type_reasons"]["likeliest"] == "complex_reasoning"
    assert document["complexity_reasons"][0].keys() == {"what", "found", "points"}
    assert document["rule"].startswith("the highest score")
    assert {"first", "settings", "in_words", "until"} <= document["what_if"][0].keys()
    words = [one["in_words"] for one in document["what_if"]]
    assert "elsewhere would be a candidate with a place in query_types.complex_reasoning.chain" in words


def test_a_decision_holds_nothing_of_its_explanation() -> None:
    made, _ = _made(_settled())
    assert not {"what_if", "type_reasons", "rule"} & made.model_dump().keys()
