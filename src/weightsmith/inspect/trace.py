"""A run as tables: the stream after every sublayer, scores and weights of the heads, the logits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic import Native
from weightsmith.errors import InputError, ModelError, existing, position_of, shown
from weightsmith.model import Head, lane_index, value_text
from weightsmith.model.names import place_of
from weightsmith.model.readout import code_text
from weightsmith.model.sites import Site, present_stages
from weightsmith.semantics.attention import sees
from weightsmith.tables import Cell, Page, Table, number

if TYPE_CHECKING:
    from weightsmith.inspect.run import Run

MOST_LANES = 64  # unless they are chosen
MOST_ROWS = 240
MOST_CLASSES = 20
WEIGHT, SCORE = "weight", "score"


def sight_text(head: Head) -> str:
    """Return what limits the positions that a head sees: ", strict", ", window 4"; "" for nothing."""
    window = "" if head.window is None else f", window {head.window}"
    return f"{', strict' if head.strict else ''}{window}"


def position_text(tokens: Sequence[str], position: int) -> str:
    """Return a position with its token, such as "2 Tower"."""
    return f"{position} {shown(tokens[position])}"


def stream_table(
    run: "Run",
    lanes: str | Sequence[str] | None,
    stages: str | Sequence[str] | None,
    positions: int | Sequence[int] | None,
    hint: str,
) -> Table:
    """Return the stream: the lanes side by side where that fits the page, else one below the other.

    `hint` says how to see the rest.
    """
    T, notes = run.transformer, list[str]()
    lanes = [lanes] if isinstance(lanes, str) else lanes
    stages = [stages] if isinstance(stages, str) else stages
    positions = [positions] if isinstance(positions, int) else positions
    rows = present_stages(T) if stages is None else [place_of(stage, run.stages, "stage") for stage in stages]
    chosen = list(range(len(run.tokens))) if positions is None else [position_of(p, len(run.tokens)) for p in positions]
    if positions is None and len(chosen) > (most := max(MOST_ROWS // max(len(rows), 1), 1)):
        notes.append(f"the last {most} of {len(chosen)} positions; {hint}")
        chosen = chosen[-most:]
    columns = list(range(len(T.lanes))) if lanes is None else [lane_index(T, lane) for lane in lanes]
    if lanes is None and len(columns) > MOST_LANES:
        notes.append(f"{MOST_LANES} of {len(columns)} lanes, those that vary most; {hint}")
        vary = run.stream.std(axis=(0, 1))
        columns = sorted(np.argsort(-vary, kind="stable")[:MOST_LANES].tolist())
    table = _lanes_across(run, rows, chosen, columns, notes)
    return table if table.fits() else _lanes_down(run, rows, chosen, columns, notes)


def _lanes_across(run: "Run", rows: list[int], chosen: list[int], columns: list[int], notes: list[str]) -> Table:
    """Return a table with a row for each stage and position, and a column for each lane."""
    names = [run.transformer.lanes[j] for j in columns]
    table = Table("after", "token", *names, right=range(2, 2 + len(names)), lead=2, notes=notes)
    for s in rows:
        for i in chosen:
            stage = run.stages[s] if i == chosen[0] else ""
            table.add(
                stage, position_text(run.tokens, i), *(_cell(run, s, i, j) for j in columns), ends=i == chosen[-1]
            )
    return table


def _lanes_down(run: "Run", rows: list[int], chosen: list[int], columns: list[int], notes: list[str]) -> Table:
    """Return a table with a row for each stage and lane that changed there, and a column for each position."""
    tokens = [position_text(run.tokens, i) for i in chosen]
    left_out = "left out: lanes that a sublayer does not change, or that are 0 at the embedding"
    table = Table("after", *tokens, right=range(1, 1 + len(tokens)), lead=1, notes=[*notes, left_out])
    for s in rows:
        before = run.stream[s - 1] if s else np.zeros_like(run.stream[0])
        changed = [j for j in columns if (run.stream[s, chosen, j] != before[chosen, j]).any()]
        table.add(run.stages[s], *[""] * len(chosen), ends=not changed)
        for j in changed:
            cells = [_cell(run, s, i, j) for i in chosen]
            table.add(f"  {run.transformer.lanes[j]}", *cells, ends=j == changed[-1])
    return table


def _cell(run: "Run", s: int, i: int, j: int) -> Cell:
    value = run.stream[s, i, j]
    return Cell(_number(run, float(value)), "new" if s and value != run.stream[s - 1, i, j] else "")


def attention_table(run: "Run", block: int | None, head: int | None, hint: str = "") -> Table:
    """Return scores and weights: for each head, two rows for each position that looks, a column for each one seen."""
    T = run.transformer
    if block is not None:
        existing(block, len(T.blocks), "block")
    if head is not None:
        most = max(map(len, run.heads), default=0) if block is None else len(run.heads[block])
        existing(head, most, "head", "" if block is None else f" in block {block}")
    chosen = [
        (b, h)
        for b, heads in enumerate(run.heads)
        for h in range(len(heads))
        if block in (None, b) and head in (None, h)
    ]
    n, notes = len(run.tokens), list[str]()
    if hint and 2 * n * len(chosen) > MOST_ROWS:
        most = MOST_ROWS // (2 * n)
        notes.append(f"{most} of {len(chosen)} heads; {hint}")
        chosen = chosen[:most]
    tokens = [position_text(run.tokens, j) for j in range(n)]
    table = Table("looks from", "", *tokens, right=range(2, 2 + n), lead=2, notes=notes)
    for b, h in chosen:
        found, attention = run.heads[b][h], T.blocks[b].attention
        assert attention is not None
        looking = attention.heads[h]
        table.add(f"{Site('head', b, h)}{sight_text(looking)}", *[""] * (1 + n))
        for i in range(n):
            seen = sees(T, looking, i - np.arange(n)).tolist()
            weights = [_number(run, float(x)) if see else "" for x, see in zip(found.weights[i], seen, strict=True)]
            scores = [_number(run, float(x)) if see else "" for x, see in zip(found.scores[i], seen, strict=True)]
            strong = [Cell(text, "new" if text not in ("", "0") else "") for text in weights]
            table.add(f"  {tokens[i]}", WEIGHT, *strong)
            table.add("", SCORE, *scores, style="faint", ends=i == n - 1)
    return table


def decision_page(run: "Run", hint: str) -> Page:
    """Return the decision, the logits and the outputs at each position; `hint` says how to see all of these."""
    if run.transformer.readout is not None:
        return _readout_page(run, hint)
    classes = run.transformer.classes
    table = Table("class", "logit", right=[1])
    order = sorted(range(len(classes)), key=lambda c: -run.logits[c])[:MOST_CLASSES]
    for c in order if len(classes) > len(order) else range(len(classes)):
        value = number(float(run.logits[c]), run.transformer.arithmetic.infinity)
        table.add(shown(classes[c]), value, style="best" if classes[c] == run.decision else "")
    outputs = [outputs_table(run, hint)] if len(run.tokens) > 1 else []
    return Page(f"decision: {shown(run.decision)}", table, *outputs, *_without_weight(run))


def _readout_page(run: "Run", hint: str) -> Page:
    """Return the decoded values at each position; the first code without a value is reported."""
    problem = ""
    try:
        run.outputs  # noqa: B018
    except (ModelError, InputError) as error:
        problem = f"not every output can be read off: {error}"
    known = not problem or run.answer_ids[-1] >= 0
    said = f"decision: {value_text(run.decision)}" if known else "decision: none"
    return Page(said, outputs_table(run, hint), *([problem] if problem else []), *_without_weight(run))


def _without_weight(run: "Run") -> list[str]:
    line = f"attention rows without weight, because every exponential rounded to 0: {run.empty_softmax}"
    return [line] if run.empty_softmax else []


def outputs_table(run: "Run", hint: str) -> "Table | str":
    """Return a table of the output at each position (the last ones if there are many), or why there is none.

    With a readout the codes are shown below; a question mark stands for a code without a value.
    """
    try:
        texts = ["?" if n < 0 else value_text(run.transformer.answers[n]) for n in run.answer_ids.tolist()]
    except ModelError as error:  # of an earlier position: the decision can be read off nevertheless
        return f"outputs: none, because of another position: {error}"
    n, first = len(texts), max(0, len(texts) - MOST_ROWS)
    notes = [f"the last {MOST_ROWS} of {n} positions; {hint}"] if first else []
    table = Table("at", *(position_text(run.tokens, i) for i in range(first, n)), lead=1, notes=notes)
    table.add("output", *texts[first:])
    if run.codes is not None:
        table.add("code", *map(code_text, run.codes[first:].tolist()), style="faint")
    return table


def whole_page(
    run: "Run", lanes: Sequence[str] | None, positions: Sequence[int] | None, hints: tuple[str, str, str]
) -> Page:
    """Return the whole run: the stream, scores and weights of the heads, the decision."""
    stream = stream_table(run, lanes, None, positions, hints[0])
    heads: list[Table | str] = []
    if any(run.heads):
        small = 2 * len(run.tokens) <= MOST_ROWS
        too_much = f"what the heads looked at does not fit a page; {hints[1]}"
        heads = [attention_table(run, None, None, hints[1]) if small else too_much]
    return Page(stream, *heads, decision_page(run, hints[2]))


def _number(run: "Run", value: float) -> str:
    """Return a value; in the machine's arithmetic four digits are enough to read."""
    A = run.transformer.arithmetic
    return number(value, A.infinity, digits=4 if isinstance(A, Native) else 6)
