"""Every input is examined once, and the count is exact."""

import re
from collections import Counter
from functools import partial
from itertools import product

import numpy as np
import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from tests.check.models import all_inputs, just, never
from weightsmith.arithmetic import Array
from weightsmith.automata import Truths
from weightsmith.check import engine, examine
from weightsmith.check import plan as plan_module
from weightsmith.check.frame import Frame
from weightsmith.check.pair_claims import SameDecisions, SameLogits
from weightsmith.check.plan import Plan, Shard, make_plan, tokens
from weightsmith.model.transformer import Mask

SYMBOLS = "abcdef"


class Called(list[str]):
    """A predicate that is never true, and what it was called with."""

    def __call__(self, tokens: str) -> bool:
        self.append(tokens)
        return False


def as_class(predicate: Called, word: str) -> str:
    return "YES" if predicate(word) else "NO"


class Sizes(list[int]):
    """A condition that is always true, and of how many vectors it was asked."""

    def __call__(self, vectors: Array) -> Truths:
        self.append(len(vectors))
        return np.ones(len(vectors), np.bool_)


def inputs_of(plan: Plan, shard: Shard) -> list[tuple[int, ...]]:
    tier = plan.tiers[shard.tier]
    return [
        plan.beginning(shard) + rest
        for n in range(tier.shortest, tier.longest + 1)
        for rest in product(range(plan.vocabulary), repeat=n - tier.apart)
    ]


@pytest.mark.parametrize("columns", [1, 2, 40, 300, 1 << 16])
@pytest.mark.parametrize("most_shards", [1, 4, 30, 4096])
def test_shards_hold_every_input_once(columns: int, most_shards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weightsmith.check.plan.MAX_SHARDS", most_shards)
    for vocabulary in range(1, 7):
        for up_to in range(1, 9):
            plan = make_plan(vocabulary, up_to, columns)
            shards = [shard for tier in range(len(plan.tiers)) for shard in plan.shards(tier)]
            assert sum(map(plan.inputs_of, shards)) == plan.inputs == sum(vocabulary**k for k in range(1, up_to + 1))
            if plan.inputs > min(400 * most_shards, 6000):
                continue
            found = Counter(w for shard in shards for w in inputs_of(plan, shard))
            assert len(found) == plan.inputs
            assert set(found.values()) == {1}
            assert all(len(inputs_of(plan, shard)) == plan.inputs_of(shard) for shard in shards)


@pytest.mark.parametrize("size", [1, 6, 50, 1 << 16])
def test_tiers_follow_each_other_and_shards_stand_in_vocabulary_order(size: int) -> None:
    for vocabulary, up_to in product(range(1, 7), range(1, 7)):
        plan = make_plan(vocabulary, up_to, size)
        ends = [0, *(tier.longest for tier in plan.tiers)]
        assert [tier.shortest for tier in plan.tiers] == [end + 1 for end in ends[:-1]]
        assert ends[-1] == up_to
        for number, tier in enumerate(plan.tiers):
            beginnings = [plan.beginning(shard) for shard in plan.shards(number)]
            assert beginnings == sorted(set(beginnings))
            assert len(beginnings) == vocabulary**tier.apart
            assert tier.apart < tier.shortest
            fewer = vocabulary ** (tier.apart + 1) > plan_module.MAX_SHARDS or vocabulary == 1
            assert fewer or tier.apart == tier.shortest - 1 or plan.inputs_of(Shard(number, 0)) <= size


def test_an_input_stands_where_its_place_says() -> None:
    for vocabulary, length in product(range(1, 4), range(1, 5)):
        wanted = list(product(range(vocabulary), repeat=length))
        assert [tokens(rank, length, vocabulary) for rank in range(len(wanted))] == wanted


@pytest.mark.parametrize("symbols", range(1, 7))
@pytest.mark.parametrize("columns", [14, 100, 1 << 16])
def test_the_count_is_exact_up_to_length_8(symbols: int, columns: int, cut: Cut) -> None:
    T = ws.random_transformer(SYMBOLS[:symbols], lanes=2, blocks=1, neurons=1)
    cut(columns, 64)
    done: list[tuple[int, int]] = []
    for up_to in range(1, 9):
        total = sum(symbols**k for k in range(1, up_to + 1))
        if total / columns > 4000 or (columns < 1 << 16 and up_to not in (1, 3, 4, 8)):
            continue
        done.clear()
        verdict = ws.check.final_vectors(T, lambda v: v[:, 0] == v[:, 0], up_to, progress=lambda *p: done.append(p))
        assert verdict.holds
        assert verdict.inputs == total
        assert done[-1] == (total, total)
        assert [n for n, _ in done] == sorted({n for n, _ in done})


@pytest.mark.parametrize(("symbols", "up_to"), [(1, 8), (2, 7), (3, 5), (4, 4), (6, 3)])
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("columns", "shards"), [(1 << 16, 4096), (14, 4096), (2, 5)])
def test_functions_are_called_once_for_each_input(
    symbols: int, up_to: int, mask: Mask, columns: int, shards: int, cut: Cut
) -> None:
    vocabulary = SYMBOLS[:symbols]
    T = never(just("a", vocabulary, up_to, mask))
    cut(columns, shards)
    for workers in (1, 2):
        called = Called()
        assert ws.check.recognizes(T, called, up_to, workers=workers).holds
        assert sorted(called) == sorted("".join(w) for w in all_inputs(vocabulary, up_to))
        sizes = Sizes()
        assert ws.check.final_vectors(T, sizes, up_to, workers=workers).holds
        assert sum(sizes) == len(called)


