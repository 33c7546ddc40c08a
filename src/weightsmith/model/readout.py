"""Readouts: lanes that hold a code at every position, and the value of each code."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.errors import NAME_ECHO, InputError, ModelError, brief, cut, listed, named, shown
from weightsmith.model.frozen import Frozen, LaneNames
from weightsmith.model.names import MAX_NAME, checked_names, checked_text

if TYPE_CHECKING:
    from weightsmith.model.transformer import Transformer

Value: TypeAlias = bool | int | float | str | None
Code: TypeAlias = tuple[float, ...]


class NoValue:
    """What a code stands for that is not in the table of a readout: shown as ?, equal to no value."""

    def __repr__(self) -> str:
        """Return a question mark."""
        return "?"


NO_VALUE = NoValue()
MAX_CODES = 1 << 16
LARGEST_WHOLE = 1 << 53  # beyond it, numbers in a page are not exact
NEAREST = 3  # entries that an error shows


@dataclass(frozen=True, eq=False)
class Readout(Frozen):
    """Named lanes that hold a code at every position, with a table from code to value: instead of classes.

    The table is a mapping from codes, one member for each lane, to values: None, truth values, numbers, texts; with one
    lane, a code may be written as a number. Its entries are kept in the order of the codes. `True`, `1` and `1.0` are
    one value. A code that is not in the table stands for nothing: it is an error, never taken for the nearest.
    """

    lanes: Annotated[Sequence[str], LaneNames()]
    table: Mapping[Any, Value] | Sequence[tuple[Code, Value]]

    def __post_init__(self) -> None:
        """Bring the table into order, and check it."""
        self._set("lanes", checked_names(self.lanes, "the lanes of the readout", printable=True))
        self._set("table", _checked_table(self.table, len(self.lanes)))

    def counted(self) -> dict[str, object]:
        """Return the table with numbers written alike: True, 1 and 1.0 are one value, so digests must not differ."""
        ratios = tuple((code, v.as_integer_ratio() if isinstance(v, int | float) else v) for code, v in self.entries)
        return super().counted() | {"table": ratios}

    @property
    def entries(self) -> tuple[tuple[Code, Value], ...]:
        """The table as it is kept: pairs of a code and its value, in the order of the codes."""
        return cast(tuple[tuple[Code, Value], ...], self.table)

    @cached_property
    def answers(self) -> tuple[Value, ...]:
        """The values, each once, in the order of their first codes."""
        return tuple(dict.fromkeys(value for _, value in self.entries))

    def answer_ids(self, codes: Array) -> npt.NDArray[np.intp]:
        """Return the indices in `answers` of the values of codes (…, lanes); −1 for a code not in the table."""
        entry = np.zeros(codes.shape[:-1], np.intp)
        lost = np.zeros(codes.shape[:-1], np.bool_)
        for column, (members, prefixes) in enumerate(self._steps):
            member, unknown = _found(members, codes[..., column])
            entry, missing = _found(prefixes, entry * len(members) + member)
            lost |= unknown | missing
        return np.where(lost, -1, self._answer_of[entry])

    def places(self, codes: Array) -> npt.NDArray[np.intp]:
        """Return `answer_ids(codes)`; this name goes with the next version."""
        warnings.warn("Readout.places is now Readout.answer_ids", DeprecationWarning, stacklevel=2)
        return self.answer_ids(codes)

    @cached_property
    def _steps(self) -> list[tuple[Array, npt.NDArray[np.intp]]]:
        """The members in each lane, and which of them go on from which beginnings of codes: so no number is large."""
        codes, entry, steps = np.array([code for code, _ in self.entries]), np.zeros(len(self.table), np.intp), []
        for column in range(len(self.lanes)):
            members, member = np.unique(codes[:, column], return_inverse=True)
            prefixes, entry = np.unique(entry * len(members) + member, return_inverse=True)
            steps.append((members, prefixes))
        return steps

    @cached_property
    def _answer_of(self) -> npt.NDArray[np.intp]:
        index = {value: n for n, value in enumerate(self.answers)}
        return np.array([index[value] for _, value in self.entries], np.intp)  # by code, as prefixes are

    def refuse(self, position: int, code: Sequence[float]) -> NoReturn:
        """Raise the error for a code that is not in the table, with its position and the nearest codes."""
        near = sorted(self.entries, key=lambda entry: sum(abs(a - b) for a, b in zip(entry[0], code, strict=True)))
        nearest = "; ".join(f"{code_text(c)} for {value_text(value)}" for c, value in near[:NEAREST])
        lanes = f"lane {named(self.lanes[0])} holds" if len(self.lanes) == 1 else f"lanes {listed(self.lanes)} hold"
        raise InputError(
            f"position {position}: the {lanes} {code_text(code)}, which is not in the table of the readout; the "
            f"nearest of its {len(self.table)} codes: {nearest}. Add the code to the table, or correct the weights"
        )


def value_text(value: Value | NoValue) -> str:
    """Return a value as it is shown: a text as it is, if that is clear, and anything else as Python writes it."""
    return shown(value) if isinstance(value, str) else repr(value)


def needs_classes(T: "Transformer", what: str) -> None:
    """Refuse a transformer with a readout where logits are needed."""
    if T.readout is not None:
        raise ModelError(
            f"{what} needs classes, and this transformer has a readout of {listed(T.readout.lanes)}: run(T, …).outputs "
            "says what it says, and replace(T, readout=None, classes=(…), output=…) gives it classes"
        )


def _found(sorted_ones: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], Any]:
    """Return the indices of values in a sorted array, and which values are not in it."""
    index = np.minimum(np.searchsorted(sorted_ones, wanted), len(sorted_ones) - 1)
    return index, sorted_ones[index] != wanted


def code_text(code: Sequence[float]) -> str:
    """Return a code as it is shown: one number, or several in brackets."""
    numbers = [f"{number:.10g}" for number in code]
    return numbers[0] if len(numbers) == 1 else cut(f"({', '.join(numbers)})", NAME_ECHO)


def _checked_table(table: Any, lanes: int) -> tuple[tuple[Code, Value], ...]:
    entries = list(table.items()) if isinstance(table, Mapping) else table
    if not isinstance(entries, list | tuple) or not all(isinstance(e, list | tuple) and len(e) == 2 for e in entries):
        raise ModelError(
            f"table={brief(table)}: write a mapping from codes to values, such as {{(0,): 'no', (1,): 'yes'}}"
        )
    if not 1 <= len(entries) <= MAX_CODES:
        raise ModelError(f"the table of the readout has {len(entries):,} codes: write 1 to {MAX_CODES:,}")
    found = dict[Code, Value]()
    for given, value in entries:
        code = _checked_code(given, lanes)
        if code in found:
            raise ModelError(f"the table of the readout has the code {brief(given)} twice: each stands for one value")
        found[code] = _checked_value(value)
    return tuple(sorted(found.items(), key=lambda entry: entry[0]))


def _checked_code(given: Any, lanes: int) -> Code:
    code = given if isinstance(given, list | tuple) else (given,)
    numbers = all(isinstance(number, Real) and not isinstance(number, bool | np.bool_) for number in code)
    if len(code) != lanes or not numbers:
        form = "a number" if lanes == 1 else f"a tuple of {lanes} numbers"
        raise ModelError(f"the code {brief(given)} of the readout: write {form}, one for each of its lanes")
    try:
        result = tuple(float(number) + 0.0 for number in code)  # without −0
    except OverflowError:
        result = (float("inf"),)
    if not all(map(isfinite, result)):
        raise ModelError(f"the code {brief(given)} of the readout is not finite: codes are members of the arithmetic")
    return result


def _checked_value(value: Any) -> Value:
    if value is None or type(value) is bool:
        return value
    if type(value) is int and abs(value) <= LARGEST_WHOLE:
        return value
    if isinstance(value, float) and isfinite(value):
        return float(value) + 0.0
    if isinstance(value, str):
        return str(checked_text(value, "a value of the readout", printable=False, most=MAX_NAME))
    raise ModelError(
        f"the value {brief(value)} of the readout: write None, True, False, a text, or a finite number, "
        "whole ones up to 2**53"
    )
