"""What is read of a question, and that no text is too long or too strange."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.text_features import HEAD_CHARACTERS, TAIL_CHARACTERS, features, read_part


def _all(text: str) -> set[str]:
    return set[str]().union(*features(text))


def test_words_and_pairs_are_features() -> None:
    assert {"word:prove", "word:prove that", "word 1:prove", "opens:prove that it"} <= _all("Prove that it holds")


def test_a_word_of_hindi_is_not_cut_at_its_vowel_signs() -> None:
    assert "word:राजधानी" in _all("राजधानी क्या है?")


def test_a_language_without_spaces_is_read_by_its_letters() -> None:
    assert {"letters:総理", "letters:理大臣"} <= _all("総理大臣は誰")


def test_wide_signs_count_like_their_narrow_forms() -> None:
    assert _all("\uff37\uff28\uff39\uff1f") == _all("WHY?")


def test_which_number_it_is_makes_no_difference() -> None:
    assert features("Add 17 and 25")[0] == features("Add 38 and 64")[0]


def test_the_arabic_question_mark_is_one() -> None:
    assert "shape:ends with ?" in _all("أين؟")


def test_a_short_question_closes_with_nothing_that_it_does_not_open_with() -> None:
    assert features("Write a poem about the sea")[2] == set()


def test_what_stands_in_the_middle_of_a_long_text_is_not_read() -> None:
    head, tail = "a" * HEAD_CHARACTERS, "b" * TAIL_CHARACTERS
    assert features(f"{head}{'zq ' * 3000}{tail}")[0] == features(f"{head}{'x' * 9000}{tail}")[0]


def test_a_character_that_normalising_makes_long_is_cut_again() -> None:
    assert len(read_part("\ufdfa" * 8000)) == HEAD_CHARACTERS + 1 + TAIL_CHARACTERS


@given(st.text(st.characters(exclude_categories=()), max_size=300), st.integers(1, 40))
def test_any_text_has_a_shape_and_bounded_features(text: str, times: int) -> None:
    groups = features(text * times)
    assert groups[-1]
    assert sum(map(len, groups)) < 4 * (HEAD_CHARACTERS + TAIL_CHARACTERS)
    assert not any("\n" in feature for group in groups for feature in group)
