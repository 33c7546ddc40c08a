"""How one class of queries reads keys: a fold over labels of keys, with everything that is guessed as a constant.

The weight of a key depends on all keys that the query will have seen: on the largest score, on the normaliser. With
their final values guessed, each weight is a constant, each weighted value is one, and the weighted sum is a walk
through a table of sums. A *reading* is such a fold; at the end it says whether the guess was right.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Core
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.rows import Ints, examples_of
from weightsmith.automata.extraction.slices import reached
from weightsmith.automata.extraction.sums import sums_for

FOLLOWING = "where labels of keys lead its normaliser"
FOLLOWING_BYTES = 4 * 4  # of each state and label: there, and in what is made of it
NOTHING = -1  # the label of a key that changes nothing
Truths: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Normaliser:
    """A fold of what the weights depend on: labels of keys, and where each takes the fold."""

    labels: Ints  # (ages, keys): NOTHING where a key changes nothing
    following: Ints  # (states, labels): the next state, or DEAD
    start: int


class Adding(NamedTuple):
    """What is added up beside a normaliser, coordinate by coordinate, through tables of sums."""

    step: Ints  # (states or 1, labels, coordinates): a row of `sums`
    sums: Ints  # (rows, places of sums)
    start: Ints  # (coordinates): the place of the empty sum


def no_sums(normaliser: Normaliser) -> Adding:
    """Return that nothing is added up beside a normaliser."""
    labels = normaliser.following.shape[1]
    return Adding(np.zeros((1, labels, 0), np.int32), np.zeros((1, 1), np.int32), np.zeros(0, np.int32))


def fold(
    machine: Ints,
    labels: Ints,
    useful: Truths,
    normaliser: Normaliser,
    adding: Adding,
    budget: Budget,
    most: int | None = None,
) -> tuple[Ints, Ints]:
    """Return the reachable (state of a machine, normaliser, sums), and their table: see `loops.folded`.

    There are none if they would be more than `most`.
    """
    start = np.concatenate([[0, normaliser.start], adding.start]).astype(np.int32)
    given = (machine, labels, useful, np.ascontiguousarray(normaliser.following), adding.step, adding.sums)
    return reached(compiled().folded, given, start, machine.shape[1], budget, most)


def fold_of_any_keys(normaliser: Normaliser, adding: Adding, budget: Budget, most: int) -> tuple[Ints, Ints]:
    """Return the (normaliser, sums) to which keys lead in any order, and their table over labels; none if too many."""
    labels = np.arange(normaliser.following.shape[1], dtype=np.int32)[None]
    rows, table = fold(np.zeros_like(labels), labels, np.ones(1, np.bool_), normaliser, adding, budget, most)
    return rows[:, 1:], table


@dataclass(frozen=True, eq=False)
class Reading:
    """A normaliser with the sum of weighted values beside it."""

    normaliser: Normaliser
    right: Truths  # (states): where the guess was right
    adding: Adding
    mixed: Callable[[Ints], Array]  # from places of sums (…, coordinates) to Σ weight ⊗ value (…, value size)
    guess: tuple[float, float]  # what is guessed first, and then; 0 where there is nothing to guess
    weights: tuple[float, ...] = ()  # for equal parts: those that the guess is about
    loose: bool = False  # whether the sum was left out, because it does not matter


def labelled(codes: npt.NDArray[Any], nothing: Truths) -> tuple[Ints, npt.NDArray[np.intp]]:
    """Number the different codes (ages, keys, …), but for those that change nothing; return an example of each too."""
    flat = codes.reshape(nothing.size, -1)
    chosen = np.flatnonzero(~nothing.reshape(-1))
    labels = np.full(nothing.size, NOTHING, np.int32)
    examples, numbers = examples_of(flat[chosen])
    labels[chosen] = numbers
    return labels.reshape(nothing.shape), chosen[examples]


def alive(following: Ints, right: Truths) -> Ints:
    """Return where labels lead, with DEAD in place of states from which the guess can no longer turn out right."""
    dead = len(following)
    table = np.append(np.where(following == DEAD, dead, following), np.full((1, following.shape[1]), dead), axis=0)
    useful = compiled().leading(table.astype(np.int32), np.append(right, False))
    return only_to(following, useful[:-1])


def only_to(following: Ints, useful: Truths) -> Ints:
    """Return where labels lead, with DEAD in place of all but the useful states."""
    return np.where(np.append(useful, False)[following], following, DEAD).astype(np.int32)


def summed(
    A: Core,
    normaliser: Normaliser,
    right: Truths,
    terms: Array,
    guess: tuple[float, float],
    budget: Budget,
    *,
    weights: tuple[float, ...] = (),
    loose: bool = False,
) -> Reading:
    """Return a reading that adds up terms[label] (labels, value size)."""
    if not len(terms):  # no key changes anything
        coordinates, back = np.zeros((0, 1)), np.zeros(terms.shape[1], np.intp)
    else:
        coordinates, back = np.unique(terms, axis=1, return_inverse=True)
    live = np.flatnonzero(coordinates.any(axis=0))
    table = sums_for(A, terms, budget)
    values = table.values

    rows = [[table.adding(float(x)) for x in line] for line in coordinates[:, live]]
    used = np.array(rows, np.int32).reshape(1, len(terms), len(live))
    different, step = np.unique(used, return_inverse=True)
    sums = np.array([table.rows[row] for row in different] or [table.rows[0]], np.int32)

    def mixed(places: Ints) -> Array:
        found = np.zeros((*places.shape[:-1], coordinates.shape[1]))
        found[..., live] = values[places]
        result: Array = found[..., back.reshape(-1)]
        return result

    dense = np.ascontiguousarray(step.reshape(used.shape), np.int32)
    start = np.full(len(live), table.zero, np.int32)
    return Reading(normaliser, right, Adding(dense, sums, start), mixed, guess, weights, loose)


def counting(normaliser: Normaliser, right: Truths, results: Array, first: float) -> Reading:
    """Return a reading of keys with one value: its result is results[m] for m of them, where the normaliser is m.

    Its one coordinate is m too.
    """
    more = np.minimum(np.arange(1, len(results) + 1, dtype=np.int32), len(results) - 1)[None]

    def mixed(places: Ints) -> Array:
        found: Array = results[places[..., 0]]
        return found

    step = np.zeros((1, normaliser.following.shape[1], 1), np.int32)
    adding = Adding(step, np.ascontiguousarray(more), np.zeros(1, np.int32))
    return Reading(normaliser, right, adding, mixed, (first, 0.0))


def nobody(shape: tuple[int, ...], size: int) -> Reading:
    """Return the reading of a query that sees no key: any key is fatal, and the sum is empty."""

    def mixed(places: Ints) -> Array:
        return np.zeros((*places.shape[:-1], size))

    normaliser = Normaliser(np.zeros(shape, np.int32), np.full((1, 1), DEAD, np.int32), 0)
    return Reading(normaliser, np.ones(1, np.bool_), no_sums(normaliser), mixed, (-np.inf, 0.0))


def chosen(normaliser: Normaliser, right: Truths, values: Array, takes: Truths) -> Reading:
    """Return a reading whose result is the value of one key: the last at which takes[state, label] holds.

    Its one coordinate is 0 for no key, else 1 + the place of the value.
    """
    different, places = np.unique(values, axis=0, return_inverse=True)
    rows = [np.arange(len(different) + 1, dtype=np.int32)]
    rows += [np.full(len(different) + 1, 1 + place, np.int32) for place in range(len(different))]
    step = np.where(takes, 1 + places.reshape(1, -1).astype(np.int32), 0)[:, :, None]
    table = np.concatenate([np.zeros((1, values.shape[1])), different])

    def mixed(places: Ints) -> Array:
        result: Array = table[places[..., 0]]
        return result

    adding = Adding(np.ascontiguousarray(step, np.int32), np.array(rows, np.int32), np.zeros(1, np.int32))
    return Reading(normaliser, right, adding, mixed, (0.0, 0.0))
