"""Every array of a transformer with its full name, such as `blocks.0.attention.heads.1.W_Q`."""

from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.model.frozen import Frozen


def named_arrays(part: object, name: str = "", history: bool = False) -> Iterator[tuple[str, Array]]:
    """Walk through the fields in the order in which they are declared; with `history` also those not compared."""
    if isinstance(part, np.ndarray):
        yield name, part
    elif isinstance(part, tuple):
        for i, item in enumerate(part):
            yield from named_arrays(item, f"{name}.{i}", history)
    elif isinstance(part, Frozen):
        shared = "output" if getattr(part, "tied", False) else ""  # it is the embedding, and that is walked already
        for field in fields(part):  # type: ignore[arg-type]
            if field.name != shared and (field.compare or history):
                inner = f"{name}.{field.name}" if name else field.name
                yield from named_arrays(getattr(part, field.name), inner, history)
