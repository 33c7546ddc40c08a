"""Does the input end with the symbol that it starts with?"""

from collections.abc import Sequence

from weightsmith.arithmetic import Arithmetic, Fixed
from weightsmith.library.arguments import read_vocabulary, token_lane
from weightsmith.model import Attention, Block, Head, LeftmostHard, Neuron, Transformer, feed_forward, matrix


def first_equals_last(vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs whose first and last symbols are equal, at every length.

    A head that asks for nothing finds every score 0, and the leftmost of them at position 0. It subtracts the first
    symbol from the symbol here, a lane for each; what remains above 0 makes the lane `same` 0 instead of 1.
    """
    tokens = read_vocabulary(vocabulary)
    symbols = [token_lane(token, tokens) for token in tokens]
    lanes = [*symbols, "same"]
    look = Head(
        W_Q=matrix(["ask"], lanes, {}),
        W_K=matrix(["ask"], lanes, {}),
        W_V=matrix(symbols, lanes, {(symbol, symbol): 1 for symbol in symbols}),
        W_O=matrix(lanes, symbols, {(symbol, symbol): -1 for symbol in symbols}),
        weighting=LeftmostHard(),
    )
    compare = feed_forward(lanes, [Neuron({symbol: 1}, {"same": -1}) for symbol in symbols], adds={"same": 1})
    return Transformer(
        arithmetic=Fixed(4, 4) if arithmetic is None else arithmetic,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, dict.fromkeys(zip(tokens, symbols, strict=True), 1)),
        positions=None,
        blocks=(Block(Attention((look,)), compare, origin="compare with the first symbol"),),
        output=matrix(["NO", "YES"], lanes, {("YES", "same"): 1}),
        provenance=("library.first_equals_last()",),
    )
