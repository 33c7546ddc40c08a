"""The directory of an exported model: its kind, and its files, which get their place when all of them are right."""

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from weightsmith.errors import FileError, WeightsmithError, brief, listed
from weightsmith.model import Transformer
from weightsmith.storage import PART, file_digest, read_json, refusals, write_json, write_whole

CARD = "README.md"
MARK = "weightsmith"  # the key in config.json by which we know our own
File: TypeAlias = str | dict[str, Any]  # a text, or an object for JSON
FILES = (
    CARD,
    "chain.safetensors",
    "circuit.json",
    "config.json",
    "configuration_weightsmith.py",
    "generation_config.json",
    "model.safetensors",
    "modeling_weightsmith.py",
    "network_weightsmith.py",
    "steps_weightsmith.py",
    "tokenizer.json",
    "tokenizer_config.json",
)
Dtype: TypeAlias = Literal["float64", "float32", "bfloat16", "float16"]


@contextlib.contextmanager
def new_directory(directory: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty directory, which becomes the one that was named unless something goes wrong meanwhile.

    An earlier export is replaced; anything else that is there is refused before any work is done.
    """
    with refusals("cannot write", directory):
        target = Path(directory).resolve()
        check_free(target)
        beside = target.with_name(f"{PART[0]}{secrets.token_hex(8)}{PART[1]}")
        beside.mkdir()
    try:
        yield beside
        with refusals("cannot write", directory):
            _put(beside, target)
    finally:
        _remove(beside)


def check_free(target: Path) -> None:
    """Refuse a place where there is anything but an empty directory or an earlier export."""
    if not target.exists():
        if not target.parent.is_dir():
            raise FileError(f"there is no directory {brief(str(target.parent))}")
        return
    if not target.is_dir():
        raise FileError("it is a file, and a directory is written: give another name")
    names = sorted(os.listdir(target))
    others = [name for name in names if name not in FILES or (name == CARD and not _is_our_card(target))]
    if others or (names and not _is_export(target)):
        raise FileError(
            f"it holds something else ({listed(others or names)}): give the name of a new or an empty directory"
        )


def _is_export(target: Path) -> bool:
    return MARK in _config(target)


def _is_our_card(target: Path) -> bool:
    """Return whether README.md is the one that was written with a chain; one that somebody changed is theirs."""
    own = _config(target).get(MARK)
    chain = own.get("chain") if isinstance(own, dict) else None
    try:
        return isinstance(chain, dict) and chain.get("card") == file_digest(target / CARD)
    except (OSError, WeightsmithError):
        return False


def _config(target: Path) -> dict[str, Any]:
    try:
        return read_json(target / "config.json", "config.json")
    except WeightsmithError:
        return {}


def _put(made: Path, target: Path) -> None:
    """Put a directory in its place, in one step where nothing is there."""
    old = target.with_name(f"{PART[0]}{secrets.token_hex(8)}{PART[1]}") if target.exists() else None
    if old is not None:
        check_free(target)
        os.rename(target, old)
    os.rename(made, target)
    if old is not None:
        _remove(old)


def _remove(directory: Path) -> None:
    """Remove a directory of ours with the files that it has."""
    if directory.is_dir():
        for name in FILES:
            (directory / name).unlink(missing_ok=True)
        directory.rmdir()


def write_files(directory: Path, files: Mapping[str, File]) -> None:
    """Write texts as they are and anything else as JSON."""
    for name, content in files.items():
        if isinstance(content, str):
            write_whole(directory / name, content.encode())
        else:
            write_json(directory / name, content)


def is_language_model(T: Transformer) -> bool:
    """Return whether the classes are the vocabulary, so that a decision is the next token."""
    return tuple(T.classes) == tuple(T.vocabulary)


def task(T: Transformer, chain: bool = False) -> str:
    """Return the ending of the class AutoModelFor… that opens a model, or the transformer of a chain."""
    if chain:
        return "CausalLM"
    if T.readout is not None:
        return "TokenClassification"
    return "CausalLM" if is_language_model(T) else "SequenceClassification"


def label_names(T: Transformer) -> list[str]:
    """Return the classes, or the values of a readout as texts: as Python writes them where two would look alike."""
    labels = [value if isinstance(value, str) else repr(value) for value in T.answers]
    return labels if len(set(labels)) == len(labels) else [repr(value) for value in T.answers]
