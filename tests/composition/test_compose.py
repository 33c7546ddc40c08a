"""Composition: the laws of logic as claims over every input up to length 6, and streams that do not mix."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

import weightsmith as ws
from tests.rewrites.models import ARITHMETICS, inputs, last_stage, transformers, witness
from weightsmith.arithmetic import Arithmetic

ALL = [tokens for n in range(1, 7) for tokens in product("ab", repeat=n)]


def recognisers(A: Arithmetic, seed: int = 0) -> tuple[ws.Transformer, ...]:
    """Return three random recognisers with different numbers of blocks, each of which says both YES and NO."""
    found: list[ws.Transformer] = []
    while len(found) < 3:
        T = ws.random_transformer("ab", 2, len(found), 1, 2, 6, A, seed)
        if len(set(ws.decisions(T, ALL))) == 2:
            found.append(T)
        seed += 1
    return tuple(found)


def answers(T: ws.Transformer) -> list[bool]:
    return [decision == "YES" for decision in ws.decisions(T, ALL)]


@pytest.mark.parametrize("A", [ws.Fixed(4, 4), ws.Fixed(2, 3, "even"), ws.Float(3, 3), ws.Float(2, 4)], ids=str)
@pytest.mark.one_in(2)
def test_the_operators_mean_what_they_say_on_every_input_up_to_length_6(A: Arithmetic) -> None:
    R, S, T = recognisers(A)
    r, s, t = map(answers, (R, S, T))
    assert answers(S & T) == [a and b for a, b in zip(s, t, strict=True)]
    assert answers(S | T) == [a or b for a, b in zip(s, t, strict=True)]
    assert answers(S ^ T) == [a != b for a, b in zip(s, t, strict=True)]
    assert answers(~S) == [not a for a in s]
    assert answers(ws.if_then_else(R, S, T)) == [b if a else c for a, b, c in zip(r, s, t, strict=True)]
    assert answers(~(S & T) | R) == [not (b and c) or a for a, b, c in zip(r, s, t, strict=True)]


@pytest.mark.parametrize("seed", [0, 100])
@pytest.mark.one_in(2)
def test_de_morgan_double_negation_distributivity_and_if_then_else(seed: int) -> None:
    R, S, T = recognisers(ws.Fixed(4, 4), seed)
    assert answers(~(S & T)) == answers(~S | ~T)
    assert answers(~(S | T)) == answers(~S & ~T)
    assert answers(~~S) == answers(S)
    assert answers(R & (S | T)) == answers((R & S) | (R & T))
    assert answers(R | (S & T)) == answers((R | S) & (R | T))
    assert answers(ws.if_then_else(R, S, T)) == answers((R & S) | (~R & T))
    assert answers(S ^ T) == answers((S & ~T) | (~S & T))


@settings(max_examples=12)
@given(transformers((ws.Fixed(2, 2),), norms=False), transformers((ws.Fixed(2, 2),), norms=False))
def test_side_by_side_each_half_holds_what_it_held_alone(S: ws.Transformer, T: ws.Transformer) -> None:
    both = ws.side_by_side(S, T)
    for tokens in inputs(up_to=3):
        left, right, found = witness(S, tokens), witness(T, tokens), witness(both, tokens)
        assert found.logits == left.logits + right.logits
        assert last_stage(found, both, [f"left {lane}" for lane in S.lanes]) == left.stream[-1]
        assert last_stage(found, both, [f"right {lane}" for lane in T.lanes]) == right.stream[-1]


def test_no_head_and_no_neuron_reads_across() -> None:
    S, T = (ws.random_transformer("ab", 2, 2, 2, 3, 4, seed=seed) for seed in (1, 2))
    both = ws.side_by_side(S, T)
    for block in both.blocks:
        assert block.attention is not None
        assert block.feed_forward is not None
        for matrix in (*(W for h in block.attention.heads for W in (h.W_Q, h.W_K, h.W_V)), block.feed_forward.W_1):
            rows_left, rows_right = matrix[:, :2].any(axis=1), matrix[:, 2:].any(axis=1)
            assert not (rows_left & rows_right).any()
    assert both.classes == ("left NO", "left YES", "right NO", "right YES")
    assert len(both.blocks) == 2


def test_norms_and_final_norms_keep_their_lanes() -> None:
    T = ws.random_transformer("ab", 2, 1, 1, 2, 4, seed=3)
    normed = replace(T.blocks[0], attention_norm=ws.LayerNorm(eps=1.0), feed_forward_norm=ws.RMSNorm(eps=1.0))
    S = replace(T, blocks=(normed,), final_norm=ws.LayerNorm(eps=1.0), output_bias=np.array([0.5, 0.0]))
    both = ws.side_by_side(S, T)
    for tokens in ALL[:30]:
        assert ws.run(both, tokens).logits.tolist() == [*ws.run(S, tokens).logits, *ws.run(T, tokens).logits]
    assert answers_up_to_4(S & T) == [
        a == b == "YES" for a, b in zip(ws.decisions(S, ALL[:30]), ws.decisions(T, ALL[:30]), strict=True)
    ]


def answers_up_to_4(T: ws.Transformer) -> list[bool]:
    return [decision == "YES" for decision in ws.decisions(T, ALL[:30])]


def test_the_smaller_vocabulary_and_length_are_taken_and_flags_stay_flags() -> None:
    S = ws.flag(ws.random_transformer("ab", 2, 1, max_length=4), "here", [1])
    T = ws.random_transformer("cba", 2, 1, max_length=6, seed=1)
    both = S & T
    assert both.vocabulary == ("a", "b")
    assert both.max_length == 4
    assert both.flags == ("left here",)
    unlimited = ws.library.contains("b", "ab")
    assert (unlimited & unlimited).max_length is None
    assert (S & unlimited).max_length == 4


@pytest.mark.parametrize("A", [ws.Fixed(2, 2), ws.Fixed(4, 4), ws.Float(4, 3)], ids=str)
def test_recognisers_with_relative_positions_compose_too(A: Arithmetic) -> None:
    starts, ends = ws.library.starts_with("ab", "ab", arithmetic=A), ws.library.ends_with("b", "ab", arithmetic=A)
    has = ws.library.contains("a", "ab", arithmetic=A)
    U = starts & ~ends | ~has
    for tokens, found in zip(ALL, answers(U), strict=True):
        text = "".join(tokens)
        assert found == ((text.startswith("ab") and not text.endswith("b")) or "a" not in text)


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_the_result_is_in_infinity_form(A: Arithmetic) -> None:
    S, T = (ws.random_transformer("ab", 2, 1, 1, 2, 4, A, seed) for seed in (4, 5))
    U = S & ~T
    assert U.lanes[:2] == ("NO", "YES")
    for tokens in ALL[:14]:
        last = ws.run(U, tokens).stream[-1, -1]
        assert last[0] == 1
        assert last[1] in (0, A.infinity)
        assert not last[2:].any()


LANGUAGE_MODEL = ws.library.parity_chain(max_length=4).transformer
ON_A_LANGUAGE_MODEL: dict[str, Callable[[ws.Transformer], object]] = {
    "~T": lambda T: ~T,
    "T & S": lambda T: T & replace(T, classes=("NO", "YES")),
    "S | T": lambda T: replace(T, classes=("NO", "YES")) | T,
    "T ^ T": lambda T: T ^ T,
    "if_then_else": lambda T: ws.if_then_else(*3 * [T]),
    "compose": lambda T: ws.compose("S", S=T),
}


@pytest.mark.parametrize("what", ON_A_LANGUAGE_MODEL)
def test_language_models_are_no_deciders(what: str) -> None:
    """The negation of every step of a chain is not the negation of its answer."""
    words = (
        r"the classes '0', '1'( of '\w+')? are tokens of its vocabulary, .* write Chain\(T, .* "
        r"write dataclasses.replace\(T, classes="
    )
    with pytest.raises(ws.ModelError, match=words):
        ON_A_LANGUAGE_MODEL[what](LANGUAGE_MODEL)
    ON_A_LANGUAGE_MODEL[what](replace(LANGUAGE_MODEL, classes=("NO", "YES")))


def test_classes_of_which_one_is_no_token_are_decisions() -> None:
    T = replace(LANGUAGE_MODEL, classes=("0", "odd"))
    assert (~T).classes == T.classes


@pytest.mark.parametrize(
    "make", [lambda T: ~T, lambda T: T & ws.library.contains("0"), lambda T: ws.compose("~S", S=T)]
)
def test_a_model_with_another_count_of_classes_is_refused(make: Callable[[ws.Transformer], ws.Transformer]) -> None:
    two = ws.library.contains("1")
    three = replace(two, classes=("few", "some", "many"), output=two.output[[0, 1, 1]])
    with pytest.raises(ws.ModelError, match="says 'few', 'some', 'many', and a formula combines two classes"):
        make(three)
    assert ws.compose("S", S=three).classes == three.classes  # nothing is combined
