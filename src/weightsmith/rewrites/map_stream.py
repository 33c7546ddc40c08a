"""A linear map at every position, by feed-forward."""

from collections.abc import Sequence

import numpy.typing as npt

from weightsmith.model import Block, Neuron, Transformer, feed_forward
from weightsmith.rewrites.add_vector import append
from weightsmith.rewrites.flag import fresh
from weightsmith.rewrites.laws_needed import COPYING, require
from weightsmith.rewrites.linear_map import square_matrix
from weightsmith.rewrites.widen import widen


def map_stream(T: Transformer, M: npt.ArrayLike, lanes: Sequence[str] | None = None) -> Transformer:
    """Append two blocks that replace h by M h at every position.

    Requires: M over `lanes` (None: every lane that is not a flag), with members.
    Ensures: at the last stage the lanes hold M h, h being the last stage before; the lanes used on the way hold 0.
    Exact in: every arithmetic with "symmetric", "zero product" and "unit product".
    Because: pairs of neurons in lane order fold the products of M h in the order of M h, into lanes that hold 0, while
      the old lanes cancel; the second block copies the result back.
    """
    require(T.arithmetic, COPYING, "map_stream", "use an arithmetic with 1, such as Fixed(4, 4)")
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
    return append(T, blocks, f"map_stream(lanes={chosen})")
