"""Compare a fast run with the reference, bit for bit, and count how hard the comparison was."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pytest

from tests.kernels.models import LENGTH, random_model
from weightsmith import ModelError, Transformer
from weightsmith.arithmetic import Arithmetic, Array, Saturating, rounding
from weightsmith.arithmetic import saturating as module
from weightsmith.kernels.packed import Columns, Layout, batch, run_columns, tree
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.model import Weighting
from weightsmith.semantics.evaluation import Evaluation
from weightsmith.semantics.reference import evaluate


def assert_same_bits(found: Array, wanted: Array, what: object) -> None:
    assert found.shape == wanted.shape, what
    wrong = (found != wanted) | (np.signbit(found) != np.signbit(wanted))
    assert not wrong.any(), (what, np.argwhere(wrong)[0], found[wrong][0], wanted[wrong][0])


def inputs_of(layout: Layout, position: int) -> npt.NDArray[np.int64]:
    level = layout.level(position)
    return np.array([layout.input_at(column) for column in range(level.start, level.stop)])


def assert_equal_runs(T: Transformer, layout: Layout, counts: Counter[str]) -> Columns | None:
    """Compare each column with the run of the input that ends there; without a causal mask, whole inputs.

    Where the reference refuses an input, the fast run must refuse with the same words. Give what it found, or None.
    """
    last = layout.widths.size - 1
    positions = range(last + 1) if T.mask == "causal" else [last]
    try:
        wanted = {t: evaluate(T, inputs_of(layout, t)) for t in positions}
    except ModelError:
        counts["refused"] += 1
        assert_refused(T, layout)
        return None
    seen: list[Array] = []
    found = run_columns(T, layout, seen.append)
    assert len(seen) == 1 + 2 * len(T.blocks)
    empty = 0
    for t, run in wanted.items():
        _compare_level(T, layout, t, seen, found, run)
        if T.mask == "causal":
            empty += sum(int(head.empty[..., -1].sum()) for block in run.heads for head in block)
        else:
            empty += sum(int(head.empty.sum()) for block in run.heads for head in block)
    assert found.empty_softmax == empty
    counts["runs"] += 1
    counts["empty"] += empty
    counts["columns"] += layout.columns
    counts["at infinity"] += sum(int((np.abs(stage) == T.arithmetic.infinity).sum()) for stage in seen)
    return found


def _compare_level(
    T: Transformer, layout: Layout, t: int, seen: list[Array], found: Columns, wanted: Evaluation
) -> None:
    """Compare the columns of a position, and without a causal mask those of all positions."""
    decode = carrier(T.arithmetic).decode
    level = layout.level(t)
    for s in [t] if T.mask == "causal" else range(t + 1):
        for stage, values in enumerate(wanted.stream):
            assert_same_bits(seen[stage][:, layout.level(s)], values[:, s].T, (T, "stage", stage, "position", s))
    assert_same_bits(decode(found.vectors[:, level]), wanted.stream[-1][:, t].T, (T, "vectors", t))
    assert_same_bits(decode(found.logits[:, level]), wanted.logits.T, (T, "logits", t))
    assert np.array_equal(found.decisions[level], np.argmax(wanted.logits, axis=-1)), (T, "decisions", t)


def assert_refused(T: Transformer, layout: Layout) -> str:
    """See that the fast run names an input of the layout and says of it what the reference says; give the message."""
    with pytest.raises(ModelError) as refusal:
        run_columns(T, layout)
    message = str(refusal.value)
    name, text = message.removeprefix("on the input ").split(": ", 1)
    ids = [T.vocabulary.index(token) for token in name]
    with pytest.raises(ModelError) as wanted:
        evaluate(T, np.array(ids))
    assert text == str(wanted.value)
    last = layout.widths.size - 1
    known = [inputs_of(layout, t).tolist() for t in (range(last + 1) if T.mask == "causal" else [last])]
    assert any(ids in inputs for inputs in known)
    return message


def layouts(T: Transformer, seed: int) -> list[Layout]:
    """Give a batch and, for a causal transformer, a tree with or without a stem."""
    random, v = np.random.default_rng(seed), len(T.vocabulary)
    result = [batch(random.integers(0, v, (int(random.integers(1, 30)), int(random.integers(2, 5)))))]
    if T.mask == "causal":
        stem = random.integers(0, v, random.integers(0, 4)).tolist()
        deepest = {1: 6, 2: 5, 3: 3, 4: 3, 5: 2}[v]
        depth = int(random.integers(0 if stem else 1, deepest + 1))
        assert len(stem) + depth <= LENGTH
        result.append(tree(v, stem, depth))
    return result


@contextmanager
def counting(counts: Counter[str], patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Count in the reference how many results lay exactly between two members, and how many beyond ∞."""
    plain = Saturating._nearest

    def counted(self: Saturating, x: Array) -> Array:
        inside = np.abs(x) < self.infinity
        steps = rounding.quantum(x[inside], self.least_exponent, self.precision)
        counts["ties"] += int((np.abs(np.modf(x[inside] / steps)[0]) == 0.5).sum())
        counts["saturated"] += int((np.abs(x) > self.infinity).sum())
        return plain(self, x)

    with patch.context() as inner:
        inner.setattr(module.Saturating, "_nearest", counted)
        yield


def assert_hard(counts: Counter[str]) -> None:
    """See that enough was compared, and that results saturated and lay between two members many times."""
    assert counts["runs"] > 6, counts
    assert counts["saturated"] > 150, counts
    assert counts["at infinity"] > 400, counts
    assert counts["ties"] > 200, counts


def assert_random_models(A: Arithmetic, dtype: str, patch: pytest.MonkeyPatch) -> None:
    """Compare random models in an arithmetic with that carrier; ties and saturation must occur."""
    counts = Counter[str]()
    assert carrier(A).dtype == dtype
    for seed in range(5):
        T = random_model(A, seed)
        with counting(counts, patch):
            for layout in layouts(T, seed):
                assert_equal_runs(T, layout, counts)
    assert_hard(counts)


def assert_weighting(A: Arithmetic, seeds: Iterable[int], weighting: Weighting, mask: str) -> None:
    """Compare random models with one weighting and mask."""
    counts = Counter[str]()
    for seed in seeds:
        T = random_model(A, seed, weighting, mask)
        for layout in layouts(T, seed):
            assert_equal_runs(T, layout, counts)
    assert counts["runs"] >= 3
