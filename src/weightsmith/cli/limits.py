"""weightsmith limits."""

from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.automaton import Memory, Seconds, States
from weightsmith.cli.consoles import errors, results
from weightsmith.cli.library import short
from weightsmith.cli.loading import load_model
from weightsmith.cli.output import AsJson, ModelFile, Yes, memory_bytes, print_json
from weightsmith.errors import InputError, WeightsmithError
from weightsmith.tables import Table


def limits(
    file: ModelFile,
    more: Annotated[list[str] | None, typer.Argument(metavar="[ARITHMETIC]...", help="More arithmetics.")] = None,
    regex: Annotated[str, typer.Option(help="The inputs that it should say YES to.")] = "",
    into: Annotated[list[str] | None, typer.Option("--into", help="The arithmetics to round its weights into.")] = None,
    yes: Yes = "YES",
    seconds: Seconds = 60.0,
    memory: Memory = 1.0,
    states: States = 2_000_000,
    as_json: AsJson = False,
) -> None:
    """Say in which arithmetics a model recognizes a language at all lengths, and where it fails first in the others."""
    if not regex or not into:
        raise InputError(
            "say what it should recognize, and where: write --regex '.*1.*' --into 'fixed(2,2)' 'fixed(4,4)'"
        )
    arithmetics = [ws.parse_arithmetic(text) for text in (*into, *(more or ()))]
    T = load_model(file)
    ws.check.claims.check_class(T, yes, "--yes {1}")
    budget = {"seconds": seconds, "states": states, "memory": memory_bytes(memory)}
    lazy.Budget(seconds, states, memory_bytes(memory))  # refused once, not for each arithmetic
    wanted: Any = lazy.language(regex, tuple(T.vocabulary))
    rows = []
    with errors().status("deciding …"):
        for A in arithmetics:
            rows.append({"arithmetic": str(A), **limit(T, A, wanted, yes, budget)})
    if as_json:
        print_json(rows)
        return
    shown = Table("arithmetic", "recognizes it", "the shortest failure")
    for row in rows:
        shown.add(row["arithmetic"], row["scope"], row["failure"] or "")
    results().print(shown)


def limit(T: "ws.Transformer", A: "ws.Arithmetic", language: Any, yes: str, budget: dict[str, Any]) -> dict[str, Any]:
    """Decide for one arithmetic."""
    try:
        verdict = ws.check.recognizes(ws.to_arithmetic(T, A), language, yes=yes, **budget)
    except WeightsmithError as error:
        return {"holds": None, "scope": "refused", "failure": str(error)}
    if verdict.counterexample is not None:
        checked = getattr(verdict, "shortest", True)  # whether no shorter one was seen to fail
        more = "" if checked else ", perhaps not the shortest"
        return {"holds": False, "scope": "no", "failure": short(tuple(verdict.counterexample)) + more}
    scope = verdict.scope if verdict.holds else f"unknown; {verdict.scope} it does"
    return {"holds": verdict.holds, "scope": scope, "failure": None}
