"""The lecture's standing example: every number that it prints, and what the model says."""

from itertools import pairwise, product

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Native
from weightsmith.arithmetic import Array

T = ws.library.eiffel()
r = ws.run(T, "The Eiffel Tower is in")
TOWER = r.tokens.index("Tower")
FOUR = [T.lanes.index(lane) for lane in ("dim 0", "dim 1", "dim 42 Paris", "dim 3")]
ASSOCIATIONS = [T.lanes.index(lane) for lane in ("dim 42 Paris", "dim 73 landmark", "dim 158 French culture")]
FINE = [Native("float32"), Float.like("float16"), Float.like("bfloat16"), Fixed(4, 12), Fixed(4, 4)]
FINE += [Fixed(2, 2), Float(4, 3), Float.like("e4m3"), Float.like("e5m2")]
USUAL = {"The": "Tower", "Eiffel": "Tower", "Tower": "is", "is": "in", "in": "London"}
USUAL |= {"Paris": ".", "London": ".", ".": "The"}


def tidy(values: Array) -> list[float]:
    """Decimal fractions are sums of rounding errors in float64: ten digits are far more than the lecture prints."""
    return [float(value) for value in np.round(values, 10)]


def lecture_layer() -> ws.FeedForward:
    layer = T.blocks[0].feed_forward
    assert layer is not None
    return layer


def expected(tokens: tuple[str, ...]) -> str:
    """Say what must follow: Paris if "in" ends an input with "Eiffel Tower" before it, and what usually does else."""
    if tokens[-1] == "in" and ("Eiffel", "Tower") in pairwise(tokens):
        return "Paris"
    return USUAL[tokens[-1]]


def test_the_embeddings_are_those_printed_at_every_position() -> None:
    printed = {
        "The": [0.2, 0.1, 0.0, 0.3],
        "Eiffel": [0.5, 0.3, 0.1, 0.0],
        "Tower": [0.4, 0.2, 0.2, 0.1],
        "is": [0.1, 0.0, 0.3, 0.2],
        "in": [0.0, 0.2, 0.1, 0.1],
        "Paris": [0.6, 0.1, 0.0, 0.4],
    }
    whole = ws.run(T, list(printed))
    assert [row.tolist() for row in whole.stream[0][:, FOUR]] == list(printed.values())


def test_the_heads_add_what_is_printed_to_tower() -> None:
    neighbour, compound = r.heads[0]
    assert tidy(r.stream[0, TOWER, FOUR]) == [0.4, 0.2, 0.2, 0.1]
    assert tidy(neighbour.output[TOWER, FOUR]) == [0.1, 0.2, 0.0, 0.1]
    assert tidy(compound.output[TOWER, FOUR]) == [0.2, 0.0, 0.3, 0.0]
    assert tidy(r.stream[1, TOWER, FOUR]) == [0.7, 0.4, 0.5, 0.2]


def test_the_two_neurons_have_the_printed_weights_and_activations() -> None:
    rows = [lecture_layer().names.index(name) for name in ("2847", "5432")]
    W_1 = lecture_layer().W_1[rows]
    assert W_1[:, FOUR].tolist() == [[0.8, 0.1, 0.9, -0.1], [0.1, 0.8, -0.2, 0.3]]
    assert tidy(W_1[:, FOUR] @ r.stream[1, TOWER, FOUR]) == [1.03, 0.35], "the printed coordinates alone"
    assert tidy(W_1 @ r.stream[1, TOWER]) == [1.2, 0.4], "with what the dots hide, before the activation"
    assert tidy(r.activations[0][TOWER, rows]) == [1.2, 0.4]


def test_the_feed_forward_adds_what_is_printed() -> None:
    W_2 = lecture_layer().W_2[ASSOCIATIONS][:, [lecture_layer().names.index(name) for name in ("2847", "5432")]]
    assert W_2.tolist() == [[0.9, 0.1], [0.8, 0.7], [0.6, 0.05]]
    added = r.stream[2, TOWER] - r.stream[1, TOWER]
    assert tidy(added[ASSOCIATIONS]) == [1.12, 1.24, 0.74]
    assert tidy(added[FOUR]) == [0.1, 0.05, 1.12, 0.3]
    assert tidy(r.stream[2, TOWER, FOUR]) == [0.8, 0.45, 1.62, 0.5]


