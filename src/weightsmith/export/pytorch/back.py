"""From a PyTorch module to a transformer."""

import copy
import re
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError, brief
from weightsmith.export.pytorch.module import TransformerModule
from weightsmith.export.pytorch.parts import Heads
from weightsmith.files.codec import decode
from weightsmith.model import Transformer
from weightsmith.train.convert import to_transformer
from weightsmith.train.module import Model

_HEAD = re.compile(r"blocks\.(\d+)\.attention\.heads\.(\d+)\.(?:positions\.)?(\w+)")


def transformer_of(module: Any, vocabulary: str | Sequence[str] | None, classes: Sequence[str] | None) -> Transformer:
    """Return the transformer of a module, as `from_torch` says."""
    if isinstance(module, TransformerModule):
        if vocabulary is not None or classes is not None:
            raise ExportError("what to_torch made knows its vocabulary and classes: write from_torch(module)")
        return _rebuilt(module)
    if isinstance(module, Model):
        return _trained(module, vocabulary, classes)
    raise ExportError(
        f"from_torch takes what to_torch made, or the Model of weightsmith.train, and this is a "
        f"{brief(type(module).__name__)}: write from_hugging_face(directory) for a checkpoint of GPT-2, Llama and "
        "their like, or write the weights into a Transformer yourself"
    )


def _trained(module: Model, vocabulary: str | Sequence[str] | None, classes: Sequence[str] | None) -> Transformer:
    if vocabulary is None:
        raise ExportError("a Model of weightsmith.train has no names: write from_torch(module, vocabulary, classes)")
    tokens = module.embedding.num_embeddings
    if len(vocabulary) != tokens:
        raise ExportError(f"the vocabulary has {len(vocabulary)} tokens, and the module has {tokens}")
    if module.language != (classes is None):
        wanted = "leave out classes: it is a language model" if module.language else "write classes=('NO', 'YES')"
        raise ExportError(f"classes={brief(classes)}: {wanted}")
    return to_transformer(module, tuple(vocabulary), classes, "from_torch")


def _rebuilt(module: TransformerModule) -> Transformer:
    """Write the weights into the structure that the module remembers."""
    stored = module.arithmetic.stored
    tensors: dict[str, Any] = {name: array.astype(stored) for name, array in module.kept.items()}
    structure = copy.deepcopy(module.structure)
    for name in structure["tensors"]:
        if name not in tensors:
            tensors[name] = _weight(module, name).astype(stored)
    tensors |= {name: array.astype(stored) for name, array in _new_biases(module, tensors)}
    structure["tensors"] = list(tensors)
    try:
        return decode(tensors, structure)
    except ValueError as error:
        raise ExportError(
            f"the weights that the module has now do not make a transformer in {module.arithmetic}: {error}; "
            "after training in a finite arithmetic, round the parameters first"
        ) from None


def _weight(module: TransformerModule, name: str) -> Array:
    """Return a weight by its name in a model file."""
    found = _HEAD.fullmatch(name)
    if found is None:
        *path, last = name.split(".")
        return _array(getattr(module.get_submodule(".".join(path)), last))
    heads = _heads(module, int(found[1]), int(found[2]))
    return _of_head(heads, int(found[2]), found[3])


def _heads(module: TransformerModule, block: int, head: int) -> Heads:
    groups: Any = module.blocks[block].attention
    return cast(Heads, next(part for part in groups.heads.values() if part.first <= head < part.first + part.count))


def _of_head(heads: Heads, head: int, name: str) -> Array:
    array, place = _array(getattr(heads, name)), head - heads.first
    if name in ("keys", "values"):
        return np.array(array[place])
    size = heads.key_size if name[-1] in "QK" else heads.value_size
    rows = slice(place * size, (place + 1) * size)
    return array[:, rows] if name == "W_O" else array[rows]


def _new_biases(module: TransformerModule, known: dict[str, Any]) -> list[tuple[str, Array]]:
    """Return biases of heads that had none, and were given some because others of their kind have them."""
    found = []
    for b, block in enumerate(module.blocks):
        attention: Any = block.attention
        for heads in attention.heads.values() if attention is not None else ():
            for name in ("b_Q", "b_K", "b_V"):
                for head in range(heads.first, heads.first + heads.count) if getattr(heads, name) is not None else ():
                    full, bias = f"blocks.{b}.attention.heads.{head}.{name}", _of_head(heads, head, name)
                    if full not in known and bias.any():
                        found.append((full, bias))
    return found


def _array(tensor: Tensor) -> Array:
    array: Array = tensor.detach().to(torch.float64).cpu().numpy()
    return array
