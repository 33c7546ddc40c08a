"""A digest of a transformer: the same for equal ones, another for others."""

import hashlib
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.arithmetic.immutable import pieces
from weightsmith.model.frozen import Frozen


def digest(model: Frozen) -> str:
    """Return the SHA-256 of everything that counts when two transformers, or chains, are compared: no provenance.

    Each value is written with its kind and length in front, so that different transformers are written differently.
    """
    state = hashlib.sha256()
    _update(state, model)
    return state.hexdigest()


def _update(state: Any, value: object) -> None:
    if isinstance(value, np.ndarray):
        state.update(f"array{value.shape}:{8 * value.size}:".encode())
        for _, some in pieces(value):  # without a copy of a large array
            state.update(np.ascontiguousarray(some, "<f8").data)
    elif isinstance(value, Frozen):
        counted = value.counted()
        _write(state, value.stored_as(), ",".join(counted).encode())
        for item in counted.values():
            _update(state, item)
    elif isinstance(value, tuple):
        _write(state, "tuple", str(len(value)).encode())
        for item in value:
            _update(state, item)
    else:
        kind = "arithmetic" if isinstance(value, Arithmetic) else type(value).__name__
        _write(state, kind, str(value).encode())


def _write(state: Any, kind: str, data: bytes) -> None:
    state.update(f"{kind}:{len(data)}:".encode() + data)
