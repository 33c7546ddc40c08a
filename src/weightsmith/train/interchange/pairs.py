"""Pairs of inputs, a base and a source, and what the program answers when a part is interchanged.

The source is as long as the base or, where a position may see later ones, longer: then the part takes its values at the
first positions. Otherwise a part that says something about the length would never matter.

An interchange may bring the program into a state that no input leads to, such as a position behind the end. Then the
logits of some classes may be nearly equal, and the answer says nothing. So an answer counts only if its margin is one
that the program has on inputs: at least the smallest, but for rounding.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weightsmith.inspect.components import Node
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import AnswerIds, Ids
from weightsmith.train.interchange.parts import Inputs, inputs_of_length, parts_of

LEARNT, MEASURED = 2048, 512  # pairs that are drawn for each part and base length: to learn from, and to measure with
CLEAR = 0.99  # the share of the smallest margin that an answer needs after an interchange


class Lengths(NamedTuple):
    """How long a base and its source are."""

    base: int
    source: int


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs for one part: row numbers of the inputs of both lengths, and the answers under the interchange."""

    bases: Ids  # (pairs)
    sources: Ids  # (pairs)
    answers: AnswerIds  # (pairs, positions); −1 where the program has no clear one
    changed: Ids  # the pairs of which some answer is not that on the base

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.bases)


Table = Mapping[tuple[Lengths, Node], Pairs]


@dataclass(frozen=True, eq=False)
class Drawn:
    """The program on inputs of every length, and pairs for each of its parts."""

    T: Transformer
    inputs: Mapping[int, Inputs]  # by length
    learnt: Table
    measured: Table
    parts: tuple[Node, ...]  # whose interchange changes some answer
    idle: tuple[Node, ...]  # the other heads and layers

    @property
    def lengths(self) -> list[Lengths]:
        """The lengths of pairs."""
        return list(lengths_of(self.T, max(self.inputs)))


def lengths_of(T: Transformer, up_to: int) -> Iterator[Lengths]:
    """Yield the lengths of pairs: a causal model has the same values on a longer source as on its beginning."""
    for base in range(1, up_to + 1):
        for source in range(base, (base if T.mask == "causal" else up_to) + 1):
            yield Lengths(base, source)


def draw(T: Transformer, up_to: int, seed: int) -> Drawn:
    """Draw pairs of all lengths for each part, with the answers of the program."""
    rng = np.random.default_rng([seed, 0])
    inputs = {length: inputs_of_length(T, length, rng) for length in range(1, up_to + 1)}
    margin = CLEAR * min(found.margin for found in inputs.values())
    learnt, measured = dict[tuple[Lengths, Node], Pairs](), dict[tuple[Lengths, Node], Pairs]()
    for lengths in lengths_of(T, up_to):
        share = 1 if T.mask == "causal" else 1 + up_to - lengths.base
        for node in parts_of(T):
            learnt[lengths, node] = _pairs(inputs, lengths, node, LEARNT // share, margin, rng)
            measured[lengths, node] = _pairs(inputs, lengths, node, MEASURED // share, margin, rng)
    effective = {node for table in (learnt, measured) for (_, node), pairs in table.items() if len(pairs.changed)}
    parts = tuple(node for node in parts_of(T) if node in effective)
    return Drawn(T, inputs, learnt, measured, parts, tuple(node for node in parts_of(T) if node not in effective))


def _pairs(
    inputs: Mapping[int, Inputs], lengths: Lengths, node: Node, count: int, margin: float, rng: np.random.Generator
) -> Pairs:
    """Return all pairs of a base and a source if they are few, and otherwise some of them."""
    base, other = (inputs[length] for length in lengths)
    n, m = len(base.ids), len(other.ids)
    if n * m <= count:
        bases, sources = (axis.ravel() for axis in np.indices((n, m)))
    else:
        bases, sources = rng.integers(n, size=count), rng.integers(m, size=count)
    answers = base.interchanged(node, bases, other, sources, margin)
    differs = (answers != base.answers[bases]) & (answers >= 0)
    return Pairs(bases, sources, answers, np.flatnonzero(differs.any(axis=1)))
