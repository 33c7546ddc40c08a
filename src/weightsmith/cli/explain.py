"""weightsmith explain."""

from typing import TYPE_CHECKING, Annotated

import typer

from weightsmith.cli.output import AsJson, ModelFile, bar, number, print_json, results, say, table
from weightsmith.errors import InputError

if TYPE_CHECKING:
    from weightsmith.semantics import Attribution, Run


def explain(
    file: ModelFile,
    tokens: Annotated[str, typer.Argument(metavar="INPUT", help="Characters, or words separated by spaces.")],
    wanted: Annotated[str | None, typer.Option("--class", help="The class; without it, the decision.")] = None,
    top: Annotated[int, typer.Option(help="How many of the largest parts to show.")] = 15,
    as_json: AsJson = False,
) -> None:
    """Split a logit into embedding, position, heads by source, neurons and biases, and show the decision on the way."""
    from weightsmith.files import load
    from weightsmith.semantics import attribute, run

    if top < 1:
        raise InputError(f"--top {top}: write how many parts to show, 1 or more")
    r = run(load(file), tokens)
    found = attribute(r, r.decision if wanted is None else wanted)
    if as_json:
        print_json(_as_data(found))
    else:
        _show(r, found, top)


def _as_data(found: "Attribution") -> dict[str, object]:
    keys = ("kind", "amount", "block", "place", "source", "name")
    return {
        "class": found.wanted,
        "logit": found.logit,
        "residue": found.residue,
        "parts": [{key: getattr(part, key) for key in keys} for part in found.parts],
    }


def _show(r: "Run", found: "Attribution", top: int) -> None:
    from rich.text import Text

    from weightsmith.model.names import shown
    from weightsmith.semantics import lens
    from weightsmith.semantics.trace import present_stages

    A, parts = r.transformer.arithmetic, found.largest(top)
    say(f"decision: {shown(r.decision)}")
    say(f"logit of {shown(found.wanted)}: {number(found.logit, A)}")
    rows = table("part", "adds", "")
    rows.columns[1].justify = "right"
    most = max((abs(part.amount) for part in parts), default=1.0)
    for part in parts:
        style = "green" if part.amount > 0 else "red"
        rows.add_row(Text(str(part)), number(part.amount, A), bar(abs(part.amount) / most), style=style)
    shown_parts = {id(part) for part in parts}
    rest = [part.amount for part in found.parts if part.amount != 0 and id(part) not in shown_parts]
    if rest:
        rows.add_row(f"{len(rest)} smaller parts; --top shows more", number(sum(rest), A), "", style="dim")
    rows.add_row("rounding on the way", number(found.residue, A), "", style="dim")
    results().print(rows)
    stages = table("after", "the head would say")
    seen = lens(r)
    for s in present_stages(r.transformer):
        stages.add_row(Text(seen.stages[s]), Text(shown(seen.decisions[s][-1])))
    results().print(stages)
