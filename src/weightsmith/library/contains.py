"""Does the input contain a symbol?"""

from collections.abc import Sequence

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import shown
from weightsmith.library import stories
from weightsmith.library.arguments import read_symbol, read_vocabulary
from weightsmith.model import Attention, Block, Transformer, heads, matrix


def contains(symbol: str, vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs that contain the symbol: `symbol in tokens`, at every length.

    One head looks at the first position with the largest score; the score is 1 where the symbol stands and 0
    elsewhere, so what it copies is 1 exactly if the symbol occurs. NO has logit 0 and wins ties.
    """
    tokens = read_vocabulary(vocabulary)
    read_symbol(symbol, tokens)
    lanes = ("symbol", "found")
    look = heads.best(lanes, score="symbol", copies={"symbol": "found"})
    return Transformer(
        arithmetic=or_default(arithmetic),
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(symbol, "symbol"): 1}),
        blocks=(Block(Attention((look,)), origin=f"look for {shown(symbol)}"),),
        output=matrix(["NO", "YES"], lanes, {("YES", "found"): 1}),
        provenance=(f"library.contains({symbol!r})",),
        description=f"Says whether {shown(symbol)} occurs in the input.",
    ).story(stories.of_contains(symbol, tokens))
