"""Random models with readouts: reference, kernels and the independent witness read the same at every position."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.models import random_model
from tests.semantics.test_witness import assert_equals_witness
from weightsmith.semantics import reference

FORMS = ("fixed(4,4)", "fixed(2,3)", "float(4,3)", "fixed(0,4)")
VALUES = (None, True, False, 2, -1, 0.5, "a", "b", "None", "1")


def with_readout(T: ws.Transformer, seed: int, left_out: int = 0) -> tuple[ws.Transformer, list[list[str]]]:
    """Read codes out of one or two lanes, of all inputs up to length 3 that are not refused; leave out some codes."""
    random = np.random.default_rng(seed)
    lanes = tuple(T.lanes[j] for j in random.permutation(len(T.lanes))[: random.integers(1, 3)])
    bare = replace(T, output=np.zeros((0, len(T.lanes))), output_bias=None, classes=(), tied=False,
                   readout=ws.Readout(lanes, {(0.0,) * len(lanes): None}))  # fmt: skip
    codes, inputs = set[tuple[float, ...]](), list[list[str]]()
    for n in (1, 2, 3):
        for tokens in product(T.vocabulary[:2], repeat=n):
            try:
                found = ws.run(bare, tokens).codes
            except ws.ModelError:
                continue
            assert found is not None
            inputs.append(list(tokens))
            codes |= set(map(tuple, found.tolist()))
    known = sorted(codes)
    for _ in range(left_out if known else 0):
        known.pop(int(random.integers(len(known))))
    table = {code: VALUES[(n + 3 * seed) % len(VALUES)] for n, code in enumerate(known)} or {(0.0,) * len(lanes): None}
    return replace(bare, readout=ws.Readout(lanes, table)), inputs


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", FORMS)
def test_reference_kernels_and_witness_read_the_same_values(form: str, mask: str) -> None:
    said = set()
    for seed in range(6):
        T, inputs = with_readout(random_model(ws.parse_arithmetic(form), seed, mask=mask), seed)
        found = [ws.run(T, tokens).outputs for tokens in inputs]
        assert ws.outputs(T, inputs) == found
        assert ws.decisions(T, inputs) == [outputs[-1] for outputs in found]
        for tokens in inputs[::7]:
            assert_equals_witness(T, tokens)
        said |= {value for outputs in found for value in outputs}
    assert len(said) > 4


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", [*FORMS, "float32"])
def test_codes_that_were_left_out_are_refused_by_all_and_at_the_same_positions(form: str, mask: str) -> None:
    refused = 0
    for seed in range(4):
        T, inputs = with_readout(random_model(ws.parse_arithmetic(form), seed, mask=mask), seed, left_out=1)
        for tokens in inputs[::4]:
            r = ws.run(T, tokens)
            if (r.answer_ids >= 0).all():
                assert ws.outputs(T, [tokens]) == [r.outputs]
                continue
            refused += 1
            with pytest.raises(ws.InputError) as by_run:
                r.outputs  # noqa: B018
            with pytest.raises(ws.InputError) as by_kernels:
                ws.outputs(T, [tokens])
            assert str(by_kernels.value).endswith(f": {by_run.value}")
            assert str(by_run.value).startswith(f"position {int(np.argmax(r.answer_ids < 0))}: ")
    assert refused > 1


def test_a_readout_reads_what_the_final_norm_leaves() -> None:
    E = np.array([[1.0, 0.0], [3.0, 1.0]])
    readout = ws.Readout(("x",), {1: "up", -1: "down"})
    T = ws.Transformer(ws.Fixed(4, 4), "ab", ("x", "y"), E, readout=readout, final_norm=ws.LayerNorm(eps=0.0))
    assert reference.read_codes(T, ws.run(T, "ab").stream[-1]).tolist() == [[1.0], [1.0]]
    assert ws.outputs(T, ["ab"]) == [("up", "up")]
    assert ws.outputs(replace(T, final_norm=None, readout=ws.Readout(("x",), {1: "up", 3: "down"})), ["ab"]) == [
        ("up", "down")
    ]
