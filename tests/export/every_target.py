"""A transformer in every target, as it is measured, without the measuring: for comparing many models quickly."""

from typing import Any

import numpy as np
import torch
from onnx import numpy_helper

import weightsmith as ws
from weightsmith.arithmetic import Array, Saturating
from weightsmith.errors import ExportError
from weightsmith.export.description import described
from weightsmith.export.hugging_face.hub.network_weightsmith import Network
from weightsmith.export.lens.bridge import LensRun, booted
from weightsmith.export.lens.shape import shape_of
from weightsmith.export.onnx.model import Exporter
from weightsmith.export.onnx.writing import OnnxRun
from weightsmith.export.outputs import Outputs
from weightsmith.export.pytorch import made
from weightsmith.export.pytorch.file import ModuleRun
from weightsmith.semantics.evaluation import Ids

TARGETS = ("PyTorch", "ONNX", "Hugging Face", "TransformerLens")
QUICK = TARGETS[:3]


class HuggingFace:
    """The network that `to_hugging_face` writes, filled as it is there."""

    def __init__(self, T: ws.Transformer, dtype: str) -> None:
        description, arrays = described(T)
        self.network = Network(description).to(getattr(torch, dtype))
        self.network.load_state_dict({name: torch.tensor(np.array(array)) for name, array in arrays.items()})

    def outputs(self, ids: Ids) -> Outputs:
        with torch.no_grad():
            stream = self.network(torch.tensor(ids)).stream
            logits: Array = self.network.logits(stream[-1]).double().numpy()
        return Outputs(logits, [stage.double().numpy() for stage in stream])


def target(T: ws.Transformer, name: str, dtype: str = "float64") -> Any:
    """Give a transformer in a target; None where it has no place there."""
    assert isinstance(T.arithmetic, Saturating)
    if name == "PyTorch":
        return ModuleRun(made(T, dtype=dtype))
    if name == "Hugging Face":
        return HuggingFace(T, dtype)
    if name == "ONNX":
        exporter = Exporter(T, dtype, True, None, T.arithmetic.infinity)
        tensors = [numpy_helper.from_array(array, key) for key, array in exporter.graph.constants.items()]
        return OnnxRun(T, exporter.model(tensors).SerializeToString())
    try:
        bridge = booted(T, shape_of(T, None, True), dtype, True)
    except ExportError:  # parallel blocks, norms of several kinds
        return None
    bridge.own_modules = True
    return LensRun(T, bridge)


def all_up_to(T: ws.Transformer, length: int) -> list[Ids]:
    """Give every input up to a length."""
    most = min(length, T.max_length or length)
    return [np.indices((len(T.vocabulary),) * n).reshape(n, -1).T.copy() for n in range(1, most + 1)]
