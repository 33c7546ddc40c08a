"""A small transformer whose smallest automaton has 2^k states: the token k before the last one."""

from collections.abc import Sequence

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import shown, whole_number
from weightsmith.library.arguments import read_symbol, read_vocabulary
from weightsmith.model import Attention, Block, Transformer, heads, matrix

FARTHEST = 1 << 20


def symbol_back(
    k: int, symbol: str = "1", vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None
) -> Transformer:
    """Answer YES exactly on the inputs whose k-th token from the end is the symbol; k = 1 is the last token.

    One head looks k − 1 positions back. The smallest automaton must remember the last k tokens: it has 2^k states.

    >>> from weightsmith import automaton
    >>> len(automaton(symbol_back(5)).table)
    32
    """
    A = or_default(arithmetic)
    k = whole_number(k, "k", 1, FARTHEST, "1 for the last token")
    tokens = read_vocabulary(vocabulary)
    read_symbol(symbol, tokens)
    lanes = ("symbol", "found")
    return Transformer(
        arithmetic=A,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(symbol, "symbol"): 1}),
        blocks=(
            Block(Attention((heads.at_distance(lanes, k - 1, {"symbol": "found"}, A),)), origin=f"look {k - 1} back"),
        ),
        output=matrix(["NO", "YES"], lanes, {("YES", "found"): 1}),
        provenance=(f"library.papers.symbol_back({k})",),
        description=f"Says whether token {k} from the end is {shown(symbol)}.",
    )
