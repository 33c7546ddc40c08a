"""Induction heads: the token after the last occurrence of this one, and k such hops in ⌊log₂ k⌋ + 2 blocks."""

from collections.abc import Mapping, Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, or_default
from weightsmith.errors import InputError, whole_number
from weightsmith.library.arguments import read_vocabulary
from weightsmith.model import (
    Attention,
    Block,
    Head,
    Neuron,
    PositionTable,
    RightmostHard,
    Transformer,
    feed_forward,
    matrix,
)

NOTHING = "⊥"
MOST_HOPS = 1 << 20
LONGEST = 1 << 10  # tokens: there are as many lanes for positions


def hop(tokens: Sequence[str], k: int) -> str:
    """Return hop_k at the last position: the definition that `k_hop` is checked against.

    find(i) is the last j ≤ i with x_{j−1} = x_i. hop_k is the token at find(find(… i …)), k times; ⊥ if there is none.

    >>> hop("abcab", 1), hop("abcab", 2), hop("abcab", 3)
    ('c', '⊥', '⊥')
    """
    place = len(tokens) - 1
    for _ in range(k):
        found = [j for j in range(1, place + 1) if tokens[j - 1] == tokens[place]]
        if not found:
            return NOTHING
        place = found[-1]
    return tokens[place]


def induction_head(vocabulary: str | Sequence[str] = "abc", arithmetic: Arithmetic | None = None) -> Transformer:
    """Predict the token that followed the last earlier occurrence of the current one; ⊥ if it never occurred.

    Block 0 tells each position which token stands before it. In block 1 each position looks for the last position
    whose previous token is the current one, and copies its token. Position 0 has no previous token: the head looks
    there if nothing matches, and copies nothing. Right at every length, without positions.

    >>> from weightsmith import run
    >>> run(induction_head(), "abcab").decision
    'c'
    """
    tokens = _vocabulary(vocabulary)
    lanes = [f"{kind}{t}" for kind in ("is ", "before ", "target ", "sees ") for t in tokens]
    copies = {f"target {t}": f"sees {t}" for t in tokens}
    find = _find(lanes, tokens, {(t, f"is {t}"): 1.0 for t in tokens}, copies)
    return Transformer(
        arithmetic=or_default(arithmetic),
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(t, f"is {t}"): 1.0 for t in tokens}),
        blocks=(_previous_token(lanes, tokens), Block(Attention((find,)), origin="find the last match")),
        output=matrix([NOTHING, *tokens], lanes, {(t, f"sees {t}"): 1.0 for t in tokens}),
        classes=(NOTHING, *tokens),  # ⊥ has logit 0 and wins ties
        provenance=("library.papers.induction_head()",),
        description="Repeats what followed the same symbol before.",
    )


def k_hop(k: int, n: int, vocabulary: str | Sequence[str] = "abc", arithmetic: Arithmetic | None = None) -> Transformer:
    """Compute hop_k on inputs up to length n with ⌊log₂ k⌋ + 2 blocks of one head each.

    Blocks 0 and 1 are an induction head that also keeps where it looked: find(i). Then the bits of k follow, from the
    second highest on. With find^j(i) at every position, a head that looks at p = find^j(i) reads find^2j(i). A head
    that instead looks for the last j ≤ p whose previous token is the one at p reads find^(2j+1)(i): one more hop at no
    cost. That is why k hops need ⌊log₂ k⌋ doublings and no further block. Positions are one-hot lanes, so every number
    is at most 4.

    >>> from weightsmith import run
    >>> T = k_hop(3, 8)
    >>> len(T.blocks), run(T, "abacbab").decision == hop("abacbab", 3)
    (3, True)
    """
    k = whole_number(k, "k", 1, MOST_HOPS, "the number of hops")
    n = whole_number(n, "n", 1, LONGEST, "the longest input")
    tokens = _vocabulary(vocabulary)
    places = [str(p) for p in range(1, n)]  # nothing points to position 0
    lanes = [f"{kind}{t}" for kind in ("is ", "before ", "target ", "sees ", "got ") for t in tokens]
    lanes += [f"{kind}{p}" for kind in ("at ", "to ", "got ") for p in places]
    state = [f"to {p}" for p in places] + [f"sees {t}" for t in tokens]
    fetched = {lane: f"got {lane.split(' ', 1)[1]}" for lane in state}
    first = {f"at {p}": f"to {p}" for p in places} | {f"target {t}": f"sees {t}" for t in tokens}
    by_token = {(t, f"is {t}"): 1.0 for t in tokens}
    blocks = [
        _previous_token(lanes, tokens),
        Block(Attention((_find(lanes, tokens, by_token, first),)), origin="find the last match"),
    ]
    move = feed_forward(lanes, _moving(fetched))
    for bit in format(k, "b")[1:]:
        if bit == "1":
            wanted = {(t, f"sees {t}"): 1.0 for t in tokens}
            head = _find(lanes, tokens, wanted, fetched, places)
        else:
            head = _point(lanes, places, fetched)
        blocks.append(Block(Attention((head,)), move, origin=f"double the hops{', and one' * (bit == '1')}"))
    return Transformer(
        arithmetic=or_default(arithmetic),
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(t, f"is {t}"): 1.0 for t in tokens}),
        positions=PositionTable(matrix(["0", *places], lanes, {(p, f"at {p}"): 1.0 for p in places})),
        blocks=blocks,
        output=matrix([NOTHING, *tokens], lanes, {(t, f"sees {t}"): 1.0 for t in tokens}),
        classes=(NOTHING, *tokens),
        provenance=(f"library.papers.k_hop({k}, {n})",),
        description=f"Follows {k} hops back to what followed the same symbol before.",
    )


