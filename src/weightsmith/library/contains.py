"""Does the input contain a symbol?"""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, Fixed
from weightsmith.library.arguments import read_symbol, read_vocabulary
from weightsmith.model import Attention, Block, Head, LeftmostHard, Transformer, matrix
from weightsmith.model.names import shown


def contains(symbol: str, vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs that contain the symbol: `symbol in tokens`, at every length.

    One head looks at the first position with the largest score; the score is 1 where the symbol stands and 0
    elsewhere, so what it copies is 1 exactly if the symbol occurs. NO has logit 0 and wins ties.
    """
    tokens = read_vocabulary(vocabulary)
    read_symbol(symbol, tokens)
    lanes = ("one", "symbol", "found")
    one, is_symbol = np.ones(len(tokens)), [float(token == symbol) for token in tokens]
    look = Head(
        W_Q=matrix(to=["ask"], of=lanes, entries={("ask", "one"): 1}),
        W_K=matrix(to=["ask"], of=lanes, entries={("ask", "symbol"): 1}),
        W_V=matrix(to=["value"], of=lanes, entries={("value", "symbol"): 1}),
        W_O=matrix(to=lanes, of=["value"], entries={("found", "value"): 1}),
        weighting=LeftmostHard(),
    )
    return Transformer(
        arithmetic=Fixed(4, 4) if arithmetic is None else arithmetic,
        vocabulary=tokens,
        lanes=lanes,
        embedding=np.stack([one, is_symbol, 0 * one], axis=1),
        positions=None,
        blocks=(Block(Attention((look,)), origin=f"look for {shown(symbol)}"),),
        output=matrix(to=["NO", "YES"], of=lanes, entries={("YES", "found"): 1}),
        provenance=(f"library.contains({symbol!r})",),
    )
