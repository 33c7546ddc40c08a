"""A transformer that has the shape of a GPT-2, norms included, as that GPT-2: the weights as they are.

Such a one is read by `from_hugging_face`, and may have been edited since. Layers that have fewer neurons than others
get silent ones, and a block without attention or without feed-forward gets one that adds nothing.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from weightsmith.arithmetic import Weights
from weightsmith.errors import ExportError, listed
from weightsmith.export.capabilities import OWN_CLASS
from weightsmith.export.hugging_face.folder import is_language_model
from weightsmith.export.hugging_face.gpt2_weights import (
    ANY_LENGTH,
    Sizes,
    configuration,
    inner_weights,
    most_neurons,
)
from weightsmith.export.hugging_face.tokenizer import end_token
from weightsmith.model import LayerNorm, Transformer
from weightsmith.model.norms import Norm


def has_norms(T: Transformer) -> bool:
    """Return whether a transformer has a norm anywhere: then all those of GPT-2 are its own."""
    return any(norm is not None for _, norm in _norms(T))


def _norms(T: Transformer) -> Iterator[tuple[str, Norm | None]]:
    """Yield the norm of each sublayer that is there, and the final one, with what to call it."""
    for b, block in enumerate(T.blocks):
        if block.attention is not None:
            yield f"attention_norm of block {b}", block.attention_norm
        if block.feed_forward is not None:
            yield f"feed_forward_norm of block {b}", block.feed_forward_norm
    yield "final_norm", T.final_norm


def check_norms(T: Transformer) -> None:
    """Refuse a transformer whose norms, heads or output are not those of a GPT-2."""
    for problem in _problems(T):
        raise ExportError(f"{problem}; or {OWN_CLASS}")


def _problems(T: Transformer) -> Iterator[str]:
    having = next(name for name, norm in _norms(T) if norm is not None)
    for name, norm in _norms(T):
        if norm is None:
            yield (
                f"GPT-2 has all its norms, and this model has {having} but no {name}: write LayerNorm(), or no norm at "
                "all"
            )
        elif not isinstance(norm, LayerNorm):
            yield f"GPT-2 has LayerNorm, and {name} is {type(norm).__name__}(…): write LayerNorm(…)"
        elif norm.lanes is not None and tuple(norm.lanes) != tuple(T.lanes):
            yield f"a norm of GPT-2 is over all lanes, and {name} is over {listed(norm.lanes)}: write lanes=None"
    for b, block in enumerate(T.blocks):
        if block.norm_placement != "pre" and (block.attention_norm or block.feed_forward_norm):
            where = f"before a sublayer, and those of block {b} after it"
            yield f"the norms of GPT-2 stand {where}: write norm_placement='pre'"
    every = sorted({norm.eps for _, norm in _norms(T) if norm is not None})
    if len(every) > 1:
        yield f"GPT-2 has one eps for all norms, and this model has {listed([*map(repr, every)])}: write one of them"
    if T.output_bias is not None and T.output_bias.any():
        yield "the output of GPT-2 has no bias, and this model has output_bias: write output_bias=None"
    if head_size(T) is None:
        most, largest = _heads(T)
        yield (
            f"the heads of GPT-2 share its lanes equally, and {most} heads of size {largest} do not fit into "
            f"{len(T.lanes)} lanes: write smaller heads"
        )


def _heads(T: Transformer) -> tuple[int, int]:
    """Return how many heads a block has at most, and the size of the largest head."""
    every = [block.attention.heads for block in T.blocks if block.attention is not None]
    largest = max((max(len(head.W_Q), len(head.W_V)) for some in every for head in some), default=1)
    return max(map(len, every), default=0) or 1, largest


def head_size(T: Transformer) -> int | None:
    """Return the size of heads when as few as possible share the lanes equally; None where they do not fit."""
    most, largest = _heads(T)
    lanes = len(T.lanes)
    return next((lanes // n for n in range(most, lanes + 1) if lanes % n == 0 and lanes // n >= largest), None)


def _sizes(T: Transformer) -> Sizes:
    size = head_size(T)
    assert size is not None
    return Sizes(len(T.lanes), 0, size, most_neurons(T), T.max_length or ANY_LENGTH)


def normed_configuration(T: Transformer) -> dict[str, Any]:
    """Return config.json. A classifier has padding after its vocabulary; of texts, it reads where they end."""
    assert T.final_norm is not None
    ends: dict[str, Any] = {}
    if is_language_model(T):
        ends = dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"), end_token(T))
        ends["vocab_size"] = len(T.vocabulary)
    return {
        **configuration(T, _sizes(T)),
        **ends,
        "layer_norm_epsilon": T.final_norm.eps,
        "tie_word_embeddings": T.tied,
    }


def normed_weights(T: Transformer, head: str) -> dict[str, Weights]:
    """Return every array of the GPT-2 by its name; `head` is that of the output, "lm_head" or "score"."""
    embedding = T.embedding if is_language_model(T) else np.vstack([T.embedding, np.zeros(len(T.lanes))])
    arrays: dict[str, Weights] = {"transformer.wte.weight": embedding, **inner_weights(T, _sizes(T))}
    norms: dict[str, Norm | None] = {"ln_f": T.final_norm}
    for b, block in enumerate(T.blocks):
        norms |= {f"h.{b}.ln_1": block.attention_norm, f"h.{b}.ln_2": block.feed_forward_norm}
    for name, norm in norms.items():
        gain, bias = (norm.gain, norm.bias) if isinstance(norm, LayerNorm) else (None, None)
        arrays[f"transformer.{name}.weight"] = np.ones(len(T.lanes)) if gain is None else gain
        arrays[f"transformer.{name}.bias"] = np.zeros(len(T.lanes)) if bias is None else bias
    if not T.tied:
        arrays[f"{head}.weight"] = T.output
    return arrays
