"""The folder of a benchmark: its index, and each model with its circuit and pairs."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from weightsmith.circuits.pairs import Pair, Split
from weightsmith.circuits.truth import GroundTruth, read_truth
from weightsmith.errors import FileError, InputError, brief, listed
from weightsmith.files import load_transformer
from weightsmith.model import Transformer
from weightsmith.storage import read_json, refusals

FORMAT, VERSION = "weightsmith circuit benchmark", 1
INDEX, MODEL, CIRCUIT, PAIRS, ENTRY = "index.json", "model.safetensors", "circuit.json", "pairs.json", "model.json"
FORMS = "circuit-formats.json"
_NAME = re.compile(r"[a-z0-9-]{1,100}/[a-z0-9-]{1,100}")


@dataclass(frozen=True)
class Entry:
    """A model of a benchmark; its files are read when they are needed."""

    folder: Path
    data: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its name: kind/program."""
        return str(self.data["name"])

    @property
    def kind(self) -> str:
        """Which kind of model it is."""
        return self.name.partition("/")[0]

    @property
    def program(self) -> str:
        """Which program it computes."""
        return self.name.partition("/")[2]

    @cached_property
    def transformer(self) -> Transformer:
        """The model."""
        return load_transformer(self.folder / MODEL)

    @cached_property
    def truth(self) -> GroundTruth:
        """Its ground truth: a label for every edge."""
        with refusals("cannot read", self.folder / CIRCUIT):
            return read_truth(self.transformer, read_json(self.folder / CIRCUIT, CIRCUIT))

    @cached_property
    def pairs(self) -> Split:
        """Its pairs of inputs."""
        with refusals("cannot read", self.folder / PAIRS):
            content = read_json(self.folder / PAIRS, PAIRS)
            return Split(*(_pairs(self.transformer, content.get(part), part) for part in ("train", "test")))


def _pairs(T: Transformer, rows: Any, part: str) -> tuple[Pair, ...]:
    if not isinstance(rows, list) or not rows:
        raise FileError(f"{PAIRS} has no pairs under {part!r}: make the benchmark again")
    found = []
    for row in rows:
        row = row if isinstance(row, dict) else {}
        clean, corrupted, position = (row.get(name) for name in ("clean", "corrupted", "position"))
        words = [words for words in (clean, corrupted) if isinstance(words, list) and words]
        known = all(isinstance(token, str) and token in T.vocabulary for side in words for token in side)
        if len(words) != 2 or not known or len(words[0]) != len(words[1]) or type(position) is not int:
            raise FileError(f"{PAIRS} has {brief(row)}, which is no pair of inputs: make the benchmark again")
        if not 0 <= position < len(words[0]):
            raise FileError(f"{PAIRS} has position {brief(position)} of {len(words[0])} tokens: make it again")
        found.append(Pair(tuple(words[0]), tuple(words[1]), position))
    return tuple(found)


def plain_pairs(split: Split) -> dict[str, Any]:
    """Return pairs as plain values."""
    return {
        part: [
            {"clean": list(pair.clean), "corrupted": list(pair.corrupted), "position": pair.position} for pair in pairs
        ]
        for part, pairs in (("train", split.train), ("test", split.test))
    }


def read_index(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the index of a benchmark."""
    index = read_json(Path(directory) / INDEX, INDEX)
    if index.get("format") != FORMAT or index.get("version") != VERSION or not isinstance(index.get("models"), list):
        raise FileError(
            f"{brief(str(directory))} holds no benchmark of this version ({FORMAT}, version {VERSION}): "
            "write weightsmith circuits make DIR"
        )
    return index


def read_benchmark(directory: str | os.PathLike[str], only: Sequence[str] | None = None) -> tuple[Entry, ...]:
    """Return the models of a benchmark, in the order of its index; with `only`, those with these names."""
    found = list[Entry]()
    for row in read_index(directory)["models"]:
        name = row.get("name") if isinstance(row, dict) else None
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise FileError(f"{INDEX} has a model {brief(name)}: names are kind/program")
        found.append(Entry(Path(directory) / name, row))
    if not found:
        raise InputError(f"{brief(str(directory))} has no models: write weightsmith circuits make DIR")
    names = [entry.name for entry in found]
    for name in only or ():
        if name not in names:
            raise InputError(f"the benchmark has no model {brief(name)}: its index.json lists {listed(names, 6)}")
    return tuple(entry for entry in found if only is None or entry.name in only)
