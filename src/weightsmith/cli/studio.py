"""weightsmith studio."""

import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.output import say, say_aside
from weightsmith.errors import InputError

NEEDS_SERVER = "the studio needs Starlette and uvicorn: write pip install 'weightsmith[studio]'"
NO_BROWSER = "no browser could be opened here: open the address yourself"


def studio(
    files: Annotated[list[Path] | None, typer.Argument(metavar="[MODEL]…", help="Model files to open.")] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A folder whose model files the page may open.")
    ] = None,
    port: Annotated[int, typer.Option(help="The port to listen on; 0: any that is free.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the address in a browser.")] = True,
) -> None:
    """Work with models in a page: run them, rewrite and compose them, write facts, check claims, see where runs part.

    The ready-made models are there from the start. The page is served on this machine only, to anyone who has the
    printed address. Ctrl-C ends it; what was not saved is then gone.
    """
    try:
        model_of, Serving = lazy.model_of, lazy.Serving
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise InputError(NEEDS_SERVER) from None
    given = []
    for file in files or []:
        model_of(ws.load(file))  # refused here, rather than in the page
        given.append((file.stem, file.read_bytes()))
    with Serving(port, given, folder) as serving:
        say(serving.address)
        say_aside("the studio listens on this machine only; Ctrl-C ends it")
        if browser:
            threading.Thread(target=_open, args=(serving.address,), daemon=True).start()
        serving.run()
    say_aside("the studio has ended")


def _open(address: str) -> None:
    """Open a browser; with some the call returns only when it is closed."""
    if not webbrowser.open(address):
        say_aside(NO_BROWSER)
