"""A run of many values in a notebook: a summary that fits a screen, and the calls that show more."""

from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import cut
from weightsmith.inspect import Run
from weightsmith.inspect.generate import probabilities
from weightsmith.inspect.output import answers_of, read_numbers
from weightsmith.inspect.trace import position_text
from weightsmith.model import Transformer, readable_text, value_text
from weightsmith.model.readout import NO_VALUE
from weightsmith.model.sites import present_stages
from weightsmith.tables import Page, Table, bar, number

CLASSES, POSITIONS, STAGES, HEADS = 5, 8, 8, 5  # how many are shown
TEXT, LETTERS, DIGITS = 400, 14, 4
MORE = (
    "ws.lens(r), r.attention_table(block, head), r.table(lanes=[…]) and ws.attribute(r) show more; "
    'r.save_html("run.html") writes a page'
)


def summary(run: Run) -> Page:
    """Return the answer, what each stage would decide at the last positions, and where heads look from the end."""
    T = run.transformer
    heads, neurons = sum(map(len, run.heads)), sum(layer.shape[-1] for layer in run.activations)
    parts = f"{len(T.blocks)} blocks, {len(T.lanes):,} lanes, {heads:,} heads, {neurons:,} neurons"
    answer = [] if T.readout is not None else [_answer(run)]
    said = [cut(readable_text(T, run.tokens), TEXT), f"{parts}, {T.weights:,} weights"]
    return Page(*said, *answer, _lens(run), _heads(run), MORE)


def _answer(run: Run) -> Table:
    T, chances = run.transformer, probabilities(run.logits, 1.0)
    table = Table("answer", "logit", "probability", "", right=[1, 2])
    for c in np.argsort(-run.logits, kind="stable")[:CLASSES].tolist():
        logit = number(float(run.logits[c]), T.arithmetic.infinity, DIGITS).removeprefix("~")
        share = bar(float(chances[c] / chances.max()), 12)
        table.add(value_text(T.classes[c]), logit, f"{chances[c]:.4f}", share, style="" if table.rows else "best")
    return table


def _lens(run: Run) -> Table:
    """Return the answers after some sublayers, the last one among them, at the last positions."""
    T, n = run.transformer, len(run.tokens)
    stages, first = present_stages(T), max(0, n - POSITIONS)
    some = sorted({stages[round(k * (len(stages) - 1) / (STAGES - 1))] for k in range(STAGES)})
    table = Table("would answer after", *(cut(position_text(run.tokens, i), LETTERS) for i in range(first, n)), lead=1)
    for s in some:
        said, _ = likeliest(T, run.stream[s, first:])
        table.add(run.stages[s], *(cut(value_text(one), LETTERS) for one in said))
    left = [f"{len(stages) - len(some)} more sublayers"] * (len(some) < len(stages))
    left += [f"{first:,} positions before these"] * (first > 0)
    table.notes += [f"left out: {' and '.join(left)}"] if left else []
    return table


def likeliest(T: Transformer, vectors: Array) -> tuple[list[Any], Array]:
    """Return the answers of vectors of the stream (positions, lanes), and the probability of each; of a code, 1."""
    numbers = read_numbers(T, vectors)
    ids = answers_of(T, numbers)
    said = [T.answers[i] if i >= 0 else NO_VALUE for i in ids.tolist()]
    if T.readout is not None:
        return said, (ids >= 0).astype(np.float64)
    return said, np.array([float(probabilities(row, 1.0).max()) for row in numbers])


def _heads(run: Run) -> Table:
    """Return the heads that bring most to the last position, and where they look."""
    found = [
        (float(np.linalg.norm(head.output[-1])), b, i)
        for b, heads in enumerate(run.heads)
        for i, head in enumerate(heads)
    ]
    table = Table("head", "adds, by length", "looks most from the last position at", right=[1])
    for size, b, i in sorted(found, key=lambda one: -one[0])[:HEADS]:
        weights = run.heads[b][i].weights[-1]
        seen = [int(j) for j in np.argsort(-weights, kind="stable")[:3] if weights[j] > 0]
        looks = ", ".join(f"{cut(position_text(run.tokens, j), LETTERS)} ({weights[j]:.2f})" for j in seen)
        table.add(f"block {b}, head {i}", f"{size:.3g}", looks)
    return table
