"""The product of a stream's view with a reading: the machine of a class of queries and a guess."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.exploring import Ints, group_rows, merged_states, reached
from weightsmith.automata.extraction.folds import (
    NOTHING,
    Adding,
    Normaliser,
    Reading,
    Truths,
    fold,
    fold_of_any_keys,
    no_sums,
)
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.moore import Moore, smallest
from weightsmith.automata.extraction.outcomes import OutcomeOfSum, labels_of_sums
from weightsmith.automata.extraction.scores import HeadScores
from weightsmith.automata.extraction.stream import NEVER, Stream
from weightsmith.automata.extraction.trace import ReadingTrace


@dataclass(frozen=True, eq=False)
class Keys:
    """A machine that gives the label of the key that the fold reads next, and of those that it reads at the end."""

    table: Ints
    far: Ints  # (states): the label of the key that now has the last age
    near: Ints  # (states, newer ages): the labels of younger keys, oldest first
    at_query: Truths  # (states): whether the last vector has a query of the class
    useful: Truths  # (states): whether a state at a query can be reached
    view: Moore


def keys_of(stream: Stream, scored: HeadScores, labels: Ints, in_class: Truths, budget: Budget) -> Keys:
    """Return the machine of the keys that a class of queries sees, with their labels (ages, keys).

    `in_class` tells for each vector whether its query belongs to the class.
    """
    labels = labels[:, scored.key_of]
    sees = np.concatenate([labels[scored.newest :].T, in_class[:, None]], axis=1)
    examples, parts = group_rows(sees)
    view = stream.view(parts, in_class, budget)
    at_query = np.append(in_class[examples], False)[view.labels]  # NEVER is the last
    at_query[0] = False  # no token has been read
    if scored.last == 0:
        far = np.append(labels[0][examples], NOTHING)[view.labels].astype(np.int32)
        near = np.empty((view.states, 0), np.int32)
        return Keys(view.table, far, near, at_query, _useful(view.table, at_query), view)
    return _with_window(view, scored, labels[:, examples], at_query, budget)


def _with_window(view: Moore, scored: HeadScores, labels: Ints, at_query: Truths, budget: Budget) -> Keys:
    """Keep the newest keys in a window until they reach the last age, each as a code for its remaining labels.

    Code 0 of each age stands for no key, or for a key that changes nothing from that age on.
    """
    last, parts = scored.last, labels.shape[1]
    codes = np.zeros((last + 1, parts + 1), np.int32)  # (ages, parts): the last part is NEVER
    label_of = []  # for each age: the label of each code
    for age in range(last + 1):
        later = labels[age:].T
        examples, code = group_rows(later)
        blank = (later[examples] == NOTHING).all(axis=1)
        number = np.where(blank, 0, np.cumsum(~blank))
        codes[age, :parts] = number[code]
        label_of.append(np.append(NOTHING, later[examples][~blank, 0]).astype(np.int32))
    width = max(len(label) for label in label_of)
    becomes = np.zeros((last + 1, max(width, parts + 1)), np.int32)  # the code, by that at the age before
    becomes[1, : parts + 1] = codes[1]
    for age in range(2, last + 1):
        becomes[age, codes[age - 1]] = codes[age]
    enters = np.where(view.labels == NEVER, parts, view.labels).astype(np.int32)
    start, given = np.zeros(last + 1, np.int32), (view.table, enters, becomes)
    rows, table = reached(compiled().delayed, given, start, view.table.shape[1], budget)
    state, newest = rows[:, 0], scored.newest
    marks = np.empty((len(rows), last + 2 - newest), np.int32)  # labels, oldest first; whether it is a query
    for column, age in enumerate(range(last, 0, -1)):
        marks[:, column] = label_of[age][rows[:, age]]
    if newest == 0:
        marks[:, -2] = np.append(labels[0], NOTHING)[enters[state]]
    marks[:, -1] = at_query[state]
    del rows, state
    examples, number = group_rows(marks)
    small = smallest(table, number + 1, budget)
    seen = marks[examples][small.labels - 1]
    query = seen[:, -1].astype(np.bool_)
    query[0] = False
    far, near = (np.ascontiguousarray(part, np.int32) for part in (seen[:, 0], seen[:, 1:-1]))
    return Keys(small.table, far, near, query, _useful(small.table, query), view)


def _useful(table: Ints, at_query: Truths) -> Truths:
    useful: Truths = compiled().leading(table, at_query)
    return useful


def final_states(
    stream: Stream, scored: HeadScores, normaliser: Normaliser, in_class: Truths, budget: Budget
) -> tuple[Ints, Moore]:
    """Return the final states of a normaliser at queries of the class, and the view."""
    keys = keys_of(stream, scored, normaliser.labels, in_class, budget)
    rows, _ = _folded(keys, normaliser, no_sums(normaliser), budget)
    _, n, _ = _at_queries(keys, normaliser, no_sums(normaliser), rows)
    return np.unique(n[n != DEAD]), keys.view


def machine_of_reading(
    stream: Stream, scored: HeadScores, reading: Reading, in_class: Truths, outcome: OutcomeOfSum, budget: Budget
) -> tuple[ReadingTrace, Array]:
    """Return the machine whose labels number the outputs of the head from 1, where the guess is right; and the outputs.

    Outputs with the same outcome get one label.
    """
    keys = keys_of(stream, scored, reading.normaliser.labels, in_class, budget)
    rows, table = _folded(keys, reading.normaliser, reading.adding, budget, budget.limits.plain_states)
    small = None if len(rows) else small_fold(scored, reading, outcome, budget)
    if small is not None:
        rows, table = _folded(keys, small.normaliser, no_sums(small.normaliser), budget)
        at, n, _ = _at_queries(keys, small.normaliser, no_sums(small.normaliser), rows)
        labels, outputs = np.append(small.labels, 0)[n], small.outputs  # DEAD is the last
    else:
        if not len(rows):
            rows, table = _folded(keys, reading.normaliser, reading.adding, budget)
        at, n, sums = _at_queries(keys, reading.normaliser, reading.adding, rows)
        labels, right = np.zeros(len(at), np.int32), np.append(reading.right, False)[n]
        labels[right], outputs = labels_of_sums(scored, sums[right], reading.mixed, outcome, budget)
    labels_of_rows = np.zeros(len(rows), np.int32)
    labels_of_rows[at] = labels
    return ReadingTrace(keys.view, smallest(table, labels_of_rows, budget), reading.weights, reading.loose), outputs


def _folded(
    keys: Keys, normaliser: Normaliser, adding: Adding, budget: Budget, most: int | None = None
) -> tuple[Ints, Ints]:
    """Return the reachable states of the product with a fold, and their table; empty if there are more than `most`."""
    most = None if most is None or most >= budget.states else most
    return fold(keys.table, keys.far[keys.table], keys.useful, normaliser, adding, budget, most)


def _at_queries(
    keys: Keys, normaliser: Normaliser, adding: Adding, rows: Ints
) -> tuple[npt.NDArray[np.intp], Ints, Ints]:
    """Return the rows at queries, with normalisers and sums after the keys of the window."""
    at = np.flatnonzero((rows[:, 1] != DEAD) & np.append(keys.at_query, False)[rows[:, 0]])
    chosen = rows[at]
    n, total = chosen[:, 1].copy(), chosen[:, 2:].copy()
    for labels in keys.near[chosen[:, 0]].T:
        taken = np.flatnonzero((labels != NOTHING) & (n != DEAD))
        label, before = labels[taken], n[taken]
        which = before if len(adding.step) > 1 else np.zeros_like(before)
        total[taken] = adding.sums[adding.step[which, label], total[taken]]
        n[taken] = normaliser.following[before, label]
    return at, n, total


@dataclass(frozen=True, eq=False)
class SmallFold:
    """A minimised fold. Where a stream has many states, its product is smaller than that of the reading."""

    normaliser: Normaliser
    labels: Ints  # (states): 1 + the number of the head's output; 0 where the guess is wrong
    outputs: Array


def small_fold(scored: HeadScores, reading: Reading, outcome: OutcomeOfSum, budget: Budget) -> SmallFold | None:
    """Return the smallest fold equivalent to a reading, over labels of keys; None if that takes too many steps."""
    base, steps = reading.normaliser, budget.limits.fold_steps
    rows, table = fold_of_any_keys(base, reading.adding, budget, 1 + steps // (1 + base.following.shape[1]))
    if not len(rows):
        return None
    right = np.append(reading.right, False)[rows[:, 0]]  # DEAD is the last
    labels = np.zeros(len(rows), np.int32)
    labels[right], outputs = labels_of_sums(scored, rows[right, 1:], reading.mixed, outcome, budget)
    members, small = merged_states(table, labels, budget)
    kept = labels[members]
    dead = (small == np.arange(len(small))[:, None]).all(axis=1) & (kept == 0)
    small = np.where(dead[small], DEAD, small).astype(np.int32)
    return SmallFold(Normaliser(base.labels, np.ascontiguousarray(small), 0), kept, outputs)
