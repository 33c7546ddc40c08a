"""Save and load: one safetensors file with the weights and everything else."""

import json
import os
from pathlib import Path
from typing import Any

from weightsmith.errors import FileError, brief
from weightsmith.files.codec import decode, encode
from weightsmith.files.container import read_container, write_container
from weightsmith.model import Transformer
from weightsmith.storage import parse_json, read_json, refusals, write_json

__all__ = ["load", "load_certificate", "save", "save_certificate"]


def save(T: Transformer, path: str | os.PathLike[str]) -> None:
    """Write a transformer to one file. A crash leaves the file that was there before whole."""
    if not isinstance(T, Transformer):
        raise FileError(f"save writes a Transformer, and this is {brief(T)}")
    tensors, metadata = encode(T)
    with refusals("cannot write", path):
        write_container(Path(path), tensors, json.dumps(metadata, ensure_ascii=False))


def load(path: str | os.PathLike[str]) -> Transformer:
    """Read a transformer. The file is not trusted: it loads to a valid transformer or is refused with the reason."""
    with refusals("cannot read", path):
        tensors, text = read_container(Path(path))
        size = len(text) + sum(tensor.nbytes for tensor in tensors.values())
        metadata = parse_json(text, "its metadata", size)
        del text  # it may be large
        return decode(tensors, metadata)


def save_certificate(certificate: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a certificate of a check. A crash leaves the file that was there before whole."""
    with refusals("cannot write", path):
        write_json(Path(path), certificate)


def load_certificate(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a certificate, which is not trusted: `check.replay` checks what it says."""
    return read_json(path, "the certificate")
