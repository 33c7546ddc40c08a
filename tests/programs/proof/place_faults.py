"""Faults in what the compiler knows of positions and ranks, and in how it splits selectors."""

from typing import Any

import numpy as np

from tests.programs.proof.faults import Fault, always, instead, wrapped
from weightsmith.programs import Program, program, rasp
from weightsmith.programs.compiler import alone, counting, selecting
from weightsmith.programs.compiler.numbering import Numbering
from weightsmith.programs.proof import places
from weightsmith.programs.proof.selects import Selects

FLAGGED = 'flag = indices < 2 or tokens == "a"; said = aggregate(select(flag, True, ==), indices, 9);'
HALVED = "said = aggregate(select((indices - indices % 2) / 2, indices, ==), indices, 9);"
OVERLAPPING = "said = aggregate(select(indices, 0, ==) or select(indices, indices, ==), indices, 9);"
NOT_FIRST = "said = aggregate(select(indices, indices - 1, ==) or select(indices, indices - 2, ==), indices, 9);"
FIRSTS = """
n = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));
first = n == 0 and indices < 9;
said = aggregate(select(1 if first else 0, 1, ==), indices, 9);
"""
RANK = """
n = selector_width(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <))
    or select(indices, 0, ==));
"""
ALL_RANKED = f"{RANK}said = aggregate(select(n - 1, indices, ==), indices, 9);"
MISSING_RANK = f"{RANK}k = 0 if indices == 0 else n; said = aggregate(select(k, indices + 1, ==), indices, 9);"


def pairs() -> Program:
    """Return a program that compares pairs of token and position."""
    both = rasp.SequenceMap(lambda token, index: (token, index), rasp.tokens, rasp.indices)
    said = rasp.SelectorWidth(rasp.Select(both, both, lambda k, q: k[0] == q[0] and k[1] <= q[1]))
    return program(said.named("said"))


def behind_a_mask() -> Program:
    """Return a causal program whose keys are positions, and whose queries are tokens."""
    chosen = rasp.Select(rasp.indices, rasp.tokens, lambda k, q: k * k % 3 == "abc".index(q))
    return program(rasp.SelectorWidth(chosen).named("said"), causal=True)


def everywhere(self: Any, *_: Any) -> Any:
    return np.ones(4, np.bool_)


def every_group(self: Any, form: Any, rows: Any, groups: Any) -> Any:
    return np.ones(len(groups.numbers), np.bool_)


def of_all(found: Any, *_: Any) -> Any:
    """Take what numbers all but the first positions for a number of all positions."""
    return Numbering(frozenset(), ()), found[1]


def turned_about(found: Any, *_: Any) -> Any:
    return found and found._replace(alternatives=tuple((one, ~rest) for one, rest in found.alternatives))


def of_all_positions(self: Any, cell: int, besides: Any) -> None:
    self.numberings[cell] = places.Numbering(frozenset(), ())


def as_stated(self: Any, node: Any, *_: Any) -> Any:
    return self._stated_pairs(node)


Alone, Places = alone.Alone, places.Places
PLACE_FAULTS = [
    Fault("alone: whether a number tells the position", FLAGGED, instead(Alone, "by_number", always)),
    Fault("alone: whether a position leaves one key", HALVED, instead(Alone, "by_place", always)),
    Fault(
        "alone: whether two selectors select different keys",
        OVERLAPPING,
        instead(Alone, "apart", always),
    ),
    Fault("alone: whether a position selects something", NOT_FIRST, instead(Alone, "covered", everywhere)),
    Fault("alone: whether a rank is there", MISSING_RANK, instead(Alone, "_has_rank", everywhere)),
    Fault("alone: whether a number is that of one class", FIRSTS, instead(Alone, "_one_class", every_group)),
    Fault("numbering: which positions a rank leaves out", ALL_RANKED, wrapped(counting, "numbered_besides", of_all)),
    Fault("splitting: which alternative", pairs(), wrapped(selecting, "split", turned_about)),
    Fault(
        "selecting: keys of a position, and queries that may be anywhere",
        behind_a_mask(),
        wrapped(selecting.Selecting, "_matrix", lambda found, *_: ~found),
    ),
]

CHECKS: dict[str, tuple[Any, str, Any]] = {
    "alone: whether a number tells the position": (Places, "tells", always),
    "alone: whether a position leaves one key": (Places, "alone_by_place", always),
    "alone: whether two selectors select different keys": (Places, "apart", always),
    "alone: whether a position selects something": (Places, "covered", everywhere),
    "alone: whether a rank is there": (Places, "_has_rank", everywhere),
    "alone: whether a number is that of one class": (Places, "_of_one_class", lambda *given: set(given[-1].tolist())),
    "numbering: which positions a rank leaves out": (Places, "note_besides", of_all_positions),
    "splitting: which alternative": (Selects, "_is_select", as_stated),
    "selecting: keys of a position, and queries that may be anywhere": (Selects, "_is_select", as_stated),
}
