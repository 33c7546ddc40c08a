"""Random models of every kind, and runs of them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

import weightsmith as ws
from tests.kernels.models import random_model, some_in_parallel
from weightsmith import LayerNorm, Native, RMSNorm, Softmax, Transformer, random_transformer
from weightsmith.inspect.run import Sums
from weightsmith.model.block import Activation
from weightsmith.model.positions import AttentionPositions


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
    new = list(some_in_parallel(tuple(new), seed))
    rules: tuple[AttentionPositions | None, ...] = (
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


def runs(A: ws.Arithmetic, seeds: Iterable[int], sums: Sums | None = None) -> Iterator[ws.Run]:
    """Give runs of loud models with blocks, on four tokens; models that cannot be run are left out."""
    for seed in seeds:
        T = random_model(A, seed)
        tokens = np.random.default_rng(seed).choice(T.vocabulary, 4).tolist()
        try:
            r = ws.run(T, tokens, sums=sums)
        except ws.ModelError:  # a norm without spread, softmax without weight, or a machine that overflows
            continue
        if T.blocks:
            yield r
