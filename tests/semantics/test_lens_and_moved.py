"""What the head would decide on the way, and what a head moves."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, InputError, LayerNorm, Native, Softmax, Transformer, random_transformer


@pytest.mark.parametrize("arithmetic", [Fixed(4, 4), Native("float32"), Native("float64")], ids=str)
def test_the_lens_ends_with_the_decision_of_the_run(arithmetic: ws.Arithmetic) -> None:
    for seed in range(10):
        T = random_transformer("ab", arithmetic=arithmetic, seed=seed, weighting=Softmax(True))
        r = ws.run(T, "abba")
        seen = ws.lens(r)
        assert seen.decisions[-1][-1] == r.decision
        assert np.array_equal(seen.logits[-1, -1], r.logits)
        assert len(seen.decisions) == len(r.stages) == len(r.stream)


def test_the_lens_is_the_decision_of_the_transformer_cut_there() -> None:
    """After each block: what the transformer with fewer blocks decides, on every prefix."""
    norm = LayerNorm(0.5)
    T = replace(random_transformer("ab", blocks=3, seed=5, weighting=Softmax(True)), final_norm=norm)
    r = ws.run(T, "abba")
    seen = ws.lens(r)
    for b in range(3):
        cut = replace(T, blocks=T.blocks[: b + 1])
        for end in range(1, 5):
            short = ws.run(cut, "abba"[:end])
            assert seen.decisions[2 * b + 2][end - 1] == short.decision
            assert np.array_equal(seen.logits[2 * b + 2, end - 1], short.logits)


def copying() -> Transformer:
    """Give a model whose one head copies lane `a` of the position before, times 3, to lane `b`."""
    lanes, A = ("a", "b"), Fixed(4, 4)
    head = ws.heads.previous(lanes, {"a": {"b": 3}}, A)
    return Transformer(
        arithmetic=A,
        vocabulary="xy",
        lanes=lanes,
        embedding=ws.matrix(["x", "y"], lanes, {("y", "a"): 2}),
        blocks=(ws.Block(ws.Attention((head,))),),
        output=np.zeros((2, 2)),
    )


def test_what_a_head_moved_names_positions_and_lanes() -> None:
    moves = ws.moved(ws.run(copying(), "yxy"), block=0, head=0)
    assert [(m.source, m.target, m.weight) for m in moves] == [(0, 1, 1.0), (1, 2, 1.0)]
    assert moves[0].lanes == {"b": 6.0}
    assert moves[0].paths() == {("a", "b"): 6.0}
    assert not moves[1].lanes
    assert not moves[1].paths()  # x has nothing in lane a


def test_the_moves_add_up_to_what_the_head_added() -> None:
    for rule in (None, ws.Alibi(), ws.Rotary(), ws.Relative(np.ones((2, 4)), np.ones((2, 4)))):
        T = random_transformer(arithmetic=Native("float64"), heads=2, weighting=Softmax(True), seed=3)
        assert isinstance(T.positions, ws.PositionTable)
        T = replace(T, positions=T.positions if rule is None else (T.positions, rule))
        r = ws.run(T, "0110")
        for b in range(2):
            for i in range(2):
                total = np.zeros((4, 4))
                for move in ws.moved(r, b, i):
                    for lane, amount in move.lanes.items():
                        total[move.target, T.lanes.index(lane)] += amount
                assert total == pytest.approx(r.heads[b][i].output, rel=1e-9, abs=1e-9)


def test_paths_add_up_to_the_lanes_when_there_are_no_biases() -> None:
    r = ws.run(random_transformer(arithmetic=Native("float64"), weighting=Softmax(True)), "011")
    for move in ws.moved(r, 1, 0):
        for lane, amount in move.lanes.items():
            assert sum(x for (_, to), x in move.paths().items() if to == lane) == pytest.approx(amount, rel=1e-9)


def test_the_paths_read_what_the_head_reads_after_a_norm() -> None:
    T = random_transformer(arithmetic=Native("float64"), blocks=1, weighting=Softmax(True))
    T = replace(T, blocks=(replace(T.blocks[0], attention_norm=LayerNorm(1e-5)),))
    move = ws.moved(ws.run(T, "01"), 0, 0)[0]
    for lane, amount in move.lanes.items():
        assert sum(x for (_, to), x in move.paths().items() if to == lane) == pytest.approx(amount, rel=1e-9)


@pytest.mark.parametrize(
    ("block", "head", "message"),
    [
        (2, 0, r"there is no block 2: they are 0 to 1"),
        (-1, 0, r"there is no block -1"),
        (True, 0, r"there is no block True"),
        (0, 1, r"there is no head 1 in block 0: they are 0 to 0"),
        (0, "0", r"there is no head '0' in block 0"),
    ],
)
def test_a_block_or_head_that_does_not_exist_is_refused(block: int, head: int, message: str) -> None:
    r = ws.run(random_transformer(), "01")
    with pytest.raises(InputError, match=message):
        ws.moved(r, block, head)
