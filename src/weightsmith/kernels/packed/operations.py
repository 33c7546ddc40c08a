"""The rounded operations on carrier values, single ones or SIMD vectors, which the loops apply to whole rows.

Each is compiled from the function of the same name of a representation, as the type of the constants says, and why it
may be computed so is said there. What it means is written in `weightsmith.arithmetic`. There is no fast-math: nothing
is reordered, and no product is contracted into a sum.

A right factor has a type for the product that it was made for: with another one the operation does not compile.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar

from numba.core.errors import TypingError
from numba.extending import overload

from weightsmith.kernels.packed.instructions import INLINED, inlined, negative
from weightsmith.kernels.packed.representations import (
    FACTORS,
    BoundedFactor,
    Constants,
    Factor,
    UnitFactor,
    WeightFactor,
    function,
)

Operation = TypeVar("Operation", bound=Callable[..., Any])
_overload: Callable[..., Callable[[Operation], Operation]] = overload


def _of_representation(described: Operation) -> Operation:
    """Let Numba compile a function of the representation that the last argument is of, with factors as annotated."""
    name, annotations = described.__name__, [p.annotation for p in signature(described).parameters.values()]

    @_overload(described, strict=False, jit_options=INLINED)
    @wraps(described)
    def chosen(*types: Any) -> Any:
        for given, wanted in zip(types, annotations, strict=True):
            if wanted in FACTORS and getattr(given, "instance_class", None) is not wanted:
                raise TypingError(f"{name} takes a {wanted.__name__}, not {given}")
        return function(types[-1].instance_class, name)

    return described


@_of_representation
def add(x: Any, y: Any, constants: Constants) -> Any:
    """Return x ⊕ y."""


@inlined
def subtract(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊖ y."""
    return add(x, negative(y), constants)


@_of_representation
def add_calm(x: Any, y: Any, constants: Constants) -> Any:
    """Return x ⊕ y where it does not saturate."""


@_of_representation
def factor(y: Any, constants: Constants) -> Any:
    """Return the right factor y of `multiply`."""


@_of_representation
def multiply(x: Any, y: Factor, constants: Constants) -> Any:
    """Return x ⊗ y."""


@_of_representation
def unit_factor(y: Any, constants: Constants) -> Any:
    """Return the right factor y of `multiply_unit` and `multiply_normal`, if |y| is at most 1."""


@_of_representation
def multiply_unit(x: Any, y: UnitFactor, constants: Constants) -> Any:
    """Return x ⊗ y, which does not saturate. For floats, it is enough that |x| or |y| is at most 1."""


@_of_representation
def multiply_normal(x: Any, y: UnitFactor, constants: Constants) -> Any:
    """Return x ⊗ y as `multiply_unit` does, where no product but 0 is smaller than every normal number."""


@_of_representation
def multiply_weight(x: Any, y: WeightFactor, constants: Constants) -> Any:
    """Return x ⊗ y for a weight above 1 in absolute value, which `factors` made of an array."""


@_of_representation
def fits(x: Any, y: Any, constants: Constants) -> Any:
    """Say whether products of values up to x with ones up to y are taken by `multiply_bounded`."""


@_of_representation
def places(largest: Any, constants: Constants) -> Any:
    """Return by how many places `multiply_bounded` raises left factors, none of which is larger."""


@_of_representation
def bounded_factor(y: Any, places: Any, constants: Constants) -> Any:
    """Return the right factor y of `multiply_bounded`, for left ones that are raised by so many places."""


@_of_representation
def multiply_bounded(x: Any, y: BoundedFactor, constants: Constants) -> Any:
    """Return x ⊗ y, where it fits."""


@_of_representation
def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Constants) -> None:
    """Replace the first entries of a row of x by x ⊘ y, for 0 ≤ x ≤ y; y has one row."""


@_of_representation
def survey(x: Any, constants: Constants) -> Any:
    """Return for a SIMD vector a lower bound of the sizes of elements, if `multiply_normal` must know it, and the
    largest size.

    The bound is for those that are not 0; if all are, it is NaN.
    """


class TableIndex(NamedTuple):
    """Where members stand in a table with a value for each of them: see `carrier.function_table`."""

    shift: int  # of the bits of a float, to drop those that are always 0
    base: int  # the rest of the smallest that is not 0, less 1
    half: int  # where 0 stands among integers, and where negative floats begin


@_of_representation
def table_index(x: Any, index: TableIndex, constants: Constants) -> Any:
    """Return where x stands in a table with a value for every member."""
