"""The engine of the page equals the reference: every value of every run, bit for bit, and every refusal."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.files.mutations import models, mutated
from tests.files.rewritten import BROKEN, saved_with
from tests.files.test_story_files import HOSTILE as HOSTILE_STORIES
from tests.files.test_story_files import mutated_story
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import LENGTH, many_heads, random_model
from tests.model.test_story import REFUSED as REFUSED_STEPS
from tests.semantics.readouts import with_readout
from tests.studio.engine import Cases
from tests.studio.newer_kinds import with_newer_parts
from weightsmith import Attention, Block, FeedForward, Head, Sinusoidal, Softmax, Transformer, parse_arithmetic
from weightsmith.arithmetic import elementary, rounding
from weightsmith.files import model_bytes

FORMS = (
    "fixed(4,4)", "fixed(2,3,ties=even)", "fixed(3,1,ties=away)", "fixed(0,4)", "fixed(12,13)",
    "fixed(0,25,ties=even)", "fixed(25,0,ties=away)", "float(3,3)", "float(2,4,ties=away)", "float(4,3,ties=even)",
    "float(1,2)", "float(10,25)", "float(6,24,ties=away)", "float16(ties=even)", "bfloat16", "e4m3(ties=away)",
    "fixed(5,0)", "fixed(8,8)", "float(5,11)", "float(10,25,ties=even)", "e5m2",
)  # fmt: skip


def inputs_of(T: Transformer, seed: int, lengths: tuple[int, ...] = (1, 6)) -> list[list[str]]:
    random = np.random.default_rng(seed)
    return [[T.vocabulary[n] for n in random.integers(0, len(T.vocabulary), length)] for length in lengths]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("form", [*FORMS[:16], *(pytest.param(form, marks=pytest.mark.long) for form in FORMS[16:])])
def test_random_models_run_as_in_python(form: str, half: int, tmp_path: Path) -> None:
    """Every size, weighting, mask, norm and tie rule; then every rule inside attention, activation and bias.

    Some of these also with windows, scaled angles and the third gated activation.
    """
    A, cases = parse_arithmetic(form), Cases(tmp_path)
    for seed in range(half, 14, 2):
        cases.add_model(T := random_model(A, seed), inputs_of(T, seed))
    for mask in ("causal", "full"):
        for n, rule in list(enumerate(RULES if mask == "causal" else FULL))[half::2]:
            how: Any = {"heads": 1 + n % 3, "mask": mask, "norms": n % 2 == 1, "tied": n % 3 == 0}
            activation = ACTIVATIONS[(n + len(mask)) % len(ACTIVATIONS)]
            T = kind_of_model(A, n, rule, activation, parallel=n % 4 > 1, **how)
            cases.add_model(with_newer_parts(T, n) if n % 3 else T, inputs_of(T, n, (2, LENGTH)))
    cases.add_model(T := with_newer_parts(many_heads(A, half), half), inputs_of(T, half))
    cases.assert_equal()
    assert cases.runs >= 25


@pytest.mark.parametrize("form", ["fixed(4,4)", "float(4,3,ties=even)", "fixed(0,4)"])
def test_random_models_with_readouts_say_the_same_values_as_in_python(form: str, tmp_path: Path) -> None:
    """Also where codes were left out of the table: refused in the same words, at the same positions."""
    cases = Cases(tmp_path)
    for seed in range(6):
        for left_out in (0, 1):
            T, inputs = with_readout(random_model(parse_arithmetic(form), seed), seed, left_out)
            cases.add_model(T, inputs[::4])
    cases.assert_equal()
    found = [each for case in cases.cases for each in case["inputs"]]
    assert sum(each["no_outputs"] is not None for each in found) > 2
    assert len({str(value) for each in found for value in each["outputs"] or ()}) > 3


@pytest.mark.parametrize("form", ["float64", "float32"])
def test_the_machines_arithmetic_is_as_near_as_its_bits(form: str, tmp_path: Path) -> None:
    """Left folds on both sides; exp is the machine's. Overflow is refused with the same words."""
    A, cases = parse_arithmetic(form), Cases(tmp_path, 1e-12 if form == "float64" else 2e-5)
    for seed in range(20):
        T = random_model(A, seed, Softmax(shifted=True))
        cases.add_model(T, inputs_of(T, seed), sums="left")
    for n, rule in enumerate(RULES):
        T = kind_of_model(A, n, rule, ACTIVATIONS[n % len(ACTIVATIONS)], loudness=0.0, weighting=Softmax(shifted=True))
        cases.add_model(T, inputs_of(T, n), sums="left")
        cases.add_model(T, inputs_of(T, n))
        cases.add_model(with_newer_parts(T, n), inputs_of(T, n), sums="left")
    loud = replace(random_model(A, 1), embedding=random_model(A, 1).embedding * 0 + A.infinity)
    cases.add_model(loud, inputs_of(loud, 1))
    cases.assert_equal()
    assert cases.runs > 70


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["fixed(4,4)", "float(6,20)", "fixed(3,22)", "e4m3"])
def test_long_inputs_run_as_in_python(form: str, tmp_path: Path) -> None:
    cases = Cases(tmp_path)
    for n, (rule, activation) in enumerate((("halves", "gelu"), ("alibi", "silu"), ("relative values", "gelu_tanh"))):
        T = kind_of_model(parse_arithmetic(form), n, rule, activation, heads=3, loudness=0.0)
        positions: Any = tuple(part for part in (T.attention_positions, Sinusoidal(300, 30.0)) if part is not None)
        cases.add_model(with_newer_parts(replace(T, positions=positions), n), inputs_of(T, n, (100,)))
    cases.assert_equal()


