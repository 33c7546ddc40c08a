"""Declarations of fields: an array with named axes, or names along one.

    W_1: Annotated[Weights, Axes("neurons", "lanes")]
    names: Annotated[Sequence[str], Labels("neurons")] = ()

Shape checks, widening, renaming, cutting, stacking, rounding and files are folds over this declaration, in `folds`; a
new array needs nothing else. The first axis is the one that an array writes, the last the one that it reads: an array
whose first axis is "lanes" writes to the stream.
"""

from collections.abc import Mapping
from dataclasses import Field, fields
from types import MappingProxyType, NoneType
from typing import Any, NamedTuple, TypeAlias, get_args

LANES, NEURONS = "lanes", "neurons"


class Axes(tuple[str, ...]):
    """The names of an array's axes. Arrays of a part that name the same axis have the same size along it."""

    __slots__ = ()

    def __new__(cls, *names: str) -> "Axes":
        """Take the names in order."""
        return super().__new__(cls, names)


class Labels(NamedTuple):
    """A tuple of texts, one for each place along an axis; () where there are none."""

    axis: str


class LaneNames(NamedTuple):
    """Names of lanes of the transformer; None for all of them."""


Declared: TypeAlias = Axes | Labels | LaneNames


class _Known(NamedTuple):
    """The declarations of a type of part, looked up once."""

    declared: Mapping[str, Declared]
    axes: Mapping[str, Axes]
    optional: frozenset[str]


_KNOWN: dict[type[Any], _Known] = {}


def declarations(kind: type[Any]) -> Mapping[str, Declared]:
    """Return the declarations of the fields of a type of part, in their order."""
    return _known(kind).declared


def array_axes(kind: type[Any]) -> Mapping[str, Axes]:
    """Return the axes of the array fields of a kind of part."""
    return _known(kind).axes


def optional_arrays(kind: type[Any]) -> frozenset[str]:
    """Return the array fields that may be None."""
    return _known(kind).optional


def _known(kind: type[Any]) -> _Known:
    if kind not in _KNOWN:
        declared = {field.name: found for field in fields(kind) if (found := _declared(field)) is not None}
        axes = {name: found for name, found in declared.items() if isinstance(found, Axes)}
        may_be_none = {f.name for f in fields(kind) if NoneType in get_args(getattr(f.type, "__origin__", None))}
        _KNOWN[kind] = _Known(MappingProxyType(declared), MappingProxyType(axes), frozenset(may_be_none & axes.keys()))
    return _KNOWN[kind]


def _declared(field: "Field[Any]") -> Declared | None:
    extras = getattr(field.type, "__metadata__", ())
    return next((extra for extra in extras if isinstance(extra, Axes | Labels | LaneNames)), None)
