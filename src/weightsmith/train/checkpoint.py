"""Checkpoints: weights, what the optimizer remembers, and how far training is: one file, whole or not at all."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from weightsmith.errors import FileError
from weightsmith.files.container import parse_json, read_container, write_container
from weightsmith.model.names import shown
from weightsmith.train.settings import differing

FORMAT = "weightsmith checkpoint 1"
MOMENTS = ("exp_avg", "exp_avg_sq")
NUMBERS = {"step": int, "seconds": float, "tokens": int}
HISTORY = {
    "step": int, "train_loss": float, "validation_loss": float, "rate": float, "seconds": float, "tokens": int
}  # fmt: skip


@dataclass(frozen=True)
class Checkpoint:
    """How far training is."""

    step: int
    seconds: float
    tokens: int
    history: list[dict[str, Any]]
    losses: list[float]  # since the last entry of the history


def write_checkpoint(
    path: Path, state: Checkpoint, identity: dict[str, Any], module: torch.nn.Module, optimizer: torch.optim.Optimizer
) -> None:
    """Write everything that the rest of the training depends on."""
    tensors = {}
    for name, parameter in module.named_parameters():
        tensors[f"weights.{name}"] = _flat(parameter)
        for moment in MOMENTS:
            tensors[f"{moment}.{name}"] = _flat(optimizer.state[parameter][moment])
    metadata = {"format": FORMAT, "identity": identity, **vars(state)}
    try:
        write_container(path, tensors, json.dumps(metadata))
    except OSError as error:
        raise FileError(
            f"cannot write the checkpoint {shown(str(path))}: {error.strerror or error}; the one before it stays good"
        ) from None


def read_checkpoint(
    path: Path, identity: dict[str, Any], module: torch.nn.Module, optimizer: torch.optim.Optimizer
) -> Checkpoint:
    """Take up a checkpoint; one of another training is refused, and stays as it is."""
    name = shown(str(path))
    try:
        tensors, text = read_container(path)
        metadata = parse_json(text, "its metadata")
    except FileError as error:
        raise FileError(f"{name} is no checkpoint: {error}; move it away to begin anew") from None
    if metadata.get("format") != FORMAT or not isinstance(metadata.get("identity"), dict):
        raise FileError(f"{name} is no checkpoint of this version: move it away to begin anew")
    for part in {**identity, **metadata["identity"]}:
        ours, theirs = identity.get(part), metadata["identity"].get(part)
        if ours != theirs:
            both = isinstance(ours, dict) and isinstance(theirs, dict)
            what = f"{part}, {differing(ours or {}, theirs or {})}" if both else part
            raise FileError(
                f"{name} is a checkpoint of another training, which differs in {what}: "
                "give the same settings, another output, or move it away to begin anew"
            )
    state = _state(metadata, name)
    _restore(tensors, module, optimizer, state.step, name)
    return state


def _state(metadata: dict[str, Any], name: str) -> Checkpoint:
    history: Any = metadata.get("history")
    losses: Any = metadata.get("losses")
    good = all(type(metadata.get(key)) is kind for key, kind in NUMBERS.items())
    good = good and isinstance(history, list) and isinstance(losses, list) and metadata["step"] > 0
    if not good or not all(type(loss) is float for loss in losses) or not all(map(_is_entry, history)):
        raise FileError(f"{name} is a damaged checkpoint: move it away to begin anew")
    return Checkpoint(metadata["step"], metadata["seconds"], metadata["tokens"], history, losses)


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and entry.keys() == HISTORY.keys()
        and all(type(entry[key]) is kind for key, kind in HISTORY.items())
    )


def _restore(
    tensors: dict[str, Any], module: torch.nn.Module, optimizer: torch.optim.Optimizer, step: int, name: str
) -> None:
    parameters = dict(module.named_parameters())
    wanted = {f"{kind}.{key}" for key in parameters for kind in ("weights", *MOMENTS)}
    sizes = {key: parameters[key.partition(".")[2]].numel() for key in wanted}
    fits = sizes == {key: tensor.size for key, tensor in tensors.items()}
    if not fits or not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise FileError(f"{name} is a damaged checkpoint: move it away to begin anew")
    with torch.no_grad():
        for key, parameter in parameters.items():
            parameter.copy_(_like(tensors[f"weights.{key}"], parameter))
            moments = {moment: _like(tensors[f"{moment}.{key}"], parameter) for moment in MOMENTS}
            optimizer.state[parameter] = {"step": torch.tensor(float(step)), **moments}


def _flat(tensor: torch.Tensor) -> Any:
    return tensor.detach().reshape(-1).numpy()


def _like(array: Any, parameter: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(array.copy()).reshape(parameter.shape).to(parameter.dtype)
