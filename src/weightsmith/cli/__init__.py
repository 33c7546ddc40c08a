"""The command line: one verb per thing a person does.

This package loads quickly: numpy and everything heavier are imported inside the commands, when one is run.
"""

import contextlib
import sys
from typing import Annotated, NoReturn, TextIO, cast

import typer

from weightsmith.cli import (
    check,
    compare,
    compose,
    corpus,
    demo,
    explain,
    generate,
    info,
    laws,
    library,
    memory,
    new,
    next,
    rewrite,
    rounding,
    run,
    train,
)
from weightsmith.errors import WeightsmithError

app = typer.Typer(
    name="weightsmith",
    help="A workbench for transformers whose weights are written, not only trained.",
    epilog="Start with: weightsmith demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (demo, laws, library, new, info, run, explain, next, generate, compose, corpus, train, rounding, compare):
    app.command()(getattr(module, module.__name__.rpartition(".")[2]))
app.command(  # its steps keep the order in which they are given, which options would lose
    epilog=rewrite.STEPS,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["-h", "--help"]},
)(rewrite.rewrite)
app.add_typer(check.check, name="check")
app.add_typer(memory.memory, name="memory")


def _version(wanted: bool) -> None:
    if wanted:
        from weightsmith import __version__

        typer.echo(f"weightsmith {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A workbench for transformers whose weights are written, not only trained."""


def main() -> None:
    """Run the command line: 0 is fine, 1 a refuted claim, 2 a wrong input or usage."""
    for stream in (sys.stdout, sys.stderr):  # a terminal without ∞ gets an escape, not a traceback
        with contextlib.suppress(AttributeError):
            cast(TextIO, stream).reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    try:
        app(prog_name="weightsmith")
    except WeightsmithError as error:
        _fail(str(error))
    except MemoryError:
        _fail("this needs more memory than there is: choose smaller sizes or a shorter input")
    except OSError as error:
        _fail(f"cannot write the output: {error.strerror or error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _fail(message: str) -> NoReturn:
    from weightsmith.cli.output import errors

    errors().print(f"error: {message}", style="red")
    sys.exit(2)
