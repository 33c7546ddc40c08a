"""Features in superposition: every output stays, and the dictionary is true."""

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.disguises.programs import SIMPLE, compiled
from weightsmith.disguises.features import as_features
from weightsmith.programs import compile as compile_program
from weightsmith.programs import rasp

pytest.importorskip("torch")


@cache
def small() -> ws.Compressed:
    """Train the smallest model: 7 features in 3 directions."""
    return ws.compress(compiled("previous", 3, "ab", backend="softmax"), lanes=3, steps=250)


def test_a_compressed_program_keeps_every_output() -> None:
    P, C = compiled("previous", 3, "ab", backend="softmax"), small()
    assert len(C.dictionary.features) >= 2 * len(C.transformer.lanes) == 6
    assert (C.compared.inputs, C.compared.wrong) == (14, 0)
    for tokens in ("a", "ab", "bab", "abb"):
        assert C(tokens) == P(tokens)


@pytest.mark.long
@pytest.mark.parametrize(("name", "lanes"), [("previous", 4), ("first", 4), ("next", 5)])
def test_programs_with_twice_as_many_features_as_directions_keep_every_output(name: str, lanes: int) -> None:
    P = compiled(name, backend="softmax")
    C = ws.compress(P, lanes)
    assert name in SIMPLE
    assert len(C.dictionary.features) >= 2 * lanes == 2 * len(C.transformer.lanes)
    assert (C.compared.inputs, C.compared.wrong) == (120, 0)
    again = [ws.outputs(model, ["abca", "cabb", "c"]) for model in (C.transformer, P.transformer)]
    assert again[0] == again[1]


def test_the_stream_is_the_sum_of_features_times_their_directions() -> None:
    C = small()
    D, inverse = C.dictionary.directions, np.linalg.pinv(C.dictionary.directions)
    for token in C.original.vocabulary:  # the embedding is exact
        row = C.original.vocabulary.index(token)
        np.testing.assert_allclose(C.original.embedding[row] @ D, C.transformer.embedding[row], atol=1e-6)
    for ours, theirs in zip(C.original.blocks, C.transformer.blocks, strict=True):
        assert ours.attention
        assert theirs.attention
        for head, trained in zip(ours.attention.heads, theirs.attention.heads, strict=True):
            np.testing.assert_allclose(D.T @ head.W_O, trained.W_O, atol=1e-4)
    assert inverse.shape == D.T.shape
    assert C.dictionary.gram.shape == (len(C.original.lanes),) * 2
    assert C.dictionary.interference > 0.1


def test_a_model_with_a_lane_for_each_feature_is_equal() -> None:
    for name in SIMPLE:
        P = compiled(name, backend="softmax").transformer
        T = as_features(P)
        assert {f"token {token}" for token in "abc"} <= set(T.lanes)
        inputs = ["abca", "b", "cc", "cab"]
        assert ws.outputs(T, inputs) == ws.outputs(P, inputs)


def test_the_report_names_the_features_that_share_directions(tmp_path: Path) -> None:
    C = small()
    text = C.report()
    assert "7 features in 3 directions" in text
    assert "0 with another answer" in text
    assert set(C.kept) == set(C.original.lanes)
    assert C.kept["token a"] == 1.0
    C.save(tmp_path / "made")
    model, original, dictionary = ws.read_models(tmp_path / "made")
    assert (model, original) == (C.transformer, C.original)
    assert dictionary.score(C.dictionary.directions).coverage == 1


def test_the_same_arguments_give_the_same_model() -> None:
    from weightsmith.disguises.superposition import trained

    T = small().original
    first, second, other = (trained(T, 3, 3, seed, 5, 1)[0].transformer("") for seed in (1, 1, 2))
    assert first == second != other


def test_what_cannot_be_compressed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    P: Any = compiled("previous", 3, "ab", backend="softmax")
    for given, message in [
        ({"lanes": 7}, "lanes"),
        ({"lanes": 0}, "lanes"),
        ({"lanes": 1, "steps": 1, "restarts": 1}, "write more lanes than 1, more steps than 1, or a smaller up_to"),
        ({"lanes": 3, "seed": -1}, "seed"),
        ({"lanes": 3, "up_to": 9}, "up_to"),
    ]:
        with pytest.raises(ws.WeightsmithError, match=message):
            ws.compress(P, **given)
    exact: Any = compiled("previous", 3, "ab")
    with pytest.raises(ws.ModelError, match=r"write compile\(…, backend='softmax'\)"):
        ws.compress(exact, 2)
    with pytest.raises(ws.InputError, match="not a transformer"):
        ws.compress(3, 2)  # type: ignore[arg-type]
    always = compile_program(rasp.Map(lambda token: 3, rasp.tokens), "ab", 2, backend="softmax")
    with pytest.raises(ws.ModelError, match="its stream has 0 features, and superposition needs two"):
        ws.compress(always, 2)
    normed = ws.random_transformer(arithmetic=ws.Native("float32"))
    from dataclasses import replace

    with pytest.raises(ws.ModelError, match="does not train a norm"):
        ws.compress(replace(normed, final_norm=ws.RMSNorm()), 2)
    monkeypatch.setitem(sys.modules, "weightsmith.disguises.superposition", None)
    with pytest.raises(ws.InputError, match=r"pip install 'weightsmith\[torch\]'"):
        ws.compress(P, 3)
