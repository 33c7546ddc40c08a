"""The machine's own arithmetic, for trained models and for export."""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import elementary
from weightsmith.arithmetic.base import Arithmetic, as_float64
from weightsmith.arithmetic.core import Array, Elementary
from weightsmith.errors import InputError, brief

NativeType: TypeAlias = Literal["float32", "float64"]


@dataclass(frozen=True)
class Native(Arithmetic):
    """IEEE float32 or float64, rounding to nearest with ties to even, overflowing to IEEE infinities.

    ∞ is the largest finite number; the laws of saturation do not hold. exp is the machine's, not correctly rounded.
    float32 values travel in a float64 carrier, which is exact (see `rounding`).
    """

    dtype: NativeType

    def __post_init__(self) -> None:
        """Refuse other types."""
        if not isinstance(self.dtype, str) or self.dtype not in ("float32", "float64"):
            raise InputError(
                f"Native({brief(self.dtype)}) does not exist: write Native('float32') or Native('float64')"
            )

    @property
    def infinity(self) -> float:
        """∞: the largest finite value."""
        return float(np.finfo(self.dtype).max)

    @property
    def smallest(self) -> float:
        """The smallest positive value, a subnormal one."""
        return float(np.finfo(self.dtype).smallest_subnormal)

    @property
    def bits(self) -> int:
        """How many bits a value takes."""
        return int(np.finfo(self.dtype).bits)

    @property
    def precision(self) -> int:
        """p: how many bits a significand has."""
        return int(np.finfo(self.dtype).nmant) + 1

    @property
    def least_exponent(self) -> int:
        """The smallest E: below it the distance between members stays the same."""
        return int(np.finfo(self.dtype).minexp)

    @property
    def stored(self) -> np.dtype[Any]:
        """The type that models hold their weights in, and files: its own."""
        return np.dtype(self.dtype)

    def has_all(self, dtype: np.dtype[Any]) -> bool:
        """Return whether every finite number of a type of floats is a member, as in its own type and narrower ones."""
        return dtype.kind == "f" and dtype.itemsize <= self.stored.itemsize

    def values(self) -> Array:
        """Refuse: there are too many."""
        raise InputError(f"{self} has {self.bits} bits: values() lists the members of systems of up to 16 bits")

    def round(self, x: npt.ArrayLike) -> Array:
        """Return the nearest finite member of each value; values beyond ±∞ become ±∞. NaN is refused."""
        return super().round(np.clip(as_float64(x), -self.infinity, self.infinity))

    def contains(self, x: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return which values are members."""
        values = as_float64(x)
        member: npt.NDArray[np.bool_] = np.isfinite(values)
        if self.dtype == "float32":
            with np.errstate(all="ignore"):
                member = member & (values.astype(np.float32) == values)
        return member

    def members(self, x: npt.ArrayLike) -> Array:
        """Return values as float64; refuse one that is neither a member nor NaN, which runs refuse by name."""
        values = np.asarray(x)
        unknown = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
        super().members(values[~unknown])
        return values.astype(np.float64)

    def _nearest(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return x.astype(self.dtype).astype(np.float64) + 0.0

    def _elementary(self, name: Elementary, x: Array) -> Array:
        with np.errstate(all="ignore"):
            result: Array = machine(name, x.astype(self.dtype)).astype(np.float64) + 0.0
        return result

    def __str__(self) -> str:
        """Return the text form, which `parse_arithmetic` reads back."""
        return self.dtype


def machine(name: Elementary, x: npt.NDArray[Any]) -> Any:
    """Return a function of floats in their own type, as the machine computes it."""
    if x.ndim == 0:  # the results of numpy would be numbers, which cannot be overwritten
        return machine(name, x.reshape(1))[0]
    real = x.dtype.type
    if elementary.known(name) == "exp":
        return np.exp(x)
    if name == "gelu":
        from weightsmith.arithmetic.fast_gelu import gelu  # it loads Numba

        return gelu(x)
    if name == "gelu_tanh":  # one new array, then in place, because fresh memory costs more than the arithmetic
        steep = x * real(0.044715)
        steep *= x
        steep *= x
        steep += x
        steep *= real(2 * math.sqrt(2 / math.pi))
        np.negative(steep, out=steep)
    else:
        steep = np.negative(x)
    np.exp(steep, out=steep)
    steep += 1
    return np.divide(x, steep, out=steep)


COMPILED_FROM = {"gelu": 0, "silu": 1 << 17, "gelu_tanh": 1 << 21}  # numbers for which loading Numba pays


def replaced(name: Elementary, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a function of floats, a contiguous array, which may be overwritten.

    Large arrays go through a compiled loop, whose last bits may differ from those of `machine`.
    """
    if x.size < COMPILED_FROM.get(name, math.inf):
        result: npt.NDArray[Any] = machine(name, x)
        return result
    from weightsmith.arithmetic import fast_gelu, fast_sigmoid  # here, because they load Numba

    loops = {"gelu": fast_gelu.to_gelu, "silu": fast_sigmoid.to_silu, "gelu_tanh": fast_sigmoid.to_gelu_tanh}
    loops[name](x)
    return x
