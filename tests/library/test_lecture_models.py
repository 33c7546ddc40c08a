"""Models for single slides of the lecture: the neighbours under both masks, the layer norm, positions."""

from itertools import product
from typing import Literal

import numpy as np
import pytest

import weightsmith as ws
from tests.semantics.witnessed import assert_equals_witness

SENTENCE = "The Eiffel Tower is in Paris"
PRINTED = ("dim 0", "dim 1", "dim 42 Paris", "dim 3")
PARTS: tuple[Literal["word", "position", "sum"], ...] = ("word", "position", "sum")


def printed(r: ws.Run, position: int) -> list[float]:
    return [round(float(r.at("block 0 attention", position, lane)), 10) for lane in PRINTED]


def test_under_a_full_mask_eiffel_attends_to_tower_as_the_slide_draws_it() -> None:
    r = ws.run(ws.library.eiffel_tagger(), SENTENCE)
    right = r.attention[0][0]
    assert right.tolist() == np.eye(6, k=1).tolist(), "every word attends to its right neighbour"
    assert r.outputs == ("other", "name", "name", "other", "other", "other")
    assert printed(r, 2) == [0.7, 0.4, 0.5, 0.2], "the sum that the slide prints for Tower"
    assert printed(r, 1) == [0.8, 0.5, 0.4, 0.1]
    assert r.at("block 0 attention", 1, "followed by Tower") == 1


def test_under_the_causal_mask_the_same_weights_leave_eiffel_alone() -> None:
    full, causal = (ws.library.eiffel_tagger(mask) for mask in ("full", "causal"))
    assert full.blocks == causal.blocks
    r = ws.run(causal, SENTENCE)
    assert not r.attention[0][0].any()
    assert r.outputs == ("other", "other", "name", "other", "other", "other")
    assert printed(r, 1) == [0.5, 0.3, 0.1, 0.0], "its embedding"
    assert printed(r, 2) == [0.7, 0.4, 0.5, 0.2]


@pytest.mark.parametrize("mask", ["full", "causal"])
def test_the_tagger_is_right_on_every_input_up_to_length_4_in_fixed_4_4(mask: str) -> None:
    T = ws.library.eiffel_tagger(mask, arithmetic=ws.Fixed(4, 4))  # type: ignore[arg-type]
    for length in range(1, 5):
        for words in product(("The", "Eiffel", "Tower"), repeat=length):
            after = ("", *words[:-1])
            before = (*words[1:], "") if mask == "full" else ("",) * length
            wanted = tuple(
                "name" if (word, left) == ("Tower", "Eiffel") or (word, right) == ("Eiffel", "Tower") else "other"
                for word, left, right in zip(words, after, before, strict=True)
            )
            assert ws.run(T, words).outputs == wanted, words
    assert_equals_witness(T, ["The", "Eiffel", "Tower", "is"])


def test_the_tagger_refuses_other_masks_longer_inputs_and_an_arithmetic_that_cannot_hold_it() -> None:
    with pytest.raises(ws.InputError, match="mask='both': write 'full', or 'causal'"):
        ws.library.eiffel_tagger("both")  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="9 tokens"):
        ws.run(ws.library.eiffel_tagger(), ["The"] * 9)
    with pytest.raises(ws.LawError, match="to attend to nothing needs"):
        ws.library.eiffel_tagger(arithmetic=ws.Float(2, 4))


def test_a_neuron_reads_the_normed_numbers_of_the_slide_and_the_stream_keeps_them() -> None:
    r = ws.run(ws.library.normed(), "2468")
    assert r.stream[-1, 0, :4].tolist() == [2, 4, 6, 8]
    normed = ws.layer_norm([2, 4, 6, 8])
    assert r.activations[0][0].tolist() == [normed[3] - normed[0], 0]
    after = ws.run(ws.library.normed("post"), "2468")
    assert np.array_equal(after.stream[-1, 0, :4], normed)
    with pytest.raises(ws.InputError, match="placement='both': write 'pre' or 'post'"):
        ws.library.normed("both")  # type: ignore[arg-type]


def test_the_norm_in_a_finite_arithmetic_is_that_of_the_witness() -> None:
    for placement in ("pre", "post"):
        T = ws.library.normed(placement, arithmetic=ws.Fixed(6, 8))
        assert_equals_witness(T, ["2468"])
        assert ws.decisions(T, ["2468", "8642"]) == ["rises", "falls"]
        with pytest.raises(ws.ModelError, match="the square root is 0 at position 0, because the mean square and eps"):
            ws.run(T, "5555")


def test_word_and_position_are_the_summands_of_the_slide() -> None:
    word, position, both = (ws.run(ws.library.word_and_position(part), "The cat sat").stream[0] for part in PARTS)
    assert np.array_equal(word + position, both)
    assert word[1].tolist() == [0.5, 0.3, -0.2, 0.8]
    assert position[1].round(3).tolist() == [0.841, 0.540, 0.010, 1.000]
    assert both[1].round(3).tolist() == [1.341, 0.840, -0.190, 1.800]
    with pytest.raises(ws.InputError, match="part='both': write 'sum', 'word' or 'position'"):
        ws.library.word_and_position("both")  # type: ignore[arg-type]


def test_the_sum_still_names_every_word_at_every_position() -> None:
    T = ws.library.word_and_position()
    inputs = [words for length in (1, 2, 3) for words in product(T.vocabulary, repeat=length)]
    assert ws.decisions(T, inputs) == [words[-1] for words in inputs]


def test_the_learned_table_is_right_on_every_input_that_it_has_positions_for() -> None:
    T = ws.library.learned_positions()
    assert isinstance(T.positions, ws.PositionTable)
    assert T.positions.values.shape == (8, 8)
    assert ws.check.recognizes(T, "(0|1)(0|1)1(0|1)*", up_to=8).holds
    assert len(np.unique(T.positions.values, axis=0)) == 8
    with pytest.raises(ws.InputError, match="9 tokens"):
        ws.run(T, "0" * 9)


def test_learned_distances_are_clipped_and_the_model_is_proved_right_at_all_lengths() -> None:
    T = ws.library.relative_positions()
    scheme = T.blocks[0].attention.heads[0].positions  # type: ignore[union-attr]
    assert isinstance(scheme, ws.Relative)
    assert scheme.max_distance == 4
    verdict = ws.check.recognizes(T, "(0|1)*1(0|1)(0|1)(0|1)")
    assert "proved for all lengths" in str(verdict)
    assert_equals_witness(T, list("0110100"))
