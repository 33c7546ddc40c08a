"""A transformer as a plain GPT-2: written, and opened again.

One without norms is measured against the same weights without norms. One that has the shape of a GPT-2, norms included,
is written as it is.
"""

from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import GPT2ForSequenceClassification, GPT2LMHeadModel

from weightsmith.export.capabilities import check_features
from weightsmith.export.description import description, network_arrays
from weightsmith.export.hugging_face.chain_files import ChainFiles
from weightsmith.export.hugging_face.files import as_array, configuration_files, open_quietly, write_weights
from weightsmith.export.hugging_face.folder import Dtype, is_language_model, write_files
from weightsmith.export.hugging_face.gpt2_bound import Seen, best_constant
from weightsmith.export.hugging_face.gpt2_normed import check_norms, has_norms, normed_configuration, normed_weights
from weightsmith.export.hugging_face.gpt2_weights import configuration, sizes_for, weights
from weightsmith.export.hugging_face.hub.network_weightsmith import Network
from weightsmith.export.hugging_face.tokenizer import tokenizer_files
from weightsmith.export.inputs import inputs
from weightsmith.export.measure import Outputs, looked_for
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids


def write_gpt2(T: Transformer, directory: Path, dtype: Dtype, chain: ChainFiles | None = None) -> float | None:
    """Write the model as a GPT-2; return how far a logit can be from that of the same weights without norms.

    None for a model that has the norms of a GPT-2: it is written as it is.
    """
    check_features(T, "Hugging Face GPT-2")
    head, kind = ("lm_head", "LMHeadModel") if is_language_model(T) else ("score", "ForSequenceClassification")
    if has_norms(T):
        check_norms(T)
        bound, arrays, config = None, normed_weights(T, head), normed_configuration(T)
    else:
        sizes = sizes_for(T)
        seen = largest_values(T, sizes.positions)
        C, bound = best_constant(T, sizes, seen, dtype)
        arrays, config = weights(T, sizes, C, seen.logit, head), configuration(T, sizes)
    write_weights(directory, arrays, dtype)
    config["architectures"] = [f"GPT2{kind}"]
    padded = config["vocab_size"] > len(T.vocabulary)
    write_files(directory, {**configuration_files(T, config, dtype, chain), **tokenizer_files(T, padded)})
    return bound


def without_norms(T: Transformer) -> Network:
    """Return the weights as they are, in float64: nothing is rounded to the arithmetic, and nothing saturates."""
    network = Network(description(T, saturate=False, vanish=False)).double()
    network.load_state_dict({name: torch.tensor(np.array(array)) for name, array in network_arrays(T).items()})
    return network


@torch.no_grad()
def largest_values(T: Transformer, longest: int | None = None) -> Seen:
    """Run the weights as they are on the inputs of a report; return the largest values that there are."""
    network, stages = without_norms(T), 2 * len(T.blocks) + 1
    lanes, squares = [np.zeros(len(T.lanes)) for _ in range(stages)], [0.0] * stages
    logit, most = 0.0, 0
    for ids in chain((ids for ids, _ in inputs(T)), looked_for(T, longest=longest)):
        stream = network(torch.tensor(ids)).stream
        for n, stage in enumerate(stream):
            lanes[n] = np.maximum(lanes[n], stage.abs().amax((0, 1)).numpy())
            squares[n] = max(squares[n], float(stage.square().sum(-1).max()))
        logit = max(logit, float(network.logits(stream[-1]).abs().max()))
        most = max(most, ids.shape[1])
    return Seen(lanes, squares, logit, most)


class OpenedGPT2:
    """The GPT-2, opened from its directory; compared with the same weights without norms where its own do nothing."""

    target = "Hugging Face GPT-2"

    def __init__(self, T: Transformer, directory: Path, dtype: Dtype) -> None:
        """Open it."""
        self.T, self.directory, self.dtype = T, directory, str(dtype)
        self.lanes, self.classes = len(T.lanes), len(T.classes)
        self.network = None if has_norms(T) else without_norms(T)
        kind = GPT2LMHeadModel if is_language_model(T) else GPT2ForSequenceClassification
        self.model = open_quietly(kind, directory, dtype)
        self.longest: int = self.model.config.n_positions
        self.largest_difference = 0.0  # of a logit from that of the same weights, on all inputs so far

    def in_dtype(self, dtype: Dtype) -> "OpenedGPT2 | None":
        """Open it in another type; None where a weight is beyond that."""
        other = OpenedGPT2(self.T, self.directory, dtype)
        return other if all(bool(tensor.isfinite().all()) for tensor in other.model.parameters()) else None

    @torch.no_grad()
    def outputs(self, ids: Ids) -> Outputs:
        """Run it; the stream is what goes into the norms, without the lanes that GPT-2 has besides."""
        body, read, stream = self.model.transformer, list[Any](), list[torch.Tensor]()
        given = torch.tensor(ids)
        with ExitStack() as hooks:
            for norm in (*(norm for block in body.h for norm in (block.ln_1, block.ln_2)), body.ln_f):
                hooks.callback(norm.register_forward_pre_hook(lambda _, seen: stream.append(seen[0])).remove)
            hooks.callback(body.ln_f.register_forward_hook(lambda _, seen, normed: read.append(normed)).remove)
            own = self.model(input_ids=given, use_cache=False).logits
        logits = (own if own.ndim == 3 else self.model.score(read[0]))[..., : self.classes].double()
        logits[:, -1] = own[:, -1, : self.classes] if own.ndim == 3 else own
        if self.network is not None:
            plain = self.network.logits(self.network(given).stream[-1])
            self.largest_difference = max(self.largest_difference, float((plain - logits).abs().max()))
        return Outputs(as_array(logits), [as_array(stage[..., : self.lanes]) for stage in stream])
