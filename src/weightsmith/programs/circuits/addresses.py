"""How a position finds the two wires that its gate reads: lanes of the position table, and a head for each of the two.

The token of wire w stands at position w. A position holds its own number, and the numbers of the wires to read.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Fixed
from weightsmith.arithmetic.laws import require
from weightsmith.errors import LawError
from weightsmith.model import Head, Softmax, matrix

MOST_BITS = 25  # of an arithmetic: float64 holds the products exactly
LARGEST_SCALE = 4096
HERE, FIRST, SECOND = "here", "first", "second"
WIRES = (FIRST, SECOND)
BINARY_LAWS = (
    "symmetric", "saturation", "cancellation", "zero product", "unit product", "exp of −∞", "exp of 0", "1 below ∞",
)  # fmt: skip
NUMBER_LAWS = ("symmetric", "zero product", "unit product", "exp of 0", "1 below ∞")


class Addresses(ABC):
    """Addresses of `positions` positions in an arithmetic."""

    lanes: tuple[str, ...]

    def __init__(self, positions: int, arithmetic: Arithmetic) -> None:
        """Take the number of positions; refuse an arithmetic that lacks a law, or a number."""
        self.positions, self.arithmetic = positions, arithmetic
        self.require()

    @abstractmethod
    def require(self) -> None:
        """Refuse an arithmetic in which the addresses do not work."""

    @abstractmethod
    def table(self, of: str, numbers: npt.NDArray[np.intp]) -> Array:
        """Return the lanes that hold numbers of positions, (positions, lanes): its own ("here"), or those of wires."""

    @abstractmethod
    def head(self, lanes: Sequence[str], of: str) -> Head:
        """Return the head that copies the lane "value" of the wire "first" or "second" to the lane of that name."""


class BinaryAddresses(Addresses):
    """Numbers in binary, a lane for each bit, in an arithmetic of any size.

    Each bit has two products: −∞ ⊗ 1 where the address has 1 and the key 0, or 0 and 1; else 0. So a score is 0 at
    the address, and −∞ elsewhere: once there, the sum stays there.
    """

    def __init__(self, positions: int, arithmetic: Arithmetic) -> None:
        """Take the number of positions; refuse an arithmetic that lacks a law."""
        super().__init__(positions, arithmetic)
        self.bits = max(1, (positions - 1).bit_length())
        self.lanes = tuple(f"{of} bit {i}" for of in (HERE, *WIRES) for i in range(self.bits))

    def require(self) -> None:
        """Refuse an arithmetic that lacks a law."""
        instead = "write arithmetic=Fixed(1, 1), or Fixed(4, 4)"
        require(self.arithmetic, BINARY_LAWS, "a circuit with constant precision", instead)

    def table(self, of: str, numbers: npt.NDArray[np.intp]) -> Array:
        """Return the bits of each number, the lowest first."""
        found: Array = (numbers[:, np.newaxis] >> np.arange(self.bits) & 1).astype(np.float64)
        return found

    def head(self, lanes: Sequence[str], of: str) -> Head:
        """Return the head of a wire."""
        infinity, size = self.arithmetic.infinity, 2 * self.bits
        pairs = [f"{of} {i}" for i in range(size)]
        queries, keys, b_Q, b_K = {}, {}, np.zeros(size), np.zeros(size)
        for i in range(self.bits):
            zero, one = 2 * i, 2 * i + 1
            queries[pairs[zero], f"{of} bit {i}"] = infinity  # with the bias: 0 for a bit 1, −∞ for a bit 0
            queries[pairs[one], f"{of} bit {i}"] = -infinity
            keys[pairs[zero], f"{HERE} bit {i}"] = 1.0
            keys[pairs[one], f"{HERE} bit {i}"] = -1.0  # with the bias: the complement
            b_Q[zero], b_K[one] = -infinity, 1.0
        return Head(
            matrix(pairs, lanes, queries), matrix(pairs, lanes, keys),
            matrix([of], lanes, {(of, "value"): 1}), matrix(lanes, [of], {(of, of): 1}),
            b_Q=b_Q, b_K=b_K, name=f"read the {of} wire",
        )  # fmt: skip


class NumberAddresses(Addresses):
    """Numbers as numbers, a lane for each, in an arithmetic that holds their squares.

    A score is s·(2ac − c²) for the address a and a key c, both counted from the middle. It is s·(a − c)² less than at
    c = a. The softmax subtracts the largest score, and exp(−s) = 0.
    """

    lanes = (HERE, "here squared", *(f"{of} address" for of in WIRES))

    @property
    def middle(self) -> int:
        """The position that is counted as 0."""
        return self.positions // 2

    @property
    def scale(self) -> int:
        """s: the smallest whole number with exp(−s) = 0."""
        A = self.arithmetic
        for s in range(1, LARGEST_SCALE):
            if not A.contains(float(s)):
                break
            if A.exp(-float(s)) == 0:
                return s
        raise LawError(
            f"a circuit with log precision needs a whole number s with exp(−s) = 0, and {A} has none up to its "
            f"∞ = {A.infinity!r}: write arithmetic=None for the smallest that will do"
        )

    def require(self) -> None:
        """Refuse an arithmetic that lacks a law, or whose whole numbers end too early."""
        A, instead = self.arithmetic, "write arithmetic=None for the smallest that will do"
        require(A, NUMBER_LAWS, "a circuit with log precision", instead)
        largest, exact = 2 * self.scale * self.middle**2, min(A.infinity, 2.0**A.precision)
        if largest > exact:
            raise LawError(
                f"a circuit with log precision on {self.positions:,} positions needs the whole numbers up to "
                f"{largest:,}, and {A} has them up to {math.floor(exact):,}: {instead}, or precision='constant'"
            )

    def table(self, of: str, numbers: npt.NDArray[np.intp]) -> Array:
        """Return each number, counted from the middle; its own also squared."""
        centred = (numbers - self.middle).astype(np.float64)[:, np.newaxis]
        return np.hstack([centred, centred**2]) if of == HERE else centred

    def head(self, lanes: Sequence[str], of: str) -> Head:
        """Return the head of a wire."""
        s, pair = float(self.scale), [f"{of} c²", f"{of} c"]
        return Head(
            matrix(pair, lanes, {(pair[1], f"{of} address"): 2 * s}),
            matrix(pair, lanes, {(pair[0], "here squared"): 1, (pair[1], HERE): 1}),
            matrix([of], lanes, {(of, "value"): 1}), matrix(lanes, [of], {(of, of): 1}),
            Softmax(shifted=True), b_Q=np.array([-s, 0.0]), name=f"read the {of} wire",
        )  # fmt: skip


def smallest(positions: int) -> Arithmetic:
    """Return the smallest arithmetic for addresses that are numbers: whole numbers, of which 1 is the scale."""
    bits = max(2, (2 * (positions // 2) ** 2).bit_length())
    if bits > MOST_BITS:
        raise LawError(
            f"a circuit with log precision on {positions:,} positions needs Fixed({bits}, 0), and arithmetics have at "
            f"most {MOST_BITS} bits: write precision='constant'"
        )
    return Fixed(bits, 0)
