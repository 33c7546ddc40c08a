"""weightsmith story."""

from pathlib import Path
from typing import Annotated

import typer

from weightsmith.cli.loading import load_model, save_model
from weightsmith.cli.output import AsJson, ModelFile, check_outputs, print_json, say
from weightsmith.errors import InputError, shown
from weightsmith.storage import read_json


def story(
    file: ModelFile,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="STORY", help="A JSON file with the story that the model gets.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="With --from: the model file to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the story of a model, or give it one: MODEL --from story.json -o OUT.

    A story is a list of captions at places of a run, which the page tells step by step.
    """
    if (source is None) != (output is None):
        raise InputError("write --from STORY and -o OUT together: the model with its story is a new file")
    check_outputs(output, read=[file, source])
    T = load_model(file)
    if source is not None and output is not None:
        told = T.story(read_json(source, "the story"))
        save_model(told, output, str(told.told))
        return
    if T.told is None:
        name = shown(str(file))
        raise InputError(f"{name} has no story: write weightsmith story {name} --from story.json -o OUT")
    if as_json:
        print_json(T.told.to_json())
    else:
        say(str(T.told))
