"""Folds over a model: operations on every array, by the axes that it declares."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Weights, immutable
from weightsmith.errors import ModelError
from weightsmith.model.frozen import (
    LANES,
    Axes,
    Declared,
    Frozen,
    Labels,
    LaneNames,
    array_axes,
    declarations,
    optional_arrays,
)

Part = TypeVar("Part", bound=Frozen)
Change = Callable[[Any, Declared], Any]
Indices = Sequence[int] | slice | npt.NDArray[np.intp]
_WALKED = (np.ndarray, tuple, Frozen)  # an array, or a part that may contain arrays


def named_arrays(part: object, name: str = "", history: bool = False) -> list[tuple[str, Weights]]:
    """Return every array with its full name, such as `blocks.0.attention.heads.1.W_Q`.

    The order is that of the fields; with `history` also those that do not count when models are compared.
    """
    arrays: list[tuple[str, Weights]] = []
    _collect(part, name, history, arrays)
    return arrays


def _collect(part: object, name: str, history: bool, arrays: list[tuple[str, Weights]]) -> None:
    if isinstance(part, np.ndarray):
        arrays.append((name, part))
    elif isinstance(part, tuple):
        for i, item in enumerate(part if _has_parts(part) else ()):
            _collect(item, f"{name}.{i}", history, arrays)
    elif isinstance(part, Frozen):
        shared = "output" if getattr(part, "tied", False) else ""  # it is the embedding, and that is walked already
        for field in fields(part):  # type: ignore[arg-type]
            value = getattr(part, field.name)
            if isinstance(value, _WALKED) and field.name != shared and (field.compare or history):
                _collect(value, f"{name}.{field.name}" if name else field.name, history, arrays)


def _has_parts(items: tuple[Any, ...]) -> bool:
    """Return whether a tuple holds parts or arrays, by its first item: a vocabulary is long and holds none."""
    return isinstance(next((item for item in items if item is not None), None), Frozen | np.ndarray)


def map_declared(part: Part, change: Change, /, **others: Any) -> Part:
    """Return a part with every declared field changed, in the parts that it consists of too.

    `change` takes a value, which is None only for lane names, and the declaration of its field. `others` sets fields.
    """
    new = dict(others)
    declared = declarations(type(part))
    for field in fields(part):  # type: ignore[arg-type]
        if field.name not in others:
            value = getattr(part, field.name)
            changed = _mapped(value, declared.get(field.name), change)
            if changed is not value:
                new[field.name] = changed
    return replace(part, **new) if new else part  # type: ignore[type-var]


def _mapped(value: Any, declared: Declared | None, change: Change) -> Any:
    if declared is not None:
        return value if value is None and not isinstance(declared, LaneNames) else change(value, declared)
    if isinstance(value, Frozen):
        return map_declared(value, change)
    if isinstance(value, tuple) and any(isinstance(item, Frozen) for item in value):
        return tuple(_mapped(item, None, change) for item in value)
    return value


def map_arrays(part: Part, change: Callable[[Weights], Weights], /, **others: Any) -> Part:
    """Return a part with every array changed, whatever its axes."""
    return map_declared(part, lambda value, what: change(value) if isinstance(what, Axes) else value, **others)


def in_type(value: Any, declared: Declared | None, dtype: np.dtype[Any]) -> Any:
    """Return the value of a field with its arrays in another type, which has all their numbers."""

    def cast(array: Any, what: Declared) -> Any:
        return array if not isinstance(what, Axes) or array.dtype == dtype else immutable(array.astype(dtype))

    return _mapped(value, declared, cast)


def widened(part: Part, covered: Sequence[str], before: int, after: int, /, **others: Any) -> Part:
    """Return a part with zeros in front of its lanes and behind them; None for all lanes becomes `covered`."""

    def wider(value: Any, what: Declared) -> Any:
        if isinstance(what, Axes) and LANES in what:
            return np.pad(value, [(before, after) if axis == LANES else (0, 0) for axis in what])
        return tuple(covered) if isinstance(what, LaneNames) and value is None else value

    return map_declared(part, wider, **others)


def without_lanes(part: Part, indices: Sequence[int]) -> Part:
    """Return a part whose arrays are 0 in some lanes: it neither reads them nor writes to them."""

    def zeroed(value: Any, what: Declared) -> Any:
        if not isinstance(what, Axes) or LANES not in what:
            return value
        result = value.copy()
        for axis, name in enumerate(what):
            if name == LANES:
                np.moveaxis(result, axis, 0)[list(indices)] = 0.0
        return result

    return map_declared(part, zeroed)


def renamed_lanes(part: Part, covered: Sequence[str], new: Mapping[str, str], /, **others: Any) -> Part:
    """Return a part with other names for lanes; None for all lanes becomes the new names of `covered`."""

    def renamed(value: Any, what: Declared) -> Any:
        names = covered if value is None else value
        return tuple(new[lane] for lane in names) if isinstance(what, LaneNames) else value

    return map_declared(part, renamed, **others)


def selected(part: Part, axis: str, indices: Indices, /, **others: Any) -> Part:
    """Return a part with some indices along an axis, in this order."""

    def some(value: Any, what: Declared) -> Any:
        if isinstance(what, Labels) and what.axis == axis:
            return tuple(np.array(value, dtype=object)[indices]) if value else value
        if isinstance(what, Axes) and axis in what:
            return np.moveaxis(np.moveaxis(value, what.index(axis), 0)[indices], 0, what.index(axis))
        return value

    return map_declared(part, some, **others)


def joined(parts: Sequence[Part], axis: str, /, **others: Any) -> Part:
    """Return the first part with the others' arrays and labels behind its own along an axis.

    An array that some parts lack is 0 for them. Arrays without this axis are those of the first part.
    """
    new: dict[str, Any] = {}
    for name, what in declarations(type(parts[0])).items():
        values = [getattr(part, name, None) for part in parts]
        if isinstance(what, Labels) and what.axis == axis:
            sizes = [size_along(part, axis) for part in parts]
            new[name] = tuple(text for value, n in zip(values, sizes, strict=True) for text in (value or ("",) * n))
        elif isinstance(what, Axes) and axis in what and any(value is not None for value in values):
            filled = [_zeros(part, what) if value is None else value for part, value in zip(parts, values, strict=True)]
            new[name] = np.concatenate(filled, axis=what.index(axis))
    return replace(parts[0], **{**new, **others})  # type: ignore[type-var]


def size_along(part: Frozen, axis: str) -> int:
    """Return the size of a part along one of its axes."""
    sizes: Iterator[int] = (
        getattr(part, name).shape[what.index(axis)]
        for name, what in array_axes(type(part)).items()
        if axis in what and getattr(part, name) is not None
    )
    return next(sizes)


def _zeros(part: Frozen, axes: Axes) -> Weights:
    return np.zeros(tuple(size_along(part, axis) for axis in axes))


def writers(part: object) -> Iterator[Weights]:
    """Yield every array that writes to the stream: its first axis is that of the lanes."""
    if isinstance(part, tuple):
        for item in part if _has_parts(part) else ():
            yield from writers(item)
    elif isinstance(part, Frozen):
        for name, what in array_axes(type(part)).items():
            if what[0] == LANES and getattr(part, name) is not None:
                yield getattr(part, name)
        for field in fields(part):  # type: ignore[arg-type]
            yield from writers(getattr(part, field.name))


def check_shapes(part: object, name: str, sizes: Mapping[str, int]) -> None:
    """Refuse an array whose sizes are not those of its axes.

    Some axes have a known size; each other one has the size that the first array of its part has along it.
    """
    if isinstance(part, tuple) and _has_parts(part):
        for i, item in enumerate(part):
            check_shapes(item, f"{name}.{i}", sizes)
    if not isinstance(part, Frozen):
        return
    known, first = {**sizes, **part.axis_sizes(sizes)}, dict[str, str]()
    prefix = f"{name}." if name else ""
    for field, axes in array_axes(type(part)).items():
        array = getattr(part, field)
        if array is not None:
            _check_shape(f"{prefix}{field}", array, axes, known, first)
            for axis, size in zip(axes, array.shape, strict=True):
                if axis not in known:
                    known[axis], first[axis] = size, field
    for each in fields(part):  # type: ignore[arg-type]
        inner = getattr(part, each.name)
        if isinstance(inner, _WALKED) and each.compare:  # arrays in the history keep their old shapes
            check_shapes(inner, f"{prefix}{each.name}", known)


def _check_shape(name: str, array: Weights, axes: Axes, known: Mapping[str, int], first: Mapping[str, str]) -> None:
    if all(known.get(axis, size) == size for axis, size in zip(axes, array.shape, strict=True)):
        return
    wanted = ", ".join(str(known.get(axis, "any")) for axis in axes)
    shared = "".join(f", with the {axis} of {first[axis]}" for axis in axes if axis in first)
    raise ModelError(f"{name} has shape {array.shape}, and it must be ({wanted}): ({', '.join(axes)}){shared}")


__all__ = [
    "array_axes",
    "check_shapes",
    "declarations",
    "in_type",
    "joined",
    "map_arrays",
    "map_declared",
    "named_arrays",
    "optional_arrays",
    "renamed_lanes",
    "selected",
    "size_along",
    "widened",
    "without_lanes",
    "writers",
]
