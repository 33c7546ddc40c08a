"""The inputs that a claim is about, the suffix after each of them, and how many there are, counted by an automaton."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.automata import Automaton, Inputs, Language, Truths, language
from weightsmith.check.models import Model, check_input_length, check_shortest
from weightsmith.check.plan import Plan, Shard, inputs_between, rank, tokens
from weightsmith.errors import InputError, ModelError, brief, listed, shown, whole_number
from weightsmith.model import Chain, Transformer

COUNTS_BYTES = 1 << 28  # for the numbers of inputs by length and state


@dataclass(frozen=True, eq=False)
class Frame:
    """Restricts inputs to one length or to a language, and adds a suffix to each; by default neither."""

    suffix: tuple[str, ...] = ()  # read after each input by the models that know it; no part of the input
    length: int | None = None
    within: Language | None = None

    @property
    def plain(self) -> bool:
        """Whether the claim is about all inputs, without a suffix."""
        return not self.suffix and self.length is None and self.within is None

    @property
    def countable(self) -> bool:
        """Whether its inputs can be counted without enumerating them."""
        return self.within is None or self.within.automaton is not None

    def vocabulary(self, T: Model) -> tuple[str, ...]:
        """Return the tokens of inputs, in the order of a model."""
        return tuple(token for token in T.vocabulary if token not in self.suffix)

    def after(self, T: Model) -> tuple[str, ...]:
        """Return the suffix that a model reads after each input."""
        return self.suffix if set(self.suffix) <= set(T.vocabulary) else ()

    def check_lengths(self, models: Sequence[Model], longest: int) -> None:
        """Refuse inputs that are longer than a position table, with their suffix."""
        for T in models:
            check_input_length(T, longest + len(self.after(T)))
            check_shortest(T, self.length)

    def lengths(self, shortest: int, longest: int) -> range:
        """Return the lengths of inputs in a range."""
        if self.length is None:
            return range(shortest, longest + 1)
        return range(max(shortest, self.length), min(longest, self.length) + 1)

    def restricted(self, inputs: Inputs) -> Inputs:
        """Return the inputs that belong to the language."""
        return inputs if self.within is None else inputs.only(self.within.expected(inputs))

    def described(self) -> dict[str, Any]:
        """Return the entries of certificates and ledgers for it."""
        within = None if self.within is None else self.within.described()
        said = {"suffix": list(self.suffix), "length": self.length, "within": within}
        return {name: value for name, value in said.items() if value}

    def reach(self, up_to: int) -> str:
        """Return the entry `verdict` of a certificate for a claim that holds."""
        return f"exhaustive up to {up_to}" if self.length is None else f"exhaustive at length {self.length}"

    def __str__(self) -> str:
        """Return the end of the name of a claim: ", inputs of length 4"."""
        words = [f"each input followed by {' '.join(map(shown, self.suffix))}"] if self.suffix else []
        words += [f"inputs of length {self.length}"] if self.length is not None else []
        words += [f"inputs {self.within}"] if self.within is not None else []
        return "".join(f", {part}" for part in words)


EVERY_INPUT = Frame()


def make_frame(models: Sequence[Model], suffix: Sequence[str], length: int | None, within: object) -> Frame:
    """Return the frame of a claim about these models, or raise."""
    for which, T in zip(("first", "second"), models, strict=False):
        checked_model(T, which)
    if length is not None:
        length = whole_number(length, "length", 1, meaning="the length of the inputs, 1 or more")
    frame = Frame(_suffix(suffix, models), length)
    vocabulary = frame.vocabulary(models[0])
    if not vocabulary:
        raise InputError(
            f"the vocabulary {listed(models[0].vocabulary)} has no token besides the suffix: no input is left"
        )
    return frame if within is None else Frame(frame.suffix, frame.length, language(within, vocabulary))


def checked_model(T: object, which: str) -> Model:
    """Return a transformer or a chain, or raise."""
    if not isinstance(T, Transformer | Chain):
        raise ModelError(f"the {which} argument, {brief(T)}, is not a transformer: write load('model.safetensors')")
    return T


def _suffix(given: object, models: Sequence[Model]) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(token, str) for token in given):
        raise InputError(f"suffix={brief(given)}: write the tokens that follow each input, such as suffix=('END',)")
    suffix = tuple(given)
    if suffix and any(isinstance(T, Chain) for T in models):
        raise InputError(f"suffix={brief(given)}: a chain has a prompt of its own after each input; leave out suffix")
    for T in models:
        missing = [token for token in suffix if token not in T.vocabulary]
        if missing and len(missing) < len(suffix):
            raise InputError(
                f"a transformer has the vocabulary {listed(T.vocabulary)}, and of the suffix {listed(suffix)} "
                f"it lacks {listed(missing)}: it must have all of it, or nothing"
            )
    if suffix and not any(suffix[0] in T.vocabulary for T in models):
        raise InputError(
            f"no transformer has the suffix {listed(suffix)}: write tokens of {listed(models[0].vocabulary)}"
        )
    return suffix


class InputCounter:
    """Counts the plan's inputs that satisfy the frame; without an automaton for `within`, the candidates."""

    def __init__(self, frame: Frame, plan: Plan) -> None:
        """Count all inputs of a plan."""
        self.frame, self.plan = frame, plan
        self.inputs = plan.inputs if frame.plain else self._with_prefix((), 1, plan.up_to)

    def in_shard(self, shard: Shard, longest: int | None = None) -> int:
        """Return the number of inputs in a shard, or of those up to a length."""
        tier = self.plan.tiers[shard.tier]
        end = tier.longest if longest is None else longest
        if self.frame.plain:
            return inputs_between(self.plan.vocabulary, tier.shortest - tier.apart, end - tier.apart)
        return self._with_prefix(self.plan.beginning(shard), tier.shortest, end)

    def up_to(self, ids: Sequence[int]) -> int:
        """Return the number of an input in order: shorter ones come first, then those before it in vocabulary order."""
        if self.frame.plain:
            return self.plan.up_to_length(len(ids) - 1) + rank(ids, self.plan.vocabulary) + 1
        automaton, ways = self._tables()
        total, state = self._with_prefix((), 1, len(ids) - 1), automaton.start
        for left, token in zip(range(len(ids) - 1, -1, -1), ids, strict=True):
            *earlier, state = automaton.table[state, : token + 1].tolist()
            total += sum(int(ways[left][there]) for there in earlier)
        return total + 1

    def length_of(self, inputs: int) -> int:
        """Return the greatest length up to which there are at most `inputs` inputs."""
        total = 0
        for length in range(1, self.plan.up_to + 1):
            total += self._with_prefix((), length, length)
            if total > inputs:
                return length - 1
        return self.plan.up_to

    def _with_prefix(self, start: Sequence[int], shortest: int, longest: int) -> int:
        """Return the number of inputs with a prefix and lengths in a range."""
        automaton, ways = self._tables()
        state = _walked(automaton, start)
        return sum(int(ways[n - len(start)][state]) for n in self.frame.lengths(shortest, longest))

    def _tables(self) -> tuple[Automaton, list[npt.NDArray[Any]]]:
        symbols, up_to = self.plan.vocabulary, self.plan.up_to
        return _automaton(self.frame, symbols), _ways(self.frame, symbols, up_to)


