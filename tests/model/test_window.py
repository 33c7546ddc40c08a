"""Heads with a window: what they see in every run, and that whatever does not know windows refuses them by name."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.kinds import FULL, RULES, kind_of_model
from tests.model.strict_heads import WEIGHTINGS, model
from tests.model.windows import with_windows
from tests.semantics.witnessed import assert_equals_witness
from tests.verifying.certificates import certificate, refusal
from tests.witness.trees import decided, every_input
from weightsmith import Fixed, Native, parse_arithmetic
from weightsmith.kernels.blas import BlasRun
from weightsmith.kernels.blas import weighing as tiles
from weightsmith.kernels.engines import engine_for
from weightsmith.kernels.packed import PackedRun, packed_run
from weightsmith.model import Weighting, digest
from weightsmith.programs import rasp
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.semantics.reference import Reference

WINDOWS = (1, 2, 3, 4, 5)  # of inputs with four tokens: one less, as many, one more


def narrow(window: int | None = 2, **changes: Any) -> ws.Transformer:
    return with_windows(replace(ws.library.contains("1"), **changes), [window])


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("window", WINDOWS)
def test_a_head_sees_no_position_that_is_its_window_or_more_before(window: int, mask: Any, strict: bool) -> None:
    T = with_windows(model(ws.AverageHard(), strict, mask=mask), [window])
    weights = ws.run(T, "abba").attention[0][0]
    for i, j in product(range(4), repeat=2):
        before = j < i if strict else mask == "full" or j <= i
        assert (weights[i, j] > 0) == (before and i - j < window), (i, j)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("window", WINDOWS)
def test_every_weighting_and_rule_with_a_window_equals_the_exact_evaluation(window: int, mask: Any) -> None:
    A = (Fixed(4, 4), parse_arithmetic("float(3,3)"))[window % 2]
    for n, rule in enumerate(RULES if mask == "causal" else FULL):
        T = with_windows(kind_of_model(A, n + window, rule, mask=mask), [window, None, 2])
        for tokens in (["b"], ["a", "b", "b", "a"]):
            assert_equals_witness(T, tokens)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_the_checker_decides_every_input_as_the_witness_does(weighting: Weighting) -> None:
    T = ws.random_transformer("ab", 3, 2, 2, 3, 6, Fixed(3, 3), seed=4, weighting=weighting)
    T = with_windows(T, [2, 3])
    tree = every_input(2, 6)
    wanted = [T.classes[c] for c in decided(T, tree)]
    inputs = [list(x) for n in range(1, 7) for x in product("ab", repeat=n)]
    assert [ws.run(T, x).decision for x in inputs] == wanted
    verdict = ws.check.same_decisions(T, with_windows(T, [None]), up_to=6)
    same = [ws.run(with_windows(T, [None]), x).decision for x in inputs] == wanted
    assert verdict.holds == same


@pytest.mark.one_in(3)
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
@pytest.mark.parametrize("size", [8, 1 << 18])
def test_blas_computes_the_same_in_small_and_large_tiles(
    weighting: Weighting, size: int, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "NUMBERS_AT_ONCE", size)
    strict = strict and not (isinstance(weighting, ws.Softmax) and weighting.empty == "error")
    masks: tuple[Any, ...] = ("causal", "full")
    for window, mask in product((1, 2, 9, 10, 11), masks):
        T = ws.random_transformer("01", 3, 1, 2, 3, 10, Native("float64"), 3, mask=mask, weighting=weighting)
        T = with_windows(T, [window, 3])
        T = replace(T, blocks=tuple(made_strict(block, strict) for block in T.blocks))
        ids = np.random.default_rng(1).integers(2, size=(3, 10))
        found, wanted = BlasRun(T).evaluate(ids), Reference(T).evaluate(ids)
        for one, other in zip(found.heads, wanted.heads, strict=True):
            for head, meant in zip(one, other, strict=True):
                assert np.abs(head.weights - meant.weights).max() < 1e-12
                assert np.abs(head.scores - meant.scores).max() < 1e-12 * max(1, np.abs(meant.scores).max())
                assert (head.empty == meant.empty).all()
        assert np.abs(found.logits - wanted.logits).max() < 1e-10 * max(1, np.abs(wanted.logits).max())


def made_strict(block: ws.Block, strict: bool) -> ws.Block:
    assert block.attention is not None
    heads = tuple(replace(head, strict=strict) for head in block.attention.heads)
    return replace(block, attention=replace(block.attention, heads=heads))


@pytest.mark.parametrize("A", [Fixed(4, 4), Native("float64")], ids=str)
def test_what_is_generated_with_kept_keys_is_what_whole_runs_give(A: Any) -> None:
    T = ws.random_transformer("abc", 4, 2, 2, 4, 24, A, seed=9, classes=("a", "b", "c"))
    T = with_windows(T, [3, 1, None, 7])
    whole = list(ws.generate(T, "abcab", 15, cache=False))
    assert list(ws.generate(T, "abcab", 15)) == whole
    said, text = [], list("abcab")
    for _ in range(15):
        said.append(ws.run(T, text).decision)
        text.append(said[-1])
    assert whole == said
    wide = with_windows(T, [None])
    assert list(ws.generate(wide, "abcab", 15)) != whole


def test_a_window_as_long_as_the_input_changes_no_bit_and_a_shorter_one_does() -> None:
    T = ws.random_transformer("ab", 4, 2, 2, 4, 8, seed=2)
    wide = ws.run(T, "abbababb")
    assert np.array_equal(ws.run(with_windows(T, [8]), "abbababb").stream, wide.stream)
    assert not np.array_equal(ws.run(with_windows(T, [7]), "abbababb").stream, wide.stream)


@pytest.mark.parametrize("wrong", [0, -1, 1.0, True, "4", (1 << 30) + 1, np.float64(2)])
def test_a_window_is_a_whole_number_from_1_on(wrong: Any) -> None:
    head = model(ws.Softmax()).blocks[0].attention.heads[0]  # type: ignore[union-attr]
    with pytest.raises(ws.ModelError, match=r"^Head\(window=.*\): write how many positions it sees, its own included"):
        replace(head, window=wrong)
    assert type(replace(head, window=np.int64(3)).window) is int


def test_models_with_windows_are_others_and_say_so(tmp_path: Path) -> None:
    T = narrow(2)
    assert len({T, narrow(3), narrow(None)}) == 3
    assert len({digest(T), digest(narrow(3)), digest(narrow(None))}) == 3
    assert narrow(None) == ws.library.contains("1")
    assert digest(narrow(None)) == digest(ws.library.contains("1"))
    assert ", window 2)" in str(T)
    assert "window" not in str(narrow(None))
    assert ", window 2." in T.latex()
    assert "block 0 head 0, window 2" in str(ws.run(T, "011").attention_table())
    (head,) = [each for each in ws.export.circuit(T)["components"] if each["kind"] == "head"][:1]
    assert head["window"] == 2
    for each in (T, narrow(None)):
        ws.save(each, tmp_path / "model")
        assert ws.load(tmp_path / "model") == each
        assert (b"window" in (tmp_path / "model").read_bytes()) == (each is T)


def test_rewrites_and_compositions_keep_windows() -> None:
    T = with_windows(ws.random_transformer("01", 3, 2, 2, 3, 6, seed=5), [2, 3])
    inputs = ["".join(x) for n in (1, 2, 5) for x in product("01", repeat=n)]
    wide = with_windows(T, [None])
    assert [ws.run(wide, x).decision for x in inputs] != [ws.run(T, x).decision for x in inputs]
    for other in (ws.widen(T, ["a"], where="front"), ws.infinity_form(T), ws.zero_one_form(T), ~~T, T & T, T | T):
        assert [ws.run(other, x).decision for x in inputs] == [ws.run(T, x).decision for x in inputs]
    flagged = ws.add_vector(ws.flag(T, "here", positions=[1]), {T.lanes[0]: 0.0}, at="here")
    assert [ws.run(flagged, x).decision for x in inputs] == [ws.run(T, x).decision for x in inputs]


# Whatever does not know windows


def test_the_packed_engine_refuses_windows_and_the_reference_runs_instead() -> None:
    T = narrow()
    assert not PackedRun.supports(T)
    assert type(engine_for(T, every_value=False)) is Reference
    with pytest.raises(ws.ModelError) as refused:
        packed_run(T)
    assert str(refused.value) == (
        "block 0, head 0: the packed engine does not know windows: write Head(…, window=None)"
    )


def test_automata_and_claims_at_all_lengths_refuse_windows() -> None:
    text = "block 0, head 0: an automaton does not know windows: write Head(…, window=None), or check inputs up to"
    with pytest.raises(ws.InputError) as refused:
        ws.automaton(narrow())
    assert text in str(refused.value)
    verdict = ws.check.recognizes(narrow(), "(0|1)*1(0|1)*", up_to=6)
    assert verdict.holds is False


def test_the_checker_of_proofs_reads_no_model_with_windows() -> None:
    data = certificate(ws.check.recognizes(ws.library.contains("1"), "(0|1)*1(0|1)*"))
    assert refusal([narrow(None)], data) is None
    assert "has an unknown key, or lacks one: ['window']" in (refusal([narrow()], data) or "")


def test_the_proofs_of_programs_and_formulas_refuse_windows() -> None:
    same = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ)
    program = ws.programs.compile(rasp.SelectorWidth(same), vocabulary="ab", max_length=4)
    formula = ws.programs.compile_ltl("O(a & Y b)", vocabulary="ab")
    for compiled in (program, formula):
        data = compiled.certificate().to_json()
        ws.programs.replay(data, compiled.transformer)
        T = with_windows(compiled.transformer, [2])
        with pytest.raises(LemmaError, match="has a head with a window, which the (program|formula) has not"):
            ws.programs.replay({**data, "model": digest(T)}, T)
