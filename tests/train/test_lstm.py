"""A trained LSTM becomes an object that computes the same."""

import numpy as np
import torch

from weightsmith.train.compare import Lstm


def test_the_object_computes_what_the_module_computes() -> None:
    for classes in (None, 3):
        torch.manual_seed(1)
        module = Lstm(5, 4, torch.float64, classes)
        names = None if classes is None else ("a", "b", "c")
        L = module.as_lstm("vwxyz", names)
        ids = torch.tensor([[0, 3, 3, 1, 4]])
        r = L.run("vyywz")
        assert np.allclose(r.logits, module(ids)[0].detach().numpy(), atol=1e-12)
        assert np.allclose(r.part("cell"), module.cells(ids[0]).numpy(), atol=1e-12)
