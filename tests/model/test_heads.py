"""Heads written by what they look at: each against its meaning in Python, on every input up to a length."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby, product
from typing import Literal

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Head, LawError, ModelError, Native, heads
from weightsmith.semantics import evaluate

LANES = ("a", "b", "got a", "got b", "looked")
COPIES = {"a": "got a", "b": "got b"}
ADDS = {"looked": 1.0}
ARITHMETICS = [Fixed(4, 4), Fixed(2, 2), Float(4, 3), Float.like("float16"), Native("float32"), Native("float64")]
INPUTS = ["".join(letters) for n in range(1, 6) for letters in product("abc", repeat=n)]
Sees = Callable[[str, int], Sequence[int]]  # which positions a position looks at


def model(A: ws.Arithmetic, head: Head) -> ws.Transformer:
    return ws.Transformer(
        arithmetic=A,
        vocabulary="abc",
        lanes=LANES,
        embedding=ws.matrix("abc", LANES, {("a", "a"): 1, ("b", "b"): 1}),
        blocks=(ws.Block(ws.Attention((head,))),),
        output=ws.matrix(["NO", "YES"], LANES, {}),
    )


def streams(T: ws.Transformer, *further: str) -> Iterator[tuple[str, list[list[float]]]]:
    """Run every input, those of one length together; return the lanes that the head writes to."""
    for _, words in groupby((*INPUTS, *further), key=len):
        same = list(words)
        found = evaluate(T, np.array([["abc".index(letter) for letter in word] for word in same]))
        yield from zip(same, found.stream[1][..., 2:].tolist(), strict=True)


def means(A: ws.Arithmetic, word: str, seen: Sequence[int]) -> list[float]:
    """Return what `got a`, `got b` and `looked` must hold: means of what is seen, by the arithmetic's rules."""
    return means_of(A, "".join(word[j] for j in seen))


@cache
def means_of(A: ws.Arithmetic, letters: str) -> list[float]:
    if not letters:
        return [0.0, 0.0, 0.0]
    weight = A.divide(1.0, A.sum([1.0 for _ in letters]))
    there = [[float(letter == "a"), float(letter == "b"), 1.0] for letter in letters]
    return [float(A.sum([A.multiply(weight, row[lane]) for row in there])) for lane in range(3)]


def last(word: str, i: int, letter: str) -> list[int]:
    """Give the last position up to i where a letter stands; with none, every score is 0 and the last of all wins."""
    return [max((j for j in range(i + 1) if word[j] == letter), default=i)]


LOOKING: dict[str, tuple[Callable[[ws.Arithmetic], Head], Sees]] = {
    "previous": (lambda A: heads.previous(LANES, COPIES, A, ADDS), lambda word, i: [i - 1] if i else []),
    "at_distance 0": (lambda A: heads.at_distance(LANES, 0, COPIES, A, ADDS), lambda word, i: [i]),
    "at_distance 3": (lambda A: heads.at_distance(LANES, 3, COPIES, A, ADDS), lambda word, i: [i - 3] if i > 2 else []),
    "first": (lambda A: heads.first(LANES, COPIES, ADDS), lambda word, i: [0]),
    "best": (lambda A: heads.best(LANES, "b", COPIES, ADDS), lambda word, i: [max(word[: i + 1].find("b"), 0)]),
    "best, the last": (
        lambda A: heads.best(LANES, "a", COPIES, ADDS, last=True),
        lambda word, i: last(word, i, "a"),
    ),
    "where": (
        lambda A: heads.where(LANES, "a", COPIES, A, ADDS),
        lambda word, i: [j for j in range(i + 1) if word[j] == "a"],
    ),
    "where, asked by some": (
        lambda A: heads.where(LANES, "a", COPIES, A, ADDS, who="b"),
        lambda word, i: [j for j in range(i + 1) if word[j] == "a" and word[i] == "b"],
    ),
    "where, at a distance": (
        lambda A: heads.where(LANES, "a", COPIES, A, ADDS, who="b", distance=2),
        lambda word, i: [j for j in range(i + 1) if word[j] == "a" and word[i] == "b" and i - j == 2],
    ),
    "matching": (
        lambda A: heads.matching(LANES, {"a": "b", "b": "a"}, COPIES, A, ADDS),
        lambda word, i: [j for j in range(i + 1) if {word[j], word[i]} == {"a", "b"}],
    ),
}


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
@pytest.mark.parametrize("name", LOOKING)
def test_a_head_copies_from_where_it_looks_and_from_nowhere_else(name: str, A: ws.Arithmetic) -> None:
    build, sees = LOOKING[name]
    T = model(A, build(A))
    for word, stream in streams(T):
        assert stream == [means(A, word, sees(word, i)) for i in range(len(word))], word


