"""Parts of both kinds of directories: configuration, weights in a type of floats, and opening them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from transformers.utils import logging

from weightsmith.arithmetic import Array, Weights
from weightsmith.errors import ExportError
from weightsmith.export.circuit_map import circuit
from weightsmith.export.hugging_face.chain_files import ChainFiles
from weightsmith.export.hugging_face.folder import MARK, Dtype, File, is_language_model, label_names
from weightsmith.model import Transformer
from weightsmith.storage import write_whole


def configuration_files(
    T: Transformer, config: dict[str, Any], dtype: Dtype, chain: ChainFiles | None = None
) -> dict[str, File]:
    """Return config.json, the circuit and, for a language model, how it generates: the best token each time.

    Of a readout the configuration has each code with its label, and the values of the labels. A chain generates until
    one of its tokens ends it, or a number of them.
    """
    own = {"arithmetic": str(T.arithmetic), "tokens": len(T.vocabulary)}
    common = {"dtype": dtype, "pad_token_id": len(T.vocabulary), MARK: own, **config}  # padding comes last, unless said
    if chain is not None:
        common[MARK], common["eos_token_id"] = {**own, "chain": chain.description}, chain.ends
        common |= readout_field(T)
        ends = {"pad_token_id": common["pad_token_id"], "eos_token_id": chain.ends}
        generation = {"do_sample": False, **ends, **chain.generation, "use_cache": config["use_cache"]}
        return {"config.json": common, "generation_config.json": generation, **circuit_file(T)}
    if is_language_model(T):
        ends = {name: common[name] for name in ("pad_token_id", "eos_token_id") if common.get(name) is not None}
        generation = {"do_sample": False, **ends, "use_cache": config["use_cache"]}
        return {"config.json": common, "generation_config.json": generation, **circuit_file(T)}
    labels = label_names(T)
    common |= {"id2label": dict(enumerate(labels)), "label2id": {name: n for n, name in enumerate(labels)}}
    return {"config.json": common | readout_field(T), **circuit_file(T)}


def readout_field(T: Transformer) -> dict[str, Any]:
    """Return the field of config.json for a readout: each code with its label, and the values of the labels."""
    if T.readout is None:
        return {}
    codes = [[list(code), T.answers.index(value)] for code, value in T.readout.entries]
    return {"readout": {"lanes": list(T.readout.lanes), "codes": codes, "values": list(T.answers)}}


def circuit_file(T: Transformer) -> dict[str, File]:
    """Return the circuit, with the role of each head and neuron; nothing for a model that is too large."""
    try:
        return {"circuit.json": circuit(T)}
    except ExportError:
        return {}


def write_weights(directory: Path, arrays: Mapping[str, Weights], dtype: Dtype) -> None:
    """Write arrays in a type of floats; refuse one that is beyond it."""
    tensors = {}
    for name, array in arrays.items():
        tensors[name] = torch.tensor(np.array(array), dtype=getattr(torch, dtype))
        if not bool(tensors[name].isfinite().all()):
            largest = float(np.abs(array).max())
            raise ExportError(f"{name} holds {largest:g}, which is beyond {dtype}: write dtype='float64'")
    write_whole(directory / "model.safetensors", safetensors.torch.save(tensors, {"format": "pt"}))


def open_quietly(kind: Callable[..., Any], directory: Path, dtype: Dtype) -> Any:
    """Open a model of a kind of the library from a directory, from there alone and without a progress bar."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return kind.from_pretrained(directory, local_files_only=True, dtype=getattr(torch, dtype)).eval()  # type: ignore[attr-defined]
    finally:
        if shown:
            logging.enable_progress_bar()


def as_array(tensor: torch.Tensor) -> Array:
    """Return a tensor as float64."""
    return tensor.double().numpy()
