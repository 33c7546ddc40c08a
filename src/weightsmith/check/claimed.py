"""Which inputs of a plan a claim is about: how many, and under which stems. An automaton tells without running any."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.check.automaton import Automaton
from weightsmith.check.frame import Frame
from weightsmith.check.inputs import Truths
from weightsmith.check.languages import Regular
from weightsmith.check.plan import Plan, Shard, rank, tokens
from weightsmith.errors import InputError

MOST_BYTES = 1 << 28  # of the numbers of inputs by length and state


class Claimed:
    """The numbers of inputs that a frame leaves of a plan; where nobody can count them, of those to be asked about."""

    def __init__(self, frame: Frame, plan: Plan) -> None:
        """Get ready to count."""
        self.frame, self.plan = frame, plan
        self.inputs = plan.inputs if frame.plain else self._begun((), 1, plan.up_to)

    def of(self, shard: Shard) -> int:
        """Return how many there are in a shard."""
        if self.frame.plain:
            return self.plan.inputs_of(shard)
        tier = self.plan.tiers[shard.tier]
        return self._begun(_beginning(self.plan, shard), tier.shortest, tier.longest)

    def up_to(self, ids: Sequence[int]) -> int:
        """Return how many there are up to an input, itself included: shorter ones, then those before it in order."""
        if self.frame.plain:
            return self.plan.up_to_length(len(ids) - 1) + rank(ids, self.plan.vocabulary) + 1
        automaton, ways = self._tables()
        total, state = self._begun((), 1, len(ids) - 1), automaton.start
        for left, token in zip(range(len(ids) - 1, -1, -1), ids, strict=True):
            *earlier, state = automaton.table[state, : token + 1].tolist()
            total += sum(int(ways[left][there]) for there in earlier)
        return total + 1

    def _begun(self, start: Sequence[int], shortest: int, longest: int) -> int:
        """Return how many inputs there are with a beginning and lengths in a range."""
        automaton, ways = self._tables()
        state = _walked(automaton, start)
        return sum(int(ways[n - len(start)][state]) for n in self.frame.lengths(shortest, longest))

    def _tables(self) -> tuple[Automaton, list[npt.NDArray[Any]]]:
        symbols, up_to = self.plan.vocabulary, self.plan.up_to
        return _automaton(self.frame, symbols), _ways(self.frame, symbols, up_to)


def claimed_stems(frame: Frame, plan: Plan, shard: Shard) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Return the stems of a shard that begin an input of a frame, each with its number in the shard, in order."""
    if frame.plain:
        yield from enumerate(plan.stems_of(shard))
        return
    tier, automaton, ends = (
        plan.tiers[shard.tier],
        _automaton(frame, plan.vocabulary),
        _ends(frame, plan.vocabulary, plan.up_to),
    )
    lengths = frame.lengths(tier.shortest, tier.longest)
    start = _beginning(plan, shard)
    waiting = [(start, 0, _walked(automaton, start))]
    while waiting:
        begun, number, state = waiting.pop()
        if not any(ends[n - len(begun)][state] for n in lengths):
            continue
        if len(begun) == tier.stem:
            yield number, begun
            continue
        following = enumerate(automaton.table[state].tolist())
        more = [((*begun, token), number * plan.vocabulary + token, there) for token, there in following]
        waiting += reversed(more)


def _beginning(plan: Plan, shard: Shard) -> tuple[int, ...]:
    """Return what all stems of a shard begin with."""
    apart = 0
    while plan.vocabulary**apart < plan.tiers[shard.tier].shards:
        apart += 1
    return tokens(shard.index, apart, plan.vocabulary)


def _walked(automaton: Automaton, ids: Sequence[int]) -> int:
    state = automaton.start
    for token in ids:
        state = int(automaton.table[state, token])
    return state


def _automaton(frame: Frame, symbols: int) -> Automaton:
    """Return that of the language, or one that accepts everything."""
    return frame.within.automaton if isinstance(frame.within, Regular) else _everything(symbols)


@lru_cache(maxsize=4)
def _everything(symbols: int) -> Automaton:
    return Automaton(np.zeros((1, symbols), np.int32), np.ones(1, np.bool_))


@lru_cache(maxsize=4)  # two frames are the same if they are one object, so this is looked up quickly
def _ways(frame: Frame, symbols: int, up_to: int) -> list[npt.NDArray[Any]]:
    """Return for 0, 1, 2 … tokens more, for each state, how many continuations are accepted."""
    automaton = _automaton(frame, symbols)
    states = len(automaton.table)
    if states * up_to**2 * symbols.bit_length() / 16 > MOST_BYTES:
        raise InputError(
            f"within has {states} states: its inputs up to {up_to} cannot be counted; check shorter inputs, or give "
            "a function of an input"
        )
    ways = [automaton.accepting.astype(object) + 0]
    for _ in range(up_to):
        ways.append(ways[-1][automaton.table].sum(axis=1))
    return ways


@lru_cache(maxsize=4)
def _ends(frame: Frame, symbols: int, up_to: int) -> list[Truths]:
    """Return for 0, 1, 2 … tokens more, for each state, whether any continuation is accepted."""
    automaton = _automaton(frame, symbols)
    ends = [automaton.accepting]
    for _ in range(up_to):
        ends.append(np.any(ends[-1][automaton.table], axis=1))
    return ends
