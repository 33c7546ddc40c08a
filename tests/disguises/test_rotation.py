"""Rotated models: the same answers, and no feature in a lane."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.disguises.programs import PROGRAMS, compiled
from weightsmith.inspect.edges import live_edges
from weightsmith.model import Transformer
from weightsmith.programs import compile as compile_program

INPUTS = ["".join(tokens) for n in range(1, 5) for tokens in product("abc", repeat=n)]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("backend", ["exact", "softmax"])
@pytest.mark.parametrize("kind", ["permutation", "unimodular"])
def test_maps_of_whole_numbers_keep_every_output_exactly(name: str, backend: Any, kind: Any) -> None:
    P = compiled(name, backend=backend)
    R = ws.rotate(P, 3, kind=kind, up_to=4)
    assert (R.compared.wrong, R.compared.difference, R.compared.inputs) == (0, 0.0, len(INPUTS))
    assert ws.outputs(R.transformer, INPUTS[::7]) == ws.outputs(R.original, INPUTS[::7])
    assert [R(tokens) for tokens in INPUTS[::7]] == [P(tokens) for tokens in INPUTS[::7]]
    whole = np.asarray(R.dictionary.directions)
    assert round(abs(np.linalg.det(whole))) == 1
    assert (whole == whole.round()).all()
    if kind == "unimodular":
        assert (np.count_nonzero(whole, axis=0) > 1).any()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_rotation_of_floats_keeps_every_answer_and_leaves_no_lane_to_a_feature(name: str) -> None:
    T = ws.to_arithmetic(compiled(name, backend="softmax").transformer, ws.Native("float64"))
    R = ws.rotate(T, 1)
    assert R.compared.wrong == 0
    assert 0 < R.compared.difference < 1e-12
    assert R.dictionary.alone == ()
    assert np.abs(R.dictionary.gram - np.eye(len(T.lanes))).max() < 1e-12
    here, there = (ws.run(model, "abca").stream for model in (R.original, R.transformer))
    np.testing.assert_allclose(here @ R.dictionary.directions, there, atol=1e-9)


def test_the_live_edges_of_a_rotated_model_are_those_of_the_original() -> None:
    T = ws.to_arithmetic(compiled("previous", backend="softmax").transformer, ws.Native("float64"))
    R = ws.rotate(T, 1)
    ours, theirs = ({str(found.edge) for found in live_edges(model, 3)[0]} for model in (R.original, R.transformer))
    assert ours == theirs
    assert ours
    circuit = R.circuit(up_to=3)
    assert len(circuit["cut"]["live"]) == len(ours)
    assert circuit["basis"]["features"] == list(T.lanes)


def test_the_same_seed_gives_the_same_model_and_another_seed_another() -> None:
    T = ws.to_arithmetic(compiled("previous", backend="softmax").transformer, ws.Native("float32"))
    assert ws.rotate(T, 1).transformer == ws.rotate(T, 1).transformer != ws.rotate(T, 2).transformer


def _normed(norm: Any, placement: Any = "pre", **more: Any) -> Transformer:
    T = ws.random_transformer(arithmetic=ws.Native("float64"), seed=5)
    n = len(T.lanes)
    made = norm(gain=np.linspace(0.5, 2, n)) if placement == "pre" else norm()
    if norm is ws.LayerNorm:
        made = replace(made, bias=np.linspace(-1, 1, n))
    blocks = tuple(
        replace(
            block,
            attention_norm=made if block.attention else None,
            feed_forward_norm=made if block.feed_forward else None,
            norm_placement=placement,
        )
        for block in T.blocks
    )
    return replace(T, blocks=blocks, final_norm=norm(gain=np.linspace(1, 2, n)), **more)


@pytest.mark.parametrize("norm", [ws.LayerNorm, ws.RMSNorm])
@pytest.mark.parametrize("placement", ["pre", "post"])
def test_rotations_commute_with_norms(norm: Any, placement: Any) -> None:
    T = _normed(norm, placement)
    R = ws.rotate(T, 2, up_to=3)
    assert R.compared.wrong == 0
    assert R.compared.difference < 1e-9
    tokens = list(T.vocabulary)[:2] * 2
    np.testing.assert_allclose(ws.run(T, tokens).logits, ws.run(R.transformer, tokens).logits, atol=1e-9)
    M = R.dictionary.directions.T
    assert np.abs(M - np.eye(len(M))).max() > 0.1
    if norm is ws.LayerNorm:
        np.testing.assert_allclose(M.sum(axis=1), 1, atol=1e-12)


def test_a_norm_over_some_lanes_is_mixed_with_no_other_lane() -> None:
    T = ws.random_transformer(arithmetic=ws.Native("float64"), seed=5)
    some = tuple(T.lanes[:2])
    T = replace(T, final_norm=ws.RMSNorm(lanes=some))
    R = ws.rotate(T, 2)
    assert R.compared.wrong == 0
    assert not R.dictionary.directions[:2, 2:].any()
    assert not R.dictionary.directions[2:, :2].any()


def test_a_readout_becomes_classes_by_a_rotation_and_keeps_its_values() -> None:
    soft = ws.to_arithmetic(compiled("previous", backend="softmax").transformer, ws.Native("float64"))
    token = soft.embedding[:, soft.lanes.index("token")].tolist()
    codes = {code: 10 * i for i, code in enumerate(token)}
    bare: dict[str, Any] = {"blocks": (), "classes": (), "output": None, "output_bias": None}
    read = replace(soft, **bare, readout=ws.Readout(("token",), codes))
    R = ws.rotate(read, 4)
    assert R("cab") == [20, 0, 10]
    assert R.transformer.readout is None
    assert set(R.transformer.classes) == {"0", "10", "20"}


def test_a_disguised_program_reads_its_tokens_as_the_program_does() -> None:
    """Numbers are its tokens and no ids of the transformer, which would be other tokens, without an error."""
    P = compile_program(PROGRAMS["previous"](), (1, 2, 3), 3, backend="softmax")
    R = ws.rotate(P, 1, kind="permutation")
    for disguised in (R, ws.rotate(R, 2, kind="permutation")):
        assert disguised.transformer.vocabulary == ("1", "2", "3")
        assert list(map(str, disguised([1, 2]))) == ["None", "1"] == list(map(str, P([1, 2])))
        stream = ws.run(disguised.transformer, ["1", "2"]).stream[-1]
        assert np.array_equal(disguised.samples([[1, 2]]).activations, stream)
        with pytest.raises(ws.InputError, match="0 at position 0 is not in the vocabulary"):
            disguised([0, 1])


def test_what_hangs_on_saturation_is_refused_in_floats() -> None:
    T = ws.to_arithmetic(compiled("counted").transformer, ws.Native("float64"))
    with pytest.raises(ws.ModelError, match=r"have another answer: .* write kind='unimodular'"):
        ws.rotate(T, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seed": -1}, "seed"),
        ({"kind": "round"}, "write 'orthogonal', 'unimodular' or 'permutation'"),
        ({"kind": "orthogonal"}, "does not hold a rotation: write compile"),
        ({"up_to": 0}, "up_to"),
        ({"up_to": 30}, "up_to"),
    ],
)
def test_wrong_arguments_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ws.WeightsmithError, match=message):
        ws.rotate(compiled("previous").transformer, **{"seed": 1, **given})


def test_norms_refuse_maps_that_do_not_commute() -> None:
    with pytest.raises(ws.InputError, match="commutes with no norm: write kind='permutation'"):
        ws.rotate(_normed(ws.LayerNorm), 1, kind="unimodular")
    T = _normed(ws.RMSNorm, "post")
    gained = replace(T.blocks[0], attention_norm=ws.RMSNorm(gain=np.linspace(1, 2, len(T.lanes))))
    with pytest.raises(ws.ModelError, match="after its sublayer and has a gain"):
        ws.rotate(replace(T, blocks=(gained, *T.blocks[1:])), 1)
    with pytest.raises(ws.InputError, match="not a transformer"):
        ws.rotate("model", 1)  # type: ignore[arg-type]


def test_the_truth_is_saved_with_the_model(tmp_path: Path) -> None:
    R = ws.rotate(compiled("previous"), 3, up_to=3)
    R.save(tmp_path / "made")
    model, original, dictionary = ws.read_models(tmp_path / "made")
    assert model == R.transformer
    assert original == R.original
    assert dictionary.features == R.dictionary.features
    assert np.array_equal(dictionary.directions, R.dictionary.directions)
