"""The finite arithmetics: `Fixed`, `Float` and, for the counterexample, `TwosComplement`."""

import math
import sys
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import elementary, rounding
from weightsmith.arithmetic.base import Arithmetic, checked_arithmetic
from weightsmith.arithmetic.core import Array, Elementary, Ties
from weightsmith.errors import InputError, brief, is_whole

TABLE_BITS = 16
FAST_SIZE = 1 << 18  # from here on the Numba kernel is worth loading
WARM_SIZE = 1 << 12  # from here on it is worth calling, once loaded


class Saturating(Arithmetic):
    """A finite system S·2^(E−p+1), |S| ≤ 2^p − 1, in which results beyond ±∞ become ±∞."""

    ties: Ties

    @property
    def smallest(self) -> float:
        """The smallest positive value."""
        return math.ldexp(1.0, self.least_exponent - self.precision + 1)

    def values(self) -> Array:
        """All members in ascending order, for systems of up to 16 bits."""
        if self.bits > TABLE_BITS:
            raise InputError(
                f"{self} has {self.bits} bits: values() lists the members of systems of up to {TABLE_BITS} bits"
            )
        significands = np.arange(2**self.precision, dtype=np.float64)
        upper_half = significands[2 ** (self.precision - 1) :]
        top = int(np.frexp(self.infinity)[1]) - 1
        parts = [significands * self.smallest]
        parts += [upper_half * 2.0 ** (E - self.precision + 1) for E in range(self.least_exponent + 1, top + 1)]
        positive = np.concatenate(parts)
        positive = positive[positive <= self.infinity]
        below = [] if self.lowest == -self.infinity else [self.lowest]
        return np.concatenate([below, -positive[:0:-1], positive])

    def _nearest(self, x: Array) -> Array:
        nearest = rounding.nearest
        if x.size >= FAST_SIZE or (x.size >= WARM_SIZE and "weightsmith.arithmetic.fast_rounding" in sys.modules):
            from weightsmith.arithmetic.fast_rounding import nearest  # it loads Numba
        return nearest(x, self.rounding)

    @cached_property
    def rounding(self) -> rounding.Rounding:
        """How a float64 is rounded, worked out once."""
        return rounding.Rounding.of(self, self.ties)

    def _elementary(self, name: Elementary, x: Array) -> Array:
        if self.bits <= TABLE_BITS:
            members, table = elementary.table(name, self)
            result: Array = table[np.searchsorted(members, x)]
            return result
        return elementary.apply(name, x, self._nearest)

    def _check_ties(self) -> None:
        if self.ties not in get_args(Ties):
            raise InputError(f"ties={brief(self.ties)} is not a tie rule: write one of {', '.join(get_args(Ties))}")

    def _tie_text(self) -> str:
        return "" if self.ties == "zero" else f"ties={self.ties}"


@dataclass(frozen=True, repr=False)
class Fixed(Saturating):
    """Fixed point: k·2^−f with |k| ≤ 2^(i+f) − 1.

    >>> Fixed(4, 4).infinity, Fixed(4, 4).smallest
    (15.9375, 0.0625)
    """

    integer_bits: int
    fraction_bits: int
    ties: Ties = "zero"

    _name: ClassVar[str] = "fixed"

    def __post_init__(self) -> None:
        """Refuse sizes that the carrier cannot hold exactly."""
        self._check_ties()
        for name in ("integer_bits", "fraction_bits"):
            _whole(self, name, 0, rounding.MAX_PRECISION)
        if not 1 <= self.precision <= rounding.MAX_PRECISION:
            raise InputError(
                f"{self} has {self.precision} bits besides the sign: between 1 and {rounding.MAX_PRECISION} are exact "
                "in a float64 carrier, wider systems are not"
            )

    def _nearest_sum(self, x: Array) -> Array:
        """Saturate: a sum of members is a multiple of the one quantum."""
        return np.minimum(np.maximum(x, self.rounding.lowest), self.rounding.infinity)

    @property
    def precision(self) -> int:
        """p: how many bits a significand has."""
        return self.integer_bits + self.fraction_bits

    @property
    def least_exponent(self) -> int:
        """The one exponent that all values share."""
        return self.integer_bits - 1

    @property
    def infinity(self) -> float:
        """∞: the largest value. It is finite."""
        return (2.0**self.precision - 1) * 2.0**-self.fraction_bits

    @property
    def bits(self) -> int:
        """How many bits a value takes: a sign, the whole part and the fraction."""
        return 1 + self.precision

    def __str__(self) -> str:
        """Return the text form, which `parse_arithmetic` reads back."""
        sizes = [str(self.integer_bits), str(self.fraction_bits), self._tie_text()]
        return f"{self._name}({','.join(filter(None, sizes))})"

    def __repr__(self) -> str:
        """Return the Python expression."""
        ties = "" if self.ties == "zero" else f", ties={self.ties!r}"
        return f"{type(self).__name__}({self.integer_bits}, {self.fraction_bits}{ties})"


