"""A run by names: values at a stage, position and lane, and tables that print everything."""

import re
from html import unescape

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import InputError

T = ws.library.contains("1")
r = ws.run(T, "0010")


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_the_stream_is_read_by_stage_position_and_lane() -> None:
    found = r.at("block 0 attention", position=3, lane="found")
    assert found == 1.0
    assert type(found) is float
    assert r.at("block 0 attention", lane="found").tolist() == [0, 0, 1, 1]
    assert r.at("embedding", position=2).tolist() == [1, 0]
    assert r.at("embedding", -2).tolist() == [1, 0]
    assert np.array_equal(r.at("block 0 feed-forward"), r.stream[2])


def test_every_place_of_a_run_has_its_name() -> None:
    S = ws.random_transformer(lanes=3, blocks=2, heads=2)
    run = ws.run(S, "0110")
    for s, stage in enumerate(run.stages):
        for i in range(4):
            for j, lane in enumerate(S.lanes):
                assert run.at(stage, i, lane) == run.stream[s, i, j]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("block 0 atention",), "there is no stage block 0 atention: did you mean block 0 attention"),
        ((0,), "there is no stage 0: write embedding, block 0 attention, block 0 feed-forward"),
        (("embedding", 4), "there is no position 4: write 0 to 3, or -4 to -1 from the end"),
        (("embedding", -5), "there is no position -5: write 0 to 3, or -4 to -1 from the end"),
        (("embedding", True), "there is no position True: write 0 to 3, or -4 to -1 from the end"),
        (("embedding", "1"), "there is no position '1': write 0 to 3, or -4 to -1 from the end"),
        (("embedding", 0, "foun"), "there is no lane foun: did you mean found? "),
    ],
)
def test_a_name_that_is_not_there_is_answered_with_those_that_are(arguments: tuple[str], message: str) -> None:
    with pytest.raises(ws.WeightsmithError) as caught:
        r.at(*arguments)
    assert str(caught.value).startswith(message)
    with pytest.raises(InputError):
        r.table(positions=[4])
    with pytest.raises(InputError):
        r.table(stages=["block 7 attention"])
    with pytest.raises(ws.ModelError):
        r.table(["x"])


def test_a_run_prints_stream_attention_and_decision() -> None:
    text = str(r)
    assert text.splitlines()[:4] == [
        " after               token   symbol   found",
        " ──────────────────────────────────────────",
        " embedding           0 0          0       0",
        "                     1 0          0       0",
    ]
    assert "   3 0            weight     0     0     1     0" in text
    assert "                  score      0     0     1     0" in text
    assert "block 0 head 0" in text
    assert "decision: YES" in text
    assert "feed-forward" not in text, "there is none"
    assert repr(r).startswith("Run(tokens=('0', '0', '1', '0'), decision='YES'")


def test_a_wide_stream_keeps_every_lane_that_changes_within_80_columns() -> None:
    S = ws.random_transformer(lanes=64, blocks=1, max_length=12)
    run = ws.run(S, "010")
    lines = str(run).splitlines()
    assert max(map(len, lines)) <= 80
    for stage in range(3):
        before = run.stream[stage - 1] if stage else 0 * run.stream[0]
        changed = [lane for j, lane in enumerate(S.lanes) if (run.stream[stage, :, j] != before[:, j]).any()]
        begin = lines.index(f" {run.stages[stage]}")
        shown = [line.split()[0] for line in lines[begin + 1 : begin + 1 + len(changed)]]
        assert shown == changed
    values = lines[lines.index(" embedding") + 1].split()
    assert [float(x.removeprefix("~")) for x in values[1:]] == run.stream[0, :, 0].tolist()


@pytest.mark.long
def test_a_huge_stream_shows_what_varies_most_and_says_so() -> None:
    S = ws.random_transformer(lanes=100, blocks=1, max_length=300, weighting=ws.RightmostHard())
    text = " ".join(str(ws.run(S, "01" * 150)).split())  # a long line is folded
    assert "the last 80 of 300 positions; r.table(lanes=[…], positions=[…]) chooses" in text
    assert "64 of 100 lanes, those that vary most" in text
    assert "what the heads looked at does not fit a page; r.attention_table(block, head) shows one" in text


def test_many_heads_are_cut_after_some_and_that_is_said() -> None:
    S = ws.random_transformer(lanes=2, blocks=3, heads=5)
    assert "heads; r.attention_table" not in str(ws.run(S, "01101001")), "15 are few enough"
    S = ws.random_transformer(lanes=2, blocks=5, heads=4)
    assert "15 of 20 heads; r.attention_table(block, head) shows one" in str(ws.run(S, "01101001"))


def test_chosen_lanes_stages_and_positions_are_shown_and_no_others() -> None:
    lines = str(r.table(["found"], stages=["block 0 attention"], positions=[3, -2])).splitlines()
    assert [line.split() for line in lines[2:4]] == [["block", "0", "attention", "3", "0", "1"], ["2", "1", "1"]]
    assert len(lines) == 4
    assert str(r.table("found", stages="block 0 attention", positions=3)) == str(
        r.table(["found"], stages=["block 0 attention"], positions=[3])
    )


def test_the_attention_table_has_every_weight_and_score_that_is_visible() -> None:
    S = ws.random_transformer(lanes=3, blocks=2, heads=2)
    run = ws.run(S, "011")
    text = str(run.attention_table(1, 0))
    for kind, array in (("weight", run.attention[1][0]), ("score", run.scores[1][0])):
        rows = [line.split(kind)[1].split() for line in text.splitlines() if f" {kind} " in line]
        seen = [[float(x.removeprefix("~").replace("∞", "15.9375")) for x in row] for row in rows]
        assert seen == [[float(f"{x:.6g}") for x in array[i, : i + 1]] for i in range(3)]
    assert str(run.attention_table()).count("head") == 4
    with pytest.raises(InputError, match="^there is no block 2: the blocks are 0 to 1"):
        run.attention_table(2)
    with pytest.raises(InputError, match="^there is no head 2 in block 0: the heads are 0 to 1"):
        run.attention_table(0, 2)
    full = ws.run(ws.random_transformer(lanes=2, blocks=1, mask="full"), "01")
    assert len(re.findall(r"weight +\S+ +\S+", str(full.attention_table()))) == 2


def test_a_run_shows_itself_in_a_notebook_with_names_escaped() -> None:
    lanes = ("<b>bold</b>", "&")
    S = ws.Transformer(ws.Fixed(4, 4), ("<i>",), lanes, np.ones((1, 2)), output=np.zeros((2, 2)))
    page = ws.run(S, ["<i>"])._repr_html_()
    assert "<b>bold" not in page
    assert "<i>" not in page
    assert "<b>bold</b>" in unescape(page)
    assert page.count("<table ") == 2
