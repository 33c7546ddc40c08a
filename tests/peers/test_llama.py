import pytest

from tests.peers.agreement import assert_same_run
from tests.peers.builders import llama
from tests.peers.models import llama_model


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("shared", [1, 2, 4])
def test_llama_has_the_same_stream_and_logits_as_in_hugging_face(shared: int, tied: bool) -> None:
    model = llama_model(shared, tied)
    T = llama(model)
    assert T.tied is tied
    assert_same_run(T, model, model.model.norm)
