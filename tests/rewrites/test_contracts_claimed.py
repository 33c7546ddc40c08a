"""The contracts of rewrites as claims about the stream, each on many random transformers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.rewrites.claimed import CONTRACTS, LENGTH, end, random_model, zero_one

MANY = [range(0, 3), *(pytest.param(range(n, n + 49), marks=pytest.mark.long) for n in (3, 52))]


@pytest.mark.parametrize("name", CONTRACTS)
@pytest.mark.parametrize("seeds", MANY, ids=str)
def test_a_contract_holds_for_every_input_of_random_transformers(name: str, seeds: range) -> None:
    checked = 0
    for seed in seeds:
        T, rng = random_model(seed)
        try:
            for verdict in CONTRACTS[name](T, rng):
                assert verdict.holds, (seed, str(verdict))
                checked += 1
        except ws.LawError:
            continue
    assert checked >= len(seeds) // 2, "most arithmetics have the laws"


@pytest.mark.parametrize("seeds", [range(0, 4), *MANY[1:]], ids=str)
@pytest.mark.parametrize("name", ["zero_one_form", "infinity_form", "signed_infinity_form"])
def test_the_normal_forms_are_proved_for_all_lengths_without_positions(name: str, seeds: range) -> None:
    proved = 0
    for seed in seeds:
        T = ws.random_transformer("ab", 2, 1, 1, 2, LENGTH, (ws.Fixed(2, 2), ws.Float(3, 3))[seed % 2], seed)
        hard = [ws.RightmostHard(), ws.LeftmostHard(), ws.AverageHard()][seed % 3]
        T = with_weighting(replace(T, positions=None), hard)
        for verdict in CONTRACTS[name](T, np.random.default_rng(seed)):
            assert verdict.holds is not False, (seed, str(verdict))
            proved += verdict.scope == "all lengths" and bool(verdict.holds)
    assert proved >= len(seeds) // 2


def with_weighting(T: ws.Transformer, weighting: Any) -> ws.Transformer:
    attention = T.blocks[0].attention
    assert attention is not None
    heads = tuple(replace(head, weighting=weighting) for head in attention.heads)
    return replace(T, blocks=(replace(T.blocks[0], attention=replace(attention, heads=heads)),))


def test_a_planted_fault_in_a_rewritten_model_refutes_its_contract() -> None:
    T, rng = random_model(8)
    U = ws.linear_map(T, np.eye(len(T.lanes)), 1, 3)
    head = U.blocks[-1].attention.heads[0]  # type: ignore[union-attr]
    W_O = head.W_O.copy()
    W_O[0, 0] = 0.5
    bad = replace(U, blocks=(*U.blocks[:-1], replace(U.blocks[-1], attention=ws.Attention((replace(head, W_O=W_O),)))))
    M_h = ws.check.image(None, at=(end(T), 1), lanes=T.lanes)
    assert ws.check.vectors(U, M_h, LENGTH, at=(end(U), 3)).holds
    refuted = ws.check.vectors(bad, M_h, LENGTH, at=(end(U), 3))
    assert refuted.counterexample is not None
    assert len(refuted.counterexample) == LENGTH
    (wrong,) = zero_one(replace(T, output=T.output[::-1]), rng)
    assert wrong.holds
    swapped = ws.zero_one_form(replace(T, output=T.output[::-1]))
    rows = ws.check.image(T.output, at=end(T), lanes=["NO", "YES"], of=T.lanes)
    assert ws.check.vectors(swapped, rows).holds is False
