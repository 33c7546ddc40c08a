"""A proof is about one model: that of a model which differs from it in one place, and decides otherwise, is refused."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.models import WEIGHTINGS, random_model
from tests.verifying.certificates import decision, inputs, written
from weightsmith import verify
from weightsmith.automata.extraction import Budget, UnknownError, extract
from weightsmith.check.proof import sealed
from weightsmith.files import model_bytes

QUICK = (20, 35, 38, 51, 55)  # models that decide now so, now otherwise, and are extracted soon
ARRAYS = {
    "head": ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V"),
    "layer": ("W_1", "b_1", "W_2", "b_2", "W_3", "b_3"),
    "model": ("embedding", "output", "output_bias"),
}


def moved(array: Any, A: ws.Arithmetic, random: Random) -> Any:
    """Change one number of an array."""
    new = np.array(array)
    place = random.randrange(new.size)
    new.flat[place] = A.round(new.flat[place] + random.choice([-4.0, -1.0, 0.5, 1.0, 4.0]))
    return new


def changes(T: ws.Transformer, random: Random) -> Iterator[tuple[str, ws.Transformer]]:
    """Yield models that differ from one in a single place, each with the name of that place."""
    A: Any = T.arithmetic
    b = random.randrange(len(T.blocks))
    block, attention = T.blocks[b], T.blocks[b].attention
    layer: Any = block.feed_forward
    assert attention
    heads = attention.heads
    i = random.randrange(len(heads))
    head = heads[i]

    def with_block(**new: Any) -> ws.Transformer:
        return replace(T, blocks=(*T.blocks[:b], replace(block, **new), *T.blocks[b + 1 :]))

    def with_head(**new: Any) -> ws.Transformer:
        every = (*heads[:i], replace(head, **new), *heads[i + 1 :])
        return with_block(attention=replace(attention, heads=every))

    for name in ARRAYS["head"]:
        if getattr(head, name) is not None:
            yield name, with_head(**{name: moved(getattr(head, name), A, random)})
    for name in ARRAYS["layer"] if layer else ():
        if getattr(layer, name) is not None:
            yield name, with_block(feed_forward=replace(layer, **{name: moved(getattr(layer, name), A, random)}))
    for name in ARRAYS["model"]:
        if getattr(T, name) is not None:
            yield name, replace(T, **{name: moved(getattr(T, name), A, random)})
    weighting = random.choice(WEIGHTINGS)
    yield f"{type(head.weighting).__name__} as {type(weighting).__name__}", with_head(weighting=weighting)
    yield "strict", with_head(strict=not head.strict)
    if head.positions is not None:
        yield f"{type(head.positions).__name__} of a head left out", with_head(positions=None)
    else:
        yield "Alibi of a head", with_head(positions=ws.Alibi((random.choice([1.0, 2.0, 8.0]),)))
        row = [A.round(np.array([[random.choice([-2.0, 0.0, 2.0])] * len(head.W_K)])) for _ in range(2)]
        yield "Relative of a head", with_head(positions=ws.Relative(np.vstack(row)))
    if layer is not None and layer.W_3 is None:
        activation: Any = random.choice(["relu", "gelu", "gelu_tanh", "silu"])
        yield "activation", with_block(feed_forward=replace(layer, activation=activation))
        yield "feed-forward layer left out", with_block(feed_forward=None, feed_forward_norm=None)
    for name in ("attention_norm", "feed_forward_norm"):
        if getattr(block, name) is not None:
            yield f"{name} left out", with_block(**{name: None})
            yield f"eps of {name}", with_block(**{name: replace(getattr(block, name), eps=4.0)})
        elif name == "attention_norm" or layer is not None:
            yield f"new {name}", with_block(**{name: ws.RMSNorm(eps=1.0)})
    if block.norm_placement == "pre" and layer is not None:
        yield "parallel", with_block(parallel=not block.parallel)
    if not block.parallel and (block.attention_norm or block.feed_forward_norm):
        yield "norm_placement", with_block(norm_placement="post" if block.norm_placement == "pre" else "pre")
    yield "final_norm", replace(T, final_norm=ws.LayerNorm(eps=1.0) if T.final_norm is None else None)
    yield "b_O", with_block(attention=replace(attention, b_O=A.round(np.ones(len(T.lanes)))))
    if len(heads) > 1:
        yield "heads in another order", with_block(attention=replace(attention, heads=heads[::-1]))
    if len(T.blocks) > 1:
        yield "blocks in another order", replace(T, blocks=T.blocks[::-1])
    if isinstance(T.positions, ws.PositionTable):
        yield "position table", replace(T, positions=ws.PositionTable(moved(T.positions.values, A, random)))
    ties: Any = {"zero": "even", "even": "away", "away": "zero"}[A.ties]
    yield "ties", replace(T, arithmetic=replace(A, ties=ties))


def decided(T: ws.Transformer, longest: int) -> list[Any]:
    return [decision(T, tokens) for tokens in inputs(T.vocabulary, min(longest, T.max_length or longest))]


def found(seeds: range) -> Counter[str]:
    """Count the places in which models differ, decide otherwise, and the proof of one is refused for the other."""
    kinds = Counter[str]()
    for seed in seeds:
        T, random = random_model(seed), Random(seed)
        scope = f"up to {T.max_length}" if T.max_length else "all lengths"
        try:
            proof = extract(T, Budget(3000, 200, clock=partial(next, count(0.0)))).trace.to_json()
            wanted = decided(T, 3)
        except (UnknownError, ws.ModelError):  # a norm of 0 has no root
            continue
        if len({*wanted}) == 1:  # what always decides alike hides most changes
            continue
        proof, mine = json.loads(json.dumps(proof)), verify.Model(model_bytes(T))
        verify.check([mine, mine], sealed(written([mine, mine], [proof, proof], scope, T.vocabulary)))
        for name, sibling in changes(T, random):
            try:
                differ = decided(sibling, 3) != wanted
            except ws.ModelError:
                differ = True  # it does not decide
            if not differ:
                continue
            other = verify.Model(model_bytes(sibling))
            data = sealed(written([mine, other], [proof, proof], scope, T.vocabulary))
            kinds[name] += 1
            with pytest.raises((ValueError, KeyError, IndexError, RuntimeError, AttributeError, TypeError)):
                verify.check([mine, other], data)
            blind = verify.Model(model_bytes(T))
            blind.digest = other.digest
            verify.check([mine, blind], data)  # a checker that does not see the difference accepts it
    return kinds


def test_the_proof_of_another_model_is_refused() -> None:
    kinds = sum((found(range(seed, seed + 1)) for seed in QUICK), Counter[str]())
    assert len(kinds) >= 20, kinds


@pytest.mark.long
@pytest.mark.parametrize("begin", range(0, 400, 100))
def test_the_proof_of_another_model_is_always_refused(begin: int) -> None:
    assert found(range(begin, begin + 100))
