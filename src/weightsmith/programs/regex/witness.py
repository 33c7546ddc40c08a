"""Why a language is not star-free: a word that permutes states, so that the number of its repetitions matters."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from weightsmith.automata import Input, written
from weightsmith.automata.inputs import input_text
from weightsmith.errors import InputError, cut, shown
from weightsmith.programs.regex.images import Images, Word

MOST_WORDS = 2_000  # that are tried, the shortest first, before a word is put together
Map: TypeAlias = tuple[int, ...]  # where a word leads from each state


@dataclass(frozen=True)
class Witness:
    """`before`, then n times `word`, then `after` belongs to the language iff `belongs[n % modulus]`, for n ≥ 1."""

    before: Input
    word: Input
    after: Input
    belongs: tuple[bool, ...]

    @property
    def modulus(self) -> int:
        """The number by which n must be divided."""
        return len(self.belongs)

    def __str__(self) -> str:
        """Say on what membership depends."""
        text = [f"n times {_shown(self.word)}"]
        text = [_shown(self.before), *text] if self.before else text
        text = [*text, _shown(self.after)] if self.after else text
        return f"whether {', then '.join(text)} belongs to it depends on n modulo {self.modulus}"


class NotStarFreeError(InputError):
    """A language is not star-free: `witness` shows it."""

    witness: Witness

    @classmethod
    def of(cls, witness: Witness, instead: str) -> "NotStarFreeError":
        """Return the error with its witness."""
        error = cls(
            f"the language is not star-free: {witness}, and heads without positions cannot count modulo "
            f"{witness.modulus} at every length; {instead}"
        )
        error.witness = witness
        return error


def witness_of(images: Images) -> Witness | None:
    """Return why a language is not star-free; None if it is."""
    permuting = _permuting(images)
    if permuting is None:
        return None
    steps = images.steps
    short = _shortest(steps)
    return _about(images, permuting if short is None else short)


def _permuting(images: Images) -> Word | None:
    """Return a word that permutes the states of an image set, not all in place."""
    for one, some, letter, there in images.inner_edges():
        twist = images.twist(one, some, letter, there)
        if any(here != after for here, after in twist.items()):
            back = _path(images, there, one.representative)
            for word in ((*one.words[some], letter, *back), (*one.words[there], *back)):
                if any(_after(images.steps, q, word) != q for q in one.carries[one.representative]):
                    return word
    return None


def _path(images: Images, here: int, there: int) -> Word:
    """Return the shortest word from one image set to another of its class."""
    words: dict[int, Word] = {here: ()}
    waiting = deque([here])
    while there not in words:
        some = waiting.popleft()
        for letter, after in enumerate(images.following[some]):
            if after not in words and after in images.class_of[here].words:
                words[after] = (*words[some], letter)
                waiting.append(after)
    return words[there]


def _shortest(steps: Sequence[Sequence[int]]) -> Word | None:
    """Return the first of the shortest words that permute some states; None if it is too far."""
    identity: Map = tuple(range(len(steps[0])))
    seen, waiting = {identity}, deque[tuple[Map, Word]]([(identity, ())])
    while waiting and len(seen) < MOST_WORDS:
        here, word = waiting.popleft()
        for letter, step in enumerate(steps):
            there = tuple(step[q] for q in here)
            if there not in seen:
                seen.add(there)
                if any(True for _ in _cycles(there)):
                    return (*word, letter)
                waiting.append((there, (*word, letter)))
    return None


def _cycles(there: Map) -> Iterator[list[int]]:
    """Yield the cycles of several states."""
    done = set[int]()
    for start in range(len(there)):
        path, here = list[int](), start
        while here not in done:
            done.add(here)
            path.append(here)
            here = there[here]
        if here in path:
            cycle = path[path.index(here) :]
            if len(cycle) > 1:
                yield cycle


def _after(steps: Sequence[Sequence[int]], state: int, word: Word) -> int:
    for letter in word:
        state = steps[letter][state]
    return state


def _about(images: Images, word: Word) -> Witness:
    """Return the witness of a word that permutes states: by the nearest state on a cycle."""
    automaton, steps = images.automaton, images.steps
    there = tuple(_after(steps, q, word) for q in range(len(automaton.table)))
    cycle_of = {q: cycle for cycle in _cycles(there) for q in cycle}
    before, state = _nearest(steps, automaton.start, set(cycle_of))
    cycle = cycle_of[state]
    at = cycle.index(state)
    cycle = cycle[at:] + cycle[:at]
    after = _distinguishing(steps, automaton.accepting.tolist(), cycle[0], cycle[1])
    belongs = [bool(automaton.accepting[_after(steps, q, after)]) for q in cycle]
    period = next(
        k for k in range(1, len(cycle) + 1) if len(cycle) % k == 0 and belongs == belongs[:k] * (len(cycle) // k)
    )
    before_, word_, after_ = (written(automaton.vocabulary, part) for part in (before, word, after))
    return Witness(before_, word_, after_, tuple(belongs[:period]))


def _nearest(steps: Sequence[Sequence[int]], start: int, wanted: set[int]) -> tuple[Word, int]:
    words: dict[int, Word] = {start: ()}
    for state in (order := [start]):  # grows inside the loop
        if state in wanted:
            return words[state], state
        for letter, step in enumerate(steps):
            if step[state] not in words:
                words[step[state]] = (*words[state], letter)
                order.append(step[state])
    raise AssertionError("every state can be reached")


def _distinguishing(steps: Sequence[Sequence[int]], accepting: Sequence[bool], one: int, other: int) -> Word:
    """Return the shortest word after which just one of two states accepts."""
    words: dict[tuple[int, int], Word] = {(one, other): ()}
    for pair in (order := [(one, other)]):  # grows inside the loop
        if accepting[pair[0]] != accepting[pair[1]]:
            return words[pair]
        for letter, step in enumerate(steps):
            following = (step[pair[0]], step[pair[1]])
            if following not in words:
                words[following] = (*words[pair], letter)
                order.append(following)
    raise AssertionError("the automaton is the smallest")


def _shown(word: Input) -> str:
    return shown(cut(input_text(word), 60))
