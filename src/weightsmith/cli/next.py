"""weightsmith next."""

from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli.consoles import results
from weightsmith.cli.loading import load_model
from weightsmith.cli.output import AsJson, ModelFile, Text, print_json, say
from weightsmith.errors import InputError, shown
from weightsmith.tables import Table, bar


def next(
    file: ModelFile,
    text: Text,
    top: Annotated[int, typer.Option(help="How many of the most likely tokens to show.")] = 10,
    temperature: Annotated[float, typer.Option(help="Above 1 flattens the distribution, below 1 sharpens it.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Show the most likely next tokens, as bars."""
    if top < 1:
        raise InputError(f"--top {top}: write how many tokens to show, 1 or more")
    likely = ws.next_token(load_model(file), text, temperature)
    if as_json:
        print_json(likely)
        return
    chosen = list(likely.items())[:top]
    shares = Table("next", "probability", "", right=[1])
    for n, (token, probability) in enumerate(chosen):
        share = bar(probability / chosen[0][1])
        shares.add(shown(token), f"{probability:.4f}", share, style="" if n else "best")
    results().print(shares)
    if len(likely) > len(chosen):
        rest = sum(list(likely.values())[top:])
        say(f"{len(likely) - len(chosen)} others share {rest:.4f}; --top shows more")
