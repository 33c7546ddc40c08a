"""The command line: one verb per thing a person does.

This package loads quickly: `import weightsmith as ws` loads a public name when it is first used, `lazy` does so for
other names that need numpy, and a verb loads when it is written (see `verbs`).
"""

from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli.ending import Tracebacks, ending
from weightsmith.cli.output import show_log
from weightsmith.cli.verbs import Verbs

app = typer.Typer(
    name="weightsmith",
    cls=Verbs,
    help="A workbench for transformers whose weights are written, not only trained.",
    epilog="Start with: weightsmith demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"weightsmith {ws.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print the traceback of a defect of Weightsmith.")] = False,
) -> None:
    """A workbench for transformers whose weights are written, not only trained."""
    Tracebacks.printed = debug
    show_log()


def main() -> None:
    """Run the command line; `weightsmith.cli.ending` lists the exit codes."""
    ending(lambda: app(prog_name="weightsmith"))
