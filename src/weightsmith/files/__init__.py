"""Save and load: one safetensors file with the weights and everything else."""

import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any

from weightsmith.errors import FileError, brief, named
from weightsmith.files.codec import decode, encode
from weightsmith.files.container import container_bytes, read_container, read_tensors
from weightsmith.model import Chain, Transformer
from weightsmith.storage import parse_json, refusals, write_whole

__all__ = ["from_bytes", "load", "load_transformer", "model_bytes", "save", "transformer_from_bytes"]


def save(model: Transformer | Chain, path: str | os.PathLike[str]) -> None:
    """Write a transformer or a chain to one file. A crash leaves the file that was there before whole."""
    if not isinstance(model, Transformer | Chain):
        raise FileError(f"save writes a Transformer or a Chain, and this is {brief(model)}")
    with refusals("cannot write", path):
        write_whole(Path(path), model_bytes(model))


def model_bytes(model: Transformer | Chain) -> bytes:
    """Return the bytes of the file of a transformer or a chain."""
    tensors, metadata = encode(model)
    return container_bytes(tensors, json.dumps(metadata, ensure_ascii=False))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a Transformer or a Chain. The file is not trusted: it loads to a valid one or is refused with the reason."""
    with refusals("cannot read", path):
        tensors, text = read_container(Path(path))
        size = len(text) + sum(tensor.nbytes for tensor in tensors.values())
        metadata = parse_json(text, "its metadata", size)
        del text  # it may be large
        return decode(tensors, metadata)


def load_transformer(path: str | os.PathLike[str]) -> Transformer:
    """Read a transformer as `load` does; refuse a chain."""
    return only_transformer(load(path), path)


def only_transformer(model: Transformer | Chain, name: str | os.PathLike[str]) -> Transformer:
    """Return a model that is a transformer; refuse a chain."""
    if isinstance(model, Chain):
        raise FileError(
            f"{named(str(name))} holds a chain, and a transformer is needed here: "
            "write save(load(…).transformer, …) for the transformer in it"
        )
    return model


def transformer_from_bytes(data: bytes, name: str) -> Transformer:
    """Read a transformer from the bytes of its file; refuse a chain."""
    return only_transformer(from_bytes(data, name), name)


def from_bytes(data: bytes, name: str) -> Transformer | Chain:
    """Read a transformer or a chain from the bytes of its file, with the suspicion of `load`."""
    with refusals("cannot read", name):
        tensors, text = read_tensors(BytesIO(data), len(data))
        return decode(tensors, parse_json(text, "its metadata", len(data)))
