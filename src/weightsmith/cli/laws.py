"""weightsmith laws."""

from dataclasses import asdict
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli.consoles import results
from weightsmith.cli.output import AsJson, print_json


def laws(
    arithmetic: Annotated[
        str,
        typer.Argument(metavar="ARITHMETIC", help="fixed(4,4), float(4,3), float16, bfloat16, e4m3, e5m2, float32, …"),
    ],
    as_json: AsJson = False,
) -> None:
    """Show which laws hold in an arithmetic, how that was decided, and what breaks the others."""
    A = ws.parse_arithmetic(arithmetic)
    rows = ws.laws(A)
    if as_json:
        print_json({"arithmetic": str(A), "infinity": A.infinity, "laws": [asdict(row) for row in rows]})
    else:
        results().print(rows.table())
