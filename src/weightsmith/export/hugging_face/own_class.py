"""A transformer with a model class of its own, which is written beside the weights."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch

from weightsmith.export.description import described
from weightsmith.export.hugging_face.chain_files import ChainFiles
from weightsmith.export.hugging_face.files import as_array, configuration_files, open_quietly, write_weights
from weightsmith.export.hugging_face.folder import Dtype, task, write_files
from weightsmith.export.hugging_face.hub.modeling_weightsmith import (
    WeightsmithForCausalLM,
    WeightsmithForSequenceClassification,
    WeightsmithForTokenClassification,
)
from weightsmith.export.hugging_face.tokenizer import tokenizer_files
from weightsmith.export.outputs import Outputs, answers
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids

CLASSES = {
    "CausalLM": WeightsmithForCausalLM,
    "SequenceClassification": WeightsmithForSequenceClassification,
    "TokenClassification": WeightsmithForTokenClassification,
}
SOURCES = tuple(f"{name}_weightsmith.py" for name in ("configuration", "modeling", "network", "steps"))


def write_own(T: Transformer, directory: Path, dtype: Dtype, chain: ChainFiles | None = None) -> None:
    """Write the model with its class; of a chain, `T` is its transformer with the tokens in the order of the chain."""
    architecture, arrays = described(T)
    write_weights(directory, {f"network.{name}": array for name, array in arrays.items()}, dtype)
    kind = task(T, chain is not None)
    config = {
        "model_type": "weightsmith",
        "architectures": [f"WeightsmithFor{kind}"],
        "auto_map": {
            "AutoConfig": "configuration_weightsmith.WeightsmithConfig",
            f"AutoModelFor{kind}": f"modeling_weightsmith.WeightsmithFor{kind}",
        },
        "architecture": architecture,
        "use_cache": False,
    }
    hub = files("weightsmith.export.hugging_face.hub")
    sources = {name: (hub / name).read_text("utf-8") for name in SOURCES}
    write_files(
        directory,
        {**configuration_files(T, config, dtype, chain), **sources, **tokenizer_files(T, writes=chain is not None)},
    )


class OpenedOwn:
    """The exported model, opened from its directory as users open it.

    The class is the package's own, of which the file beside the weights is a copy: so opening it leaves nothing in the
    place where the library keeps the code of others.
    """

    target = "Hugging Face"
    saturates = steps = True

    def __init__(self, T: Transformer, directory: Path, dtype: Dtype, chain: bool = False) -> None:
        """Open it."""
        self.T, self.dtype, self.directory = T, str(dtype), directory
        self.model = open_quietly(CLASSES[task(T, chain)], directory, dtype)
        self.longest: int | None = self.model.network.max_length

    def in_dtype(self, dtype: Dtype) -> "OpenedOwn | None":
        """Open it in another type; None where a weight is beyond that."""
        other = OpenedOwn(self.T, self.directory, dtype)
        return other if all(bool(tensor.isfinite().all()) for tensor in other.model.parameters()) else None

    @torch.no_grad()
    def outputs(self, ids: Ids) -> Outputs:
        """Run it; of a classifier the library itself gives the logits of the last position only."""
        if self.T.readout is not None:
            return self._codes(torch.tensor(ids))
        passed: list[Any] = []
        handle = self.model.network.register_forward_hook(lambda module, given, result: passed.append(result))
        try:
            own = self.model(input_ids=torch.tensor(ids)).logits
        finally:
            handle.remove()
        stream = passed[0].stream
        logits = self.model.network.logits(stream[-1])
        logits[:, -1] = own if own.ndim == 2 else own[:, -1, :-1]  # without that of padding
        return Outputs(as_array(logits), [as_array(stage) for stage in stream])

    def _codes(self, ids: torch.Tensor) -> Outputs:
        """Return the codes of a readout; what the library itself gives is the label of each, where it has one."""
        stream = self.model.network(ids).stream
        codes = as_array(self.model.network.logits(stream[-1]))
        answer_ids = answers(self.T, codes)
        whole = (answer_ids >= 0).all(-1)  # the library refuses inputs with other codes
        if whole.any():
            labels = self.model(input_ids=ids[torch.from_numpy(whole)]).logits.argmax(-1).numpy()
            codes[whole] = np.where((labels == answer_ids[whole])[..., np.newaxis], codes[whole], np.nan)
        return Outputs(codes, [as_array(stage) for stage in stream])
