"""Training in a finite arithmetic: what was trained is what comes out, bit for bit."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.train.small import labelled
from weightsmith.train import Course, Shape, fit
from weightsmith.train.convert import to_transformer
from weightsmith.train.exact import ExactModel, exactly
from weightsmith.train.training import new_module

SHAPE: dict[str, Any] = {
    "lanes": 4, "blocks": 2, "heads": 2, "neurons": 6, "context": 6, "activation": "relu", "norm": "none",
    "positions": "relative", "max_distance": 2,
}  # fmt: skip
COURSE = Course(steps=8, batch=8, rate=0.05, warmup=2, decay=0.0, evaluate_every=4, checkpoint_every=3)
KINDS: list[dict[str, Any]] = [
    {},
    {"activation": "reglu", "positions": "none"},
    {"positions": "table", "biases": False},
    {"heads": 1, "max_distance": 1, "numbers": "float64"},
]


def loud(module: ExactModel, seed: int) -> ExactModel:
    """Give a module large weights, so that sums saturate and scores tie."""
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.from_numpy(random.normal(0, 0.8, parameter.shape)))
    return module


@pytest.mark.parametrize("form", ["fixed(3,3)", "fixed(2,2)", "float(3,3)", "fixed(4,4)"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_with_hard_attention_the_module_computes_the_bits_of_the_transformer(kind: dict[str, Any], form: str) -> None:
    module = loud(new_module(labelled(), Shape(**SHAPE | kind), COURSE, ws.parse_arithmetic(form)), len(form))  # type: ignore[arg-type]
    module.before_step(4, 8)
    T = exactly(to_transformer(module, "01", ("NO", "YES"), "made by a test"), module)
    assert T.arithmetic == ws.parse_arithmetic(form)
    inputs = list(product((0, 1), repeat=6))[::3]
    logits = module(torch.tensor(inputs)).detach().double().numpy()
    for ids, found in zip(inputs, logits, strict=True):
        run = ws.run(T, ["01"[i] for i in ids])
        assert np.array_equal(run.logits, found[-1])
        assert all(type(head.weighting) is ws.RightmostHard for b in T.blocks for head in b.attention.heads)  # type: ignore[union-attr]


def test_every_weight_gets_a_gradient_through_rounding_and_hard_attention() -> None:
    module = loud(new_module(labelled(), Shape(**SHAPE), COURSE, ws.Fixed(3, 3)), 1)  # type: ignore[arg-type]
    for step in (0, 3, 7):
        module.before_step(step, 8)
        assert (module.hard, module.sharpness) == (step > 3, {0: 1.0, 3: 8.0, 7: 1.0}[step])
        module.zero_grad()
        module(torch.tensor(list(product((0, 1), repeat=6)))).square().sum().backward()
        for name, parameter in module.named_parameters():
            assert parameter.grad is not None, name
            assert torch.isfinite(parameter.grad).all(), name
            assert parameter.grad.any(), name


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    """It is stopped before attention becomes hard, and its checkpoint is that of an exact training alone."""
    task, shape, path = labelled(), Shape(**SHAPE), tmp_path / "checkpoint"
    whole = fit(task, shape, COURSE, exact=ws.Fixed(3, 3)).transformer
    asked = iter([False] * 3 + [True])
    part = fit(task, shape, COURSE, exact=ws.Fixed(3, 3), checkpoint=path, stop=lambda: next(asked))
    assert part.steps == 3
    heads = [head for block in part.transformer.blocks for head in block.attention.heads]  # type: ignore[union-attr]
    assert all(head.weighting == ws.Softmax(shifted=True) for head in heads)  # it has not been trained with another
    for other in (None, ws.Fixed(4, 4)):
        with pytest.raises(ws.FileError, match="another training, which differs in exact"):
            fit(task, shape, COURSE, checkpoint=path, exact=other)
    assert fit(task, shape, COURSE, checkpoint=path, exact=ws.Fixed(3, 3)).transformer == whole
    assert whole.provenance[0].startswith("trained in fixed(3,3): 8 steps of 8, seed 0")


def test_other_trainings_are_what_they_were() -> None:
    shape = Shape(**SHAPE)
    assert fit(labelled(), shape, COURSE).transformer.arithmetic == ws.Native("float32")


@pytest.mark.parametrize(
    ("changes", "exact", "said"),
    [
        (
            {},
            ws.Native("float32"),
            r"exact=Native\(dtype='float32'\): write a finite arithmetic, such as Fixed\(3, 3\)",
        ),
        ({}, "fixed(3,3)", r"exact='fixed\(3,3\)': write a finite arithmetic"),
        ({}, ws.Fixed(12, 8), "has 21 bits, more than a training carries"),
        ({}, ws.Fixed(0, 4), "hard attention has weights of 1, which is no member"),
        ({"norm": "layer"}, ws.Fixed(3, 3), "exact training has no norms, and this shape has norm='layer'"),
        ({"activation": "gelu"}, ws.Fixed(3, 3), "exact training has no gelu: write activation='relu' or 'reglu'"),
        ({"positions": "rotary"}, ws.Fixed(3, 3), "no rotary positions: write positions='relative', 'table' or 'none'"),
    ],
)
def test_what_has_no_exact_counterpart_is_refused(changes: dict[str, Any], exact: Any, said: str) -> None:
    with pytest.raises(ws.InputError, match=said):
        fit(labelled(), Shape(**SHAPE | changes), COURSE, exact=exact)
    with pytest.raises(ws.InputError, match=r"dropout=0\.5: write dropout=0"):
        fit(labelled(), Shape(**SHAPE), Course(steps=1, dropout=0.5), exact=ws.Fixed(3, 3))


@pytest.mark.long
@pytest.mark.parametrize("said", ["ends with 01", "starts with 1", "contains 11", "first equals last"])
def test_the_best_of_five_seeds_is_right_on_every_input_up_to_12(said: str) -> None:
    from weightsmith.train import by_predicate, predicate
    from weightsmith.train.settings import EXACT

    rule = predicate(said)
    for seed in range(5):
        shape, course = EXACT.changed({"seed": seed, "context": 12})
        T = fit(by_predicate(rule, "01", 12, seed=seed), shape, course, exact=ws.Fixed(3, 3)).transformer
        if ws.check.recognizes(T, rule, up_to=12).holds:
            return
    pytest.fail(f"no seed learns {said!r}")
