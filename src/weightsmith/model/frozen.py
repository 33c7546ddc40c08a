"""The base of all parts of a transformer: immutable, with arrays that declare their axes, compared by value.

    W_1: Annotated[Weights, Axes("neurons", "lanes")]
    names: Annotated[Sequence[str], Labels("neurons")] = ()

Shape checks, widening, renaming, cutting, stacking, rounding and files are folds over these declarations, in `folds`; a
new array needs nothing else. The first axis is the one that an array writes, the last the one that it reads: an array
whose first axis is "lanes" writes to the stream.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields
from types import MappingProxyType, NoneType
from typing import Any, NamedTuple, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Weights, immutable, real_numbers
from weightsmith.arithmetic.immutable import NotFiniteError, pieces
from weightsmith.errors import InputError, ModelError

LANES, NEURONS = "lanes", "neurons"
# The metadata of fields that were added after the first version of the format: what they do to files and digests
OLD_FILES_LACK_IT: Mapping[str, bool] = MappingProxyType({"old files lack it": True})
FILES_OMIT_EMPTY: Mapping[str, bool] = MappingProxyType({**OLD_FILES_LACK_IT, "files omit empty": True})
DIGESTS_OMIT_DEFAULT: Mapping[str, bool] = MappingProxyType({**OLD_FILES_LACK_IT, "digests omit default": True})
BOTH_OMIT_DEFAULT: Mapping[str, bool] = MappingProxyType({**FILES_OMIT_EMPTY, **DIGESTS_OMIT_DEFAULT})


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


class Frozen:
    """The base of every part. Copying, unpickling and `dataclasses.replace` run the same checks as writing it out."""

    @classmethod
    def stored_as(cls) -> str:
        """Return the name of this kind of part in files and digests, which outlives a change of name."""
        return cls.__name__

    def axis_sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Return the sizes of axes that this part fixes; `sizes` are those that the parts around it fix."""
        return {}

    def counted(self) -> dict[str, object]:
        """Return the fields that go into digests; some are omitted, so that models from before them keep theirs."""
        values = {field: getattr(self, field.name) for field in fields(self) if field.compare}  # type: ignore[arg-type]
        return {
            field.name: value
            for field, value in values.items()
            if not (field.metadata.get("digests omit default") and _same(value, field.default))
        }

    def _freeze(self, *names: str) -> None:
        """Turn these array fields, or all of them, into read-only arrays with as many axes as they declare."""
        kind = type(self)
        for name in names or array_axes(kind):
            value = getattr(self, name)
            if value is not None or name not in optional_arrays(kind):
                self._set(name, frozen_array(value, name, len(array_axes(kind)[name])))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _compared(self) -> Iterator[tuple[str, Any]]:
        for field in fields(self):  # type: ignore[arg-type]
            if field.compare:
                yield field.name, getattr(self, field.name)

    def __eq__(self, other: object) -> bool:
        """Compare by value: every array bit for bit."""
        if type(self) is not type(other):
            return NotImplemented
        return self is other or all(_same(value, getattr(other, name)) for name, value in self._compared())

    def __hash__(self) -> int:
        """Agree with `==`. It is remembered, so the weights are read once."""
        if "_hash" not in self.__dict__:
            self._set("_hash", hash((type(self), *(_key(value) for _, value in self._compared()))))
        found: int = self.__dict__["_hash"]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Go through the constructor when copied or unpickled."""
        return _rebuild, (type(self), {field.name: getattr(self, field.name) for field in fields(self)})  # type: ignore[arg-type]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the same object: nothing in it can change."""
        return self


def _rebuild(kind: type[Any], values: dict[str, Any]) -> Any:
    return kind(**values)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if a is None or b is None:
            return a is b
        return a.shape == b.shape and (same_memory(a, b) or np.array_equal(a, b))
    return bool(a == b)


def same_memory(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> bool:
    """Return whether two arrays view the same numbers in memory."""
    return a.ctypes.data == b.ctypes.data and (a.shape, a.strides, a.dtype) == (b.shape, b.strides, b.dtype)


def _key(value: Any) -> object:
    """Return a key that is equal for equal values: arrays as float64, whatever their type."""
    return (value.shape, value.astype(np.float64).tobytes()) if isinstance(value, np.ndarray) else value


def frozen_array(value: npt.ArrayLike, name: str, axes: int) -> Weights:
    """Return a read-only array without −0; refuse values that are not finite and real, and another number of axes.

    float32 stays float32, all other types become float64. An immutable array is not copied.
    """
    if value is None:
        raise ModelError(f"{name} is missing")
    try:
        array = real_numbers(value)
        if array.ndim != axes:
            raise ModelError(f"{name} must have {axes} axes, and its shape is {array.shape}")
        return immutable(array)
    except NotFiniteError as error:
        raise ModelError(f"{name}{error.place} is {error.value}: every weight must be a finite number") from None
    except InputError as error:
        raise ModelError(f"{name}: {error}") from None


def first_place(
    array: npt.NDArray[Any], test: Callable[[npt.NDArray[Any]], npt.NDArray[np.bool_]]
) -> tuple[int, ...] | None:
    """Return the first index where a test is True, or None. The test gets a piece of the array at a time."""
    for before, some in pieces(array):
        found = test(some)
        if found.any():
            return tuple(int(i) for i in np.unravel_index(before + int(found.argmax()), array.shape))
    return None
