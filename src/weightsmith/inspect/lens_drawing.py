"""The logit lens as a heat map, in SVG: stages down, positions across."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, cut, shown
from weightsmith.model import value_text
from weightsmith.model.readout import NO_VALUE
from weightsmith.model.sites import present_stages

if TYPE_CHECKING:
    from weightsmith.inspect.lens import Lens

MOST_TOKENS, MOST_STAGES = 40, 100  # that a picture shows
COLUMN, ROW, LEFT, TOP = 76, 24, 160, 30
LABEL = 9  # characters in a cell
SURFACE, INK = np.array([255.0, 255, 255]), np.array([26.0, 29, 33])  # as in the page
LEAST, MOST, HALF = 0.04, 0.92, 0.5
RING = "#a3196d"


def heat_map(seen: "Lens") -> str:
    """Return the picture; refuse one that does not fit a page."""
    stages = present_stages(seen.transformer)
    if len(seen.tokens) > MOST_TOKENS or len(stages) > MOST_STAGES:
        raise InputError(
            f"a picture shows up to {MOST_TOKENS} tokens and {MOST_STAGES} stages, and the run has "
            f"{len(seen.tokens)} and {len(stages)}: run a part, or print the table"
        )
    shares = _shares(seen)
    body = [_text(_x(i), TOP - 10, cut(shown(token), LABEL), "#1a1d21") for i, token in enumerate(seen.tokens)]
    for row, s in enumerate(stages):
        y = TOP + row * ROW
        body.append(_text(LEFT - 8, y + 16, seen.stages[s], "#5b626d", "end"))
        for i in range(len(seen.tokens)):
            new = row > 0 and seen.decisions[s][i] != seen.decisions[stages[row - 1]][i]
            share = float(shares[s, i])
            percent = f" {100 * share:.3g} %" if seen.codes is None else ""
            body.append(_cell(i, y, value_text(seen.decisions[s][i]), share, new, percent))
    width, height = LEFT + COLUMN * len(seen.tokens) + 10, TOP + ROW * len(stages) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12" role="img" '
        f'aria-label="the logit lens: decisions after {len(stages)} stages at {len(seen.tokens)} positions">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )


def _shares(seen: "Lens") -> Array:
    """Return how dark each cell is: the probability of the decision, or whether a code stands for a value."""
    if seen.codes is None:
        largest: Array = probabilities(seen.logits).max(axis=-1)
        return largest
    return np.array([[0.0 if said is NO_VALUE else 0.5 for said in row] for row in seen.decisions])


def probabilities(logits: Array) -> Array:
    """Return the softmax of logits over the last axis, in float64."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Array = powers / powers.sum(axis=-1, keepdims=True)
    return found


def _x(position: int) -> float:
    return LEFT + COLUMN * (position + 0.5)


def _text(x: float, y: float, text: str, colour: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _cell(position: int, y: float, decision: str, share: float, new: bool, percent: str) -> str:
    part = LEAST + (MOST - LEAST) * share
    fill = "#" + "".join(f"{round(channel):02x}" for channel in SURFACE + (INK - SURFACE) * part)
    x = LEFT + COLUMN * position
    ring = f'<rect x="{x + 2}" y="{y + 2}" width="{COLUMN - 4}" height="{ROW - 4}" fill="none" stroke="{RING}" '
    return (
        f"<g><title>{escape(decision)}{percent}</title>"
        f'<rect x="{x}" y="{y}" width="{COLUMN}" height="{ROW}" fill="{fill}" stroke="#fff"/>'
        + (f'{ring}stroke-width="2"/>' if new else "")
        + _text(_x(position), y + 16, cut(decision, LABEL), "#fff" if part > HALF else "#14171b")
        + "</g>"
    )
