"""Representations: how a machine type holds the values of an arithmetic, and computes with them.

| class | arithmetics | machine types |
| --- | --- | --- |
| `integers.Integers` | `Fixed` | int16, int32 |
| `integers.Int16ToZero` | `Fixed` with ties to zero, in 16 bits | int16 |
| `floats.FloatsToEven` | `Float` and wide `Fixed`, ties to even | float32, float64 |
| `floats.Floats` | the same, ties to zero or away | float32, float64 |
| `floats.Machine` | `Native` | float32, float64 |

The static methods of `Representation` are the rounded operations on encoded values, single ones or SIMD vectors; what
they mean is written in `weightsmith.arithmetic`. The loops call them by the names below this class: Numba compiles the
method of the class that the type of the last argument, the *constants*, belongs to. There is no fast-math: nothing is
reordered, and no product is contracted into a sum.

A right factor has a type for the product that it was made for: another pairing does not compile. Where a factor was
stored in an array, it is wrapped again as it is loaded; in machine code a named tuple costs nothing.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from numba.core.errors import TypingError
from numba.extending import overload

from weightsmith.kernels.packed.instructions import INLINED, inlined, negative

Encoded = npt.NDArray[Any]
Operation = TypeVar("Operation", bound=Callable[..., Any])
_overload: Callable[..., Callable[[Operation], Operation]] = overload


class Factor(NamedTuple):
    """For `multiply`: any value."""

    value: Any


class UnitFactor(NamedTuple):
    """For `multiply_unit`: at most 1 in absolute value."""

    value: Any
    multiple: Any  # of the value, for floats: see `floats.product_on_grid`


class BoundedFactor(NamedTuple):
    """For `multiply_bounded`: the product fits, if `shift` comes from the largest left factor."""

    value: Any
    shift: Any


class WeightFactor(NamedTuple):
    """For `multiply_weight`: above 1 in absolute value, with the |x| from which on x ⊗ weight saturates."""

    value: Any
    reach: Any


FACTORS = (Factor, UnitFactor, BoundedFactor, WeightFactor)


class TableIndex(NamedTuple):
    """The index of a member in a table with a value for each member: see `carrier.function_table`."""

    shift: int  # of the bits of a float, to drop those that are always 0
    base: int  # the rest of the smallest positive member, less 1
    half: int  # the index of 0 among integers, and of the first negative float


class Representation:
    """How the values of some arithmetics are computed with; a subclass names the type of its constants."""

    Constants: ClassVar[type[Any]]
    of_constants: ClassVar[dict[type[Any], type["Representation"]]] = {}

    def __init_subclass__(cls) -> None:
        """Register the type of the constants."""
        cls.of_constants[cls.Constants] = cls

    @staticmethod
    def constants(A: Any, dtype: np.dtype[Any]) -> Any:
        """Return the constants of an arithmetic."""
        raise NotImplementedError

    # On whole arrays, in numpy

    @staticmethod
    def factors(values: Encoded, constants: Any) -> Encoded:
        """Return the values of right factors of `multiply` and `multiply_weight`."""
        return values

    @staticmethod
    def unit_factors(values: Encoded, constants: Any) -> Encoded:
        """Return the values of right factors of `multiply_unit`; none is above 1 in absolute value."""
        return values

    @staticmethod
    def multiples(factors: Encoded, constants: Any) -> Encoded:
        """Return the multiples of the values of unit factors."""
        return factors

    @staticmethod
    def reach(values: Encoded, constants: Any) -> Encoded:
        """Return for each weight the |x| from which on x ⊗ weight saturates; zeros, if products are clamped instead."""
        return np.zeros_like(values)

    # In machine code

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        """Return x ⊕ y."""

    @staticmethod
    def add_calm(x: Any, y: Any, constants: Any) -> Any:
        """Return x ⊕ y where it does not saturate."""

    @staticmethod
    def factor(y: Any, constants: Any) -> Any:
        """Return the right factor y of `multiply`."""
        return Factor(y)

    @staticmethod
    def multiply(x: Any, y: Factor, constants: Any) -> Any:
        """Return x ⊗ y."""

    @staticmethod
    def unit_factor(y: Any, constants: Any) -> Any:
        """Return the right factor y of `multiply_unit`; |y| is at most 1."""
        return UnitFactor(y, y)

    @staticmethod
    def stored_unit(value: Any, constants: Any) -> Any:
        """Return the `UnitFactor` with a value that was stored."""
        return UnitFactor(value, value)

    @staticmethod
    def multiply_unit(x: Any, y: UnitFactor, constants: Any) -> Any:
        """Return x ⊗ y, which does not saturate. For floats, it is enough that |x| or |y| is at most 1."""

    @staticmethod
    def multiply_weight(x: Any, y: WeightFactor, constants: Any) -> Any:
        """Return x ⊗ y for a weight above 1 in absolute value, from `factors`."""

    @staticmethod
    def fits(x: Any, y: Any, constants: Any) -> Any:
        """Return whether `multiply_bounded` takes products of values up to x with values up to y."""

    @staticmethod
    def left_shift(largest: Any, constants: Any) -> Any:
        """Return by how many bits `multiply_bounded` shifts left factors of up to `largest`; any number for none."""
        return largest

    @staticmethod
    def bounded_factor(y: Any, shift: Any, constants: Any) -> Any:
        """Return the right factor y of `multiply_bounded`, for left factors that are shifted so."""
        return BoundedFactor(y, shift)

    @staticmethod
    def multiply_bounded(x: Any, y: BoundedFactor, constants: Any) -> Any:
        """Return x ⊗ y, where it fits."""

    @staticmethod
    def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
        """Replace the first entries of a row of x by x ⊘ y, for 0 ≤ x ≤ y; y has one row."""

    @staticmethod
    def largest_size(x: Any, constants: Any) -> Any:
        """Return the largest absolute value in a SIMD vector."""

    @staticmethod
    def table_index(x: Any, index: TableIndex, constants: Any) -> Any:
        """Return the index of x in a table with a value for every member."""


def _of_representation(described: Operation) -> Operation:
    """Have Numba compile the method of the representation whose constants come last, with factors as annotated."""
    name, annotations = described.__name__, [p.annotation for p in signature(described).parameters.values()]

    @_overload(described, strict=False, jit_options=INLINED)
    @wraps(described)
    def chosen(*types: Any) -> Any:
        for given, wanted in zip(types, annotations, strict=True):
            if wanted in FACTORS and getattr(given, "instance_class", None) is not wanted:
                raise TypingError(f"{name} takes a {wanted.__name__}, not {given}")
        return getattr(Representation.of_constants[types[-1].instance_class], name)

    return described


add, add_calm = _of_representation(Representation.add), _of_representation(Representation.add_calm)
factor, multiply = _of_representation(Representation.factor), _of_representation(Representation.multiply)
unit_factor = _of_representation(Representation.unit_factor)
stored_unit = _of_representation(Representation.stored_unit)
multiply_unit = _of_representation(Representation.multiply_unit)
multiply_weight = _of_representation(Representation.multiply_weight)
fits, left_shift = _of_representation(Representation.fits), _of_representation(Representation.left_shift)
bounded_factor = _of_representation(Representation.bounded_factor)
multiply_bounded = _of_representation(Representation.multiply_bounded)
divide, largest_size = _of_representation(Representation.divide), _of_representation(Representation.largest_size)
table_index = _of_representation(Representation.table_index)


@inlined
def subtract(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊖ y."""
    return add(x, negative(y), constants)
