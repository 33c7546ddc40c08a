"""Training learns: what it learns from, at which rate, and what depends on what."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.check.models import all_inputs
from tests.train.small import COURSE, SHAPE, course, labelled, shape, text, weights
from weightsmith.export.hugging_face.hub.network_weightsmith import places
from weightsmith.train import Course, Shape, as_text, compare, fit
from weightsmith.train.loop import _optimizer, evaluate, learn, rate_at
from weightsmith.train.module import Model
from weightsmith.train.prefixes import Prefixes
from weightsmith.train.training import identity, new_module


def learnt(task: Any, pace: Course = COURSE, kind: Shape = SHAPE) -> torch.nn.Module:
    module = new_module(task, kind, pace)
    return learn(module, task, pace, identity(task, kind, pace)).module


def test_a_text_is_learnt_far_better_than_by_guessing() -> None:
    task = as_text("abcdefgh" * 60, 8)
    found = fit(task, shape(lanes=16, heads=2), course(steps=150, batch=16, rate=1e-2, warmup=10, dropout=0.0))
    guessing = np.log(8)  # nats, of 8 tokens that are as frequent
    assert fit(task, SHAPE, course(steps=1, rate=0.0)).loss == pytest.approx(guessing, rel=0.2)  # small weights
    assert found.loss < 0.2 * guessing
    assert "".join(ws.generate(found.transformer, "c", 5)) == "defgh"
    sample = list(ws.generate(found.transformer, "a", 7, temperature=1.0, seed=1))
    assert set(sample) <= set("abcdefgh")
    assert [record.step for record in found.history][-1] == 150
    assert found.history[-1].tokens == 150 * 16 * 8
    assert found.tokens_per_second > 0


def test_the_provenance_says_what_the_weights_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "9.8.7+cpu")
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX99")
    monkeypatch.setattr("platform.machine", lambda: "pdp11")
    found = fit(text(), SHAPE, course(seed=5))
    assert found.transformer.provenance == ("trained: 12 steps of 4, seed 5, 1 thread, torch 9.8.7+cpu on pdp11 AVX99",)
    assert "2 threads, torch" in fit(text(), SHAPE, course(threads=2)).transformer.provenance[0]
    beside = compare(text(), SHAPE, course(seed=5)).transformer.provenance
    assert beside == ("trained beside an LSTM: 12 steps of 4, seed 5, 1 thread, torch 9.8.7+cpu on pdp11 AVX99",)


def test_a_predicate_is_learnt(recogniser: ws.Transformer) -> None:
    T, inputs = recogniser, all_inputs("01", 8)
    right = sum(
        (found == "YES") == ("11" in "".join(x)) for x, found in zip(inputs, ws.decisions(T, inputs), strict=True)
    )
    assert T.classes == ("NO", "YES")
    assert right > 0.85 * len(inputs)  # the same answer always gives 0.72


def test_the_rate_rises_evenly_then_falls_along_a_cosine() -> None:
    pace = Course(steps=110, warmup=10, rate=2.0, least_rate=0.25)
    rates = [rate_at(pace, step) for step in range(110)]
    assert rates[:10] == pytest.approx([0.2 * (n + 1) for n in range(10)])
    assert rates[10] == max(rates) == 2.0
    assert rates[60] == pytest.approx((2.0 + 0.5) / 2)  # half-way
    assert all(a > b for a, b in pairwise(rates[10:]))
    assert 0.5 < rates[-1] < 0.501
    assert rate_at(Course(steps=5, warmup=0, rate=1.0), 0) == 1.0
    assert max(rate_at(Course(steps=5, warmup=50, rate=1.0), step) for step in range(5)) == 0.1


def test_records_begin_with_step_0_and_hold_the_rate_of_their_step() -> None:
    found = fit(text(), SHAPE, COURSE)
    assert [record.step for record in found.history] == [0, 4, 8, 12]
    assert [record.rate for record in found.history] == [rate_at(COURSE, step) for step in (0, 3, 7, 11)]
    assert [record.tokens for record in found.history] == [0, 128, 256, 384]
    assert [record.step for record in fit(text(), SHAPE, course(steps=6)).history] == [0, 4, 6]


@pytest.mark.parametrize("task", [text(), labelled(), Prefixes(labelled())], ids=["text", "labelled", "prefixes"])
def test_training_and_validation_losses_are_measured_alike(task: Any) -> None:
    pace = course(dropout=0.5)  # which neither of them has
    module = new_module(task, SHAPE, pace)
    first = [evaluate(module, task, batches) for batches in (task.learnt(4), task.validation(4))]
    found = learn(module, task, pace, identity(task, SHAPE, pace))
    last = [evaluate(found.module, task, batches) for batches in (task.learnt(4), task.validation(4))]
    for record, losses in ((found.history[0], first), (found.history[-1], last)):
        assert [record.train_loss, record.validation_loss] == losses
    forms = [{(ids.ndim, ids.dtype, labels.ndim) for ids, labels in b} for b in (task.learnt(4), task.validation(4))]
    assert forms[0] == forms[1]
    counts = [sum(len(ids) for ids, _ in batches) for batches in (task.learnt(4), task.validation(4))]
    assert 0 < counts[0] <= counts[1]


def test_only_matrices_decay() -> None:
    module = new_module(text(), shape(positions="relative"), COURSE)
    decays = {
        id(p): group["weight_decay"]
        for group in _optimizer(module, course(decay=0.3)).param_groups
        for p in group["params"]
    }
    for name, parameter in module.named_parameters():
        assert decays[id(parameter)] == (0.0 if name.endswith("bias") or "norm" in name else 0.3), name
    assert len(decays) == len(list(module.parameters()))


def test_decay_shrinks_matrices_and_leaves_the_rest() -> None:
    module = new_module(text(), SHAPE, COURSE)
    before = {name: parameter.detach().clone() for name, parameter in module.named_parameters()}
    optimizer = _optimizer(module, course(decay=0.5, rate=0.1))
    for parameter in module.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    for name, parameter in module.named_parameters():
        factor = 0.95 if parameter.ndim == 2 else 1.0
        assert torch.allclose(parameter, before[name] * factor, rtol=1e-6), name  # a rounding or two of float32


def test_clipping_bounds_the_norm_of_all_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    norms: list[float] = []
    step = torch.optim.AdamW.step

    def watched(self: Any, *rest: Any) -> None:
        gradients = [p.grad for group in self.param_groups for p in group["params"]]
        norms.append(float(torch.cat([gradient.flatten() for gradient in gradients]).norm()))
        step(self, *rest)

    monkeypatch.setattr(torch.optim.AdamW, "step", watched)
    learnt(text(), course(clip=0.0))
    free = list(norms)
    norms.clear()
    learnt(text(), course(clip=0.01))
    assert min(free) > 0.02
    assert max(norms) <= 0.01 * (1 + 1e-5)  # the norm itself is rounded


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    first, again, other = (weights(learnt(text(), course(seed=seed))) for seed in (3, 3, 4))
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True) if np.frombuffer(a, np.float32).std() > 0.01)
    assert first != other


@pytest.mark.parametrize("task", [text(), labelled()], ids=["text", "labelled"])
def test_other_randomness_of_the_process_changes_nothing(task: Any) -> None:
    torch.manual_seed(1)
    first = weights(learnt(task))
    torch.manual_seed(2)
    torch.rand(5)
    np.random.seed(7)  # noqa: NPY002
    assert weights(learnt(task)) == first


def test_dropout_changes_training_but_not_evaluation() -> None:
    task = text()
    plain, dropped = (new_module(task, SHAPE, course(dropout=share)) for share in (0.0, 0.5))
    assert weights(plain) == weights(dropped)
    held = task.validation(4)
    assert evaluate(plain, task, held) == evaluate(dropped, task, held) == evaluate(dropped, task, held)
    ids = held[0][0]
    assert not torch.equal(dropped.train()(ids), dropped(ids))
    assert torch.equal(plain.train()(ids), plain(ids))
    assert weights(learnt(task, course(dropout=0.5))) != weights(learnt(task, course(dropout=0.0)))


def test_every_step_leaves_out_others(monkeypatch: pytest.MonkeyPatch) -> None:
    task, losses = text(), dict[float, list[float]]()
    same = task.batch(np.random.default_rng(0), 4)
    monkeypatch.setattr(type(task), "batch", lambda *_: same)
    for share in (0.0, 0.3):
        seen = losses.setdefault(share, [])
        fit(task, SHAPE, course(rate=0.0, dropout=share), report=lambda step, loss, speed: seen.append(loss))  # noqa: B023
    assert len(set(losses[0.0])) == 1
    assert len(set(losses[0.3])) == 12


@pytest.mark.parametrize("positions", ["table", "relative", "rotary", "alibi"])
def test_dropout_reaches_attention(positions: Any) -> None:
    model, h = Model(shape(positions=positions), 2, None, 0.5), torch.randn(1, 6, 8)
    where = places(torch.zeros(1, 6), None, causal=True)
    attention: Any = model.blocks[0].attention
    torch.manual_seed(0)
    for learning in (True, False):
        one, other = (attention(h, model.train(learning).operations, where, False)[0] for _ in range(2))
        assert torch.equal(one, other) != learning


def test_evaluation_weighs_every_input_the_same() -> None:
    task = labelled()
    module = new_module(task, SHAPE, COURSE)
    held = task.validation(4)
    assert len({len(batch[0]) for batch in held}) > 1
    module.eval()
    with torch.no_grad():
        each = [
            float(task.loss(module, (ids[None], label[None])))
            for batch in held
            for ids, label in zip(*batch, strict=True)
        ]
    assert evaluate(module, task, held) == pytest.approx(np.mean(each), rel=1e-6)  # float32


def test_batches_depend_on_the_seed_and_the_step_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    task, seen = text(), list[bytes]()
    monkeypatch.setattr(type(task), "loss", _watching(type(task).loss, seen))
    learnt(task, course(evaluate_every=100))
    many = list(seen)
    seen.clear()
    learnt(task, course(evaluate_every=100, dropout=0.0, rate=0.1, steps=6), shape(lanes=16))
    assert seen[:6] == many[:6]
    assert len(set(many[:12])) == 12
    assert many[0] == task.batch(np.random.default_rng((0, 0)), 4)[0].numpy().tobytes()
    seen.clear()
    learnt(task, course(seed=1))
    assert seen[0] != many[0]


def _watching(loss: Any, seen: list[bytes]) -> Any:
    def watched(self: Any, model: Any, batch: Any) -> Any:
        if model.training:  # and not measured
            seen.append(batch[0].numpy().tobytes())
        return loss(self, model, batch)

    return watched


def test_the_context_of_the_shape_must_hold_the_inputs() -> None:
    with pytest.raises(ws.InputError, match="the inputs have up to 9 tokens, and the shape has context=8"):
        fit(text(9), SHAPE, COURSE)
    with pytest.raises(ws.InputError, match="the inputs have up to 12 tokens, and the shape has context=8"):
        fit(labelled(12), SHAPE, COURSE)
    assert fit(text(3), SHAPE, COURSE).transformer.max_length == 8
