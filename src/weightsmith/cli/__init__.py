"""The command line: one verb per thing a person does.

This package loads quickly: `import weightsmith as ws` loads a name when it is first used, and what is not public and
would load numpy, or something heavier, is imported inside the commands, when one is run.
"""

import contextlib
import os
import sys
from typing import Annotated, NoReturn, TextIO, cast

import typer

import weightsmith as ws
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
from weightsmith.cli.output import errors, show_log
from weightsmith.errors import WeightsmithError, reason

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
        typer.echo(f"weightsmith {ws.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A workbench for transformers whose weights are written, not only trained."""
    show_log()


def main() -> None:
    """Run the command line: 0 is fine, 1 a refuted claim, 2 a wrong input or usage, 141 output that nobody reads."""
    for stream in (sys.stdout, sys.stderr):  # a terminal without ∞ gets an escape, not a traceback
        with contextlib.suppress(AttributeError):
            cast(TextIO, stream).reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    try:
        try:
            app(prog_name="weightsmith")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, because at the end of Python no error can be handled any more
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich and typer have made an exit with 1 of it
            _unread()
        raise
    except BrokenPipeError:
        _unread()
    except WeightsmithError as error:
        _fail(str(error))
    except MemoryError:
        _fail("this needs more memory than there is: choose smaller sizes or a shorter input")
    except OSError as error:
        _silence(sys.stdout)
        _fail(f"cannot write the output: {reason(error)}")
    except KeyboardInterrupt:
        sys.exit(130)


def _unread() -> NoReturn:
    """Exit as if by SIGPIPE: 0 would say that a claim holds, and 1 that it is refuted."""
    _silence(sys.stdout, sys.stderr)
    sys.exit(141)


def _silence(*streams: TextIO | None) -> None:
    """Let what is still in their buffers go nowhere: at its end Python writes it, and would complain again."""
    for stream in streams:
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _fail(message: str) -> NoReturn:
    try:
        errors().print(f"error: {message}", style="red")
    except SystemExit:  # which rich makes of a message that nobody reads
        _silence(sys.stderr)
    sys.exit(2)
