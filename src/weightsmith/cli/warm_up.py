"""weightsmith warm-up."""

from typing import Annotated

import typer

from weightsmith.cli import lazy
from weightsmith.cli.output import say


def warm_up(
    arithmetics: Annotated[
        list[str] | None,
        typer.Option("--into", "--arithmetic", help="A number system, such as fixed(4,4); all kinds unless given."),
    ] = None,
) -> None:
    """Compile the loops of checks and proofs ahead, so that the first large check does not wait.

    The machine code is cached on disk. Small checks and proofs need none.
    """
    chosen = tuple(arithmetics or lazy.KINDS)
    lazy.warm_up(chosen)
    say(f"ready for large checks and proofs in: {', '.join(chosen)}")
