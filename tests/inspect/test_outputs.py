"""Outputs: what a transformer says at every position, by the reference and by the fast kernels."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.models import random_model
from weightsmith.arithmetic import Array
from weightsmith.kernels.blas import BlasRun
from weightsmith.kernels.packed import run as packed
from weightsmith.semantics.evaluation import AnswerIds
from weightsmith.semantics.reference import Reference

FORMS = ("fixed(4,4)", "fixed(2,3)", "float(4,3)", "float(3,3)", "fixed(8,8)", "float16")
SILENT_NORM = ws.LayerNorm(eps=0.001)  # which is 0 in Fixed(4, 4)


def some_inputs(T: ws.Transformer) -> list[list[str]]:
    every = [list(tokens) for n in (1, 2, 3) for tokens in product(T.vocabulary, repeat=n)]
    return [every[i] for i in np.random.default_rng(0).permutation(len(every))[:20]]


def said(T: ws.Transformer, inputs: list[list[str]]) -> list[tuple[list[str], tuple[Any, ...]]]:
    """Return inputs with the outputs of their runs; leave out what is refused: no weight, no root."""
    found = []
    for tokens in inputs:
        try:
            found.append((tokens, ws.run(T, tokens).outputs))
        except ws.ModelError:
            continue
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("form", FORMS)
def test_the_fast_kernels_say_at_every_position_what_runs_say(form: str, mask: str) -> None:
    compared = 0
    for seed in range(6):
        T = random_model(ws.parse_arithmetic(form), seed, mask=mask)
        found = said(T, some_inputs(T))
        assert ws.outputs(T, [tokens for tokens, _ in found]) == [outputs for _, outputs in found]
        compared += sum(len(tokens) > 1 for tokens, _ in found)
    assert compared > 20


@pytest.mark.parametrize("form", ["fixed(4,4)", "float(4,3)", "float32"])
def test_outputs_of_a_causal_transformer_are_the_decisions_on_its_prefixes(form: str) -> None:
    A, found = ws.parse_arithmetic(form), set()
    for seed in range(4):
        T = ws.random_transformer("ab", lanes=4, blocks=2, heads=2, neurons=4, max_length=6, seed=seed, arithmetic=A)
        inputs = ["".join(tokens) for n in (1, 2, 3, 4) for tokens in product("ab", repeat=n)]
        decided = dict(zip(inputs, ws.decisions(T, inputs), strict=True))
        for tokens in inputs[::3]:
            outputs = ws.run(T, tokens).outputs
            assert outputs == tuple(decided[tokens[: n + 1]] for n in range(len(tokens)))
            found.add(outputs)
    assert len(found) > 4


def test_with_a_full_mask_an_earlier_output_depends_on_what_follows() -> None:
    found = set()
    for seed in range(8):
        T = ws.random_transformer("ab", lanes=4, blocks=2, heads=2, neurons=4, max_length=3, seed=seed, mask="full")
        found.add(len({outputs[0] for outputs in ws.outputs(T, ["aaa", "aab", "aba", "abb"])}))
    assert found == {1, 2}


def test_outputs_in_the_machines_arithmetic_end_with_the_decision() -> None:
    T = ws.random_transformer(
        "ab", lanes=8, blocks=2, heads=2, neurons=9, max_length=6, arithmetic=ws.Native("float32")
    )
    inputs = ["".join(tokens) for n in (1, 4) for tokens in product("ab", repeat=n)]
    found = ws.outputs(T, inputs)
    assert [outputs[-1] for outputs in found] == ws.decisions(T, inputs)
    assert found == [ws.run(T, tokens).outputs for tokens in inputs]
    assert found == [ws.run(T, tokens, sums="left").outputs for tokens in inputs]


def test_a_run_with_left_folds_reads_its_outputs_with_left_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.random_transformer("ab", lanes=8, arithmetic=ws.Native("float32"))
    plain, read = Reference.read_answers, list[type[Reference]]()

    def watched(engine: Reference, h: Array) -> AnswerIds:
        read.append(type(engine))
        return plain(engine, h)

    monkeypatch.setattr(Reference, "read_answers", watched)
    outputs = ws.run(T, "ab").outputs
    assert ws.run(T, "ab", sums="left").outputs == outputs
    assert read == [BlasRun, Reference]


def test_outputs_are_the_same_however_many_inputs_are_run_together(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.random_transformer("ab", lanes=4, blocks=2, heads=2, neurons=4, max_length=6)
    inputs = ["".join(tokens) for tokens in product("ab", repeat=5)]
    together = ws.outputs(T, inputs)
    monkeypatch.setattr(packed, "RUN_BYTES", 0)
    assert ws.outputs(T, inputs) == together


def test_no_inputs_have_no_outputs() -> None:
    assert ws.outputs(ws.library.contains("1"), []) == []


@pytest.mark.parametrize("mask", ["causal", "full"])
def test_a_norm_that_fails_before_the_last_position_leaves_the_decision_but_no_outputs(mask: str) -> None:
    """At the first position both lanes are equal, so they vary by nothing and the square root is 0."""
    T = ws.Transformer(ws.Fixed(4, 4), "ab", ("x", "y"), np.array([[1.0, 1], [1, 0]]), output=np.eye(2),
                       final_norm=SILENT_NORM, mask=mask)  # type: ignore[arg-type]  # fmt: skip
    r = ws.run(T, "bab")
    assert r.decision == "NO"
    said = "final norm: the square root is 0 at position 1"
    with pytest.raises(ws.ModelError, match=said):
        r.outputs  # noqa: B018
    where = "ba" if mask == "causal" else "bab"  # under a causal mask the beginning is an input too
    with pytest.raises(ws.ModelError, match=f"on the input {where}: final norm: the square root is 0"):
        ws.outputs(T, ["bb", "bab"])
    assert "outputs: none, because of another position: final norm" in " ".join(str(r).split())
    assert ws.outputs(replace(T, final_norm=None), ["ab"]) == [("NO", "NO")]


def test_a_run_prints_its_outputs_under_their_tokens() -> None:
    lines = str(ws.run(ws.library.contains("1"), "0010")).splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith(" at "))
    assert lines[place].split() == ["at", "0", "0", "1", "0", "2", "1", "3", "0"]
    assert lines[place + 2].split() == ["output", "NO", "NO", "YES", "YES"]
    long = " ".join(str(ws.run(ws.library.contains("1"), "01" * 130)).split())
    assert "the last 240 of 260 positions; r.outputs has all" in long
    assert " at " not in str(ws.run(ws.library.contains("1"), "0")).splitlines()
