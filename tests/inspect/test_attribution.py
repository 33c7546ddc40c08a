"""Where a logit comes from."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from tests.inspect.models import model, runs
from weightsmith import Fixed, Native, Softmax, random_transformer
from weightsmith.tables import number


def test_the_parts_of_a_logit_add_up_for_a_hundred_random_models(capsys: pytest.CaptureFixture[str]) -> None:
    largest, kinds = 0.0, set[str]()
    for seed in range(100):
        T = model(seed)
        r = ws.run(T, "abcab"[: 1 + seed % 5])
        for wanted in T.classes:
            found = ws.attribute(r, wanted)
            largest = max(largest, abs(found.residue))
            kinds |= {part.kind for part in found.parts}
    with capsys.disabled():
        print(f" [largest residue: {largest:.1e}]", end="")  # noqa: T201
    assert largest < 1e-12
    assert kinds == {"embedding", "position", "head", "neuron", "bias"}


@pytest.mark.parametrize("seed", range(20))
def test_the_parts_add_up_exactly_where_nothing_is_rounded(seed: int) -> None:
    """Small whole weights, hard attention: every value of the run is a whole number far below ∞."""
    random = np.random.default_rng(seed)
    T = random_transformer("ab", 3, 2, 2, 3, 6, Fixed(20, 4), seed, weighting=ws.LeftmostHard())

    def whole(array: np.ndarray) -> np.ndarray:
        return random.integers(-1, 2, size=array.shape).astype(float)

    def head(old: ws.Head) -> ws.Head:
        return replace(old, W_Q=whole(old.W_Q), W_K=whole(old.W_K), W_V=whole(old.W_V), W_O=whole(old.W_O))

    blocks = []
    for block in T.blocks:
        assert block.attention is not None
        assert block.feed_forward is not None
        layer = block.feed_forward
        blocks.append(
            replace(
                block,
                attention=ws.Attention(tuple(head(old) for old in block.attention.heads), np.array([1.0, -1, 0])),
                feed_forward=ws.FeedForward(whole(layer.W_1), whole(layer.b_1), whole(layer.W_2), whole(layer.b_2)),
            )
        )
    table = ws.PositionTable(random.integers(-2, 3, size=(6, 3)).astype(float))
    T = replace(T, blocks=tuple(blocks), embedding=whole(T.embedding), output=whole(T.output), positions=table)
    r = ws.run(T, "abba")
    assert np.abs(r.stream).max() < T.arithmetic.infinity
    for wanted in T.classes:
        found = ws.attribute(r, wanted)
        assert found.residue == 0
        assert found.total == found.logit


def test_a_residue_says_what_rounding_did() -> None:
    r = ws.run(random_transformer(arithmetic=Fixed(2, 2)), "0110")
    found = ws.attribute(r, "YES")
    assert found.residue != 0
    assert found.total + found.residue == found.logit


def test_parts_come_in_the_documented_order() -> None:
    T = random_transformer(blocks=2, heads=2, neurons=2)
    found = ws.attribute(ws.run(T, "01"), "YES")
    names = [str(part) for part in found.parts]
    block = [
        *(f"block 0, head {h}, from {token} at position {j}" for h in (0, 1) for j, token in enumerate("01")),
        "block 0, neuron 0",
        "block 0, neuron 1",
        "block 0, b_2",
    ]
    second = [name.replace("block 0", "block 1") for name in block]
    assert names == ["embedding of 1", "position", *block, *second]


def test_the_parts_of_heads_and_neurons_are_what_they_added() -> None:
    """Independently: the logit of what a head or a neuron added to the last position, by numpy."""
    r = ws.run(random_transformer(arithmetic=Native("float64"), weighting=Softmax(True), heads=2), "0110")
    T = r.transformer
    found = ws.attribute(r, "NO")
    for b, block in enumerate(T.blocks):
        assert block.feed_forward is not None
        for i, head in enumerate(r.heads[b]):
            parts = [p.amount for p in found.parts if (p.kind, p.block, p.place) == ("head", b, i)]
            assert sum(parts) == pytest.approx(T.output[0] @ head.output[-1], rel=1e-9)
        neurons = [p.amount for p in found.parts if (p.kind, p.block) == ("neuron", b)]
        expected = r.activations[b][-1] * (T.output[0] @ block.feed_forward.W_2)
        assert neurons == pytest.approx(expected.tolist(), rel=1e-9)


def test_the_largest_parts_come_first_and_zeros_not_at_all() -> None:
    found = ws.attribute(ws.run(ws.library.contains("1"), "0010"), "YES")
    amounts = [abs(part.amount) for part in found.largest(100)]
    assert amounts == sorted(amounts, reverse=True)
    assert all(amounts)
    assert len(found.largest(1)) == 1


def test_a_logit_difference_is_split_over_random_models() -> None:
    for seed in range(50):
        r = ws.run(model(seed), "abcab"[: 1 + seed % 5])
        found = ws.attribute(r, "YES", over="NO")
        assert found.logit == r.logits[1] - r.logits[0]
        assert abs(found.residue) < 1e-12
        yes, no = (ws.attribute(r, wanted).parts for wanted in ("YES", "NO"))
        assert [str(part) for part in found.parts] == [str(part) for part in yes]
        for part, one, other in zip(found.parts, yes, no, strict=True):
            assert part.amount == pytest.approx(one.amount - other.amount, abs=1e-12)


def test_a_logit_is_split_at_every_position_as_the_lens_reads_it() -> None:
    for seed in range(30):
        r = ws.run(model(seed), "abcab")
        seen = ws.lens(r).logits[-1]
        for position in range(5):
            found = ws.attribute(r, "NO", over="YES", position=position)
            assert found.position == position
            assert found.logit == pytest.approx(seen[position, 0] - seen[position, 1], abs=1e-12)
            assert abs(found.residue) < 1e-12
            assert ws.attribute(r, "NO", over="YES", position=position - 5) == found


def test_in_a_finite_arithmetic_the_logit_at_a_position_is_that_of_the_lens() -> None:
    for r in runs(Fixed(4, 4), range(30)):
        seen = ws.lens(r).logits[-1]
        for position in range(len(r.tokens)):
            for c, wanted in enumerate(r.transformer.classes):
                assert ws.attribute(r, wanted, position=position).logit == seen[position, c]


def test_under_a_causal_mask_a_position_is_split_like_the_end_of_a_shorter_input() -> None:
    T = random_transformer("ab", heads=2, seed=4)
    found = ws.attribute(ws.run(T, "abbab"), "YES", position=2)
    short = ws.attribute(ws.run(T, "abb"), "YES")
    amounts = {str(part): part.amount for part in found.parts if part.amount != 0}
    assert amounts == {str(part): part.amount for part in short.parts if part.amount != 0}
    assert found.logit == short.logit


def test_by_head_has_a_part_for_each_head_and_each_layer() -> None:
    T = random_transformer(blocks=2, heads=2, neurons=3)
    found = ws.attribute(ws.run(T, "0110"), "YES")
    merged = found.by_head()
    blocks = [f"block {b}, {part}" for b in (0, 1) for part in ("head 0", "head 1", "feed-forward")]
    assert [str(part) for part in merged.parts] == ["embedding of 0", "position", *blocks]
    for part in merged.parts:
        if part.kind == "head":
            mine = [p for p in found.parts if (p.kind, p.block, p.place) == ("head", part.block, part.place)]
            assert len(mine) == 4
            assert part.amount == sum(p.amount for p in mine)
        if part.kind == "feed-forward":
            mine = [p for p in found.parts if p.kind in ("neuron", "bias") and p.block == part.block]
            assert len(mine) == 4
            assert part.amount == sum(p.amount for p in mine)


def test_by_block_has_a_part_for_each_block_and_the_rest_stays() -> None:
    T = random_transformer(blocks=2, heads=2, neurons=3, arithmetic=Native("float64"))
    norm = ws.LayerNorm(0.5, bias=np.ones(4))
    blocks = tuple(replace(block, attention_norm=norm, norm_placement="post") for block in T.blocks)
    T = replace(T, blocks=blocks, final_norm=norm, output_bias=np.array([1.0, 2.0]))
    found = ws.attribute(ws.run(T, "0110"), "YES")
    names = ["embedding of 0", "position", "block 0", "block 1", "bias of the final norm", "output bias"]
    assert [str(part) for part in found.by_block().parts] == names
    heads = [str(part) for part in found.by_head().parts]
    assert "block 0, bias of the attention norm" in heads  # a bias of its own, not of a head
    assert [str(part) for part in found.by_head().by_block().parts] == names


def test_merged_parts_add_up_to_the_same_total() -> None:
    for seed in range(20):
        found = ws.attribute(ws.run(model(seed), "abcab"), "YES")
        for merged in (found.by_head(), found.by_block(), found.by_head().by_block()):
            assert merged.logit == found.logit
            assert merged.total == pytest.approx(found.total, abs=1e-12)
    for r in runs(Fixed(3, 3), range(20)):
        if r.transformer.final_norm is None and all(
            block.attention_norm is block.feed_forward_norm is None for block in r.transformer.blocks
        ):  # then every product is exact in float64
            found = ws.attribute(r, r.decision)
            assert found.by_head().total == found.by_block().total == found.total


def test_an_ablated_run_is_split_without_what_was_left_out() -> None:
    for seed in range(30):
        r = ws.run(model(seed), "abcab")
        changes = (
            ws.ablate(r, block=0, head=0),
            ws.ablate(r, block=0, sublayer="attention"),
            ws.ablate(r, block=0, sublayer="feed-forward", positions=[-1]),
            ws.ablate(r, block=0, neurons=[0]),
            ws.ablate(ws.ablate(r, block=0, head=0), block=0),
        )
        for changed in changes:
            found = ws.attribute(changed, "YES")
            assert abs(found.residue) < 1e-12
        assert [p.amount for p in ws.attribute(changes[0], "YES").by_head().parts if str(p) == "block 0, head 0"] == [0]
        assert not any(part.block == 0 for part in ws.attribute(changes[-1], "YES").parts)


def test_a_patched_run_is_split_from_what_was_put_in() -> None:
    for seed in range(30):
        T = model(seed)
        a, b = ws.run(T, "abcab"), ws.run(T, "bacba")
        found = ws.attribute(ws.patch(a, b, 0, after="attention", positions=[4]), "YES")
        assert abs(found.residue) < 1e-12
        assert str(found.parts[0]) == "patched in after block 0 attention"
        found = ws.attribute(ws.patch(a, b, 0, head=0), "YES")
        assert abs(found.residue) < 1e-12
        assert [part.source for part in found.parts if (part.kind, part.block, part.place) == ("head", 0, 0)] == [None]


def test_of_two_changes_at_one_place_the_later_one_counts() -> None:
    T = model(3)
    a, b = ws.run(T, "abcab"), ws.run(T, "bacba")
    patched = ws.patch(a, b, 0, after="attention")
    gone = ws.attribute(ws.ablate(patched, block=0, sublayer="attention"), "YES")
    back = ws.attribute(ws.patch(ws.ablate(a, block=0, sublayer="attention"), b, 0, after="attention"), "YES")
    assert (gone.parts[0].kind, back.parts[0].kind) == ("embedding", "patch")
    assert max(abs(gone.residue), abs(back.residue)) < 1e-12
    assert back.parts == ws.attribute(patched, "YES").parts


def test_an_attribution_prints_as_a_table() -> None:
    T = random_transformer("ab", heads=2, neurons=9, arithmetic=Fixed(12, 4), seed=1)
    found = ws.attribute(ws.run(T, "abba"), "YES")
    lines = str(found).splitlines()
    every = found.largest(100)
    assert len(every) > 16
    assert lines[0] == f"logit of YES: {number(found.logit, 4096)}"
    assert lines[2].split() == ["part", "adds"]
    assert [line.strip().split("  ")[0] for line in lines[4:-2]] == [str(part) for part in every[:15]]
    assert lines[-2].split()[:3] == [str(len(every) - 15), "smaller", "parts"]
    assert lines[-1].split() == ["rounding", "on", "the", "way", number(found.residue, 4096)]
    rest = sum(part.amount for part in every[2:])
    assert str(found.table(2)).splitlines()[-2].split()[3] == number(rest, 4096)
    assert "smaller" not in str(found.table(len(every)))
    assert "1 smaller part " in str(found.table(len(every) - 1))
    assert found._repr_html_().count("<tr>") == 1 + 15 + 2
    where = ws.attribute(ws.run(T, "abba"), "YES", over="NO", position=1)
    assert str(where).splitlines()[0] == f"logit of YES over NO at 1 b: {number(where.logit, 4096)}"
    assert "at 3" not in str(ws.attribute(ws.run(T, "abba"), "YES", position=3)).splitlines()[0]
