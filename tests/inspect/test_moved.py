"""What heads moved."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, LayerNorm, Native, Softmax, Transformer, random_transformer
from weightsmith.inspect import Moves


def copying() -> Transformer:
    """Give a model whose one head copies lane `a` of the position before, times 3, to lane `b`."""
    lanes, A = ("one", "a", "b"), Fixed(4, 4)
    head = ws.heads.previous(lanes, {"a": {"b": 3}}, A)
    return Transformer(
        arithmetic=A,
        vocabulary="xy",
        lanes=lanes,
        embedding=ws.matrix(["x", "y"], lanes, {("x", "one"): 1, ("y", "one"): 1, ("y", "a"): 2}),
        blocks=(ws.Block(ws.Attention((head,))),),
        output=np.zeros((2, 3)),
    )


def test_what_a_head_moved_names_positions_and_lanes() -> None:
    moves = ws.moved(ws.run(copying(), "yxy"), block=0, head=0)
    assert [(m.source, m.target, m.weight) for m in moves] == [(0, 1, 1.0), (1, 2, 1.0)]
    assert moves[0].lanes == {"b": 6.0}
    assert moves[0].paths() == {("a", "b"): 6.0}
    assert not moves[1].lanes
    assert not moves[1].paths()  # x has nothing in lane a


def test_the_moves_add_up_to_what_the_head_added() -> None:
    for rule in (None, ws.Alibi(), ws.Rotary(), ws.Relative(np.ones((2, 4)), np.arange(8.0).reshape(2, 4))):
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


def test_all_heads_of_all_blocks_are_listed_unless_one_is_given() -> None:
    T = random_transformer(blocks=3, heads=2, weighting=Softmax(True), arithmetic=Native("float64"))
    T = replace(T, blocks=(T.blocks[0], replace(T.blocks[1], attention=None), T.blocks[2]))
    r = ws.run(T, "011")
    every = ws.moved(r)
    order = [(m.block, m.head, m.target, m.source) for m in every]
    assert order == [
        (b, h, *place) for b in (0, 2) for h in (0, 1) for place in np.argwhere(r.attention[b][h]).tolist()
    ]
    assert len(order) > 12
    assert _places(ws.moved(r, 2)) == [m for m in _places(every) if m[0] == 2]
    assert _places(ws.moved(r, 2, 1)) == [m for m in _places(every) if m[:2] == (2, 1)]
    assert _places(ws.moved(r, head=1)) == [m for m in _places(every) if m[1] == 1]


def _places(moves: Moves) -> list[tuple[int, ...]]:
    return [(m.block, m.head, m.source, m.target) for m in moves]


def test_which_head_wrote_a_lane_at_a_position_is_said_largest_first() -> None:
    T = random_transformer(blocks=2, heads=2, weighting=Softmax(True), arithmetic=Native("float64"), seed=2)
    r = ws.run(T, "0110")
    found = ws.moved(r, lane="x2", position=-1)
    amounts = [abs(m.lanes["x2"]) for m in found]
    assert len(amounts) > 8
    assert amounts == sorted(amounts, reverse=True)
    assert all(m.target == 3 for m in found)
    assert sorted(_places(found)) == sorted(m for m in _places(ws.moved(r)) if m[3] == 3)
    total = sum(m.lanes["x2"] for m in found if m.block == 1)
    assert total == pytest.approx(sum(head.output[-1, 2] for head in r.heads[1]), rel=1e-9)


def test_moves_that_do_not_write_a_lane_are_left_out() -> None:
    r = ws.run(copying(), "yxy")
    assert [(m.source, m.target) for m in ws.moved(r, lane="b")] == [(0, 1)]
    assert not ws.moved(r, lane="a")
    assert not ws.moved(r, lane="b", position=2)
    assert [(m.source, m.target) for m in ws.moved(r, position=2)] == [(1, 2)]


def test_moves_are_a_sequence_and_print_as_a_table() -> None:
    moves = ws.moved(ws.run(copying(), "yxy"))
    assert len(moves) == 2
    assert list(moves) == [moves[0], moves[1]] == [*moves[:1], moves[-1]]
    assert [line.split() for line in str(moves).splitlines() if "─" not in line] == [
        ["block", "head", "from", "to", "weight", "what"],
        ["0", "0", "0", "y", "1", "x", "1", "b=6"],
        [],
        ["left", "out:", "1", "with", "a", "weight,", "and", "nothing", "there", "to", "bring"],
    ]
    assert "<td" in moves._repr_html_()
    assert repr(moves) == "<2 moves of the run of y x y>"
    assert "nothing was moved" in str(moves[:0])


def test_a_long_table_of_moves_is_cut_and_so_are_many_lanes() -> None:
    T = random_transformer(lanes=9, blocks=3, heads=2, weighting=Softmax(True), arithmetic=Native("float64"))
    moves = ws.moved(ws.run(T, "01010101"))
    assert len(moves) > 60
    lines = str(moves).splitlines()
    assert lines[-1].startswith(f"… {len(moves) - 60} more: moved(run,")
    assert sum("(9" in line for line in lines) == 60
    one = ws.moved(ws.run(T, "01"), 0, 0, lane="x4", position=1)
    largest = sorted(one[0].lanes, key=lambda lane: -abs(one[0].lanes[lane]))
    assert largest[0] != "x4"
    assert "   x4=" in str(one)  # the lane that was asked for stands first


def test_a_head_that_was_ablated_or_patched_moved_nothing_there() -> None:
    r = ws.run(copying(), "yyyy")
    assert len(ws.moved(r)) == 3
    assert not ws.moved(ws.ablate(r, block=0, head=0))
    assert not ws.moved(ws.ablate(r, block=0))
    assert [m.target for m in ws.moved(ws.ablate(r, block=0, head=0, positions=[2]))] == [1, 3]
    assert [m.target for m in ws.moved(ws.patch(r, r, 0, after="attention", positions=[1]))] == [2, 3]


def test_numbers_of_numpy_are_numbers_of_blocks_and_heads() -> None:
    r = ws.run(random_transformer(heads=2), "01")
    b, i = np.argwhere(np.eye(2))[1]
    assert _places(ws.moved(r, b, i)) == _places(ws.moved(r, 1, 1))
