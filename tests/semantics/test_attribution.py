"""Where a logit comes from."""

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, InputError, LayerNorm, Native, RMSNorm, Softmax, Transformer, random_transformer
from weightsmith.model.block import Activation
from weightsmith.model.distances import Distances


def model(seed: int) -> Transformer:
    """Give a random model in float64: every norm, placement, activation and rule inside attention comes along."""
    random = np.random.default_rng(seed)
    lanes = int(random.integers(2, 9))
    blocks, heads, neurons = (int(random.integers(low, 4)) for low in (1, 1, 1))
    T = random_transformer("abc", lanes, blocks, heads, neurons, 8, Native("float64"), seed, weighting=Softmax(True))

    def norm() -> LayerNorm | RMSNorm | None:
        gain, bias = random.normal(size=(2, lanes))
        return (None, LayerNorm(1e-5, gain, bias), RMSNorm(1e-6, gain), LayerNorm(1e-5))[random.integers(4)]

    placement: tuple[Literal["pre", "post"], ...] = ("pre", "post")
    new = []
    for block in T.blocks:
        layer, attention = block.feed_forward, block.attention
        assert layer is not None
        assert attention is not None
        activation = get_args(Activation)[random.integers(6)]
        gate = random.normal(size=(neurons, lanes)) if activation in ("reglu", "swiglu") else None
        biased = replace(attention.heads[0], b_Q=random.normal(size=lanes), b_V=random.normal(size=lanes))
        new.append(
            replace(
                block,
                attention=replace(attention, heads=(biased, *attention.heads[1:]), b_O=random.normal(size=lanes)),
                feed_forward=replace(
                    layer, W_1=layer.W_1 / lanes, W_2=layer.W_2 / neurons, activation=activation, W_3=gate
                ),
                attention_norm=norm(),
                feed_forward_norm=norm(),
                norm_placement=placement[random.integers(2)],
            )
        )
    rules: tuple[Distances | None, ...] = (
        None,
        ws.Relative(random.normal(size=(3, lanes)), random.normal(size=(3, lanes))),
        ws.Alibi(),
        ws.Rotary(size=2),
    )
    rule = rules[random.integers(4)]
    assert isinstance(T.positions, ws.PositionTable)
    return replace(
        T,
        blocks=tuple(new),
        embedding=T.embedding / lanes,
        output=T.output / lanes,
        final_norm=norm(),
        output_bias=random.normal(size=2),
        positions=T.positions if rule is None else (T.positions, rule),
    )


def test_the_parts_of_a_logit_add_up_for_a_hundred_random_models(capsys: pytest.CaptureFixture[str]) -> None:
    largest, kinds = 0.0, set[str]()
    for seed in range(100):
        T = model(seed)
        r = ws.run(T, "abcab"[: 1 + seed % 5])
        for wanted in T.classes:
            found = ws.attribute(r, wanted)
            largest = max(largest, abs(found.residue))
            kinds |= {part.kind for part in found.parts}
    with capsys.disabled():
        print(f" [largest residue: {largest:.1e}]", end="")  # noqa: T201
    assert largest < 1e-12
    assert kinds == {"embedding", "position", "head", "neuron", "bias"}


@pytest.mark.parametrize("seed", range(20))
def test_the_parts_add_up_exactly_where_nothing_is_rounded(seed: int) -> None:
    """Small whole weights, hard attention: every value of the run is a whole number far below ∞."""
    random = np.random.default_rng(seed)
    T = random_transformer("ab", 3, 2, 2, 3, 6, Fixed(20, 4), seed, weighting=ws.LeftmostHard())

    def whole(array: np.ndarray) -> np.ndarray:
        return random.integers(-1, 2, size=array.shape).astype(float)

    def head(old: ws.Head) -> ws.Head:
        return replace(old, W_Q=whole(old.W_Q), W_K=whole(old.W_K), W_V=whole(old.W_V), W_O=whole(old.W_O))

    blocks = []
    for block in T.blocks:
        assert block.attention is not None
        assert block.feed_forward is not None
        layer = block.feed_forward
        blocks.append(
            replace(
                block,
                attention=ws.Attention(tuple(head(old) for old in block.attention.heads), np.array([1.0, -1, 0])),
                feed_forward=ws.FeedForward(whole(layer.W_1), whole(layer.b_1), whole(layer.W_2), whole(layer.b_2)),
            )
        )
    table = ws.PositionTable(random.integers(-2, 3, size=(6, 3)).astype(float))
    T = replace(T, blocks=tuple(blocks), embedding=whole(T.embedding), output=whole(T.output), positions=table)
    r = ws.run(T, "abba")
    assert np.abs(r.stream).max() < T.arithmetic.infinity
    for wanted in T.classes:
        found = ws.attribute(r, wanted)
        assert found.residue == 0
        assert found.total == found.logit


def test_a_residue_says_what_rounding_did() -> None:
    r = ws.run(random_transformer(arithmetic=Fixed(2, 2)), "0110")
    found = ws.attribute(r, "YES")
    assert found.residue != 0
    assert found.total + found.residue == found.logit


def test_parts_come_in_the_documented_order() -> None:
    T = random_transformer(blocks=2, heads=2, neurons=2)
    found = ws.attribute(ws.run(T, "01"), "YES")
    names = [str(part) for part in found.parts]
    block = [
        *(f"block 0, head {h}, from {token} at position {j}" for h in (0, 1) for j, token in enumerate("01")),
        "block 0, neuron 0",
        "block 0, neuron 1",
        "block 0, b_2",
    ]
    second = [name.replace("block 0", "block 1") for name in block]
    assert names == ["embedding of 1", "position", *block, *second]


def test_the_parts_of_heads_and_neurons_are_what_they_added() -> None:
    """Independently: the logit of what a head or a neuron added to the last position, by numpy."""
    r = ws.run(random_transformer(arithmetic=Native("float64"), weighting=Softmax(True), heads=2), "0110")
    T = r.transformer
    found = ws.attribute(r, "NO")
    for b, block in enumerate(T.blocks):
        assert block.feed_forward is not None
        for i, head in enumerate(r.heads[b]):
            parts = [p.amount for p in found.parts if (p.kind, p.block, p.place) == ("head", b, i)]
            assert sum(parts) == pytest.approx(T.output[0] @ head.output[-1], rel=1e-9)
        neurons = [p.amount for p in found.parts if (p.kind, p.block) == ("neuron", b)]
        expected = r.activations[b][-1] * (T.output[0] @ block.feed_forward.W_2)
        assert neurons == pytest.approx(expected.tolist(), rel=1e-9)


def test_the_largest_parts_come_first_and_zeros_not_at_all() -> None:
    found = ws.attribute(ws.run(ws.library.contains("1"), "0010"), "YES")
    amounts = [abs(part.amount) for part in found.largest(100)]
    assert amounts == sorted(amounts, reverse=True)
    assert all(amounts)
    assert len(found.largest(1)) == 1


def test_a_class_that_does_not_exist_is_refused() -> None:
    r = ws.run(ws.library.contains("1"), "0010")
    with pytest.raises(InputError, match="there is no class YESS: did you mean YES"):
        ws.attribute(r, "YESS")
    with pytest.raises(InputError, match="there is no class 1"):
        ws.attribute(r, 1)  # type: ignore[arg-type]
