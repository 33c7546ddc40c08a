"""A PyTorch module as it is measured against its original."""

from copy import deepcopy

import torch

from weightsmith.arithmetic import Array
from weightsmith.export.measuring import Outputs
from weightsmith.export.pytorch.module import TransformerModule
from weightsmith.semantics.evaluation import Ids


class Measured:
    """What `to_torch` made, on whatever device it is."""

    steps = True

    def __init__(self, module: TransformerModule) -> None:
        """Say what it is."""
        self.module, self.rounds, self.saturates = module, module.exact, module.saturates
        self.target = "PyTorch, exact" if module.exact else "PyTorch"
        self.dtype = str(module.embedding.dtype).removeprefix("torch.")

    def in_dtype(self, dtype: str) -> "Measured | None":
        """Return the module with its weights cast, or None where one is beyond the type."""
        other = deepcopy(self.module).to(getattr(torch, dtype))
        fits = all(bool(tensor.isfinite().all()) for tensor in other.state_dict().values())
        return Measured(other) if fits else None

    def outputs(self, ids: Ids) -> Outputs:
        """Run it: the logits as it gives them, and the stream."""
        with torch.inference_mode():
            given = torch.from_numpy(ids).to(self.module.embedding.device)
            logits, found = self.module(given), self.module.run(given)
        return Outputs(_array(logits), [_array(stage) for stage in found.stream])


def _array(tensor: torch.Tensor) -> Array:
    array: Array = tensor.to(torch.float64).cpu().numpy()
    return array
