"""How inputs with a common prefix are run: as a tree that shares prefixes, or each by itself in batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.automata import Inputs, TokenIds
from weightsmith.check.claim import Quantity, Values
from weightsmith.check.models import Model
from weightsmith.kernels.packed import Columns, Layout, ranks, tree
from weightsmith.model import Chain

MAX_UNSHARED_COLUMNS = 1 << 16  # of a batch without shared prefixes


@dataclass(frozen=True, eq=False)
class Reader:
    """A model whose vocabulary begins with the tokens of the claim's inputs."""

    model: Model
    suffix: tuple[int, ...] = ()  # read after each input
    whole: bool = True  # whether each prefix of an input is an input too

    def read(self, ids: TokenIds) -> TokenIds:
        """Return inputs (inputs, positions) with the suffix."""
        return np.hstack([ids, np.broadcast_to(np.array(self.suffix, np.int64), (len(ids), len(self.suffix)))])


def shares_prefixes(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> bool:
    """Return whether to run trees of shared prefixes: the model is causal, and most prefixes are inputs."""
    if isinstance(reader.model, Chain) or reader.model.mask == "full" or quantity in ("outputs", "streams"):
        return False
    behind = len(reader.suffix)
    alone = sum(len(inputs) * (inputs.length + behind) for inputs in asked)
    if not behind:
        return alone >= columns_below(asked)
    return alone >= sum(columns_below([each]) + behind * int(len(each.vocabulary) ** each.depth) for each in asked)


def columns_below(asked: Sequence[Inputs]) -> int:
    """Count the columns of all continuations of the common prefix."""
    return sum(int(len(asked[0].vocabulary) ** k) for k in range(1, asked[-1].depth + 1))


def trees(reader: Reader, asked: Sequence[Inputs]) -> Iterator[tuple[Layout, Sequence[Inputs]]]:
    """Yield layouts of shared prefixes, each with the inputs in it: one, or with a suffix one for each length."""
    for some in [[inputs] for inputs in asked] if reader.suffix else [asked]:
        yield tree(len(some[0].vocabulary), some[0].stem, some[-1].depth, reader.suffix), some


def read_tree(columns: Columns, layout: Layout, reader: Reader, quantity: Quantity, inputs: Inputs) -> Values:
    """Return a quantity of inputs from the run of a tree."""
    values = columns.values(quantity, layout.level(inputs.length + len(reader.suffix) - 1))
    result: Values = np.empty_like(values, order="C")
    result[ranks(len(inputs.vocabulary), inputs.depth)] = values
    return result if inputs.chosen is None else result[inputs.chosen]


def batch_size(reader: Reader, inputs: Inputs, asked: Sequence[Inputs]) -> int:
    """Return how many inputs run together, each by itself, in no more columns than a tree has.

    A chain has one column for each input: see `ChainRuns.bytes_needed`.
    """
    if isinstance(reader.model, Chain):
        return min(columns_below(asked), MAX_UNSHARED_COLUMNS)
    return max(min(columns_below(asked), MAX_UNSHARED_COLUMNS) // (inputs.length + len(reader.suffix)), 1)