def test_the_mean_is_taken_over_all_positions_so_far() -> None:
    A = Fixed(4, 4)
    for word, stream in streams(model(A, heads.mean(LANES, COPIES, ADDS))):
        shares = [float(A.round(1 / (i + 1))) for i in range(len(word))]  # 1 ⊘ m with m a count
        rows = [[word[: i + 1].count("a") * s, word[: i + 1].count("b") * s, (i + 1) * s] for i, s in enumerate(shares)]
        assert stream == rows


@pytest.mark.parametrize("A", ARITHMETICS[:4], ids=str)
def test_a_total_and_a_count_add_up_until_they_saturate(A: ws.Arithmetic) -> None:
    both = model(A, heads.total(LANES, COPIES, A)), model(A, heads.count(LANES, "a", "got a", A))
    for (word, total_stream), (_, count_stream) in zip(*(streams(T, "a" * 40) for T in both), strict=True):
        total, counted = total_stream[-1][:2], count_stream[-1][:2]
        wanted = [float(A.sum([float(letter == one) for letter in word])) for one in "ab"]
        assert total == wanted
        assert counted == [wanted[0], 0.0]


def test_a_lane_may_be_copied_to_several_lanes_times_weights() -> None:
    head = heads.first(LANES, {"a": {"got a": 2.5, "looked": -1}, "b": "got a"})
    assert ws.run(model(Fixed(4, 4), head), "ab").stream[1, 1].tolist() == [0, 1, 2.5, 0, -1]
    assert ws.run(model(Fixed(4, 4), head), "bb").stream[1, 1].tolist() == [0, 1, 1, 0, 0]


def test_a_head_that_looks_far_back_is_exact_in_a_long_input() -> None:
    head = heads.at_distance(LANES, 100, COPIES, Fixed(4, 4))
    word = "b" + "a" * 99 + "cc"
    assert ws.run(model(Fixed(4, 4), head), word).stream[1, -2:, 2:4].tolist() == [[0, 1], [1, 0]]


PLACES = heads.places(5)
PLACED = (*LANES, *PLACES)
BESIDE: dict[str, tuple[Callable[[ws.Arithmetic], Head], Sees]] = {  # by lanes for places, for any mask
    "previous, by places": (
        lambda A: heads.previous(PLACED, COPIES, A, ADDS, places=PLACES),
        lambda word, i: [i - 1] if i else [],
    ),
    "next": (
        lambda A: heads.next(PLACED, PLACES, COPIES, A, ADDS),
        lambda word, i: [i + 1] if i + 1 < len(word) else [],
    ),
    "next, asked by some": (
        lambda A: heads.next(PLACED, PLACES, COPIES, A, ADDS, who="b"),
        lambda word, i: [i + 1] if i + 1 < len(word) and word[i] == "b" else [],
    ),
}


