"""Loading models from files and Hugging Face checkpoints, and saving them."""

from pathlib import Path

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.output import say, say_written
from weightsmith.errors import FileError
from weightsmith.storage import read_json


def load_model(path: Path) -> "ws.Transformer":
    """Read a transformer from its file, or the checkpoint in a directory; refuse a chain."""
    if not path.is_dir():
        return lazy.load_transformer(path)
    return lazy.only_transformer(read_checkpoint(path), path)


def load_any(path: Path) -> "ws.Transformer | ws.Chain":
    """Read a transformer or a chain from its file, or the checkpoint in a directory."""
    if path.is_dir():
        return read_checkpoint(path)
    model: ws.Transformer | ws.Chain = ws.load(path)
    return model


def save_model(T: "ws.Transformer | ws.Chain", output: Path, text: str = "") -> None:
    """Write a model file; print a text, by default the model's description, and the file's name."""
    ws.save(T, output)
    say(text or repr(T))
    say_written(output)


def read_checkpoint(directory: Path, numbers: "lazy.NativeType | None" = None) -> "ws.Transformer | ws.Chain":
    """Read a checkpoint, or a chain that `export` wrote, with progress."""
    with lazy.shown_progress("reading", "MB") as report:
        model: ws.Transformer | ws.Chain = ws.export.from_hugging_face(
            directory, numbers=numbers, progress=lambda done, total: report(done // 10**6, total // 10**6)
        )
        return model


def read_automaton(file: Path) -> "ws.check.Automaton":
    """Read an automaton from JSON."""
    data = read_json(file, "the automaton")
    if set(data) - {"start", "outputs", "answers", "vocabulary", "scope", "regex"} != {"table", "accepting"}:
        raise FileError(f'{file}: write {{"table": [[0, 1], [1, 0]], "accepting": [false, true], "start": 0}}')
    return ws.check.Automaton(data["table"], data["accepting"], data.get("start", 0))
