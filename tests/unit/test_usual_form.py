"""The usual form of a part is the part of the usual form: for every character, and wherever a text is cut."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.text_features import HEAD_CHARACTERS, TAIL_CHARACTERS, features, read_part
from pointsman.usual_form import begins, first_characters, last_characters

# Marks that change places, letters that join, and characters that become many.
AWKWARD = "a \n\u0300\u0323\u0345\u0344\u1100\u1161\u11a8\uac00\u09c7\u09be\u3099\uff76\uff9e\ufdfa\ufb03\u2474\u0f73"
TEXTS = st.text(st.one_of(st.sampled_from(AWKWARD), st.characters()), max_size=40).flatmap(
    lambda text: st.integers(1, 60).map(lambda times: text * times)
)


@given(TEXTS, st.integers(1, 1500))
def test_first_and_last_characters_are_those_of_the_whole(text: str, wanted: int) -> None:
    whole = unicodedata.normalize("NFKC", text)
    assert first_characters(text, wanted) == whole[:wanted]
    assert last_characters(text, wanted) == whole[-wanted:]


def test_no_character_that_joins_with_the_one_before_begins_a_new_one() -> None:
    joining = {
        part
        for code in range(sys.maxunicode + 1)
        if len(parts := unicodedata.normalize("NFD", chr(code))) > 1 and unicodedata.normalize("NFC", parts) != parts
        for part in parts[1:]
    }
    assert "\u0300" in joining
    assert not any(begins(character) for character in joining)


@given(TEXTS)
def test_what_is_read_is_the_head_and_tail_of_the_usual_form(text: str) -> None:
    def cut(whole: str) -> str:
        if len(whole) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
            return whole
        return f"{whole[:HEAD_CHARACTERS]}\n{whole[-TAIL_CHARACTERS:]}"

    assert read_part(text) == cut(unicodedata.normalize("NFKC", cut(text)))


@given(TEXTS)
def test_letters_and_digits_are_counted_as_plainly_as_they_are_described(text: str) -> None:
    read = read_part(text)
    found = features(text)
    digits = sum(character.isdigit() for character in read)
    assert f"shape:digits {digits.bit_length()}" in found[4]
    assert all(feature.startswith("letters:") for feature in found[3])
    short = " ".join("".join("0" if sign.isdecimal() else sign for sign in read.lower()).split())
    if "00" not in short and len(short) <= 400 and "\x1c" not in short:
        padded = f" {short} "
        runs = {padded[at : at + run] for run in (2, 3, 4) for at in range(len(padded) - run + 1)}
        assert found[3] == {f"letters:{run}" for run in runs}


@pytest.mark.parametrize("sign", ["\ufdfa", "\u0344", "\u0300", "\uac01"])
def test_a_text_of_one_awkward_sign_is_read_to_its_bounds(sign: str) -> None:
    assert len(read_part(sign * 8000)) == HEAD_CHARACTERS + 1 + TAIL_CHARACTERS
