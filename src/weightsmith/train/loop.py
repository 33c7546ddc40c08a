"""The loop: AdamW with warm-up and cosine, checkpoints from which a killed run resumes, and reports.

Everything that is random in a step depends only on the seed and the number of the step. So a run that goes on from a
checkpoint ends with the same weights, bit for bit, as one that was never stopped.
"""

import math
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from weightsmith.errors import InputError
from weightsmith.train.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from weightsmith.train.records import Record
from weightsmith.train.settings import Course

Batch: TypeAlias = tuple[Tensor, Tensor]


class Task(Protocol):
    """The data of a training, and its loss."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens."""

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The classes; None for a language model, whose classes are the tokens."""

    @property
    def longest(self) -> int:
        """How many tokens the longest input has."""

    @property
    def data(self) -> tuple[str, list[Tensor]]:
        """The kind of data, and all of it; a checkpoint must have been made with the same."""

    def batch(self, random: np.random.Generator, size: int) -> Batch:
        """Draw a batch."""

    def learnt(self, size: int) -> list[Batch]:
        """Return batches that are learnt from, chosen as those of `validation` are: the losses can be compared."""

    def validation(self, size: int) -> list[Batch]:
        """Return batches that are not learnt from."""

    def loss(self, model: Any, batch: Batch) -> Tensor:
        """Return the loss."""

    def tokens_in(self, batch: Batch) -> int:
        """Count the tokens."""


@runtime_checkable
class Stepping(Protocol):
    """A module that computes otherwise later in training."""

    def before_step(self, step: int, steps: int) -> None:
        """Prepare for step `step` of `steps`."""


Report: TypeAlias = Callable[[int, float, float], None]  # steps done, loss, tokens per second
Stop: TypeAlias = Callable[[], bool]  # asked before every step
Enough: TypeAlias = Callable[[int], bool]  # whether to end, at a record after some steps, by the weights alone


@dataclass(frozen=True, eq=False)
class Fitted:
    """A module that was trained, and how that went."""

    module: torch.nn.Module
    history: tuple[Record, ...]
    resumed_at: int  # the step at which this run went on; 0 for a run of its own
    steps: int  # steps done: all, unless training was stopped
    machines: tuple[str, ...]  # what its runs computed with


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Use `count` threads within the context; the former number is restored after it."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def machine() -> str:
    """Name the software and hardware on which the last bits of sums depend, besides the number of threads.

    PyTorch has its loops once for each instruction set and takes the widest that the processor has. MKL, which
    multiplies its matrices, chooses for itself and does not tell.
    """
    return f"torch {torch.__version__} on {platform.machine()} {torch.backends.cpu.get_cpu_capability()}"


def learn(
    module: torch.nn.Module,
    task: Task,
    course: Course,
    identity: dict[str, Any],
    checkpoint: Path | None = None,
    report: Report | None = None,
    record: Callable[[tuple[Record, ...]], None] | None = None,
    stop: Stop | None = None,
    enough: Enough | None = None,
) -> Fitted:
    """Train a module; with a checkpoint file, resume from it.

    `identity` is what must be the same in the checkpoint: shape, course and data. `stop` is asked before every step;
    once it says True, no further step is begun. The checkpoint is that of the last step then, as it is at the end.
    `enough` is asked at every record, also at one at which a resumed run begins, and ends training in the same way.
    The file stays when training ends: remove it after saving the result.
    """
    optimizer = _optimizer(module, course)
    state = Checkpoint()
    if checkpoint is not None and checkpoint.exists():
        state = read_checkpoint(checkpoint, identity, course, module, optimizer)
    state.machines += [] if machine() in state.machines else [machine()]
    begin, written, before = state.step, state.step, state.tokens
    seen, held = task.learnt(course.batch), task.validation(course.batch)
    started, seconds = time.perf_counter(), state.seconds
    module.train()

    def take_record() -> None:
        losses = evaluate(module, task, seen), evaluate(module, task, held)
        rate = rate_at(course, max(state.step - 1, 0))
        state.history.append(Record(state.step, *losses, rate, state.seconds, state.tokens))
        if record is not None:
            record(tuple(state.history))

    def is_enough() -> bool:
        return enough is not None and 0 < state.step == state.history[-1].step and enough(state.step)

    while state.step < course.steps and not is_enough() and not (stop is not None and stop()):
        if state.step == 0:
            take_record()
        batch, loss = _learn(module, optimizer, task, course, state.step)
        elapsed = time.perf_counter() - started
        state.step, state.seconds, state.tokens = (
            state.step + 1,
            seconds + elapsed,
            state.tokens + task.tokens_in(batch),
        )
        if report is not None:
            report(state.step, loss, (state.tokens - before) / max(elapsed, 1e-9))
        if state.step % course.evaluate_every == 0 or state.step == course.steps:
            take_record()
        if checkpoint is not None and state.step % course.checkpoint_every == 0:
            write_checkpoint(checkpoint, state, identity, module, optimizer)
            written = state.step
    if checkpoint is not None and written < state.step:
        write_checkpoint(checkpoint, state, identity, module, optimizer)
    module.eval()
    return Fitted(module, tuple(state.history), begin, state.step, tuple(state.machines))


def _optimizer(module: torch.nn.Module, course: Course) -> torch.optim.AdamW:
    """Return AdamW; only matrices decay."""
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
) -> tuple[Batch, float]:
    """Do one step; return its batch and its loss."""
    if isinstance(module, Stepping):
        module.before_step(step, course.steps)
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
    found = float(loss.detach())
    if not math.isfinite(found):
        raise InputError(f"the loss of step {step + 1:,} is {found}: write a smaller rate than {course.rate:g}")
    return batch, found


def rate_at(course: Course, step: int) -> float:
    """Return the learning rate: it rises evenly, then falls along a cosine."""
    if step < course.warmup:
        return course.rate * (step + 1) / course.warmup
    share = (step - course.warmup) / max(course.steps - course.warmup, 1)
    return course.rate * (course.least_rate + (1 - course.least_rate) * (1 + math.cos(math.pi * share)) / 2)


@torch.no_grad()
def evaluate(module: torch.nn.Module, task: Task, held: list[Batch]) -> float:
    """Return the mean loss of batches, without dropout."""
    module.eval()
    counts = [len(batch[0]) for batch in held]
    losses = [float(task.loss(module, batch)) for batch in held]
    module.train()
    return float(np.average(losses, weights=counts))
