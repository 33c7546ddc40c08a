"""Training in a finite arithmetic: what was trained is what comes out, bit for bit."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from benchmarks import exact

import weightsmith as ws
from tests.train.small import labelled
from weightsmith.train import Course, Shape, by_predicate, exact_language, fit, predicate
from weightsmith.train.convert import to_transformer
from weightsmith.train.exact import ExactModel, exactly
from weightsmith.train.prefixes import Prefixes
from weightsmith.train.settings import EXACT
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


@pytest.mark.one_in(2)
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
        ops = module.operations
        share = 0.0 if step > 3 else step / 4
        assert (ops.hard, ops.sharpness, ops.nearness) == (step > 3, 64.0**share, 0.5 * share)
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


def test_what_leaves_training_is_decided_for_all_lengths() -> None:
    """Whether it is right depends on the machine; that the verdict is about this very transformer does not."""
    for said, table in (("starts with 1", False), ("starts with 1", True), ("odd number of 1", False)):
        shape = Shape(**SHAPE | ({"positions": "table"} if table else {}))
        trained = fit(by_predicate(predicate(said), "01", 6), shape, COURSE, exact=ws.Fixed(3, 3))
        verdict, T = trained.verdict, trained.transformer
        assert verdict is not None
        assert verdict.holds is not None
        assert verdict.claim.models == (T,)
        wrong = [s for s in strings(6) if (ws.run(T, s).decision == "YES") != predicate(said)(s)]
        if verdict.holds:
            assert not wrong
            assert verdict.scope == ("up to 6" if table else "all lengths")
        elif wrong:
            assert "".join(verdict.counterexample or ()) == wrong[0]
        else:
            assert len(verdict.counterexample or ()) > 6
    for rule in (lambda string: "1" in string, predicate("more 1 than 0")):  # of which no automaton is known
        assert exact_language(T, by_predicate(rule, "01", 2)) is None
    assert fit(labelled(), Shape(**SHAPE), COURSE).verdict is None


def test_an_easy_rule_is_learnt_and_proved_for_all_lengths() -> None:
    """No single seed must learn it, since its weights differ from processor to processor."""
    shape = Shape(**SHAPE | {"lanes": 4, "heads": 1, "blocks": 1, "context": 4})
    course = Course(steps=80, batch=16, rate=0.03, warmup=5, decay=0.0, least_rate=0.0)
    task = by_predicate(predicate("ends with 1"), "01", 4)
    verdicts = (fit(task, shape, replace(course, seed=seed), exact=ws.Fixed(3, 3)).verdict for seed in range(8))
    assert any(v is not None and v.holds and v.scope == "all lengths" for v in verdicts)


def strings(longest: int) -> list[str]:
    """Return all strings up to a length, shortest first, in vocabulary order."""
    return ["".join(each) for n in range(1, longest + 1) for each in product("01", repeat=n)]


def test_every_prefix_that_is_not_held_back_is_learnt_with_its_label() -> None:
    rule = predicate("ends with 01")
    task = by_predicate(rule, "01", 6)
    held = {tuple(row) for length, (ids, _) in task.held.items() if length > 3 for row in ids.tolist()}
    assert held
    for step in range(20):
        ids, labels = Prefixes(task).batch(np.random.default_rng(step), 8)
        assert ids.shape == labels.shape
        for row, answers in zip(ids.tolist(), labels.tolist(), strict=True):
            for n, answer in enumerate(answers, 1):
                expected = -100 if tuple(row[:n]) in held else int(rule("".join("01"[i] for i in row[:n])))
                assert answer == expected


@pytest.mark.parametrize("name", ["eleven", "parity"])
def test_the_models_of_the_page_are_what_the_page_says(name: str) -> None:
    T = ws.load(exact.DATA.with_name(f"exact-{name}.safetensors"))
    (rule,) = [rule for rule, own in exact.KEPT.items() if own == name]
    verdict = exact_language(T, by_predicate(predicate(rule), "01", 2))
    (row,) = [one for one in json.loads(exact.DATA.read_text())["runs"] if (one["rule"], one["seed"]) == (rule, 0)]
    assert verdict is not None
    assert verdict.holds is row["holds"] is (name == "eleven")
    assert "".join(verdict.counterexample or ()) == (row["wrong"] or "")
    if row["wrong"]:
        wrong = (s for s in strings(12) if (ws.run(T, s).decision == "YES") != predicate(rule)(s))
        assert next(wrong) == row["wrong"]


@pytest.mark.long
@pytest.mark.parametrize("said", ["ends with 01", "starts with 1", "contains 11", "first equals last"])
def test_the_best_of_five_seeds_is_proved_for_all_lengths(said: str) -> None:
    verdicts = []
    for seed in range(5):
        shape, course = EXACT.changed({"seed": seed, "context": 12})
        trained = fit(by_predicate(predicate(said), "01", 12, seed=seed), shape, course, exact=ws.Fixed(3, 3))
        assert trained.verdict is not None
        if trained.verdict.holds:
            assert trained.verdict.scope == "all lengths"
            return
        verdicts.append(str(trained.verdict).partition("\n")[0])
    pytest.fail(f"no seed learns {said!r}: {verdicts}")


@pytest.mark.long
def test_parity_is_refuted_by_its_shortest_input() -> None:
    rule = predicate("odd number of 1")
    shape, course = EXACT.changed({"context": 12})
    trained = fit(by_predicate(rule, "01", 12), shape, course, exact=ws.Fixed(3, 3))
    assert trained.verdict is not None
    assert trained.verdict.holds is False
    wrong = next(s for s in strings(12) if (ws.run(trained.transformer, s).decision == "YES") != rule(s))
    assert "".join(trained.verdict.counterexample or ()) == wrong
