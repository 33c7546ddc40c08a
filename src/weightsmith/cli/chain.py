"""weightsmith chain."""

from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.loading import load_model, save_model
from weightsmith.cli.output import ModelFile, OutputFile, check_outputs
from weightsmith.errors import InputError


def chain(
    file: ModelFile,
    output: OutputFile,
    prompt: Annotated[str, typer.Option(metavar="TOKENS", help="Tokens that follow the input, as in =.")] = "",
    steps: Annotated[
        str | None, typer.Option(metavar="N", help="How many tokens it writes: a number, or a formula as in 2*n+1.")
    ] = None,
    until: Annotated[str, typer.Option(metavar="TOKENS", help="Tokens that end it.")] = "",
    answers: Annotated[
        list[str] | None, typer.Option("--answer", metavar="TOKEN=ANSWER", help="What a last token means; repeat it.")
    ] = None,
    inputs: Annotated[
        str, typer.Option(metavar="TOKENS", help="Tokens of inputs; without it, those of neither prompt nor until.")
    ] = "",
    max_length: Annotated[int | None, typer.Option(metavar="N", help="The longest input.")] = None,
) -> None:
    """Make a chain of a transformer whose classes are tokens: it writes tokens, and the last one answers."""
    check_outputs(output, read=[file])
    T = load_model(file)
    meanings = dict(_answer(text) for text in answers or ())
    made = ws.Chain(
        T,
        prompt=lazy.tokens.text_tokens(T.vocabulary, prompt),
        steps=int(steps) if steps is not None and steps.strip().isdecimal() else steps,
        until=lazy.tokens.text_tokens(T.vocabulary, until),
        answers=meanings or None,
        inputs=lazy.tokens.text_tokens(T.vocabulary, inputs) if inputs else None,
        max_length=max_length,
    )
    save_model(made, output)


def _answer(text: str) -> tuple[str, str]:
    """Return a token and what it means."""
    token, equals, answer = text.rpartition("=")
    if not equals or not token:
        raise InputError(f"--answer {text}: write a token and what it means, as in --answer 1=YES")
    return token, answer
