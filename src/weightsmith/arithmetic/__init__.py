"""Number systems in which every bit is defined, and the laws that hold in them."""

from weightsmith.arithmetic.base import Arithmetic, as_float64, checked_arithmetic, real_numbers
from weightsmith.arithmetic.core import Activation, Array, Core, Ties, Weights
from weightsmith.arithmetic.immutable import AT_ONCE, immutable
from weightsmith.arithmetic.laws import Law, Laws, laws, multiplications_to_infinity, require
from weightsmith.arithmetic.native import Native
from weightsmith.arithmetic.saturating import DEFAULT_ARITHMETIC, Fixed, Float, Saturating, TwosComplement, or_default
from weightsmith.arithmetic.text import parse_arithmetic

__all__ = [
    "AT_ONCE",
    "DEFAULT_ARITHMETIC",
    "Activation",
    "Arithmetic",
    "Array",
    "Core",
    "Fixed",
    "Float",
    "Law",
    "Laws",
    "Native",
    "Saturating",
    "Ties",
    "TwosComplement",
    "Weights",
    "as_float64",
    "checked_arithmetic",
    "immutable",
    "laws",
    "multiplications_to_infinity",
    "or_default",
    "parse_arithmetic",
    "real_numbers",
    "require",
]
