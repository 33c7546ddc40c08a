"""Checkpoints: whole or not at all, taken up only by the training that they are of, and never by halves."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.train.small import COURSE, SHAPE, course, labelled, shape, text, weights
from weightsmith.train import Course, Shape, as_labelled, as_text, fit
from weightsmith.train.loop import Fitted, Task, learn
from weightsmith.train.training import digest_of, identity, new_module


class Stop(Exception):  # noqa: N818
    """Stops a training, as a kill would."""


def stopped(path: Path, after: int, shape: Shape = SHAPE, course: Course = COURSE, task: Any = None) -> None:
    """Train until a step, and leave a checkpoint."""

    def report(step: int, loss: float, speed: float) -> None:
        if step == after:
            raise Stop

    with pytest.raises(Stop):
        fit(task or text(), shape, course, checkpoint=path, report=report)


def going_on(path: Path | None, course: Course = COURSE, task: Any = None) -> Fitted:
    task = task or text()
    module = new_module(task, SHAPE, course)
    return learn(module, task, course, identity(task, SHAPE, course), path)


def told(fitted: Fitted) -> list[dict[str, Any]]:
    return [{key: value for key, value in vars(record).items() if key != "seconds"} for record in fitted.history]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("every", [1, 2, 5, 6, 11])
@pytest.mark.parametrize("task", [text(), labelled()], ids=["text", "labelled"])
def test_a_training_that_was_stopped_ends_with_the_same_bits(task: Any, every: int, tmp_path: Path) -> None:
    path = tmp_path / "c"
    whole = going_on(None, task=task)
    stopped(path, 12, course=course(checkpoint_every=every), task=task)
    kept = going_on(path, task=task)
    assert kept.resumed_at == 11 // every * every
    assert weights(kept.module) == weights(whole.module)
    assert told(kept) == told(whole)
    assert kept.history[-1].seconds >= kept.history[0].seconds >= 0


def test_a_training_may_be_stopped_at_every_step(tmp_path: Path) -> None:
    whole, path = going_on(None), tmp_path / "c"
    for after in range(2, 13, 2):
        stopped(path, after, course=course(checkpoint_every=1))
        assert path.exists()
    assert weights(going_on(path).module) == weights(whole.module)


@pytest.mark.parametrize("positions", ["relative", "rotary", "alibi", "sinusoidal", "none"])
def test_every_kind_of_shape_has_checkpoints(positions: Any, tmp_path: Path) -> None:
    kind, path = shape(positions=positions, activation="swiglu", tied=False, numbers="float64"), tmp_path / "c"
    whole = fit(text(), kind, COURSE)
    stopped(path, 7, kind)
    kept = fit(text(), kind, COURSE, checkpoint=path)
    assert kept.resumed_at == 5
    assert kept.transformer == whole.transformer


def test_how_often_checkpoints_are_written_changes_nothing(tmp_path: Path) -> None:
    found = [going_on(tmp_path / str(n), course(checkpoint_every=n)) for n in (1, 3, 100)]
    assert len({tuple(weights(one.module)) for one in found}) == 1
    assert told(found[0]) == told(found[1]) == told(found[2])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "100", "3"]  # each has one of the end


@pytest.mark.parametrize("steps", [11, 12])
def test_a_training_that_was_done_is_not_done_again(steps: int, tmp_path: Path) -> None:
    path, seen = tmp_path / "c", list[int]()
    first = fit(text(), SHAPE, course(steps=steps), checkpoint=path)
    again = fit(text(), SHAPE, course(steps=steps), checkpoint=path, report=lambda step, *_: seen.append(step))
    assert (again.resumed_at, again.steps, seen) == (steps, steps, [])
    assert again.transformer == first.transformer
    assert again.history == first.history


@pytest.mark.parametrize("task", [text(), labelled()], ids=["text", "labelled"])
@pytest.mark.parametrize("after", range(1, 12))
@pytest.mark.one_in(3)
def test_a_training_that_is_told_to_stop_goes_on_with_the_same_bits(after: int, task: Any, tmp_path: Path) -> None:
    path, whole = tmp_path / "c", fit(task, SHAPE, COURSE)
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > after

    part = fit(task, SHAPE, COURSE, checkpoint=path, stop=stop)
    assert (part.steps, len(asked)) == (after, after + 1)
    assert part.transformer.provenance[0].startswith(f"trained: {after} of 12 steps of 4, seed 0")
    assert [record.step for record in part.history] == [0, 4, 8][: 1 + after // 4]
    again = fit(task, SHAPE, COURSE, checkpoint=path)
    assert (again.resumed_at, again.steps) == (after, 12)
    assert again.transformer == whole.transformer
    assert again.transformer.provenance == whole.transformer.provenance
    assert fit(task, SHAPE, COURSE, stop=lambda: len(asked) > 0).steps == 0  # no checkpoint is needed


def test_a_training_that_is_stopped_before_its_first_step_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c"
    found = fit(text(), SHAPE, COURSE, checkpoint=path, stop=lambda: True)
    assert (found.steps, found.history, path.exists()) == (0, (), False)
    assert np.isnan([found.loss, found.tokens_per_second]).all()
    stopped(path, 7)
    before = path.read_bytes()
    assert fit(text(), SHAPE, COURSE, checkpoint=path, stop=lambda: True).steps == 5
    assert path.read_bytes() == before


PLACES = (
    "torch.optim.AdamW.step", "torch.optim.AdamW.zero_grad", "torch.nn.utils.clip_grad_norm_", "os.fsync",
    "os.replace", "safetensors.numpy.save", "weightsmith.train.loop.evaluate", "weightsmith.train.loop.rate_at",
    "weightsmith.train.loop.write_checkpoint",
)  # fmt: skip


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.one_in(3)
def test_an_interrupt_anywhere_in_a_training_leaves_a_whole_checkpoint(
    place: str, late: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "c", fit(text(), SHAPE, COURSE)
    stopped(path, 7)
    with monkeypatch.context() as here:
        target = pytest.importorskip(place.split(".")[0])
        for name in place.split(".")[1:]:
            target = getattr(target, name)

        def interrupted(*arguments: Any, **options: Any) -> Any:
            if late:
                target(*arguments, **options)
            raise KeyboardInterrupt

        here.setattr(place, interrupted)
        with pytest.raises(KeyboardInterrupt):
            fit(text(), SHAPE, COURSE, checkpoint=path)
    assert os.listdir(tmp_path) == ["c"]
    again = fit(text(), SHAPE, COURSE, checkpoint=path)
    assert again.resumed_at == (
        10 if late and place in ("os.replace", "weightsmith.train.loop.write_checkpoint") else 5
    )
    assert again.transformer == whole.transformer


def test_a_training_that_moved_to_another_machine_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c"
    for name, step in (("one", 6), ("two", 9), ("one", 10)):
        monkeypatch.setattr("weightsmith.train.loop.machine", lambda name=name: name)
        stopped(path, step, course=course(checkpoint_every=1))
    monkeypatch.setattr("weightsmith.train.loop.machine", lambda: "three")
    (made,) = fit(text(), SHAPE, COURSE, checkpoint=path).transformer.provenance
    assert made == "trained: 12 steps of 4, seed 0, 1 thread, one, then two, then three"


@pytest.mark.parametrize("where", ["replace", "fsync"])
def test_a_stop_while_a_checkpoint_is_written_leaves_the_one_before(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "c", going_on(None)
    stopped(path, 7)
    before = path.read_bytes()

    def stop(*arguments: Any) -> None:
        raise Stop

    monkeypatch.setattr(os, where, stop)
    with pytest.raises(Stop):
        going_on(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["c"]
    assert weights(going_on(path).module) == weights(whole.module)


def test_a_full_disk_is_named_and_the_checkpoint_before_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c"
    stopped(path, 7)
    before = path.read_bytes()

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        ws.FileError, match="cannot write the checkpoint .*: No space left on device; an earlier one stays"
    ):
        going_on(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["c"]


OTHERS: list[tuple[str, Any, Any, Any]] = [
    ("shape, lanes", text(), shape(lanes=16), COURSE),
    ("shape, positions", text(), shape(positions="none"), COURSE),
    ("shape, numbers", text(), shape(numbers="float64"), COURSE),
    ("course, steps", text(), SHAPE, course(steps=13)),
    ("course, seed", text(), SHAPE, course(seed=1)),
    ("course, rate", text(), SHAPE, course(rate=0.002)),
    ("course, dropout", text(), SHAPE, course(dropout=0.0)),
    ("course, evaluate_every", text(), SHAPE, course(evaluate_every=3)),
    ("data", as_text("the cat sat on the mat; the rat sat on a cat. " * 8, 8), SHAPE, COURSE),
    ("data", as_text("the cat sat on the mat; the rat sat on the cat. " * 8, 7), SHAPE, COURSE),
    ("data", labelled(), SHAPE, COURSE),
]


@pytest.mark.parametrize(("what", "task", "other", "pace"), OTHERS, ids=[f"{n} {o[0]}" for n, o in enumerate(OTHERS)])
def test_a_checkpoint_of_another_training_is_refused_and_stays(
    what: str, task: Any, other: Shape, pace: Course, tmp_path: Path
) -> None:
    path = tmp_path / "c"
    stopped(path, 7)
    before = path.read_bytes()
    with pytest.raises(
        ws.FileError, match=f"is a checkpoint of another training, which differs in {what}: give the same"
    ):
        fit(task, other, pace, checkpoint=path)
    assert path.read_bytes() == before


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "c"
    stopped(path, 7)
    return path


def test_weights_that_left_the_numbers_are_not_written(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = checkpoint.read_bytes()
    step = torch.optim.AdamW.step

    def spoil(self: Any, *rest: Any) -> None:
        step(self, *rest)
        if self.state[self.param_groups[0]["params"][0]]["step"] == 10:  # a checkpoint is due
            self.param_groups[1]["params"][0].data[0] = float("inf")

    monkeypatch.setattr(torch.optim.AdamW, "step", spoil)
    with pytest.raises(
        ws.InputError, match="after 10 steps the weights are no longer finite numbers: write a smaller rate"
    ):
        going_on(checkpoint)
    assert checkpoint.read_bytes() == before


def test_a_training_that_leaves_the_numbers_says_so(tmp_path: Path) -> None:
    pace = course(rate=10.0, warmup=0, clip=0.0, steps=400, evaluate_every=400)
    with pytest.raises(ws.InputError, match=r"the loss of step \d+ is (nan|inf): write a smaller rate than 10"):
        fit(text(), shape(norm="none", activation="swiglu", blocks=3), pace)


def test_the_digest_of_the_data_covers_all_of_it() -> None:
    labels = {tuple(f"{n:03b}"): "YES" if n % 2 else "NO" for n in range(8)}
    tasks: list[Task] = [
        as_text("ab" * 20, 4),
        as_text("ab" * 20, 5),
        as_text("ab" * 19 + "ba", 4),  # the end is held back
        as_text("ba" + "ab" * 19, 4),
        as_labelled(labels),
        as_labelled({**labels, ("1", "1", "1"): "NO"}),
    ]
    assert len({digest_of(task) for task in tasks}) == len(tasks)
    assert digest_of(as_text("ab" * 20, 4)) == digest_of(tasks[0])
