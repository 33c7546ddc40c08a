"""Axes: forms with all numbers that they can be, alone or together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weightsmith.programs.proof.holding import Holding, Mean, forms_of
from weightsmith.programs.proof.space import Integers, Space, Span


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
        for feature, pure, identity, count in (
            ("token", space.pure_token, space.token, space.tokens),
            ("index", space.pure_index, space.index, space.positions),
        ):
            if pure(form):
                known = any(axis.feature == feature for axis in self.axes)
                if not known and (feature == "token" or all(axis.positions is None for axis in self.axes)):
                    self._take(Axis((identity,), np.arange(count)[:, None], feature))
                return
        _, _, rest = self._span.solve(form)
        if self._free_of(rest):
            return
        varying = form.copy()
        varying[-1] = 0
        self._take(Axis((varying,), (space.codes(form) - form[-1])[:, None]))

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
        if self._spanned(bare).dependent:
            for form in bare:  # known apart from each other at least
                self._add_form(form)
            return
        kept = rows[:, varying] - np.array([forms[n][-1] for n in varying], np.int64)
        kept = np.unique(kept, axis=0) if len(varying) < len(forms) else kept
        self._take(Axis(tuple(bare), kept, positions=self._positions(bare, kept)))

    def _positions(self, forms: Sequence[Integers], rows: Integers) -> Integers | None:
        """Return the positions that rows stand for, where one of the forms determines the position."""
        for column, form in enumerate(forms):
            entries = form[self.space.of_index]
            if self.space.pure_index(form) and len(np.unique(entries)) == len(entries):
                order = np.argsort(entries)
                found = np.minimum(np.searchsorted(entries[order], rows[:, column]), len(order) - 1)
                return order[found]
        return None

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
        space = self.space
        features = {axis.feature for axis in self.axes}
        return (
            not rest[space.of_cells].any()
            and ("token" in features or not rest[space.of_tokens].any())
            and (
                "index" in features or not rest[space.of_index].any() or any(a.positions is not None for a in self.axes)
            )
        )


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
