"""Where two streams part is said exactly: the sublayer, the position and the lane."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.check import Divergence, same_decisions, same_logits


def adding(values: dict[str, float], lanes: list[str], at: str = "one") -> ws.Block:
    """A block whose feed-forward layer adds values where a lane is 1."""
    W_1, W_2 = np.zeros((1, len(lanes))), np.zeros((len(lanes), 1))
    W_1[0, lanes.index(at)] = 1
    for lane, value in values.items():
        W_2[lanes.index(lane), 0] = value
    return ws.Block(None, ws.FeedForward(W_1, np.zeros(1), W_2, np.zeros(len(lanes))))


LANES = ["one", "third", "x", "y", "z"]


def model(*blocks: ws.Block, lanes: list[str] | None = None) -> ws.Transformer:
    order = [LANES.index(lane) for lane in lanes or LANES]
    table = np.zeros((5, 5))
    table[:, 0], table[2, 1] = 1, 1
    output = np.array([[0, 0, 0, 0, 0.0], [0, 0, 1, 1, 1]])
    return ws.Transformer(
        arithmetic=ws.Fixed(4, 4),
        vocabulary="ab",
        lanes=[LANES[i] for i in order],
        embedding=np.zeros((2, 5)),
        positions=ws.PositionTable(table[:, order]),
        blocks=blocks,
        output=output[:, order],
    )


NOTHING = adding({}, LANES)


@pytest.mark.parametrize("blocks_before", [0, 1, 3])
@pytest.mark.parametrize("lane", ["x", "y", "z"])
def test_streams_part_after_the_feed_forward_layer_that_differs(blocks_before: int, lane: str) -> None:
    before = (NOTHING,) * blocks_before
    S, T = model(*before, NOTHING), model(*before, adding({lane: 2}, LANES))
    verdict = same_decisions(S, T, 4)
    assert verdict.counterexample == "a"
    assert verdict.divergence == Divergence(f"block {blocks_before} feed-forward", blocks_before, 0, lane, (0.0, 2.0))
    assert verdict.certificate()["counterexample"]["divergence"]["values"] == [0.0, 2.0]
    text = f"the streams part after block {blocks_before} feed-forward, position 0, lane {lane}: 0 and 2"
    assert text in str(verdict)


def test_streams_part_at_the_first_position_that_differs() -> None:
    """At the third position only; the logits differ for inputs of three tokens."""
    S, T = model(NOTHING, NOTHING), model(NOTHING, adding({"z": -1, "y": 3}, LANES, at="third"))
    verdict = same_logits(S, T, 5)
    assert verdict.counterexample == "aaa"
    assert verdict.divergence == Divergence("block 1 feed-forward", 1, 2, "y", (0.0, 3.0))  # y before z, as in S
    verdict = same_logits(replace(S, lanes=["one", "third", "x", "z", "y"]), T, 5)
    assert verdict.divergence == Divergence("block 1 feed-forward", 1, 2, "z", (0.0, -1.0))


@pytest.mark.parametrize("swapped", [False, True])
def test_streams_part_after_the_attention_or_the_embedding_that_differs(swapped: bool) -> None:
    zero, one = np.zeros((1, 5)), np.eye(5)
    first = ws.Head(zero, zero, one[[1]], one[:, [4]], ws.AverageHard())
    none = ws.Head(zero, zero, one[[1]], 0 * one[:, [4]], ws.AverageHard())
    S, T = (model(NOTHING, ws.Block(ws.Attention((head,)))) for head in (none, first))
    values = (0.0, 0.3125)  # a third
    if swapped:
        S, T, values = T, S, (0.3125, 0.0)
    divergence = same_decisions(S, T, 5).divergence
    assert divergence == Divergence("block 1 attention", 1, 2, "z", values)
    table: Any = S.positions
    moved = table.values + np.eye(5)[[0, 0, 0, 3, 0]] * [[0], [0], [0], [2], [0]]
    other = replace(S, positions=ws.PositionTable(moved))
    divergence = same_logits(S, other, 5).divergence
    assert divergence == Divergence("embedding", None, 3, "y", (0.0, 2.0))
    assert divergence.to_json()["block"] is None


def test_lanes_are_compared_by_name_and_others_are_passed_over() -> None:
    S, T = model(NOTHING), model(adding({"y": 4}, LANES))
    moved = ["z", "one", "y", "third", "x"]
    same = same_decisions(S, model(adding({"y": 4}, moved), lanes=moved), 2)
    assert same.divergence == Divergence("block 0 feed-forward", 0, 0, "y", (0.0, 4.0))
    wide = ws.widen(T, ["more"], where="front")
    assert same_decisions(S, wide, 2).divergence == same.divergence


def test_without_a_common_lane_or_another_stream_nothing_parts() -> None:
    S, T = model(NOTHING), model(adding({"y": 4}, LANES))
    other = replace(T, lanes=["1", "2", "3", "4", "5"])
    verdict = same_decisions(S, other, 2)
    assert not verdict.holds
    assert verdict.divergence is None
    assert same_decisions(T, replace(T, output=T.output * 0), 2).divergence is None  # only the output differs
    assert ws.check.recognizes(T, lambda tokens: False, 2).divergence is None
    assert same_decisions(T, T, 2).divergence is None


def test_each_kind_of_claim_says_what_each_side_says() -> None:
    S, T = model(NOTHING), model(adding({"y": 4}, LANES))
    assert same_decisions(S, T, 2).sides == {"the first": "NO", "the second": "YES"}
    assert same_logits(S, T, 2).sides == {"the first": "NO=0, YES=0", "the second": "NO=0, YES=4"}
    assert ws.check.recognizes(T, lambda tokens: len(tokens) < 2, 2).sides == {
        "the transformer": "YES", "the language": "it does not belong to it"}  # fmt: skip
    assert ws.check.recognizes(S, lambda tokens: True, 2).sides["the language"] == "it belongs to it"
    vectors = ws.check.final_vectors(T, lambda vectors: vectors[:, 3] == 0, 2)
    assert vectors.sides == {"the last vector": "one=1, third=0, x=0, y=4, z=0"}
    tokens = replace(T, classes=("a", "b"))
    assert ws.check.agrees_with(tokens, lambda tokens: "a", 2).sides == {"the transformer": "b", "the function": "a"}
    assert same_decisions(T, T, 2).sides == {}
