"""MAJORITY by the mean of votes: uniform attention over ±1, by softmax or by averaging hard attention."""

from weightsmith.arithmetic import Arithmetic
from weightsmith.library.papers.heads import head
from weightsmith.model import Attention, AverageHard, Block, Family, Softmax, Transformer, Weighting, matrix


def soft(arithmetic: Arithmetic) -> Transformer:
    """Return the transformer with a softmax head: all scores are 0, so every weight is 1 ⊘ n."""
    return _majority(arithmetic, Softmax(), "soft")


def average_hard(arithmetic: Arithmetic) -> Transformer:
    """Return the transformer with an averaging hard head: all scores are equal, so every weight is 1 ⊘ n."""
    return _majority(arithmetic, AverageHard(), "average-hard")


def _majority(arithmetic: Arithmetic, weighting: Weighting, which: str) -> Transformer:
    """Return the transformer whose one head takes the mean of the votes: +1 for "1", −1 for "0"."""
    lanes, tokens = ("vote", "mean"), ("0", "1")
    return Transformer(
        arithmetic=arithmetic,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {("0", "vote"): -1, ("1", "vote"): 1}),
        blocks=(Block(Attention((head(lanes, weighting, {"vote": 1}, {"mean": 1}),)), origin="the mean of the votes"),),
        output=matrix(["NO", "YES"], lanes, {("YES", "mean"): 1}),
        provenance=(f"papers.majority ({which})",),
        description="Says whether more than half of the symbols are 1.",
    )


SOFT = Family.uniform(soft, "MAJORITY (soft)")
AVERAGE_HARD = Family.uniform(average_hard, "MAJORITY (average-hard)")
