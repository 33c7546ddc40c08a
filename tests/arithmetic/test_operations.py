"""Folds, softmax, scalars, the machine's own operations, and what cannot be computed."""

import numpy as np
import pytest

from weightsmith import Fixed, InputError, Native


def test_a_product_of_native_float32_is_the_machines() -> None:
    A = Native("float32")
    random = np.random.default_rng(4)
    x = (random.normal(size=100_000) * 10.0 ** random.integers(-40, 38, 100_000)).astype(np.float32)
    y = random.permutation(x)
    with np.errstate(all="ignore"):
        for operation, machine in (
            ("add", x + y),
            ("multiply", x * y),
            ("subtract", x - y),
            ("divide", x / y),
        ):
            if operation == "divide":
                x, y, machine = x[y != 0], y[y != 0], machine[y != 0]
            assert np.array_equal(getattr(A, operation)(x, y), machine.astype(np.float64), equal_nan=True), operation


def test_folds_round_after_each_step_from_the_left() -> None:
    A = Fixed(2, 2)
    assert A.infinity == 3.75
    assert A.sum([3.0, 3.0, -3.0]) == 0.75, "3 ⊕ 3 saturates at 3.75 before 3 is taken away"
    assert A.sum([3.0, -3.0, 3.0]) == 3.0
    assert A.dot([0.25, 0.5], [0.5, 0.5]) == 0.25, "0.25 ⊗ 0.5 is a tie and goes to 0"
    assert A.matvec([[1.0, 0.0], [1.0, 1.0]], [[3.0, 2.0], [1.0, 1.0]]).tolist() == [[3.0, 3.75], [1.0, 2.0]]
    assert A.sum(np.zeros((3, 0))).tolist() == [0.0, 0.0, 0.0]
    assert A.sum([[1.0, 2.0], [0.5, 0.25]], axis=0).tolist() == [1.5, 2.25]


def test_softmax_is_unshifted_and_gives_zeros_when_every_exponential_vanishes() -> None:
    A = Fixed(4, 4)
    assert A.softmax([0.0, 0.0]).tolist() == [0.5, 0.5]
    assert A.softmax([-15.0, -15.0]).tolist() == [0.0, 0.0]
    assert A.softmax([[0.0, -15.0], [-15.0, -15.0]]).tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_scalars_go_in_and_come_out_as_scalars() -> None:
    result = Fixed(4, 4).add(1, 2)
    assert result == 3
    assert np.ndim(result) == 0
    assert isinstance(result, np.float64)


def test_what_cannot_be_computed_is_refused_with_the_value() -> None:
    A = Fixed(4, 4)
    with pytest.raises(InputError, match=r"0\.1 is not a member of fixed\(4,4\); round it first"):
        A.add(0.1, 1)
    with pytest.raises(InputError, match=r"16\.0 is not a member"):
        A.exp(16)
    with pytest.raises(InputError, match="nan is not a member"):
        A.add(np.nan, 1)
    with pytest.raises(InputError, match=r"division by 0 in fixed\(4,4\)"):
        A.divide([1, 1], [1, 0])
    with pytest.raises(InputError, match=r"no square root of -1\.0"):
        A.sqrt([-1])
    with pytest.raises(InputError, match="is not an array of real numbers"):
        A.round(["1"])
    with pytest.raises(InputError, match=r"integers beyond 2\^53"):
        A.round([2**60 + 1])


def test_vectors_of_different_lengths_have_no_product() -> None:
    A = Fixed(4, 4)
    for x, y in (([2], [1, 2, 3]), (2.0, 3.0), ([1, 2], [1, 2, 3])):
        with pytest.raises(InputError, match="a dot product needs vectors of one length, and the shapes are"):
            A.dot(x, y)
    with pytest.raises(InputError, match="a dot product needs vectors of one length"):
        A.matvec([[1], [2]], [1, 2, 3])
    with pytest.raises(InputError, match="matvec needs a matrix and vectors"):
        A.matvec(3, 4)


def test_numbers_that_float64_would_change_are_refused() -> None:
    long = np.longdouble(1) + np.longdouble(2) ** -60
    with pytest.raises(InputError, match="numbers of more than 53 bits"):
        Fixed(4, 4).round(long)
    assert Fixed(4, 4).round(np.longdouble(1.03125)) == 1
    with pytest.raises(InputError, match="is not a rectangular array"):
        Fixed(4, 4).round([[1, 2], [3]])


def test_the_sum_of_a_softmax_that_overflows_the_machine_is_refused() -> None:
    A = Native("float32")
    with pytest.raises(InputError, match="the sum of the exponentials overflows float32"):
        A.softmax(A.round([88.7, 88.7]))


def test_native_rounding_stays_finite() -> None:
    assert Native("float32").round([1e39, -np.inf]).tolist() == [
        Native("float32").infinity,
        -Native("float32").infinity,
    ]
