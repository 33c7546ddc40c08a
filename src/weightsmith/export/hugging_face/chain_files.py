"""A chain in a folder for Hugging Face: its tokens in another order, its settings, and the chain itself."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from weightsmith.errors import ExportError
from weightsmith.export.chains.card import chain_description, steps_by_length
from weightsmith.model import Chain, Transformer


@dataclass(frozen=True)
class ChainFiles:
    """What the files of a folder say about a chain."""

    description: dict[str, Any]  # in config.json
    generation: dict[str, Any]  # in generation_config.json
    ends: list[int] | None  # ids of the tokens that end the chain


def in_order(C: Chain) -> Transformer:
    """Return the transformer of a chain with the tokens that it writes first, in the order of its answers.

    So the first of the largest logits is the same token as in the chain.
    """
    T = C.transformer
    written = cast(tuple[str, ...], T.answers)
    vocabulary = (*written, *(token for token in T.vocabulary if token not in set(written)))
    if vocabulary == tuple(T.vocabulary):
        return T
    if T.tokenizer:
        raise ExportError(
            "the tokenizer of the model fixes the ids of its tokens, and the chain writes only some of them: "
            "write the classes in the order of the vocabulary"
        )
    rows = [T.vocabulary.index(token) for token in vocabulary]
    return replace(T, vocabulary=vocabulary, embedding=T.embedding[rows])


def as_language_model(T: Transformer) -> Transformer:
    """Return a transformer, in order, with a class for every token; the new ones have the logit 0."""
    if len(T.classes) == len(T.vocabulary) or T.readout is not None:
        return T
    more = len(T.vocabulary) - len(T.classes)
    bias = None if T.output_bias is None else np.concatenate([T.output_bias, np.zeros(more)])
    output = np.vstack([T.output, np.zeros((more, len(T.lanes)))])
    return replace(T, classes=tuple(T.vocabulary), output=output, output_bias=bias)


def chain_files(C: Chain, T: Transformer, digest: str, never: bool) -> ChainFiles:
    """Return what the files say about a chain, whose transformer is `T` with its tokens in order.

    `never` names the tokens that the chain does not write to `generate`, which then does not write them either.
    """
    steps = steps_by_length(C)
    generation: dict[str, Any] = {"max_new_tokens": max(steps) if isinstance(steps, list) else steps}
    if never and len(C.transformer.answers) < len(T.vocabulary):
        generation["suppress_tokens"] = list(range(len(C.transformer.answers), len(T.vocabulary)))
    ends = [T.vocabulary.index(token) for token in C.until]
    return ChainFiles({**chain_description(C), "digest": digest}, generation, ends or None)
