"""What only the machine's arithmetic can produce: numbers that are not finite."""

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.errors import ModelError


def finite(A: Arithmetic, values: Array, name: str) -> Array:
    """Return the values as they are, or refuse them where `Native` overflowed."""
    if not np.isfinite(values).all():
        raise ModelError(
            f"{name}: {A} overflowed; smaller weights or Softmax(shifted=True) avoid it, "
            "and a finite arithmetic such as Float.like('float16') saturates instead"
        )
    return values
