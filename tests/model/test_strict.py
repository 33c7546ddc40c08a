"""Strict heads: what they see, what happens where that is nothing, and that older models stay what they were."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.model.strict_heads import UNSEEN, WEIGHTINGS, model
from weightsmith.kernels.blas import BlasRun
from weightsmith.kernels.packed import batch, packed_run
from weightsmith.model import Weighting, digest

OLD_DIGEST = "92745a5ee06d801019f270e12976311c24f30f3230636f31475186d99ca785eb"  # before there were strict heads
OLD_FILE = "7f7c1659acef28dcbe6e2d008ca6288d498cd600fa686b8e40a9feb8c15b289a"


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_a_strict_head_sees_what_is_before_under_any_mask(weighting: Weighting, mask: Any) -> None:
    run = ws.run(model(weighting, mask=mask), "abb")
    rows = {"LeftmostHard": [1, 0, 0], "RightmostHard": [0, 1, 0]}.get(type(weighting).__name__, [0.5, 0.5, 0])
    assert run.attention[0][0].tolist() == [[0, 0, 0], [1, 0, 0], rows]
    assert run.stream[1, :, 1].tolist() == [0, 1, np.dot(rows, [1, 2, 2])]
    assert run.empty_softmax == isinstance(weighting, ws.Softmax)


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_where_nothing_is_seen_the_fast_runs_add_nothing_too(weighting: Weighting) -> None:
    T, ids = model(weighting), np.array([[0, 1, 1], [1, 0, 1]])
    found = packed_run(T).evaluate(batch(ids))
    assert found.empty_softmax == 2 * isinstance(weighting, ws.Softmax)
    assert found.vectors[1, :2].tolist() == [0, 0]
    machine = BlasRun(ws.to_arithmetic(T, ws.Native("float32"))).evaluate(ids)
    assert machine.stream[1][:, 0, 1].tolist() == [0, 0]
    assert machine.heads[0][0].empty.tolist() == [[isinstance(weighting, ws.Softmax), False, False]] * 2


@pytest.mark.parametrize("shifted", [False, True])
def test_a_softmax_that_asks_for_an_error_refuses_the_first_position(shifted: bool) -> None:
    T = model(ws.Softmax(shifted=shifted, empty="error"))
    for A in (ws.Fixed(4, 4), ws.Native("float64")):
        with pytest.raises(ws.ModelError) as refused:
            ws.run(ws.to_arithmetic(T, A), "ab")
        assert str(refused.value) == UNSEEN
    with pytest.raises(ws.ModelError) as refused:
        packed_run(T).evaluate(batch(np.array([[0, 1]])))
    assert str(refused.value) == f"on the input a: {UNSEEN}"


def test_of_a_strict_head_the_scores_and_the_table_say_what_it_sees() -> None:
    run = ws.run(model(ws.Softmax()), "abb")
    assert not run.scores[0][0].any()
    assert "block 0 head 0, strict" in str(run.attention_table())


@pytest.mark.parametrize("wrong", [1, None, "yes", np.True_])
def test_strict_is_true_or_false(wrong: Any) -> None:
    head = model(ws.Softmax()).blocks[0].attention.heads[0]  # type: ignore[union-attr]
    with pytest.raises(ws.ModelError, match=r"^Head\(strict=.*\): write True or False$"):
        replace(head, strict=wrong)


def test_a_strict_head_is_another_and_says_so() -> None:
    T, other = model(ws.RightmostHard()), model(ws.RightmostHard(), strict=False)
    assert other != T
    assert digest(T) != digest(other)
    assert "1 head (strict RightmostHard)" in str(T)
    assert "strict" not in str(other)


def test_strict_heads_come_back_from_their_file_and_others_are_not_mentioned(tmp_path: Path) -> None:
    for strict in (False, True):
        T = model(ws.RightmostHard(), strict)
        ws.save(T, tmp_path / "model")
        assert ws.load(tmp_path / "model") == T
        assert (b"strict" in (tmp_path / "model").read_bytes()) == strict


def test_models_without_strict_heads_keep_their_file_and_their_digest(tmp_path: Path) -> None:
    """Certificates name models by it: this one is what it was before heads could be strict."""
    T = ws.library.contains("1")
    assert digest(T) == OLD_DIGEST
    ws.save(T.describe("").story(None), tmp_path / "model")
    assert hashlib.sha256((tmp_path / "model").read_bytes()).hexdigest() == OLD_FILE
