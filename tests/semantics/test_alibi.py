"""ALiBi's penalty: the exact product of slope and distance, rounded once, in every run and in every copy of a model."""

import copy
import json
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.files.rewritten import saved_with
from tests.kernels.comparison import assert_equal_runs, layouts
from tests.kernels.kinds import kind_of_model
from tests.studio.engine import Cases
from tests.witness.runs import exact, witness_run
from weightsmith.arithmetic import Saturating
from weightsmith.files import model_bytes
from weightsmith.files.codec import structure
from weightsmith.model import digest
from weightsmith.rewrites.lanes import own_positions

A = ws.Fixed(4, 4)
NEAR_A_TIE = 0.010416666666666668  # 3 of it are a little more than 1/32: float64 says 1/32, a tie, which goes to 0
COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda part: pickle.loads(pickle.dumps(part)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "replace": replace,
}


def with_slopes(slopes: tuple[float, ...] | None, heads: int = 1, A: Saturating = A) -> ws.Transformer:
    T = kind_of_model(A, 3, "alibi", heads=heads)
    return replace(T, positions=ws.Alibi(slopes))


def texts(T: ws.Transformer) -> list[list[str]]:
    return [[T.vocabulary[(n * n + k) % len(T.vocabulary)] for n in range(6)] for k in range(2)]


def assert_every_run_agrees(T: ws.Transformer, folder: Path) -> None:
    """See that the reference, the exact witness, the kernels and the engine of the page give the same."""
    cases = Cases(folder)
    cases.add_model(T, texts(T))
    cases.assert_equal()
    assert cases.runs == len(texts(T))
    for tokens in texts(T):
        run, witness = ws.run(T, tokens), witness_run(T, tokens)
        assert exact(run.stream) == witness.stream
        assert [exact(list(run.attention[b])) for b in range(len(T.blocks))] == witness.attention
    for layout in layouts(T, 0)[:2]:
        assert_equal_runs(T, layout, Counter())


def test_the_penalty_is_the_exact_product_rounded_once() -> None:
    assert NEAR_A_TIE * 3 == 1 / 32
    assert Fraction(NEAR_A_TIE) * 3 > Fraction(1, 32)
    assert A.round(-NEAR_A_TIE * 3) == 0
    assert ws.Alibi((NEAR_A_TIE,)).penalties(A, 4).tolist() == [0, 0, 0, -0.0625]


def test_every_run_rounds_the_exact_product(tmp_path: Path) -> None:
    T = with_slopes((NEAR_A_TIE,))
    scores = ws.run(T, texts(T)[0]).heads[0][0].scores
    flat = replace(T, positions=ws.Alibi((0.0,)))
    bare = ws.run(flat, texts(T)[0]).heads[0][0].scores
    assert A.add(bare[3, 0], -0.0625) == scores[3, 0] != bare[3, 0]
    assert_every_run_agrees(T, tmp_path)


@pytest.mark.parametrize("heads", [3, 5])
def test_slopes_that_no_float64_holds_go_with_each_head(heads: int, tmp_path: Path) -> None:
    T = with_slopes(None, heads)
    own = own_positions(T)
    assert own.attention_positions is None
    for tokens in texts(T):
        assert np.array_equal(ws.run(own, tokens).stream, ws.run(T, tokens).stream)
    assert_every_run_agrees(own, tmp_path)
    path = tmp_path / "own.safetensors"
    ws.save(own, path)
    assert ws.load(path) == own


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("form", ["fixed(20,4)", "float(8,11)", "float64"])
def test_a_copy_of_a_scheme_is_equal_and_means_the_same(how: str, form: str) -> None:
    arithmetic = ws.parse_arithmetic(form)
    for head in range(3):
        scheme = ws.Alibi().of_head(head, 3)
        again = COPIES[how](scheme)
        assert (again, hash(again)) == (scheme, hash(scheme))
        assert np.array_equal(again.penalties(arithmetic, 2000), scheme.penalties(arithmetic, 2000))


