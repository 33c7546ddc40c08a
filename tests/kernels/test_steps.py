"""Texts that grow by the kernels equal the reference in every bit, one position a step, many texts at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.comparison import assert_same_bits
from tests.kernels.random_chains import FINITE, NATIVE, random_causal, random_chain
from weightsmith.arithmetic import Array
from weightsmith.inspect.chains import written
from weightsmith.kernels import engines
from weightsmith.kernels.blas import BlasRun
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.growing import NewLevels, StepsByKernels
from weightsmith.kernels.packed.run import PackedRun, packed_run
from weightsmith.kernels.steps import STEP_WORK, StepsByReference, stepper
from weightsmith.semantics.evaluation import Ids
from weightsmith.semantics.reference import Reference

CHAINS = 300
ALL = (*FINITE, *NATIVE)
seen = Counter[str]()


@contextmanager
def recorded(patch: pytest.MonkeyPatch) -> Iterator[dict[tuple[int, ...], tuple[Array, Array]]]:
    """Record by text the last vector of the stream and the logits of every step that the kernels take."""
    found: dict[tuple[int, ...], tuple[Array, Array]] = {}
    before = NewLevels._answers

    def answers(self: NewLevels, h: Any, first: int) -> Any:
        decisions, logits = before(self, h, first)
        decode, count = carrier(self.p.transformer.arithmetic).decode, self.past.texts
        vectors, numbers = decode(h[:, :count]).T, decode(logits[:, :count]).T
        for text in range(count):
            found[tuple(self.past.text(text, self.past.length))] = vectors[text], numbers[text]
        return decisions, logits

    with patch.context() as inner:
        inner.setattr(NewLevels, "_answers", answers)
        yield found


def assert_whole_runs(T: ws.Transformer, found: dict[tuple[int, ...], tuple[Array, Array]]) -> None:
    """Compare recorded steps with runs of the whole text, by the definition."""
    longer = {text[:-1] for text in found}
    reference = Reference(T)
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for text in found.keys() - longer:  # the others are their prefixes
        by_length.setdefault(len(text), []).append(text)
    for length, texts in by_length.items():
        stream = reference.evaluate(np.array(texts)).stream[-1]
        logits = reference.read_off(stream)
        for row, text in enumerate(texts):
            for t in range(length):
                if text[: t + 1] in found:
                    vector, numbers = found[text[: t + 1]]
                    assert_same_bits(vector, stream[row, t], (T, text, t))
                    assert_same_bits(numbers, logits[row, t], (T, text, t))
                    seen["steps"] += 1


def by_kernels(C: ws.Chain, ids: Ids) -> Any:
    """Run a chain; an error is returned in words."""
    try:
        return written(C, ids, "left")
    except ws.ModelError as error:
        return str(error)


def by_reference(C: ws.Chain, ids: Ids, patch: pytest.MonkeyPatch) -> Any:
    with patch.context() as inner:
        inner.setattr("weightsmith.kernels.steps.packed_if_worthwhile", lambda *_: None)
        return by_kernels(C, ids)


def random_inputs(T: ws.Transformer, seed: int) -> Ids:
    random = np.random.default_rng([seed, 4])
    texts = int(random.choice([1, 2, 7, 40, 130, 300], p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.1]))
    return random.integers(0, len(T.vocabulary), (texts, int(random.integers(1, 7))))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", range(CHAINS))
def test_chains_are_those_of_the_reference(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    C = random_chain(ALL[seed % len(ALL)], seed)
    ids = random_inputs(C.transformer, seed)
    with recorded(monkeypatch) as found:
        fast = by_kernels(C, ids)
    assert found or isinstance(fast, str)
    slow = by_reference(C, ids, monkeypatch)
    assert type(fast) is type(slow)
    if isinstance(slow, str):
        seen["refused"] += 1
        assert slow.split(", position")[0] in fast
        return
    assert np.array_equal(fast[0], slow[0])
    assert np.array_equal(fast[1], slow[1])
    assert_whole_runs(C.transformer, found)


def test_texts_end_at_any_step_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens are drawn, not decided, so that texts differ; some end, beginnings are shared or not."""
    for seed, A in enumerate((ws.Fixed(4, 4), ws.Float(4, 3), ws.Native("float64"))):
        T, draw = ws.random_transformer("abc", lanes=4, heads=2, arithmetic=A, max_length=30, seed=seed), Random(seed)
        random = np.random.default_rng(seed)
        growing = StepsByKernels(packed_run(T))
        ids = random.integers(0, 3, (600, 7))
        with recorded(monkeypatch) as found:
            answers = growing.begin(ids)
            for _ in range(20):
                wanted = Reference(T).results(ids[:5], "decisions")
                assert np.array_equal(answers[:5], wanted)
                if draw.random() < 0.5:
                    chosen = np.flatnonzero(random.random(len(ids)) < draw.choice((0.1, 0.7, 0.99)))
                    chosen = chosen if len(chosen) else np.arange(1)
                    growing.keep(chosen)
                    ids = ids[chosen]
                new = random.integers(0, 3, len(ids))
                ids, answers = np.hstack([ids, new[:, np.newaxis]]), growing.append(new)
        assert len(found) > 700
        assert_whole_runs(T, found)


