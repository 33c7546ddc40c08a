"""Checkpoints: weights, the state of the optimizer and the progress of training in one file, written atomically.

A checkpoint has a checksum over all of its bytes, with zeros in its own place: training must end with the same bits,
and a weight with a flipped bit is still a weight.
"""

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch

from weightsmith.arithmetic import AT_ONCE
from weightsmith.errors import MAX_ECHO, FileError, InputError, named, reason
from weightsmith.files.container import container_bytes, read_tensors
from weightsmith.storage import opened, parse_json, write_whole
from weightsmith.train.records import Record
from weightsmith.train.settings import Course, differing

FORMAT = "weightsmith checkpoint 4"
DIVERGED = "the weights are no longer finite numbers: write a smaller rate"
DAMAGED = "is a damaged checkpoint: move it away to begin anew"
UNKNOWN = "0" * 64  # in the place of a checksum
MOMENTS = ("exp_avg", "exp_avg_sq")
MOST_MACHINE_LETTERS = 1000  # in the names of machines, at most


@dataclass
class Checkpoint:
    """The progress of a training."""

    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    history: list[Record] = field(default_factory=list)
    machines: list[str] = field(default_factory=list)  # of its runs


NUMBERS: dict[str, type] = {"step": int, "seconds": float, "tokens": int}
HISTORY: dict[str, Any] = {entry.name: entry.type for entry in fields(Record)}


def write_checkpoint(
    path: Path, state: Checkpoint, identity: dict[str, Any], module: torch.nn.Module, optimizer: torch.optim.Optimizer
) -> None:
    """Write all state that the rest of the training depends on."""
    tensors = {}
    for name, parameter in module.named_parameters():
        tensors[f"weights.{name}"] = _flat(parameter)
        for moment in MOMENTS:
            tensors[f"{moment}.{name}"] = _flat(optimizer.state[parameter][moment])
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise InputError(f"after {state.step:,} steps {DIVERGED}")
    metadata = {"format": FORMAT, "checksum": UNKNOWN, "identity": identity, **asdict(state)}
    try:
        write_whole(path, sealed(container_bytes(tensors, json.dumps(metadata))))
    except (FileError, OSError) as error:
        raise FileError(
            f"cannot write the checkpoint {named(str(path), MAX_ECHO)}: {reason(error)}; an earlier one stays as it is"
        ) from None


def sealed(data: bytes) -> bytes:
    """Return the bytes of a checkpoint with their checksum; it stands in front of everything that training made."""
    return data.replace(UNKNOWN.encode(), hashlib.sha256(data).hexdigest().encode(), 1)


def _is_whole(file: BinaryIO, checksum: object) -> bool:
    """Return whether a file has the checksum that it says it has."""
    if not isinstance(checksum, str) or len(checksum) != len(UNKNOWN) or not checksum.isascii():
        return False
    file.seek(0)
    state = hashlib.sha256(file.read(AT_ONCE).replace(checksum.encode(), UNKNOWN.encode(), 1))
    while some := file.read(AT_ONCE):
        state.update(some)
    return state.hexdigest() == checksum


def read_checkpoint(
    path: Path, identity: dict[str, Any], course: Course, module: torch.nn.Module, optimizer: torch.optim.Optimizer
) -> Checkpoint:
    """Take up a checkpoint; one of another training is refused, and stays as it is."""
    name = named(str(path), MAX_ECHO)
    try:
        with opened(path) as (file, size):
            tensors, text = read_tensors(file, size)
            metadata = parse_json(text, "its metadata", size)
            whole = _is_whole(file, metadata.get("checksum"))
    except OSError as error:
        raise FileError(f"cannot read the checkpoint {name}: {reason(error)}") from None
    except FileError as error:
        raise FileError(f"{name} is no checkpoint: {error}; move it away to begin anew") from None
    if metadata.get("format") != FORMAT or not isinstance(metadata.get("identity"), dict):
        raise FileError(f"{name} is no checkpoint of this version: move it away to begin anew")
    if not whole:
        raise FileError(f"{name} {DAMAGED}")
    for part in {**identity, **metadata["identity"]}:
        ours, theirs = identity.get(part), metadata["identity"].get(part)
        if ours != theirs:
            both = isinstance(ours, dict) and isinstance(theirs, dict)
            what = named(part) + (f", {named(differing(ours or {}, theirs or {}))}" if both else "")
            raise FileError(
                f"{name} is a checkpoint of another training, which differs in {what}: "
                "give the same settings, another output, or move it away to begin anew"
            )
    state = _state(metadata, course)
    if state is None or not _fits(tensors, module):
        raise FileError(f"{name} {DAMAGED}")
    _restore(tensors, module, optimizer, state.step)
    return state


def _state(metadata: dict[str, Any], course: Course) -> Checkpoint | None:
    """Return how far training is; None where that cannot be."""
    history: Any = metadata.get("history")
    machines: Any = metadata.get("machines")
    if not _are(NUMBERS, metadata) or not all(isinstance(part, list) for part in (history, machines)):
        return None
    if not machines or not all(isinstance(name, str) and name.isprintable() for name in machines):
        return None
    if not all(
        isinstance(entry, dict) and entry.keys() == HISTORY.keys() and _are(HISTORY, entry) for entry in history
    ):
        return None
    step: int = metadata["step"]
    recorded = list(range(0, min(step, course.steps) + 1, course.evaluate_every))
    if step == course.steps and recorded[-1:] != [step]:
        recorded.append(step)
    if not 0 < step <= course.steps or [entry["step"] for entry in history] != recorded:
        return None
    if len("".join(machines)) > MOST_MACHINE_LETTERS:
        return None
    records = [Record(**entry) for entry in history]
    return Checkpoint(step, metadata["seconds"], metadata["tokens"], records, machines)


def _are(kinds: dict[str, Any], values: dict[str, Any]) -> bool:
    """Return whether values are of their kinds, finite and not negative."""
    return all(type(values.get(key)) is kind and 0 <= values[key] < math.inf for key, kind in kinds.items())


def _fits(tensors: dict[str, Any], module: torch.nn.Module) -> bool:
    """Return whether the tensors are those of a module, finite, and no mean of squares negative."""
    wanted = {
        f"{kind}.{key}": (like.shape, like.dtype)
        for key, like in ((key, _flat(parameter)) for key, parameter in module.named_parameters())
        for kind in ("weights", *MOMENTS)
    }
    return (
        wanted == {key: (tensor.shape, tensor.dtype) for key, tensor in tensors.items()}
        and all(np.isfinite(tensor).all() for tensor in tensors.values())
        and all((tensor >= 0).all() for key, tensor in tensors.items() if key.startswith(f"{MOMENTS[1]}."))
    )


def _restore(tensors: dict[str, Any], module: torch.nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
    with torch.no_grad():
        for key, parameter in module.named_parameters():
            parameter.copy_(_like(tensors[f"weights.{key}"], parameter))
            moments = {moment: _like(tensors[f"{moment}.{key}"], parameter) for moment in MOMENTS}
            optimizer.state[parameter] = {"step": torch.tensor(float(step)), **moments}


def _flat(tensor: torch.Tensor) -> Any:
    """Return the numbers with two axes at most, as the file needs."""
    array = tensor.detach().numpy()
    return array if array.ndim <= 2 else array.reshape(-1, array.shape[-1])


def _like(array: Any, parameter: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(array.copy()).reshape(parameter.shape)
