import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.peers.agreement import assert_same_run, words
from tests.peers.builders import CLOSE, array, gpt2
from tests.peers.models import gpt2_model


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("activation", ["gelu_new", "gelu", "relu", "silu"])
def test_gpt2_has_the_same_stream_and_logits_as_in_hugging_face(activation: str, tied: bool) -> None:
    model = gpt2_model(activation, tied)
    T = gpt2(model)
    assert T.tied is tied
    assert_same_run(T, model, model.transformer.ln_f)


def test_gpt2_attends_as_in_hugging_face() -> None:
    model = gpt2_model()
    T, ids = gpt2(model), np.arange(12) * 7 % 40
    with torch.no_grad():
        theirs = model(torch.from_numpy(ids)[None], output_attentions=True).attentions
    for block, weights in zip(ws.run(T, words(T, ids)).attention, theirs, strict=True):
        np.testing.assert_allclose(np.stack(block), array(weights[0]), rtol=0, atol=CLOSE)


def test_what_weightsmith_counts_as_weights_are_the_parameters_of_gpt2() -> None:
    for tied in (True, False):
        model = gpt2_model(tied=tied)
        assert gpt2(model).weights == sum(parameter.numel() for parameter in model.parameters())


def test_in_float32_logits_agree_with_float32_in_torch() -> None:
    # each side rounds to 2^-24 at every step of 3 blocks, so 1e-4 of the largest logit is some hundred roundings
    model = gpt2_model().float()
    T = ws.to_arithmetic(gpt2(model), ws.Native("float32"))
    for ids in (np.arange(5), np.arange(40)[::-1].copy()):
        with torch.no_grad():
            theirs = array(model(torch.from_numpy(ids)[None]).logits[0, -1])
        ours = ws.run(T, words(T, ids)).logits
        assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max()
        assert (ours == ours.astype(np.float32)).all()


def test_the_machines_sums_agree_with_left_folds() -> None:
    # the same terms in another order: 1e-12 is some thousand roundings of numbers about 1
    T = gpt2(gpt2_model())
    ids = words(T, np.arange(20) * 3 % 40)
    fast, plain = ws.run(T, ids), ws.run(T, ids, sums="left")
    np.testing.assert_allclose(fast.stream, plain.stream, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fast.logits, plain.logits, rtol=0, atol=1e-12)
    for b in range(3):
        np.testing.assert_allclose(fast.activations[b], plain.activations[b], rtol=0, atol=1e-12)
        np.testing.assert_allclose(fast.attention[b], plain.attention[b], rtol=0, atol=1e-12)
        np.testing.assert_allclose(fast.scores[b], plain.scores[b], rtol=0, atol=1e-12)
        for ours, theirs in zip(fast.heads[b], plain.heads[b], strict=True):
            np.testing.assert_allclose(ours.output, theirs.output, rtol=0, atol=1e-12)
