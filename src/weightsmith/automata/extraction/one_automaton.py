"""One automaton for a transformer, or for a chain over its inputs."""

from collections.abc import Sequence

import numpy as np

from weightsmith.automata.decisions import DecisionAutomaton, decision_automaton
from weightsmith.automata.extraction.budget import DEFAULT_MEMORY, DEFAULT_SECONDS, DEFAULT_STATES, Budget
from weightsmith.automata.extraction.chains import NOT_ENDED, check_chain, over_inputs, whole_machine
from weightsmith.automata.extraction.moore import Moore, pair
from weightsmith.automata.extraction.whole import Decisions, extract, one_machine
from weightsmith.model import Chain, Transformer, Value, token_ids
from weightsmith.model.transformer import checked as checked_transformer

AUTOMATON_BYTES = 4 * 4  # of each entry of a table while an automaton is made of it


def automaton(
    T: Transformer | Chain,
    *,
    yes: Value = "YES",
    seconds: float = DEFAULT_SECONDS,
    states: int = DEFAULT_STATES,
    memory: int = DEFAULT_MEMORY,
) -> DecisionAutomaton:
    """Return the automaton of a transformer or a chain: the smallest one with its decision after every input.

    It is about inputs of any length; with a position table, about those that fit. Of a chain it reads the inputs, and
    says what the chain answers after each, or that it does not end. It accepts the inputs whose decision is `yes`. If
    `seconds`, `states` of a machine or `memory`, in bytes, are not enough, the error names the step that was reached.

    >>> from weightsmith import library
    >>> automaton(library.ends_with("01")).regex()
    '.*01'
    """
    if isinstance(T, Chain):
        C = T
        check_chain(C)
        return Budget(seconds, states, memory).search(lambda budget: _of_chain(C, yes, budget))
    checked_transformer(T)
    return Budget(seconds, states, memory).search(lambda budget: joined(extract(T, budget), yes, budget))


def joined(decisions: Decisions, yes: Value, budget: Budget) -> DecisionAutomaton:
    """Return one automaton for a union."""
    T = decisions.transformer
    whole = one_machine(decisions.machines, len(T.answers), budget)
    return _automaton(whole, T.vocabulary, T.answers, yes, decisions.max_length, budget)


def _of_chain(C: Chain, yes: Value, budget: Budget) -> DecisionAutomaton:
    """Return the automaton of a chain."""
    whole = whole_machine(C, extract(C.transformer, budget), budget)
    machine = over_inputs(C, whole, token_ids(C.transformer, C.vocabulary), budget)
    ends = not (machine.labels > len(C.letters)).any()
    answers = C.letters if ends else (*C.letters, NOT_ENDED)
    return _automaton(machine, C.vocabulary, answers, yes, C.max_length, budget)


def _automaton(
    whole: Moore, vocabulary: Sequence[str], answers: Sequence[Value], yes: Value, length: int | None, budget: Budget
) -> DecisionAutomaton:
    """Return the automaton of a machine, without an answer to inputs that are too long."""
    if length is not None:
        budget.room(16 * length * len(vocabulary), "a state for each position")
        clock = _clock(length, len(vocabulary))
        whole = pair(whole, clock, lambda a, b: np.where(b > 0, a, 0), budget)
    budget.room(AUTOMATON_BYTES * whole.table.size, "the automaton")
    outputs = whole.labels.astype(np.int64) - 1
    return decision_automaton(whole.table, outputs, vocabulary, answers, yes, length)


def _clock(length: int, tokens: int) -> Moore:
    """Return a machine with label 1 up to a length, then 0."""
    following = np.minimum(np.arange(1, length + 3), length + 1)
    labels = np.arange(length + 2)
    return Moore(np.repeat(following[:, None], tokens, axis=1).astype(np.int32), np.where(labels <= length, 1, 0))
