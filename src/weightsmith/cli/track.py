"""weightsmith track."""

import random
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import results
from weightsmith.cli.loading import load_model
from weightsmith.cli.output import AsJson, ModelFile, print_json
from weightsmith.errors import InputError, listed, whole_number

INPUTS = 200  # on which rules are chosen, and as many held out
MOST_LENGTH = 1024


def track(
    file: ModelFile,
    predicate: Annotated[
        str, typer.Argument(metavar="PREDICATE", help="Of the string so far: 'contains 1', 'odd number of 1' …")
    ],
    text: Annotated[str | None, typer.Option("--over", help="An input along which the best units are shown.")] = None,
    max_length: Annotated[int, typer.Option(help="The longest strings that are drawn.")] = 8,
    top: Annotated[int, typer.Option(help="How many units of each kind to show.")] = 3,
    seed: Annotated[int, typer.Option(help="The same seed draws the same strings.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Rank the lanes and neurons of a model by how well each alone follows whether the string so far satisfies it."""
    T, holds = load_model(file), ws.train.predicate(predicate)
    longer = [token for token in T.vocabulary if len(token) > 1]
    if longer:
        raise InputError(
            f"a predicate is of strings, and the tokens {listed(longer)} are words: write ws.tracking in Python"
        )
    whole_number(max_length, "--max-length", 1, min(MOST_LENGTH, T.max_length or MOST_LENGTH))
    whole_number(seed, "--seed", 0)

    def feature(run: Any) -> list[bool]:
        return [holds("".join(run.tokens[: i + 1])) for i in range(len(run.tokens))]

    feature.__name__ = predicate.strip()
    drawn = strings(T.vocabulary, max_length, 2 * INPUTS, seed)
    half = len(drawn) // 2
    found = ws.tracking(T, feature, drawn[:half], drawn[half:])
    tell(found, text, top, as_json)


def strings(vocabulary: Sequence[str], max_length: int, count: int, seed: int) -> list[str]:
    """Return `count` different strings of length 1 to max_length in random order, or all if there are fewer."""
    draw, found = random.Random(seed), dict[str, None]()
    there = sum(len(vocabulary) ** length for length in range(1, max_length + 1))
    while len(found) < min(count, there):
        found.setdefault("".join(draw.choices(vocabulary, k=draw.randint(1, max_length))))
    return list(found)


def tell(found: "lazy.Tracking", text: str | None, top: int, as_json: bool) -> None:
    """Print the ranking, and the best units along an input."""
    over = None if text is None else found.over(text)
    if as_json:
        print_json(as_data(found, text))
        return
    results().print(found.table(top))
    if over is not None:
        results().print(over.table())


def as_data(found: "lazy.Tracking", text: str | None) -> dict[str, Any]:
    """Return all of it as plain data."""
    rows = [
        {"unit": str(followed), "kind": followed.unit.kind, "chosen_on": followed.chosen_on,
         "held_out": followed.held_out, "gain": followed.gain}
        for followed in found.ranked
    ]  # fmt: skip
    kinds = {kind: {"best": str(found.best(kind)), "follows": found.follows(kind)} for kind in found.kinds}
    over = None if text is None else found.over(text)
    along = [] if over is None else [{"unit": str(t.unit), "values": t.values, "says": t.says} for t in over.tracks]
    return {
        "feature": found.name,
        "positions": dict(zip(("chosen_on", "held_out"), found.positions, strict=True)),
        "baselines": vars(found.baselines),
        "least_gain": found.least,
        "kinds": kinds,
        "units": rows,
        **({} if over is None else {"over": {"tokens": over.tokens, "feature": over.feature, "units": along}}),
    }
