"""Walking through a stream with a reading: the machine of a class of queries and a guess."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.equal_parts import Told
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.meeting import Meeting
from weightsmith.automata.extraction.moore import Moore, smallest
from weightsmith.automata.extraction.reading import NOTHING, Adding, Normaliser, Reading, Truths, fold, no_sums
from weightsmith.automata.extraction.rows import Ints, examples_of
from weightsmith.automata.extraction.slices import reached
from weightsmith.automata.extraction.small_folds import said_of, small_fold
from weightsmith.automata.extraction.stream import NEVER, Stream
from weightsmith.automata.extraction.trace import ReadingMade


@dataclass(frozen=True, eq=False)
class Keys:
    """A machine that says which key the fold takes in next, and which ones are left to take in when it ends."""

    table: Ints
    far: Ints  # (states): the label of the key that has just reached the last age
    near: Ints  # (states, newer ages, oldest first)
    asks: Truths  # (states): whether the last vector is a query of the class
    useful: Truths  # (states): whether one that asks can still follow
    view: Moore  # what it was made from: in which part the vector is


def keys_of(stream: Stream, meeting: Meeting, labels: Ints, asking: Truths, budget: Budget) -> Keys:
    """Return the machine that says the labels (ages, keys) of the keys that a class of queries meets.

    `asking` says of each vector whether its query is one of the class.
    """
    labels = labels[:, meeting.key_of]
    sees = np.concatenate([labels[meeting.newest :].T, asking[:, None]], axis=1)
    examples, parts = examples_of(sees)
    said = stream.view(parts, asking, budget)
    asks = np.append(asking[examples], False)[said.labels]  # NEVER is the last
    asks[0] = False  # nothing has been read
    if meeting.last == 0:
        far = np.append(labels[0][examples], NOTHING)[said.labels].astype(np.int32)
        near = np.empty((said.states, 0), np.int32)
        return Keys(said.table, far, near, asks, _useful(said.table, asks), said)
    return _with_window(said, meeting, labels[:, examples], asks, budget)


def _with_window(said: Moore, meeting: Meeting, labels: Ints, asks: Truths, budget: Budget) -> Keys:
    """Remember the newest keys until they reach the last age, each by what its age leaves of it.

    Code 0 of each age stands for no key, or one that changes nothing from there on.
    """
    last, parts = meeting.last, labels.shape[1]
    codes = np.zeros((last + 1, parts + 1), np.int32)  # of each part at each age; the last part is NEVER
    meaning = []  # for each age: the label of each code
    for age in range(last + 1):
        later = labels[age:].T
        examples, code = examples_of(later)
        blank = (later[examples] == NOTHING).all(axis=1)
        number = np.where(blank, 0, np.cumsum(~blank))
        codes[age, :parts] = number[code]
        meaning.append(np.append(NOTHING, later[examples][~blank, 0]).astype(np.int32))
    width = max(len(label) for label in meaning)
    becomes = np.zeros((last + 1, max(width, parts + 1)), np.int32)  # the code at this age, by that at the age before
    becomes[1, : parts + 1] = codes[1]
    for age in range(2, last + 1):
        becomes[age, codes[age - 1]] = codes[age]
    enters = np.where(said.labels == NEVER, parts, said.labels).astype(np.int32)
    start, given = np.zeros(last + 1, np.int32), (said.table, enters, becomes)
    rows, table = reached(compiled().delayed, given, start, said.table.shape[1], budget)
    state, newest = rows[:, 0], meeting.newest
    marks = np.empty((len(rows), last + 2 - newest), np.int32)  # the label at each age, oldest first; whether it asks
    for place, age in enumerate(range(last, 0, -1)):
        marks[:, place] = meaning[age][rows[:, age]]
    if newest == 0:
        marks[:, -2] = np.append(labels[0], NOTHING)[enters[state]]
    marks[:, -1] = asks[state]
    del rows, state
    examples, number = examples_of(marks)
    small = smallest(table, number + 1, budget)
    seen = marks[examples][small.labels - 1]
    asking = seen[:, -1].astype(np.bool_)
    asking[0] = False
    far, near = (np.ascontiguousarray(part, np.int32) for part in (seen[:, 0], seen[:, 1:-1]))
    return Keys(small.table, far, near, asking, _useful(small.table, asking), said)


def _useful(table: Ints, asks: Truths) -> Truths:
    useful: Truths = compiled().leading(table, asks)
    return useful


def ends_of(
    stream: Stream, meeting: Meeting, normaliser: Normaliser, asking: Truths, budget: Budget
) -> tuple[Ints, Moore]:
    """Return the states in which a normaliser can be when a query of the class has read all its keys, and the view."""
    keys = keys_of(stream, meeting, normaliser.labels, asking, budget)
    rows, _ = _folded(keys, normaliser, no_sums(normaliser), budget)
    _, n, _ = _asked(keys, normaliser, no_sums(normaliser), rows)
    return np.unique(n[n != DEAD]), keys.view


def walked(
    stream: Stream, meeting: Meeting, reading: Reading, asking: Truths, told: Told, budget: Budget
) -> tuple[ReadingMade, Array]:
    """Return the machine that says 1 + the place of what the head adds, where the guess is right; and these vectors.

    What `told` does not tell apart is not told apart.
    """
    keys = keys_of(stream, meeting, reading.normaliser.labels, asking, budget)
    rows, table = _folded(keys, reading.normaliser, reading.adding, budget, budget.limits.plain_states)
    small = None if len(rows) else small_fold(meeting, reading, told, budget)
    if small is not None:
        rows, table = _folded(keys, small.normaliser, no_sums(small.normaliser), budget)
        asked, n, _ = _asked(keys, small.normaliser, no_sums(small.normaliser), rows)
        labels, added = np.append(small.says, 0)[n], small.added  # DEAD is the last
    else:
        if not len(rows):
            rows, table = _folded(keys, reading.normaliser, reading.adding, budget)
        asked, n, sums = _asked(keys, reading.normaliser, reading.adding, rows)
        labels, spoken = np.zeros(len(asked), np.int32), np.append(reading.right, False)[n]
        labels[spoken], added = said_of(meeting, reading, sums[spoken], told, budget)
    says = np.zeros(len(rows), np.int32)
    says[asked] = labels
    return ReadingMade(keys.view, smallest(table, says, budget), reading.weights, reading.loose), added


def _folded(
    keys: Keys, normaliser: Normaliser, adding: Adding, budget: Budget, most: int | None = None
) -> tuple[Ints, Ints]:
    """Return what the keys lead to, and its table; nothing where only so many states were wanted and there are more."""
    most = None if most is None or most >= budget.states else most
    return fold(keys.table, keys.far[keys.table], keys.useful, normaliser, adding, budget, most)


def _asked(keys: Keys, normaliser: Normaliser, adding: Adding, rows: Ints) -> tuple[npt.NDArray[np.intp], Ints, Ints]:
    """Return the rows at which a query asks, and the normalisers and sums when the keys that are near are taken in."""
    asked = np.flatnonzero((rows[:, 1] != DEAD) & np.append(keys.asks, False)[rows[:, 0]])
    chosen = rows[asked]
    n, total = chosen[:, 1].copy(), chosen[:, 2:].copy()
    for labels in keys.near[chosen[:, 0]].T:
        taken = np.flatnonzero((labels != NOTHING) & (n != DEAD))
        label, before = labels[taken], n[taken]
        which = before if len(adding.step) > 1 else np.zeros_like(before)
        total[taken] = adding.sums[adding.step[which, label], total[taken]]
        n[taken] = normaliser.following[before, label]
    return asked, n, total
