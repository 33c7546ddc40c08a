"""weightsmith explain."""

from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import results
from weightsmith.cli.loading import load_model
from weightsmith.cli.output import AsJson, ModelFile, Tokens, print_json, say
from weightsmith.errors import InputError, brief, position_of, shown
from weightsmith.tables import Table

Position = Annotated[int, typer.Option(metavar="N", help="Explain what the output says there; -1 is the last.")]


def explain(
    file: ModelFile,
    tokens: Tokens,
    wanted: Annotated[
        str | None, typer.Option("--class", help="The class, or the lane; without it, the decision.")
    ] = None,
    over: Annotated[str | None, typer.Option(metavar="CLASS", help="The logit less that of this class.")] = None,
    position: Position = -1,
    by: Annotated[str | None, typer.Option(metavar="head|block", help="Each head, or block, is one part.")] = None,
    top: Annotated[int, typer.Option(help="How many of the largest parts to show.")] = 15,
    as_json: AsJson = False,
) -> None:
    """Split a logit into embedding, position, heads by source, neurons and biases, and show the decision on the way."""
    if top < 1:
        raise InputError(f"--top {top}: write how many parts to show, 1 or more")
    if by not in (None, "head", "block"):
        raise InputError(f"--by {brief(by)}: write --by head or --by block")
    r = ws.run(load_model(file), tokens)
    here, seen = position_of(position, len(r.tokens)), ws.lens(r)
    found = ws.attribute(r, wanted, over=over, position=here)
    if by is not None:
        found = found.by_head() if by == "head" else found.by_block()
    if as_json:
        print_json(_as_data(found))
    else:
        _show(seen, found, top)


def _as_data(found: "lazy.Attribution") -> dict[str, object]:
    keys = ("kind", "amount", "block", "place", "source", "name")
    return {
        "class": found.wanted,
        "over": found.over,
        "position": found.position,
        "logit": found.logit,
        "residue": found.residue,
        "parts": [{key: getattr(part, key) for key in keys} for part in found.parts],
    }


def _show(seen: "lazy.Lens", found: "lazy.Attribution", top: int) -> None:
    here, tokens = found.position, seen.tokens
    where = "" if here == len(tokens) - 1 else f" at {lazy.trace.position_text(tokens, here)}"
    say(f"decision{where}: {shown(seen.decisions[-1][here])}")
    results().print(found.table(top))
    stages = Table("after", "the head would say")
    for s in lazy.present_stages(seen.transformer):
        stages.add(seen.stages[s], shown(seen.decisions[s][here]))
    results().print(stages)
