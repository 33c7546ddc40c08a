"""weightsmith library."""

from itertools import groupby
from textwrap import fill
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli.consoles import errors, results
from weightsmith.cli.output import AsJson, print_json, say
from weightsmith.errors import InputError, WeightsmithError
from weightsmith.tables import Table

LONGEST = 8  # inputs that are run where there is no automaton to ask
ARITHMETICS = ("fixed(2,2)", "fixed(4,4)", "float(4,3)")


def library(
    up_to: Annotated[
        int | None, typer.Option(help="Run every input up to this length instead.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the ready-made transformers, each checked against its claim on every input, of any length."""
    if up_to is not None and not 1 <= up_to <= 16:
        raise InputError(f"--up-to {up_to}: write a length from 1 to 16")
    rows = []
    with errors().status("checking …") as progress:  # shows on a terminal only
        for entry in (*ws.library.ENTRIES, *ws.library.CHAINS):
            progress.update(f"checking {entry.call} …")
            T = entry.build()
            checked = {text: verdict(entry, ws.parse_arithmetic(text), up_to) for text in ARITHMETICS}
            rows.append({**sizes(entry, T), "checked": checked})
    examples = [example_row(example) for example in (*ws.library.EXAMPLES, *ws.library.LECTURE)]
    if as_json:
        print_json([*rows, *examples])
    else:
        show(rows)
        show_examples(examples)


def sizes(entry: "ws.library.Entry | ws.library.Example", model: "ws.Transformer | ws.Chain") -> dict[str, Any]:
    """Return the columns of every row."""
    T = model.transformer if isinstance(model, ws.Chain) else model
    size = {"blocks": len(T.blocks), "lanes": len(T.lanes), "nonzero_weights": T.nonzero_weights}
    return {"name": entry.call, "claim": entry.claim, **size}


def example_row(example: "ws.library.Example") -> dict[str, Any]:
    """Return an example with its decisions, decided now."""
    T, inputs = example.build(), list(example.decides)
    decided = dict(zip(inputs, ws.decisions(T, inputs), strict=True))
    return {**sizes(example, T), "arithmetic": str(T.arithmetic), "decisions": decided}


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    shown = Table("transformer", "blocks", "weights", *ARITHMETICS, right=range(1, 6))
    for row in rows:
        cells = (cell(found) for found in row["checked"].values())
        shown.add(row["name"], str(row["blocks"]), str(row["nonzero_weights"]), *cells)
    results().print(shown)
    say("weights: those that are not 0. all lengths: proved right on every input.")
    say("≤ n: right on every input up to that length.")
    say("✗: an input that is decided wrongly; no shorter one was found.")


def cell(found: dict[str, Any]) -> str:
    """Return a verdict in a few short lines: 80 characters are enough for all of them."""
    if "refused" in found:
        return "refused"
    if found["wrong"] is not None:
        return folded(f"✗ {found['wrong']}")
    scope: str = found["scope"]
    return folded(scope.replace("up to", "≤") if scope.startswith("up to") else scope)


def folded(text: str) -> str:
    """Return a text in lines of at most 10 characters, where its spaces allow it."""
    return fill(text, 10, break_long_words=False)


def show_examples(rows: list[dict[str, Any]]) -> None:
    """Print the examples with their decisions."""
    shown = Table("example", "blocks", "lanes", "weights", "arithmetic", "decides", right=range(1, 5))
    for row in rows:
        decides = "\n".join(f"{tokens} → {decision}" for tokens, decision in row["decisions"].items())
        counts = (str(row[key]) for key in ("blocks", "lanes", "nonzero_weights"))
        shown.add(row["name"], *counts, row["arithmetic"], decides)
    results().print(shown)


def verdict(entry: "ws.library.Entry", arithmetic: "ws.Arithmetic", up_to: int | None) -> dict[str, Any]:
    """Return what was decided: of which inputs, and the first of them that is decided wrongly, if any is.

    That is every input of any length; of chains, and with `up_to`, those up to a length.
    """
    try:
        T = entry.build(arithmetic)
    except WeightsmithError as error:
        return {"refused": str(error)}
    if up_to is not None or entry.language is None:
        length = min(up_to or LONGEST, entry.max_length or LONGEST)
        wrong = ws.check.recognizes(T, lambda tokens: entry.predicate(tuple(tokens)), length).counterexample
        return {"scope": f"up to {length}", "wrong": wrong and short(tuple(wrong))}
    if isinstance(entry.language, str):
        found = ws.check.recognizes(T, entry.language)
        assert found.holds is not None, "the library is proved in the tests"
        return {"scope": found.scope, "wrong": found.counterexample and short(tuple(found.counterexample))}
    unlike = entry.language.first_unlike(ws.automaton(T))
    if unlike is None or ws.library.entries.says_yes(T, [tuple(unlike)]) == [entry.predicate(tuple(unlike))]:
        return {"scope": "unknown", "wrong": None}  # an automaton by itself proves nothing
    return {"scope": "all lengths", "wrong": short(tuple(unlike))}


def short(tokens: tuple[str, ...]) -> str:
    """Write runs as powers: 1^16 0^15."""
    if len(tokens) <= 8:
        return "".join(tokens)
    runs = [(token, len(list(run))) for token, run in groupby(tokens)]
    return " ".join(f"{token}^{count}" if count > 1 else token for token, count in runs)
