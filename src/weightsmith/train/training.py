"""Training from end to end: data, module, loop, and the transformer that comes out."""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from weightsmith import train
from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import InputError
from weightsmith.model import Transformer
from weightsmith.train.convert import to_transformer
from weightsmith.train.exact import ExactModel, exactly
from weightsmith.train.loop import Fitted, Report, Stop, Task, learn, threads
from weightsmith.train.module import Model
from weightsmith.train.records import Record
from weightsmith.train.settings import Course, Shape, as_data

if TYPE_CHECKING:
    from weightsmith.check import Verdict


@dataclass(frozen=True, eq=False)
class Trained:
    """A transformer that was trained, and how that went."""

    transformer: Transformer
    history: tuple[Record, ...]
    resumed_at: int
    steps: int  # steps done: all, unless training was stopped
    verdict: "Verdict | None" = None  # of an exact training: is its language that of the rule that labelled the strings

    @property
    def loss(self) -> float:
        """The validation loss of the last record; NaN before there is one."""
        return self.history[-1].validation_loss if self.history else math.nan

    @property
    def tokens_per_second(self) -> float:
        """How fast it learnt, over all its runs, up to the last record; NaN before there is one."""
        return self.history[-1].tokens / max(self.history[-1].seconds, 1e-9) if self.history else math.nan


def fit(
    task: Task,
    shape: Shape,
    course: Course,
    *,
    checkpoint: Path | None = None,
    report: Report | None = None,
    record: Callable[[tuple[Record, ...]], None] | None = None,
    stop: Stop | None = None,
    exact: Arithmetic | None = None,
) -> Trained:
    """Train a transformer for a task.

    With a checkpoint file, resume from it. `stop` is asked before every step; once it says True, the
    checkpoint of the last step is written, and what comes back is the transformer as it is then.

    With `exact`, a finite arithmetic, it is trained in that arithmetic and, from half of the steps on, with hard
    attention: the transformer that comes back computes as it was trained, and `verdict` says for all lengths whether
    its language is that of the rule, where strings were labelled by one that an automaton decides.
    """
    check_context(task, shape)
    module = new_module(task, shape, course, exact)
    learnt = task if exact is None else _with_prefixes(task)
    with threads(course.threads):
        same = identity(task, shape, course) | ({} if exact is None else {"exact": str(exact)})
        fitted = learn(module, learnt, course, same, checkpoint, report, record, stop)
    kind = "trained" if exact is None else f"trained in {exact}"
    T = to_transformer(module, task.vocabulary, task.classes, f"{kind}: {how(fitted, course)}")
    verdict = None
    if isinstance(module, ExactModel):
        T = exactly(T, module)
        verdict = train.exact_language(T, task) if fitted.steps == course.steps else None
    return Trained(T, fitted.history, fitted.resumed_at, fitted.steps, verdict)


def _with_prefixes(task: Task) -> Task:
    """Return labelled strings with the labels of their prefixes; another task as it is."""
    from weightsmith.train import prefixes  # here, because a text needs none

    return prefixes.Prefixes(task) if isinstance(task, train.Labelled) else task


def how(fitted: Fitted, course: Course) -> str:
    """Return a line of provenance: steps, batch, seed, threads and machines."""
    steps = f"{course.steps}" if fitted.steps == course.steps else f"{fitted.steps} of {course.steps}"
    threads = "1 thread" if course.threads == 1 else f"{course.threads} threads"
    return f"{steps} steps of {course.batch}, seed {course.seed}, {threads}, {', then '.join(fitted.machines)}"


def check_context(task: Task, shape: Shape) -> None:
    """Refuse inputs longer than the context of the shape."""
    if task.longest > shape.context:
        raise InputError(f"the inputs have up to {task.longest} tokens, and the shape has context={shape.context}")


def new_module(task: Task, shape: Shape, course: Course, exact: Arithmetic | None = None) -> Model:
    """Return the module that training begins with; the same seed gives the same one."""
    torch.manual_seed(course.seed)
    classes = None if task.classes is None else len(task.classes)
    if exact is not None:
        return ExactModel(shape, len(task.vocabulary), classes, course.dropout, exact)
    return Model(shape, len(task.vocabulary), classes, course.dropout)


def identity(task: Task, shape: Shape, course: Course) -> dict[str, Any]:
    """Return the settings and data that identify a training."""
    settings = {name: value for name, value in as_data(course).items() if name != "checkpoint_every"}
    return {"shape": as_data(shape), "course": settings, "data": digest_of(task)}


def digest_of(task: Task) -> str:
    """Return a digest of the data."""
    kind, tensors = task.data
    state = hashlib.sha256(repr((task.vocabulary, task.classes, kind)).encode())
    for tensor in tensors:
        state.update(str(tuple(tensor.shape)).encode() + tensor.numpy().tobytes())
    return state.hexdigest()
