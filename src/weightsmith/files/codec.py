"""A transformer as tensors and one JSON object, and back.

The JSON has the fields of the dataclasses under their own names; a part names its `kind`. Arrays are not in the JSON:
they are tensors whose names say where they belong, such as `blocks.0.attention.heads.1.W_Q`.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Native, parse_arithmetic
from weightsmith.errors import FileError
from weightsmith.model import (
    Alibi,
    Attention,
    AverageHard,
    Block,
    Edit,
    FeedForward,
    Head,
    LayerNorm,
    LeftmostHard,
    PositionTable,
    Relative,
    RightmostHard,
    RMSNorm,
    Rotary,
    Sinusoidal,
    Softmax,
    Transformer,
    named_arrays,
)
from weightsmith.model.frozen import Frozen

FORMAT_VERSION = 1
_KINDS: dict[str, type[Frozen]] = {
    kind.stored_as(): kind
    for kind in (
        *(Attention, Block, FeedForward, Head),
        *(Softmax, AverageHard, LeftmostHard, RightmostHard),
        *(PositionTable, Sinusoidal, Relative, Rotary, Alibi),
        *(LayerNorm, RMSNorm),
        Edit,
    )
}
_LATER: dict[type[Frozen], set[str]] = {  # older files lack these keys
    Head: {"positions"},
    FeedForward: {"names"},
    Transformer: {"tied", "edits"},
}
Tensors = dict[str, npt.NDArray[Any]]


def encode(T: Transformer) -> tuple[Tensors, dict[str, Any]]:
    """Return the tensors and the JSON object of a transformer."""
    dtype = _stored_dtype(T.arithmetic)
    tensors = {name: array.astype(dtype) for name, array in named_arrays(T, history=True)}
    return tensors, {"version": FORMAT_VERSION, **_plain_fields(T), "tensors": list(tensors)}


def decode(tensors: Tensors, metadata: dict[str, Any]) -> Transformer:
    """Return the transformer; refuse unknown versions, keys, kinds and tensors. The model checks the rest."""
    version = metadata.pop("version", None)
    if type(version) is not int or version != FORMAT_VERSION:
        raise FileError(f"it has format version {version!r:.80}, and this Weightsmith reads version {FORMAT_VERSION}")
    listed = metadata.pop("tensors", None)
    if not isinstance(listed, list) or sorted(map(str, listed)) != sorted(tensors):
        raise FileError("the tensors in it are not those that its metadata lists")
    arithmetic = parse_arithmetic(metadata.get("arithmetic", ""))
    for name, tensor in tensors.items():
        _check_tensor(name, tensor, arithmetic)
    metadata["arithmetic"] = arithmetic
    if not isinstance(metadata.get("vocabulary"), list):
        raise FileError("its vocabulary is not a list")
    left = dict(tensors)
    T: Transformer = _part(Transformer, metadata, left, "")
    if left:
        raise FileError(f"it has a tensor that belongs nowhere: {min(left)!r:.200}")
    return T


def _stored_dtype(arithmetic: Arithmetic) -> type[np.floating[Any]]:
    return np.float32 if arithmetic == Native("float32") else np.float64


def _check_tensor(name: str, tensor: npt.NDArray[Any], arithmetic: Arithmetic) -> None:
    wanted = np.dtype(_stored_dtype(arithmetic))
    if tensor.dtype != wanted:
        raise FileError(f"tensor {name!r:.200} has dtype {tensor.dtype}, and {arithmetic} is stored as {wanted}")
    if not np.isfinite(tensor).all():
        where = np.argwhere(~np.isfinite(tensor))[0].tolist()
        raise FileError(
            f"tensor {name!r:.200} is {tensor[tuple(where)]} at {where}: every weight must be a finite number"
        )


def _array_fields(kind: type[Frozen]) -> Iterator[str]:
    for field in fields(kind):  # type: ignore[arg-type]
        if field.type in (Array, Array | None):
            yield field.name


def _plain_fields(part: Frozen) -> dict[str, Any]:
    arrays = set(_array_fields(type(part)))
    names = [field.name for field in fields(part) if field.name not in arrays]  # type: ignore[arg-type]
    return {name: _plain(getattr(part, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, Frozen):
        return {"kind": value.stored_as(), **_plain_fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Arithmetic) else value


def _value(value: Any, tensors: Tensors, name: str) -> Any:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return [_value(item, tensors, f"{name}.{i}") for i, item in enumerate(value)]
    if isinstance(value, dict):
        kind = value.pop("kind", None)
        if not isinstance(kind, str) or kind not in _KINDS:
            raise FileError(f"{name} has the unknown kind {kind!r:.80}")
        return _part(_KINDS[kind], value, tensors, name)
    return value


def _part(kind: type[Frozen], values: dict[str, Any], tensors: Tensors, name: str) -> Any:
    arrays = list(_array_fields(kind))
    known = {field.name for field in fields(kind)} - set(arrays)  # type: ignore[arg-type]
    wanted = known - _LATER.get(kind, set())
    odd = sorted((wanted - set(values)) | (set(values) - known))
    if odd:
        problem = "lacks the key" if odd[0] in wanted else "has the unknown key"
        raise FileError(f"{name or 'the metadata'} {problem} {odd[0]!r:.80}")
    prefix = f"{name}." if name else ""
    built = {key: _value(value, tensors, f"{prefix}{key}") for key, value in values.items()}
    built |= {array: tensors.pop(f"{prefix}{array}", None) for array in arrays}
    for field in fields(kind):  # type: ignore[arg-type]
        shared = field.name == "output" and built.get("tied") is True  # it is the embedding, which is there
        if field.type == Array and built[field.name] is None and not shared:
            raise FileError(f"the tensor {prefix + field.name!r} is missing")
    return kind(**built)
