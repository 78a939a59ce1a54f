"""What a context supports, by words and values: one example for each part of the rule."""

from __future__ import annotations

import pytest

from pointsman.examination.grounding import grounded_share, support
from pointsman.messages import ContextRecord
from pointsman.outcomes import Claim

CONTEXT = (
    ContextRecord(
        id="lease",
        text="The lease between Marta Olsen and Harbour Lofts Ltd. began on 4 March 2024. Rent is 1,250 euros a month, "
        "payable in advance. The tenant may not keep dogs. It is renewed each year unless either party gives three "
        "months' notice.",
    ),
    ContextRecord(id="memo", text="A memo of May 2025 says that the rent was raised by 4.5 % to 1,306.25 euros."),
)


def _why(text: str, *sources: str) -> str | None:
    found = support("", CONTEXT, claims=(Claim(text=text, sources=sources),)).unsupported
    return found[0].partition("': ")[2] if found else None


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The rent is 1250 euros per month.", "lease"),
        ("The lease began on 2024-03-04.", "lease"),
        ("The lease began in March 2024.", "lease"),
        ("The lease began in 2024.", "lease"),
        ("Renewal is yearly unless a party gives three months' notice.", "lease"),
        ("Marta Olsen rents from Harbour Lofts.", "lease"),
        ("One of the parties is Marta Olsen.", "lease"),
        ("The tenant may not keep any dogs.", "lease"),
        ("- **Rent** was raised by 4.5% to 1306.25 euros.", "memo"),
    ],
)
def test_what_the_cited_text_says_is_supported(text: str, source: str) -> None:
    assert _why(text, source) is None


@pytest.mark.parametrize(
    ("text", "source", "why"),
    [
        ("Rent is 1,300 euros a month.", "lease", "the number '1,300 euros' is not there"),
        ("Rent is 1,250 euros a month.", "memo", "the number '1,250 euros' is not there"),
        ("Either party gives notice of four months.", "lease", "the number '4 months' is not there"),
        ("The memo is of 5 May 2025.", "memo", "the date '5 May 2025' is not there"),
        ("The lease began on 5 March 2024.", "lease", "the date '5 March 2024' is not there"),
        ("The tenant is Peter Jensen.", "lease", "the name 'Peter' is not there"),
        ("The rent includes heating and cleaning.", "lease", "25 % of its words are there, 60 % are needed"),
        ("The tenant may keep dogs.", "lease", "the text says the opposite"),
        ("The rent was lowered by 4.5 % to 1,306.25 euros.", "memo", "the text says the opposite"),
        ("The rent was raised.", "letter", "it cites 'letter', which is not in the context"),
    ],
)
def test_what_the_cited_text_does_not_say_is_not(text: str, source: str, why: str) -> None:
    assert _why(text, source) == why


def test_a_claim_without_a_source_is_not_supported() -> None:
    assert _why("The tenant may not keep dogs.") == "it cites no source"


def test_an_answer_without_claims_is_held_against_the_whole_context_by_its_sentences() -> None:
    answer = "The rent is 1,250 euros a month. The memo raised it to 1,306.25 euros. The moon is made of cheese."
    assert grounded_share(answer, CONTEXT) == pytest.approx(2 / 3)


def test_the_claims_of_a_structured_answer_count() -> None:
    parsed = {"answer": "Nobody knows.", "claims": [{"text": "The tenant may not keep dogs.", "sources": ["lease"]}]}
    assert grounded_share("{...}", CONTEXT, parsed=parsed) == 1.0


def test_the_texts_and_numbers_of_a_structured_answer_are_its_statements_else() -> None:
    parsed = {"rent": 1250, "tenant": "Marta Olsen", "landlord": "Peter Jensen", "from": "lease", "paid": True}
    found = support("{...}", CONTEXT, parsed=parsed)
    assert (found.statements, len(found.unsupported)) == (3, 1)


def test_an_answer_that_says_nothing_has_no_share() -> None:
    assert grounded_share("...", CONTEXT) is None


def test_ten_thousand_sentences_take_no_longer_than_the_first_two_hundred() -> None:
    assert support("The rent is high. " * 10_000, CONTEXT).statements == 200


@pytest.mark.parametrize(
    "text",
    [
        "a" * 50_000,
        "1" * 50_000,
        "one hundred and " * 5_000,
        "4 March 2024 " * 2_000,
        "汉字" * 10_000,
        "Anna. " * 5_000,
    ],
    ids=["letters", "digits", "number words", "dates", "unspaced", "names"],
)
def test_any_text_can_be_read_as_answer_and_as_context(text: str) -> None:
    share = grounded_share(text, (ContextRecord(id="a", text=text),))
    assert share is None or 0 <= share <= 1
