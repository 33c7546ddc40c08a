"""`is_infinity_form` recognises what the rewrites make, and never says True of a model that is not in ∞ form."""

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.rewrites.models import ARITHMETICS, WITHOUT_EXP
from weightsmith.arithmetic import Arithmetic
from weightsmith.model.frozen import Frozen
from weightsmith.rewrites.possible_values import AtLeast, possible_values
from weightsmith.semantics import evaluate

Changed = Callable[[ws.Transformer, Random], ws.Transformer]


def kinds(A: Arithmetic, seed: int) -> list[ws.Transformer]:
    """Return models with flags, norms, gates, other activations and positions."""
    T = ws.random_transformer("ab", 2, 1, 1, 2, 3, A, seed)
    layer = T.blocks[0].feed_forward
    assert layer is not None
    gated = replace(layer, activation="reglu", W_3=layer.W_1[::-1], b_3=layer.b_1)
    normed = replace(T.blocks[0], attention_norm=ws.LayerNorm(eps=1.0), feed_forward_norm=ws.RMSNorm(eps=1.0))
    return [
        T,
        ws.random_transformer("ab", 3, 0, max_length=3, arithmetic=A, seed=seed),
        ws.flag(T, "here", [1]),
        replace(T, final_norm=ws.RMSNorm(eps=1.0), output_bias=A.round([0.5, -1.0])),
        replace(T, blocks=(normed, replace(T.blocks[0], feed_forward=replace(layer, activation="gelu")))),
        replace(T, blocks=(replace(normed, norm_placement="post", feed_forward=gated),)),
        replace(T, positions=(ws.Sinusoidal(3), ws.Alibi())),
        replace(T, positions=None, classes=("nay", "aye")),
        replace(T, blocks=(replace(T.blocks[0], parallel=True), replace(normed, parallel=True))),
    ]


def holds(T: ws.Transformer, up_to: int = 3) -> bool:
    """Say whether every last vector is (1, x, 0 …) with x = 0 or ∞, flags aside, and decides as x does."""
    plain = [lane not in T.flags for lane in T.lanes]
    for length in range(1, min(up_to, T.max_length or up_to) + 1):
        ids = np.array(list(product(range(len(T.vocabulary)), repeat=length)))
        found = evaluate(T, ids)
        last = found.stream[-1][:, -1]
        x, rest = last[:, 1], last[:, 2:][:, plain[2:]]
        in_form = (last[:, 0] == 1) & ((x == 0) | (x == T.arithmetic.infinity)) & ~rest.any(axis=1)
        if not (in_form & ((found.logits[:, 1] > found.logits[:, 0]) == (x > 0))).all():
            return False
    return True


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
@pytest.mark.one_in(4)
def test_what_infinity_form_and_the_operators_make_is_recognised(A: Arithmetic) -> None:
    models = kinds(A, 1)
    for T in models:
        U = ws.infinity_form(T)
        assert ws.is_infinity_form(U)
        assert holds(U)
        assert ws.is_infinity_form(ws.pad_blocks(ws.widen(U, ["more"]), 2))
        assert ws.is_infinity_form(~U)
    P, Q, R, S, T = models[:5]
    for U in (P & Q, ws.infinity_form(R) | S, S ^ ~T, ws.if_then_else(P, Q & R, ~S)):
        assert ws.is_infinity_form(U)
        assert holds(U, 2)


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
@pytest.mark.one_in(4)
def test_what_is_not_in_infinity_form_is_not_said_to_be(A: Arithmetic) -> None:
    for T in kinds(A, 2):
        U = ws.infinity_form(T)
        others = [T, ws.zero_one_form(T), ws.signed_infinity_form(T), replace(U, blocks=U.blocks[:-2])]
        others += [replace(U, output_bias=np.array([0.0, 1.0])), replace(U, output=U.output[::-1])]
        others += [replace(U, final_norm=ws.RMSNorm(eps=1.0)), ws.to_arithmetic(U, ws.Native("float32"))]
        for other in others:
            assert not ws.is_infinity_form(other)
    if A not in WITHOUT_EXP:
        by_attention = ws.infinity_form(kinds(A, 2)[0], lowering="attention", length=2)
        assert not ws.is_infinity_form(by_attention), "it is one only at END, which is not looked into"


