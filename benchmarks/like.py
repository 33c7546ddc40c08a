"""Do dense transformers learn programs part by part? Five programs, `train.like` with its defaults.

`make bench ONLY=like` writes what was measured to docs/_static/like.json and prints the table of docs/disguises.md. It
takes about ten minutes. Seconds are of one core.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

from weightsmith.programs import CompiledProgram, compile, rasp

DATA = Path(__file__).parents[1] / "docs" / "_static" / "like.json"
COLUMNS = (
    "program", "inputs", "wrong", "parts", "interchange", "where it changes an answer", "nodes outside", "outside",
    "steps", "seconds",
)  # fmt: skip
EQ, TRUE, LEQ = rasp.Comparison.EQ, rasp.Comparison.TRUE, rasp.Comparison.LEQ


def measure() -> Iterator[Table]:
    found = {name: run(name) for name in PROGRAMS}
    DATA.write_text(json.dumps(found, indent=1) + "\n")
    table = Table(*COLUMNS)
    for cells in rows(found):
        table.add_row(*cells)
    yield table


def run(name: str) -> dict[str, Any]:
    """Train like a program; return what was measured."""
    from weightsmith.train import like

    P = compiled(name)
    began = time.process_time()
    R = like(P, below_goal="return")
    seconds = round(time.process_time() - began)
    return {
        "inputs": R.compared.inputs,
        "wrong": R.compared.wrong,
        "mapping": dict(R.mapping),
        **R.interchange.to_json(),
        "steps": R.steps,
        "seconds": seconds,
    }


def rows(found: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table; an accuracy is the smallest of all parts, or of all nodes outside, cut to 0.1%."""
    for name, one in found.items():
        inside, outside = one["parts"].values(), one["outside"].values()
        accuracy = min(part["accuracy"] for part in inside)
        changing = min(part["accuracy_changing"] for part in inside)
        beside = min(node["accuracy"] for node in outside)
        yield (
            name, f"{one['inputs']:,}", f"{one['wrong']:,}", f"{len(inside)}", _cut(accuracy), _cut(changing),
            f"{len(outside)}", _cut(beside), f"{one['steps']:,}", f"{one['seconds']:,}",
        )  # fmt: skip


def _cut(share: float) -> str:
    return f"{int(share * 1000) / 10:.1f}%"


def compiled(name: str) -> CompiledProgram:
    """Compile one of the programs, with parts that differ gradually: its heads are softmaxes."""
    make, tokens, length = PROGRAMS[name]
    return compile(make(), tokens, length, backend="softmax")


def previous() -> Any:
    """Return the token before each."""
    before = rasp.Map(lambda i: i - 1, rasp.indices)
    return rasp.Aggregate(rasp.Select(rasp.indices, before, EQ), rasp.tokens)


def counted() -> Any:
    """Return how often each token occurs."""
    return rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, EQ))


def length() -> Any:
    """Return the length of the input."""
    return rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, TRUE))


def reversed_() -> Any:
    """Return the input from its end to its beginning."""
    opposite = rasp.SequenceMap(lambda n, i: n - i - 1, length(), rasp.indices)
    return rasp.Aggregate(rasp.Select(rasp.indices, opposite, EQ), rasp.tokens)


def first_is_last() -> Any:
    """Return whether the first token is the last one too."""
    first = rasp.Aggregate(rasp.Select(rasp.indices, rasp.Map(lambda i: 0, rasp.indices), EQ), rasp.tokens)
    end = rasp.Map(lambda n: n - 1, length())
    last = rasp.Aggregate(rasp.Select(rasp.indices, end, EQ), rasp.tokens)
    return rasp.SequenceMap(lambda a, b: a == b, first, last)


def depth() -> Any:
    """Return how many brackets are open after each."""
    before = rasp.Select(rasp.indices, rasp.indices, LEQ)
    opened, closed = (
        rasp.SelectorWidth(
            rasp.SelectorAnd(before, rasp.Select(rasp.tokens, rasp.Map(constant, rasp.tokens), EQ)),
        )
        for constant in (lambda token: "(", lambda token: ")")
    )
    return rasp.SequenceMap(lambda a, b: a - b, opened, closed)


PROGRAMS: dict[str, tuple[Any, str, int]] = {
    "the previous token": (previous, "abc", 5),
    "how often each token occurs": (counted, "abc", 5),
    "the reversed input": (reversed_, "abc", 5),
    "whether the first token is the last": (first_is_last, "abc", 5),
    "the depth of brackets": (depth, "()", 6),
}
