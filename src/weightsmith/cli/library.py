"""weightsmith library."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weightsmith.cli.output import AsJson, errors, print_json, results, say, table
from weightsmith.errors import InputError, WeightsmithError

if TYPE_CHECKING:
    from weightsmith.arithmetic import Arithmetic
    from weightsmith.library import Entry, Example
    from weightsmith.model import Transformer

ARITHMETICS = ("fixed(2,2)", "fixed(4,4)", "float(4,3)")


def library(
    up_to: Annotated[int, typer.Option(help="Check every input up to this length.")] = 8,
    as_json: AsJson = False,
) -> None:
    """List the ready-made transformers, each checked against its claim on every input up to a length."""
    from weightsmith.arithmetic import parse_arithmetic
    from weightsmith.library import ENTRIES, EXAMPLES

    if not 1 <= up_to <= 16:
        raise InputError(f"--up-to {up_to}: write a length from 1 to 16")
    rows = []
    with errors().status("checking …") as progress:  # shows on a terminal only
        for entry in ENTRIES:
            progress.update(f"checking {entry.call} …")
            T = entry.build()
            checked = {text: verdict(entry, parse_arithmetic(text), up_to) for text in ARITHMETICS}
            rows.append({**sizes(entry, T), "checked": checked})
    examples = [example_row(example) for example in EXAMPLES]
    if as_json:
        print_json([*rows, *examples])
    else:
        show(rows, up_to)
        show_examples(examples)


def sizes(entry: "Entry | Example", T: "Transformer") -> dict[str, Any]:
    """Give what every row has."""
    size = {"blocks": len(T.blocks), "lanes": len(T.lanes), "nonzero_weights": T.nonzero_weights}
    return {"name": entry.call, "claim": entry.claim, **size}


def example_row(example: "Example") -> dict[str, Any]:
    """Give an example with its decisions, decided now."""
    from weightsmith.semantics import decisions

    T, inputs = example.build(), list(example.decides)
    decided = dict(zip(inputs, decisions(T, inputs), strict=True))
    return {**sizes(example, T), "arithmetic": str(T.arithmetic), "decisions": decided}


def show(rows: list[dict[str, Any]], up_to: int) -> None:
    """Print the table."""
    shown = table("transformer", "blocks", "lanes", "weights", *ARITHMETICS, right=True)
    shown.columns[0].no_wrap = True
    for row in rows:
        shown.add_row(
            row["name"], *_counts(row), *(text.replace("fails at ", "✗ ") for text in row["checked"].values())
        )
    results().print(shown)
    say(f"weights: those that are not 0. ≤ {up_to}: right on every input up to that length.")
    say("✗: the shortest input that is decided wrongly, the smallest of its length.")


def show_examples(rows: list[dict[str, Any]]) -> None:
    """Print the examples with what they decide."""
    shown = table("example", "blocks", "lanes", "weights", "arithmetic", "decides", right=True)
    shown.columns[-1].justify = "left"
    for row in rows:
        decides = "\n".join(f"{tokens} → {decision}" for tokens, decision in row["decisions"].items())
        shown.add_row(row["name"], *_counts(row), row["arithmetic"], decides)
    results().print(shown)


def _counts(row: dict[str, Any]) -> list[str]:
    return [str(row[key]) for key in ("blocks", "lanes", "nonzero_weights")]


def verdict(entry: "Entry", arithmetic: "Arithmetic", up_to: int) -> str:
    """Say up to which length the claim was checked, or the shortest input on which it fails."""
    try:
        T = entry.build(arithmetic)
    except WeightsmithError:
        return "refused"
    known = entry.fails_at.get(str(arithmetic))
    length = min(up_to, entry.max_length or up_to)
    for inputs in _by_length(entry.symbols, length):
        for tokens, found in zip(inputs, entry.decide(T, inputs), strict=True):
            if found != entry.predicate(tokens):
                return f"fails at {short(tokens)}"
    if known is not None:
        tokens = tuple(known)
        if entry.decide(T, [tokens])[0] != entry.predicate(tokens):
            return f"fails at {short(tokens)}"
    return f"≤ {length}"


def _by_length(symbols: str, up_to: int) -> Iterator[list[tuple[str, ...]]]:
    from itertools import product

    for length in range(1, up_to + 1):
        yield list(product(symbols, repeat=length))


def short(tokens: tuple[str, ...]) -> str:
    """Write runs as powers: 1^16 0^15."""
    from itertools import groupby

    if len(tokens) <= 8:
        return "".join(tokens)
    runs = [(token, len(list(run))) for token, run in groupby(tokens)]
    return " ".join(f"{token}^{count}" if count > 1 else token for token, count in runs)
