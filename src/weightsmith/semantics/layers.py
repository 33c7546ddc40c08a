"""Feed-forward layers and norms, at every position by itself."""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Core
from weightsmith.errors import ModelError
from weightsmith.model import FeedForward, LayerNorm, Norm, RMSNorm

ROOT_ERROR = (
    "{}: the square root is 0 at position {}, because the mean square and eps={:g} are 0 in {}; "
    "write an eps of at least {:g}"
)


def finite(A: Arithmetic, values: Array, name: str) -> Array:
    """Return the values unchanged; refuse infinities and NaN, which only `Native` can produce."""
    if not np.isfinite(values).all():
        raise ModelError(
            f"{name}: {A} overflowed; smaller weights or Softmax(shifted=True) avoid it, "
            "and a finite arithmetic such as Float.like('float16') saturates instead"
        )
    return values


def run_neurons(A: Core, layer: FeedForward, h: Array) -> Array:
    """Return the activations (…, positions, neurons): what W_2 reads."""
    activations = A.activate(layer.function, A.affine(layer.W_1, h, layer.b_1))
    if layer.W_3 is not None:
        activations = A.multiply(activations, A.affine(layer.W_3, h, layer.b_3))
    return activations


def run_norm(A: Core, norm: Norm | None, h: Array, lanes: tuple[str, ...], name: str, before: int = 0) -> Array:
    """Normalise a stream (…, positions, lanes) whose first position is number `before`.

    Lanes outside the norm stay unchanged.
    """
    if norm is None:
        return h
    columns = None if norm.lanes is None else _places(norm.lanes, lanes)
    x = h if columns is None else h[..., columns]
    m, eps = A.round(x.shape[-1]), A.round(norm.eps)
    if isinstance(norm, LayerNorm):
        x = A.subtract(x, A.divide(A.sum(x), m)[..., np.newaxis])
    elif not isinstance(norm, RMSNorm):
        raise ModelError(f"{name}: {type(norm).__name__} is not a norm that runs know: write LayerNorm() or RMSNorm()")
    spread = finite(A.arithmetic, A.divide(A.dot(x, x), m), name)
    root = A.sqrt(A.add(spread, eps))
    if (root == 0).any():
        position, number = before + np.argwhere(root == 0)[0][-1], A.arithmetic
        raise ModelError(ROOT_ERROR.format(name, position, norm.eps, number, number.smallest))
    y = A.divide(x, root[..., np.newaxis])
    if norm.gain is not None:
        y = A.multiply(y, norm.gain)
    if isinstance(norm, LayerNorm) and norm.bias is not None:
        y = A.add(y, norm.bias)
    if columns is None:
        return y
    result = h.copy()
    result[..., columns] = y
    return result


def _places(some: Sequence[str], lanes: tuple[str, ...]) -> list[int]:
    index = {lane: j for j, lane in enumerate(lanes)}
    return [index[lane] for lane in some]
