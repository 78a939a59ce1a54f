"""What a model is sent."""

from __future__ import annotations

from pointsman.messages import ContextRecord, Parameters, Question
from pointsman.prompt import CLAIMS_FORM, CLASSIFICATION_SCHEMA, asks_for_claims, chat_messages, classification_question

RECORDS = (ContextRecord(id="r1", text="water boils at 100 °C"),)
TOOLS = Parameters(tools=({"type": "function"},))


def test_a_plain_question_is_one_user_message() -> None:
    assert chat_messages(Question(prompt="hi"), None) == [{"role": "user", "content": "hi"}]


def test_the_system_prompt_comes_first() -> None:
    assert chat_messages(Question(prompt="hi", system="be brief"), None) == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hi"},
    ]


def test_a_conversation_is_passed_on_as_it_is() -> None:
    messages = ({"role": "user", "content": "a"}, {"role": "assistant", "content": "b"})
    assert chat_messages(Question(messages=messages), None) == list(messages)


def test_context_records_come_as_json_with_the_claims_form() -> None:
    (system, user) = chat_messages(Question(prompt="hi", system="be brief", context=RECORDS), None)
    assert system["content"] == (
        f"be brief\n\n{CLAIMS_FORM}\n\n"
        'Context records:\n[{"id": "r1", "text": "water boils at 100 °C", "weight": 1.0}]'
    )
    assert user == {"role": "user", "content": "hi"}


def test_another_form_of_answer_takes_the_place_of_claims() -> None:
    with_context = Question(prompt="hi", context=RECORDS)
    assert asks_for_claims(with_context, None)
    assert not asks_for_claims(with_context, {"type": "object"})
    assert not asks_for_claims(Question(prompt="hi", context=RECORDS, parameters=TOOLS), None)
    assert not asks_for_claims(Question(prompt="hi"), None)
    assert CLAIMS_FORM not in chat_messages(with_context, {"type": "object"})[0]["content"]


def test_the_question_is_never_a_template() -> None:
    text = "{0} {prompt} %s $HOME {{x}} <|im_start|>"
    assert chat_messages(Question(prompt=text), None)[0]["content"] == text
    assert classification_question(Question(prompt=text)).prompt == text


def test_a_question_about_the_kind_is_short_and_bounded() -> None:
    asked = classification_question(
        Question(prompt="a" * 3_000 + "b" * 3_000, max_cost_usd=0.5, tenant="t", priority=2)
    )
    assert asked.prompt == f"{'a' * 2_000}\n[...]\n{'b' * 2_000}"
    assert (asked.max_output_tokens, asked.temperature, asked.response_schema) == (256, 0.0, CLASSIFICATION_SCHEMA)
    assert (asked.max_cost_usd, asked.tenant, asked.priority) == (0.5, "t", 2)


def test_whom_the_caller_denies_is_not_asked_about_the_kind_either() -> None:
    asked = classification_question(Question(prompt="hi", allow=("a", "b"), deny=("b",)))
    assert (asked.allow, asked.deny) == (("a", "b"), ("b",))
