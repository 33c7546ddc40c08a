"""The automaton of a transformer, as a value: a smallest Moore machine that says the decision after each input."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from weightsmith.automata.automaton import Automaton, first_path, pairs_of
from weightsmith.automata.inputs import Input
from weightsmith.errors import InputError, brief, listed, named
from weightsmith.model import Value, separator, value_text

SILENT = -1  # in place of an answer: there is none


@dataclass(frozen=True, eq=False)
class DecisionAutomaton(Automaton):
    """The smallest machine over a vocabulary that says the decision of a transformer after each non-empty input.

    `outputs[state]` is the place of the decision among `answers`, or −1 where there is none: after inputs that are
    longer than a position table, and at the start, if nothing leads back there. Two are equal if they decide alike,
    in whatever order their answers stand, and have the same `yes`. What it accepts is what it says `yes` to.
    """

    outputs: npt.NDArray[np.int64] = field(kw_only=True)  # (states)
    answers: Sequence[Value] = field(kw_only=True)
    yes: Value = field(kw_only=True)
    max_length: int | None = field(default=None, kw_only=True)  # the longest input that it is about

    def __post_init__(self) -> None:
        """Freeze the outputs too."""
        super().__post_init__()
        outputs = np.asarray(self.outputs, np.int64)
        self._set("outputs", np.ndarray(outputs.shape, outputs.dtype, outputs.tobytes()))
        self._set("answers", tuple(self.answers))

    @property
    def scope(self) -> str:
        """Which inputs it is about: "all lengths", or "up to 64"."""
        return "all lengths" if self.max_length is None else f"up to {self.max_length}"

    def labels(self) -> Sequence[object]:
        """Return the decision in each state, or ... where there is none."""
        return [... if place == SILENT else self.answers[place] for place in self.outputs.tolist()]

    def about(self) -> tuple[object, ...]:
        """Return what must be equal before it is worth asking whether two decide alike."""
        return *super().about(), self.yes, self.max_length

    def accepts(self, ids: Sequence[int]) -> bool:
        """Say whether the decision is `yes` for the tokens at these places of the vocabulary."""
        if isinstance(ids, Sequence | np.ndarray):
            self._check_length(len(ids))
        return super().accepts(ids)

    def decide(self, tokens: str | Sequence[str]) -> Value:
        """Return the decision for an input: a list of tokens, or a text."""
        given = _tokens(tokens, self.vocabulary)
        self._check_length(len(given))
        places = {token: place for place, token in enumerate(self.vocabulary)}
        state = self.start
        for place, token in enumerate(given):
            if token not in places:
                raise InputError(
                    f"token {place} of the input, {named(token)}, is not in the vocabulary: "
                    f"write {listed(self.vocabulary)}"
                )
            state = int(self.table[state, places[token]])
        return self.answers[int(self.outputs[state])]

    def _check_length(self, length: int) -> None:
        if length == 0:
            raise InputError(f"the empty input has no decision: write at least one of {listed(self.vocabulary)}")
        if self.max_length is not None and length > self.max_length:
            raise InputError(f"the input has {length} tokens, and the transformer reads up to {self.max_length}")

    def difference(self, other: Automaton) -> Input | None:
        """Return the shortest input, the smallest in vocabulary order, that two decide differently; None for none.

        Beside an automaton that only accepts, what counts is whether the decision is `yes`. Inputs that are too long
        for one of them do not count.
        """
        pairs, table = pairs_of(self, other)
        found = first_path(table, self._differs(other, pairs))
        return None if found is None else self._written(found, other)

    def _differs(self, other: Automaton, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        mine = self.outputs[pairs[:, 0]]
        if not isinstance(other, DecisionAutomaton):
            differs: npt.NDArray[np.bool_] = super()._differs(other, pairs) & (mine != SILENT)
            return differs
        place = {value: n for n, value in enumerate(self.answers)}
        code = np.array([place.get(value, len(place) + n) for n, value in enumerate(other.answers)])
        theirs = other.outputs[pairs[:, 1]]
        both: npt.NDArray[np.bool_] = (mine != SILENT) & (theirs != SILENT) & (mine != code[theirs])
        return both

    def outcome(self, state: int) -> str:
        """Return the decision in a state as a text."""
        output = int(self.outputs[state])
        if output == SILENT:
            return "–"
        answer = self.answers[output]
        return answer if isinstance(answer, str) else value_text(answer)


def _tokens(tokens: object, vocabulary: Sequence[str]) -> Sequence[str]:
    if isinstance(tokens, str):
        return tokens.split() if separator(vocabulary) else tuple(tokens)
    if not isinstance(tokens, list | tuple):
        raise InputError(f"tokens must be a text or a list of texts, and they are {brief(tokens)}")
    return tokens


def decision_automaton(
    table: npt.NDArray[np.int32],
    outputs: npt.NDArray[np.int64],
    vocabulary: Sequence[str],
    answers: Sequence[Value],
    yes: Value,
    max_length: int | None,
) -> DecisionAutomaton:
    """Return the smallest machine, from one that is smallest but for its start, state 0, to which nothing leads.

    What the start says is free. So it is merged with a state from which every token leads to the same: with that which
    says the first answer, if there are several. States are numbered in the order in which inputs lead to them. From
    that state the same inputs lead to the same states: the order is the same, but for the new start.
    """
    outputs = outputs.copy()
    outputs[0] = SILENT
    alike = np.flatnonzero((table[1:] == table[0]).all(axis=1)) + 1
    if len(alike):
        start = int(alike[np.argsort(outputs[alike], kind="stable")[0]])
        order = np.concatenate([[start], np.delete(np.arange(1, len(table)), start - 1)])
        number = np.empty(len(table), np.int32)
        number[order] = np.arange(len(order))
        table, outputs = number[table[order]], outputs[order]
    accepting = outputs == (list(answers).index(yes) if yes in answers else SILENT - 1)
    return DecisionAutomaton(
        table.astype(np.int32), accepting, 0, tuple(vocabulary),
        outputs=outputs, answers=answers, yes=yes, max_length=max_length,
    )  # fmt: skip
