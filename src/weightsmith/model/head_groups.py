"""Groups of heads that are computed together: neighbours in a block with the same sizes, weighting and positions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Weights
from weightsmith.model.block import Attention, Head
from weightsmith.model.positions import NO_POSITIONS, AttentionPositions, Rotation
from weightsmith.model.transformer import Transformer
from weightsmith.model.weightings import Weighting

MATRICES = ("W_Q", "W_K", "W_V", "W_O")
BIASES = ("b_Q", "b_K", "b_V")


@dataclass(frozen=True, eq=False)
class HeadGroup:
    """Heads of one kind, with the positional scheme of each."""

    first: int  # index of the first head in the block
    heads: tuple[Head, ...]
    schemes: tuple[AttentionPositions, ...]

    @property
    def name(self) -> str:
        """The indices of the heads: "2", or "0-3"."""
        last = self.first + len(self.heads) - 1
        return str(self.first) if last == self.first else f"{self.first}-{last}"

    @property
    def weighting(self) -> Weighting:
        """The weighting of all of them."""
        return self.heads[0].weighting

    @property
    def strict(self) -> bool:
        """Whether they see only earlier positions."""
        return self.heads[0].strict

    @property
    def window(self) -> int | None:
        """How many positions they see, their own included; None for all."""
        return self.heads[0].window

    @property
    def key_size(self) -> int:
        """The size of a query or key."""
        return len(self.heads[0].W_Q)

    @property
    def value_size(self) -> int:
        """The size of a value."""
        return len(self.heads[0].W_V)

    def arrays(self) -> dict[str, Weights]:
        """Return the matrices of the heads below each other, W_O side by side, and the biases that some head has."""
        found: dict[str, Weights] = {
            name: np.concatenate([getattr(head, name) for head in self.heads], axis=1 if name == "W_O" else 0)
            for name in MATRICES
        }
        for name in BIASES:
            biases = [getattr(head, name) for head in self.heads]
            size = self.value_size if name == "b_V" else self.key_size
            if any(bias is not None for bias in biases):
                found[name] = np.concatenate([np.zeros(size) if bias is None else bias for bias in biases])
        return found

    def tables(self, A: Arithmetic, length: int) -> dict[str, Array]:
        """Return the tables of their positions, (heads, distances or positions, …), for inputs up to a length."""
        found = {
            "key_offsets": stacked([scheme.key_offsets() for scheme in self.schemes]),
            "value_offsets": stacked([scheme.value_offsets() for scheme in self.schemes]),
            "penalties": stacked([scheme.penalties(A, length) for scheme in self.schemes]),
        }
        return {name: table for name, table in found.items() if table is not None}

    def rotation(self, A: Arithmetic, length: int) -> Rotation | None:
        """Return the rotation of their queries and keys, for inputs up to a length; None without one."""
        return self.schemes[0].rotation(A, self.key_size, length)


def head_groups(
    T: Transformer, attention: Attention | None, split: Callable[[Head], object] | None = None
) -> tuple[HeadGroup, ...]:
    """Return the heads of a block in groups; `split` keeps heads apart for which it gives different values."""
    if attention is None:
        return ()
    heads, shared = attention.heads, T.attention_positions
    schemes = [attention.positions_of(i, shared) or NO_POSITIONS for i in range(len(heads))]

    def kind(i: int) -> tuple[object, ...]:
        head = heads[i]
        same = len(head.W_Q), len(head.W_V), head.weighting, head.strict, head.window, schemes[i].alike()
        return (*same, None if split is None else split(head))

    groups = (list(group) for _, group in groupby(range(len(heads)), key=kind))
    return tuple(
        HeadGroup(group[0], tuple(heads[i] for i in group), tuple(schemes[i] for i in group)) for group in groups
    )


def apart(head: Head) -> object:
    """Return a value of its own: as `split` of `head_groups`, it keeps all heads apart."""
    return object()


def has_tables(T: Transformer) -> bool:
    """Return whether some head needs a table by position, for rotations or penalties, which has a last row."""
    groups = (group for block in T.blocks for group in head_groups(T, block.attention))
    return any(
        group.rotation(T.arithmetic, 1) is not None or "penalties" in group.tables(T.arithmetic, 1) for group in groups
    )


def stacked(tables: Sequence[Array | None]) -> Array | None:
    """Return the tables of several heads as one array, (heads, …); None where they have none."""
    present = [table for table in tables if table is not None]
    return np.stack(present) if present else None
