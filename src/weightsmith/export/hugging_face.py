"""To Hugging Face: a directory that `transformers` opens, offline, as it opens any other."""

import os
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import safetensors.torch
import torch
from transformers.utils import logging

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import ExportError, InputError, brief
from weightsmith.export.agreement import Agreement, Outputs, measure, required
from weightsmith.export.described import described
from weightsmith.export.folder import MARK, new_directory, write_files
from weightsmith.export.hub.modeling_weightsmith import WeightsmithForCausalLM, WeightsmithForSequenceClassification
from weightsmith.export.tokenizer import tokenizer_files
from weightsmith.model import Transformer
from weightsmith.model.places import checked
from weightsmith.semantics.evaluation import Ids
from weightsmith.storage import write_whole

Dtype: TypeAlias = Literal["float64", "float32", "bfloat16", "float16"]
SOURCES = ("configuration_weightsmith.py", "modeling_weightsmith.py", "network_weightsmith.py")


def to_hugging_face(
    T: Transformer,
    directory: str | os.PathLike[str],
    stock: Literal["gpt2"] | None = None,
    *,
    dtype: Dtype | None = None,
    allow_differences: bool = False,
) -> Agreement:
    """Write a directory that `AutoModelForCausalLM` or `AutoModelForSequenceClassification` opens, with a tokenizer.

    A transformer whose classes are its vocabulary is a language model, any other a classifier, which decides at the
    last token. The model class is written beside the weights, so it is opened with `trust_remote_code=True`; with
    `stock="gpt2"` it is a plain GPT-2, which is approximate, and the report says how far it can be off. The dtype is
    that of the arithmetic, float64 for a finite one, unless given. What was written is opened and run before the
    directory has its name.
    """
    checked(T)
    if stock is not None and stock != "gpt2":
        raise InputError(f"stock={brief(stock)}: write stock='gpt2' for a plain GPT-2, or leave it out")
    kind = checked_dtype(T, dtype)
    with new_directory(directory) as place:
        write_custom(T, place, kind)
        return required(measure(T, Opened(T, place, kind)), allow_differences)


def checked_dtype(T: Transformer, dtype: object) -> Dtype:
    """Return the type of the weights: what is asked for, or that of the arithmetic."""
    if dtype is None:
        return T.arithmetic.dtype if isinstance(T.arithmetic, Native) else "float64"
    if isinstance(dtype, str) and dtype in get_args(Dtype):
        return dtype  # type: ignore[return-value]
    raise InputError(f"dtype={brief(dtype)}: write one of {', '.join(get_args(Dtype))}")


def is_language_model(T: Transformer) -> bool:
    """Say whether the classes are the vocabulary, so that a decision is the next token."""
    return tuple(T.classes) == tuple(T.vocabulary)


def write_custom(T: Transformer, directory: Path, dtype: Dtype) -> None:
    """Write the model with a class of its own."""
    architecture, arrays = described(T)
    write_weights(directory, {f"network.{name}": array for name, array in arrays.items()}, dtype)
    kind = "CausalLM" if is_language_model(T) else "SequenceClassification"
    config = {
        "model_type": "weightsmith",
        "architectures": [f"WeightsmithFor{kind}"],
        "auto_map": {
            "AutoConfig": "configuration_weightsmith.WeightsmithConfig",
            f"AutoModelFor{kind}": f"modeling_weightsmith.WeightsmithFor{kind}",
        },
        "architecture": architecture,
    }
    sources = {name: (files("weightsmith.export.hub") / name).read_text("utf-8") for name in SOURCES}
    padding_side = "left" if is_language_model(T) else "right"
    write_files(directory, {**shared_files(T, config, dtype), **sources, **tokenizer_files(T, padding_side)})


def shared_files(T: Transformer, config: dict[str, Any], dtype: Dtype) -> dict[str, str | dict[str, Any]]:
    """Return config.json and, for a language model, how it generates: the best token each time."""
    pad = len(T.vocabulary)
    common = {"dtype": dtype, "pad_token_id": pad, "use_cache": False, MARK: {"arithmetic": str(T.arithmetic)}}
    if is_language_model(T):
        generation = {"do_sample": False, "pad_token_id": pad, "use_cache": config.get("use_cache", False)}
        return {"config.json": {**common, **config}, "generation_config.json": generation}
    labels = {"id2label": dict(enumerate(T.classes)), "label2id": {name: n for n, name in enumerate(T.classes)}}
    return {"config.json": {**common, **labels, **config}}


def write_weights(directory: Path, arrays: Mapping[str, Array], dtype: Dtype) -> None:
    """Write arrays in a type of floats; refuse one that is beyond it."""
    tensors = {}
    for name, array in arrays.items():
        tensors[name] = torch.tensor(np.array(array), dtype=getattr(torch, dtype))
        if not bool(tensors[name].isfinite().all()):
            raise ExportError(
                f"{name} holds {float(np.abs(array).max()):g}, which is beyond {dtype}: write dtype='float64'"
            )
    write_whole(directory / "model.safetensors", safetensors.torch.save(tensors, {"format": "pt"}))


class Opened:
    """The exported model, opened from its directory as anybody opens it.

    The class is the package's own, of which the file beside the weights is a copy: so opening it leaves nothing in the
    place where the library keeps the code of others.
    """

    target = "Hugging Face"

    def __init__(self, T: Transformer, directory: Path, dtype: Dtype) -> None:
        """Open it."""
        self.dtype: str = dtype
        kind = WeightsmithForCausalLM if is_language_model(T) else WeightsmithForSequenceClassification
        self.model = quietly(kind.from_pretrained, directory, dtype)

    @torch.no_grad()
    def outputs(self, ids: Ids) -> Outputs:
        """Run it; of a classifier the library itself gives the logits of the last position only."""
        passed: list[Any] = []
        handle = self.model.network.register_forward_hook(lambda module, given, result: passed.append(result))
        try:
            own = self.model(input_ids=torch.tensor(ids)).logits
        finally:
            handle.remove()
        stream = passed[0].stream
        logits = self.model.network.logits(stream[-1])
        logits[:, -1] = own if own.ndim == 2 else own[:, -1, :-1]  # without that of padding
        return Outputs(_array(logits), [_array(stage) for stage in stream])


def quietly(open_it: Callable[..., Any], directory: Path, dtype: Dtype) -> Any:
    """Open a model from a directory without a progress bar."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return open_it(directory, local_files_only=True, dtype=getattr(torch, dtype)).eval()
    finally:
        if shown:
            logging.enable_progress_bar()


def _array(tensor: torch.Tensor) -> Array:
    return tensor.double().numpy()
