"""Samples for sparse autoencoders: the true features of every vector, in the shapes that SAELens takes."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.disguises.programs import compiled

torch = pytest.importorskip("torch")


@cache
def rotated() -> ws.Disguised:
    P = compiled("counted", 3, "ab", backend="softmax")
    return ws.rotate(ws.to_arithmetic(P.transformer, ws.Native("float64")), seed=2)


@cache
def small() -> ws.Compressed:
    return ws.compress(compiled("previous", 3, "ab", backend="softmax"), lanes=3, steps=250)


STAGES = ("embedding", "block 0 attention", "block 0 feed-forward")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("made", [rotated, small])
def test_the_stream_is_the_sum_of_the_features_in_every_sample(made: Any, stage: str) -> None:
    D = made()
    S = D.samples(stage=stage)
    assert S.stage == stage
    np.testing.assert_allclose(S.features @ S.dictionary.directions, S.activations, atol=1e-5)
    assert (S.features >= 0).all()
    assert S.features.any()
    one = D.samples(["aba"], stage=stage)
    stream = ws.run(D.transformer, "aba").stream[STAGES.index(stage)]
    np.testing.assert_allclose(one.activations, stream, atol=1e-6)


def test_samples_of_a_rotated_model_have_the_features_of_the_original() -> None:
    D = rotated()
    S = D.samples(["ab"])
    stream = ws.run(D.original, "ab").stream[-1]
    book = list(S.dictionary.features)
    for j, lane in enumerate(D.original.lanes):
        values = S.features[:, book.index(lane)]
        if f"{lane} (negative)" in book:
            values = values - S.features[:, book.index(f"{lane} (negative)")]
        np.testing.assert_allclose(values, stream[:, j], atol=1e-9)
    assert any(name.endswith(" (negative)") for name in D.samples().dictionary.features) == bool((stream < 0).any())


def test_a_feature_that_is_negative_is_there_twice_with_opposite_directions() -> None:
    S = small().samples()
    book = S.dictionary
    twice = [name for name in book.features if name.endswith(" (negative)")]
    assert twice
    for name in twice:
        np.testing.assert_array_equal(book.direction(name), -book.direction(name.removesuffix(" (negative)")))


def test_shapes_are_those_of_the_evaluation_of_saelens() -> None:
    S = small().samples(seed=5)
    features, lanes = len(S.dictionary.features), 3
    assert tuple(S.feature_vectors.shape) == (features, lanes)
    drawn = S.sample(11)
    assert tuple(drawn.shape) == (11, features)
    assert drawn.dtype == torch.float32
    hidden = S(drawn)
    assert tuple(hidden.shape) == (11, lanes)
    rows = torch.from_numpy(S.activations.astype(np.float32))
    distances = (hidden[:, None] - rows).abs().amax(dim=-1).amin(dim=1)
    assert (distances < 1e-5).all()
    tensors = S.tensors()
    assert {name: tuple(tensor.shape) for name, tensor in tensors.items()} == {
        "feature_vectors": (features, lanes),
        "feature_activations": (len(S.features), features),
        "hidden_activations": (len(S.features), lanes),
    }
    again = small().samples(seed=5)
    assert torch.equal(again.sample(11), drawn)
    assert not torch.equal(small().samples(seed=6).sample(11), drawn)


def test_the_decoder_of_an_autoencoder_is_scored_as_it_is() -> None:
    S = small().samples()
    decoder = torch.nn.Parameter(S.feature_vectors.clone())  # as W_dec of SAELens, (latents, lanes)
    assert S.dictionary.score(decoder).coverage == 1
    assert S.dictionary.score(torch.nn.Parameter(torch.zeros(4, 3) + 1e-3)).coverage < 1


def test_what_has_no_samples_is_refused() -> None:
    D: Any = small()
    for given, message in [
        ({"inputs": "ab"}, r"\['ab', 'ba'\]"),
        ({"inputs": []}, "list of inputs"),
        ({"inputs": ["x"]}, "x"),
        ({"stage": "block 7"}, "stage"),
        ({"seed": -1}, "seed"),
    ]:
        with pytest.raises(ws.WeightsmithError, match=message):
            D.samples(**given)
    with pytest.raises(ws.InputError, match="batch_size"):
        D.samples().sample(0)
    loud = ws.Transformer(
        ws.Fixed(4, 0), "ab", ["x"], [[15.0], [1.0]], ws.PositionTable([[15.0], [0.0]]), (), [[1.0], [-1.0]]
    )
    book = ws.Dictionary(["x"], [[1.0]])
    saturating = ws.Disguised(loud, loud, book, ws.Compared(1, 2, 0, 0.0))
    with pytest.raises(ws.ModelError, match="saturates or rounds"):
        saturating.samples(["a"])
