"""weightsmith library."""

from itertools import groupby, product
from textwrap import fill
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli.output import AsJson, errors, print_json, results, say
from weightsmith.errors import InputError, WeightsmithError
from weightsmith.tables import Table

ARITHMETICS = ("fixed(2,2)", "fixed(4,4)", "float(4,3)")


def library(
    up_to: Annotated[int, typer.Option(help="Check every input up to this length.")] = 8,
    as_json: AsJson = False,
) -> None:
    """List the ready-made transformers, each checked against its claim on every input up to a length."""
    if not 1 <= up_to <= 16:
        raise InputError(f"--up-to {up_to}: write a length from 1 to 16")
    rows = []
    with errors().status("checking …") as progress:  # shows on a terminal only
        for entry in ws.library.ENTRIES:
            progress.update(f"checking {entry.call} …")
            T = entry.build()
            checked = {text: verdict(entry, ws.parse_arithmetic(text), up_to) for text in ARITHMETICS}
            rows.append({**sizes(entry, T), "checked": checked})
    examples = [example_row(example) for example in ws.library.EXAMPLES]
    if as_json:
        print_json([*rows, *examples])
    else:
        show(rows, up_to)
        show_examples(examples)


def sizes(entry: "ws.library.Entry | ws.library.Example", T: "ws.Transformer") -> dict[str, Any]:
    """Return what every row has."""
    size = {"blocks": len(T.blocks), "lanes": len(T.lanes), "nonzero_weights": T.nonzero_weights}
    return {"name": entry.call, "claim": entry.claim, **size}


def example_row(example: "ws.library.Example") -> dict[str, Any]:
    """Return an example with its decisions, decided now."""
    T, inputs = example.build(), list(example.decides)
    decided = dict(zip(inputs, ws.decisions(T, inputs), strict=True))
    return {**sizes(example, T), "arithmetic": str(T.arithmetic), "decisions": decided}


def show(rows: list[dict[str, Any]], up_to: int) -> None:
    """Print the table."""
    shown = Table("transformer", "blocks", "weights", *ARITHMETICS, right=range(1, 6))
    for row in rows:
        cells = (cell(found) for found in row["checked"].values())
        shown.add(row["name"], str(row["blocks"]), str(row["nonzero_weights"]), *cells)
    results().print(shown)
    say(f"weights: those that are not 0. ≤ {up_to}: right on every input up to that length.")
    say("✗ alone: the shortest input that is decided wrongly, the smallest of its length.")
    say("≤ and ✗: right up to that length, and wrong on this longer input, run again now;")
    say("nothing was decided between.")


def cell(found: dict[str, Any]) -> str:
    """Return a verdict in a few short lines: 80 characters are enough for all of them."""
    if "refused" in found:
        return "refused"
    if found["wrong"] is not None:
        return folded(f"✗ {found['wrong']}")
    known = "" if found["known_wrong"] is None else "\n" + folded(f"✗ {found['known_wrong']}")
    return f"≤ {found['up_to']}{known}"


def folded(text: str) -> str:
    """Return a text in lines of at most 10 characters, where its spaces allow it."""
    return fill(text, 10, break_long_words=False)


def show_examples(rows: list[dict[str, Any]]) -> None:
    """Print the examples with what they decide."""
    shown = Table("example", "blocks", "lanes", "weights", "arithmetic", "decides", right=range(1, 5))
    for row in rows:
        decides = "\n".join(f"{tokens} → {decision}" for tokens, decision in row["decisions"].items())
        counts = (str(row[key]) for key in ("blocks", "lanes", "nonzero_weights"))
        shown.add(row["name"], *counts, row["arithmetic"], decides)
    results().print(shown)


def verdict(entry: "ws.library.Entry", arithmetic: "ws.Arithmetic", up_to: int) -> dict[str, Any]:
    """Return what was decided: of every input up to a length the first wrong one, and a longer one known to be wrong.

    The longer one is run again. It is not looked for where a wrong one was found, and nothing is said of those between.
    """
    try:
        T = entry.build(arithmetic)
    except WeightsmithError as error:
        return {"refused": str(error)}
    length = min(up_to, entry.max_length or up_to)
    wrong, known = first_wrong(entry, T, length), None
    if wrong is None and str(arithmetic) in entry.fails_at:
        tokens = tuple(entry.fails_at[str(arithmetic)])
        known = tokens if entry.decide(T, [tokens])[0] != entry.predicate(tokens) else None
    return {"up_to": length, "wrong": wrong and short(wrong), "known_wrong": known and short(known)}


def first_wrong(entry: "ws.library.Entry", T: "ws.Transformer", up_to: int) -> tuple[str, ...] | None:
    """Return the shortest input up to a length that is decided wrongly; None where there is none."""
    if entry.decide is ws.library.entries.says_yes:
        found = ws.check.recognizes(T, lambda tokens: entry.predicate(tuple(tokens)), up_to).counterexample
        return None if found is None else tuple(found)
    for length in range(1, up_to + 1):  # a chain of decisions: no claim about single ones
        inputs = list(product(entry.symbols, repeat=length))
        for tokens, answer in zip(inputs, entry.decide(T, inputs), strict=True):
            if answer != entry.predicate(tokens):
                return tokens
    return None


def short(tokens: tuple[str, ...]) -> str:
    """Write runs as powers: 1^16 0^15."""
    if len(tokens) <= 8:
        return "".join(tokens)
    runs = [(token, len(list(run))) for token, run in groupby(tokens)]
    return " ".join(f"{token}^{count}" if count > 1 else token for token, count in runs)
