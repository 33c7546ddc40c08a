"""Loading models from files, and from Hugging Face checkpoints."""

from pathlib import Path

import weightsmith as ws
from weightsmith.cli import lazy


def load_model(path: Path) -> "ws.Transformer":
    """Read a model file, or the checkpoint in a directory."""
    return read_checkpoint(path) if path.is_dir() else ws.load(path)


def read_checkpoint(directory: Path, numbers: "lazy.NativeType | None" = None) -> "ws.Transformer":
    """Read a checkpoint, with progress."""
    with lazy.shown_progress("reading", "MB") as report:
        return ws.export.from_hugging_face(
            directory, numbers=numbers, progress=lambda done, total: report(done // 10**6, total // 10**6)
        )