def test_a_tie_and_a_small_infinity_are_no_answers() -> None:
    A = ws.Fixed(1, 0)
    T = ws.Transformer(A, "a", ["NO", "YES"], np.array([[1.0, 1.0]]), None, (), np.eye(2))
    assert not ws.is_infinity_form(T), "(1, ∞) is a tie where ∞ = 1"
    assert ws.is_infinity_form(replace(T, arithmetic=ws.Fixed(1, 1), embedding=np.array([[1.0, 1.5]])))


def test_neurons_of_a_parallel_block_cancel_only_what_attention_leaves_alone() -> None:
    """They read h and take it away, but where a head writes the stream is h ⊕ something by then."""
    A, one, zero = ws.Fixed(4, 4), np.ones((1, 1)), np.zeros((1, 1))
    cancelling = ws.feed_forward(["x"], list(ws.Neuron.pair("x", {"x": -1.0})))
    attention = ws.Attention([ws.Head(zero, zero, one, one)])
    T = ws.Transformer(
        A, "ab", ["x"], np.array([[1.0], [2.0]]), None, [ws.Block(attention, cancelling)], np.ones((2, 1))
    )
    assert possible_values(T) == [frozenset([0.0])]
    assert ws.run(T, "ab").stream[-1].tolist() == [[0.0], [0.0]]
    T = replace(T, blocks=[replace(T.blocks[0], parallel=True)])
    assert possible_values(T) == [None]
    assert ws.run(T, "ab").stream[-1].tolist() == [[1.0], [1.5]]
    silent = ws.Attention([ws.Head(zero, zero, one, zero)])
    T = replace(T, blocks=[replace(T.blocks[0], attention=silent)])
    assert possible_values(T) == [frozenset([0.0])]


def test_one_growing_block_fewer_is_known_to_be_too_few() -> None:
    A = ws.Float(3, 3)
    U = ws.infinity_form(ws.random_transformer("ab", 2, 1, 1, 2, 3, A))
    assert possible_values(U)[1] == frozenset([0.0, A.infinity])
    assert possible_values(replace(U, blocks=U.blocks[:-1]))[1] == AtLeast(3.0)
    assert not ws.is_infinity_form(replace(U, blocks=U.blocks[:-1]))


def weight(T: ws.Transformer, draw: Random) -> ws.Transformer:
    """Change one weight."""
    A = T.arithmetic
    values = (0.0, 1.0, -1.0, A.infinity, -A.infinity, A.smallest, -A.smallest, float(A.round(draw.gauss(0, 2))))
    chosen = draw.randrange(_changed(T, -1, draw, values)[1])
    changed, _ = _changed(T, chosen, draw, values)
    assert isinstance(changed, ws.Transformer)
    return changed


def _changed(part: Any, left: int, draw: Random, values: tuple[float, ...]) -> tuple[Any, int]:
    """Change one entry of array number `left`; return the part and how many arrays it has."""
    if isinstance(part, np.ndarray):
        if left == 0 and part.size:
            part = part.copy()
            part[tuple(draw.randrange(size) for size in part.shape)] = draw.choice(values)
        return part, 1
    seen = 0
    if isinstance(part, tuple):
        items = []
        for item in part:
            item, count = _changed(item, left - seen if left >= seen else -1, draw, values)
            items.append(item)
            seen += count
        return tuple(items), seen
    if not isinstance(part, Frozen):
        return part, 0
    new = {}
    for field in fields(part):  # type: ignore[arg-type]
        new[field.name], count = _changed(getattr(part, field.name), left - seen if left >= seen else -1, draw, values)
        seen += count
    return (replace(part, **new) if left >= 0 else part), seen  # type: ignore[type-var]


