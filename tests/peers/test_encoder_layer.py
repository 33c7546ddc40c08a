import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.peers.agreement import words
from tests.peers.builders import CLOSE, array, drawn, encoder
from weightsmith.model.transformer import Mask


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [True, False])
def test_an_encoder_layer_of_torch_gives_the_same_stream(norm_first: bool, activation: str, mask: Mask) -> None:
    embedding = np.random.default_rng(0).normal(size=(10, 24))
    layers = [
        drawn(
            torch.nn.TransformerEncoderLayer(
                24, 3, 40, activation=activation, norm_first=norm_first, batch_first=True, dtype=torch.float64
            ),
            seed,
        )
        for seed in (1, 2)
    ]
    T = encoder(layers, embedding, mask)
    for ids in ([3], [1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]):
        h = torch.from_numpy(embedding[ids])[None]
        hidden = torch.nn.Transformer.generate_square_subsequent_mask(len(ids), dtype=torch.float64)
        ours = ws.run(T, words(T, ids)).stream[2::2]
        for layer, found in zip(layers, ours, strict=True):
            with torch.no_grad():
                h = layer(h, src_mask=hidden if mask == "causal" else None)
            np.testing.assert_allclose(found, array(h[0]), rtol=0, atol=CLOSE)
