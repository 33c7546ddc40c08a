"""Random models with readouts: reference, kernels and the independent witness read the same at every position."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.models import random_model
from tests.semantics.readouts import with_readout
from tests.semantics.witnessed import assert_equals_witness
from weightsmith.semantics.reference import Reference

FORMS = ("fixed(4,4)", "fixed(2,3)", "float(4,3)", "fixed(0,4)")


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
    assert Reference(T).read_codes(ws.run(T, "ab").stream[-1]).tolist() == [[1.0], [1.0]]
    assert ws.outputs(T, ["ab"]) == [("up", "up")]
    assert ws.outputs(replace(T, final_norm=None, readout=ws.Readout(("x",), {1: "up", 3: "down"})), ["ab"]) == [
        ("up", "down")
    ]
