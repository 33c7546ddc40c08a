"""A picture of an automaton, as SVG: the column of a state is its distance from the start."""

import math
from html import escape
from typing import TYPE_CHECKING

from weightsmith.errors import InputError

if TYPE_CHECKING:
    from weightsmith.automata.automaton import Automaton

MAX_STATES = 60
MAX_LABEL = 18  # characters on an edge
RADIUS, ACROSS, DOWN, MARGIN = 24, 130, 96, 70


def drawn(automaton: "Automaton") -> str:
    """Return a picture: circles are states with their labels, arrows have tokens, accepting states two rings."""
    check_size(automaton)
    states, at = len(automaton.table), centres(automaton)
    width = max(x for x, _ in at) + MARGIN
    height = max(y for _, y in at) + MARGIN
    body = [_start(at[automaton.start])]
    for here in range(states):
        for there, label in arrows(automaton, here).items():
            body += _arrow(at[here], at[there], label)
    for state, centre in enumerate(at):
        body += _state(centre, automaton.outcome(state), bool(automaton.accepting[state]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="13" role="img" '
        f'aria-label="an automaton with {states} states">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )


def check_size(automaton: "Automaton") -> None:
    """Refuse an automaton with too many states for a picture."""
    if len(automaton.table) > MAX_STATES:
        raise InputError(
            f"the automaton has {len(automaton.table)} states, and a picture shows up to {MAX_STATES}: "
            "print(A) is a table of them"
        )


def centres(automaton: "Automaton") -> list[tuple[float, float]]:
    """Return the centre of each state: its column is the distance from the start."""
    far = {automaton.start: 0}
    order = [automaton.start]
    for state in order:  # grows inside the loop
        for there in automaton.table[state].tolist():
            if there not in far:
                far[there] = far[state] + 1
                order.append(there)
    columns: dict[int, list[int]] = {}
    for state in [*order, *(s for s in range(len(automaton.table)) if s not in far)]:
        columns.setdefault(far.get(state, max(far.values()) + 1), []).append(state)
    tallest = max(map(len, columns.values()))
    middles = [(0.0, 0.0)] * len(automaton.table)
    for column, members in columns.items():
        for row, state in enumerate(members):
            down = MARGIN + DOWN * (row + (tallest - len(members)) / 2)
            middles[state] = (MARGIN + ACROSS * column, down + (12 if column % 2 else 0))
    return middles


def arrows(automaton: "Automaton", state: int) -> dict[int, str]:
    """Return the label of the arrow from a state to each of its successors."""
    names = automaton.vocabulary or [str(i) for i in range(automaton.table.shape[1])]
    tokens_to: dict[int, list[str]] = {}
    for token, there in zip(names, automaton.table[state].tolist(), strict=True):
        tokens_to.setdefault(there, []).append(token)
    every = len(tokens_to) == 1 and len(names) > 3
    texts = {there: "all" if every else ", ".join(tokens) for there, tokens in tokens_to.items()}
    return {there: t if len(t) <= MAX_LABEL else f"{t[: MAX_LABEL - 1]}…" for there, t in texts.items()}


def _start(centre: tuple[float, float]) -> str:
    x, y = centre
    return f'<path d="M{x - RADIUS - 26:g} {y:g}H{x - RADIUS - 2:g}" stroke="#555" marker-end="url(#tip)"/>'


def _state(centre: tuple[float, float], says: str, accepting: bool) -> list[str]:
    x, y = centre
    fill = "#e3f2e6" if accepting else "#f4f4f4"
    ring = f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS - 4}" fill="none" stroke="#333"/>' if accepting else ""
    short = says if len(says) <= 6 else f"{says[:5]}…"
    return [
        f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS}" fill="{fill}" stroke="#333"/>{ring}',
        f'<text x="{x:g}" y="{y + 4:g}" text-anchor="middle">{escape(short)}</text>',
    ]


def _arrow(here: tuple[float, float], there: tuple[float, float], label: str) -> list[str]:
    """Return a bent arrow, so that two opposite ones stay apart, or a loop above a state."""
    (x, y), (u, v) = here, there
    line = 'fill="none" stroke="#555" marker-end="url(#tip)"'
    name = '<text x="{:g}" y="{:g}" text-anchor="middle" paint-order="stroke" stroke="#fff" stroke-width="4">{}</text>'
    if here == there:
        top = y - RADIUS
        path = f"M{x - 9:g} {top + 2:g}C{x - 24:g} {top - 34:g} {x + 24:g} {top - 34:g} {x + 9:g} {top + 1:g}"
        return [f'<path d="{path}" {line}/>', name.format(x, top - 27, escape(label))]
    length = math.hypot(u - x, v - y)
    along, aside = ((u - x) / length, (v - y) / length), ((v - y) / length, (x - u) / length)
    bend = 16 + 0.10 * length
    middle = ((x + u) / 2 + 2 * bend * aside[0], (y + v) / 2 + 2 * bend * aside[1])
    begin = _towards(here, middle)
    end = _towards(there, middle, 2)
    path = f"M{begin[0]:.1f} {begin[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    at = ((x + u) / 2 + bend * aside[0] - 4 * along[0], (y + v) / 2 + bend * aside[1] + 4)
    return [f'<path d="{path}" {line}/>', name.format(at[0], at[1], escape(label))]


def _towards(circle: tuple[float, float], point: tuple[float, float], more: float = 0) -> tuple[float, float]:
    """Return the point of a circle in the direction of another point."""
    dx, dy = point[0] - circle[0], point[1] - circle[1]
    length = math.hypot(dx, dy)
    reach = (RADIUS + more) / length
    return circle[0] + reach * dx, circle[1] + reach * dy
