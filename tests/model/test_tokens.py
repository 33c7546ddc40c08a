"""Tokens and texts: what is written reads back."""

import pytest

from weightsmith.model import separator, text_tokens, tokens_text


@pytest.mark.parametrize(
    ("vocabulary", "tokens", "text"),
    [
        (("0", "1"), ("0", "1", "1"), "011"),
        (("0", " "), ("0", " ", "0"), "0 0"),
        (("Eiffel", "Tower", "a"), ("a", "Tower"), "a Tower"),
        (("ab", "c"), ("c",), "c"),
        (("0", "1"), (), ""),
    ],
)
def test_tokens_are_joined_so_that_the_text_reads_back(
    vocabulary: tuple[str, ...], tokens: tuple[str, ...], text: str
) -> None:
    assert tokens_text(vocabulary, tokens) == text
    assert text_tokens(vocabulary, text) == tokens


def test_a_single_longer_token_sets_spaces_between_all() -> None:
    assert separator(("a", "b")) == ""
    assert separator(("a", "bc")) == " "
