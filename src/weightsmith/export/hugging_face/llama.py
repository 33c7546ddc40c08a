"""A transformer as a plain Llama: written, and opened again."""

from contextlib import ExitStack
from pathlib import Path

import torch
from transformers import LlamaForCausalLM

from weightsmith.export.capabilities import check_features
from weightsmith.export.hugging_face.files import as_array, configuration_files, open_quietly, write_weights
from weightsmith.export.hugging_face.folder import Dtype, write_files
from weightsmith.export.hugging_face.llama_weights import check_llama, llama_configuration, llama_weights
from weightsmith.export.hugging_face.tokenizer import tokenizer_files
from weightsmith.export.measure import Outputs
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids


def write_llama(T: Transformer, directory: Path, dtype: Dtype) -> None:
    """Write the model as a Llama; refuse one that has not the shape of a Llama."""
    check_features(T, "Hugging Face Llama")
    check_llama(T)
    write_weights(directory, llama_weights(T), dtype)
    files = configuration_files(T, llama_configuration(T), dtype)
    write_files(directory, {**files, **tokenizer_files(T, False)})


class OpenedLlama:
    """The Llama, opened from its directory."""

    target = "Hugging Face Llama"

    def __init__(self, T: Transformer, directory: Path, dtype: Dtype) -> None:
        """Open it."""
        self.T, self.directory, self.dtype = T, directory, str(dtype)
        self.model = open_quietly(LlamaForCausalLM, directory, dtype)

    def in_dtype(self, dtype: Dtype) -> "OpenedLlama | None":
        """Open it in another type; None where a weight is beyond that."""
        other = OpenedLlama(self.T, self.directory, dtype)
        return other if all(bool(tensor.isfinite().all()) for tensor in other.model.parameters()) else None

    @torch.no_grad()
    def outputs(self, ids: Ids) -> Outputs:
        """Run it; the stream is what goes into the norms."""
        body, stream = self.model.model, list[torch.Tensor]()
        norms = [norm for block in body.layers for norm in (block.input_layernorm, block.post_attention_layernorm)]
        with ExitStack() as hooks:
            for norm in (*norms, body.norm):
                hooks.callback(norm.register_forward_pre_hook(lambda _, seen: stream.append(seen[0])).remove)
            logits = self.model(input_ids=torch.tensor(ids), use_cache=False).logits
        return Outputs(as_array(logits), [as_array(stage) for stage in stream])
