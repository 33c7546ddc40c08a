"""A right factor fits the product that it was made for, and no other: a wrong pairing does not compile."""

from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np
import pytest
from numba.core.errors import TypingError

from weightsmith import parse_arithmetic
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.representation import (
    WeightFactor,
    bounded_factor,
    factor,
    multiply,
    multiply_bounded,
    multiply_unit,
    multiply_weight,
    unit_factor,
)

FORMS = ("fixed(4,4)", "fixed(4,4,ties=even)", "float16(ties=away)", "float16(ties=even)", "float32")
FACTORS: dict[str, Callable[..., Any]] = {
    "Factor": nb.njit(lambda y, c: factor(y, c)),
    "UnitFactor": nb.njit(lambda y, c: unit_factor(y, c)),
    "BoundedFactor": nb.njit(lambda y, c: bounded_factor(y, y, c)),
    "WeightFactor": nb.njit(lambda y, c: WeightFactor(y, y)),
    "a plain number": nb.njit(lambda y, c: y),
}
PRODUCTS: dict[Any, str] = {
    multiply: "Factor",
    multiply_unit: "UnitFactor",
    multiply_bounded: "BoundedFactor",
    multiply_weight: "WeightFactor",
}


@pytest.mark.parametrize(
    ("product", "form"),
    [
        pytest.param(product, form, marks=() if m == n else pytest.mark.long, id=f"{product.__name__}-{form}")
        for m, product in enumerate(PRODUCTS)
        for n, form in enumerate(FORMS)
    ],
)  # each product and each kind of numbers once; every compilation takes a while
def test_a_product_takes_the_factor_that_was_made_for_it_alone(product: Any, form: str) -> None:
    c = carrier(parse_arithmetic(form))
    one = c.encode(np.ones(1))[0]
    for name, made in FACTORS.items():
        taken = nb.njit(lambda x, y, c, made=made: product(x, made(y, c), c))
        if name == PRODUCTS[product]:
            taken(one, one, c.constants)
        else:
            with pytest.raises(TypingError, match=f"{product.__name__} takes a {PRODUCTS[product]}, not"):
                taken(one, one, c.constants)
