"""What needs counting: which symbol is in the majority, are the brackets balanced, is a number of symbols odd?"""

from collections.abc import Sequence

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import brief, shown, whole_number
from weightsmith.library.arguments import read_symbol, read_vocabulary
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, heads, matrix

FAR_ENOUGH = 1 << 10


def majority(symbol: str, vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs of which more than half is the symbol, while the votes fit the arithmetic.

    Every token votes for or against with the smallest positive number, and a head adds the votes up. Only a lead of
    more votes than the arithmetic can hold is lost: 256 in `Fixed(4, 4)`, 16 in `Fixed(2, 2)`, 9 in `Float(4, 3)`.
    """
    A = or_default(arithmetic)
    tokens = read_vocabulary(vocabulary)
    read_symbol(symbol, tokens)
    lanes = ("vote", "lead")
    votes = {(token, "vote"): A.smallest if token == symbol else -A.smallest for token in tokens}
    return Transformer(
        arithmetic=A,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, votes),
        blocks=(Block(Attention((heads.total(lanes, {"vote": "lead"}, A),)), origin="add up the votes"),),
        output=matrix(["NO", "YES"], lanes, {("YES", "lead"): 1}),
        provenance=(f"library.majority({brief(symbol)})",),
        description=f"Says whether more than half of the symbols are {shown(symbol)}.",
    )


def balanced(depth: int, vocabulary: str | Sequence[str] = "()", arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs of correctly nested brackets with depth at most `depth`, at every length.

    The vocabulary is the opening and the closing bracket. The first block counts how many brackets are open here and
    what is wrong with that: more than `depth`, or fewer than 0. The count may saturate, but only after a position
    where it was wrong, and the second block looks for the worst position so far. YES: nothing was wrong, none is open.
    """
    A = or_default(arithmetic)
    opening, closing = read_vocabulary(vocabulary, 2, "the opening and the closing bracket")
    deepest = largest_count(A)
    deepest -= int(A.add(deepest, 1) == deepest)  # one more must show
    depth = whole_number(depth, "depth", least=1, most=deepest)
    lanes = ("fine", "step", "open", "wrong", "worst")  # 1 first: open and worst may saturate
    too_many = Neuron(reads={"open": 1}, writes={"wrong": 2}, bias=-depth, name="too many are open")
    too_few = Neuron(reads={"open": -1}, writes={"wrong": 2}, name="fewer than none are open")
    judge = feed_forward(lanes, [too_many, too_few], adds={"fine": 1})
    return Transformer(
        arithmetic=A,
        vocabulary=(opening, closing),
        lanes=lanes,
        embedding=matrix((opening, closing), lanes, {(opening, "step"): 1, (closing, "step"): -1}),
        blocks=(
            Block(Attention((heads.total(lanes, {"step": "open"}, A),)), judge, origin="how many are open here"),
            Block(Attention((heads.best(lanes, "wrong", {"wrong": "worst"}),)), origin="look for a mistake"),
        ),
        output=matrix(["NO", "YES"], lanes, {("YES", "fine"): 1, ("YES", "open"): -1, ("YES", "worst"): -2}),
        provenance=(f"library.balanced({depth})",),
        description=f"Says whether the brackets are nested correctly, at most {depth} deep.",
    )


def parity(
    symbol: str = "1", vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None
) -> Transformer:
    """Answer YES exactly on the inputs with an odd number of the symbol, as long as the arithmetic can count them.

    A head counts the symbol, and neurons add 1 at each odd number that the count reaches and take it away at each even
    number. One step beyond `largest_count(arithmetic)` the answer is wrong: at the 16th symbol in `Fixed(4, 4)`, the
    4th in `Fixed(2, 2)` and the 9th in `Float(4, 3)`. `parity_chain` has no such limit.
    """
    A = or_default(arithmetic)
    tokens = read_vocabulary(vocabulary)
    read_symbol(symbol, tokens)
    lanes = ("symbol", "count", "odd")
    counted = heads.count(lanes, "symbol", "count", A)
    neurons = []
    for k in range(1, largest_count(A) + 1):
        sign = 1 if k % 2 else -1  # relu(count − k + 1) − relu(count − k) is 1 from the count k on
        neurons += [Neuron({"count": 1}, {"odd": sign}, bias=1 - k), Neuron({"count": 1}, {"odd": -sign}, bias=-k)]
    return Transformer(
        arithmetic=A,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(symbol, "symbol"): 1.0}),
        blocks=(Block(Attention((counted,)), feed_forward(lanes, neurons), origin="count"),),
        output=matrix(["NO", "YES"], lanes, {("YES", "odd"): 1}),
        provenance=(f"library.parity({brief(symbol)})",),
        description=f"Says whether {shown(symbol)} occurs an odd number of times, up to the largest count.",
    )


def largest_count(arithmetic: Arithmetic) -> int:
    """Say how far an arithmetic counts by adding 1; 1024 is far enough.

    >>> from weightsmith import Fixed
    >>> largest_count(Fixed(4, 4)), largest_count(Fixed(2, 2))
    (15, 3)
    """
    count = 0
    while count < FAR_ENOUGH and arithmetic.contains(count + 1) and arithmetic.add(count, 1) == count + 1:
        count += 1
    return count
