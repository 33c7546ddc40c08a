"""Grouped queries: heads that share keys and values run as heads that each have a copy, in every kind of run."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.closeness import assert_close_runs
from tests.kernels.comparison import assert_equal_runs
from tests.kernels.kinds import kind_of_model
from tests.semantics.witnessed import assert_equals_witness
from weightsmith import Native, Softmax, parse_arithmetic
from weightsmith.arithmetic import Arithmetic
from weightsmith.kernels.blas.prepared import prepared
from weightsmith.kernels.packed import batch, tree

RULES = ("none", "halves", "alibi", "relative values")


def grouped(T: ws.Transformer, size: int) -> ws.Transformer:
    """Let every so many heads share the keys and values of the first of them."""

    def shared(attention: ws.Attention) -> ws.Attention:
        heads = list(attention.heads)
        for i, head in enumerate(heads):
            first = heads[i - i % size]
            W_K, b_K, W_V, b_V = first.W_K, first.b_K, first.W_V, first.b_V
            heads[i] = replace(head, W_K=W_K, b_K=b_K, W_V=W_V, b_V=b_V, weighting=first.weighting)
        return replace(attention, heads=heads)

    return replace(T, blocks=[replace(b, attention=shared(b.attention)) for b in T.blocks if b.attention])


def model(A: Arithmetic, n: int, rule: str, size: int = 2, **more: Any) -> ws.Transformer:
    return grouped(kind_of_model(A, n, rule, heads=4, parallel=n % 2 == 1, **more), size)


@pytest.mark.parametrize("form", ["fixed(4,4)", "float(3,3)", "e4m3(ties=away)", "fixed(2,3,ties=even)"])
def test_grouped_queries_run_as_the_exact_evaluation_says_also_from_a_file(form: str, tmp_path: Path) -> None:
    A, counts = parse_arithmetic(form), Counter[str]()
    for n, rule in enumerate(RULES):
        T = model(A, n, rule)
        assert_equals_witness(T, ["a", "b", "b"])
        assert_equal_runs(T, tree(2, [], 4), counts)
        ws.save(T, tmp_path / "model")
        loaded = ws.load(tmp_path / "model")
        assert loaded == T
        assert np.array_equal(ws.run(loaded, "abba").stream, ws.run(T, "abba").stream)
    assert counts["runs"] + counts["refused"] == len(RULES)
    assert counts["runs"] >= 2


@pytest.mark.parametrize("size", [1, 2, 4])
def test_the_machine_runs_grouped_queries_as_the_definition_up_to_the_order_of_sums(size: int) -> None:
    for n, rule in enumerate(RULES):
        T = model(Native("float64"), n, rule, size, loudness=0.0, weighting=Softmax(shifted=True), strict=False)
        heads = [group for block in prepared(T) for group in block]
        assert all(len(group.W_K) == 4 * group.count // size for group in heads)
        assert all((group.which_keys is None) == (size == 1) for group in heads)
        assert assert_close_runs(T, "abbab") is not None
        inputs = ["abba", "baab", "bbbb"]
        assert np.allclose(ws.logits(T, inputs), [ws.run(T, text).logits for text in inputs], rtol=1e-12, atol=1e-12)


def test_keys_may_be_shared_where_values_are_not_and_a_bias_tells_keys_apart() -> None:
    how: Any = {"loudness": 0.0, "weighting": Softmax(shifted=True), "strict": False}
    T = kind_of_model(Native("float64"), 3, "none", heads=4, **how)
    attention = T.blocks[0].attention
    assert attention is not None
    first = attention.heads[0]
    heads = [replace(head, W_K=first.W_K, b_K=None) for head in attention.heads]
    heads[2] = replace(heads[2], b_K=np.ones(4))
    T = replace(T, blocks=[replace(T.blocks[0], attention=replace(attention, heads=heads))])
    (group,) = prepared(T)[0]
    assert group.which_keys is not None
    assert group.which_keys.tolist() == [0, 0, 1, 0]
    assert group.which_values is None
    assert assert_close_runs(T, "abbab") is not None


def test_equal_keys_are_computed_once_also_where_each_head_has_a_copy(tmp_path: Path) -> None:
    T = model(Native("float32"), 2, "halves", loudness=0.0, weighting=Softmax(shifted=True))
    ws.save(T, tmp_path / "model")
    loaded = ws.load(tmp_path / "model")
    (group,) = prepared(loaded)[0]
    assert group.which_keys is not None
    assert group.which_keys.tolist() == [0, 0, 1, 1]
    assert np.array_equal(ws.run(loaded, "abba").stream, ws.run(T, "abba").stream)


def test_a_cache_of_grouped_queries_goes_on_as_a_whole_run() -> None:
    T = model(Native("float64"), 1, "halves", loudness=0.0, weighting=Softmax(shifted=True), tied=True)
    tokens = list(ws.generate(T, "ab", 5))
    for n in range(5):
        assert ws.run(T, ["a", "b", *tokens[:n]]).decision == tokens[n]


def test_batches_of_grouped_queries_run_in_columns() -> None:
    counts = Counter[str]()
    assert_equal_runs(model(ws.Fixed(4, 4), 0, "none", mask="full"), batch(np.array([[0, 1, 1], [1, 0, 1]])), counts)
    assert counts["runs"] + counts["refused"] == 1
