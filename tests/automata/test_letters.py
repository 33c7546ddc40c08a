"""The letters of an expression that no token has are found."""

import re

import pytest

from weightsmith.automata import foreign_letters

BITS = ("0", "1")
WORDS = ("we", "sat", "bank")
FOREIGN: dict[str, tuple[str | re.Pattern[str], tuple[str, ...], str | None]] = {
    "a letter": ("(0|1|2)*1", BITS, "2"),
    "letters, each once": ("2*34?2", BITS, "2, 3, 4"),
    "a member of a set": ("[012]*1", BITS, "2"),
    "a range with a member": ("[0-9]*1", BITS, None),
    "a range without": ("[a-z0]*1", BITS, "a-z"),
    "a class with a member": (r"\d*\w1", BITS, None),
    "a class without": (r"\d*|\s|[\Wa]", BITS, r"\s, \W, a"),
    "a negated set": ("[^2]*1[^01a]?", BITS, "[^01a]"),
    "a negated letter": ("[^0]*[^2]", BITS, None),
    "a dot and anchors": (r"^.*\b1$", BITS, None),
    "another case": ("A*b", ("a", "b"), "A"),
    "another case that does not matter": (re.compile("A*b", re.I), ("a", "b"), None),
    "another case in a group": ("(?i:A)*(?-i:B)b", ("a", "b"), "B"),
    "a comment": (re.compile("1  # 2", re.X), BITS, None),
    "a literal in a repeat": ("(1{2,3}(02+?)*)?", BITS, "2"),
    "what no automaton decides": ("(?=2)1(?<!3)(?>4)(5)++", BITS, "2, 3, 4, 5"),
    "a reference": (r"(0)?(?(1)2|3)\1", BITS, "2, 3"),
    "nothing": ("", BITS, None),
    "words": ("(we|sat) bank", WORDS, None),
    "a letter of no word": ("we sit!", WORDS, "i, !"),
    "a space between letters": ("0 1", BITS, "' '"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_letters_that_no_token_has_are_found(name: str) -> None:
    pattern, vocabulary, wanted = FOREIGN[name]
    found = foreign_letters(re.compile(pattern), vocabulary)
    tokens = ", ".join(vocabulary)
    assert found == (wanted and f"has {wanted}, which no token of the vocabulary {tokens} has: nothing matches there")


def test_looking_for_letters_prints_nothing_and_repeats_no_warning_of_python(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pattern = re.compile("2*1", re.DEBUG)
    capsys.readouterr()
    assert foreign_letters(pattern, BITS) is not None
    assert capsys.readouterr().out == ""
    with pytest.warns(FutureWarning, match="Possible nested set"):
        nested = re.compile("[[01]2*")
    assert foreign_letters(nested, BITS) is not None
