"""Going on from the keys and values of what came before gives what the whole run gives."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from tests.kernels.models import LENGTH
from weightsmith import Attention, Block, Fixed, Float, Native, Softmax
from weightsmith.inspect.run import evaluate
from weightsmith.semantics.evaluation import NOTHING, Evaluation

IDS = np.random.default_rng(5).integers(0, 2, 7)
CUTS = ([1] * 7, [3, 1, 3])


def stepped(T: ws.Transformer, ids: Any, sizes: list[int], **more: Any) -> list[Evaluation]:
    """Run in pieces of these sizes, each going on from those before."""
    found, past, start = [], NOTHING, 0
    for size in sizes:
        found.append(evaluate(T, ids[..., start : start + size], past, **more))
        past, start = found[-1].past, start + size
        assert past.length == start
    return found


@pytest.mark.parametrize("rule", RULES)
def test_running_in_pieces_gives_every_bit_of_the_whole_run(rule: str) -> None:
    n = RULES.index(rule)
    A = (Fixed(4, 4), Float(4, 3, "away"))[n % 2]
    T = kind_of_model(A, n, rule, ACTIVATIONS[n % 6], norms=n % 3 == 0)
    whole = evaluate(T, IDS)
    for sizes in CUTS:
        pieces = stepped(T, IDS, sizes)
        for stage, values in enumerate(whole.stream):
            assert np.array_equal(np.concatenate([piece.stream[stage] for piece in pieces]), values)
        for b, heads in enumerate(whole.heads):
            last = pieces[-1].heads[b]
            for found, wanted in zip(last, heads, strict=True):
                assert np.array_equal(found.keys, wanted.keys)
                assert np.array_equal(found.values, wanted.values)
                assert np.array_equal(found.weights, wanted.weights[-sizes[-1] :])
            assert np.array_equal(np.concatenate([piece.activations[b] for piece in pieces]), whole.activations[b])
        assert np.array_equal(pieces[-1].logits, whole.logits)
    for t in (1, 4):
        assert np.array_equal(stepped(T, IDS[:t], [1] * t)[-1].logits, evaluate(T, IDS[:t]).logits)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rule", RULES)
def test_the_machine_decides_in_pieces_as_in_the_whole_run(rule: str, dtype: Any) -> None:
    """BLAS adds in another order for another number of rows, so values agree to a few ulps of their sizes."""
    T = kind_of_model(Native(dtype), 3, rule, "gelu", loudness=0.0, weighting=Softmax(shifted=True), norms=True)
    ulp = 200 * np.finfo(dtype).eps
    whole = evaluate(T, IDS)
    for sizes in CUTS:
        pieces = stepped(T, IDS, sizes)
        for stage, values in enumerate(whole.stream):
            found = np.concatenate([piece.stream[stage] for piece in pieces])
            assert found.dtype == dtype
            assert np.abs(found - values).max() <= ulp * np.abs(values).max()
        assert np.argmax(pieces[-1].logits) == np.argmax(whole.logits)


def test_several_inputs_go_on_together() -> None:
    T = kind_of_model(Fixed(4, 4), 8, "one for each head", heads=3)
    ids = np.random.default_rng(1).integers(0, 2, (4, 6))
    pieces = stepped(T, ids, [2, 1, 3])
    whole = evaluate(T, ids)
    assert np.array_equal(np.concatenate([piece.stream[-1] for piece in pieces], axis=-2), whole.stream[-1])
    machine = kind_of_model(Native("float64"), 8, "one for each head", heads=3, loudness=0.0, norms=True)
    assert np.array_equal(
        np.argmax(stepped(machine, ids, [2, 1, 3])[-1].logits, -1), np.argmax(evaluate(machine, ids).logits, -1)
    )


def speaker(A: Any, rule: str, seed: int = 4, **more: Any) -> ws.Transformer:
    """Give a transformer whose classes are its tokens, in another order unless it is tied."""
    T = kind_of_model(A, seed, rule, "silu", loudness=0.0, weighting=Softmax(shifted=True), **more)
    return T if T.tied else replace(T, classes=("b", "a"))


SAMPLING: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 1.0, "seed": 0},
    {"temperature": 0.3, "seed": 7, "top_k": 2},
    {"temperature": 50, "seed": 3, "top_k": 9},
    {"temperature": 2.0, "seed": 1, "top_k": 1},
)


@pytest.mark.parametrize("A", [Fixed(4, 4), Native("float32")], ids=str)
@pytest.mark.one_in(3)
@pytest.mark.parametrize("rule", RULES)
def test_generating_with_the_cache_gives_the_tokens_without_it(rule: str, A: Any) -> None:
    steps, n = (LENGTH - 1, 0) if isinstance(A, Native) else (5, 1 + RULES.index(rule))
    T = speaker(A, rule, tied=n % 2 == 1)
    for how in SAMPLING[n % 5 :][:2] if n else SAMPLING:
        wanted = list(ws.generate(T, "ab", steps, cache=False, **how))
        assert list(ws.generate(T, "ab", steps, **how)) == wanted
        assert len(wanted) == steps
        if how.get("top_k") == 1:
            assert wanted == list(ws.generate(T, "ab", steps))


def test_each_token_is_the_decision_on_all_before_it() -> None:
    T = speaker(Fixed(4, 4), "halves")
    text = "ab"
    for token in ws.generate(T, "ab", 9):
        assert token == ws.run(T, text).decision
        text += token
    assert set(text[2:]) <= {"a", "b"}


def test_hot_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    T = replace(speaker(Fixed(4, 4), "none"), blocks=(), final_norm=None, positions=None)
    wanted = ws.next_token(T, "a", temperature=8.0)
    drawn = [next(ws.generate(T, "a", 1, temperature=8.0, seed=seed)) for seed in range(400)]
    assert abs(drawn.count("a") / 400 - wanted["a"]) < 0.1  # 4 standard deviations
    assert 0.1 < wanted["a"] < 0.9
    assert sum(wanted.values()) == pytest.approx(1)
    assert list(wanted.values()) == sorted(wanted.values(), reverse=True)


@pytest.mark.parametrize("temperature", [1e-320, 1e-10, 1e300])
def test_extreme_temperatures_draw_without_a_warning(temperature: float) -> None:
    T = speaker(Fixed(4, 4), "none")
    cold = list(ws.generate(T, "ab", 5, temperature=temperature, seed=0))
    if temperature < 1:
        assert cold == list(ws.generate(T, "ab", 5))
    assert sum(ws.next_token(T, "ab", temperature=temperature).values()) == pytest.approx(1)


@pytest.mark.parametrize("A", [Fixed(4, 4), Native("float64")], ids=str)
@pytest.mark.parametrize("blocks", [(), (Block(),), (Block(Attention(())),)], ids=["no blocks", "empty", "no heads"])
def test_transformers_without_any_head_generate_with_the_cache(A: Any, blocks: Any) -> None:
    T = replace(speaker(A, "none"), blocks=blocks)
    for how in SAMPLING:
        wanted = list(ws.generate(T, "ab", 6, cache=False, **how))
        assert list(ws.generate(T, "ab", 6, **how)) == wanted


@pytest.mark.parametrize("rule", ["none", "halves", "alibi"])
def test_without_a_causal_mask_everything_is_run_anew(rule: str) -> None:
    T = speaker(Fixed(4, 4), rule, mask="full")
    text = "ba"
    for token in ws.generate(T, "ba", 4, cache=True):
        assert token == ws.run(T, text).decision
        text += token
    assert list(ws.generate(T, "ba", 4, cache=False)) == list(text[2:])


@pytest.mark.parametrize("sums", ["left", "machine"])
def test_an_empty_softmax_names_the_position_in_the_whole_text(sums: Any) -> None:
    """Position 3 asks with −1000; in the run that goes on from position 2 it is the second."""
    one, A = np.ones((1, 1)), Native("float64")
    head = ws.Head(one, one, one, one, Softmax(empty="error"))
    table = ws.PositionTable(np.array([[1.0], [1.0], [1.0], [-1000.0]]))
    T = ws.Transformer(A, "a", ["x"], 0 * one, table, [Block(Attention([head]))], np.array([[0.0], [1.0]]))
    T = replace(T, blocks=[Block(Attention([replace(head, W_K=0 * one, b_K=np.ones(1))]))])
    ids = np.zeros(4, dtype=int)
    with pytest.raises(ws.ModelError, match="head 0, position 3: every exp"):
        evaluate(T, ids, sums=sums)
    past = evaluate(T, ids[:2], sums=sums).past
    with pytest.raises(ws.ModelError, match="head 0, position 3: every exp"):
        evaluate(T, ids[2:], past, sums=sums)


def test_a_norm_without_a_root_names_the_position_in_the_whole_text() -> None:
    A = Fixed(4, 4)
    table = ws.PositionTable(np.array([[1.0], [1.0], [1.0], [0.0]]))
    layer = ws.FeedForward(np.ones((1, 1)), None, np.ones((1, 1)), None)  # type: ignore[arg-type]
    block = Block(None, layer, None, ws.RMSNorm(0.0))
    T = ws.Transformer(A, "a", ["x"], np.zeros((1, 1)), table, [block], np.array([[0.0], [1.0]]))
    ids = np.zeros(4, dtype=int)
    for place in (A, Native("float64")):
        S = ws.to_arithmetic(T, place)
        for past, rest in ((NOTHING, ids), (evaluate(S, ids[:2]).past, ids[2:])):
            with pytest.raises(ws.ModelError, match="the square root is 0 at position 3"):
                evaluate(S, rest, past)
