"""Pictures of a training: its losses, and the memory of two models. matplotlib draws them."""

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from weightsmith import train
from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, shown
from weightsmith.model import read_tokens
from weightsmith.storage import check_writable
from weightsmith.train.records import FORMATS, Record, picture_format, refusals, write_file

DOTS_PER_INCH = 150  # of a PNG
MOST_LANES = 64  # rows of a panel
MOST_LETTERS = 16  # of a label
VISIBLE_FORMS = {" ": "␣", "\n": "↵", "\t": "⇥"}
SUBLAYERS = ("attention", "feed-forward")

# in inches
FIGURE_HEIGHT = 9.0
COLUMN_WIDTH = 0.16  # of a column, so that labels do not overlap
PANEL_WIDTHS = (3.6, 30.0)  # the narrowest panel, which has room for its title, and the widest
COLOURS_WIDTH = 1.1  # of a panel's bar of colours, and of its labels
COLOURS_GAP = 0.15  # between a panel and its bar: both are dark at their ends, and would look like one


def draw_losses(path: Path, histories: Mapping[str, Sequence[Record]]) -> None:
    """Draw the losses of one training, or of several: an SVG, PNG or PDF, as the name says."""
    picture_format(path)
    figure = new_figure((7.0, 4.2))
    losses(figure.add_subplot(), histories)
    write_picture(path, figure)


def write_picture(path: Path, figure: Any) -> None:
    """Write a figure in the format that its name says; the same figure gives the same bytes."""
    kind, data = picture_format(path), BytesIO()
    with refusals(path):
        check_writable(path)
    with matplotlib.rc_context({"svg.hashsalt": "weightsmith"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # a letter without a shape is drawn as a box
        figure.savefig(data, format=kind, metadata=dict.fromkeys(FORMATS[kind]), dpi=DOTS_PER_INCH)
    write_file(path, data.getvalue())


def new_figure(size: tuple[float, float]) -> Any:
    """Return an empty figure; no window, no state shared with others who draw."""
    return Figure(figsize=size, layout="constrained")


def losses(axis: Any, histories: Mapping[str, Sequence[Record]]) -> None:
    """Draw losses over steps, from step 0 on: training losses as thin lines, validation losses as thick ones.

    Each record is a point. Both losses are measured in the same way, after the same step.
    """
    for n, (name, history) in enumerate(histories.items()):
        steps = [record.step for record in history]
        label = f"{name}: " if len(histories) > 1 else ""
        learnt, held = [r.train_loss for r in history], [r.validation_loss for r in history]
        for values, kind, width, alpha in ((learnt, "training", 1, 0.6), (held, "validation", 2.2, 1)):
            words = f"{label}{kind}, {values[-1]:.3g} at the end"
            axis.plot(steps, values, ".-", color=f"C{n}", linewidth=width, alpha=alpha, label=words)
    axis.set_xlabel("step")
    axis.set_xlim(left=0)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_ylabel("loss (nats per prediction)")
    if any(record.train_loss + record.validation_loss > 0 for history in histories.values() for record in history):
        _logarithmic(axis)
        axis.set_ylabel("loss (nats per prediction), logarithmic")
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)


def _logarithmic(axis: Any) -> None:
    """Let equal distances be equal ratios: losses fall fast, and then differ by little."""
    axis.set_yscale("log")
    low, high = axis.get_ylim()
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5) if high < 100 * low else (1,)))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def draw_comparison(path: Path, found: "train.Comparison", sentence: str | Sequence[str]) -> None:
    """Draw the losses, the cell state over time and the stream over blocks: an SVG, PNG or PDF, as the name says."""
    picture_format(path)
    write_picture(path, comparison_figure(found, sentence))


def comparison_figure(found: "train.Comparison", sentence: str | Sequence[str]) -> Any:
    """Return the picture as a matplotlib figure, as wide as its columns need."""
    if not found.transformer_history or not found.lstm_history:
        raise InputError("this comparison was stopped before its first records: let it go on, and draw it then")
    read = [VISIBLE_FORMS.get(token) or shown(token) for token in read_tokens(found.transformer, sentence)]
    stages = ["embedding", *(f"{part} {b}" for b in range(len(found.transformer.blocks)) for part in SUBLAYERS)]
    widths = [min(max(COLUMN_WIDTH * len(ticks), PANEL_WIDTHS[0]), PANEL_WIDTHS[1]) for ticks in (read, stages)]
    figure = new_figure((sum(widths) + 2 * COLOURS_WIDTH, FIGURE_HEIGHT))
    grid = figure.add_gridspec(2, 2, height_ratios=(2, 3), width_ratios=[width + COLOURS_WIDTH for width in widths])
    names = (
        f"transformer, {found.transformer_parameters:,} parameters",
        f"LSTM, {found.lstm_parameters:,} parameters",
    )
    curve = figure.add_subplot(grid[0, :])
    losses(curve, dict(zip(names, (found.transformer_history, found.lstm_history), strict=True)))
    curve.set_title("what they learn, from the same batches", loc="left")
    cells, stream = (figure.add_subplot(grid[1, n]) for n in (0, 1))
    _panel(figure, cells, found.cells(sentence), read, ("cells", "after reading →"), widths[0])
    cells.set_title("LSTM: its cell state, token by token", loc="left")
    _panel(figure, stream, found.stream(sentence), stages, ("lanes", "after the part →"), widths[1])
    stream.set_title("stream: last token, block by block", loc="left")
    return figure


def _panel(figure: Any, axis: Any, values: Array, ticks: Sequence[str], axes: tuple[str, str], width: float) -> None:
    """Draw values (steps, lanes) as colours: steps to the right; of the lanes those that vary most.

    From top to bottom they stand in the order of their last value, so that one can follow where it came from.
    """
    chosen = np.argsort(-values.std(axis=0), kind="stable")[:MOST_LANES]
    chosen = chosen[np.argsort(-values[-1, chosen], kind="stable")]
    most = float(np.quantile(np.abs(values[:, chosen]), 0.97)) or 1.0
    image = axis.imshow(values[:, chosen].T, aspect="auto", cmap="RdBu_r", vmin=-most, vmax=most, interpolation="none")
    cut = [tick if len(tick) <= MOST_LETTERS else f"{tick[: MOST_LETTERS - 1]}…" for tick in ticks]
    every = ceil(COLUMN_WIDTH * len(cut) / width)  # labels that would stand on each other are left out
    long = max(map(len, cut)) > 2
    axis.set_xticks(
        range(0, len(cut), every),
        cut[::every],
        rotation=90 if long else 0,
        fontsize=9 if long else 10,
        parse_math=False,
    )
    axis.set_yticks([])
    axis.tick_params(length=0)
    some = f", of {values.shape[1]} those that vary most" if len(chosen) < values.shape[1] else ""
    axis.set_ylabel(f"{len(chosen)} {axes[0]} by their last value{some}")
    axis.set_xlabel(axes[1] if every == 1 else f"{axes[1]} (one in {every} has its name here)")
    figure.colorbar(
        image, ax=axis, shrink=0.8, pad=COLOURS_GAP / width, fraction=0.15 * PANEL_WIDTHS[0] / width, extend="both"
    )
