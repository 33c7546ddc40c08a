"""weightsmith run."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from weightsmith.cli.output import AsJson, ModelFile, number, print_json, results, say, table
from weightsmith.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from weightsmith.model import Transformer
    from weightsmith.semantics import Run


def run(
    file: ModelFile,
    tokens: Annotated[str, typer.Argument(metavar="INPUT", help="Characters, or words separated by spaces.")],
    trace: Annotated[bool, typer.Option("--trace", help="Show the stream after every sublayer.")] = False,
    lane: Annotated[list[str] | None, typer.Option(help="With --trace: show only this lane; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a model on an input: the decision, the logits and, with --trace, the whole stream."""
    from weightsmith.files import load
    from weightsmith.model import lane_index
    from weightsmith.semantics import run as run_model

    if lane and not trace:
        raise InputError("--lane chooses what --trace shows: write --trace too")
    r = run_model(load(file), tokens)
    T = r.transformer
    chosen = [lane_index(T, name) for name in lane or T.lanes]
    if as_json:
        result: dict[str, Any] = {
            "decision": r.decision,
            "logits": dict(zip(T.classes, r.logits.tolist(), strict=True)),
            "empty_softmax": r.empty_softmax,
        }
        if trace:
            stream = r.stream[:, :, chosen].tolist()
            result |= {"tokens": r.tokens, "stages": r.stages, "lanes": [T.lanes[j] for j in chosen], "stream": stream}
        print_json(result)
        return
    if trace:
        show_trace(r, chosen)
    show_decision(r)


def show_decision(r: "Run") -> None:
    """Print the decision and the logits."""
    from rich.text import Text

    from weightsmith.model.names import shown

    classes = r.transformer.classes
    logits = table("class", "logit", right=True)
    best = sorted(range(len(classes)), key=lambda c: -r.logits[c])[:20]
    for c in best if len(classes) > len(best) else range(len(classes)):
        style = "bold green" if classes[c] == r.decision else ""
        logits.add_row(Text(shown(classes[c])), number(float(r.logits[c]), r.transformer.arithmetic), style=style)
    say(f"decision: {shown(r.decision)}")
    results().print(logits)
    if r.empty_softmax:
        say(f"attention rows without weight, because every exponential rounded to 0: {r.empty_softmax}")


def show_trace(r: "Run", chosen: list[int]) -> None:
    """Print the stream as a table with as many lanes as fit; what a sublayer changed stands out."""
    from weightsmith.model.names import shown

    console = results()
    A, lanes = r.transformer.arithmetic, r.transformer.lanes
    left = console.width - 7 - max(map(len, r.stages)) - max(len(shown(token)) + 4 for token in r.tokens)
    fitting = 0
    for j in chosen:
        left -= 3 + max(len(lanes[j]), *(len(number(float(x), A)) for x in r.stream[:, :, j].ravel()))
        if left < 0 and fitting:
            break
        fitting += 1
    console.print(trace_table(r, chosen[:fitting]))
    if len(chosen) > fitting:
        hidden = f"{len(chosen) - fitting} of {len(chosen)} lanes do not fit"
        say(f"{hidden}: a wider terminal shows more, --lane chooses, --json has all")


def trace_table(r: "Run", chosen: list[int]) -> "Table":
    """Give the stream as a table: a row for each stage and position, a column for each lane."""
    from rich.text import Text

    from weightsmith.model.names import shown

    A = r.transformer.arithmetic
    result = table("after", "token", *(r.transformer.lanes[j] for j in chosen))
    for column in result.columns[2:]:
        column.justify = "right"
    for s in present_stages(r.transformer):
        for i, token in enumerate(r.tokens):
            changed = [s > 0 and r.stream[s, i, j] != r.stream[s - 1, i, j] for j in chosen]
            cells = [
                Text(number(float(r.stream[s, i, j]), A), "bold yellow" if new else "")
                for j, new in zip(chosen, changed, strict=True)
            ]
            last = i == len(r.tokens) - 1
            result.add_row(Text(r.stages[s] if i == 0 else ""), Text(f"{i} {shown(token)}"), *cells, end_section=last)
    return result


def present_stages(T: "Transformer") -> list[int]:
    """Give the stages of the stream whose sublayer is there."""
    present = [0]
    for b, block in enumerate(T.blocks):
        present += [1 + 2 * b] if block.attention is not None else []
        present += [2 + 2 * b] if block.feed_forward is not None else []
    return present
