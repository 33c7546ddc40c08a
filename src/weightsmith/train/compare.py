"""A transformer and an LSTM of the same size, trained on the same text, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from weightsmith.arithmetic import Array
from weightsmith.model import Transformer, read_tokens
from weightsmith.model.names import shown
from weightsmith.semantics import run
from weightsmith.train.convert import to_transformer
from weightsmith.train.loop import Record, Report, learn
from weightsmith.train.lstm import Lstm, beside
from weightsmith.train.records import losses, new_figure, write_picture
from weightsmith.train.settings import Course, Shape
from weightsmith.train.text import Text
from weightsmith.train.training import check_context, identity, new_module

MOST_LANES = 64  # rows of a picture


@dataclass(frozen=True, eq=False)
class Comparison:
    """Both models, and how they learnt."""

    transformer: Transformer
    lstm: Lstm
    transformer_history: tuple[Record, ...]
    lstm_history: tuple[Record, ...]
    transformer_parameters: int
    lstm_parameters: int

    def stream(self, sentence: str | Sequence[str]) -> Array:
        """Give the last position of the stream, (stages, lanes): the sentence as it is refined block by block."""
        return run(self.transformer, sentence).stream[:, -1]

    def cells(self, sentence: str | Sequence[str]) -> Array:
        """Give the cell state, (positions, size): the sentence as it is gathered token by token."""
        T = self.transformer
        ids = torch.tensor([T.vocabulary.index(token) for token in read_tokens(T, sentence)])
        states: Array = self.lstm.cells(ids).to(torch.float64).numpy()
        return states


def compare(
    text: Text, shape: Shape, course: Course, checkpoint: Path | None = None, report: Report | None = None
) -> Comparison:
    """Train both with the same batches, in the same order, from the same seed.

    With a checkpoint, each has its own: the same name with `.transformer` and `.lstm` after it.
    """
    check_context(text, shape)
    module = new_module(text, shape, course)
    size = count(module)
    torch.manual_seed(course.seed)
    lstm = beside(shape, len(text.vocabulary), size)
    name = identity(text, shape, course)
    first = learn(module, text, course, name, _beside(checkpoint, "transformer"), report)
    second = learn(lstm, text, course, {**name, "lstm": lstm.size}, _beside(checkpoint, "lstm"), report)
    T = to_transformer(module, text.vocabulary, None, f"trained beside an LSTM: {course.steps} steps")
    return Comparison(T, lstm, first.history, second.history, size, count(lstm))


def _beside(path: Path | None, kind: str) -> Path | None:
    return None if path is None else path.with_name(f"{path.name}.{kind}")


def count(module: torch.nn.Module) -> int:
    """Count the parameters."""
    return sum(parameter.numel() for parameter in module.parameters())


def draw_comparison(path: Path, found: Comparison, sentence: str) -> None:
    """Draw the losses, the cell state over time and the stream over blocks, as one SVG."""
    figure, (curve, cells, stream) = new_figure(3, (15.0, 5.2))
    names = (
        f"transformer, {found.transformer_parameters:,} parameters",
        f"LSTM, {found.lstm_parameters:,} parameters",
    )
    losses(curve, dict(zip(names, (found.transformer_history, found.lstm_history), strict=True)))
    curve.set_title("what they learn")
    tokens = [shown(token) for token in read_tokens(found.transformer, sentence)]
    _picture(figure, cells, found.cells(sentence), "the LSTM's cell state, token by token", tokens, "cell")
    stages = ["embedding", *(f"{b} {part}" for b in range(len(found.transformer.blocks)) for part in ("att", "ff"))]
    _picture(figure, stream, found.stream(sentence), "the stream at the last token, block by block", stages, "lane")
    write_picture(path, figure)


def _picture(figure: Any, axis: Any, values: Array, title: str, ticks: Sequence[str], row: str) -> None:
    """Draw values (steps, lanes) as colours: steps to the right, the lanes that vary most from top to bottom."""
    chosen = np.sort(np.argsort(-values.std(axis=0), kind="stable")[:MOST_LANES])
    most = float(np.abs(values[:, chosen]).max()) or 1.0
    image = axis.imshow(values[:, chosen].T, aspect="auto", cmap="RdBu_r", vmin=-most, vmax=most, interpolation="none")
    axis.set_xticks(
        range(len(ticks)), ticks, rotation=90 if max(map(len, ticks)) > 2 else 0, fontsize=8, parse_math=False
    )
    axis.set_ylabel(f"{row} ({len(chosen)} of {values.shape[1]})")
    axis.set_title(title)
    figure.colorbar(image, ax=axis, shrink=0.8)