def prefixes(
    frame: Frame, plan: Plan, shard: Shard, size: int, lengths: range
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Return the prefixes of a size of the shard's inputs with these lengths, in vocabulary order.

    Each comes with its number among all such prefixes in the shard.
    """
    start = plan.beginning(shard)
    if frame.plain:
        more = size - len(start)
        yield from ((n, start + tokens(n, more, plan.vocabulary)) for n in range(plan.vocabulary**more))
        return
    automaton, ends = _automaton(frame, plan.vocabulary), _ends(frame, plan.vocabulary, plan.up_to)
    waiting = [(start, 0, _walked(automaton, start))]
    while waiting:
        begun, number, state = waiting.pop()
        if not any(ends[n - len(begun)][state] for n in lengths):
            continue
        if len(begun) == size:
            yield number, begun
            continue
        following = enumerate(automaton.table[state].tolist())
        continued = [((*begun, token), number * plan.vocabulary + token, there) for token, there in following]
        waiting += reversed(continued)


def _walked(automaton: Automaton, ids: Sequence[int]) -> int:
    state = automaton.start
    for token in ids:
        state = int(automaton.table[state, token])
    return state


def _automaton(frame: Frame, symbols: int) -> Automaton:
    """Return the automaton of the language, or one that accepts everything."""
    decided = None if frame.within is None else frame.within.automaton
    return _everything(symbols) if decided is None else decided


@lru_cache(maxsize=4)
def _everything(symbols: int) -> Automaton:
    return Automaton(np.zeros((1, symbols), np.int32), np.ones(1, np.bool_))


@lru_cache(maxsize=4)  # frames are compared by identity
def _ways(frame: Frame, symbols: int, up_to: int) -> list[npt.NDArray[Any]]:
    """Return for n = 0, 1, 2 … and each state the number of accepted continuations of n tokens."""
    automaton = _automaton(frame, symbols)
    states = len(automaton.table)
    if states * up_to**2 * symbols.bit_length() / 16 > COUNTS_BYTES:
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
    """Return for n = 0, 1, 2 … and each state whether some continuation of n tokens is accepted."""
    automaton = _automaton(frame, symbols)
    ends = [automaton.accepting]
    for _ in range(up_to):
        ends.append(np.any(ends[-1][automaton.table], axis=1))
    return ends
