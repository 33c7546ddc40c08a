"""What is written down about a training: a line of JSON for every record, and a picture of the losses."""

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

from weightsmith.errors import FileError
from weightsmith.files.container import write_whole
from weightsmith.model.names import shown
from weightsmith.train.loop import Record


def write_log(path: Path, history: Sequence[Record]) -> None:
    """Write all records so far; a training that goes on from a checkpoint writes those of before again."""
    lines = [json.dumps(asdict(record)) + "\n" for record in history]
    _write(path, "".join(lines).encode())


def draw_losses(path: Path, histories: Mapping[str, Sequence[Record]]) -> None:
    """Draw the losses of one training, or of several, as an SVG."""
    figure, axes = new_figure(1, (7.0, 4.2))
    losses(axes[0], histories)
    write_picture(path, figure)


def write_picture(path: Path, figure: Any) -> None:
    """Write a figure as an SVG; the same figure gives the same bytes."""
    import matplotlib

    data = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "weightsmith"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # a letter without a shape is drawn as a box
        figure.savefig(data, format="svg", metadata={"Date": None})
    _write(path, data.getvalue())


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except (FileError, OSError) as error:
        raise FileError(f"cannot write {shown(str(path))}: {getattr(error, 'strerror', None) or error}") from None


def new_figure(panels: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    """Give a figure with panels side by side; no window, no state shared with others who draw."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasSVG(figure)
    return figure, [figure.add_subplot(1, panels, i + 1) for i in range(panels)]


def losses(axis: Any, histories: Mapping[str, Sequence[Record]]) -> None:
    """Draw losses over steps: what was learnt from as thin lines, what was held back as thick ones."""
    for n, (name, history) in enumerate(histories.items()):
        steps = [record.step for record in history]
        label = f"{name}, " if len(histories) > 1 else ""
        axis.plot(
            steps, [r.train_loss for r in history], color=f"C{n}", linewidth=1, alpha=0.6, label=f"{label}training"
        )
        axis.plot(steps, [r.validation_loss for r in history], color=f"C{n}", linewidth=2, label=f"{label}validation")
    axis.set_xlabel("step")
    axis.set_ylabel("loss (nats per prediction)")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False)
