"""n-gram models: logits are ln p, rounded once, at every position."""

from fractions import Fraction

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float
from weightsmith.library.papers import count_ngrams, ngram
from weightsmith.library.papers.ngram import rounded_logit

TEXTS = ["abcab", "cab", "aabbcc", "bcb"]


@pytest.mark.parametrize("A", [Fixed(4, 4), Fixed(2, 2), Float(4, 3), Float.like("float16")], ids=str)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_logits_are_rounded_once_after_every_prefix_of_the_texts(n: int, A: ws.Arithmetic) -> None:
    table = count_ngrams(TEXTS, n)
    T = ngram(table, n, "abc", A)
    assert sum(len(b.attention.heads) for b in T.blocks if b.attention) == n - 2
    for text in TEXTS:
        for i in range(1, len(text) + 1):
            chances = table[tuple(text[max(0, i - n + 1) : i])]
            wanted = [rounded_logit(chances.get(t, Fraction(0)), A) for t in T.classes]
            assert np.array_equal(ws.logits(T, [text[:i]])[0], wanted)


def test_chances_add_up_to_one_and_are_counted() -> None:
    table = count_ngrams(["aab"], 2)
    assert table["a",] == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    assert all(sum(chances.values()) == 1 for chances in table.values())


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(ws.InputError, match="add up to 1/2"):
        ngram({("a",): {"b": Fraction(1, 2)}}, 2)
    with pytest.raises(ws.InputError, match="the table has c"):
        ngram({("c",): {"a": Fraction(1)}}, 2)
    with pytest.raises(ws.InputError, match="has 2 tokens: write at most 1"):
        ngram({("a", "a"): {"a": Fraction(1)}}, 2)
