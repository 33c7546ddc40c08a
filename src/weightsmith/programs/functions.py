"""Functions of a person's own as parts of programs."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from weightsmith.errors import InputError, brief
from weightsmith.programs.operators import Operator
from weightsmith.programs.places import Note, Place, refusal
from weightsmith.programs.values import Value, exact, is_number, presented

MOST_REMEMBERED = 100_000  # results of a function; beyond that all are forgotten


@dataclass(frozen=True, eq=False)
class Function(Operator):
    """A person's own function. It gets values as `presented`, must be pure, and may not tell 1, 1.0 and True apart."""

    call: Callable[..., object]
    name: str
    place: Place | None = None
    remembered: dict[tuple[Value, ...], Value] = field(default_factory=dict, repr=False)

    def __eq__(self, other: object) -> bool:
        """Two are equal if they call the same function."""
        return isinstance(other, Function) and self.call is other.call

    def __hash__(self) -> int:
        """Return the hash of the function's identity."""
        return id(self.call)

    def __str__(self) -> str:
        """Return the name."""
        return self.name

    def __call__(self, *values: Value) -> Value:
        """Return the result for one position."""
        if values in self.remembered:
            return self.remembered[values]
        plain = [_plain(value) for value in values]
        result = exact(self.call(*plain))
        _ask_again(self.call, plain, result)
        if len(self.remembered) >= MOST_REMEMBERED:
            self.remembered.clear()
        self.remembered[values] = result
        return result


def attempt(operator: Callable[..., Any], values: Sequence[Value], note: Note) -> Any:
    """Return the result of a function, or raise an error that names the values on which it fails."""
    try:
        return operator(*values)
    except Exception as error:
        raise failure(operator, values, note, error) from error


def failure(
    operator: Callable[..., Any], values: Sequence[Value], note: Note, error: Exception, where: str = ""
) -> InputError:
    """Return the error that names the function, the values on which it failed, and the reason."""
    place = operator.place if isinstance(operator, Function) else None
    given = " and ".join(brief(presented(value)) for value in values)
    why = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    name = "" if note.name is None else f" in {note.name!r}"
    if isinstance(operator, Function):
        called = f"the function {operator.name}{name}"
    else:
        called = f"{operator if isinstance(operator, Operator) else 'select'}{name}"
    return refusal(place or note.place, f"{called} on {given}{where}: {why}")


def require_alike(call: Callable[[Any], object], value: object) -> None:
    """Refuse a function, within others, that answers otherwise for a number than for an equal one of another type."""
    if not isinstance(value, bool | int | float):
        return
    try:
        plain = [_plain(exact(value))]
        result = exact(call(*plain))
    except Exception:  # which comes again, with its place, when the function gets the value itself
        return
    _ask_again(call, plain, result)


def _ask_again(call: Callable[..., object], values: list[Value], result: Value) -> None:
    """Refuse a function that answers otherwise for equal values of another type; it may refuse that type."""
    for number in (float, bool):
        others = [_as_type(value, number) for value in values]
        if all(other is value for other, value in zip(others, values, strict=True)):
            continue
        try:
            other = exact(call(*others) if number is float else _quietly(call, others))
        except Exception:  # of a person's function, which was not made for this type
            continue
        if not _alike(other, result):
            raise InputError(
                f"it tells apart what is one value: {_listing(values)} gives {brief(presented(result))}, and "
                f"{_listing(others)} gives {brief(presented(other))}; write a function that does not"
            )


def _quietly(call: Callable[..., object], values: list[Value]) -> object:
    """Return the result of a function, without Python's warning about ~True."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*values)


def _alike(one: Value, other: Value) -> bool:
    """Return whether two results are equal, or are numbers that differ by no more than floats round."""
    if type(one) is tuple and type(other) is tuple and len(one) == len(other):
        return all(map(_alike, one, other))
    if is_number(one) and is_number(other):
        return abs(Fraction(one) - other) * 10**9 <= abs(Fraction(other))
    return one == other


def _plain(value: Value) -> Value:
    """Return a value as functions get it: truth values are numbers here, so that equal values look the same."""
    if type(value) is tuple:
        return tuple(_plain(item) for item in value)
    return int(value) if isinstance(value, bool) else presented(value)


def _as_type(value: Value, number: type) -> Value:
    if type(value) is tuple:
        items = tuple(_as_type(item, number) for item in value)
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    whole = isinstance(value, int) and (value in (0, 1) if number is bool else abs(value) < 2**53)
    return number(value) if whole else value


def _listing(values: list[Value]) -> str:
    return ", ".join(map(brief, values))
