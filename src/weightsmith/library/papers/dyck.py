"""Dyck languages: Dyck-1 by means of steps, and Dyck-k of bounded depth by depth and the nearest opening bracket."""

from collections.abc import Mapping, Sequence

from weightsmith.arithmetic import Arithmetic
from weightsmith.automata.named import BRACKETS
from weightsmith.errors import LawError, whole_number
from weightsmith.library.counting import largest_count
from weightsmith.library.papers.heads import head
from weightsmith.model import (
    Attention,
    Block,
    Family,
    Head,
    Neuron,
    RightmostHard,
    Softmax,
    Transformer,
    feed_forward,
    heads,
    matrix,
)

MAX_DEPTH = 100


def dyck_1(arithmetic: Arithmetic) -> Transformer:
    """Return the transformer for Dyck-1: at every position the mean of +1 for "(" and −1 for ")" is the depth over i.

    A negative mean is an error there, and the mean of the errors must be 0 at the end, as must the depth.
    """
    lanes, tokens = ("always", "step", "depth/i", "open/i", "error", "errors/n"), ("(", ")")
    embedding = {(token, "always"): 1.0 for token in tokens} | {("(", "step"): 1.0, (")", "step"): -1.0}
    above = Neuron({"depth/i": 1}, {"open/i": 1}, name="more are opened than closed")
    below = Neuron({"depth/i": -1}, {"error": 1}, name="more are closed than opened")
    yes = arithmetic.smallest  # as a logit: any positive number is at least as large, and NO wins a tie
    return Transformer(
        arithmetic=arithmetic,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, embedding),
        blocks=(
            Block(
                Attention((head(lanes, Softmax(), {"step": 1}, {"depth/i": 1}, name="the mean step"),)),
                feed_forward(lanes, [above, below]),
                origin="the depth at every position",
            ),
            Block(Attention((head(lanes, Softmax(), {"error": 1}, {"errors/n": 1}),)), origin="the mean of the errors"),
        ),
        output=matrix(["NO", "YES"], lanes, {("NO", "open/i"): 1, ("NO", "errors/n"): 1, ("YES", "always"): yes}),
        provenance=("papers.dyck_1",),
        description="Says whether the brackets are nested correctly.",
    )


def dyck_k(k: int, depth: int, arithmetic: Arithmetic) -> Transformer:
    """Return the transformer for Dyck-k with at most `depth` open brackets.

    Block 0 counts the open brackets and writes the level of every bracket, one lane for each level. In block 1 every
    closing bracket looks at the nearest opening bracket of its own level, which is its partner, and compares the kinds.
    Block 2 looks for a mistake. A count may saturate, but only after a mistake.
    """
    k = whole_number(k, "k", 1, len(BRACKETS) // 2)
    depth = whole_number(depth, "depth", 1, MAX_DEPTH)
    if largest_count(arithmetic) < depth + 1:
        raise LawError(
            f"brackets of depth {depth} need counts up to {depth + 1}, and {arithmetic} counts to "
            f"{largest_count(arithmetic)}: write Fixed(4, 4)"
        )
    tokens, kinds = tuple(BRACKETS[: 2 * k]), range(k)
    opens, closes, partners = ([f"{what} {i}" for i in kinds] for what in ("opens", "closes", "partner"))
    levels = [f"level {d}" for d in range(1, depth + 1)]
    lanes = ("always", "step", "opening", "closing", *opens, *closes, *levels, *partners)
    lanes = (*lanes, "open", "still open", "wrong", "worst")
    embedding = {(token, "always"): 1.0 for token in tokens}
    for i in kinds:
        embedding |= {(tokens[2 * i], lane): 1.0 for lane in ("step", "opening", opens[i])}
        embedding |= {(tokens[2 * i + 1], lane): 1.0 for lane in ("closing", closes[i])} | {
            (tokens[2 * i + 1], "step"): -1.0
        }
    count = heads.total(lanes, {"step": "open"}, arithmetic)
    compare = [Neuron({closes[i]: 1, partners[i]: -1}, {"wrong": 1}, name="another kind was opened") for i in kinds]
    return Transformer(
        arithmetic=arithmetic,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, embedding),
        blocks=(
            Block(Attention((count,)), feed_forward(lanes, _levels(levels)), origin="the level of each bracket"),
            Block(
                Attention((_partner(lanes, levels, dict(zip(opens, partners, strict=True))),)),
                feed_forward(lanes, compare),
                origin="compare each closing bracket with its partner",
            ),
            Block(Attention((heads.best(lanes, "wrong", {"wrong": "worst"}),)), origin="look for a mistake"),
        ),
        output=matrix(["NO", "YES"], lanes, {("YES", "always"): 1, ("NO", "still open"): 1, ("NO", "worst"): 1}),
        provenance=(f"papers.dyck_k({k}, {depth})",),
        description=f"Says whether brackets of {k} kinds are nested correctly, at most {depth} deep.",
    )


def _levels(levels: Sequence[str]) -> list[Neuron]:
    """Return neurons that write the level of a bracket, whether some are open, and the two mistakes of a count.

    The level x is the count, for a closing bracket one more, since the count no longer has it. At whole numbers
    relu(x − d + 1) − 2 relu(x − d) + relu(x − d − 1) is 1 where x = d, and 0 elsewhere.
    """
    neurons = [
        Neuron({"open": 1, "closing": 1}, {level: weight}, bias=float(shift - d))
        for d, level in enumerate(levels, 1)
        for shift, weight in ((1, 1.0), (0, -2.0), (-1, 1.0))
    ]
    return [
        *neurons,
        Neuron({"open": 1}, {"still open": 1}, name="some are open"),
        Neuron({"open": 1}, {"wrong": 1}, bias=-float(len(levels)), name="too many are open"),
        Neuron({"open": -1}, {"wrong": 1}, name="fewer than none are open"),
    ]


def _partner(lanes: Sequence[str], levels: Sequence[str], copies: Mapping[str, str]) -> Head:
    """Return a strict head that looks at the last opening bracket of the same level: its score is 2, and no other's."""
    names = [*levels, "opening"]
    same = {(level, level): 1.0 for level in levels}
    return Head(
        W_Q=matrix(names, lanes, same | {("opening", "always"): 1.0}),
        W_K=matrix(names, lanes, same | {("opening", "opening"): 1.0}),
        W_V=matrix(list(copies), lanes, {(lane, lane): 1.0 for lane in copies}),
        W_O=matrix(lanes, list(copies), {(to, lane): 1.0 for lane, to in copies.items()}),
        weighting=RightmostHard(),
        strict=True,
        name="the partner of a closing bracket",
    )


DYCK_1 = Family.uniform(dyck_1, "Dyck-1")


def bounded(k: int, depth: int) -> Family:
    """Return the family for Dyck-k of bounded depth."""
    return Family.uniform(lambda A: dyck_k(k, depth, A), f"Dyck-{k} of depth {depth}")
