"""Rules: an arithmetic as its carrier sees it, as tuples of constants whose type tells Numba what to compile."""

from typing import Any, NamedTuple


class Whole(NamedTuple):
    """A fixed-point system, carried by the integers k that mean k·2^−shift."""

    infinity: Any
    shift: Any
    bias: Any
    tie: Any
    mask: Any
    sign: Any  # the place of the sign
    large: Any  # a power of two, from which on every product saturates
    width: Any  # how many bits there are, as an integer of twice that many


class WholeToZero(NamedTuple):
    """The same in 16 bits with ties to zero: `up` is 15 − shift, `one` and `down` are 1 and −1.

    `tied` is 1, or 0 if nothing is ever rounded.
    """

    infinity: Any
    shift: Any
    bias: Any
    tie: Any
    mask: Any
    sign: Any
    large: Any
    width: Any
    up: Any
    one: Any
    down: Any
    tied: Any


class Binary(NamedTuple):
    """A floating-point system, carried by floats. Most are patterns of bits."""

    infinity: Any
    exponent: Any
    least: Any
    lift: Any
    bias: Any
    keep: Any
    nudge: Any
    sign: Any  # the place of the sign


class BinaryEven(NamedTuple):
    """The same with ties to even: `last` is the place of the last bit that stays, `one` a 1."""

    infinity: Any
    exponent: Any
    least: Any
    lift: Any
    bias: Any
    keep: Any
    last: Any
    one: Any


class Machine(NamedTuple):
    """The machine's own arithmetic: nothing is rounded a second time."""

    infinity: Any


class Exact(NamedTuple):
    """How a float64 is rounded into the arithmetic, by `arithmetic.fast_rounding`, and scaled to a carrier value."""

    lowest: float
    infinity: float
    least_exponent: int
    precision: int
    ties: int  # 0 to zero, 1 to even, 2 away from zero; 3 and 4: the machine's float32 and float64
    scale: float
    nudge: float  # a little less or more than 1, by the tie rule


class Place(NamedTuple):
    """Where a member stands in a table of all of them."""

    shift: int
    base: int
    half: int


Rule = Whole | WholeToZero | Binary | BinaryEven | Machine
