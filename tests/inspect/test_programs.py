"""Looking into compiled programs, whose answers are codes in the lanes of a readout."""

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.inspect.ablation import ablate
from weightsmith.model.readout import NO_VALUE, value_text
from weightsmith.model.sites import stage_site
from weightsmith.programs import rasp

SOURCES = {
    "hist": ("counts = selector_width(select(tokens, tokens, ==));", "abca"),
    "reverse": ("aggregate(select(indices, length - indices - 1, ==), tokens);", "bcabc"),
    "share": ("aggregate(select(tokens, tokens, ==), indicator(indices > 1));", "abcc"),
}
COMPILED = ("hist", "reverse", "share")


@pytest.fixture(scope="module", params=COMPILED)
def r(request: pytest.FixtureRequest) -> ws.Run:
    """Give a run of a compiled program."""
    source, tokens = SOURCES[request.param]
    return ws.run(ws.programs.compile_rasp(source, vocabulary="abc", max_length=6).transformer, tokens)


def test_the_lens_reads_the_code_after_every_sublayer(r: ws.Run) -> None:
    T, seen = r.transformer, ws.lens(r)
    assert T.readout is not None
    assert seen.codes is not None
    assert seen.decisions[-1] == r.outputs
    assert seen.logits.shape == (*r.stream.shape[:2], 0)
    columns = [T.lanes.index(lane) for lane in T.readout.lanes]
    assert np.array_equal(seen.codes, r.stream[..., columns])
    table = dict(T.readout.entries)
    for stage, row in enumerate(seen.decisions):
        for position, said in enumerate(row):
            code = tuple(seen.codes[stage, position].tolist())
            assert said == table[code] if code in table else said is NO_VALUE
    lane = T.readout.lanes[0]
    assert f"value of lane {lane}" in str(seen.table(lane))


def test_the_parts_add_up_to_the_value_in_a_lane_of_the_readout(r: ws.Run) -> None:
    T = r.transformer
    assert T.readout is not None
    assert r.codes is not None
    for lane in T.readout.lanes:
        for position in range(len(r.tokens)):
            found = ws.attribute(r, lane, position=position)
            assert found.logit == r.codes[position, T.readout.lanes.index(lane)]
            assert abs(found.residue) <= 2**-8 * max(1.0, sum(abs(part.amount) for part in found.parts))


def test_ablations_are_those_of_ablate(r: ws.Run) -> None:
    for position in (0, -1):
        found = ws.ablations(r, position=position)
        for row in found:
            one = ablate(r, block=row.block, head=row.head, sublayer="feed-forward" if row.head is None else None)
            number = one.answer_ids[position]
            assert one.codes is not None
            assert row.code == tuple(one.codes[position].tolist())
            assert row.decision is NO_VALUE if number < 0 else row.decision == r.transformer.answers[number]
        assert any(row.decision != r.outputs[position] for row in found)
        assert value_text(r.outputs[position]) in str(found.table())


def test_a_sweep_is_what_patching_says(r: ws.Run) -> None:
    other = ws.run(r.transformer, "".join(reversed(r.tokens)))
    for position in (0, -1):
        found = ws.sweep(r, other, position=position)
        assert found.codes is not None
        for s, stage in enumerate(found.stages):
            site = stage_site(r.stages.index(stage))
            if site.block is None or site.kind == "embedding":
                continue
            for at in range(len(r.tokens)):
                one = ws.patch(r, other, site.block, after=site.kind, positions=[at])  # type: ignore[arg-type]
                assert one.codes is not None
                assert np.array_equal(found.codes[s, at], one.codes[position])
        assert found.decisions[-1][position] == other.outputs[position]
        assert str(found.table())


def test_a_readout_with_the_value_none_needs_no_name_either() -> None:
    """None is a value of a readout, and also what is given where nothing is."""
    before = rasp.Select(rasp.indices, rasp.Map(lambda i: i - 1, rasp.indices), rasp.Comparison.EQ)
    T = ws.programs.compile(rasp.Aggregate(before, rasp.tokens), "abc", 4).transformer
    assert T.readout is not None
    assert None in T.answers
    r, (lane,) = ws.run(T, "abca"), T.readout.lanes
    assert r.codes is not None
    for found in (ws.attribute(r), ws.attribute(r, lane)):
        assert found.logit == r.codes[-1, 0]
        assert found.total + found.residue == found.logit
    assert {row.decision for row in ws.ablations(r)} != {"c"}
    assert ws.ablations(r, lane).value == r.codes[-1, 0]
    assert f"value of lane {lane}" in str(ws.sweep(r, ws.run(T, "cbab"), lane))
    with pytest.raises(ws.InputError, match="'a' is a value of the readout"):
        ws.attribute(r, lane, over="a")


def test_a_code_with_several_lanes_needs_a_name() -> None:
    T = ws.library.contains("1")
    lanes = T.lanes[:2]
    two = ws.Readout(lanes, {(0.0, 0.0): "no", (1.0, 1.0): "yes"})
    S = ws.Transformer(
        T.arithmetic, T.vocabulary, T.lanes, T.embedding, blocks=T.blocks, positions=T.positions, readout=two
    )
    r = ws.run(S, "01")
    with pytest.raises(ws.WeightsmithError, match="several lanes"):
        ws.attribute(r)
    with pytest.raises(ws.WeightsmithError, match="lane of the readout"):
        ws.attribute(r, "nothing of that name")
    found = ws.ablations(r)
    assert found.target is None
    assert np.isnan(found.value)
    assert all(np.isnan(row.value) and row.code is not None and len(row.code) == 2 for row in found)
    assert "code" in str(found.table())
    assert np.isfinite(ws.ablations(r, lanes[1]).rows[0].value)
