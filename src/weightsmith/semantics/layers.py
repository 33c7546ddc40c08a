"""What a feed-forward layer and a norm do, at every position by itself."""

import numpy as np

from weightsmith.arithmetic import Array, Core
from weightsmith.errors import ModelError
from weightsmith.model import FeedForward, LayerNorm, Norm
from weightsmith.semantics.overflow import finite

ROOT_ERROR = (
    "{}: the square root is 0 at position {}, because the mean square and eps={:g} are 0 in {}; "
    "write an eps of at least {:g}"
)


def run_neurons(A: Core, layer: FeedForward, h: Array) -> Array:
    """Return the activations (…, positions, neurons): what W_2 reads."""
    activations = A.activate(layer.function, A.add(A.matvec(layer.W_1, h), layer.b_1))
    if layer.W_3 is not None and layer.b_3 is not None:
        activations = A.multiply(activations, A.add(A.matvec(layer.W_3, h), layer.b_3))
    return activations


def run_norm(A: Core, norm: Norm | None, h: Array, lanes: tuple[str, ...], name: str, before: int = 0) -> Array:
    """Normalise a stream (…, positions, lanes), which goes on after `before` positions.

    Lanes outside the norm pass unchanged.
    """
    if norm is None:
        return h
    place = {lane: j for j, lane in enumerate(lanes)}
    places = [place[lane] for lane in (lanes if norm.lanes is None else norm.lanes)]
    x = h[..., places]
    m, eps = A.round(len(places)), A.round(norm.eps)
    if isinstance(norm, LayerNorm):
        x = A.subtract(x, A.divide(A.sum(x), m)[..., np.newaxis])
    spread = finite(A.arithmetic, A.divide(A.sum(A.multiply(x, x)), m), name)
    root = A.sqrt(A.add(spread, eps))
    if (root == 0).any():
        position, number = before + np.argwhere(root == 0)[0][-1], A.arithmetic
        raise ModelError(ROOT_ERROR.format(name, position, norm.eps, number, number.smallest))
    y = A.divide(x, root[..., np.newaxis])
    if norm.gain is not None:
        y = A.multiply(y, norm.gain)
    if isinstance(norm, LayerNorm) and norm.bias is not None:
        y = A.add(y, norm.bias)
    result = h.copy()
    result[..., places] = y
    return result
