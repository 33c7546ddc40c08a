"""Save and load: one safetensors file with the weights and everything else."""

import json
import os
from io import BytesIO
from pathlib import Path

from weightsmith.errors import FileError, brief
from weightsmith.files.codec import decode, encode
from weightsmith.files.container import container_bytes, read_container, read_tensors
from weightsmith.model import Transformer
from weightsmith.storage import parse_json, refusals, write_whole

__all__ = ["from_bytes", "load", "model_bytes", "save"]


def save(T: Transformer, path: str | os.PathLike[str]) -> None:
    """Write a transformer to one file. A crash leaves the file that was there before whole."""
    if not isinstance(T, Transformer):
        raise FileError(f"save writes a Transformer, and this is {brief(T)}")
    with refusals("cannot write", path):
        write_whole(Path(path), model_bytes(T))


def model_bytes(T: Transformer) -> bytes:
    """Return the bytes of the file of a transformer."""
    tensors, metadata = encode(T)
    return container_bytes(tensors, json.dumps(metadata, ensure_ascii=False))


def load(path: str | os.PathLike[str]) -> Transformer:
    """Read a transformer. The file is not trusted: it loads to a valid transformer or is refused with the reason."""
    with refusals("cannot read", path):
        tensors, text = read_container(Path(path))
        size = len(text) + sum(tensor.nbytes for tensor in tensors.values())
        metadata = parse_json(text, "its metadata", size)
        del text  # it may be large
        return decode(tensors, metadata)


def from_bytes(data: bytes, name: str) -> Transformer:
    """Read a transformer from the bytes of its file, with the suspicion of `load`; errors give it this name."""
    with refusals("cannot read", name):
        tensors, text = read_tensors(BytesIO(data), len(data))
        return decode(tensors, parse_json(text, "its metadata", len(data)))