@dataclass(frozen=True, repr=False)
class TwosComplement(Fixed):
    """Fixed point with the range of two's complement hardware: one more value, −2^i, below −∞.

    It is not symmetric, so no transformer may use it. It is here so that `laws` can show what breaks.
    """

    _name: ClassVar[str] = "twos"

    @property
    def lowest(self) -> float:
        """The most negative value, which has no counterpart."""
        return -(2.0**self.integer_bits)


class _Format(NamedTuple):
    exponent_bits: int
    precision: int
    least_exponent: int
    infinity: float


HardwareFormat: TypeAlias = Literal["float16", "bfloat16", "e4m3", "e5m2"]
HARDWARE: dict[str, _Format] = {
    "float16": _Format(5, 11, -14, 65504.0),
    "bfloat16": _Format(8, 8, -126, 255 * 2.0**120),
    "e4m3": _Format(4, 4, -6, 448.0),
    "e5m2": _Format(5, 3, -14, 57344.0),
}


@dataclass(frozen=True, repr=False)
class Float(Saturating):
    """Floating point: S·2^(E−p+1) with |S| ≤ 2^p − 1 and −2^(e−1) ≤ E ≤ 2^(e−1) − 1, with gradual underflow.

    >>> Float(3, 3).infinity, Float.like("e4m3").infinity
    (14.0, 448.0)
    """

    exponent_bits: int
    significand_bits: int
    ties: Ties = "zero"
    _: KW_ONLY
    format: HardwareFormat | None = None

    @classmethod
    def like(cls, format: HardwareFormat, ties: Ties = "zero") -> "Float":
        """Take exponent range, precision and largest finite value of a hardware format.

        Hardware usually rounds ties to even: `Float.like("float16", ties="even")`.
        """
        if not isinstance(format, str) or format not in HARDWARE:
            raise InputError(f"{brief(format)} is not a hardware format: write one of {', '.join(HARDWARE)}")
        sizes = HARDWARE[format]
        return cls(sizes.exponent_bits, sizes.precision, ties, format=format)

    def __post_init__(self) -> None:
        """Refuse sizes that the carrier cannot hold exactly."""
        self._check_ties()
        _whole(self, "exponent_bits", 1, rounding.MAX_EXPONENT_BITS)
        _whole(self, "significand_bits", 2, rounding.MAX_PRECISION)
        if self.format is not None and self.format not in HARDWARE:
            raise InputError(f"{brief(self.format)} is not a hardware format: write one of {', '.join(HARDWARE)}")
        if self.format is not None and (self.exponent_bits, self.precision) != HARDWARE[self.format][:2]:
            raise InputError(f"the sizes do not fit {brief(self.format)}: write Float.like({brief(self.format)})")

    @property
    def precision(self) -> int:
        """p: how many bits a significand has."""
        return self.significand_bits

    @property
    def least_exponent(self) -> int:
        """The smallest E."""
        return HARDWARE[self.format].least_exponent if self.format else -(2 ** (self.exponent_bits - 1))

    @property
    def infinity(self) -> float:
        """∞: the largest value. It is finite."""
        if self.format:
            return HARDWARE[self.format].infinity
        greatest_exponent = 2 ** (self.exponent_bits - 1) - 1
        return math.ldexp(2**self.precision - 1, greatest_exponent - self.precision + 1)

    @property
    def bits(self) -> int:
        """How many bits a value takes: a sign, the exponent, and the significand without its leading bit."""
        return self.exponent_bits + self.precision

    def __str__(self) -> str:
        """Return the text form, which `parse_arithmetic` reads back."""
        if self.format:
            return self.format + (f"({self._tie_text()})" if self.ties != "zero" else "")
        sizes = [str(self.exponent_bits), str(self.precision), self._tie_text()]
        return f"float({','.join(filter(None, sizes))})"

    def __repr__(self) -> str:
        """Return the Python expression."""
        ties = "" if self.ties == "zero" else f", ties={self.ties!r}"
        if self.format:
            return f"Float.like({self.format!r}{ties})"
        return f"Float({self.exponent_bits}, {self.precision}{ties})"


def _whole(arithmetic: Saturating, name: str, least: int, most: int) -> None:
    value = getattr(arithmetic, name)
    if not is_whole(value) or not least <= value <= most:
        raise InputError(
            f"{name}={brief(value)} of {type(arithmetic).__name__} must be a whole number from {least} to {most}: "
            "only that many bits are exact in a float64 carrier"
        )
    object.__setattr__(arithmetic, name, int(value))


DEFAULT_ARITHMETIC = Fixed(4, 4)


def or_default(arithmetic: Arithmetic | None) -> Arithmetic:
    """Return the arithmetic, or `DEFAULT_ARITHMETIC` for None."""
    return DEFAULT_ARITHMETIC if arithmetic is None else checked_arithmetic(arithmetic)
