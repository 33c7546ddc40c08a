"""The lecture's layer norm in a model: (2, 4, 6, 8) enters, and a neuron reads −1.34, −0.45, 0.45, 1.34."""

from typing import get_args

from weightsmith.arithmetic import Arithmetic, Native
from weightsmith.errors import InputError, brief
from weightsmith.model import Block, LayerNorm, Neuron, Transformer, feed_forward, matrix
from weightsmith.model.block import Placement
from weightsmith.rewrites import to_arithmetic

NUMBERS = ("first", "second", "third", "fourth")
LANES = (*NUMBERS, "rises")
VECTORS = {"2468": (2.0, 4.0, 6.0, 8.0), "8642": (8.0, 6.0, 4.0, 2.0), "5555": (5.0, 5.0, 5.0, 5.0)}


def normed(placement: Placement = "pre", arithmetic: Arithmetic | None = None) -> Transformer:
    """Say whether four numbers rise or fall, by neurons that read them after a layer norm.

    The norm is over the four lanes of the numbers. Before the feed-forward layer ("pre") the stream keeps 2, 4, 6, 8
    and only the neurons read the normed values. After it ("post") the stream itself is normed.
    """
    if placement not in get_args(Placement):
        raise InputError(f"placement={brief(placement)}: write 'pre' or 'post'")
    A = Native("float64")
    known = {(token, lane): x for token, row in VECTORS.items() for lane, x in zip(NUMBERS, row, strict=True)}
    neurons = [
        Neuron({"fourth": 1.0, "first": -1.0}, {"rises": 1.0}, name="fourth above first"),
        Neuron({"first": 1.0, "fourth": -1.0}, {"rises": -1.0}, name="first above fourth"),
    ]
    norm = LayerNorm(1e-5, lanes=NUMBERS)
    call = "library.normed()" if placement == "pre" else f"library.normed({placement!r})"
    T = Transformer(
        arithmetic=A,
        vocabulary=tuple(VECTORS),
        lanes=LANES,
        embedding=matrix(list(VECTORS), LANES, known),
        blocks=(Block(None, feed_forward(LANES, neurons), None, norm, placement, origin="compare the ends"),),
        output=matrix(["flat", "rises", "falls"], LANES, {("rises", "rises"): 1.0, ("falls", "rises"): -1.0}),
        classes=("flat", "rises", "falls"),
        provenance=(call,),
    )
    return T if arithmetic is None or arithmetic == A else to_arithmetic(T, arithmetic)
