"""weightsmith new."""

from inspect import Parameter, signature
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli.loading import save_model
from weightsmith.cli.output import OutputFile, check_outputs
from weightsmith.errors import InputError, brief, nearest_names


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="random, or a name that weightsmith library lists.")],
    output: OutputFile,
    arithmetic: Annotated[
        str | None, typer.Option(help="The number system: fixed(4,4), or what an example says itself.")
    ] = None,
    vocabulary: Annotated[str | None, typer.Option(help="Characters, or words separated by spaces.")] = None,
    symbol: Annotated[str | None, typer.Option(help="contains, majority, parity: the symbol.")] = None,
    word: Annotated[str | None, typer.Option(help="contains_word, starts_with, ends_with: the word.")] = None,
    pattern: Annotated[str | None, typer.Option(help="matches: symbols, and ? for any.")] = None,
    n: Annotated[int | None, typer.Option(help="exact_length: the length.")] = None,
    m: Annotated[int | None, typer.Option(help="length_modulo: the modulus.")] = None,
    remainder: Annotated[int | None, typer.Option(help="length_modulo: what remains.")] = None,
    depth: Annotated[int | None, typer.Option(help="balanced: the greatest depth.")] = None,
    max_length: Annotated[int | None, typer.Option(help="Where there are positions: the longest input.")] = None,
    lanes: Annotated[int | None, typer.Option(help="random: how many lanes.")] = None,
    blocks: Annotated[int | None, typer.Option(help="random: how many blocks.")] = None,
    heads: Annotated[int | None, typer.Option(help="random: heads per block.")] = None,
    neurons: Annotated[int | None, typer.Option(help="random: neurons per block.")] = None,
    seed: Annotated[int | None, typer.Option(help="random: the same seed gives the same weights.")] = None,
) -> None:
    """Write a new transformer to a file: a random one, or a ready-made one by name."""
    given: dict[str, Any] = {
        "symbol": symbol, "word": word, "pattern": pattern, "n": n, "m": m, "remainder": remainder, "depth": depth,
        "max_length": max_length, "lanes": lanes, "blocks": blocks, "heads": heads, "neurons": neurons, "seed": seed,
    }  # fmt: skip
    given = {option: value for option, value in given.items() if value is not None}
    if vocabulary is not None:
        given["vocabulary"] = tuple(vocabulary.split()) if len(vocabulary.split()) > 1 else tuple(vocabulary)
    check_outputs(output)
    T = build(name, given, arithmetic=None if arithmetic is None else ws.parse_arithmetic(arithmetic))
    save_model(T, output)


def build(name: str, given: dict[str, Any], **fixed: Any) -> Any:
    """Call the builder of that name; options that it does not take, or lacks, are refused."""
    known = (*ws.library.ENTRIES, *ws.library.CHAINS, *ws.library.EXAMPLES, *ws.library.LECTURE)
    builders: dict[str, Any] = {"random": ws.random_transformer, **{entry.name: entry.builder for entry in known}}
    if name not in builders:
        names = list(builders)
        raise InputError(f"there is no {brief(name)}: {nearest_names(name, names)}write one of {', '.join(names)}")
    parameters = signature(builders[name]).parameters
    for option in given:
        if option not in parameters:
            raise InputError(f"{name} takes no --{option.replace('_', '-')}: leave it out")
    for option, parameter in parameters.items():
        if parameter.default is Parameter.empty and option not in given:
            raise InputError(f"{name} needs --{option.replace('_', '-')}")
    return builders[name](**given, **fixed)