def test_a_refuted_check_asks_about_no_input_twice(cut: Cut) -> None:
    cut(6)
    T = just("bba", "ab", 6)
    for workers in (1, 2):
        called = Called()
        verdict = ws.check.recognizes(T, called, 6, workers=workers)
        assert verdict.counterexample == "bba"
        assert verdict.sides == {"the transformer": "YES", "the language": "it does not belong to it"}
        assert set(Counter(called).values()) == {1}
        called.clear()
        verdict = ws.check.agrees_with(T, partial(as_class, called), 6, workers=workers)
        assert verdict.sides == {"the transformer": "YES", "the function": "NO"}
        assert set(Counter(called).values()) == {1}


def test_a_predicate_that_changes_its_mind_cannot_make_a_verdict_contradict_itself() -> None:
    T, seen = just("bba", "ab", 6), Counter[str]()

    def fickle(word: str) -> bool:
        seen[word] += 1
        return seen[word] > 1

    verdict = ws.check.recognizes(T, fickle, 6)
    assert (verdict.counterexample, verdict.sides["the language"]) == ("bba", "it does not belong to it")
    problems = ws.check.replay(verdict.to_json(), [T], function=fickle).problems
    assert "the counterexample refutes nothing; or the function contradicts itself" in problems


def test_how_many_inputs_are_run_together_follows_memory_and_the_near_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.library.contains("1")
    claim = SameDecisions(T, ~T)
    large = examine.columns_for(claim, 12, 1 << 30)
    small = examine.columns_for(claim, 12, 1 << 20)
    assert small < large <= examine.MAX_COLUMNS
    monkeypatch.setattr(examine, "RUN_BYTES", examine.RUN_BYTES // 64)
    assert examine.columns_for(claim, 12, 1 << 30) <= large // 32
    monkeypatch.setattr(examine, "MAX_COLUMNS", 20)
    assert examine.columns_for(claim, 12, 1 << 30) == 20
    verdict = engine.check_exhaustively(claim, 8)
    assert verdict.counterexample == "0"
    assert ws.check.recognizes(T, re.compile("0*1.*"), 8).inputs == 510


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.long
def test_digests_do_not_depend_on_how_many_inputs_are_run_together(mask: Mask, cut: Cut) -> None:
    T = ws.random_transformer("abc", lanes=3, blocks=1, neurons=2, mask=mask)
    claim = SameLogits(T, T)
    for size in (1 << 16, 200, 12):
        cut(size, 30)
        whole = engine.check_exhaustively(claim, 6).digests
        for together in (1, 3, 4, 12, 39, 120, 1000):
            cut(size, 30, together)
            assert engine.check_exhaustively(claim, 6).digests == whole


def test_shards_follow_from_the_claim_and_its_length_alone() -> None:
    small, large = ws.random_transformer("ab", max_length=20), ws.random_transformer("ab", 64, 8, 4, 128, 20)
    plans = [SameDecisions(T, T).plan(18) for T in (small, large)]
    assert [max(plan.inputs_of(Shard(len(plan.tiers) - 1, 0)) for plan in [p]) for p in plans] == [61440, 1920]
    assert SameDecisions(small, small).plan(18) == plans[0]


def test_what_follows_an_input_takes_memory_too() -> None:
    T = ws.random_transformer("abE", max_length=30)
    plain, longer = (SameDecisions(T, T, frame=Frame(("E",) * count)) for count in (1, 15))
    assert examine.bytes_of_run(plain, 4, 100) < examine.bytes_of_run(longer, 4, 100)
    assert examine.bytes_of_run(longer, 4, 100) == examine.bytes_of_run(plain, 18, 100)
