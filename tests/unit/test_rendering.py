"""What a terminal is given of a text that came from elsewhere."""

from __future__ import annotations

import json

import pytest

from pointsman.cli.rendering import error_json, print_answer, printable
from pointsman.outcomes import Usage, UsageSource
from pointsman.testing import scripted_answer
from tests.builders import attempt


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nof two lines", "plain\ttext\nof two lines"),
        ("\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
        ("one\r\ntwo\rthree", "one\ntwo\\x0dthree"),
        ("\x9b31m \x00 \x7f \x08", "\\x9b31m \\x00 \\x7f \\x08"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{DUCK}", "caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{DUCK}"),
    ],
)
def test_control_characters_are_shown_and_not_sent(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_no_part_of_an_answer_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer("an\x1bid", scripted_answer("te\x1b[2Jxt", provider="pro\x1bvider", model_served="mo\x1bdel"))
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "te\\x1b[2Jxt" in printed


@pytest.mark.parametrize(("source", "shown"), [("reported", "$0.000300"), ("estimated", "about $0.000300")])
def test_a_cost_that_is_partly_an_estimate_says_so(
    capsys: pytest.CaptureFixture[str], source: UsageSource, shown: str
) -> None:
    loser = attempt(cost_usd=0.0001, usage=Usage(source=source))
    answer = scripted_answer("yes").model_copy(update={"attempts": (attempt(), loser), "cost_usd": 0.0003})
    print_answer("q", answer)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("cost")]
    assert line.removeprefix("cost").strip() == shown


def test_a_failure_as_json_names_the_question_where_there_is_one() -> None:
    assert json.loads(error_json("NoWorker", "none", "q-1")) == {"id": "q-1", "error": "NoWorker", "message": "none"}
    assert json.loads(error_json("Usage", "no", None)) == {"error": "Usage", "message": "no"}
