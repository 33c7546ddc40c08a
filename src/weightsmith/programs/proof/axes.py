"""Axes: forms with all numbers that they can be, alone or together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weightsmith.programs.proof.holding import Holding, Mean, forms_of
from weightsmith.programs.proof.space import Integers, Space, Span, distinct

FEW_SUMS = 2_000  # combinations of numbers that are added up one by one
MOST_ROWS = 1 << 18  # of forms that are known together


@dataclass
class Axis:
    """Forms without constants, and all that they can be together: one row each."""

    forms: tuple[Integers, ...]
    rows: Integers
    feature: str = ""  # "token" or "index"
    columns: list[Integers] = field(default_factory=list)  # that distinguish its rows
    positions: Integers | None = None  # the position of every row, where a form tells it


class Axes:
    """Independent axes for the forms of holdings: joint forms first, dependent ones not at all."""

    def __init__(self, space: Space, holdings: Sequence[Holding]) -> None:
        """Take the axes."""
        self.space = space
        self.axes: list[Axis] = []
        self._span = Span([])
        for one in holdings:
            if isinstance(one, Mean):
                self._add((one.top, one.count), one.pairs)
        forms = [form for one in holdings if not isinstance(one, Mean) for form in forms_of(one)]
        for form in sorted(forms, key=self._is_mixed):  # features first
            self._add_form(form)

    def _is_mixed(self, form: Integers) -> bool:
        return not self.space.pure_token(form) and not self.space.pure_index(form)

    def _add_form(self, form: Integers) -> None:
        space = self.space
        if space.constant(form):
            return
        features = [one for one in ("token", "index") if form[self._place(one)].any()]
        new = [one for one in features if not self._knows(one)]
        if not form[space.of_cells].any() and (len(features) == 1 or (len(new) < 2 and self._few(form))):
            for one in new:
                identity, count = (space.token, space.tokens) if one == "token" else (space.index, space.positions)
                self._take(Axis((identity,), np.arange(count)[:, None], one))
            return
        _, _, rest = self._span.solve(form)
        if self._free_of(rest):
            return
        varying = form.copy()
        varying[-1] = 0
        self._take(Axis((varying,), (space.codes(form) - form[-1])[:, None]))

    def _few(self, form: Integers) -> bool:
        """Return whether a form of token and position has few enough numbers to be added up one by one."""
        return len(distinct(form[self.space.of_tokens])) * len(distinct(form[self.space.of_index])) <= FEW_SUMS

    def _place(self, feature: str) -> slice:
        return self.space.of_tokens if feature == "token" else self.space.of_index

    def _knows(self, feature: str) -> bool:
        """Return whether there is an axis for a feature, or one that tells the position."""
        return any(one.feature == feature or (feature == "index" and one.positions is not None) for one in self.axes)

    def _add(self, forms: Sequence[Integers], rows: Integers) -> None:
        """Take joint forms as one axis; those that are constant count for nothing."""
        varying = [n for n, form in enumerate(forms) if not self.space.constant(form)]
        if not varying or all(self._free_of(self._span.solve(forms[n])[2]) for n in varying):
            return
        if len(varying) == 2 and Span([forms[0], forms[1]]).dependent:
            varying = varying[:1]
        bare = []
        for n in varying:
            form = forms[n].copy()
            form[-1] = 0
            bare.append(form)
        kept = rows[:, varying] - np.array([forms[n][-1] for n in varying], np.int64)
        kept = np.unique(kept, axis=0) if len(varying) < len(forms) else kept
        if not self._spanned(bare).dependent:
            self._take(Axis(tuple(bare), kept, positions=self.space.positions_of(bare, kept)))
        elif len(bare) < 2 or not self._join(bare, kept):
            for form in bare:  # known apart from each other at least
                self._add_form(form)

    def _join(self, forms: Sequence[Integers], rows: Integers) -> bool:
        """Add one of two forms to an axis that has the other: two means over the same positions share their count."""
        for axis in self.axes:
            for place, known in enumerate(axis.forms):
                for shared, new in ((0, 1), (1, 0)):
                    if axis.feature or not np.array_equal(known, forms[shared]):
                        continue
                    joined = _joined(axis.rows, place, rows[:, shared], rows[:, new])
                    if joined is None or self._spanned([forms[new]]).dependent:
                        return False
                    axis.forms, axis.rows = (*axis.forms, forms[new]), joined
                    axis.positions = self.space.positions_of(axis.forms, joined)
                    self._span = self._spanned([])
                    return True
        return False

    def _take(self, axis: Axis) -> None:
        self.axes.append(axis)
        self._span = self._spanned([])

    def _spanned(self, more: Sequence[Integers]) -> Span:
        """Return the forms of all axes, with more of them, distinguished by coordinates without an axis."""
        features = {axis.feature for axis in self.axes}
        apart = [self.space.of_tokens] * ("token" in features) + [self.space.of_index] * ("index" in features)
        return Span([*(form for one in self.axes if not one.feature for form in one.forms), *more], apart)

    def _free_of(self, rest: Integers) -> bool:
        """Return whether nothing is left of a form but features that are axes, and a constant."""
        left = any(rest[self._place(one)].any() and not self._knows(one) for one in ("token", "index"))
        return not rest[self.space.of_cells].any() and not left


def _joined(rows: Integers, place: int, shared: Integers, new: Integers) -> Integers | None:
    """Return rows, each with all that is new beside the same number; None where they are too many."""
    order = np.argsort(shared, kind="stable")
    shared, new = shared[order], new[order]
    starts, ends = (np.searchsorted(shared, rows[:, place], side=side) for side in ("left", "right"))
    counts = ends - starts
    total = int(counts.sum())
    if total > MOST_ROWS:
        return None
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.column_stack([np.repeat(rows, counts, axis=0), new[np.repeat(starts, counts) + within]])


def representatives(columns: Sequence[Integers], count: int) -> tuple[Integers, Integers]:
    """Return one row of each kind, and the kind of every row: rows in which all columns are equal are of one kind."""
    if not columns:
        return np.zeros(1, np.int64), np.zeros(count, np.int64)
    kinds = np.zeros(count, np.int64)
    first = np.zeros(1, np.int64)
    for column in columns:
        _, numbers = np.unique(column, return_inverse=True)
        _, first, kinds = np.unique(kinds * (int(numbers.max()) + 1) + numbers, return_index=True, return_inverse=True)
    return first, kinds
