"""Save and load: one safetensors file with the weights and everything else."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weightsmith.errors import FileError, WeightsmithError
from weightsmith.files.codec import decode, encode
from weightsmith.files.container import parse_json, read_container, read_text, write_container, write_whole
from weightsmith.model import Transformer

__all__ = ["load", "load_certificate", "save", "save_certificate"]


def save(T: Transformer, path: str | os.PathLike[str]) -> None:
    """Write a transformer to one file. A crash leaves the file that was there before whole."""
    if not isinstance(T, Transformer):
        raise FileError(f"save writes a Transformer, and this is {T!r:.80}")
    tensors, metadata = encode(T)
    with _refusals("cannot write", path):
        write_container(Path(path), tensors, json.dumps(metadata, ensure_ascii=False))


def load(path: str | os.PathLike[str]) -> Transformer:
    """Read a transformer. The file is not trusted: it loads to a valid transformer or is refused with the reason."""
    with _refusals("cannot read", path):
        tensors, text = read_container(Path(path))
        return decode(tensors, parse_json(text, "its metadata"))


def save_certificate(certificate: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a certificate of a check. A crash leaves the file that was there before whole."""
    with _refusals("cannot write", path):
        write_whole(Path(path), (json.dumps(certificate, indent=2) + "\n").encode())


def load_certificate(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a certificate, which is not trusted: `check.replay` checks what it says."""
    with _refusals("cannot read", path):
        return parse_json(read_text(Path(path)), "the certificate")


@contextlib.contextmanager
def _refusals(what: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever goes wrong with a file into an error that names it."""
    try:
        yield
    except WeightsmithError as error:
        raise FileError(f"{what} {str(path)!r}: {error}") from None
    except (MemoryError, RecursionError) as error:
        raise FileError(f"{what} {str(path)!r}: it asks for too much ({type(error).__name__})") from None
    except (OSError, RuntimeError, TypeError, ValueError) as error:  # also: links in circles, names with a 0 byte
        raise FileError(f"{what} {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
