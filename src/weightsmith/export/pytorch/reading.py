"""From a PyTorch module to a transformer."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError, brief
from weightsmith.export.pytorch.module import TransformerModule
from weightsmith.files.codec import decode_transformer
from weightsmith.model import Transformer
from weightsmith.model.head_groups import BIASES, MATRICES


def transformer_of(module: Any, vocabulary: str | Sequence[str] | None, classes: Sequence[str] | None) -> Transformer:
    """Return the transformer of a module, as `from_torch` says."""
    if isinstance(module, TransformerModule):
        if vocabulary is not None or classes is not None:
            raise ExportError("what to_torch made knows its vocabulary and classes: write from_torch(module)")
        return _rebuilt(module)
    if hasattr(module, "as_transformer"):
        return _trained(module, vocabulary, classes)
    raise ExportError(
        f"from_torch takes what to_torch made, or the Model of weightsmith.train, and this is a "
        f"{brief(type(module).__name__)}: write from_hugging_face(directory) for a checkpoint of GPT-2, Llama and "
        "their like, or write the weights into a Transformer yourself"
    )


def _trained(module: Any, vocabulary: str | Sequence[str] | None, classes: Sequence[str] | None) -> Transformer:
    """Return the transformer of a `Model` of `train`, which has no names."""
    if vocabulary is None:
        raise ExportError("a Model of weightsmith.train has no names: write from_torch(module, vocabulary, classes)")
    tokens = module.embedding.num_embeddings
    if len(vocabulary) != tokens:
        raise ExportError(f"the vocabulary has {len(vocabulary)} tokens, and the module has {tokens}")
    if module.language != (classes is None):
        wanted = "leave out classes: it is a language model" if module.language else "write classes=('NO', 'YES')"
        raise ExportError(f"classes={brief(classes)}: {wanted}")
    T: Transformer = module.as_transformer(tuple(vocabulary), classes, "from_torch")
    return T


def _rebuilt(module: TransformerModule) -> Transformer:
    """Write the weights into the structure that the module keeps."""
    stored, structure, heads = module.arithmetic.stored, copy.deepcopy(module.structure), dict(_head_arrays(module))
    tensors: dict[str, Array] = dict(module.kept)  # type: ignore[arg-type]
    for name in structure["tensors"]:
        if name not in tensors:
            path, _, last = name.rpartition(".")
            tensors[name] = heads[name] if name in heads else _array(getattr(module.get_submodule(path), last))
    # Heads without a bias have one of 0 in the module if others of their kind have some; training may have changed it
    tensors |= {
        name: bias for name, bias in heads.items() if name[-3:] in BIASES and name not in tensors and bias.any()
    }
    structure["tensors"] = list(tensors)
    try:
        return decode_transformer({name: array.astype(stored) for name, array in tensors.items()}, structure)
    except ValueError as error:
        raise ExportError(
            f"the weights that the module has now do not make a transformer in {module.arithmetic}: {error}; "
            "after training in a finite arithmetic, round the parameters first"
        ) from None


def _head_arrays(module: TransformerModule) -> Iterator[tuple[str, Array]]:
    """Yield the arrays of each head, by their names in a model file."""
    for b, block in enumerate(module.blocks):
        attention: Any = block.attention
        for group in attention.heads.values() if attention is not None else ():
            for name in (*MATRICES, *BIASES, "keys", "values"):
                stacked, table = getattr(group, name), name in ("keys", "values")
                parts = () if stacked is None else np.split(_array(stacked), group.heads, axis=int(name == "W_O"))
                for i, part in enumerate(parts, group.first):
                    own = f"positions.{name}" if table else name
                    yield f"blocks.{b}.attention.heads.{i}.{own}", part[0] if table else part


def _array(tensor: Tensor) -> Array:
    array: Array = tensor.detach().to(torch.float64).cpu().numpy()
    return array
