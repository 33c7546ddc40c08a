"""Immutable arrays, for the weights of a model: finite, and without −0.

They own bytes, or they lie in a `Held`: the memory of a whole file, whose parts many arrays share. `held` checks the
numbers before it returns an array over such memory, so its users need not check again.
"""

import math
import mmap
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import Any, BinaryIO, overload

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic.core import Array, Weights, silent

AT_ONCE = 1 << 16  # numbers of a large array that are copied or checked at once: they stay in the cache
FLOATS: tuple[np.dtype[Any], np.dtype[Any]] = (np.dtype(np.float32), np.dtype(np.float64))
SMALL = 1 << 16  # bytes: smaller arrays get no mapping of their own
_WHOLE: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}  # of floats read so, −0 is least


class NotFiniteError(ValueError):
    """A number is not finite."""

    def __init__(self, place: tuple[int, ...], value: float) -> None:
        """Take the index in an array, and the value."""
        super().__init__(f"{list(place)} is {value}")
        self.place, self.value = list(place), value


class Held(mmap.mmap):
    """Memory that lives as long as there are arrays over it."""


def room(size: int) -> Held:
    """Return memory of a size in bytes."""
    return Held(-1, max(1, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def mapped(file: BinaryIO) -> Held:
    """Return an open file, which is not empty, as mapped memory."""
    return Held(file.fileno(), 0, access=mmap.ACCESS_READ)


def unchecked(data: Held, begin: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the numbers in memory from a byte on, unchecked; memory that is not a file may be written through them."""
    return np.ndarray(shape, dtype, data, begin)


def held(numbers: npt.NDArray[Any]) -> Weights:
    """Return floats as an immutable array; refuse infinities and NaN.

    Arrays from `unchecked` are shared, unless they hold −0 or are not aligned. All others are copied.
    """
    data, copy = _root(numbers), examined(numbers) or not numbers.flags.aligned
    if copy or not isinstance(data, Held):
        return held_copy(numbers, numbers.dtype)
    begin = numbers.ctypes.data - np.frombuffer(data, np.uint8).ctypes.data
    return _shown(data, begin, numbers.shape, numbers.dtype)


def held_copy(x: npt.NDArray[Any], dtype: np.dtype[Any]) -> Weights:
    """Return finite floats, copied once, as numbers of a type that has all of them; parts of many can be shared."""
    return filled(x, dtype, lambda copy, x: np.copyto(copy, x, casting="same_kind"))


def filled(
    x: npt.NDArray[Any], dtype: np.dtype[Any], fill: Callable[[npt.NDArray[Any], npt.NDArray[Any]], object]
) -> Weights:
    """Return an immutable array that `fill(result, x)` computes elementwise from x; all results are finite."""
    if x.ndim == 2 and x.strides[0] < x.strides[1]:  # in the order in which they lie
        return filled(x.T, dtype, fill).T
    size = x.size * dtype.itemsize
    data = room(size) if size >= SMALL else None
    result = np.empty(x.shape, dtype) if data is None else unchecked(data, 0, x.shape, dtype)
    fill(result, x)
    result += 0  # without −0
    return immutable(result) if data is None else _shown(data, 0, x.shape, dtype)


def _shown(data: Held, begin: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Weights:
    """Return numbers in memory as an array over a read-only view of it."""
    size = math.prod(shape) * dtype.itemsize
    if not size:
        return immutable(np.zeros(shape, dtype))
    view: Any = memoryview(data).toreadonly()[begin : begin + size]
    return np.frombuffer(view.cast(dtype.char), dtype).reshape(shape)


def is_held(x: npt.NDArray[Any]) -> bool:
    """Return whether an array comes from `held`, or is a part of such an array."""
    root = _root(x)
    if not isinstance(root, memoryview) or not isinstance(root.obj, Held):
        return False
    return root.readonly and root.format == x.dtype.char and x.flags.aligned


def neighbours(arrays: Sequence[npt.NDArray[Any]], axis: int) -> Weights | None:
    """Return arrays joined along an axis without a copy, if they are neighbours in held memory; else None."""
    first = arrays[0]
    if not is_held(first) or any(not is_held(x) or _root(x) is not _root(first) for x in arrays):
        return None
    kind, step = (first.shape, first.strides, first.dtype), first.shape[axis] * first.strides[axis]
    for n, x in enumerate(arrays):
        if (x.shape, x.strides, x.dtype) != kind or x.ctypes.data != first.ctypes.data + n * step:
            return None
    shape = tuple(len(arrays) * size if i == axis else size for i, size in enumerate(first.shape))
    return np.lib.stride_tricks.as_strided(first, shape, first.strides, writeable=False)


def _root(x: npt.NDArray[Any]) -> object:
    """Return the object that owns the memory of an array."""
    root: object = x.base
    while isinstance(root, np.ndarray):
        root = root.base
    return root


@overload
def immutable(x: Array) -> Array: ...
@overload
def immutable(x: npt.NDArray[Any]) -> Weights: ...
@silent
def immutable(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers as an array over bytes, which cannot be made writable; an immutable array is shared.

    float32 stays float32, all other types become float64. Infinities and NaN are refused. The conversion goes in
    pieces, so that a large array is never held twice besides the argument.
    """
    if is_held(x):
        return x.view()
    if _is_all_of_its_bytes(x) and not examined(x):
        return np.ndarray(x.shape, x.dtype, x.base)
    dtype: np.dtype[Any] = FLOATS[0] if x.dtype == FLOATS[0] else FLOATS[1]
    data = BytesIO()
    for before, some in pieces(x):
        numbers = some.astype(dtype, copy=False)
        _check_finite(numbers, before, x)
        data.write((numbers + dtype.type(0)).tobytes())  # without −0
    return np.ndarray(x.shape, dtype, data.getvalue())


def _is_all_of_its_bytes(x: npt.NDArray[Any]) -> bool:
    """Return whether an array is over bytes, and is all of them, in order, as floats."""
    data: object = x.base
    return isinstance(data, bytes) and x.dtype in FLOATS and x.nbytes == len(data) and x.flags.c_contiguous


def pieces(x: npt.NDArray[Any]) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Yield an array in pieces of about `AT_ONCE` numbers, in order, each with the count of numbers before it."""
    if x.ndim < 2 or x.flags.c_contiguous:
        flat = x.reshape(-1)
        yield from ((begin, flat[begin : begin + AT_ONCE]) for begin in range(0, flat.size, AT_ONCE))
    elif x.size:
        row = x.size // len(x)
        rows = max(1, AT_ONCE // row)
        yield from ((begin * row, x[begin : begin + rows]) for begin in range(0, len(x), rows))


@silent
def examined(x: npt.NDArray[Any]) -> bool:
    """Refuse floats that are not finite, and return whether one is −0, in one pass."""
    found, whole = False, _WHOLE[x.dtype.itemsize]
    minus_zero = np.iinfo(whole).min
    for before, some in pieces(x):
        _check_finite(some, before, x)
        found = found or bool(some.view(whole).min() == minus_zero)
    return found


def _check_finite(some: npt.NDArray[Any], before: int, x: npt.NDArray[Any]) -> None:
    """Refuse infinities and NaN. A finite sum of squares settles it; otherwise each number is checked."""
    flat = some.reshape(-1)
    if not np.isfinite(np.dot(flat, flat)):
        odd = ~np.isfinite(flat)
        if odd.any():
            place = before + int(odd.argmax())
            raise NotFiniteError(tuple(int(i) for i in np.unravel_index(place, x.shape)), float(flat[odd][0]))
