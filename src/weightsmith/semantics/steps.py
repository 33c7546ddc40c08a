"""Single steps of a run on plain numbers: for a class, or to check by hand."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Native, as_float64, checked_arithmetic
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.model import LayerNorm, Sinusoidal, position_table
from weightsmith.model.positions import MAX_LENGTH
from weightsmith.semantics.layers import finite, run_norm


def layer_norm(
    values: npt.ArrayLike,
    *,
    eps: float = 1e-5,
    gain: Sequence[float] | None = None,
    bias: Sequence[float] | None = None,
    arithmetic: Arithmetic | None = None,
) -> Array:
    """Return the layer norm of numbers: less their mean, divided by the root of their variance plus eps.

    An array with several axes is normalised along the last one. The arithmetic is float64 unless given.

    >>> layer_norm([2, 4, 6, 8]).round(2).tolist()
    [-1.34, -0.45, 0.45, 1.34]
    """
    A, x = arithmetic_or_float64(arithmetic), as_float64(values)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise InputError(f"layer_norm({brief(values)}): write some numbers, such as layer_norm([2, 4, 6, 8])")
    norm = LayerNorm(eps, None if gain is None else as_float64(gain), None if bias is None else as_float64(bias))
    for name, given in (("gain", norm.gain), ("bias", norm.bias)):
        if given is not None and len(given) != x.shape[-1]:
            raise InputError(f"{name} has {len(given)} numbers for {x.shape[-1]}: write one for each")
    lanes = tuple(str(j) for j in range(x.shape[-1]))
    rows = x.reshape(-1, x.shape[-1])
    with np.errstate(all="ignore"):  # what overflows is refused below
        for given in (norm.gain, norm.bias):
            A.members(() if given is None else given)
        normed = run_norm(A.core, norm, A.members(finite(A, rows, "layer_norm")), lanes, "layer_norm")
    return finite(A, normed, "layer_norm").reshape(x.shape)


def sinusoidal(positions: int, lanes: int, *, base: float = 10000.0, arithmetic: Arithmetic | None = None) -> Array:
    """Return the sinusoidal encoding of the first positions, (positions, lanes): sines and cosines interleaved.

    The arithmetic is float64 unless given.

    >>> sinusoidal(positions=3, lanes=4)[1].round(3).tolist()
    [0.841, 0.54, 0.01, 1.0]
    """
    lanes = whole_number(lanes, "lanes", 1, MAX_LENGTH, meaning="how many lanes there are, 1 or more")
    positions = whole_number(positions, "positions", 1, meaning="how many positions to encode, 1 or more")
    table = position_table(Sinusoidal(positions, base), arithmetic_or_float64(arithmetic), lanes)
    assert table is not None
    return table


def arithmetic_or_float64(arithmetic: Arithmetic | None) -> Arithmetic:
    """Return the arithmetic, or the machine's where none is given."""
    return Native("float64") if arithmetic is None else checked_arithmetic(arithmetic)
