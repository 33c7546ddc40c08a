"""The attention weights of a model in every target: those of its run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from weightsmith import Native, export
from weightsmith.errors import ExportError

IDS = torch.tensor([[0, 1, 1, 0], [1, 1, 0, 1]])


def wanted(T: ws.Transformer) -> Any:
    """Return the weights of the first head."""
    runs = [ws.run(T, [T.vocabulary[i] for i in row]) for row in IDS.tolist()]
    return np.array([run.attention[0][0] for run in runs])


def assert_weights_in_every_target(T: ws.Transformer, folder: Path) -> None:
    """Assert that every target has the weights of the run: exactly in its arithmetic, closely in float64."""
    assert np.array_equal(wanted(T), export.to_torch(T, exact=True).run(IDS).attention[0][0].numpy())
    T = ws.to_arithmetic(T, Native("float64"))
    module = export.to_torch(T)
    assert np.abs(wanted(T) - module.run(IDS).attention[0][0].detach().numpy()).max() < 1e-12
    assert export.from_torch(module) == T
    bridge = export.to_transformer_lens(T)
    assert bridge.own_modules
    for report in (
        export.to_onnx(T, folder / "model.onnx", trace=True),
        export.to_hugging_face(T, folder / "model"),
        bridge.agreement,
    ):
        assert report.agrees
        assert report.stream_difference is not None
        assert report.stream_difference < 1e-12


def refusals(T: ws.Transformer, folder: Path) -> tuple[str, str]:
    """Return what GPT-2 and TransformerLens's own blocks say of a model with heads that they lack."""
    with pytest.raises(ExportError) as first:
        export.to_hugging_face(T, folder / "model", "gpt2")
    with pytest.raises(ExportError) as second:
        export.to_transformer_lens(T, own_modules=False)
    return str(first.value), str(second.value)