def test_small_work_neither_compiles_nor_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference takes the first steps; the kernels take over where their total is no longer small."""
    T = ws.random_transformer("ab", lanes=3, arithmetic=ws.Fixed(4, 4), max_length=20)
    C = ws.Chain(replace(T, classes=("a", "b")), steps=9, inputs="ab")
    ids = np.zeros((2, 3), np.intp)
    wanted = by_reference(C, ids, monkeypatch)
    begun: list[tuple[int, ...]] = []
    before = StepsByKernels.begin

    def begin(self: StepsByKernels, ids: Ids, more: int = 0) -> Any:
        begun.append(ids.shape)
        return before(self, ids, more)

    monkeypatch.setattr(StepsByKernels, "begin", begin)
    monkeypatch.setattr(PackedRun, "is_ready", False)
    monkeypatch.setattr(PackedRun, "is_kept", True)
    for small, expected in ((0, [(2, 3)]), (5 * STEP_WORK // 2, [(2, 5)]), (1 << 40, [])):
        monkeypatch.setattr(engines, "SMALL_WORK", small)
        monkeypatch.setattr(engines, "_small", engines._Small())
        begun.clear()
        assert np.array_equal(by_kernels(C, ids)[0], wanted[0])
        assert begun == expected


def softened(block: ws.Block) -> ws.Block:
    """Give heads a softmax that does not overflow; a hard choice could turn on a last bit."""
    if block.attention is None:
        return block
    heads = tuple(replace(head, weighting=ws.Softmax(shifted=True)) for head in block.attention.heads)
    return replace(block, attention=replace(block.attention, heads=heads))


@pytest.mark.parametrize(("dtype", "close"), [("float32", 1e-3), ("float64", 1e-9)])
@pytest.mark.parametrize("seed", range(6))
def test_native_steps_are_whole_runs_up_to_the_order_of_sums(dtype: Any, close: float, seed: int) -> None:
    """BLAS may add in another order where fewer positions are computed, so a few last bits may differ."""
    T, random = random_causal(ws.Native(dtype), 100 + seed), np.random.default_rng(seed)
    T = replace(T, blocks=tuple(map(softened, T.blocks)))
    ids = random.integers(0, len(T.vocabulary), (5, 4))
    growing = stepper(T)
    assert isinstance(growing, StepsByReference)
    assert type(growing.engine) is BlasRun
    answers = growing.begin(ids)
    for step in range(25):
        new = random.integers(0, len(T.vocabulary), len(ids))
        if step == 9:
            growing.keep(np.array([0, 3, 4]))
            ids, new = ids[[0, 3, 4]], new[[0, 3, 4]]
        ids, answers = np.hstack([ids, new[:, np.newaxis]]), growing.append(new)
    whole = BlasRun(T).evaluate(ids)
    best = np.sort(whole.logits, axis=-1)
    clear = best[:, -1] - best[:, -2] > close * np.abs(best).max()
    assert np.array_equal(answers[clear], np.argmax(whole.logits, axis=-1)[clear])
    for kept, fresh in zip(growing.past.blocks, whole.past.blocks, strict=True):
        for pair, wanted in zip(kept, fresh, strict=True):
            for x, y in zip(pair, wanted, strict=True):
                assert np.allclose(x, y, close, close * max(1, np.abs(y).max(initial=0)))
