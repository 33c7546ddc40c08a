"""What tests of the extraction have in common: budgets in steps, the checker of proofs, and the witness."""

from functools import partial
from itertools import count
from random import Random

import numpy as np

import weightsmith as ws
from tests.automata.shortcuts import MANY, made_for, numbers_of_sums
from tests.automata.tiny import limits_of
from tests.witness.tables import Places
from tests.witness.trees import Tree, decided, every_input
from weightsmith.automata import Automaton, language
from weightsmith.automata.extraction import Budget, Decisions, UnknownError, extract
from weightsmith.automata.extraction.limits import Limits
from weightsmith.automata.extraction.one_automaton import joined
from weightsmith.check.claims import Recognizes
from weightsmith.check.every_length import check_by_automata
from weightsmith.check.frame import make_frame
from weightsmith.check.verdict import EveryLength

SHORT, STEPS, STATES = 7, 20_000, 150


def in_steps(steps: int, states: int, limits: Limits | None = None) -> Budget:
    """Return a budget whose seconds are looks at the clock, so that the same models end on every machine."""
    return Budget(steps, states, clock=partial(next, count(0.0)), limits=limits or Limits())


def proved_and_checked(T: ws.Transformer, accepted: Automaton, limits: Limits) -> EveryLength:
    """Decide whether a transformer recognizes a language, at every length; what is proved, the checker has accepted.

    No proof that is found is refused. The search is one that has ended before, so the budget is no matter.
    """
    frame = make_frame((T,), (), None, None)
    claim = Recognizes(T, language(accepted, frame.vocabulary(T)), "YES", frame=frame)
    verdict = check_by_automata(claim, Budget(3600.0, limits=limits))
    assert verdict.holds is not None, verdict.unknown
    assert verdict.holds is (verdict.proof is not None)
    assert verdict.shortest
    return verdict


def said(D: Decisions, tree: Tree) -> Places:
    """What the machines say after each input of a tree; that exactly one of them speaks is checked."""
    total, speaking = np.zeros((2, len(tree.tokens)), np.int32)
    before = np.take_along_axis(tree.beginnings, np.maximum(tree.lengths - 2, 0)[:, None], axis=1)[:, 0]
    for machine in D.machines:
        states = np.zeros(len(tree.tokens), np.int32)
        for length in range(1, int(tree.lengths.max()) + 1):
            own = tree.lengths == length
            here = states[before[own]] if length > 1 else np.zeros(int(own.sum()), np.int32)
            states[own] = machine.table[here, tree.tokens[own]]
        total += machine.labels[states]
        speaking += machine.labels[states] > 0
    assert (speaking == 1).all()
    return total - 1


def examined(kind: str, seed: int) -> str:
    """Compare all that is said of a model; return what it came to."""
    T, limits, random = made_for(kind, seed), limits_of(seed), Random(seed)
    if (
        kind == "one sum"
        and seed % 8 != 0
        and limits == Limits()
        and (few := [n for n in numbers_of_sums(T, SHORT) if n < MANY])
    ):
        limits = Limits(sums=random.choice(few))  # just as many as are looked at
    try:
        budget = in_steps(STEPS, STATES, limits)
        D = extract(T, budget)
        A = joined(D, "YES", budget)
    except UnknownError:
        return "unknown"
    except ws.ModelError:  # a norm of 0 has no root, or a softmax is empty
        return "an error"
    every = every_input(len(T.vocabulary), min(SHORT, T.max_length or SHORT))
    right = decided(T, every)
    np.testing.assert_array_equal(said(D, every), right)
    language, first = Automaton(A.table, A.accepting, A.start, T.vocabulary), None
    if random.random() < 0.25:
        accepting = A.accepting.copy()
        accepting[random.randrange(len(accepting))] ^= True
        language = Automaton(A.table, accepting, A.start, T.vocabulary)
        first = A.difference(language)
    verdict = proved_and_checked(T, language, limits)
    assert verdict.counterexample == first
    assert verdict.holds is (first is None)
    if first is not None:
        return "refuted"
    return "proved" if len(set(right.tolist())) > 1 else "proved of one decision"
