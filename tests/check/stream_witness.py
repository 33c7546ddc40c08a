"""Conditions on the stream, evaluated again with exact fractions: nothing is shared with `weightsmith.check`."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

import weightsmith as ws
from tests.witness.numbers import system
from tests.witness.runs import witness_run

Tree = list[Any]  # as a certificate has it
OPERATIONS = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def stage_of(site: str) -> int:
    if site == "embedding":
        return 0
    _, block, kind = site.split()
    return 2 * int(block) + (1 if kind == "attention" else 2)


def amount(data: Any, T: ws.Transformer, stream: Any, at: tuple[str, int]) -> Fraction:
    if not isinstance(data, list):
        return Fraction(data)
    N, total = system(str(T.arithmetic)), Fraction(0)
    for weight, *lanes in data[1:]:
        value = Fraction(weight)
        for _, lane, site, position in lanes:
            row = stream[stage_of(at[0] if site is None else site)]
            x = row[at[1] if position is None else position][T.lanes.index(lane)]
            value = x if weight == 1 else N.round(value * x)
        total = N.round(total + value)
    return total


def true_of(data: Tree, T: ws.Transformer, stream: Any, at: tuple[str, int]) -> bool:
    kind, *parts = data
    if kind in OPERATIONS:
        return bool(OPERATIONS[kind](*(amount(part, T, stream, at) for part in parts)))
    each = [true_of(part, T, stream, at) for part in parts]
    return not each[0] if kind == "not" else all(each) if kind == "all" else any(each)


def has(data: Any, positions: int) -> bool:
    """Say whether an input has every position that a condition names."""
    if isinstance(data, list) and data and data[0] == "lane":
        return data[3] is None or -positions <= data[3] < positions
    return not isinstance(data, list) or all(has(part, positions) for part in data)


def first_failure(data: Tree, T: ws.Transformer, at: tuple[str, Any], up_to: int) -> tuple[str, ...] | None:
    """Return the shortest input, the first in order, on which a condition fails; `data` is that of a certificate."""
    for length in range(1, up_to + 1):
        for tokens in product(T.vocabulary, repeat=length):
            if (at[1] != "all" and not -length <= at[1] < length) or not has(data, length):
                continue
            stream = witness_run(T, list(tokens)).stream
            for q in range(length) if at[1] == "all" else [at[1]]:
                if not true_of(data, T, stream, (at[0], q)):
                    return tokens
    return None


def random_condition(T: ws.Transformer, rng: np.random.Generator, last: bool = False, depth: int = 0) -> Tree:
    """Return a condition with sums, constants and other places; with `last`, at the position of the claim alone."""
    if depth < 2 and rng.random() < 0.5:
        kind = str(rng.choice(["all", "any", "not"]))
        parts = 1 if kind == "not" else int(rng.integers(1, 3))
        return [kind, *(random_condition(T, rng, last, depth + 1) for _ in range(parts))]
    members = T.arithmetic.values()

    def lane() -> list[Any]:
        site = None if rng.random() < 0.6 else str(rng.choice(ws_stages(T)))
        position = None if site is None or last or rng.random() < 0.5 else int(rng.integers(-2, 3))
        return ["lane", str(rng.choice(T.lanes)), site, position]

    def side() -> Any:
        if rng.random() < 0.3:
            return float(rng.choice(members))
        terms = [[1.0, lane()]]
        for _ in range(int(rng.integers(0, 3))):
            weight = float(rng.choice(members))
            terms.append([weight, lane()] if rng.random() < 0.7 else [weight])
        return ["sum", *terms]

    kind = str(rng.choice(["<=", ">=", "<", ">", "!=", "=="]))
    return [kind, ["sum", [1.0, lane()]], side()]


def ws_stages(T: ws.Transformer) -> list[str]:
    blocks = [f"block {b} {kind}" for b in range(len(T.blocks)) for kind in ("attention", "feed-forward")]
    return ["embedding", *blocks]
