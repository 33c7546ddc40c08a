"""Words at the start, at the end, anywhere, or as the whole input."""

from collections.abc import Callable
from itertools import product

import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, library

ARITHMETICS = pytest.mark.parametrize("A", [Fixed(4, 4), Fixed(2, 2), Float(4, 3)], ids=str)


def wrong(T: ws.Transformer, predicate: Callable[[str], bool], symbols: str, up_to: int) -> list[str]:
    inputs = ["".join(tokens) for n in range(1, up_to + 1) for tokens in product(symbols, repeat=n)]
    found = zip(inputs, ws.decisions(T, inputs), strict=True)
    return [text for text, decision in found if (decision == "YES") != predicate(text)]


@ARITHMETICS
@pytest.mark.parametrize("word", ["0", "11", "0110", "111111"])
def test_words_of_every_size_are_found_even_beyond_what_the_arithmetic_counts(A: ws.Arithmetic, word: str) -> None:
    assert wrong(library.starts_with(word, arithmetic=A), lambda text: text.startswith(word), "01", 7) == []
    assert wrong(library.ends_with(word, arithmetic=A), lambda text: text.endswith(word), "01", 7) == []
    assert wrong(library.contains_word(word, arithmetic=A), lambda text: word in text, "01", 7) == []
    assert wrong(library.matches(word, arithmetic=A), lambda text: text == word, "01", 7) == []


@ARITHMETICS
@pytest.mark.parametrize("pattern", ["?", "1?", "?1", "??1?", "0???1"])
def test_a_question_mark_stands_for_any_one_symbol(A: ws.Arithmetic, pattern: str) -> None:
    def matched(text: str) -> bool:
        return len(text) == len(pattern) and all(p in ("?", c) for p, c in zip(pattern, text, strict=True))

    assert wrong(library.matches(pattern, arithmetic=A), matched, "01", 6) == []


@ARITHMETICS
@pytest.mark.parametrize("n", [1, 2, 5])
def test_exact_length_needs_no_more_for_great_lengths(A: ws.Arithmetic, n: int) -> None:
    T = library.exact_length(n, vocabulary="a", arithmetic=A)
    assert wrong(T, lambda text: len(text) == n, "a", 24) == []


def test_words_over_other_vocabularies() -> None:
    assert wrong(library.ends_with("ca", vocabulary="abc"), lambda text: text.endswith("ca"), "abc", 5) == []
    T = library.contains_word("the cat", vocabulary=["the", "a", "cat"])
    assert ws.run(T, "a cat the cat a").decision == "YES"
    assert ws.run(T, "a cat the a cat").decision == "NO"
    assert ws.run(library.starts_with(["x" * 200], ["a", "x" * 200]), ["x" * 200, "a"]).decision == "YES"


def test_words_work_in_the_machine_s_own_arithmetic() -> None:
    T = library.contains_word("011", arithmetic=ws.Native("float32"))
    assert wrong(T, lambda text: "011" in text, "01", 6) == []


@pytest.mark.parametrize("build", [library.starts_with, library.ends_with, library.contains_word])
def test_words_that_cannot_be_meant_are_refused(build: Callable[..., ws.Transformer]) -> None:
    with pytest.raises(ws.InputError, match="^the word is empty: write at least one of 0, 1$"):
        build("")
    with pytest.raises(ws.InputError, match="^token 1 of the word, 2, is not in the vocabulary: write 0, 1$"):
        build("02")
    with pytest.raises(ws.InputError, match="^token 0 of the word, 1, is not in the vocabulary: write 0, 1$"):
        build([1])
    with pytest.raises(ws.InputError, match="^the word must be a text or a list of tokens, and it is 5$"):
        build(5)


def test_patterns_and_lengths_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(ws.InputError, match="^the pattern is empty: write at least one of 0, 1, \\?$"):
        library.matches("")
    with pytest.raises(ws.InputError, match="^token 0 of the pattern, \\*, is not in the vocabulary: write 0, 1, \\?$"):
        library.matches("*1")
    with pytest.raises(ws.InputError, match="^the vocabulary has \\?, which stands for any symbol in a pattern"):
        library.matches("a?", vocabulary="a?")
    for n in (0, -1, 2.0, True, "3"):
        with pytest.raises(ws.InputError, match="^n=.*: write a whole number from 1 to 1048576$"):
            library.exact_length(n)  # type: ignore[arg-type]
