"""Linear maps of the stream: from one position to a later one through a head, or at every position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, as_float64, require
from weightsmith.errors import MAX_ECHO, InputError, brief, is_whole
from weightsmith.model import Attention, Block, Head, Neuron, Transformer, feed_forward, matrix
from weightsmith.model.positions import MAX_LENGTH
from weightsmith.model.transformer import checked
from weightsmith.rewrites.lanes import (
    COPYING,
    fresh,
    own_complement,
    own_flag,
    own_positions,
    plain_lanes,
    refuse_flags,
    widen,
)
from weightsmith.rewrites.vectors import cancelling_block
from weightsmith.rewrites.whole_model import appended

ROUTING = ("exp of −∞", "exp of 0", *COPYING)


def linear_map(
    T: Transformer, M: npt.ArrayLike, source: int, target: int, lanes: Sequence[str] | None = None, spare: bool = True
) -> Transformer:
    """Append blocks that put M h_source into position target.

    Requires: 0 ≤ source < target, inside the position table; M over `lanes` (None: every lane that is not a flag).
    Ensures: at the last stage the lanes of position target hold M h_source, h being the last stage before. With `spare`
      nothing else changes; without it, as in the note, the other positions from source on are spoilt.
    Exact in: every arithmetic with "exp of −∞", "exp of 0", "symmetric", "zero product" and "unit product".
    Because: the target is made 0 first. Its score is 0 for the source and −∞ for every other key, so the softmax is 1
      there and 0 elsewhere. With `spare` all scores of every other query are −∞: its softmax is empty and adds nothing.
    """
    chosen, values = square_matrix(T, M, lanes)
    instead = "use an arithmetic such as Fixed(4, 4), or map_stream at every position"
    require(T.arithmetic, ROUTING, "linear_map", instead)
    T, route = lay_route(T, source, target)
    entries = {(to, of): values[i, j] for i, to in enumerate(chosen) for j, of in enumerate(chosen)}
    head = routed_head(T, route, chosen, entries, spare)
    block = Block(Attention((head,)), origin=f"linear map from {source} to {target}")
    clear = cancelling_block(T, route.not_here, chosen)
    return appended(T, [clear, block], f"linear_map(source={source}, target={target}, lanes={chosen})")


@dataclass(frozen=True)
class Route:
    """The flags of a source and a target position, and their complements."""

    there: str
    not_there: str
    here: str
    not_here: str

    @property
    def flags(self) -> tuple[str, ...]:
        """Return all four."""
        return self.there, self.not_there, self.here, self.not_here


def lay_route(T: Transformer, source: int, target: int) -> tuple[Transformer, Route]:
    """Add the flags for a source and a target position."""
    if not is_whole(source) or not is_whole(target) or not 0 <= source < target <= MAX_LENGTH:
        raise InputError(
            f"linear_map goes to a later position: write source < target, not {brief(source)} and {brief(target)}"
        )
    T, there = own_flag(own_positions(T), [source], f"at {source}")
    T, not_there = own_complement(T, there)
    T, here = own_flag(T, [target], f"at {target}")
    T, not_here = own_complement(T, here)
    return T, Route(there, not_there, here, not_here)


def routed_head(
    T: Transformer, route: Route, reads: Sequence[str], entries: Mapping[tuple[str, str], float], spare: bool
) -> Head:
    """Build the head that adds, at the target, the matrix `entries` times the lanes `reads` of the source."""
    shut, values = -T.arithmetic.infinity, [f"value {lane}" for lane in reads]
    ask = {("which", route.here): shut, ("who", route.not_here): shut}
    answer = {("which", route.not_there): 1.0, ("who", route.there): 1.0, ("who", route.not_there): 1.0}
    if not spare:
        ask, answer = {("which", route.not_there): shut}, {("which", route.not_there): 1.0}
    return Head(
        W_Q=matrix(["which", "who"], T.lanes, ask),
        W_K=matrix(["which", "who"], T.lanes, answer),
        W_V=matrix(values, T.lanes, {(f"value {lane}", lane): 1.0 for lane in reads}),
        W_O=matrix(T.lanes, values, {(to, f"value {of}"): value for (to, of), value in entries.items()}),
    )


def square_matrix(T: Transformer, M: npt.ArrayLike, lanes: Sequence[str] | None) -> tuple[list[str], Array]:
    """Return the lanes that a matrix is over, and the matrix: checked for size, values, and that it touches no flag.

    Without `lanes` it is over the lanes that are not flags, or over all lanes and 0 at the flags.
    """
    chosen = plain_lanes(T) if lanes is None else list(lanes)
    refuse_flags(T, chosen)
    values = as_float64(M)
    if lanes is None and values.shape == (len(T.lanes), len(T.lanes)):
        flags = [T.lanes.index(flag) for flag in T.flags]
        if values[flags].any() or values[:, flags].any():
            spared = brief(list(T.flags), MAX_ECHO)
            raise InputError(f"M must be 0 in the rows and columns of the flags {spared}: rewrites spare flags")
        values = np.delete(np.delete(values, flags, axis=0), flags, axis=1)
    size = (len(chosen), len(chosen))
    if values.shape != size:
        raise InputError(f"M has shape {values.shape}, and it must be {size}: over the lanes {brief(chosen, MAX_ECHO)}")
    wrong = ~T.arithmetic.contains(values)
    if wrong.any():
        where = np.argwhere(wrong)[0].tolist()
        value = float(values[tuple(where)])
        raise InputError(f"M{where} = {brief(value)} is not a member of {T.arithmetic}: write arithmetic.round(M)")
    return chosen, values


def map_stream(T: Transformer, M: npt.ArrayLike, lanes: Sequence[str] | None = None) -> Transformer:
    """Append two blocks that replace h by M h at every position.

    Requires: M over `lanes` (None: every lane that is not a flag), with members.
    Ensures: at the last stage the lanes hold M h, h being the last stage before; the lanes used on the way hold 0.
    Exact in: every arithmetic with "symmetric", "zero product" and "unit product".
    Because: pairs of neurons in lane order fold the products of M h in the order of M h, into lanes that hold 0, while
      the old lanes cancel; the second block copies the result back.
    """
    require(checked(T).arithmetic, COPYING, "map_stream", "use an arithmetic with 1, such as Fixed(4, 4)")
    chosen, values = square_matrix(T, M, lanes)
    mapped = {lane: fresh(T, f"mapped {lane}") for lane in chosen}
    T = widen(T, list(mapped.values()), where="front")
    there: list[Neuron] = []
    back: list[Neuron] = []
    for j, lane in enumerate(chosen):
        there += Neuron.pair(lane, {**{mapped[to]: values[i, j] for i, to in enumerate(chosen)}, lane: -1.0})
        back += Neuron.pair(mapped[lane], {lane: 1.0, mapped[lane]: -1.0})
    blocks = [
        Block(feed_forward=feed_forward(T.lanes, there), origin="map the stream"),
        Block(feed_forward=feed_forward(T.lanes, back), origin="map the stream: copy back"),
    ]
    return appended(T, blocks, f"map_stream(lanes={chosen})")
