"""A run without a part is the run of a transformer without it, bit for bit."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.inspect.models import model, runs
from weightsmith import Block, Fixed, Float, Native, Transformer
from weightsmith.inspect.run import Sums

ARITHMETICS = [
    (Fixed(4, 4), None),
    pytest.param(Fixed(2, 6), None, marks=pytest.mark.long),
    (Float(4, 3), None),
    pytest.param(Native("float32"), "left", marks=pytest.mark.long),
    (Native("float64"), "left"),
]
KINDS = pytest.mark.parametrize(("A", "sums"), ARITHMETICS, ids=str)


@cache
def every_run(A: ws.Arithmetic, sums: Sums | None) -> list[ws.Run]:
    """Return runs of models with every norm before and after, 0 to 3 heads, masks, positions; in Native also biases."""
    more = range(8 if Native("float64") == A else 0)
    return [*runs(A, range(18), sums), *(ws.run(model(seed), "abcab", sums=sums) for seed in more)]


def with_block(T: Transformer, b: int, block: Block) -> Transformer:
    return replace(T, blocks=(*T.blocks[:b], block, *T.blocks[b + 1 :]))


def same(found: ws.Run, T: Transformer, sums: Sums | None) -> bool:
    """Whether a run has the logits, the decision and the stream of that of another transformer."""
    try:
        other = ws.run(T, found.tokens, sums=sums)
    except ws.ModelError:
        return False
    agree = np.array_equal(found.logits, other.logits) and found.decision == other.decision
    return agree and np.array_equal(found.stream, other.stream)


def ablated(r: ws.Run, **what: Any) -> ws.Run | None:
    """Ablate, or give None where the run then meets a norm without spread or a softmax without weight."""
    try:
        return ws.ablate(r, **what)
    except ws.ModelError:
        return None


@KINDS
@pytest.mark.one_in(3)
def test_without_a_head_the_run_is_that_with_w_o_at_0(A: ws.Arithmetic, sums: Sums | None) -> None:
    seen = set()
    for r in every_run(A, sums):
        T = r.transformer
        for b, block in enumerate(T.blocks):
            heads = block.attention.heads if block.attention else ()
            for i, head in enumerate(heads):
                found = ablated(r, block=b, head=i, sums=sums)
                assert block.attention is not None
                silent = replace(head, W_O=np.zeros_like(head.W_O))
                attention = replace(block.attention, heads=(*heads[:i], silent, *heads[i + 1 :]))
                if found is None:
                    continue
                assert same(found, with_block(T, b, replace(block, attention=attention)), sums)
                assert not found.heads[b][i].output.any()
                fewer = replace(block.attention, heads=(*heads[:i], *heads[i + 1 :]))
                if not isinstance(T.attention_positions, ws.Alibi):  # its slopes go by the number of heads
                    assert same(found, with_block(T, b, replace(block, attention=fewer)), sums)
                seen.add((len(heads) > 1, block.attention_norm and block.norm_placement))
    assert seen == {(several, norm) for several in (False, True) for norm in (None, "pre", "post")}


@KINDS
@pytest.mark.one_in(3)
def test_without_a_sublayer_or_block_the_run_is_that_of_a_transformer_without_it(
    A: ws.Arithmetic, sums: Sums | None
) -> None:
    count = 0
    for r in every_run(A, sums):
        T = r.transformer
        for b, block in enumerate(T.blocks):
            cases: list[tuple[dict[str, Any], Block]] = [({}, Block())]
            if block.attention is not None:
                cases.append(({"sublayer": "attention"}, replace(block, attention=None, attention_norm=None)))
            if block.feed_forward is not None:
                cases.append(({"sublayer": "feed-forward"}, replace(block, feed_forward=None, feed_forward_norm=None)))
            for what, left in cases:
                found = ablated(r, block=b, sums=sums, **what)
                if found is not None:
                    assert same(found, with_block(T, b, left), sums), what
                    count += 1
            found = ablated(r, block=b, sums=sums)
            if found is not None:
                shorter = replace(T, blocks=(*T.blocks[:b], *T.blocks[b + 1 :]))
                assert np.array_equal(found.logits, ws.run(shorter, r.tokens, sums=sums).logits)
    assert count > 30


@KINDS
def test_without_neurons_the_run_is_that_with_their_values_at_0(A: ws.Arithmetic, sums: Sums | None) -> None:
    count = 0
    for r in every_run(A, sums):
        T = r.transformer
        for b, block in enumerate(T.blocks):
            layer = block.feed_forward
            if layer is None or not len(layer.W_1):
                continue
            chosen = [0, len(layer.W_1) - 1]
            found = ablated(r, block=b, neurons=chosen, sums=sums)
            if found is None:
                continue
            W_2 = layer.W_2.copy()
            W_2[:, chosen] = 0
            assert same(found, with_block(T, b, replace(block, feed_forward=replace(layer, W_2=W_2))), sums)
            assert not found.activations[b][:, chosen].any()
            count += 1
    assert count > 5


def test_a_neuron_called_2847_is_left_out_by_its_name() -> None:
    r = ws.run(ws.library.eiffel(), "The Eiffel Tower is in")
    found = ws.ablate(r, block=0, neurons=["2847"])
    assert found.activations[0][2].tolist() == [0, r.activations[0][2, 1]]
    assert (r.decision, found.decision) == ("Paris", "London")


@KINDS
def test_positions_limit_what_is_left_out(A: ws.Arithmetic, sums: Sums | None) -> None:
    count = 0
    for r in runs(A, range(16), sums):
        first = r.transformer.blocks[0]
        for what in ({"head": 0}, {"sublayer": "attention"}, {"neurons": [0]}, {}):
            layer, attention = first.feed_forward, first.attention
            if (attention is None or not attention.heads) if "head" in what else attention is None or layer is None:
                continue
            if "neurons" in what and (layer is None or not len(layer.W_1)):
                continue
            everywhere, some = (ablated(r, block=0, sums=sums, positions=at, **what) for at in (None, [1, -1]))
            if everywhere is None or some is None:
                continue
            for stage in (1, 2) if what != {"head": 0} else (1,):
                changed = some.stream[stage]
                assert np.array_equal(changed[[1, 3]], everywhere.stream[stage][[1, 3]])
                assert np.array_equal(changed[[0, 2]], r.stream[stage][[0, 2]])
            count += 1
    assert count > 5


def test_one_ablation_after_the_other_leaves_out_both() -> None:
    for r in runs(Fixed(4, 4), range(20)):
        T = r.transformer
        for b, block in enumerate(T.blocks):
            if block.attention is None or len(block.attention.heads) < 2:
                continue
            one = ablated(r, block=b, head=0)
            both = one and ablated(one, block=b, head=1)
            if both is None:
                continue
            silent = [replace(head, W_O=np.zeros_like(head.W_O)) for head in block.attention.heads[:2]]
            attention = replace(block.attention, heads=(*silent, *block.attention.heads[2:]))
            assert same(both, with_block(T, b, replace(block, attention=attention)), None)
    r = ws.run(ws.random_transformer(blocks=3, seed=2), "0110")
    without = ws.ablate(ws.ablate(r, block=2), block=0, sublayer="attention")
    T = r.transformer
    assert same(without, replace(T, blocks=(replace(T.blocks[0], attention=None), T.blocks[1], Block())), None)


def test_a_patched_run_can_be_ablated_and_the_other_way_round() -> None:
    T = ws.random_transformer(blocks=2, heads=2, seed=3)
    a, b = ws.run(T, "0110"), ws.run(T, "1001")
    one = ws.ablate(ws.patch(a, b, 0, after="feed-forward"), block=1, head=0)
    other = ws.patch(ws.ablate(a, block=1, head=0), b, 0, after="feed-forward")
    assert np.array_equal(one.stream, other.stream)
    assert np.array_equal(one.stream[3], ws.ablate(b, block=1, head=0).stream[3])
    assert (one.tokens, one.transformer) == (a.tokens, T)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_with_the_machines_sums_it_is_the_same_up_to_the_last_bits(dtype: Any) -> None:
    T = ws.random_transformer(heads=3, arithmetic=Native(dtype), weighting=ws.Softmax(shifted=True))
    r = ws.run(T, "011010")
    for b, block in enumerate(T.blocks):
        for i in range(3):
            assert block.attention is not None
            head = block.attention.heads[i]
            silent = replace(head, W_O=np.zeros_like(head.W_O))
            heads = (*block.attention.heads[:i], silent, *block.attention.heads[i + 1 :])
            other = ws.run(with_block(T, b, replace(block, attention=ws.Attention(heads))), r.tokens)
            found = ws.ablate(r, block=b, head=i)
            near = 1e-3 if dtype == "float32" else 1e-9  # sums in another order, and two blocks that magnify it
            assert np.allclose(found.logits, other.logits, rtol=near, atol=near)
            assert np.array_equal(found.stream[: 2 * b + 1], r.stream[: 2 * b + 1])


def test_ablations_are_what_ablate_says_for_each_head_and_layer() -> None:
    T = ws.random_transformer(blocks=3, heads=2, classes=("a", "b", "c"), seed=1)
    T = replace(T, blocks=(T.blocks[0], replace(T.blocks[1], feed_forward=None), replace(T.blocks[2], attention=None)))
    r = ws.run(T, "0110")
    found = ws.ablations(r, "b", over="c")
    assert [(row.block, row.head) for row in found] == [(0, 0), (0, 1), (0, None), (1, 0), (1, 1), (2, None)]
    assert found.logit == r.logits[1] - r.logits[2]
    for row in found:
        what: dict[str, Any] = {"sublayer": "feed-forward"} if row.head is None else {"head": row.head}
        one = ws.ablate(r, block=row.block, **what)
        assert row.decision == one.decision
        assert row.logit == one.logits[1] - one.logits[2]
        assert row.change == row.logit - found.logit
    plain = ws.ablations(r)
    assert plain.target is not None
    assert plain.target.wanted == r.decision
    assert plain.logit == r.logits.max()
    assert len(plain) == 6
    assert [str(row) for row in plain[1:3]] == ["block 0, head 1", "block 0, feed-forward"]


def test_ablations_print_as_a_table_below_the_run_itself() -> None:
    found = ws.ablations(ws.run(ws.library.contains("1"), "0010"))
    assert [line.split() for line in str(found).splitlines() if "─" not in line] == [
        ["without", "decision", "logit", "of", "YES", "change"],
        ["nothing", "YES", "1"],
        ["block", "0,", "head", "0", "NO", "0", "-1"],
    ]
    assert [row.style for row in found.table().rows] == ["faint", "new"]
    assert "<td" in found._repr_html_()


def test_an_ablation_that_cannot_be_run_is_named() -> None:
    T = ws.random_transformer(lanes=2, blocks=1, neurons=0)
    T = replace(T, embedding=np.zeros((2, 2)), positions=None, final_norm=ws.RMSNorm(0.0))
    head = ws.Head(np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)), np.ones((2, 1)), b_V=np.ones(1))
    r = ws.run(replace(T, blocks=(ws.Block(ws.Attention((head,))),)), "01")
    with pytest.raises(ws.ModelError, match="without block 0, head 0: final norm: the square root is 0"):
        ws.ablations(r)
