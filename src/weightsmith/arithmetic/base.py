"""The base of every arithmetic: rounding, the rounded operations, and left folds of them."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic.core import Activation, Array, Core, Elementary, silent
from weightsmith.errors import InputError, WeightsmithError, brief


class Arithmetic(ABC):
    """A number system with its rounding.

    Values travel as numpy arrays of float64, the *carrier*; every value that goes in or comes out is a member of
    the system. Each operation is the exact real result, rounded once. Sums are left folds in index order that
    start from 0 and round after every addition.
    """

    # The members

    @property
    @abstractmethod
    def infinity(self) -> float:
        """∞: the largest value. It is finite."""

    @property
    @abstractmethod
    def smallest(self) -> float:
        """The smallest positive value."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """The nominal size: a sign, the bits of the exponent, and those of the significand that are not implied."""

    @property
    @abstractmethod
    def precision(self) -> int:
        """p: how many bits a significand has."""

    @property
    @abstractmethod
    def least_exponent(self) -> int:
        """The smallest E: below it the distance between members stays the same."""

    @property
    def lowest(self) -> float:
        """The most negative value; −∞ in every symmetric system."""
        return -self.infinity

    @abstractmethod
    def values(self) -> Array:
        """All members in ascending order, for systems of up to 16 bits."""

    @abstractmethod
    def _nearest(self, x: Array) -> Array:
        """Round float64 values that are not NaN."""

    def _nearest_sum(self, x: Array) -> Array:
        """Round sums and differences of two members."""
        return self._nearest(x)

    @abstractmethod
    def _elementary(self, name: Elementary, x: Array) -> Array:
        """Return a function of members, rounded once."""

    @property
    def stored(self) -> np.dtype[Any]:
        """The type of the machine's floats that models hold their weights in, and files: it has every member."""
        return np.dtype(np.float64)

    def has_all(self, dtype: np.dtype[Any]) -> bool:
        """Return whether every finite number of a type of floats is a member."""
        return False

    # Rounding and membership

    def round(self, x: npt.ArrayLike) -> Array:
        """Return the nearest member of each value; values beyond ±∞ become ±∞. NaN is refused."""
        values = as_float64(x)
        if values.size and np.isnan(values.min()):
            raise InputError(f"cannot round nan into {self}: replace it by a number first")
        return _plain(self._nearest(values))

    @silent
    def contains(self, x: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return which values are members."""
        values = as_float64(x)
        member: npt.NDArray[np.bool_] = np.isfinite(values) & (self._nearest(values) == values)
        return member

    @silent
    def members(self, x: npt.ArrayLike) -> Array:
        """Return values as they are; refuse one that is not a member."""
        values = as_float64(x)
        wrong = ~(self._nearest(values) == values)
        if wrong.any():
            value = float(values[wrong][0])
            instead = "" if np.isnan(value) else f"; round it first: arithmetic.round({value!r})"
            raise InputError(f"{brief(value)} is not a member of {self}{instead}")
        return values

    # The operations: exact, then rounded once. They refuse values that are not members; `core` does not check.

    @property
    def core(self) -> Core:
        """The operations for arrays whose values are known to be members: the same, without a check."""
        return Core(self)

    def add(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Return x ⊕ y."""
        return _plain(self.core.add(self.members(x), self.members(y)))

    def subtract(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Return x ⊖ y."""
        return _plain(self.core.subtract(self.members(x), self.members(y)))

    def multiply(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Return x ⊗ y."""
        return _plain(self.core.multiply(self.members(x), self.members(y)))

    def divide(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Return x ⊘ y; dividing by 0 is refused."""
        divisor = self.members(y)
        if (divisor == 0).any():
            raise InputError(f"division by 0 in {self}: x ⊘ 0 has no meaning, treat that case first")
        return _plain(self.core.divide(self.members(x), divisor))

    def exp(self, x: npt.ArrayLike) -> Array:
        """Return e to the power x."""
        return _plain(self.core.exp(self.members(x)))

    def activate(self, name: Activation, x: npt.ArrayLike) -> Array:
        """Return an activation of x: the exact real function, rounded once."""
        return _plain(self.core.activate(name, self.members(x)))

    def sqrt(self, x: npt.ArrayLike) -> Array:
        """Return the square root of x; a negative x is refused."""
        values = self.members(x)
        if (values < 0).any():
            raise InputError(f"no square root of {brief(float(values[values < 0][0]))} in {self}: it is negative")
        return _plain(self.core.sqrt(values))

    # Left folds

    def sum(self, x: npt.ArrayLike, axis: int = -1) -> Array:
        """Return ((0 ⊕ x_1) ⊕ x_2) ⊕ … along an axis."""
        return _plain(self.core.sum(self.members(np.atleast_1d(as_float64(x))), axis))

    def dot(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Return Σ x_j ⊗ y_j along the last axis; the other axes broadcast."""
        x, y = self.members(x), self.members(y)
        if x.ndim == 0 or y.ndim == 0 or x.shape[-1] != y.shape[-1]:
            raise InputError(f"a dot product needs vectors of one length, and the shapes are {x.shape} and {y.shape}")
        return _plain(self.core.dot(x, y))

    def matvec(self, M: npt.ArrayLike, x: npt.ArrayLike) -> Array:
        """Return the product of a matrix (rows, columns) with vectors (…, columns): a dot product per row."""
        matrix, vectors = as_float64(M), as_float64(x)
        if matrix.ndim != 2 or vectors.ndim == 0:
            raise InputError(
                f"matvec needs a matrix and vectors, and the shapes are {matrix.shape} and {vectors.shape}"
            )
        return self.dot(matrix, vectors[..., np.newaxis, :])

    def softmax(self, x: npt.ArrayLike) -> Array:
        """Return e_j ⊘ Σ e_j with e_j = exp(x_j) along the last axis; all 0 where that sum is 0."""
        e = np.atleast_1d(self.exp(x))
        z = np.expand_dims(self.sum(e), -1)
        if not np.isfinite(z).all():
            raise InputError(f"the sum of the exponentials overflows {self}: subtract the largest value first")
        return self.divide(e, np.where(z == 0, self.infinity, z))  # z is 0 only if every e_j is


def checked_arithmetic(value: object, error: type[WeightsmithError] = InputError) -> Arithmetic:
    """Return an arithmetic; refuse anything else."""
    if not isinstance(value, Arithmetic):
        raise error(f"arithmetic={brief(value)} is not an arithmetic: write Fixed(4, 4), for example")
    return value


def as_float64(x: npt.ArrayLike) -> Array:
    """Return numbers of any shape as float64; refuse numbers that float64 would change."""
    return real_numbers(x).astype(np.float64, copy=False)


@silent
def real_numbers(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return numbers of any shape in their own type; refuse numbers that float64 would change."""
    try:
        raw = np.asarray(x)
    except (OverflowError, ValueError):
        raise InputError(f"{brief(x)} is not a rectangular array") from None
    if raw.dtype.kind not in "biuf":
        raise InputError(f"{brief(x)} is not an array of real numbers")
    if raw.dtype.kind in "iu" and ((raw > 2**53) | (raw < -(2**53))).any():
        raise InputError(f"{brief(x)} holds integers beyond 2^53, which float64 would change")
    if raw.dtype.itemsize > 8 and not np.array_equal(raw.astype(np.float64), raw, equal_nan=True):
        raise InputError(f"{brief(x)} holds numbers of more than 53 bits, which float64 would change")
    return raw


def _plain(x: Array) -> Array:
    """Turn arrays without axes into scalars, as numpy's own functions do."""
    scalar: Array = x[()]
    return scalar