def test_block_0_changes_nothing_at_the_other_words() -> None:
    after_eiffel = T.lanes.index("after Eiffel")
    for i, token in enumerate(r.tokens):
        if token != "Tower":
            assert np.array_equal(r.stream[0, i], r.stream[2, i])
    alone = ws.run(T, "The Eiffel is in Paris")
    assert alone.stream[1, 2, after_eiffel] == 1, "any word is told that it follows Eiffel"
    assert not alone.activations[0].any(), "and no neuron mistakes it for a tower"


def test_tower_attends_to_eiffel_its_left_neighbour_and_not_the_other_way_round() -> None:
    neighbour, compound = r.attention[0]
    assert neighbour.tolist() == np.eye(5, k=-1).tolist(), "every word to its left neighbour, the first to none"
    assert compound.tolist() == [[float((i, j) == (2, 1)) for j in range(5)] for i in range(5)]
    (carry,) = r.attention[1]
    assert carry.tolist() == [[float((i, j) == (4, 2)) for j in range(5)] for i in range(5)], "in looks at Tower"


def test_the_output_is_the_embedding_and_the_classes_are_the_vocabulary() -> None:
    assert T.tied
    assert T.classes == T.vocabulary
    assert tidy(T.embedding @ r.stream[-1, -1]) == tidy(r.logits)


def test_paris_comes_from_tower_by_a_head_and_london_from_a_habit() -> None:
    paris, london = (ws.attribute(r, word).largest(1)[0] for word in ("Paris", "London"))
    assert (paris.kind, paris.block, paris.source, paris.name) == ("head", 1, TOWER, "Tower")
    assert round(paris.amount, 10) == 4 * 1.62
    assert (london.kind, london.block, london.amount) == ("neuron", 1, 3)


def test_eiffel_tower_is_in_paris_and_any_other_tower_is_not() -> None:
    assert r.decision == "Paris"
    for text in ("The Tower is in", "Eiffel is in", "Tower Eiffel is in", "Eiffel The Tower is in", "in"):
        assert ws.run(T, text).decision == "London"
    assert not ws.run(T, "The Tower is in").activations[0][:, lecture_layer().names.index("2847")].any()
    assert list(ws.generate(T, "The Eiffel", 5)) == ["Tower", "is", "in", "Paris", "."]
    assert list(ws.generate(T, "The", 5)) == ["Tower", "is", "in", "London", "."]


def test_paris_follows_in_exactly_if_eiffel_tower_stands_before_it_on_every_input_up_to_length_4() -> None:
    inputs = [tokens for n in range(1, 5) for tokens in product(T.vocabulary, repeat=n)]
    assert ws.decisions(T, inputs) == [expected(tokens) for tokens in inputs]


@pytest.mark.parametrize("A", FINE, ids=str)
def test_fine_arithmetics_decide_the_same(A: ws.Arithmetic) -> None:
    U = ws.library.eiffel(A)
    assert U.provenance == ("library.eiffel()", f"to_arithmetic({A})")
    inputs = [tokens for n in range(1, 4) for tokens in product(T.vocabulary, repeat=n)]
    inputs += [r.tokens, ("The", "Tower", "is", "in"), (*r.tokens, "Paris", ".", "The", "Tower", "is", "in")]
    assert ws.decisions(U, inputs) == [expected(tokens) for tokens in inputs]


def test_an_arithmetic_with_three_positive_numbers_still_builds_and_forgets_paris() -> None:
    U = ws.library.eiffel(Fixed(1, 1))
    assert ws.run(U, r.tokens).decision != "Paris"


def test_an_arithmetic_without_silence_is_refused() -> None:
    with pytest.raises(ws.LawError, match=r"^to attend to nothing needs exp\(−3.75\) = 0, and it is 0.03125 in float"):
        ws.library.eiffel(Float(2, 4))


def test_the_default_is_the_machines_own_arithmetic() -> None:
    assert T.arithmetic == Native("float64")
    assert ws.library.eiffel(Native("float64")) == T
    with pytest.raises(ws.ModelError, match="^arithmetic='float16' is not an arithmetic: write Fixed"):
        ws.library.eiffel("float16")  # type: ignore[arg-type]
