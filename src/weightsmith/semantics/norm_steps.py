"""The steps of a layer norm on plain numbers, as a class goes through them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, as_float64
from weightsmith.errors import InputError, brief
from weightsmith.semantics.steps import arithmetic_or_float64, layer_norm
from weightsmith.tables import Table, number

MOST_NUMBERS = 4096


@dataclass(frozen=True, eq=False)
class NormSteps:
    """What a layer norm computes on its way, each step rounded as in a run."""

    values: Array
    mean: float  # μ
    centred: Array  # x ⊖ μ
    variance: float  # σ²: the mean of the squares of these
    root: float  # sqrt(σ² ⊕ ε)
    normed: Array  # the centred values ⊘ the root
    result: Array  # times gain, plus bias

    def table(self) -> Table:
        """Return the steps as a table: a column for each number."""
        many = len(self.values)
        table = Table("step", *(str(n) for n in range(many)), right=range(1, many + 1), lead=1)
        for name, row in (
            ("x", self.values),
            (f"x − μ, with μ = {_text(self.mean)}", self.centred),
            (f"divided by √(σ² + ε) = {_text(self.root)}, with σ² = {_text(self.variance)}", self.normed),
            ("times gain, plus bias", self.result),
        ):
            table.add(name, *(_text(float(x)) for x in row))
        return table

    def __str__(self) -> str:
        """Return the table as text."""
        return str(self.table())

    def _repr_html_(self) -> str:
        """Return the table, for notebooks."""
        return self.table()._repr_html_()


def layer_norm_steps(
    values: npt.ArrayLike,
    *,
    eps: float = 1e-5,
    gain: Sequence[float] | None = None,
    bias: Sequence[float] | None = None,
    arithmetic: Arithmetic | None = None,
) -> NormSteps:
    """Return every step of a layer norm of numbers; `result` is what `layer_norm` gives.

    >>> steps = layer_norm_steps([2, 4, 6, 8])
    >>> steps.mean, steps.variance, steps.centred.tolist()
    (5.0, 5.0, [-3.0, -1.0, 1.0, 3.0])
    """
    x = as_float64(values)
    if x.ndim != 1 or not 0 < len(x) <= MOST_NUMBERS:
        raise InputError(
            f"layer_norm_steps({brief(values)}): write a list of up to {MOST_NUMBERS:,} numbers, such as [2, 4, 6, 8]"
        )
    result = layer_norm(x, eps=eps, gain=gain, bias=bias, arithmetic=arithmetic)  # refuses whatever has no norm
    A = arithmetic_or_float64(arithmetic)
    x, count = A.round(x), A.round(float(len(x)))
    mean = A.divide(A.sum(x), count)
    centred = A.subtract(x, mean)
    variance = A.divide(A.dot(centred, centred), count)
    root = A.sqrt(A.add(variance, A.round(eps)))
    normed = A.divide(centred, root)
    return NormSteps(x, float(mean), centred, float(variance), float(root), normed, result)


def _text(x: float) -> str:
    return number(x + 0.0, np.inf, 3)