def near_midpoints(A: Any, name: str, count: int) -> list[float]:
    """Give members whose function lies nearest to a midpoint between members, relative to their distance."""
    x = np.unique(A.round(np.random.default_rng(5).uniform(-8, 8, 400_000)))
    x = x[x != 0]
    y = elementary.FUNCTIONS[name].close(x)
    steps = rounding.quantum(y, A.least_exponent, A.precision)
    inside = np.abs(y) > A.smallest
    from_midpoint = np.abs(np.abs(np.modf(y / steps)[0]) - 0.5)
    best: list[float] = x[inside][np.argsort(from_midpoint[inside])[:count]].tolist()
    return best


@pytest.mark.parametrize("name", ["exp", "gelu", "gelu_tanh", "silu"])
@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", ["float(8,25)", "fixed(10,15)", "float(10,25,ties=even)"])
def test_functions_beside_a_midpoint_are_rounded_as_in_python(form: str, name: str, tmp_path: Path) -> None:
    """A model with a lane for x: exp by its softmax over one position, or a neuron, on the hardest arguments."""
    A: Any = parse_arithmetic(form)
    hard, cases = near_midpoints(A, name, 300), Cases(tmp_path)
    tokens = [f"t{n}" for n in range(len(hard))]
    if name == "exp":  # the weights of two positions: exp(x) ⊘ (exp(x) ⊕ exp(0))
        head = Head(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 2)), np.zeros((2, 1)))
        block = Block(Attention((head,)))
        embedding = np.array([[x, 1.0] for x in hard] + [[0.0, 1.0]])
        inputs = [[token, "zero"] for token in tokens]
    else:
        layer = FeedForward(np.array([[1.0, 0.0]]), None, np.zeros((2, 1)), None, name)  # type: ignore[arg-type]
        block, inputs = Block(None, layer), [tokens]
        embedding = np.array([[x, 1.0] for x in hard] + [[0.0, 1.0]])
    T = Transformer(A, (*tokens, "zero"), ("x", "one"), embedding, None, (block,), np.zeros((2, 2)), mask="full")
    cases.add_model(T, inputs)
    cases.assert_equal()


def test_broken_parts_are_refused_at_the_step_at_which_python_refuses_them(tmp_path: Path) -> None:
    T, cases, codes = kind_of_model(ws.Fixed(4, 4), 1, "halves", heads=1), Cases(tmp_path), dict[str, str | None]()
    for name, (change, _) in BROKEN.items():
        codes[name] = cases.add_file(saved_with(T, tmp_path / "broken", change).read_bytes())
    assert all(codes.values())
    assert dict(zip(BROKEN, cases.run()["codes"], strict=True)) == codes


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [9, 10])
def test_mutated_files_are_refused_where_python_refuses_them(seed: int, tmp_path: Path) -> None:
    cases, random, path = Cases(tmp_path), Random(seed), tmp_path / "model"
    whole = list[bytes]()
    newer = with_newer_parts(kind_of_model(ws.Fixed(4, 4), 0, "halves", "swiglu"), 1)
    for T in [*models(), newer]:
        ws.save(T, path)
        whole.append(path.read_bytes())
    codes = [cases.add_file(mutated(random.choice(whole), random)) for _ in range(500)]
    report = cases.run()
    assert not report["differences"], report["differences"][:3]
    wrong = [(n, *pair) for n, pair in enumerate(zip(codes, report["codes"], strict=True)) if pair[0] != pair[1]]
    assert not wrong, (len(wrong), wrong[:5])
    assert min(codes.count(None), len(codes) - codes.count(None)) > 5
    assert len(set(codes)) == 6


def test_mutated_stories_are_refused_where_python_refuses_them(tmp_path: Path) -> None:
    cases, random = Cases(tmp_path), Random(3)
    whole = [model_bytes(S) for S in (ws.library.eiffel(), ws.library.bank(), ws.library.contains("1"))]
    codes = [cases.add_file(mutated_story(random.choice(whole), random)) for _ in range(250)]
    codes += [cases.add_file(data) for data in whole]
    assert cases.run()["codes"] == codes
    assert {None, "model"} <= set(codes)
    assert min(codes.count(None), codes.count("model")) > 30


def test_hostile_stories_are_refused_where_python_refuses_them(tmp_path: Path) -> None:
    cases, codes = Cases(tmp_path), {}
    for name, (change, _) in HOSTILE_STORIES.items():
        path = saved_with(ws.library.eiffel(), tmp_path / "hostile", change)
        codes[name] = cases.add_file(path.read_bytes())
    for name, (steps, _) in REFUSED_STEPS.items():
        story = {"input": "The Eiffel Tower is in", "steps": steps}
        path = saved_with(ws.library.eiffel(), tmp_path / "hostile", lambda m, _, s=story: m.update(story=s))
        codes[f"refused: {name}"] = cases.add_file(path.read_bytes())
    assert None not in codes.values()
    assert dict(zip(codes, cases.run()["codes"], strict=True)) == codes
