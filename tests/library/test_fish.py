"""P(fish | Thanks for all the): what the model says, and that its head is the embedding transposed."""

from dataclasses import replace
from itertools import product
from math import exp
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Native

T = ws.library.fish()
CONTEXT = "Thanks for all the"
r = ws.run(T, CONTEXT)
ARITHMETICS = [Fixed(4, 4), Fixed(4, 1), Float(4, 4), Float.like("float16"), Float.like("e4m3"), Native("float64")]
USUAL = {"So": "long", "long": "and", "and": "Thanks", "Thanks": "for", "for": "all", "all": "the", ".": "So"}


def following(words: tuple[str, ...]) -> str:
    """Say what comes next, from the words themselves."""
    if words[-1] != "the":
        return USUAL.get(words[-1], ".")
    after_all, thanked = words[-2:-1] == ("all",), "Thanks" in words
    return {(True, True): "fish", (True, False): "time", (False, True): "help", (False, False): "world"}[
        after_all, thanked
    ]


def test_fish_is_the_most_likely_word_after_thanks_for_all_the() -> None:
    likely = ws.next_token(T, CONTEXT)
    assert r.decision == next(iter(likely)) == "fish"
    assert sum(likely.values()) == pytest.approx(1, abs=1e-15)
    assert likely["fish"] == pytest.approx(1 / (1 + 4 * exp(-3) + 3 * exp(-6) + 3 * exp(-9) + exp(-12)), rel=1e-12)
    assert likely["fish"] > 0.8
    assert max(p for word, p in likely.items() if word != "fish") < 0.05


def test_the_other_context_words_matter() -> None:
    for text, wanted in (("for all the", "time"), ("Thanks for the", "help"), ("for the", "world")):
        likely = ws.next_token(T, text)
        assert next(iter(likely)) == wanted
        assert likely["fish"] < 0.05


def test_the_head_is_the_embedding_transposed_bit_for_bit() -> None:
    assert T.tied
    assert T.classes == T.vocabulary
    assert T.output is T.embedding
    assert T.embedding.shape == (12, 8), "a row of d numbers for each of |V| words, and not |V| numbers a word"
    assert T.output.T.shape == (8, 12), "the transpose takes d numbers to |V| logits"
    assert np.array_equal(T.arithmetic.matvec(T.embedding, r.stream[-1, -1]), r.logits)
    by_hand = [sum(x * y for x, y in zip(row, r.stream[-1, -1], strict=True)) for row in T.embedding]
    assert by_hand == r.logits.tolist(), "nothing is rounded here"
    assert ws.lens(r).logits[-1].tolist() == (r.stream[-1] @ T.embedding.T).tolist()


def test_a_changed_embedding_is_a_changed_head() -> None:
    other = np.array(T.embedding)
    other[T.vocabulary.index("fish")] *= -1
    U = replace(T, embedding=other, output=None)  # type: ignore[arg-type]
    assert U.output is U.embedding
    assert ws.run(U, CONTEXT).decision != "fish"


def test_the_head_is_not_stored_a_second_time(tmp_path: Path) -> None:
    ws.save(T, tmp_path / "fish.safetensors")
    U = ws.load(tmp_path / "fish.safetensors")
    assert U == T
    assert U.tied
    assert U.output is U.embedding
    assert T.weights == replace(T, tied=False, output=T.embedding).weights - T.embedding.size


def test_no_two_words_are_alike_and_each_fits_itself_best() -> None:
    products = T.embedding @ T.embedding.T
    assert (np.diag(products) == 4).all()
    assert products[~np.eye(12, dtype=bool)].max() == 2


def test_without_blocks_a_tied_head_says_the_word_that_stands_there() -> None:
    for stage, said in zip(ws.lens(r).stages[:-1], ws.lens(r).decisions[:-1], strict=True):
        assert said == r.tokens, stage
    assert ws.lens(r).decisions[-1] == ("for", "all", "the", "fish")


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_every_input_up_to_length_3_has_the_next_word_that_it_should(A: ws.Arithmetic) -> None:
    inputs = [words for n in range(1, 4) for words in product(T.vocabulary, repeat=n)]
    U = ws.library.fish(A)
    assert ws.decisions(U, inputs) == [following(words) for words in inputs]
    some = ws.logits(U, inputs[:200])
    assert np.array_equal(some, ws.logits(T, inputs[:200])), "nothing is rounded in any of them"


def test_the_claim_holds_on_every_input_up_to_length_4() -> None:
    assert ws.check.agrees_with(T, lambda words: following(tuple(words)), up_to=4).holds


def test_it_is_exact_at_any_length() -> None:
    for words in (("Thanks",) * 40 + ("all", "the"), ("Thanks",) + ("for",) * 300 + ("all", "the")):
        found = ws.run(T, words)
        assert found.decision == "fish"
        assert np.array_equal(found.logits, r.logits)


def test_just_one_neuron_of_each_word_speaks() -> None:
    for words in product(("Thanks", "all", "the"), repeat=3):
        found = ws.run(T, words).activations[1]
        assert (found.sum(axis=1) == 1).all()
        assert set(found.ravel().tolist()) == {0.0, 1.0}


def test_it_talks() -> None:
    assert " ".join(ws.generate(T, "So", 8)) == "long and Thanks for all the fish ."


def test_an_arithmetic_that_would_round_is_refused_by_the_number() -> None:
    with pytest.raises(ws.ModelError, match=r"^fish\(\) needs the number 8, which fixed\(3,3\) lacks: write Fixed"):
        ws.library.fish(Fixed(3, 3))
    with pytest.raises(ws.ModelError, match="needs the number 0.5, which fixed"):
        ws.library.fish(Fixed(6, 0))
