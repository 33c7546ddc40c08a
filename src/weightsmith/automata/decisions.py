"""The automaton of a transformer: a minimal Moore machine with the decision after each input."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from weightsmith.automata.automaton import Automaton
from weightsmith.errors import InputError, brief, listed, named
from weightsmith.model import Value, separator, value_text

NO_ANSWER = -1


@dataclass(frozen=True, eq=False)
class DecisionAutomaton(Automaton):
    """The smallest machine over a vocabulary with the decision of a transformer after each non-empty input.

    `outputs[state]` is the index of the decision in `answers`, or −1 for none: after inputs longer than a position
    table, and at a start that no token leads to. Two are equal if they have the same decisions, in any order of
    answers, and the same `yes`. It accepts the inputs with the decision `yes`.
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
        return [... if output == NO_ANSWER else self.answers[output] for output in self.outputs.tolist()]

    def about(self) -> tuple[object, ...]:
        """Return the properties that equal automata have in common."""
        return *super().about(), self.yes, self.max_length

    def accepts(self, ids: Sequence[int]) -> bool:
        """Return whether the decision is `yes` for an input of token ids."""
        if isinstance(ids, Sequence | np.ndarray):
            self._check_length(len(ids))
        return super().accepts(ids)

    def decide(self, tokens: str | Sequence[str]) -> Value:
        """Return the decision for an input: a list of tokens, or a text."""
        given = _tokens(tokens, self.vocabulary)
        self._check_length(len(given))
        ids = {token: i for i, token in enumerate(self.vocabulary)}
        state = self.start
        for i, token in enumerate(given):
            if token not in ids:
                raise InputError(
                    f"token {i} of the input, {named(token)}, is not in the vocabulary: write {listed(self.vocabulary)}"
                )
            state = int(self.table[state, ids[token]])
        return self.answers[int(self.outputs[state])]

    def _check_length(self, length: int) -> None:
        if length == 0:
            raise InputError(f"the empty input has no decision: write at least one of {listed(self.vocabulary)}")
        if self.max_length is not None and length > self.max_length:
            raise InputError(f"the input has {length} tokens, and the transformer reads up to {self.max_length}")

    def _differs(self, other: Automaton, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        mine = self.outputs[pairs[:, 0]]
        if not isinstance(other, DecisionAutomaton):
            differs: npt.NDArray[np.bool_] = super()._differs(other, pairs) & (mine != NO_ANSWER)
            return differs
        ids = {answer: n for n, answer in enumerate(self.answers)}
        code = np.array([ids.get(answer, len(ids) + n) for n, answer in enumerate(other.answers)])
        theirs = other.outputs[pairs[:, 1]]
        both: npt.NDArray[np.bool_] = (mine != NO_ANSWER) & (theirs != NO_ANSWER) & (mine != code[theirs])
        return both

    def outcome(self, state: int) -> str:
        """Return the decision in a state as a text."""
        output = int(self.outputs[state])
        if output == NO_ANSWER:
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
    """Return the smallest machine, from one that is minimal except for its start, state 0, to which no token leads.

    The start has no label, so it is merged with a state that has the same row in the table; of several, with that of
    the first answer. The breadth-first order of the other states stays the same.
    """
    outputs = outputs.copy()
    outputs[0] = NO_ANSWER
    alike = np.flatnonzero((table[1:] == table[0]).all(axis=1)) + 1
    if len(alike):
        start = int(alike[np.argsort(outputs[alike], kind="stable")[0]])
        order = np.concatenate([[start], np.delete(np.arange(1, len(table)), start - 1)])
        number = np.empty(len(table), np.int32)
        number[order] = np.arange(len(order))
        table, outputs = number[table[order]], outputs[order]
    accepting = outputs == (list(answers).index(yes) if yes in answers else NO_ANSWER - 1)
    return DecisionAutomaton(
        table.astype(np.int32), accepting, 0, tuple(vocabulary),
        outputs=outputs, answers=answers, yes=yes, max_length=max_length,
    )  # fmt: skip
