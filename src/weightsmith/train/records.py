"""What is written down about a training: a line of JSON for every record, and a picture of the losses."""

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

from weightsmith.errors import FileError, InputError, shown
from weightsmith.files.container import write_whole
from weightsmith.train.checkpoint import Record

FORMATS = {"svg": ("Date",), "png": (), "pdf": ("CreationDate",)}  # and what of each would differ from day to day
DOTS = 150  # an inch of a PNG


def write_log(path: Path, history: Sequence[Record]) -> None:
    """Write all records so far; a training that goes on from a checkpoint writes those of before again."""
    lines = [json.dumps(asdict(record)) + "\n" for record in history]
    _write(path, "".join(lines).encode())


def draw_losses(path: Path, histories: Mapping[str, Sequence[Record]]) -> None:
    """Draw the losses of one training, or of several: an SVG, PNG or PDF, as the name says."""
    picture_format(path)
    figure = new_figure((7.0, 4.2))
    losses(figure.add_subplot(), histories)
    write_picture(path, figure)


def picture_format(path: Path) -> str:
    """Return the format of a picture, which its name ends with; refuse others."""
    name = path.suffix.lower().removeprefix(".")
    if name not in FORMATS:
        ends = f"ends in {shown(path.suffix)}" if path.suffix else "has no ending"
        raise InputError(
            f"{shown(str(path))} {ends}, and a picture can be {', '.join(FORMATS)}: "
            f"write {shown(str(path.with_suffix('.png')))}"
        )
    return name


def write_picture(path: Path, figure: Any) -> None:
    """Write a figure in the format that its name says; the same figure gives the same bytes."""
    import matplotlib

    kind, data = picture_format(path), BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "weightsmith"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # a letter without a shape is drawn as a box
        figure.savefig(data, format=kind, metadata=dict.fromkeys(FORMATS[kind]), dpi=DOTS)
    _write(path, data.getvalue())


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except (FileError, OSError) as error:
        raise FileError(f"cannot write {shown(str(path))}: {getattr(error, 'strerror', None) or error}") from None


def new_figure(size: tuple[float, float]) -> Any:
    """Return an empty figure; no window, no state shared with others who draw."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def losses(axis: Any, histories: Mapping[str, Sequence[Record]]) -> None:
    """Draw losses over steps: what was learnt from as thin lines, what was held back as thick ones."""
    for n, (name, history) in enumerate(histories.items()):
        steps = [record.step for record in history]
        label = f"{name}: " if len(histories) > 1 else ""
        learnt, held = [r.train_loss for r in history], [r.validation_loss for r in history]
        axis.plot(steps, learnt, color=f"C{n}", linewidth=1, alpha=0.6, label=f"{label}training")
        axis.plot(steps, held, color=f"C{n}", linewidth=2.2, label=f"{label}validation, {held[-1]:.3g} at the end")
    axis.set_xlabel("step")
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_ylabel("loss (nats per prediction)")
    if any(record.train_loss + record.validation_loss > 0 for history in histories.values() for record in history):
        _logarithmic(axis)
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)


def _logarithmic(axis: Any) -> None:
    """Let equal distances be equal ratios: losses fall fast, and then differ by little."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    axis.set_yscale("log")
    low, high = axis.get_ylim()
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5) if high < 100 * low else (1,)))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