def test_schemes_that_mean_something_else_are_not_equal_and_neither_are_digests_of_their_models() -> None:
    root, number = ws.Alibi().of_head(0, 3), ws.Alibi((2.0 ** (-8 / 3),))
    assert root != number
    T = with_slopes(None, 3)
    models = [
        replace(T, positions=None, blocks=tuple(_with(block, scheme) for block in T.blocks))
        for scheme in (root, number, ws.Alibi(place=(1, 3)))
    ]
    assert len({digest(model) for model in models}) == 3
    assert len({model_bytes(model) for model in models}) == 3


def _with(block: ws.Block, scheme: ws.Alibi) -> ws.Block:
    assert block.attention is not None
    heads = tuple(replace(head, positions=scheme) for head in block.attention.heads)
    return replace(block, attention=replace(block.attention, heads=heads))


def test_slopes_that_float64_holds_are_written_as_numbers() -> None:
    assert ws.Alibi().of_head(1, 4) == ws.Alibi((2.0**-4,))
    assert '"place"' not in json.dumps(structure(with_slopes((0.5,))))


@pytest.mark.parametrize("place", [(0,), (0, 0), (3, 3), (-1, 3), (0, 1.0), (True, 3), "ab", 3, (0, 1 << 17)])
def test_a_place_that_no_head_has_is_refused(place: Any) -> None:
    with pytest.raises(ws.ModelError, match=r"^Alibi\(place="):
        ws.Alibi(place=place)


def test_a_place_with_slopes_or_for_all_heads_is_refused() -> None:
    with pytest.raises(ws.ModelError, match=r"^Alibi\(place=\(0, 3\)\): write the head's number"):
        ws.Alibi((0.5,), place=(0, 3))
    with pytest.raises(ws.ModelError, match=r"is the slope of one head: write Head\(positions=Alibi\(place=…\)\)"):
        replace(with_slopes(None, 3), positions=ws.Alibi(place=(0, 3)))


WHOLE = (2**53 + 1, 2**60 + 2**57 + 1, 10**29 + 1)  # of the second float64 makes a tie, which goes the other way


@pytest.mark.parametrize("whole", WHOLE)
def test_a_whole_number_in_a_file_is_read_as_a_float64_by_us_and_by_the_page(whole: int, tmp_path: Path) -> None:
    """A slope and an eps that float64 does not hold: every reader takes the nearest float64."""
    assert float(whole) != whole
    B = ws.Float(8, 3)
    T = replace(kind_of_model(B, 3, "alibi", heads=1, weighting=ws.LeftmostHard()), positions=ws.Alibi((0.5,)))
    block = replace(T.blocks[0], attention_norm=ws.LayerNorm(1.0))
    T = replace(T, blocks=(block, *T.blocks[1:]))

    def change(metadata: dict[str, Any], _: Any) -> None:
        scheme = metadata["positions"]
        (scheme if isinstance(scheme, dict) else scheme[-1])["slopes"] = [whole]
        metadata["blocks"][0]["attention_norm"]["eps"] = whole

    path = saved_with(T, tmp_path / "whole.safetensors", change)
    read = ws.load(path)
    norm = read.blocks[0].attention_norm
    assert isinstance(read.attention_positions, ws.Alibi)
    assert norm is not None
    assert read.attention_positions.slopes == (float(whole),)
    assert norm.eps == float(whole)
    assert read.attention_positions.penalties(B, 2)[1] == -B.round(float(whole))
    folder = tmp_path / "cases"
    folder.mkdir()
    cases = Cases(folder)
    cases.add_model(read, texts(read))
    (folder / cases.cases[0]["file"]).write_bytes(path.read_bytes())  # as whole numbers, for the page too
    cases.assert_equal()
    for tokens in texts(read):
        assert exact(ws.run(read, tokens).stream) == witness_run(read, tokens).stream


def test_there_is_no_minus_zero_that_would_give_equal_models_different_digests() -> None:
    T = with_slopes((0.0,))
    block = replace(T.blocks[0], attention_norm=ws.RMSNorm(0.0))
    other = replace(T.blocks[0], attention_norm=ws.RMSNorm(-0.0))
    S, R = (replace(T, blocks=(one, *T.blocks[1:])) for one in (block, other))
    R = replace(R, positions=ws.Alibi((-0.0,)))
    assert S == R
    assert digest(S) == digest(R)