def blocks(T: ws.Transformer, draw: Random) -> ws.Transformer:
    """Drop, double, swap or move a block, or take one of another kind."""
    old = list(T.blocks)
    b, c = (draw.randrange(len(old)) for _ in range(2))
    block = old[b]
    what = draw.randrange(5)
    if what == 0:
        del old[b]
    elif what == 1:
        old.insert(c, block)
    elif what == 2:
        old[b], old[c] = old[c], old[b]
    elif what == 3 and block.feed_forward is not None:
        old[b] = replace(block, feed_forward=replace(block.feed_forward, activation=draw.choice(["gelu", "silu"])))
    elif block.feed_forward is not None:
        some = T.lanes[: draw.randint(1, len(T.lanes))]
        norm = ws.LayerNorm(eps=1.0) if draw.random() < 0.5 else ws.RMSNorm(eps=1.0, lanes=some)
        old[b] = replace(block, feed_forward_norm=norm, norm_placement=draw.choice(["pre", "post"]))
    return replace(T, blocks=tuple(old))


def lanes(T: ws.Transformer, draw: Random) -> ws.Transformer:
    """Write something further to a lane, by a neuron or a head that reads another."""
    to, of = draw.randrange(len(T.lanes)), draw.randrange(len(T.lanes))
    A, size, b = T.arithmetic, len(T.lanes), draw.randrange(len(T.blocks) + 1)
    read, write = np.zeros((1, size)), np.zeros((size, 1))
    read[0, of], write[to, 0] = draw.choice([1.0, -1.0, A.infinity]), draw.choice([1.0, -1.0, A.infinity, A.smallest])
    layer = ws.FeedForward(read, np.array([draw.choice([0.0, 1.0])]), write)
    further = draw.choice([ws.Block(feed_forward=layer), ws.Block(ws.Attention((ws.Head(read, read, read, write),)))])
    return replace(T, blocks=(*T.blocks[:b], further, *T.blocks[b:]))


def assert_sound(A: Arithmetic, seed: int, count: int) -> None:
    """Change models in ∞ form; whenever one is still said to be in it, it must be."""
    draw, proved, broken = Random(f"{A} {seed}"), 0, 0
    models = kinds(A, seed)
    forms = [ws.infinity_form(T) for T in models] + [models[0] & ~models[1], models[2] ^ models[7]]
    for n in range(count):
        T = forms[n % len(forms)]
        for _ in range(draw.randint(1, 2)):
            try:
                T = draw.choice([weight, weight, weight, blocks, lanes])(T, draw)
            except ws.ModelError:  # it writes to a flag
                continue
        if ws.is_infinity_form(T):
            assert holds(T, 2), T
            proved += 1
        elif T.blocks and n % 4 == 0:
            broken += not holds(T, 2)
    assert proved > count // 20
    assert broken > count // 40, "the changes do harm"


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
@pytest.mark.one_in(4)
def test_whatever_is_changed_true_is_never_wrong(A: Arithmetic) -> None:
    assert_sound(A, seed=3, count=80)


@pytest.mark.long
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_whatever_is_changed_true_is_never_wrong_in_thousands_of_models(A: Arithmetic) -> None:
    for seed in range(10, 15):
        assert_sound(A, seed, count=300)


def small(A: Arithmetic, draw: Random) -> ws.Transformer:
    """Return a model of feed-forward layers whose weights are mostly 0, 1, −1 and ±∞, read off as an ∞ form is."""
    size, neurons = draw.randint(2, 3), draw.randint(1, 3)

    def some(*shape: int) -> Any:
        choices = (0.0, 0.0, 0.0, 1.0, 1.0, -1.0, A.infinity, -A.infinity, A.smallest)
        return np.array([draw.choice(choices) for _ in range(int(np.prod(shape)))]).reshape(shape)

    def layer() -> ws.FeedForward:
        return ws.FeedForward(some(neurons, size), some(neurons), some(size, neurons), some(size))

    embedding = some(2, size)
    embedding[:, 0] = 1.0
    made = tuple(ws.Block(feed_forward=layer()) for _ in range(draw.randint(0, 3)))
    return ws.Transformer(A, "ab", [f"x{j}" for j in range(size)], embedding, None, made, np.eye(2, size))


@pytest.mark.parametrize("A", [ws.Fixed(2, 2), ws.Float(3, 3), ws.Fixed(1, 1)], ids=str)
@pytest.mark.one_in(4)
def test_true_is_never_wrong_of_random_layers(A: Arithmetic) -> None:
    draw = Random(5)
    found = [T for T in (small(A, draw) for _ in range(400)) if ws.is_infinity_form(T)]
    assert len(found) > 5
    assert all(holds(T, 2) for T in found)
