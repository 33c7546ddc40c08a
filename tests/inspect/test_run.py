"""Runs: what the trace holds, how inputs are read, and what is refused."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Native
from weightsmith.model.sites import Site


@pytest.fixture
def T() -> ws.Transformer:
    return ws.random_transformer(lanes=3, blocks=2, heads=2, neurons=4, max_length=5)


def test_a_run_holds_every_intermediate_value_by_block_and_head(T: ws.Transformer) -> None:
    r = ws.run(T, "0110")
    assert r.stream.shape == (5, 4, 3)
    assert r.stages == (
        "embedding", "block 0 attention", "block 0 feed-forward", "block 1 attention", "block 1 feed-forward",
    )  # fmt: skip
    assert np.shape(r.attention) == (2, 2, 4, 4)
    assert np.shape(r.scores) == (2, 2, 4, 4)
    assert np.shape(r.activations) == (2, 4, 4)
    assert np.array_equal(r.logits, T.arithmetic.matvec(T.output, r.stream[-1, -1]))
    assert r.decision == T.classes[int(np.argmax(r.logits))]
    assert all(np.array_equal(w, np.tril(w)) for block in r.attention for w in block), "a causal mask"
    assert repr(r).startswith("Run(tokens=('0', '1', '1', '0'), decision=")


def test_a_causal_run_of_a_prefix_is_a_prefix_of_the_run(T: ws.Transformer) -> None:
    assert np.array_equal(ws.run(T, "01101").stream[:, :3], ws.run(T, "011").stream)


def test_many_inputs_are_decided_as_each_by_itself(T: ws.Transformer) -> None:
    inputs = ["".join(tokens) for n in (3, 1, 5, 2) for tokens in product("01", repeat=n)]
    for model in (T, replace(T, mask="full"), replace(T, blocks=()), one_of_each()):
        assert ws.decisions(model, inputs) == [ws.run(model, tokens).decision for tokens in inputs]
    assert ws.decisions(T, []) == []


def one_of_each() -> ws.Transformer:
    """Build a model with norms, relative positions, an empty softmax and a bias."""
    T = ws.random_transformer(lanes=3, blocks=1, heads=2, weighting=ws.Softmax(empty="uniform"), seed=5)
    block = replace(T.blocks[0], attention_norm=ws.LayerNorm(eps=0.25), feed_forward_norm=ws.RMSNorm(eps=0.25))
    return replace(T, blocks=(block,), positions=ws.Relative(np.ones((2, 3))), output_bias=np.array([0.5, 0]))


def test_the_first_class_wins_a_tie(T: ws.Transformer) -> None:
    assert ws.run(replace(T, output=np.zeros((2, 3))), "01").decision == "NO"


def test_absent_sublayers_leave_the_stream_alone(T: ws.Transformer) -> None:
    r = ws.run(replace(T, blocks=(ws.Block(), ws.Block(ws.Attention(())))), "01")
    assert all(np.array_equal(stage, r.stream[0]) for stage in r.stream)
    assert [z.shape for z in r.activations] == [(2, 0), (2, 0)]
    assert r.attention == ((), ())


def test_texts_lists_and_words_are_read_as_tokens(T: ws.Transformer) -> None:
    assert ws.run(T, "01").tokens == ws.run(T, ["0", "1"]).tokens == ws.run(T, ("0", "1")).tokens
    words = ws.random_transformer(["the", "cat"], lanes=2)
    assert ws.run(words, "the  cat\nthe").tokens == ("the", "cat", "the")


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("", "the input is empty: write at least one of the tokens 0, 1"),
        ([], "the input is empty"),
        ("012", "token 2 of the input, 2, is not in the vocabulary: write 0, 1"),
        ("0 1", "token 1 of the input, ' ', is not in the vocabulary"),
        (["0", 1], "token 1 of the input is 1, which is not a text: tokens are texts, '1' not 1"),
        (3, "tokens must be a text or a list of texts, and they are 3"),
        ("010101", "the input has 6 tokens and the position table holds 5: write at most 5 tokens"),
    ],
)
def test_inputs_that_cannot_be_read_are_refused(T: ws.Transformer, tokens: Any, message: str) -> None:
    with pytest.raises(ws.InputError) as caught:
        ws.run(T, tokens)
    assert message in str(caught.value)


def test_an_unknown_word_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        ws.InputError, match=r"token 1 of the input, tower, .*: did you mean Tower\? write Eiffel, Tower"
    ):
        ws.run(ws.random_transformer(["Eiffel", "Tower"]), "Eiffel tower")


ONE, ZERO = np.ones((1, 1)), np.zeros((1, 1))


def one_lane(head: ws.Head, A: ws.Arithmetic) -> ws.Transformer:
    """Run one head on a stream of ones."""
    return ws.Transformer(A, "a", ["one"], ONE, None, [ws.Block(ws.Attention([head]))], np.array([[0], [1]]))


def only_minus_infinity(empty: str, A: ws.Arithmetic | None = None) -> ws.Transformer:
    """Every score is −∞, so every exponential rounds to 0; the values are 1."""
    A = A or Fixed(4, 4)
    head = ws.Head(-A.infinity * ONE, ONE, ONE, ONE, ws.Softmax(empty=empty))  # type: ignore[arg-type]
    return one_lane(head, A)


def test_an_empty_softmax_follows_its_rule_and_is_counted() -> None:
    assert ws.run(only_minus_infinity("zero"), "aaaa").stream[-1].ravel().tolist() == [1, 1, 1, 1]
    assert ws.run(only_minus_infinity("zero"), "aaaa").empty_softmax == 4
    uniform = ws.run(only_minus_infinity("uniform"), "aaaa")
    assert uniform.attention[0][0][2].tolist() == [0.3125, 0.3125, 0.3125, 0]
    assert uniform.empty_softmax == 4
    with pytest.raises(
        ws.ModelError, match=r"block 0, head 0, position 0: every exp\(score\) rounds to 0 in fixed\(4,4\)"
    ):
        ws.run(only_minus_infinity("error"), "aaaa")
    assert ws.run(only_minus_infinity("error", Float(2, 4)), "aaaa").empty_softmax == 0, "exp(−∞) is not 0 there"


def test_average_hard_attention_shares_by_count_even_beyond_infinity() -> None:
    """m = 40 is not a member of fixed(4,4), where ∞ is 15.9375; the share is still 1/40, rounded once: 0."""
    same = ws.Head(ZERO, ZERO, ONE, ONE, ws.AverageHard())
    T = one_lane(same, Fixed(4, 4))
    shares = [float(ws.run(T, "a" * n).attention[0][0][-1, 0]) for n in (1, 2, 3, 16, 31, 40)]
    assert shares == [1, 0.5, 0.3125, 0.0625, 0.0625, 0]


def test_a_norm_whose_root_is_0_is_refused_with_the_eps_to_write() -> None:
    T = replace(ws.random_transformer(lanes=2, blocks=0), embedding=np.ones((2, 2)), positions=None)
    with pytest.raises(
        ws.ModelError, match=r"final norm: the square root is 0 at position 0.* eps of at least 0\.0625"
    ):
        ws.run(replace(T, final_norm=ws.LayerNorm(eps=1e-5)), "01")
    assert ws.run(replace(T, final_norm=ws.LayerNorm(eps=0.0625)), "01").logits.tolist() == [0, 0]


def test_a_norm_limited_to_lanes_lets_the_others_pass() -> None:
    T = ws.random_transformer(lanes=4, blocks=1, heads=1, neurons=0, seed=2)
    norm = ws.LayerNorm(eps=0.25, lanes=["x1", "x3"])
    block = replace(T.blocks[0], attention_norm=norm, norm_placement="post")
    plain, normed = ws.run(T, "01"), ws.run(replace(T, blocks=(block,)), "01")
    assert np.array_equal(plain.stream[1][:, [0, 2]], normed.stream[1][:, [0, 2]])
    assert not np.array_equal(plain.stream[1][:, [1, 3]], normed.stream[1][:, [1, 3]])


def test_the_lectures_layer_norm_in_float64() -> None:
    T = ws.Transformer(
        Native("float64"),
        "a",
        list("wxyz"),
        np.array([[2, 4, 6, 8]]),
        None,
        (),
        np.eye(4),
        list("wxyz"),
        final_norm=ws.LayerNorm(),
    )
    assert np.round(ws.run(T, "a").logits, 2).tolist() == [-1.34, -0.45, 0.45, 1.34]


def test_the_lectures_sinusoidal_positions() -> None:
    words = np.array([[0, 0, 0, 0], [0.5, 0.3, -0.2, 0.8]])
    lanes = list("wxyz")
    T = ws.Transformer(Native("float64"), ["The", "cat"], lanes, words, ws.Sinusoidal(3), (), np.eye(4), lanes)
    assert np.round(ws.run(T, "The cat").logits, 3).tolist() == [1.341, 0.84, -0.19, 1.8]
    assert ws.run(T, "The").logits.tolist() == [0, 1, 0, 1]
    rounded = replace(T, arithmetic=Fixed(4, 4), embedding=np.zeros((2, 4)))
    assert ws.run(rounded, "The cat").logits.tolist() == [0.8125, 0.5625, 0.0, 1.0]


@pytest.mark.parametrize("weighting", [ws.Softmax(), ws.LeftmostHard(), ws.AverageHard()], ids=repr)
def test_overflow_of_the_machines_arithmetic_is_refused_not_passed_on(weighting: Any) -> None:
    T = ws.random_transformer(arithmetic=Native("float32"), weighting=weighting, blocks=1, neurons=0)
    huge = replace(T, embedding=np.full((2, 4), 2.0**127))
    with pytest.raises(ws.ModelError, match=r"(block 0|embedding).*float32 overflowed; smaller weights or Softmax"):
        ws.run(huge, "0101")


def test_a_softmax_whose_sum_overflows_is_refused() -> None:
    A = Native("float32")
    head = ws.Head(A.round(88.7 * ONE), ONE, ONE, ONE)
    assert ws.run(one_lane(head, A), "a").decision == "YES"
    with pytest.raises(ws.ModelError, match="block 0, head 0: float32 overflowed"):
        ws.run(one_lane(head, A), "aa")


def test_a_run_cannot_be_changed_and_a_file_name_is_no_transformer(T: ws.Transformer) -> None:
    r = ws.run(T, "01")
    with pytest.raises(ValueError, match="read-only"):
        r.logits[0] = 1
    with pytest.raises(ws.InputError, match="'model.safetensors' is not a transformer: write load"):
        ws.run("model.safetensors", "01")  # type: ignore[arg-type]


def test_native_float64_runs_like_the_machine() -> None:
    T = ws.random_transformer(arithmetic=Native("float64"), blocks=1, heads=1, neurons=3)
    r = ws.run(T, "011")
    head, layer = T.blocks[0].attention.heads[0], T.blocks[0].feed_forward  # type: ignore[union-attr]
    assert layer is not None
    h = r.stream[0]
    e = np.tril(np.exp((h @ head.W_Q.T) @ (h @ head.W_K.T).T))
    h = h + (e / e.sum(axis=1, keepdims=True)) @ h @ head.W_V.T @ head.W_O.T
    h = h + np.maximum(h @ layer.W_1.T + layer.b_1, 0) @ layer.W_2.T + layer.b_2
    assert np.abs(r.stream[-1] - h).max() < 1e-12, "BLAS adds in another order, so not bit for bit"


def successor(vocabulary: str) -> ws.Transformer:
    """Decide the token that follows the last one in the alphabet, from the first again after the last."""
    size = len(vocabulary)
    return ws.Transformer(
        Fixed(4, 4), vocabulary, [f"is {t}" for t in vocabulary], np.eye(size), None, (),
        np.roll(np.eye(size), 1, axis=0), list(vocabulary),
    )  # fmt: skip


def test_generate_appends_each_decision() -> None:
    T = successor("abc")
    assert list(ws.generate(T, "ab", 5)) == ["c", "a", "b", "c", "a"]
    assert list(ws.generate(T, ["c"], 0)) == []


def test_generate_refuses_at_once_what_cannot_work(T: ws.Transformer) -> None:
    with pytest.raises(
        ws.ModelError, match="generate needs classes that are tokens, and NO, YES is not in the vocabulary"
    ):
        ws.generate(T, "01", 3)
    speaker = replace(T, classes=("1", "0"))
    with pytest.raises(ws.InputError, match=r"steps=-1: write how many tokens to generate"):
        ws.generate(speaker, "01", -1)
    with pytest.raises(ws.InputError, match="token 1 of the input, 2, is not in the vocabulary"):
        ws.generate(speaker, "02", 5)
    with pytest.raises(ws.InputError, match="'T' is not a transformer"):
        ws.generate("T", "01", 5)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["embedding", "attention", "feed-forward", "head", "activations"])
def test_a_value_changed_on_its_way_must_be_a_member(kind: str) -> None:
    T = ws.random_transformer(vocabulary="01", lanes=2, blocks=1, heads=1, neurons=2)

    def change(site: Site, values: Any) -> Any:
        return values + 0.3 if site.kind == kind else values

    with pytest.raises(ws.InputError, match=r"is not a member of fixed\(4,4\)"):
        ws.run(T, "01", change=change)


def test_a_change_with_the_arguments_of_earlier_versions_still_works() -> None:
    T, seen = ws.random_transformer(vocabulary="01", lanes=2, blocks=2, heads=2, neurons=2), []

    def old(kind: str, place: int, head: int, values: Any) -> Any:
        seen.append((kind, place, head))
        return 0 * values if (kind, place, head) == ("head", 1, 1) else values

    with pytest.warns(DeprecationWarning, match=r"write change\(site, values\)"):
        found = ws.run(T, "01", change=old)  # type: ignore[arg-type]
    assert np.array_equal(found.stream, ws.ablate(ws.run(T, "01"), block=1, head=1).stream)
    block = [[("head", b, 0), ("head", b, 1), ("stream", 2 * b + 1, 0), ("activations", b, 0)] for b in range(2)]
    assert seen == [("stream", 0, 0), *block[0], ("stream", 2, 0), *block[1], ("stream", 4, 0)]


def test_the_name_that_answer_ids_had_before_still_works() -> None:
    r = ws.run(ws.library.contains("1"), "0010")
    with pytest.warns(DeprecationWarning, match=r"write run\.answer_ids"):
        assert np.array_equal(r.places, r.answer_ids)
    assert tuple(r.transformer.answers[n] for n in r.answer_ids) == r.outputs
