"""`pointsman compare`, as far as it needs no process of its own: what it prints, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pointsman.cli.command import run
from pointsman.cli.exits import Exit

KEYS = {"verdict", "similarity", "differences", "detector"}


def test_two_answers_that_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "3:30 pm", "15:30", "--question", "When does it leave?", "--json"]) == Exit.DONE
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"verdict": "agree", "similarity": 1.0, "differences": [], "detector": "date"}


def test_two_answers_that_disagree_end_with_0_as_well_and_say_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "It costs $5.", "It costs $6.", "--question", "How much is it?"]) == Exit.DONE
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == "disagree (by the rule number, similarity 0)"
    assert "the numbers differ" in printed


def test_a_negative_number_is_an_answer_and_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "-5", "--", "-5.0"]) == run(["compare", "-5", "-5.0"]) == Exit.DONE
    assert capsys.readouterr().out.count("agree (by the rule number") == 2


def test_the_source_documents_detector_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "It is 5", "It is 5.", "--detector", "jaccard", "--json"]) == Exit.DONE
    printed = json.loads(capsys.readouterr().out)
    assert (printed["verdict"], printed["similarity"], printed["detector"]) == ("disagree", 0.5, "jaccard")


def test_many_pairs_give_one_object_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [
        {"question": "Is it so?", "a": "Yes.", "b": "No."},
        {"question": None, "a": "1,000", "b": "1e3", "id": 7},
        {"a": "", "b": "\ud800"},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n\n".join(map(json.dumps, pairs)) + "\n", encoding="utf-8")
    assert run(["compare", "--pairs", str(path)]) == Exit.DONE
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["verdict"] for line in printed] == ["disagree", "agree", "disagree"]
    assert all(set(line) == KEYS for line in printed)


def test_an_answer_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run(["compare", "a\x1b[2J", "b"])
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give A and B or --pairs, one of them"),
        (["one"], "give A and B or --pairs, one of them"),
        (["one", "two", "--pairs", "pairs.jsonl"], "give A and B or --pairs, one of them"),
        (["one", "--quesion"], "no such option: --quesion; see `pointsman compare --help`"),
        (
            ["one", "two", "--detector", "levenshtein"],
            "--detector: no detector is called 'levenshtein'; known are default and jaccard",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", *arguments]) == Exit.BAD_INPUT
    assert capsys.readouterr().err == f"{sentence}\n"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"a": "x"', "line 2: not JSON ("),
        ("[1]", 'line 2: expected an object such as {"question": "...", "a": "...", "b": "..."}'),
        ('{"a": "x"}', "line 2: b: missing; it is required"),
        ('{"a": 1, "b": "x"}', "line 2: a: should be a text"),
        ('{"a": "x", "b": "y", "question": []}', "line 2: question: should be a text"),
        ("[" * 100_000, "line 2: not JSON ("),
    ],
)
def test_a_faulty_line_is_told_with_its_number(
    line: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(f'{{"a": "x", "b": "x"}}\n{line}\n', encoding="utf-8")
    assert run(["compare", "--pairs", str(path)]) == Exit.BAD_INPUT
    printed = capsys.readouterr()
    assert printed.err.startswith(sentence)
    assert printed.err.count("\n") == 1
    assert json.loads(printed.out)["verdict"] == "agree"


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_told(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert run(["compare", "--pairs", str(path)]) == Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"--pairs: {path} cannot be read (")


def test_neither_temporal_nor_a_vendor_is_imported_for_it() -> None:
    program = (
        "import sys; from pointsman.cli.command import run; status = run(['compare', '1', '1.0']);"
        "found = {'temporalio', 'litellm', 'sqlalchemy'} & set(sys.modules); sys.exit(str(found) if found else status)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
