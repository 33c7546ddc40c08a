"""A bridge as a file: its weights by TransformerLens's names, and the model that it was made from."""

import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from weightsmith.errors import ExportError, FileError, named
from weightsmith.export.capabilities import FLOATS
from weightsmith.export.chains.card import names_of
from weightsmith.export.measure import Model
from weightsmith.files import from_bytes, model_bytes
from weightsmith.storage import opened, parse_json, refusals

MODEL = "weightsmith.model"  # the bytes of the file that `save` writes
WRITTEN = "weightsmith export MODEL --to transformer-lens -o FILE writes one"


class Written(NamedTuple):
    """The content of a file."""

    model: Model
    own_modules: bool
    dtype: str
    context: int
    weights: dict[str, Tensor]


def bridge_bytes(model: Model, bridge: Any) -> bytes:
    """Return a bridge as the bytes of a safetensors file; names, a readout and the kind of blocks are its metadata."""
    kind = {
        "own_modules": bridge.own_modules,
        "dtype": str(bridge.cfg.dtype).removeprefix("torch."),
        "context": bridge.cfg.n_ctx,
    }
    said = {**names_of(model, bridge.agreement.difference), "transformer_lens": kind}
    weights = {name: tensor.detach().contiguous() for name, tensor in bridge.state_dict().items()}
    whole = torch.frombuffer(bytearray(model_bytes(model)), dtype=torch.uint8)
    data: bytes = save({**weights, MODEL: whole}, {"weightsmith": json.dumps(said, ensure_ascii=False)})
    return data


def read_bridge(path: str | os.PathLike[str]) -> Written:
    """Read the file of a bridge. It is not trusted."""
    with refusals("cannot read", path):
        with opened(Path(path)) as (file, size):
            data = file.read(size)
        try:
            weights: dict[str, Tensor] = load(data)
        except (SafetensorError, KeyError, RuntimeError, ValueError) as error:
            raise FileError(f"it is no safetensors file: {WRITTEN}") from error
        kind = _kind(data)
        whole = weights.pop(MODEL, None)
        if kind is None or whole is None or whole.dtype != torch.uint8 or whole.dim() != 1:
            raise FileError(f"it holds no bridge of TransformerLens: {WRITTEN}")
        model = from_bytes(whole.numpy().tobytes(), f"the model in {named(str(path))}")
        return Written(model, *kind, weights)


def _kind(data: bytes) -> tuple[bool, str, int] | None:
    """Return the kind of blocks, the dtype and the room for positions from the metadata; None where they are not."""
    header = BytesIO(data)
    text = header.read(int.from_bytes(header.read(8), "little"))
    said = (parse_json(text, "its header", len(data)).get("__metadata__") or {}).get("weightsmith")
    kind = parse_json(said, "its metadata", len(data)).get("transformer_lens") if isinstance(said, str) else None
    if not isinstance(kind, dict):
        return None
    own, dtype, context = (kind.get(name) for name in ("own_modules", "dtype", "context"))
    if type(own) is not bool or dtype not in FLOATS or type(context) is not int:
        return None
    return own, dtype, context


def fill(bridge: Any, weights: dict[str, Tensor], path: str | os.PathLike[str]) -> None:
    """Copy weights to a bridge: all of them, and no others."""
    wanted = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in bridge.state_dict().items()}
    found = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in weights.items()}
    wrong = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if wrong:
        name = wrong[0]
        raise ExportError(
            f"{named(str(path))}: {named(name)} is {_shown(found.get(name))}, and the model in the file has "
            f"{_shown(wanted.get(name))}: keep the names, shapes and dtype of the weights"
        )
    bridge.load_state_dict(weights)


def _shown(kind: tuple[tuple[int, ...], torch.dtype] | None) -> str:
    return "nothing" if kind is None else f"{str(kind[1]).removeprefix('torch.')} {list(kind[0])}"
