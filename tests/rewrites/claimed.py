"""The contracts of rewrites, written as claims about the stream: each function returns the verdicts of one contract."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

import weightsmith as ws
from weightsmith.arithmetic import Arithmetic
from weightsmith.check import Verdict, condition, image, same_lanes, vectors

LENGTH = 4
SECONDS = 3.0  # for automata
ARITHMETICS: tuple[Arithmetic, ...] = (
    ws.Fixed(4, 4), ws.Fixed(2, 2), ws.Fixed(2, 3, "even"), ws.Float(3, 3), ws.Float(4, 3, "even"),
    ws.Float.like("e4m3", ties="away"),
)  # fmt: skip
Rng = np.random.Generator


def random_model(seed: int, arithmetics: tuple[Arithmetic, ...] = ARITHMETICS) -> tuple[ws.Transformer, Rng]:
    """Return a model of 1 to 3 lanes and 0 to 2 blocks, with a position table, and a source of further choices."""
    rng = np.random.default_rng(seed)
    lanes, blocks, heads, neurons = (int(rng.integers(least, most)) for least, most in ((1, 4), (0, 3), (0, 3), (0, 4)))
    A = arithmetics[seed % len(arithmetics)]
    return ws.random_transformer("ab", lanes, blocks, heads, neurons, LENGTH, A, seed), rng


def sites(T: ws.Transformer) -> list[str]:
    parts = [f"block {b} {part}" for b in range(len(T.blocks)) for part in ("attention", "feed-forward")]
    return ["embedding", *parts]


def end(T: ws.Transformer) -> str:
    return sites(T)[-1]


def members(A: Arithmetic, rng: Rng, *shape: int) -> np.ndarray:
    return rng.choice(A.values(), shape)


def text(lane: str, site: str | None = None) -> str:
    return f"lane({lane!r})" if site is None else f"lane({lane!r}, {site!r})"


def logit(T: ws.Transformer, n: int) -> str:
    """Return a logit of T as a sum of lanes at its last site; the rewrites leave its blocks as they are."""
    terms = [f"{float(w)!r} * {text(lane, end(T))}" for w, lane in zip(T.output[n], T.lanes, strict=True) if w]
    return " + ".join(terms) or "0"


def lengths(T: ws.Transformer) -> int | None:
    """Return the length of the position table; None, all lengths, without one."""
    return None if T.positions is None else LENGTH


def widening(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    U = ws.widen(T, ["new"], where="front" if rng.random() < 0.5 else "back")
    for site in sites(T):
        yield same_lanes(T, U, T.lanes, LENGTH, at=(site, "all"))
        yield vectors(U, {"new": 0}, LENGTH, at=(site, "all"))


def flagging(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    up = {int(p) for p in rng.integers(0, LENGTH, 2)}
    U = ws.flag(T, "here", sorted(up))
    for site in sites(T):
        yield same_lanes(T, U, T.lanes, LENGTH, at=(site, "all"))
        for p in range(LENGTH):
            yield vectors(U, {"here": int(p in up)}, LENGTH, at=(site, p))


def adding(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    p = int(rng.integers(0, LENGTH))
    flagged = ws.flag(T, "here", [p])
    values = members(T.arithmetic, rng, len(T.lanes)).tolist()
    U = ws.add_vector(flagged, dict(zip(T.lanes, values, strict=True)), at="here")
    before, now = end(flagged), end(U)
    sums = [f"{text(x)} == {text(x, before)} + {v!r}" for x, v in zip(T.lanes, values, strict=True)]
    yield vectors(U, " and ".join(sums), LENGTH, at=(now, p))
    yield from unchanged(U, before, [q for q in range(LENGTH) if q != p], flagged.lanes)
    yield from unchanged(U, before, [p], ["here"])


def unchanged(U: ws.Transformer, before: str, positions: list[int], lanes: Sequence[str]) -> Iterator[Verdict]:
    for q in positions:
        yield vectors(U, image(None, at=before, lanes=list(lanes)), LENGTH, at=(end(U), q))


def zeroing(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    p = int(rng.integers(0, LENGTH))
    flagged = ws.flag(ws.flag(T, "other", [0, 2]), "here", [p])
    for method in ("saturate", "cancel"):
        U = ws.zero_vector(flagged, at="here", method=method)
        yield vectors(U, dict.fromkeys(T.lanes, 0), LENGTH, at=(end(U), p))
        yield from unchanged(U, end(flagged), [q for q in range(LENGTH) if q != p], flagged.lanes)
        yield from unchanged(U, end(flagged), [p], ["other", "here"])


def ignoring(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    lane = str(rng.choice(T.lanes))
    U, i = ws.ignore_lanes(T, [lane]), T.lanes.index(lane)
    others = [x for x in T.lanes if x != lane]
    embedding = U.embedding.copy()
    embedding[:, i] = members(T.arithmetic, rng, len(embedding))
    louder = replace(U, embedding=embedding)
    for site in sites(U):
        yield vectors(U, image(None, at="embedding", lanes=[lane]), LENGTH, at=(site, "all"))
        if others:
            yield same_lanes(U, louder, others, LENGTH, at=(site, "all"))


def padding(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    U = ws.pad_blocks(T, int(rng.integers(0, 3)))
    yield same_lanes(T, U, up_to=LENGTH, at=((end(T), "all"), (end(U), "all")))


def mapping(T: ws.Transformer, rng: Rng, spare: bool = True) -> Iterator[Verdict]:
    target = int(rng.integers(1, LENGTH))
    source = int(rng.integers(0, target))
    M = members(T.arithmetic, rng, len(T.lanes), len(T.lanes))
    U = ws.linear_map(ws.flag(T, "mine", [1, 2]), M, source, target, lanes=T.lanes, spare=spare)
    before = f"block {len(T.blocks) - 1} feed-forward" if T.blocks else "embedding"
    yield vectors(U, image(M, at=(before, source), lanes=T.lanes), LENGTH, at=(end(U), target))
    if spare:
        yield from unchanged(U, before, [q for q in range(LENGTH) if q != target], T.lanes)
    yield from unchanged(U, before, list(range(LENGTH)), [lane for lane in U.lanes if lane not in T.lanes])


def mapping_as_in_the_notes(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    yield from mapping(T, rng, spare=False)


def mapping_everywhere(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    M = members(T.arithmetic, rng, len(T.lanes), len(T.lanes))
    U = ws.map_stream(T, M)
    yield vectors(U, image(M, at=end(T), lanes=T.lanes), LENGTH, at=(end(U), "all"))


def zero_one(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    """Up to the length of the table, or for all lengths without one."""
    U = ws.zero_one_form(T)
    logits = " and ".join(f"{text(name)} == {logit(T, n)}" for n, name in enumerate(T.classes))
    yield vectors(U, condition(logits) & condition(dict.fromkeys(T.lanes, 0)), up_to=lengths(T), seconds=SECONDS)


def infinite(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    yes, rest = f"{logit(T, 1)} > {logit(T, 0)}", condition(dict.fromkeys(T.lanes, 0))
    U = ws.infinity_form(T)
    says = condition(f"NO == 1 and ((YES == inf and {yes}) or (YES == 0 and not {yes}))")
    yield vectors(U, says & rest, up_to=lengths(T), seconds=SECONDS)


def signed(T: ws.Transformer, rng: Rng) -> Iterator[Verdict]:
    yes, rest = f"{logit(T, 1)} > {logit(T, 0)}", condition(dict.fromkeys(T.lanes, 0))
    U = ws.signed_infinity_form(T)
    says = condition(f"(YES == inf and NO == -inf and {yes}) or (YES == -inf and NO == inf and not {yes})")
    yield vectors(U, says & rest, up_to=lengths(T), seconds=SECONDS)


CONTRACTS = {
    "widen": widening, "flag": flagging, "add_vector": adding, "zero_vector": zeroing, "ignore_lanes": ignoring,
    "pad_blocks": padding, "linear_map": mapping, "linear_map, as in the notes": mapping_as_in_the_notes,
    "map_stream": mapping_everywhere, "zero_one_form": zero_one, "infinity_form": infinite,
    "signed_infinity_form": signed,
}  # fmt: skip
