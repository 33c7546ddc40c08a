"""However much a rewrite was given, the line that says so fits, and is the same each time."""

from collections.abc import Callable

import numpy as np
import pytest

import weightsmith as ws

T = ws.random_transformer(lanes=299, blocks=1, heads=1, neurons=2, max_length=400)
F = ws.flag(T, "here", positions=[1])
MANY: dict[str, Callable[[], ws.Transformer]] = {
    "ignore_lanes": lambda: ws.ignore_lanes(T, T.lanes),
    "flag": lambda: ws.flag(T, "here", positions=range(400)),
    "add_vector": lambda: ws.add_vector(F, dict.fromkeys(T.lanes, 1.0), at="here"),
    "zero_vector": lambda: ws.zero_vector(F, at="here", lanes=list(T.lanes)),
    "linear_map": lambda: ws.linear_map(T, np.eye(299), 0, 1),
}


@pytest.mark.parametrize("name", MANY)
def test_a_long_line_of_provenance_is_cut_and_ends_with_dots(name: str) -> None:
    S = MANY[name]()
    line = S.provenance[-1]
    assert line.startswith(f"{name}(")
    assert len(line) == 1000
    assert line.endswith("…")
    assert S.provenance == MANY[name]().provenance


def test_a_short_line_is_whole() -> None:
    assert ws.ignore_lanes(T, ["x0", "x1"]).provenance[-1] == "ignore_lanes(['x0', 'x1'], blocks=None)"
