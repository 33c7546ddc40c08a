"""The models that commands take: files, and checkpoints of Hugging Face."""

from pathlib import Path
from typing import TYPE_CHECKING

import weightsmith as ws

if TYPE_CHECKING:
    from weightsmith.arithmetic.native import NativeType


def load_model(path: Path) -> "ws.Transformer":
    """Read a model file, or the checkpoint in a directory."""
    return read_checkpoint(path) if path.is_dir() else ws.load(path)


def read_checkpoint(directory: Path, numbers: "NativeType | None" = None) -> "ws.Transformer":
    """Read a checkpoint; one that takes its time shows how far it is."""
    from weightsmith.cli.progress import shown_progress  # here, because bars are slow to load
    from weightsmith.export import from_hugging_face  # and this loads numpy

    with shown_progress("reading", "MB") as report:
        return from_hugging_face(
            directory, numbers=numbers, progress=lambda done, total: report(done // 10**6, total // 10**6)
        )
