"""The circuit that a page shows: live edges with what an answer becomes without them, and silent ones."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from weightsmith.errors import InputError, brief, cut
from weightsmith.export.circuit_map import circuit
from weightsmith.inspect.components import Edge
from weightsmith.inspect.cuts import Cutting
from weightsmith.inspect.edges import edges
from weightsmith.inspect.output import answer
from weightsmith.model import Transformer, value_text

Given: TypeAlias = Mapping[str, Any] | int  # a circuit of `export.circuit`, or the length up to which it is to be found
Values: TypeAlias = dict[str, Any]
NEEDED = "write export.circuit(T, up_to=3) of this transformer, or circuit=3"
LETTERS = 80  # of an answer


def circuit_data(T: Transformer, given: Given) -> Values:
    """Return a circuit as a page carries it. The witness of each edge is run again: another model's are refused."""
    found = given if isinstance(given, Mapping) else circuit(T, up_to=given)
    if found.get("format") != "weightsmith circuit" or "cut" not in found:
        raise InputError(f"circuit={brief(dict(found))} has no edges that were cut: {NEEDED}")
    parts = found["cut"]
    if parts.get("neurons"):
        raise InputError(
            "a page shows heads and feed-forward layers, and this circuit has single neurons: write "
            "export.circuit(T, up_to=…) without neurons=True"
        )
    known = {(str(edge.source), str(edge.target), edge.input): edge for edge in edges(T)}
    try:
        return {
            "up_to": parts["up_to"],
            "pairs": parts["pairs"],
            "live": [{**_ends(T, known, one), **_witness(T, known, one)} for one in parts["live"]],
            "silent": [_ends(T, known, one) for one in parts["silent"]],
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"the circuit has an edge that lacks {error}: {NEEDED}") from None


def _ends(T: Transformer, known: Mapping[Any, Edge], plain: Values) -> Values:
    """Return the ends of an edge, and the lanes that they share; refuse those that the transformer does not have."""
    ends = (plain["from"], plain["to"], plain["input"])
    if ends not in known:
        raise InputError(f"the transformer has no edge {brief(' → '.join(map(str, ends)))}: {NEEDED}")
    for lane in plain["lanes"]:
        if lane not in T.lanes:
            raise InputError(f"the circuit has the lane {brief(lane)}, and the transformer has none of it: {NEEDED}")
    return {"from": ends[0], "to": ends[1], "input": ends[2], "lanes": list(plain["lanes"])}


def _witness(T: Transformer, known: Mapping[Any, Edge], plain: Values) -> Values:
    """Return the input that shows that an edge is live, the answer there, and the answer without the edge."""
    tokens, position = list(plain["witness"]), plain["position"]
    if not tokens or any(token not in T.vocabulary for token in tokens) or position not in range(len(tokens)):
        raise InputError(f"the witness {brief(tokens)} at {brief(position)} is no input of this transformer: {NEEDED}")
    cutting = Cutting(T, np.array([[T.vocabulary.index(token) for token in tokens]]))
    without = cutting.cut([known[plain["from"], plain["to"], plain["input"]]])
    before, after = int(cutting.answers[0, position]), int(without[0, position])
    if before == after:
        raise InputError(
            f"without {plain['from']} → {plain['to']} the answer at {position} of {brief(' '.join(tokens))} is the "
            f"same, so it is the circuit of another transformer: {NEEDED}"
        )
    texts = {"answer": _text(T, before), "without": _text(T, after)}
    return {"witness": tokens, "position": position, **texts}


def _text(T: Transformer, number: int) -> str:
    """Return an answer as the page shows it."""
    found = answer(T, number)
    return cut(str(found) if T.readout is None else value_text(found), LETTERS)
