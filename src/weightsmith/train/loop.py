"""The loop: AdamW with warm-up and cosine, checkpoints that a killed run goes on from, and what it reports.

Everything that is random in a step depends only on the seed and the number of the step. So a run that goes on from a
checkpoint ends with the same weights, bit for bit, as one that was never stopped.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import torch
from torch import Tensor

from weightsmith.errors import InputError
from weightsmith.train.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from weightsmith.train.settings import Course

Batch: TypeAlias = tuple[Tensor, Tensor]


class Task(Protocol):
    """What is learnt."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens."""

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The classes; None for a language model, whose classes are the tokens."""

    def batch(self, random: np.random.Generator, size: int) -> Batch:
        """Draw a batch."""

    def validation(self, size: int) -> list[Batch]:
        """Give batches that are not learnt from."""

    def loss(self, model: Any, batch: Batch) -> Tensor:
        """Give the loss."""

    def tokens_in(self, batch: Batch) -> int:
        """Count the tokens."""


@dataclass(frozen=True)
class Record:
    """What is known after some steps."""

    step: int
    train_loss: float  # the mean since the last record
    validation_loss: float
    rate: float
    seconds: float  # since training began, over all its runs
    tokens: int  # learnt from so far


Report: TypeAlias = Callable[[int, float, float], None]  # steps done, loss, tokens per second


@dataclass(frozen=True, eq=False)
class Fitted:
    """A module that was trained, and how that went."""

    module: torch.nn.Module
    history: tuple[Record, ...]
    resumed_at: int  # the step at which this run went on; 0 for a run of its own


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Use so many threads for a while; what somebody else has set comes back."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def learn(
    module: torch.nn.Module,
    task: Task,
    course: Course,
    identity: dict[str, Any],
    checkpoint: Path | None = None,
    report: Report | None = None,
    record: Callable[[tuple[Record, ...]], None] | None = None,
) -> Fitted:
    """Train a module; with a checkpoint file, go on from what it holds.

    `identity` is what must be the same in the checkpoint: shape, course and data. The file stays when training ends:
    whoever has saved the result removes it.
    """
    optimizer = _optimizer(module, course)
    history: list[Record] = []
    losses: list[float] = []
    begin, seconds, tokens = 0, 0.0, 0
    if checkpoint is not None and checkpoint.exists():
        found = read_checkpoint(checkpoint, identity, course, module, optimizer)
        begin, seconds, tokens = found.step, found.seconds, found.tokens
        history = [Record(**entry) for entry in found.history]
        losses += found.losses
    held = task.validation(course.batch)
    started, fresh = time.perf_counter(), 0
    module.train()
    for step in range(begin, course.steps):
        batch = _learn(module, optimizer, task, course, step, losses)
        tokens += task.tokens_in(batch)
        fresh += task.tokens_in(batch)
        done = step + 1
        last = done == course.steps
        if report is not None:
            report(done, losses[-1], fresh / max(time.perf_counter() - started, 1e-9))
        elapsed = seconds + time.perf_counter() - started
        if done % course.evaluate_every == 0 or last:
            mean = float(np.mean(losses))
            losses.clear()
            history.append(Record(done, mean, evaluate(module, task, held), rate_at(course, step), elapsed, tokens))
            if record is not None:
                record(tuple(history))
        if checkpoint is not None and done % course.checkpoint_every == 0 and not last:
            entries = [vars(entry) for entry in history]
            write_checkpoint(
                checkpoint, Checkpoint(done, elapsed, tokens, entries, losses), identity, module, optimizer
            )
    module.eval()
    return Fitted(module, tuple(history), begin)


def _optimizer(module: torch.nn.Module, course: Course) -> torch.optim.AdamW:
    """Give AdamW; only matrices decay."""
    matrices = [p for p in module.parameters() if p.ndim >= 2]
    others = [p for p in module.parameters() if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": course.decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=course.rate, betas=(0.9, 0.95), fused=True)


def _learn(
    module: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    task: Task,
    course: Course,
    step: int,
    losses: list[float],
) -> Batch:
    """Do one step."""
    for group in optimizer.param_groups:
        group["lr"] = rate_at(course, step)
    batch = task.batch(np.random.default_rng((course.seed, step)), course.batch)
    torch.manual_seed(course.seed * 1_000_003 + step)  # for dropout
    optimizer.zero_grad(set_to_none=True)
    loss = task.loss(module, batch)
    loss.backward()  # type: ignore[no-untyped-call]
    if course.clip:
        torch.nn.utils.clip_grad_norm_(module.parameters(), course.clip)
    optimizer.step()
    losses.append(float(loss.detach()))
    if not math.isfinite(losses[-1]):
        raise InputError(f"the loss of step {step + 1:,} is {losses[-1]}: write a smaller rate than {course.rate:g}")
    return batch


def rate_at(course: Course, step: int) -> float:
    """Give the learning rate: it rises evenly, then falls along a cosine."""
    if step < course.warmup:
        return course.rate * (step + 1) / course.warmup
    share = (step - course.warmup) / max(course.steps - course.warmup, 1)
    return course.rate * (course.least_rate + (1 - course.least_rate) * (1 + math.cos(math.pi * share)) / 2)


@torch.no_grad()
def evaluate(module: torch.nn.Module, task: Task, held: list[Batch]) -> float:
    """Give the mean loss of batches that are not learnt from."""
    module.eval()
    counts = [len(batch[0]) for batch in held]
    losses = [float(task.loss(module, batch)) for batch in held]
    module.train()
    return float(np.average(losses, weights=counts))
