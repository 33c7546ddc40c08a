"""The command line: one verb per thing a person does.

This package loads quickly: `import weightsmith as ws` loads a name when it is first used, and what is not public and
would load numpy, or something heavier, is imported inside the commands, when one is run.
"""

from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import (
    automaton,
    check,
    compare,
    compile,
    compose,
    corpus,
    demo,
    explain,
    export,
    generate,
    import_,
    info,
    laws,
    library,
    limits,
    memory,
    moods,
    new,
    next,
    rasp,
    rewrite,
    rounding,
    run,
    show,
    studio,
    track,
    train,
)
from weightsmith.cli.ending import Tracebacks, ending
from weightsmith.cli.output import show_log

app = typer.Typer(
    name="weightsmith",
    help="A workbench for transformers whose weights are written, not only trained.",
    epilog="Start with: weightsmith demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    demo,
    laws,
    library,
    new,
    info,
    run,
    show,
    studio,
    explain,
    next,
    generate,
    track,
    compose,
    compile,
    automaton,
    limits,
    rasp,
    corpus,
    train,
    rounding,
    compare,
    moods,
    export,
):
    app.command()(getattr(module, module.__name__.rpartition(".")[2]))
app.command(  # its steps keep the order in which they are given, which options would lose
    epilog=rewrite.STEPS,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["-h", "--help"]},
)(rewrite.rewrite)
app.command(name="import")(import_.import_)
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
    debug: Annotated[bool, typer.Option("--debug", help="Print the traceback of a defect of Weightsmith.")] = False,
) -> None:
    """A workbench for transformers whose weights are written, not only trained."""
    Tracebacks.printed = debug
    show_log()


def main() -> None:
    """Run the command line; what its exit codes mean is said in `weightsmith.cli.ending`."""
    ending(lambda: app(prog_name="weightsmith"))
