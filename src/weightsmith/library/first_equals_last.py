"""Does the input end with the symbol that it starts with?"""

from collections.abc import Sequence

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.library.arguments import read_vocabulary, token_lane
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, heads, matrix


def first_equals_last(vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs whose first and last symbols are equal, at every length.

    A head looks at the first position and subtracts its symbol from the symbol here, a lane for each; what remains
    above 0 makes the lane `same` 0 instead of 1.
    """
    tokens = read_vocabulary(vocabulary)
    symbols = [token_lane(token, tokens) for token in tokens]
    lanes = [*symbols, "same"]
    look = heads.first(lanes, copies={symbol: {symbol: -1} for symbol in symbols})
    compare = feed_forward(lanes, [Neuron({symbol: 1}, {"same": -1}) for symbol in symbols], adds={"same": 1})
    return Transformer(
        arithmetic=or_default(arithmetic),
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, dict.fromkeys(zip(tokens, symbols, strict=True), 1)),
        blocks=(Block(Attention((look,)), compare, origin="compare with the first symbol"),),
        output=matrix(["NO", "YES"], lanes, {("YES", "same"): 1}),
        provenance=("library.first_equals_last()",),
        description="Says whether the first symbol is also the last.",
    )
