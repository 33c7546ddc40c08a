"""What a head moved: which lanes went from which position to which."""

from dataclasses import dataclass, field

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.model.names import existing
from weightsmith.semantics.attribution import last_values
from weightsmith.semantics.layers import run_norm
from weightsmith.semantics.run import Run


@dataclass(frozen=True, eq=False)
class Move:
    """What a head took from one position and added to another."""

    source: int
    target: int
    weight: float
    lanes: dict[str, float]  # what it added, by lane; what is 0 is left out
    _paths: tuple[tuple[str, ...], Array, Array] = field(repr=False)  # lanes, what was read, W_O W_V

    def paths(self) -> dict[tuple[str, str], float]:
        """Give what went from which lane to which, the largest first; what biases and positions add is not among it."""
        names, read, through = self._paths
        amounts = self.weight * through * read
        to, of = np.nonzero(amounts)
        order = np.argsort(-np.abs(amounts[to, of]), kind="stable")
        return {(names[of[n]], names[to[n]]): float(amounts[to[n], of[n]]) for n in order}


def moved(run: Run, block: int, head: int) -> list[Move]:
    """Give what a head moved, for each pair of positions with a weight that is not 0, by target and then source.

    The amounts are weight · W_O · value in float64: their sum over the sources is what the head added, but for the
    rounding on the way.
    """
    T = run.transformer
    existing(block, len(T.blocks), "block")
    attention = T.blocks[block].attention
    existing(head, 0 if attention is None else len(attention.heads), "head", f" in block {block}")
    assert attention is not None
    matrices, weights = attention.heads[head], run.heads[block][head].weights
    seen, through = _seen(run, block), matrices.W_O @ matrices.W_V
    moves, lanes = [], tuple(T.lanes)
    for i, j in np.argwhere(weights != 0).tolist():
        added = weights[i, j] * (matrices.W_O @ last_values(run, block, head, i)[j])
        named = {lane: float(x) for lane, x in zip(lanes, added, strict=True) if x != 0}
        moves.append(Move(j, i, float(weights[i, j]), named, (lanes, seen[j], through)))
    return moves


def _seen(run: Run, b: int) -> Array:
    """Give what the attention of a block reads, (positions, lanes)."""
    T, block = run.transformer, run.transformer.blocks[b]
    h: Array = run.stream[2 * b]
    if block.norm_placement != "pre":
        return h
    return run_norm(T.arithmetic, block.attention_norm, h, tuple(T.lanes), f"block {b} attention norm")
