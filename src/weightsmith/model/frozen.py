"""What all parts of a transformer share: they never change, hold read-only arrays, and compare by value."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, carried, immutable
from weightsmith.errors import InputError, ModelError


class Frozen:
    """The base of every part. Copying, unpickling and `dataclasses.replace` run the same checks as writing it out."""

    @classmethod
    def stored_as(cls) -> str:
        """Return the name of this kind of part in files and digests, which outlives a change of name."""
        return cls.__name__

    def _arrays(self, **axes: int) -> None:
        """Turn the named fields into read-only float64 arrays with that many axes."""
        for name, count in axes.items():
            self._set(name, frozen_array(getattr(self, name), name, count))

    def _optional_arrays(self, **axes: int) -> None:
        """Do so with the named fields that are not None."""
        self._arrays(**{name: count for name, count in axes.items() if getattr(self, name) is not None})

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _compared(self) -> Iterator[tuple[str, Any]]:
        for field in fields(self):  # type: ignore[arg-type]
            if field.compare:
                yield field.name, getattr(self, field.name)

    def __eq__(self, other: object) -> bool:
        """Compare by value: every array bit for bit."""
        if type(self) is not type(other):
            return NotImplemented
        return self is other or all(_same(value, getattr(other, name)) for name, value in self._compared())

    def __hash__(self) -> int:
        """Agree with `==`. It reads every weight, so it is done once."""
        if "_hash" not in self.__dict__:
            self._set("_hash", hash((type(self), *(_key(value) for _, value in self._compared()))))
        return int(self.__dict__["_hash"])

    def __reduce__(self) -> tuple[Any, ...]:
        """Go through the constructor when copied or unpickled."""
        return _rebuild, (type(self), {field.name: getattr(self, field.name) for field in fields(self)})  # type: ignore[arg-type]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the same object: nothing in it can change."""
        return self


def _rebuild(kind: type[Any], values: dict[str, Any]) -> Any:
    return kind(**values)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return a is b or (a is not None and b is not None and np.array_equal(a, b))
    return bool(a == b)


def _key(value: Any) -> object:
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def frozen_array(value: npt.ArrayLike, name: str, axes: int) -> Array:
    """Return a read-only, contiguous float64 copy without −0; refuse what is not finite, real and of that many axes."""
    if value is None:
        raise ModelError(f"{name} is missing")
    try:
        array = carried(value) + 0.0
    except InputError as error:
        raise ModelError(f"{name}: {error}") from None
    if array.ndim != axes:
        raise ModelError(f"{name} must have {axes} axes, and its shape is {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ModelError(f"{name}{list(where)} is {array[where]}: every weight must be a finite number")
    return immutable(array)
