"""Parity with a chain of thought: what no fixed precision can do in one step, one bit after another can."""

from collections.abc import Sequence
from warnings import warn

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import whole_number
from weightsmith.library.arguments import read_vocabulary
from weightsmith.model import Attention, Block, Chain, Neuron, Transformer, feed_forward, heads, matrix
from weightsmith.model.positions import MAX_LENGTH


def parity_chain(
    vocabulary: str | Sequence[str] = "01=", arithmetic: Arithmetic | None = None, max_length: int = 16
) -> Chain:
    """Answer YES exactly on the inputs with an odd number of ones, by writing the running parity bit by bit.

    One head looks `max_length` positions back, where the bit stands that is to be added next; before the first bit it
    sees nothing, which counts as 0. Two neurons give the difference of that bit from the one written last (the
    separator counts as 0). So the last of `max_length` bits is the parity of the input. That holds for inputs up to
    max_length, which may be any number: no arithmetic has to count. The vocabulary is zero, one and the separator.

    >>> C = parity_chain(max_length=8)
    >>> C("0111"), C("0110")
    ('YES', 'NO')
    """
    A = or_default(arithmetic)
    zero, one, separator = tokens = read_vocabulary(vocabulary, 3, "for zero, one and the separator")
    lanes = ("bit", "odd")
    max_length = whole_number(max_length, "max_length", 1, MAX_LENGTH)
    look = heads.at_distance(lanes, max_length, {"bit": {"bit": -1}}, A)
    differ = feed_forward(lanes, [Neuron({"bit": 1}, {"odd": 1}), Neuron({"bit": -1}, {"odd": 1})])
    T = Transformer(
        arithmetic=A,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(one, "bit"): 1}),
        blocks=(Block(Attention((look,)), differ, origin="add the next bit"),),
        output=matrix([zero, one], lanes, {(one, "odd"): 1}),
        classes=(zero, one),
        provenance=(f"library.parity_chain(max_length={max_length})",),
        description="Writes, token by token, whether the number of ones so far is odd.",
    )
    answers = {zero: "NO", one: "YES"}
    return Chain(T, prompt=(separator,), steps=max_length, answers=answers, max_length=max_length)


def parity_by_chain(C: Chain, tokens: str | Sequence[str]) -> bool:
    """Return whether a chain answers YES; this name goes with the next version."""
    warn("write parity_chain()(tokens) == 'YES' instead of parity_by_chain", DeprecationWarning, stacklevel=2)
    return C(tokens) == "YES"
