"""Hidden positions, shifted tables and added blocks, bit for bit, on random transformers and all inputs up to 4."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weightsmith as ws
from tests.rewrites.models import ARITHMETICS, WITHOUT_EXP, inputs, transformers, witness
from tests.semantics.witnessed import WEIGHTINGS
from tests.witness.numbers import system
from tests.witness.runs import exact, witness_run

few = settings(max_examples=8)
some_inputs = inputs()
LAWFUL = tuple(A for A in ARITHMETICS if A not in WITHOUT_EXP)


def weighing(block: ws.Block, weighting: Any) -> ws.Block:
    if block.attention is None:
        return block
    heads = tuple(replace(head, weighting=weighting) for head in block.attention.heads)
    return replace(block, attention=replace(block.attention, heads=heads))


def gives_weight_to_the_lowest(weighting: Any) -> bool:
    return isinstance(weighting, ws.Softmax) and (weighting.shifted or weighting.empty == "uniform")


SEEING = [weighting for weighting in WEIGHTINGS if not gives_weight_to_the_lowest(weighting)]


@few
@given(transformers(LAWFUL, norms=False), st.sets(st.integers(0, 4), min_size=1), st.data())
def test_hidden_positions_are_seen_by_no_head(T: ws.Transformer, up: set[int], data: st.DataObject) -> None:
    T = replace(T, blocks=tuple(weighing(block, data.draw(st.sampled_from(SEEING))) for block in T.blocks))
    flagged = ws.flag(T, "here", sorted(up))
    U = ws.hide(flagged, "here")
    for tokens in some_inputs:
        alone = witness_run(flagged, tokens, frozenset(up))
        if alone.lowest:  # a hard head that sees nothing else looks somewhere
            continue
        after = witness(U, tokens)
        assert after.stream == alone.stream
        assert after.logits == alone.logits
        assert after.attention == alone.attention


@few
@given(transformers(), st.integers(-4, 4))
def test_shifted_positions_get_the_vectors_of_those_before(T: ws.Transformer, k: int) -> None:
    U = ws.shift_positions(T, k)
    assert U.max_length == 5 + k
    assert isinstance(T.positions, ws.PositionTable)
    N, rows, embedding = system(str(T.arithmetic)), exact(T.positions.values), exact(T.embedding)
    for tokens in inputs(up_to=min(4, 5 + k)):
        for i, (token, row) in enumerate(zip(tokens, witness(U, tokens).stream[0], strict=True)):
            vector = rows[i - k] if i >= k else [Fraction(0)] * len(T.lanes)
            assert row == [N.round(x + y) for x, y in zip(embedding["ab".index(token)], vector, strict=True)]
    if k > 0:
        assert ws.shift_positions(U, -k) == T


@few
@given(transformers(LAWFUL, norms=False), st.integers(1, 2), st.data())
def test_a_text_behind_a_hidden_prefix_is_run_as_without_it(T: ws.Transformer, k: int, data: st.DataObject) -> None:
    T = replace(T, blocks=tuple(weighing(block, ws.Softmax()) for block in T.blocks), mask="causal")
    U = ws.hide(ws.flag(ws.shift_positions(T, k), "before", range(k)), "before")
    prefix = data.draw(st.lists(st.sampled_from("ab"), min_size=k, max_size=k))
    for tokens in some_inputs:
        before, after = witness(T, tokens), witness(U, prefix + tokens)
        assert [row[:-1] for row in after.stream[-1][k:]] == before.stream[-1]
        assert after.logits == before.logits
        assert ws.run(U, prefix + tokens).decision == ws.run(T, tokens).decision


@pytest.mark.parametrize("kind", ["distances", "penalties"])
def test_hiding_keeps_positions_inside_attention(kind: str) -> None:
    T = ws.random_transformer("ab", 4, 2, 2, 3, 5, seed=4)
    size = len(T.blocks[0].attention.heads[0].W_K)  # type: ignore[union-attr]
    offsets = np.array([[0.5] * size, [-1.0] * size])
    scheme = ws.Alibi() if kind == "penalties" else ws.Relative(offsets)
    flagged = ws.flag(replace(T, positions=(T.positions, scheme)), "here", [0, 2])  # type: ignore[arg-type]
    U = ws.hide(flagged, "here")
    for tokens in some_inputs:
        assert witness(U, tokens).stream == witness_run(flagged, tokens, frozenset({0, 2})).stream


@few
@given(transformers(norms=False), st.integers(0, 10**6))
def test_added_blocks_go_on_from_the_last_stage_or_come_before_the_first(T: ws.Transformer, seed: int) -> None:
    S = ws.random_transformer("ab", len(T.lanes), 2, 1, 2, 5, T.arithmetic, seed)
    after, before = ws.append(T, S.blocks), ws.prepend(T, S.blocks)
    assert after.blocks == (*T.blocks, *S.blocks)
    assert before.blocks == (*S.blocks, *T.blocks)
    bare = replace(T, blocks=S.blocks)
    for tokens in some_inputs:
        whole = witness(T, tokens)
        assert witness(after, tokens).stream[: len(whole.stream)] == whole.stream
        first = witness(bare, tokens).stream
        assert witness(before, tokens).stream[: len(first)] == first


@pytest.mark.parametrize(("A", "law"), [(ws.Float(2, 4), "exp of −∞"), (ws.Native("float32"), "saturation")])
def test_the_laws_of_hiding_are_needed(A: Any, law: str) -> None:
    with pytest.raises(ws.LawError, match=rf"hide needs the law .*\({law}\), which fails in"):
        ws.hide(ws.flag(ws.random_transformer("ab", 2, 1, 1, 2, 4, A), "here", [1]), "here")


T4: Any = ws.flag(ws.random_transformer("ab", 2, 1, 1, 2, 4), "here", [1])
WRONG: dict[str, Any] = {
    "no flag": (lambda: ws.hide(T4, "there"), r"there is no flag there: the flags are here; write flag\("),
    "shifted": (
        lambda: ws.hide(replace(T4, blocks=(weighing(T4.blocks[0], ws.Softmax(shifted=True)),)), "here"),
        r"block 0, head 0 has Softmax\(shifted=True\), which gives weight to a score of −∞: write Softmax\(\)",
    ),
    "uniform": (
        lambda: ws.hide(replace(T4, blocks=(weighing(T4.blocks[0], ws.Softmax(empty="uniform")),)), "here"),
        r"block 0, head 0 has Softmax\(empty='uniform'\)",
    ),
    "norm": (
        lambda: ws.hide(replace(T4, blocks=(replace(T4.blocks[0], attention_norm=ws.LayerNorm(eps=1.0)),)), "here"),
        "a norm of block 0 covers the flag here",
    ),
    "rotary": (
        lambda: ws.hide(ws.flag(_turning(), "here", [1]), "here"),
        r"block 0, head 0 has rotary positions, .*: write Relative\(…\) or Alibi\(\)",
    ),
    "no table": (lambda: ws.shift_positions(ws.library.contains("1"), 1), "moves a position table, .* has none"),
    "too far": (lambda: ws.shift_positions(T4, -4), r"k=-4: write by how many positions the table moves, -3 to"),
    "no number": (lambda: ws.shift_positions(T4, "1"), "k='1': write by how many positions"),  # type: ignore[arg-type]
    "one block": (lambda: ws.append(T4, ws.Block()), r"write a list of blocks"),  # type: ignore[arg-type]
    "no block": (lambda: ws.prepend(T4, [5]), r"prepend: 5 is no block"),  # type: ignore[list-item]
    "other lanes": (lambda: ws.append(T4, ws.random_transformer("ab", 5).blocks), "lanes"),
    "no transformer": (lambda: ws.prepend(5, []), "write"),  # type: ignore[arg-type]
}


def _turning() -> ws.Transformer:
    T = ws.random_transformer("ab", 4, 1, 2, 3, 5)
    return replace(T, positions=(T.positions, ws.Rotary()))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_hidden_moved_or_added_is_refused(name: str) -> None:
    make, said = WRONG[name]
    with pytest.raises(ws.WeightsmithError, match=said):
        make()
