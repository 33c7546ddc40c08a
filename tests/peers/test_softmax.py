import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.peers.builders import CLOSE, SHIFTED, array, names


@pytest.mark.parametrize("size", [1.0, 40.0, 1e4, 1e150])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_far_from_zero_are_weighed_as_in_torch(size: float, sign: int) -> None:
    # what is hidden by the mask must not reach the exponential: exp(0 − largest) overflows for a largest of −1000
    h = np.arange(1.0, 6)[:, np.newaxis]
    head = ws.Head([[size]], [[sign]], [[1.0]], [[1.0]], SHIFTED)  # type: ignore[arg-type]
    T = ws.Transformer(
        arithmetic=ws.Native("float64"),
        vocabulary=names("t", 5),
        lanes=("x",),
        embedding=h,
        positions=None,
        blocks=[ws.Block(ws.Attention((head,)))],
        output=np.zeros((2, 1)),
    )
    scores = torch.from_numpy(sign * size * h @ h.T)
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    theirs = array(torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1))
    for sums in (None, "left"):
        found = ws.run(T, list(T.vocabulary), sums=sums)
        np.testing.assert_allclose(found.attention[0][0], theirs, rtol=0, atol=CLOSE)
        assert found.empty_softmax == 0
