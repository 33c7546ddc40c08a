"""weightsmith generate."""

import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.loading import load_model
from weightsmith.cli.output import AsJson, ModelFile, Text, print_json, say_aside, token_text


def generate(
    file: ModelFile,
    text: Text,
    steps: Annotated[int, typer.Option(help="How many tokens.")] = 20,
    temperature: Annotated[float, typer.Option(help="0 takes the decision itself; above 0 tokens are drawn.")] = 0.0,
    top_k: Annotated[int | None, typer.Option(help="Draw from the K most likely tokens.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed draws the same tokens.")] = None,
    slide: Annotated[
        bool, typer.Option("--slide", help="Past the context, see only the last tokens that it holds.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Go on from a text, token by token, as they come."""
    T = load_model(file)
    tokens = ws.generate(T, text, steps, temperature=temperature, top_k=top_k, seed=seed, slide=True)
    read, most = lazy.tokens.read_tokens_of_any_length(T, text), T.max_length
    if not slide:
        lazy.check_context(T, len(read), steps, "--slide")
    if steps and most is not None and len(read) + steps - 1 > most:
        say_aside(f"the context holds {most} tokens: from token {most + 1} on, only the last {most} are seen")
    if as_json:
        print_json({"input": list(read), "tokens": list(tokens)})
        return
    if T.tokenizer:
        _write_text(T, read, tokens)
        return
    between = lazy.tokens.separator(T.vocabulary)
    sys.stdout.write(between.join(map(token_text, read)))
    for token in tokens:
        sys.stdout.write(between + token_text(token))
        sys.stdout.flush()
    sys.stdout.write("\n")


def _write_text(T: "ws.Transformer", read: Sequence[str], tokens: Iterable[str]) -> None:
    """Write the text of tokens as they come; a letter may take several tokens."""
    every, written = list(read), 0
    for token in chain([""], tokens):
        every += [token] if token else []
        text = lazy.tokens.readable_text(T, every)
        whole = len(text.rstrip("\ufffd"))
        sys.stdout.write("".join(map(token_text, text[written:whole])))
        sys.stdout.flush()
        written = max(written, whole)
    sys.stdout.write("\n")
