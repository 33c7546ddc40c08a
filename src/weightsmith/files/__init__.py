"""Save and load: one safetensors file with the weights and everything else."""

import json
import os
from pathlib import Path

from weightsmith.errors import FileError, WeightsmithError
from weightsmith.files.codec import decode, encode
from weightsmith.files.container import parse_json, read_container, write_container
from weightsmith.model import Transformer

__all__ = ["load", "save"]


def save(T: Transformer, path: str | os.PathLike[str]) -> None:
    """Write a transformer to one file. A crash leaves the file that was there before whole."""
    if not isinstance(T, Transformer):
        raise FileError(f"save writes a Transformer, and this is {T!r:.80}")
    tensors, metadata = encode(T)
    try:
        write_container(Path(path), tensors, json.dumps(metadata, ensure_ascii=False))
    except OSError as error:
        raise FileError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from None


def load(path: str | os.PathLike[str]) -> Transformer:
    """Read a transformer. The file is not trusted: it loads to a valid transformer or is refused with the reason."""
    try:
        tensors, text = read_container(Path(path))
        return decode(tensors, parse_json(text, "its metadata"))
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)!r}: {error.strerror or error}") from None
    except RecursionError:
        raise FileError(f"{os.fspath(path)!r} is refused: its metadata is nested without end") from None
    except WeightsmithError as error:
        raise FileError(f"{os.fspath(path)!r} is refused: {error}") from None
