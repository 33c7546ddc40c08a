"""weightsmith new."""

from pathlib import Path
from typing import Annotated

import typer

from weightsmith.cli.output import errors, say
from weightsmith.errors import InputError


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="random, or the name of a ready-made transformer: contains")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    arithmetic: Annotated[str, typer.Option(help="The number system.")] = "fixed(4,4)",
    vocabulary: Annotated[str, typer.Option(help="The tokens: characters, or words separated by spaces.")] = "01",
    symbol: Annotated[str | None, typer.Option(help="contains: the symbol to look for.")] = None,
    lanes: Annotated[int, typer.Option(help="random: how many lanes.")] = 4,
    blocks: Annotated[int, typer.Option(help="random: how many blocks.")] = 2,
    heads: Annotated[int, typer.Option(help="random: heads per block.")] = 1,
    neurons: Annotated[int, typer.Option(help="random: neurons per block.")] = 4,
    max_length: Annotated[int, typer.Option(help="random: the longest input.")] = 8,
    seed: Annotated[int, typer.Option(help="random: the same seed gives the same weights.")] = 0,
) -> None:
    """Write a new transformer to a file: a random one, or a ready-made one by name."""
    from weightsmith import library
    from weightsmith.arithmetic import parse_arithmetic
    from weightsmith.files import save
    from weightsmith.model import random_transformer
    from weightsmith.model.names import nearest_names, shown

    A = parse_arithmetic(arithmetic)
    tokens = tuple(vocabulary.split()) if " " in vocabulary else tuple(vocabulary)
    if name == "random":
        T = random_transformer(tokens, lanes, blocks, heads, neurons, max_length, A, seed)
    elif name == "contains":
        if symbol is None:
            raise InputError("contains needs a symbol to look for: write --symbol 1")
        T = library.contains(symbol, tokens, A)
    else:
        names = ["random", *library.__all__]
        raise InputError(f"there is no {name!r}: {nearest_names(name, names)}write one of {', '.join(names)}")
    save(T, output)
    say(repr(T))
    errors().print(f"written to {shown(str(output))}")
