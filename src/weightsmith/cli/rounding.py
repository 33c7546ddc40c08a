"""weightsmith rounding."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import errors, results
from weightsmith.cli.loading import load_model
from weightsmith.cli.output import AsJson, ModelFile, print_json, say
from weightsmith.errors import LawError
from weightsmith.tables import Table

INTO = (
    "fixed(2,2)", "fixed(3,3)", "fixed(4,4)", "fixed(6,8)",
    "float(2,2)", "float(3,3)", "float(4,4)", "float(4,6)", "float(5,8)", "bfloat16", "float16",
)  # fmt: skip


def rounding(
    file: ModelFile,
    up_to: Annotated[int, typer.Option("--up-to", help="Run every input of length 1 to this.", show_default=False)],
    into: Annotated[
        list[str] | None, typer.Option(help="An arithmetic, and again for more; a choice of them, unless said.")
    ] = None,
    predicate: Annotated[
        str | None, typer.Option(help="Say also where it decides otherwise than this, such as 'contains 11'.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long the automaton of each may take, with --predicate.")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Round a model into arithmetics: how many decisions change over every input, and does its ∞ form keep them.

    With a predicate that an automaton decides it goes on to all lengths: is the exact language that of the predicate.
    """
    T, holds = load_model(file), None if predicate is None else ws.train.predicate(predicate)
    arithmetics = [T.arithmetic, *(ws.parse_arithmetic(text) for text in into or INTO)]
    rows: list[dict[str, Any]] = []
    with errors().status("rounding …"):  # shows on a terminal only
        for S, found in ws.train.rounded_into(T, arithmetics, up_to):
            first = None if found.first is None else _text(S, found.first)
            row = {"arithmetic": str(found.arithmetic), "inputs": found.inputs, "changed": found.changed}
            rows.append({**row, "first_changed": first, "infinity_form": _form(S, up_to)})
            if holds is not None:
                rows[-1]["wrong"] = _wrong(S, holds, up_to)
                rows[-1]["language"] = _language(S, holds, seconds)
    print_json(rows) if as_json else _show(rows, up_to, holds is not None)


def _text(T: "ws.Transformer", tokens: Sequence[str]) -> str:
    return lazy.tokens.tokens_text(T.vocabulary, tokens)


def _form(T: "ws.Transformer", up_to: int) -> str:
    """Say whether the ∞ form decides alike, or why there is none."""
    try:
        found = ws.check.same_decisions(T, ws.infinity_form(T), up_to).counterexample
    except LawError:
        return "refused"
    return "same" if found is None else f"differs on {_text(T, found)}"


def _wrong(T: "ws.Transformer", holds: "ws.train.Rule", up_to: int) -> str | None:
    """Return the shortest input that is decided otherwise than a predicate says."""
    found = ws.check.recognizes(T, holds, up_to).counterexample
    return None if found is None else _text(T, found)


def _language(T: "ws.Transformer", rule: "ws.train.Rule", seconds: float) -> str | None:
    """Say for which inputs a predicate is decided rightly, of all that there are; None where no automaton can."""
    expression = rule.expression(T.vocabulary)
    if expression is None or isinstance(T.arithmetic, ws.Native):
        return None
    verdict = ws.check.recognizes(T, expression, seconds=seconds)
    if verdict.counterexample is not None:
        return f"fails at length {len(verdict.counterexample)}"
    return verdict.scope if verdict.holds else "unknown"


def _show(rows: list[dict[str, Any]], up_to: int, predicate: bool) -> None:
    columns = ["arithmetic", "decisions changed", "first changed", "∞ form"] + ["first wrong", "right for"] * predicate
    shown = Table(*columns, right=range(1, len(columns)))
    for row in rows:
        cells = [row["arithmetic"], f"{row['changed']:,}", row["first_changed"] or "-", row["infinity_form"]]
        shown.add(*cells, *([row["wrong"] or "-", row["language"] or "-"] if predicate else []))
    results().print(shown)
    say(f"over all {rows[0]['inputs']:,} inputs up to length {up_to}; the first row is the model as it is")
    if predicate:
        say("right for: of all inputs, as the model's own automaton says; unknown: --seconds were not enough")
    if any(row["infinity_form"] == "refused" for row in rows):
        say("refused: the arithmetic lacks a law that the ∞ form needs")
