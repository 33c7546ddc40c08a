"""Walking through a stream with a reading: the machine of a class of queries and a guess."""

from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.journal import ReadingMade
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.meeting import Meeting
from weightsmith.automata.extraction.moore import Moore, smallest
from weightsmith.automata.extraction.reading import NOTHING, Normaliser, Reading, Truths
from weightsmith.automata.extraction.rows import Ints, different, examples_of
from weightsmith.automata.extraction.stream import NEVER, Stream


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
    rows, table = compiled().delayed(said.table, enters, becomes, budget.limit)
    budget.count(len(rows))
    state = rows[:, 0]
    here = np.append(labels[0], NOTHING)[enters[state]]
    ages = [meaning[age][rows[:, age]] for age in range(last, 0, -1)]
    near = np.stack([*ages[1:], *([here] if meeting.newest == 0 else [])] or [here[:0]], axis=1).astype(np.int32)
    if last == 1 and meeting.newest == 1:
        near = np.empty((len(rows), 0), np.int32)
    asking = asks[state]
    marks = np.concatenate([ages[0][:, None], near, asking[:, None]], axis=1)
    examples, number = examples_of(marks)
    small = smallest(table, number + 1)
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
    nothing = np.zeros((1, normaliser.following.shape[1], 0), np.int32)
    rows, _ = _folded(keys, normaliser, nothing, np.zeros((1, 1), np.int32), np.zeros(0, np.int32), budget)
    asked = rows[(rows[:, 1] != DEAD) & np.append(keys.asks, False)[rows[:, 0]]]
    n, _ = _finished(keys, normaliser, nothing, np.zeros((1, 1), np.int32), asked)
    return np.unique(n[n != DEAD]), keys.view


def walked(
    stream: Stream, meeting: Meeting, reading: Reading, asking: Truths, budget: Budget
) -> tuple[ReadingMade, Array]:
    """Return the machine that says 1 + the place of what the head adds, where the guess is right; and these vectors."""
    keys = keys_of(stream, meeting, reading.normaliser.labels, asking, budget)
    rows, table = _folded(keys, reading.normaliser, reading.step, reading.sums, reading.start, budget)
    labels = np.zeros(len(rows), np.int32)
    asked = np.flatnonzero((rows[:, 1] != DEAD) & np.append(keys.asks, False)[rows[:, 0]])
    n, sums = _finished(keys, reading.normaliser, reading.step, reading.sums, rows[asked])
    spoken = (n != DEAD) & np.append(reading.right, False)[n]
    found, places = different(sums[spoken])
    added, numbers = different(meeting.A.matvec(meeting.head.W_O, reading.mixed(found)))
    labels[asked[spoken]] = 1 + numbers[places]
    return ReadingMade(keys.view, smallest(table, labels)), added


def _folded(
    keys: Keys, normaliser: Normaliser, step: Ints, sums: Ints, start: Ints, budget: Budget
) -> tuple[Ints, Ints]:
    begin = np.concatenate([np.array([0, normaliser.start], np.int32), start]).astype(np.int32)
    rows, table = compiled().folded(
        keys.table, keys.far, keys.useful, np.ascontiguousarray(normaliser.following), step, sums, begin, budget.limit
    )
    budget.count(len(rows))
    return rows, table


def _finished(keys: Keys, normaliser: Normaliser, step: Ints, sums: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Take in the keys that are not yet far: return the normalisers and the sums then."""
    n, total = rows[:, 1].copy(), rows[:, 2:].copy()
    for labels in keys.near[rows[:, 0]].T:
        taken = np.flatnonzero((labels != NOTHING) & (n != DEAD))
        label, before = labels[taken], n[taken]
        which = before if len(step) > 1 else np.zeros_like(before)
        total[taken] = sums[step[which, label], total[taken]]
        n[taken] = normaliser.following[before, label]
    return n, total
