"""Numbers that nobody can change: what is not finite is found wherever it stands, −0 goes, and parts are shared."""

import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weightsmith.arithmetic.immutable import (
    AT_ONCE,
    SMALL,
    Held,
    NotFiniteError,
    examined,
    held,
    held_copy,
    immutable,
    is_held,
    mapped,
    neighbours,
    room,
    unchecked,
)

TYPES = [np.float32, np.float64]
MANY = 2 * AT_ONCE + 5


def numbers(dtype: Any, size: int = MANY) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=size).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, AT_ONCE - 1, AT_ONCE, MANY - 1])
def test_what_is_not_finite_is_found_wherever_it_stands(dtype: Any, value: float, place: int) -> None:
    x = numbers(dtype)
    x[place] = value
    for look in (examined, immutable):
        with pytest.raises(NotFiniteError) as raised:
            look(x)
        assert raised.value.place == [place]
        assert str(raised.value.value) == str(value)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_place_is_that_in_the_array_whatever_its_order(order: Any) -> None:
    x = np.array(numbers(np.float32, 300 * 400).reshape(300, 400), order=order)
    x[251, 7] = np.nan
    for given in (x, x[:, ::1], x[1:, 2:], x.T):
        with pytest.raises(NotFiniteError) as raised:
            examined(given)
        assert np.isnan(given[tuple(raised.value.place)])


@pytest.mark.parametrize("dtype", TYPES)
def test_finite_numbers_whose_squares_overflow_are_taken(dtype: Any) -> None:
    x = np.full(MANY, np.finfo(dtype).max, dtype)
    x[1::2] = -np.finfo(dtype).max
    assert not examined(x)
    assert (immutable(x) == x).all()
    x[AT_ONCE + 1] = np.nan
    with pytest.raises(NotFiniteError):
        examined(x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("place", [0, AT_ONCE, MANY - 1])
def test_minus_zero_is_found_and_goes(dtype: Any, place: int) -> None:
    x = numbers(dtype)
    x[3], x[4] = 0.0, np.finfo(dtype).smallest_subnormal
    x[5] = -x[4]
    assert not examined(x)
    x[place] = -0.0
    assert examined(x)
    data = room(x.nbytes)
    unchecked(data, 0, x.shape, x.dtype)[:] = x
    for found in (immutable(x), held_copy(x, x.dtype), held(unchecked(data, 0, x.shape, x.dtype))):
        assert found.dtype == dtype
        assert (found == x).all()
        assert not np.signbit(found[place])


@pytest.fixture
def file(tmp_path: Path) -> Held:
    (tmp_path / "numbers").write_bytes(b"12345678" + numbers(np.float32).tobytes() + b"1234")
    with open(tmp_path / "numbers", "rb") as opened:
        return mapped(opened)


def test_numbers_in_no_file_are_copied() -> None:
    x = numbers(np.float32)
    assert (held(x) == x).all()
    assert not np.shares_memory(held(x), x)


def test_numbers_in_a_mapped_file_are_shared_with_all_their_parts(file: Held) -> None:
    x = held(unchecked(file, 8, (MANY,), np.dtype(np.float32)))
    assert (x == numbers(np.float32)).all()
    assert x.ctypes.data == unchecked(file, 8, (1,), x.dtype).ctypes.data
    for part in (x, x[5:77], x[: 8 * 9].reshape(8, 9).T[2:4], immutable(x)[1:]):
        assert is_held(part)
        assert np.shares_memory(immutable(part), x)
        with pytest.raises(ValueError, match="WRITEABLE"):
            immutable(part).flags.writeable = True


@pytest.mark.parametrize("begin", [1, 4, 10])
def test_numbers_at_an_odd_place_are_copied(begin: int) -> None:
    x, dtype = numbers(np.float64, AT_ONCE), np.dtype(np.float64)
    data = room(x.nbytes + 16)
    unchecked(data, begin, x.shape, dtype)[:] = x
    found = held(unchecked(data, begin, x.shape, dtype))
    assert found.flags.aligned
    assert is_held(found)
    assert (found == x).all()


def test_what_only_looks_held_is_copied() -> None:
    anonymous = mmap.mmap(-1, 4096)
    x = np.frombuffer(memoryview(anonymous).toreadonly(), np.float32)
    assert not is_held(x)
    assert not np.shares_memory(immutable(x), x)
    data = room(4096)
    assert not is_held(unchecked(data, 0, (8,), np.dtype(np.float32)))
    found = held_copy(numbers(np.float32), np.dtype(np.float32))
    assert is_held(found)
    for other in (found.view(np.int32), found[1:].view(np.float64)):
        assert not is_held(other)


@pytest.mark.parametrize("size", [0, 1, SMALL // 4 - 1, SMALL // 4, MANY])
@pytest.mark.parametrize(("of", "to"), [(np.float32, np.float64), (np.float64, np.float32), (np.float32, np.float32)])
def test_a_copy_in_another_type_has_the_same_numbers(size: int, of: Any, to: Any) -> None:
    x = numbers(np.float32, size).astype(of)
    found = held_copy(x, np.dtype(to))
    assert found.dtype == to
    assert (found == x).all()
    assert not np.shares_memory(found, x)


def test_a_copy_lies_as_what_it_is_a_copy_of() -> None:
    x = numbers(np.float32, 300 * 400).reshape(300, 400)
    assert held_copy(x, x.dtype).flags.c_contiguous
    found = held_copy(x[:, 100:].T, x.dtype)
    assert found.flags.f_contiguous
    assert (found == x[:, 100:].T).all()


@pytest.mark.parametrize("axis", [0, 1])
def test_neighbours_are_joined_without_a_copy_and_others_are_not(axis: int) -> None:
    whole = held_copy(numbers(np.float32, 600 * 400).reshape(600, 400), np.dtype(np.float32))
    parts = [immutable(part) for part in np.split(whole, 4, axis)]
    found = neighbours(parts, axis)
    assert found is not None
    assert np.shares_memory(found, whole)
    assert np.array_equal(found, whole)
    other = held_copy(whole, whole.dtype)
    for mixed in (parts[::-1], parts[::2], [*parts[:3], parts[2]], [parts[0], np.split(other, 4, axis)[1]]):
        assert neighbours(mixed, axis) is None
    assert neighbours(parts, 1 - axis) is None
    assert neighbours([np.array(part) for part in parts], axis) is None
