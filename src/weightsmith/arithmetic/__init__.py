"""Number systems in which every bit is defined, and the laws that hold in them."""

from weightsmith.arithmetic.base import Activation, Arithmetic, Array, Ties, carried, immutable
from weightsmith.arithmetic.laws import Law, Laws, laws, multiplications_to_infinity
from weightsmith.arithmetic.native import Native
from weightsmith.arithmetic.saturating import Fixed, Float, Saturating, TwosComplement
from weightsmith.arithmetic.text import parse_arithmetic

__all__ = [
    "Activation",
    "Arithmetic",
    "Array",
    "Fixed",
    "Float",
    "Law",
    "Laws",
    "Native",
    "Saturating",
    "Ties",
    "TwosComplement",
    "carried",
    "immutable",
    "laws",
    "multiplications_to_infinity",
    "parse_arithmetic",
]
