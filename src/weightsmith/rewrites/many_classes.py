"""The ∞ form for more than two classes: one lane for each class, ∞ for the decision and 0 or −∞ for all others.

For every two classes i < j a lane takes ∞ where the logit of j is greater, else 0. Class i is the decision exactly if
none of the later classes has a greater logit, and each of the earlier ones has a smaller one: on a tie the first wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.model import Block, Neuron, Transformer, feed_forward
from weightsmith.rewrites.lanes import fresh
from weightsmith.rewrites.possible_values import ZERO, possible_values

MAX_CLASSES = 64  # there is a pair of lanes for every two classes


@dataclass(frozen=True)
class DecidingLanes:
    """The lanes that turn logits into a loud decision, by their names."""

    answers: Sequence[str]
    logits: Sequence[str]
    greater: Sequence[str]  # for each pair of classes i < j: ∞ where the logit of j is greater
    not_greater: Sequence[str]  # for the same pairs: ∞ where it is not

    @classmethod
    def of(cls, T: Transformer) -> "DecidingLanes":
        """Choose names that a transformer does not have yet."""
        pairs = list(combinations(range(len(T.classes)), 2))
        return cls(
            [fresh(T, name) for name in T.classes],
            [fresh(T, f"{name} logit") for name in T.classes],
            [fresh(T, f"class {j} above {i}") for i, j in pairs],
            [fresh(T, f"class {j} not above {i}") for i, j in pairs],
        )

    @property
    def in_front(self) -> list[str]:
        """The lanes that stand before the logits."""
        return [*self.answers, *self.greater, *self.not_greater]


def deciding_blocks(
    A: Arithmetic, lanes: Sequence[str], used: DecidingLanes, growing: int, signed: bool, origin: str
) -> list[Block]:
    """Return the blocks that write the decision and clear everything else, given the logits in their lanes.

    `growing` blocks take every positive number to ∞. The last block is for both signs.
    """
    pairs, infinity = list(combinations(range(len(used.answers)), 2)), A.infinity
    compare = [
        Neuron({used.logits[i]: -1.0, used.logits[j]: 1.0}, {to: infinity})
        for (i, j), to in zip(pairs, used.greater, strict=True)
    ]
    clear = [neuron for lane in used.logits for neuron in Neuron.pair(lane, {lane: -1.0})]
    grow = [Neuron({lane: 1.0}, {lane: infinity}) for lane in used.greater]
    negate = [
        Neuron({lane: -1.0}, {to: 1.0}, bias=infinity) for lane, to in zip(used.greater, used.not_greater, strict=True)
    ]
    against: list[list[str]] = [[] for _ in used.answers]  # lanes that are 0 if the class is the decision
    for (i, j), greater, smaller in zip(pairs, used.greater, used.not_greater, strict=True):
        against[i].append(greater)
        against[j].append(smaller)
    decide = [
        Neuron(dict.fromkeys(others, -1.0), {answer: 1.0}, bias=infinity)
        for answer, others in zip(used.answers, against, strict=True)
    ]
    forget = [Neuron({lane: 1.0}, {lane: -1.0}) for lane in (*used.greater, *used.not_greater)]
    steps = [("which logits are greater", [*compare, *clear]), *[("times ∞ again", grow)] * (growing - 1)]
    steps += [("which are not", negate), ("the first of the largest", [*decide, *forget])]
    blocks = [Block(feed_forward=feed_forward(lanes, layer), origin=f"{origin}: {name}") for name, layer in steps]
    if signed:
        both = [Neuron({lane: 1.0}, {lane: 1.0}) for lane in used.answers]
        layer = feed_forward(lanes, both, adds=dict.fromkeys(used.answers, -infinity))
        blocks.append(Block(feed_forward=layer, origin=f"{origin}: both signs"))
    return blocks


def is_decided_loudly(T: Transformer, growing: int) -> bool:
    """Return whether the last blocks are `deciding_blocks` after a stream that holds logits and nothing else."""
    k, A = len(T.classes), T.arithmetic
    pairs = k * (k - 1) // 2
    size = k + 2 * pairs + k
    if len(T.lanes) < size or not np.array_equal(T.output, np.eye(k, len(T.lanes))):
        return False
    names = list(T.lanes)
    used = DecidingLanes(names[:k], names[k + 2 * pairs : size], names[k : k + pairs], names[k + pairs : k + 2 * pairs])
    wanted = deciding_blocks(A, T.lanes, used, growing, False, "")
    count = len(wanted)
    if len(T.blocks) < count or [_weights(block) for block in T.blocks[-count:]] != [_weights(each) for each in wanted]:
        return False
    before = possible_values(replace(T, blocks=T.blocks[:-count]))
    alone = [lane for lane in T.lanes if lane not in used.logits and lane not in T.flags]
    silent = all(before[T.lanes.index(lane)] == ZERO for lane in alone)
    return silent and not set(T.flags) & {*used.in_front, *used.logits}


def _weights(block: Block) -> Block:
    """Return a block without its history."""
    return replace(block, origin="")
