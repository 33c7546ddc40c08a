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
from weightsmith.train.loop import Record, Report, learn, threads
from weightsmith.train.lstm import Lstm, beside
from weightsmith.train.records import losses, new_figure, write_picture
from weightsmith.train.settings import Course, Shape
from weightsmith.train.text import Text
from weightsmith.train.training import check_context, identity, new_module

MOST_LANES = 64  # rows of a picture
VISIBLE = {" ": "␣", "\n": "↵", "\t": "⇥"}
PARTS = ("attention", "feed-forward")


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
    with threads(course.threads):
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
    figure = new_figure((12.0, 9.0))
    grid = figure.add_gridspec(2, 2, height_ratios=(2, 3), width_ratios=(13, 5))
    names = (
        f"transformer, {found.transformer_parameters:,} parameters",
        f"LSTM, {found.lstm_parameters:,} parameters",
    )
    curve = figure.add_subplot(grid[0, :])
    losses(curve, dict(zip(names, (found.transformer_history, found.lstm_history), strict=True)))
    curve.set_title("what they learn, from the same batches", loc="left")
    read = read_tokens(found.transformer, sentence)
    cells = figure.add_subplot(grid[1, 0])
    _picture(figure, cells, found.cells(sentence), [VISIBLE.get(token) or shown(token) for token in read], "cells")
    cells.set_title("LSTM: its cell state, token by token", loc="left")
    cells.set_xlabel("after reading →")
    stages = ["embedding", *(f"{part} {b}" for b in range(len(found.transformer.blocks)) for part in PARTS)]
    stream = figure.add_subplot(grid[1, 1])
    _picture(figure, stream, found.stream(sentence), stages, "lanes")
    stream.set_title("stream: last token, block by block", loc="left")
    stream.set_xlabel("after the part →")
    write_picture(path, figure)


def _picture(figure: Any, axis: Any, values: Array, ticks: Sequence[str], rows: str) -> None:
    """Draw values (steps, lanes) as colours: steps to the right; of the lanes those that vary most.

    From top to bottom they stand in the order of their last value, so that one can follow where it came from.
    """
    chosen = np.argsort(-values.std(axis=0), kind="stable")[:MOST_LANES]
    chosen = chosen[np.argsort(-values[-1, chosen], kind="stable")]
    most = float(np.quantile(np.abs(values[:, chosen]), 0.97)) or 1.0
    image = axis.imshow(values[:, chosen].T, aspect="auto", cmap="RdBu_r", vmin=-most, vmax=most, interpolation="none")
    long = max(map(len, ticks)) > 2
    axis.set_xticks(range(len(ticks)), ticks, rotation=90 if long else 0, fontsize=9 if long else 10, parse_math=False)
    axis.set_yticks([])
    axis.tick_params(length=0)
    some = f", of {values.shape[1]} those that vary most" if len(chosen) < values.shape[1] else ""
    axis.set_ylabel(f"{len(chosen)} {rows} by their last value{some}")
    figure.colorbar(image, ax=axis, shrink=0.8, pad=0.01, extend="both")