def _vocabulary(vocabulary: str | Sequence[str]) -> tuple[str, ...]:
    """Return the tokens; ⊥ is the answer for none, and digits are names of positions."""
    tokens = read_vocabulary(vocabulary)
    for token in tokens:
        if token == NOTHING or token.isdigit():
            raise InputError(f"the vocabulary has {token}, which is kept for positions and ⊥: write letters")
    return tokens


def _previous_token(lanes: Sequence[str], tokens: Sequence[str]) -> Block:
    """Return the block that says which token stands before each position, and which tokens may be targets."""
    asked = matrix(["0"], lanes, {})
    look = _head(lanes, asked, asked, {f"is {t}": f"before {t}" for t in tokens}, strict=True)  # the position before
    before = {f"before {t}": 1.0 for t in tokens}
    targets = [Neuron({f"is {t}": 1.0} | before, {f"target {t}": 1.0}, bias=-1) for t in tokens]
    return Block(Attention((look,)), feed_forward(lanes, targets), origin="which token stands before")


def _find(
    lanes: Sequence[str],
    tokens: Sequence[str],
    wanted: Mapping[tuple[str, str], float],
    copies: Mapping[str, str],
    places: Sequence[str] = (),
) -> Head:
    """Return a head that looks at the last position after a wanted token; with places, not beyond where `to` points.

    A position scores 2 for each condition that it fulfils. Position 0 scores one less than the best can, so it is seen
    if no position fulfils all of them.
    """
    rows = [*tokens, *(f"from {p}" for p in places), "first"]
    keys = {(t, f"before {t}"): 2.0 for t in tokens} | {("first", f"before {t}"): -1.0 for t in tokens}
    keys |= {(f"from {p}", f"at {p}"): 2.0 for p in places}
    reached = {(f"from {p}", f"to {q}"): 1.0 for p in places for q in places if int(q) >= int(p)}
    last = [0.0] * (len(rows) - 1)
    W_Q, W_K = matrix(rows, lanes, dict(wanted) | reached), matrix(rows, lanes, keys)
    b_Q, b_K = np.array([*last, 3.0 if places else 1.0]), np.array([*last, 1.0])
    return _head(lanes, W_Q, W_K, copies, b_Q, b_K)  # the last key is 1 at position 0, where no token stands before


def _point(lanes: Sequence[str], places: Sequence[str], copies: Mapping[str, str]) -> Head:
    """Return a head that looks where `to` points; where it points nowhere, it copies what is here: nothing."""
    rows = places or ["0"]
    W_Q = matrix(rows, lanes, {(p, f"to {p}"): 1.0 for p in places})
    W_K = matrix(rows, lanes, {(p, f"at {p}"): 1.0 for p in places})
    return _head(lanes, W_Q, W_K, copies)


def _head(
    lanes: Sequence[str],
    W_Q: Array,
    W_K: Array,
    copies: Mapping[str, str],
    b_Q: Array | None = None,
    b_K: Array | None = None,
    *,
    strict: bool = False,
) -> Head:
    """Return a head that copies lanes from the last position with the largest score."""
    names = list(copies)
    return Head(
        W_Q=W_Q,
        W_K=W_K,
        W_V=matrix(names, lanes, {(name, name): 1.0 for name in names}),
        W_O=matrix(lanes, names, {(to, name): 1.0 for name, to in copies.items()}),
        weighting=RightmostHard(),
        b_Q=b_Q,
        b_K=b_K,
        strict=strict,
    )


def _moving(fetched: Mapping[str, str]) -> list[Neuron]:
    """Return the neurons that replace lanes by the fetched ones, and clear these."""
    old = [Neuron({lane: 1.0}, {lane: -1.0}) for lane in fetched]
    return old + [Neuron({got: 1.0}, {lane: 1.0, got: -1.0}) for lane, got in fetched.items()]
