"""The automaton of a chain over its inputs: the machine of its transformer, followed along its own decisions.

After an input and the prompt the machine is in a state. Its label is the token that the chain writes, which leads to
the next state, and so on, until the chain ends, or has written as many tokens as it may. So the state after the input
knows the answer.
"""

import numpy as np

from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.exploring import Ints
from weightsmith.automata.extraction.moore import Moore, smallest
from weightsmith.automata.extraction.whole import Decisions, check_possible, one_machine
from weightsmith.errors import InputError
from weightsmith.model import Chain, token_ids
from weightsmith.model.chain import MOST_UNTIL

NOT_ENDED = "does not end"  # the answer of a chain that never ends


def check_chain(C: Chain) -> None:
    """Refuse a chain that no automaton over its inputs describes."""
    check_possible(C.transformer)
    instead = "check inputs up to a length: up_to=10"
    if fixed_steps(C) is None and (C.steps is not None or not C.until):
        raise InputError(
            f"no automaton counts a number of steps that depends on the length of the input: {instead}, or write a "
            "number of steps, or tokens that end the chain"
        )
    if C.min_length is not None and C.min_length > 1:
        raise InputError(f"the chain takes inputs of at least {C.min_length} tokens: write length={C.min_length}")
    if C.outputs != 1:
        raise InputError(f"an automaton has one answer for an input, and the chain has {C.outputs} outputs; {instead}")
    if C.until and C.transformer.max_length is not None:
        raise InputError(
            f"the text of a chain that a token ends may exceed the position table, which an automaton does not see; "
            f"{instead}"
        )


def fixed_steps(C: Chain) -> int | None:
    """Return the number of steps, if it is the same for all inputs."""
    if isinstance(C.steps, tuple) and len({*C.steps[1:]}) == 1:
        return int(C.steps[-1])
    return C.steps if isinstance(C.steps, int) else None


def whole_machine(C: Chain, decisions: Decisions, budget: Budget) -> Moore:
    """Return one machine of all decisions of the chain's transformer, over its whole vocabulary."""
    return one_machine(decisions.machines, len(C.transformer.answers), budget)


def over_inputs(C: Chain, whole: Moore, order: list[int], budget: Budget) -> Moore:
    """Return the machine over inputs, whose tokens are those of `order`: 1 + the number of the answer.

    Where the chain does not end, the label is 1 + the number of answers.
    """
    return smallest(np.ascontiguousarray(whole.table[:, order]), answer_labels(C, whole), budget)


def answer_labels(C: Chain, whole: Moore) -> Ints:
    """Return for each state the label of the answer that follows an input after which the machine is in it."""
    T, states = C.transformer, np.arange(whole.states)
    for token in token_ids(T, C.prompt):
        states = whole.table[states, token]
    token_of = np.array([0, *token_ids(T, [str(value) for value in T.answers])])
    meaning = np.array([0, *(1 + C.letter_id(str(value)) for value in T.answers)], np.int32)
    ends = np.array([False, *(value in C.until for value in T.answers)])
    steps, labels = fixed_steps(C), np.zeros(whole.states, np.int32)
    open_states = np.arange(whole.states)  # those whose answer is not known yet
    for step in range(1, (MOST_UNTIL if steps is None else steps) + 1):
        said = whole.labels[states[open_states]]
        over = ends[said] if C.until else np.full(len(said), step == steps)
        labels[open_states[over]] = meaning[said[over]]
        going = ~over & (said > 0)
        open_states = open_states[going]
        if not len(open_states):
            break
        states[open_states] = whole.table[states[open_states], token_of[said[going]]]
    else:
        labels[open_states] = 1 + len(C.letters)  # it has written as many tokens as it may
    return labels
