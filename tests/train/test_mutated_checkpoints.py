"""Checkpoints that were changed: the same training goes on, or they are refused; a flipped bit always is."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.files.mutations import header_and_body, mutated, with_header
from tests.train.small import COURSE, course, shape, text, weights
from tests.train.test_checkpoint import stopped
from tests.train.test_hostile_checkpoints import unsealed
from weightsmith.train.checkpoint import Checkpoint, read_checkpoint, sealed
from weightsmith.train.loop import _optimizer
from weightsmith.train.training import identity, new_module

SMALL = shape(lanes=2, heads=1, neurons=1, context=2, norm="none")
TASK = text(2)


class Taking:
    """Takes up checkpoints, and sees that nothing is taken up of those that are refused."""

    def __init__(self) -> None:
        self.identity = identity(TASK, SMALL, COURSE)
        self.fresh()

    def fresh(self) -> None:
        self.module = new_module(TASK, SMALL, COURSE)
        self.optimizer = _optimizer(self.module, COURSE)
        self.before = weights(self.module)

    def refuses(self, path: Path) -> str:
        """Return why a checkpoint is refused; nothing where it is taken up."""
        said = ""
        try:
            self.state = read_checkpoint(path, self.identity, COURSE, self.module, self.optimizer)
        except ws.FileError as error:
            said = str(error)
        assert not said or (not self.optimizer.state and weights(self.module) == self.before and len(said) < 600)
        return said

    def taken(self) -> tuple[Checkpoint, list[bytes], list[bytes]]:
        """Return everything that was taken up, and begin anew."""
        moments = [
            value.numpy().tobytes() for part in self.optimizer.state.values() for value in part.values()
            if isinstance(value, torch.Tensor)
        ]  # fmt: skip
        result = self.state, weights(self.module), moments
        self.fresh()
        return result


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "c"
    stopped(path, 7, SMALL, course(), TASK)
    return path


def bits(data: bytes, share: float) -> Iterator[int]:
    """Yield the places of bits: all of them, or some at random."""
    random = Random(len(data))
    return (place for place in range(8 * len(data)) if random.random() < share)


@pytest.mark.parametrize("share", [0.02, pytest.param(1.0, marks=pytest.mark.long)])
def test_a_flipped_bit_is_always_refused(share: float, checkpoint: Path) -> None:
    whole, taking, said = checkpoint.read_bytes(), Taking(), set[str]()
    for place in bits(whole, share):
        broken = bytearray(whole)
        broken[place // 8] ^= 1 << place % 8
        checkpoint.write_bytes(broken)
        why = taking.refuses(checkpoint)
        assert why.endswith("move it away to begin anew"), place
        said.add("damaged" if why == f"{checkpoint} is a damaged checkpoint: move it away to begin anew" else "none")
    assert said == {"damaged", "none"}
    checkpoint.write_bytes(whole)
    assert taking.refuses(checkpoint) == ""


def test_a_flipped_bit_of_a_weight_is_damage(checkpoint: Path) -> None:
    whole, taking = checkpoint.read_bytes(), Taking()
    for place in range(8 * (len(whole) - 8), 8 * len(whole)):
        broken = bytearray(whole)
        broken[place // 8] ^= 1 << place % 8
        checkpoint.write_bytes(broken)
        assert taking.refuses(checkpoint) == f"{checkpoint} is a damaged checkpoint: move it away to begin anew"


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_mutated_checkpoints_go_on_as_they_were_or_are_refused(count: int, checkpoint: Path) -> None:
    whole, taking, random = checkpoint.read_bytes(), Taking(), Random(count)
    assert taking.refuses(checkpoint) == ""
    true = taking.taken()
    refused = 0
    for _ in range(count):
        changed = mutated(whole, random)
        checkpoint.write_bytes(changed)
        if taking.refuses(checkpoint):
            refused += 1
        else:
            assert taking.taken() == true, changed == whole
    assert refused > count * 0.9


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_forged_checkpoints_with_their_checksum_are_valid_or_refused(count: int, checkpoint: Path) -> None:
    """A checksum is no signature: what somebody has changed on purpose is still checked for everything else."""
    whole, taking, random, taken = checkpoint.read_bytes(), Taking(), Random(count), 0
    for _ in range(count):
        checkpoint.write_bytes(forged(mutated(whole, random)))
        if not taking.refuses(checkpoint):
            state, _, _ = taking.taken()
            assert 0 < state.step <= COURSE.steps
            assert np.isfinite(state.seconds)
            taken += 1
    assert taken > count // 100


def forged(data: bytes) -> bytes:
    found = header_and_body(data)
    if found is None:
        return data
    header, body = found
    inside = header.get("__metadata__")
    if isinstance(inside, dict) and isinstance(inside.get("weightsmith"), str):
        inside["weightsmith"] = unsealed(inside["weightsmith"])
    return sealed(with_header(json.loads(json.dumps(header)), body))
