"""Reading a chain back from the folder that `to_hugging_face` wrote; the folder is not trusted."""

from pathlib import Path
from typing import Any

from weightsmith.errors import FileError, brief
from weightsmith.export.reading.config import Config
from weightsmith.files import load
from weightsmith.model import Chain
from weightsmith.model.digest import digest
from weightsmith.storage import file_digest

OWN = "weightsmith"  # the key of our own fields in config.json
CHAIN, WEIGHTS = "chain.safetensors", "model.safetensors"


def is_chain(config: Config) -> bool:
    """Return whether a config is that of an exported chain."""
    own = config.fields.get(OWN)
    return isinstance(own, dict) and "chain" in own


def read_chain(folder: Path, config: Config) -> Chain:
    """Return the chain in a folder; refuse one that does not belong to it, and say what is lost without it."""
    said: Any = config.fields[OWN]["chain"]
    if not isinstance(said, dict):
        raise FileError(f"config.json has {OWN}.chain={brief(said)}: it is not a description of a chain")
    if not (folder / CHAIN).is_file():
        raise FileError(
            f"{CHAIN} is missing: the other files hold the weights in floats, without the chain's arithmetic, the "
            "names of its lanes and its positions; export the chain again"
        )
    C = load(folder / CHAIN)
    if not isinstance(C, Chain) or digest(C) != said.get("digest"):
        raise FileError(f"{CHAIN} is not the chain that config.json describes: export the chain again")
    if not (folder / WEIGHTS).is_file() or file_digest(folder / WEIGHTS) != said.get("weights"):
        raise FileError(
            f"{WEIGHTS} was changed after the export, and {CHAIN} holds the weights before that: "
            f"write load('{CHAIN}') for the chain as it was exported"
        )
    return C
