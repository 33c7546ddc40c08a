"""Right factors of products, each of a type for the product that it was made for: another pairing does not compile.

A factor is made by the function of `operations` that returns its type, or by a representation's `factors` and
`unit_factors` for whole arrays; where it was stored in an array, it is wrapped again as it is loaded. In machine code
a named tuple is taken apart, so the wrapping costs nothing.
"""

from typing import Any, NamedTuple


class Factor(NamedTuple):
    """For `multiply`: nothing is known of it."""

    value: Any


class UnitFactor(NamedTuple):
    """For `multiply_unit` and `multiply_normal`: at most 1 in absolute value."""

    value: Any


class BoundedFactor(NamedTuple):
    """For `multiply_bounded`: the product fits, if `places` come from the largest left factor."""

    value: Any
    places: Any


class WeightFactor(NamedTuple):
    """For `multiply_weight`: above 1 in absolute value, with the |x| from which on x ⊗ weight saturates."""

    value: Any
    reach: Any


FACTORS = (Factor, UnitFactor, BoundedFactor, WeightFactor)
