"""Faithfulness: how many answers stay when only some edges are kept and all others are cut at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from weightsmith.circuits.pairs import Pair
from weightsmith.errors import InputError
from weightsmith.inspect.edges import edges
from weightsmith.inspect.joint_cuts import JointCutting
from weightsmith.model import Transformer


@dataclass(frozen=True)
class Faithfulness:
    """The share of answers that stay with only some edges."""

    kept: int  # edges
    pairs: float  # of the clean inputs of the pairs, at their positions
    inputs: float  # of all inputs up to the length, at every position


def faithfulness(T: Transformer, keep: Collection[object], pairs: Sequence[Pair], up_to: int) -> Faithfulness:
    """Cut every edge that is not kept, exactly, and compare the answers with those of the model."""
    longest = max((len(pair.clean) for pair in pairs), default=0)
    if not 1 <= longest <= up_to:
        raise InputError(f"up_to={up_to}: the longest pair has {longest} tokens: write pairs of 1 to {up_to} tokens")
    kept = set(keep)
    cuts = [edge for edge in edges(T) if edge not in kept]
    stay, inputs, of_pairs = 0, 0, 0
    for length in range(1, up_to + 1):
        ids = np.array(list(product(range(len(T.vocabulary)), repeat=length)), np.intp)
        run = JointCutting(T, ids)
        same = run.cut_all(cuts) == run.answers
        stay, inputs = stay + int(same.all(axis=1).sum()), inputs + len(ids)
        rows = {tuple(T.vocabulary[token] for token in row): n for n, row in enumerate(ids.tolist())}
        of_pairs += sum(bool(same[rows[pair.clean], pair.position]) for pair in pairs if len(pair.clean) == length)
    return Faithfulness(len(kept), of_pairs / len(pairs), stay / inputs)