@pytest.mark.parametrize("mask", ["full", "causal"])
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
@pytest.mark.parametrize("name", BESIDE)
def test_a_head_looks_at_a_neighbour_by_places_under_every_mask_that_shows_it(
    name: str, A: ws.Arithmetic, mask: Literal["full", "causal"]
) -> None:
    build, sees = BESIDE[name]
    T = ws.Transformer(
        arithmetic=A,
        vocabulary="abc",
        lanes=PLACED,
        embedding=ws.matrix("abc", PLACED, {("a", "a"): 1, ("b", "b"): 1}),
        positions=heads.place_table(PLACED, PLACES),
        blocks=(ws.Block(ws.Attention((build(A),))),),
        output=ws.matrix(["NO", "YES"], PLACED, {}),
        mask=mask,
    )
    for word, stream in streams(T):
        seen = [[j for j in sees(word, i) if mask == "full" or j <= i] for i in range(len(word))]
        assert [row[:3] for row in stream] == [means(A, word, some) for some in seen], word


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a lane that is not there": (
        lambda: heads.previous(LANES, {"c": "got a"}, Fixed(4, 4)),
        "the head copies the lane c, which is not there: write a, b, got a, got b, looked",
    ),
    "a misspelt target": (
        lambda: heads.first(LANES, {"a": "goat a"}),
        "the head writes the lane goat a, which is not there: did you mean got a, got b? write a, b,",
    ),
    "a target for having looked": (lambda: heads.mean(LANES, {}, {"seen": 1}), "the head writes the lane seen, which"),
    "a score": (lambda: heads.best(LANES, "x", COPIES), "the head scores by the lane x, which is not there"),
    "a flag": (lambda: heads.where(LANES, "x", COPIES, Fixed(4, 4)), "the head looks at the lane x, which is not"),
    "who": (lambda: heads.where(LANES, "a", COPIES, Fixed(4, 4), who="x"), "who looks is said by the lane x, which"),
    "a pair": (lambda: heads.matching(LANES, {"a": "x"}, COPIES, Fixed(4, 4)), "the head matches the lane x, which"),
    "a list of lanes": (
        lambda: heads.first(LANES, ["a"]),  # type: ignore[arg-type]
        "copies=['a']: write what to copy to where, such as {'a': 'first a'}",
    ),
    "an arithmetic by name": (
        lambda: heads.previous(LANES, COPIES, "fixed(4,4)"),  # type: ignore[arg-type]
        "arithmetic='fixed(4,4)' is not an arithmetic: write Fixed(4, 4), for example",
    ),
    "places as one text": (
        lambda: heads.next(PLACED, "at 0", COPIES, Fixed(4, 4)),
        "places='at 0': write a different lane for each position, such as heads.places(8)",
    ),
    "a place twice": (
        lambda: heads.previous(PLACED, COPIES, Fixed(4, 4), places=["at 0", "at 0"]),
        "places=['at 0', 'at 0']: write a different lane for each position",
    ),
    "a place that is not there": (
        lambda: heads.place_table(LANES, ["at 0"]),
        "the position table sets the lane at 0, which is not there",
    ),
    "no places": (lambda: heads.places(0), "count=0: write how many positions there are"),
    "a negative distance": (
        lambda: heads.at_distance(LANES, -1, COPIES, Fixed(4, 4)),
        "distance=-1: write how many positions back it looks, 0 or more",
    ),
    "a distance that is no number": (
        lambda: heads.at_distance(LANES, 1.0, COPIES, Fixed(4, 4)),  # type: ignore[arg-type]
        "distance=1.0: write how many positions back it looks, 0 or more",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_with_what_to_write(name: str) -> None:
    build, message = MISTAKES[name]
    with pytest.raises(ws.WeightsmithError) as caught:
        build()
    assert str(caught.value).startswith(message)


def test_an_arithmetic_that_cannot_be_silent_or_saturate_is_refused_with_the_law() -> None:
    with pytest.raises(LawError, match=r"^to attend to nothing needs exp\(−3.75\) = 0, and it is 0.03125 in float"):
        heads.previous(LANES, COPIES, Float(2, 4))
    with pytest.raises(LawError, match="^adding up by softmax needs exp\\(∞\\) = ∞, which float32 lacks: write Fixed"):
        heads.total(LANES, COPIES, Native("float32"))


def test_every_head_of_the_public_list_is_tried_here() -> None:
    tried = {name.split(",")[0].split()[0] for name in (*LOOKING, *BESIDE)} | {"mean", "total", "count"}
    tried |= {"places", "place_table"}
    assert set(heads.__all__) == tried
    with pytest.raises(ModelError):
        heads.first((), COPIES)
