"""The arguments of `agreement`: the result of each exporter, or any function, as something that can be run."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from weightsmith.errors import ExportError, brief
from weightsmith.export import lazy
from weightsmith.export.capabilities import require_packages
from weightsmith.export.hugging_face.writing import opened_directory
from weightsmith.export.outputs import Exported, Outputs
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids
from weightsmith.storage import opened, refusals


def as_exported(T: Transformer, exported: Any) -> Exported:
    """Return the result of an exporter, or a function from ids to logits, as a target for a report."""
    for recognise in TARGETS:
        found = recognise(T, exported)
        if found is not None:
            return found
    if all(hasattr(exported, name) for name in ("target", "dtype", "outputs")):
        measured: Exported = exported
        return measured
    if callable(exported):
        return Called(exported)
    raise ExportError(
        f"agreement(T, {brief(exported)}): give it what an exporter made, such as to_torch(T), or a function that "
        "takes places (inputs, positions) and returns logits (inputs, positions, classes)"
    )


def _torch_module(T: Transformer, exported: Any) -> Exported | None:
    if not type(exported).__module__.startswith("weightsmith.export.pytorch"):
        return None  # without loading PyTorch
    return lazy.ModuleRun(exported) if isinstance(exported, lazy.TransformerModule) else None


def _onnx_file(T: Transformer, exported: Any) -> Exported | None:
    if not isinstance(exported, str | os.PathLike) or not str(exported).endswith(".onnx"):
        return None
    require_packages("ONNX")
    with refusals("cannot read", exported), opened(Path(exported)):
        return lazy.OnnxRun(T, str(exported))


def _bridge(T: Transformer, exported: Any) -> Exported | None:
    if not type(exported).__module__.startswith("transformer_lens.") or not hasattr(exported, "own_modules"):
        return None  # one that to_transformer_lens made says whether its modules are ours
    return lazy.LensRun(T, exported)


# Each looks at the type before it loads anything, and returns None for results of other exporters.
TARGETS: list[Callable[[Transformer, Any], Exported | None]] = [
    _torch_module,
    _onnx_file,
    _bridge,
    opened_directory,
]


class Called:
    """Any function from ids to logits, also a PyTorch module of another project."""

    target, dtype = "function", "its own"

    def __init__(self, function: Callable[[Any], Any]) -> None:
        """Take the function."""
        self.function, self.takes_tensors = function, hasattr(function, "state_dict")

    def outputs(self, ids: Ids) -> Outputs:
        """Run it; a PyTorch module gets a tensor."""
        given: Any = ids
        if self.takes_tensors:
            import torch  # a module has loaded it already

            given = torch.from_numpy(ids)
        found = self.function(given)
        if hasattr(found, "detach"):
            found = found.detach().double().cpu().numpy()
        logits = np.asarray(found)
        if logits.dtype.kind not in "fiu" or logits.shape[:2] != ids.shape or logits.ndim != 3:
            raise ExportError(
                f"the function returned {brief(logits.dtype.name)} {logits.shape} for places {ids.shape}: "
                "logits must be numbers (inputs, positions, classes)"
            )
        return Outputs(logits.astype(np.float64))
