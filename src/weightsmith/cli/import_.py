"""weightsmith import."""

from pathlib import Path
from typing import Annotated, cast

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.loading import read_checkpoint
from weightsmith.cli.output import AsJson, OutputFile, check_outputs, print_json, say, say_written


def import_(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIRECTORY", help="A checkpoint of Hugging Face: config.json and safetensors files."),
    ],
    output: OutputFile,
    numbers: Annotated[
        str | None, typer.Option(metavar="float32|float64", help="The arithmetic; without it, that of the weights.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read a language model of Hugging Face, with its tokenizer, and write it to a file.

    GPT-2, Llama, Mistral, Qwen2, Gemma, GPT-NeoX and Phi are read, and a chain that weightsmith export wrote. Commands
    that take MODEL also take the directory itself.
    """
    check_outputs(output)
    model = read_checkpoint(directory, cast("lazy.NativeType | None", numbers))  # others are refused there
    ws.save(model, output)
    T = model.transformer if isinstance(model, ws.Chain) else model
    if as_json:
        print_json(_summary(T, output))
    else:
        say(repr(model))
        for line in T.provenance:
            say(f"  made by     {line}")
    say_written(output)


def _summary(T: "ws.Transformer", output: Path) -> dict[str, object]:
    return {
        "output": str(output),
        "arithmetic": str(T.arithmetic),
        "weights": T.weights,
        "vocabulary": len(T.vocabulary),
        "lanes": len(T.lanes),
        "blocks": len(T.blocks),
        "max_length": T.max_length,
        "tied": T.tied,
        "tokenizer": bool(T.tokenizer),
        "provenance": list(T.provenance),
    }
