"""Parts that are given the array of another part share its bytes; nothing else is shared, and nothing can change it."""

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.model.frozen import frozen_array


def head(W_K: np.ndarray, W_V: np.ndarray) -> ws.Head:
    W = np.ones((2, 3))
    return ws.Head(W, W_K, W_V, W.T)


def test_heads_share_the_keys_and_values_of_another_head() -> None:
    first = head(np.full((2, 3), 2.0), np.full((2, 3), 3.0))
    second = replace(first, W_Q=np.zeros((2, 3)))
    for name in ("W_K", "W_V", "W_O"):
        one, other = getattr(first, name), getattr(second, name)
        assert one.base is other.base
        assert one is not other  # so that not even their shapes hang together
    assert second.W_Q.base is not first.W_Q.base
    assert first != second
    assert replace(second, W_Q=first.W_Q) == first


def test_a_group_of_heads_takes_the_memory_of_one() -> None:
    size = 200
    W_K, W_V = np.ones((size, size)), np.ones((size, size))
    tracemalloc.start()
    first = ws.Head(W_K, W_K, W_V, W_V)
    one = tracemalloc.get_traced_memory()[0]
    heads = [first, *(replace(first, W_Q=W_K) for _ in range(3))]
    four = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert one > 4 * 8 * size**2
    assert four - one < 3.3 * 8 * size**2, "each has queries of its own, and nothing else"
    assert len({id(each.W_V.base) for each in heads}) == 1


@pytest.mark.parametrize("what", ["writable", "view", "a part", "another type", "minus zero", "other order"])
def test_what_somebody_may_change_or_is_not_as_it_must_be_is_copied(what: str) -> None:
    numbers = np.array([[1.0, -0.0], [2.0, 3.0]])
    given = {
        "writable": numbers,
        "view": numbers.view(),
        "a part": np.frombuffer(numbers.tobytes() + b"\0" * 8, count=4).reshape(2, 2),
        "another type": np.ndarray((2, 2), np.int64, np.array([[1, 0], [2, 3]]).tobytes()),
        "minus zero": np.ndarray((2, 2), np.float64, numbers.tobytes()),
        "other order": np.ndarray((2, 2), np.float64, numbers.T.tobytes(), order="F"),
    }[what]
    given.flags.writeable = what == "writable"
    found = frozen_array(given, "W", 2)
    assert found.base is not given.base
    numbers[:] = 7.0
    assert found.tolist() == [[1.0, 0.0], [2.0, 3.0]]
    assert not np.signbit(found).any()
    assert frozen_array(found, "W", 2).base is found.base


def test_an_array_over_a_part_of_some_bytes_is_copied() -> None:
    data: Any = np.arange(6.0).tobytes()
    for shape, offset in (((2, 2), 0), ((2, 2), 16), ((5,), 8)):
        given = np.ndarray(shape, np.float64, data, offset)
        assert frozen_array(given, "W", len(shape)).base is not data
    assert frozen_array(np.ndarray((2, 3), np.float64, data), "W", 2).base is data


def test_bytes_that_are_not_finite_are_refused_as_ever() -> None:
    given = np.ndarray((2,), np.float64, np.array([1.0, np.inf]).tobytes())
    with pytest.raises(ws.ModelError, match=r"W\[1\] is inf"):
        frozen_array(given, "W", 1)


def test_a_shared_array_cannot_be_written_to() -> None:
    second = replace(head(np.ones((2, 3)), np.ones((2, 3))), W_Q=np.zeros((2, 3)))
    with pytest.raises(ValueError, match="WRITEABLE"):
        second.W_K.flags.writeable = True
