"""The unchecked operations of an arithmetic, for runs, where every value is known to be a member."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from weightsmith.arithmetic.base import Arithmetic

Array: TypeAlias = npt.NDArray[np.float64]  # values on their way through a run
Weights: TypeAlias = npt.NDArray[np.floating[Any]]  # of a model: in the type `Arithmetic.stored`
Ties: TypeAlias = Literal["zero", "even", "away"]
Activation: TypeAlias = Literal["relu", "gelu", "gelu_tanh", "silu"]
Elementary: TypeAlias = Literal["exp", "gelu", "gelu_tanh", "silu"]

MAX_PRODUCTS = 1 << 14  # of a dot product that are rounded at once: more would leave the cache

# IEEE overflow is either clamped to ∞ afterwards or, in `Native`, left as it is.
silent = np.errstate(all="ignore")


class Core:
    """Each operation is the exact real result, rounded once; sums are left folds in index order that start from 0.

    Arrays of members go in, and arrays of members come out. `Arithmetic` has the same operations with a check
    that each number is a member.
    """

    def __init__(self, arithmetic: "Arithmetic") -> None:
        """Take the rounding of an arithmetic."""
        self.arithmetic = arithmetic
        self.infinity = arithmetic.infinity
        self._nearest, self._elementary = arithmetic._nearest, arithmetic._elementary
        self._nearest_sum = arithmetic._nearest_sum

    def encoded(self, x: Weights) -> Array:
        """Return members in the type that the operations compute in."""
        return x.astype(np.float64, copy=False)

    def checked(self, x: npt.ArrayLike) -> Array:
        """Return values in that type; refuse a value that is not a member."""
        return self.arithmetic.members(x)

    def round(self, x: npt.ArrayLike) -> Array:
        """Return the nearest member of each value, which need not be a member: see `Arithmetic.round`."""
        return self.arithmetic.round(x)

    @silent
    def add(self, x: Weights, y: Weights) -> Array:
        """Return x ⊕ y."""
        return self._nearest_sum(x + y)

    @silent
    def subtract(self, x: Weights, y: Weights) -> Array:
        """Return x ⊖ y."""
        return self._nearest_sum(x - y)

    @silent
    def multiply(self, x: Weights, y: Weights) -> Array:
        """Return x ⊗ y."""
        return self._nearest(x * y)

    @silent
    def divide(self, x: Array, y: Array) -> Array:
        """Return x ⊘ y for y other than 0."""
        return self._nearest(x / y)

    @silent
    def sqrt(self, x: Array) -> Array:
        """Return the square root of x ≥ 0."""
        return self._nearest(np.sqrt(x))

    def exp(self, x: Array) -> Array:
        """Return e to the power x."""
        return self._elementary("exp", x)

    def activate(self, name: Activation, x: Array) -> Array:
        """Return an activation of x: the exact real function, rounded once."""
        return np.maximum(x, 0.0) if name == "relu" else self._elementary(name, x)

    @silent
    def sum(self, x: Array, axis: int = -1) -> Array:
        """Return ((0 ⊕ x_1) ⊕ x_2) ⊕ … along an axis."""
        return self._fold_along(axis, x)

    @silent
    def dot(self, x: Weights, y: Weights) -> Array:
        """Return Σ x_j ⊗ y_j along the last axis; the other axes broadcast."""
        if np.broadcast(x, y).size <= MAX_PRODUCTS:
            return self._fold_along(-1, self._nearest(x * y))
        x, y = np.broadcast_arrays(x, y)
        products = (self._nearest(x[..., j] * y[..., j]) for j in range(x.shape[-1]))
        return self._fold(products, x.shape[:-1])

    def matvec(self, M: Weights, x: Array) -> Array:
        """Return the product of a matrix (rows, columns) with vectors (…, columns): a dot product per row."""
        return self.dot(M, x[..., np.newaxis, :])

    def affine(self, M: Weights, x: Array, b: Weights | None) -> Array:
        """Return M x ⊕ b, or M x without a bias b."""
        product = self.matvec(M, x)
        return product if b is None else self.add(product, b)

    def _fold_along(self, axis: int, x: Array) -> Array:
        axes = list(range(x.ndim))
        terms = x.transpose(axes.pop(axis), *axes)
        return self._fold(terms, terms.shape[1:])

    def _fold(self, terms: Iterable[Array], shape: tuple[int, ...]) -> Array:
        total = np.zeros(shape)
        for term in terms:
            total = self._nearest_sum(total + term)
        return total
