"""Does a norm improve training? Deep and shallow transformers without norm, with norm after and before the sublayers.

Everything else is the same: data, batches, random initial weights of a seed, rate. There are two ways to begin.
"Glorot" draws every matrix with the variance 2 / (inputs + outputs), as the first transformers did. "by depth" lets
matrices that write to the stream begin smaller, the more blocks there are, as GPT-2 does and `weightsmith train` too.

`make bench ONLY=norms` writes the losses of every seed to docs/_static/norms.json, draws docs/_static/norms.svg, and
prints the table of docs/lecture/norm.md. One training of 24 blocks takes ten seconds.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rich.table import Table

DATA = Path(__file__).parents[1] / "docs" / "_static" / "norms.json"
PICTURE = DATA.with_suffix(".svg")
SEEDS = range(5)
WAYS = {"none": ("none", "pre"), "post": ("layer", "post"), "pre": ("layer", "pre")}  # norm and placement
TITLES = {"none": "no norm", "post": "norm after (post)", "pre": "norm before (pre)"}
BEGINNINGS = ("Glorot", "by depth")
DEPTHS = (2, 24)
STEPS, EVERY = 240, 20
CHARACTERS, CONTEXT = 200_000, 32


def measure() -> Iterator[Table]:
    began = time.perf_counter()
    runs = [
        run(seed, way, blocks, beginning)
        for beginning in BEGINNINGS
        for blocks in DEPTHS
        for way in WAYS
        for seed in SEEDS
    ]
    found = {"steps": STEPS, "by_letters": by_letters(), "seconds": round(time.perf_counter() - began), "runs": runs}
    DATA.write_text(json.dumps(found, indent=1) + "\n")
    draw(found)
    table = Table("initial weights", "blocks", *TITLES.values())
    for cells in rows(found):
        table.add_row(*cells)
    yield table


def run(seed: int, way: str, blocks: int, beginning: str, steps: int = STEPS) -> dict[str, Any]:
    """Train once; return the losses over the steps, which end early where a loss is no longer finite."""
    from weightsmith.errors import InputError
    from weightsmith.train import Course, Shape
    from weightsmith.train.loop import learn, threads
    from weightsmith.train.training import identity, new_module

    norm, placement = WAYS[way]
    task = letters()
    shape = Shape(32, blocks, 2, 64, context=CONTEXT, norm=norm, placement=placement)  # type: ignore[arg-type]
    course = Course(steps, batch=8, rate=3e-3, warmup=60, decay=0.0, seed=seed, evaluate_every=EVERY)
    module = new_module(task, shape, course)
    if beginning == "Glorot":
        begin_by_glorot(module)
    losses: list[tuple[int, float]] = []
    began = time.perf_counter()
    with threads(1):
        try:
            learn(
                module,
                task,
                course,
                identity(task, shape, course),
                record=lambda history: losses.append((history[-1].step, round(history[-1].validation_loss, 4))),
            )
        except InputError as error:
            print(error, file=sys.stderr)
    said = {"beginning": beginning, "blocks": blocks, "norm": way, "seed": seed}
    print(said, losses[-1:], f"{time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)
    return said | {"losses": losses, "finished": bool(losses) and losses[-1][0] == steps}


@cache
def letters() -> Any:
    """Return the text that all of them learn from, letter by letter."""
    from weightsmith.train import as_text, corpus

    return as_text(corpus(CHARACTERS), CONTEXT)


def begin_by_glorot(module: Any) -> None:
    """Draw every matrix of the blocks anew; the embeddings stay."""
    from torch import nn

    for name, parameter in module.named_parameters():
        if name.startswith("blocks.") and parameter.ndim == 2:
            nn.init.xavier_normal_(parameter)


def by_letters() -> float:
    """Return the validation loss of a model that knows the frequency of each letter, and nothing else."""
    import numpy as np

    task = letters()
    counts = np.bincount(task.learn.numpy(), minlength=len(task.vocabulary)) + 1.0
    return round(float(-np.log(counts / counts.sum())[task.validate.numpy()].mean()), 4)


def last_losses(found: dict[str, Any], beginning: str, blocks: int, way: str) -> list[float]:
    """Return the last validation loss of each seed; ∞ where the training broke off."""
    return [
        one["losses"][-1][1] if one["finished"] else float("inf")
        for one in found["runs"]
        if (one["beginning"], one["blocks"], one["norm"]) == (beginning, blocks, way)
    ]


def rows(found: dict[str, Any]) -> Iterator[list[str]]:
    """Yield the range of the last losses for each way to begin, each depth and each norm."""
    for beginning in BEGINNINGS:
        for blocks in DEPTHS:
            yield [beginning, str(blocks), *(_range(last_losses(found, beginning, blocks, way)) for way in WAYS)]


def _range(losses: Sequence[float]) -> str:
    broken = sum(loss == float("inf") for loss in losses)
    ended = [loss for loss in losses if loss < float("inf")]
    said = f"{_brief(min(ended))} to {_brief(max(ended))}" if ended else ""
    return f"{said}{', ' if said and broken else ''}{f'{broken} broke off' if broken else ''}"


def _brief(loss: float) -> str:
    return f"{loss:.2f}" if loss < 100 else f"{loss:,.0f}"


def markdown(found: dict[str, Any]) -> str:
    """Return the table as the page shows it."""
    lines = [f"| initial weights | blocks | {' | '.join(TITLES.values())} |", "|---|---:|---:|---:|---:|"]
    return "\n".join(lines + [f"| {' | '.join(cells)} |" for cells in rows(found)])


def draw(found: dict[str, Any]) -> None:
    """Draw the losses of all seeds: a panel for each way to begin, both for the deep models."""
    from weightsmith.train.pictures import new_figure, write_picture

    figure = new_figure((10.0, 4.2))
    panels = figure.subplots(1, len(BEGINNINGS))
    for axis, beginning in zip(panels, BEGINNINGS, strict=True):
        for colour, way in zip(("C3", "C1", "C0"), WAYS, strict=True):
            label = TITLES[way]
            for one in found["runs"]:
                if (one["beginning"], one["blocks"], one["norm"]) == (beginning, max(DEPTHS), way):
                    axis.plot(*zip(*one["losses"], strict=True), color=colour, linewidth=1.4, alpha=0.8, label=label)
                    label = "_"
        axis.axhline(found["by_letters"], color="#777", linestyle=":", linewidth=1)
        if beginning == "Glorot":
            axis.set_yscale("log")
        axis.set_title(f"{max(DEPTHS)} blocks, initial weights: {beginning}", loc="left", fontsize=10)
        axis.set_xlabel("step")
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("validation loss (nats per letter)")
    panels[1].legend(frameon=False, loc="upper right")
    panels[0].text(STEPS, found["by_letters"] * 1.06, "letter frequencies", ha="right", fontsize=8, color="#555")
    write_picture(PICTURE, figure)
