"""Any automaton in ⌈log₂ n⌉ blocks: transition functions are composed in pairs, then in fours, and so on."""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.automata import Automaton
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.library.arguments import read_vocabulary
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, heads, matrix
from weightsmith.model.positions import MAX_LENGTH

MOST_STATES = 24  # |Q|³ neurons in each block


def automaton_in_log_depth(automaton: Automaton, n: int, arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs up to length n that an automaton accepts, with ⌈log₂ n⌉ blocks.

    A token is a function from states to states. Lane `q→r` is 1 if the function of the last 2^l tokens maps q to r.
    Block l looks 2^l positions back and composes the function there with the function here: a neuron for each path
    q → r → s. Where no token is that far back, the function already covers the whole prefix, and stays. The numbers
    are 0, 1 and 2, so the arithmetic needs these and exp(−∞) = 0.

    >>> from weightsmith import run
    >>> odd = Automaton([[0, 1], [1, 0]], [False, True], vocabulary="01")
    >>> T = automaton_in_log_depth(odd, 8)
    >>> len(T.blocks), run(T, "01101011").decision
    (3, 'YES')
    """
    A = or_default(arithmetic)
    if not isinstance(automaton, Automaton):
        raise InputError(f"automaton={brief(automaton)}: write Automaton([[0, 1], [1, 0]], [False, True])")
    size, letters = automaton.table.shape
    whole_number(size, "the number of states", 1, MOST_STATES)
    n = whole_number(n, "n", 1, MAX_LENGTH, "the longest input")
    tokens = read_vocabulary(automaton.vocabulary or [str(letter) for letter in range(letters)])
    pairs = [(q, r) for q in range(size) for r in range(size)]
    lanes = (*(here(q, r) for q, r in pairs), *(there(q, r) for q, r in pairs), "looked")
    layer = feed_forward(lanes, composing(size))
    copies = {here(q, r): there(q, r) for q, r in pairs}
    blocks = [
        Block(
            Attention((heads.at_distance(lanes, 1 << level, copies, A, {"looked": 1}),)),
            layer,
            origin=f"compose the last {2 << level} tokens",
        )
        for level in range((n - 1).bit_length())
    ]
    steps = {(token, here(q, int(automaton.table[q, x]))): 1.0 for x, token in enumerate(tokens) for q in range(size)}
    accepted = [here(automaton.start, r) for r in range(size) if automaton.accepting[r]]
    return Transformer(
        arithmetic=A,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, steps),
        blocks=tuple(blocks),
        output=matrix(["NO", "YES"], lanes, {("YES", lane): 1.0 for lane in accepted}),
        provenance=(f"library.papers.automaton_in_log_depth({size} states, n={n})",),
        description="Runs an automaton, with blocks that double how far they look.",
    )


def here(q: int, r: int) -> str:
    """Name the lane that is 1 if the function here maps q to r."""
    return f"{q}→{r}"


def there(q: int, r: int) -> str:
    """Name the lane that is 1 if the earlier function maps q to r."""
    return f"before {q}→{r}"


def composing(size: int) -> list[Neuron]:
    """Return the neurons that replace the function here by its composition with the earlier one, and clear the rest."""
    states = range(size)
    paths = [
        Neuron({there(q, r): 1, here(r, s): 1}, {here(q, s): 1}, bias=-1, name=f"{q}→{r}→{s}")
        for q in states
        for r in states
        for s in states
    ]
    old = [Neuron({here(q, r): 1, "looked": 1}, {here(q, r): -1}, bias=-1) for q in states for r in states]
    read = [Neuron({there(q, r): 1}, {there(q, r): -1}) for q in states for r in states]
    return [*paths, *old, *read, Neuron({"looked": 1}, {"looked": -1})]


def permutations(generators: Sequence[Sequence[int]], start: int = 0) -> Automaton:
    """Return the automaton whose letters permute the states: it accepts what leads `start` back to itself.

    >>> permutations([(1, 0, 2, 3, 4), (1, 2, 3, 4, 0)]).vocabulary  # these generate S₅, which is not solvable
    ('a', 'b')
    """
    size = len(generators[0]) if generators else 0
    for generator in generators:
        if sorted(generator) != list(range(size)):
            raise InputError(f"{brief(generator)} is no permutation: write each of 0 to {size - 1} once")
    table = np.array([[int(generator[q]) for generator in generators] for q in range(size)], dtype=np.int32)
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(generators)])
    return Automaton(table, np.arange(size) == start, start, names)
