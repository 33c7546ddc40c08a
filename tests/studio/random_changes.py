"""Random changes of random runs: by `ws.ablate` and `ws.patch`, and as a script asks the page for them."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import weightsmith as ws
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import LENGTH, drawing, random_model
from tests.semantics.readouts import with_readout
from weightsmith.arithmetic import Arithmetic

Plain: TypeAlias = dict[str, list[dict[str, Any]]]  # what `window.weightsmith.run` takes
Step: TypeAlias = tuple[
    str, dict[str, Any], Callable[[ws.Run, Any], ws.Run]
]  # "ablate" or "patch", for the page, in Python


def changeable(A: Arithmetic, seed: int) -> ws.Transformer:
    """Return a model with at least one block: every norm, mask, rule of positions and activation in turn."""
    how = seed % 3
    weighting = ws.Softmax(shifted=True) if isinstance(A, ws.Native) else None
    if how == 0:
        T = random_model(A, seed if seed % 7 != 6 else seed + 1, weighting)
    elif how == 1:
        mask = "full" if seed % 2 else "causal"
        rules = FULL if mask == "full" else RULES
        activation = ACTIVATIONS[seed % len(ACTIVATIONS)]
        loudness = 0.0 if isinstance(A, ws.Native) else None
        T = kind_of_model(A, seed, rules[seed % len(rules)], activation, mask=mask, norms=seed % 4 > 1,
                          parallel=seed % 5 == 0, weighting=weighting, loudness=loudness)  # fmt: skip
    else:
        T = random_model(A, seed + 1 if seed % 7 == 6 else seed, weighting)
        T = T if isinstance(A, ws.Native) else with_readout(T, seed)[0]
    return T


def texts(T: ws.Transformer, random: np.random.Generator) -> list[list[str]]:
    """Return two inputs, mostly of one length."""
    length = int(random.integers(1, min(7, LENGTH)))
    other = length if random.random() < 0.7 else int(random.integers(1, 7))
    return [[T.vocabulary[n] for n in random.integers(0, len(T.vocabulary), n)] for n in (length, other)]


def random_steps(r: ws.Run, other: ws.Run, random: np.random.Generator) -> list[Step]:
    """Return some changes, all that leave out a part before the others."""
    steps = [random_step(r, other, random) for _ in range(random.integers(1, 5))]
    return sorted((step for step in steps if step is not None), key=lambda step: step[0])


def random_step(r: ws.Run, other: ws.Run, random: np.random.Generator) -> Step | None:
    T = r.transformer
    b = int(random.integers(len(T.blocks)))
    block = T.blocks[b]
    heads = 0 if block.attention is None else len(block.attention.heads)
    neurons = 0 if block.feed_forward is None else len(block.feed_forward.W_1)
    kind = str(random.choice(["head", "head", "neuron", "sublayer", "set", "set", "take", "take", "take head"]))
    if ("head" in kind and not heads) or (kind == "neuron" and not neurons):
        return None
    where = _positions(len(r.tokens), random)
    at: dict[str, Any] = {} if where is None else {"positions": where}
    i = int(random.integers(max(heads, 1)))
    n = int(random.integers(max(neurons, 1)))
    if kind == "head":
        return (
            "ablate",
            {"site": f"block {b} head {i}", **at},
            lambda run, s: ws.ablate(run, block=b, head=i, positions=where, sums=s),
        )
    if kind == "neuron" and random.random() < 0.6:
        site = f"block {b} neuron {n}"
        return (
            "ablate",
            {"site": site, **at},
            lambda run, s: ws.ablate(run, block=b, neurons=[n], positions=where, sums=s),
        )
    present = [name for name, part in (("attention", heads), ("feed-forward", neurons)) if part]
    if kind == "sublayer":
        name: Any = str(random.choice(present)) if present else None
        if name is None:
            return None
        site = f"block {b} {name}"
        return (
            "ablate",
            {"site": site, **at},
            lambda run, s: ws.ablate(run, block=b, sublayer=name, positions=where, sums=s),
        )
    after: Any = str(random.choice(["embedding", "attention", "feed-forward"]))
    at_block = None if after == "embedding" else b
    site = "embedding" if at_block is None else f"block {b} {after}"
    lanes = [T.lanes[j] for j in random.permutation(len(T.lanes))[: random.integers(1, 3)]]
    if kind == "set":
        values = dict(zip(lanes, map(float, drawing(T.arithmetic, random, 0.2)(len(lanes))), strict=True))
        if heads and random.random() < 0.2:
            head_site = {"site": f"block {b} head {i}", "values": values, **at}
            return "patch", head_site, lambda run, s: ws.patch(run, values, b, head=i, positions=where, sums=s)
        told = {"site": site, "values": values, **at}
        return "patch", told, lambda run, s: ws.patch(run, values, at_block, after=after, positions=where, sums=s)
    shared = min(len(r.tokens), len(other.tokens))
    if len(r.tokens) != len(other.tokens) or where is not None:
        where = _positions(shared, random) or [0]
        at = {"positions": where}
    taken: dict[str, Any] = {"from": list(other.tokens), **at}
    if kind == "neuron":
        told = {**taken, "site": f"block {b} neuron {n}"}
        return "patch", told, lambda run, s: ws.patch(run, other, b, neurons=[n], positions=where, sums=s)
    some = lanes if random.random() < 0.5 else None
    named = {} if some is None else {"lanes": some}
    if kind == "take head":
        told = {**taken, **named, "site": f"block {b} head {i}"}
        return "patch", told, lambda run, s: ws.patch(run, other, b, head=i, lanes=some, positions=where, sums=s)
    told = {**taken, **named, "site": site}
    return (
        "patch",
        told,
        lambda run, s: ws.patch(run, other, at_block, after=after, lanes=some, positions=where, sums=s),
    )


def _positions(length: int, random: np.random.Generator) -> list[int] | None:
    if random.random() < 0.4:
        return None
    return [int(n) for n in random.permutation(length)[: random.integers(1, length + 1)]]
