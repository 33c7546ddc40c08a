"""weightsmith rounding."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from weightsmith.cli.output import AsJson, ModelFile, errors, print_json, results, say
from weightsmith.errors import LawError
from weightsmith.tables import Table

if TYPE_CHECKING:
    from weightsmith.model import Transformer

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
    rule: Annotated[str | None, typer.Option(help="Say also where it breaks this rule, such as 'contains 11'.")] = None,
    as_json: AsJson = False,
) -> None:
    """Round a model into arithmetics: how many decisions change over every input, and does its ∞ form keep them."""
    from weightsmith.arithmetic import parse_arithmetic
    from weightsmith.files import load
    from weightsmith.train.rounding import rounded_into
    from weightsmith.train.rules import rule as read_rule

    T, holds = load(file), None if rule is None else read_rule(rule)
    arithmetics = [T.arithmetic, *(parse_arithmetic(text) for text in into or INTO)]
    rows: list[dict[str, Any]] = []
    with errors().status("rounding …"):  # shows on a terminal only
        for S, found in rounded_into(T, arithmetics, up_to):
            first = None if found.first is None else _joined(S, found.first)
            row = {"arithmetic": str(found.arithmetic), "inputs": found.inputs, "changed": found.changed}
            rows.append({**row, "first_changed": first, "infinity_form": _form(S, up_to)})
            if holds is not None:
                rows[-1]["wrong"] = _wrong(S, holds, up_to)
    print_json(rows) if as_json else _show(rows, up_to, rule)


def _joined(T: "Transformer", tokens: tuple[str, ...]) -> str:
    return ("" if all(len(token) == 1 for token in T.vocabulary) else " ").join(tokens)


def _form(T: "Transformer", up_to: int) -> str:
    """Say whether the ∞ form decides alike, or why there is none."""
    from weightsmith.automata import input_text
    from weightsmith.check import same_decisions
    from weightsmith.rewrites import infinity_form

    try:
        verdict = same_decisions(T, infinity_form(T), up_to)
    except LawError:
        return "refused"
    return "same" if verdict.counterexample is None else f"differs on {input_text(verdict.counterexample)}"


def _wrong(T: "Transformer", holds: Any, up_to: int) -> str | None:
    """Return the shortest input that is decided against the rule."""
    from weightsmith.automata import input_text
    from weightsmith.check import recognizes

    verdict = recognizes(T, holds, up_to)
    return None if verdict.counterexample is None else input_text(verdict.counterexample)


def _show(rows: list[dict[str, Any]], up_to: int, rule: str | None) -> None:
    columns = ["arithmetic", "decisions changed", "first changed", "∞ form"] + ["first wrong"] * (rule is not None)
    shown = Table(*columns, right=range(1, len(columns)))
    for row in rows:
        cells = [row["arithmetic"], f"{row['changed']:,}", row["first_changed"] or "-", row["infinity_form"]]
        shown.add(*cells, *([row["wrong"] or "-"] if rule is not None else []))
    results().print(shown)
    say(f"over all {rows[0]['inputs']:,} inputs up to length {up_to}; the first row is the model as it is")
    if any(row["infinity_form"] == "refused" for row in rows):
        say("refused: the arithmetic lacks a law that the ∞ form needs")
