"""Shapes and courses: what cannot be built, or makes no sense, is refused with its name."""

from typing import Any, get_args

import pytest

import weightsmith as ws
from weightsmith.errors import brief
from weightsmith.model.block import GATED
from weightsmith.model.block import Activation as ModelActivation
from weightsmith.model.block import Placement as ModelPlacement
from weightsmith.train import Course, Shape
from weightsmith.train.settings import LABELLED, TEXT, Activation, Placement, as_data, differing

NAN, INF, HUGE = float("nan"), float("inf"), 10**5000


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        *[
            ({name: 0}, f"{name}=0: write a whole number from 1 on")
            for name in ("lanes", "heads", "neurons", "context")
        ],
        ({"blocks": -1}, "blocks=-1: write a whole number from 0 on"),
        ({"max_distance": 0}, "max_distance=0: write a whole number from 1 on"),
        ({"lanes": 8.0}, r"lanes=8\.0: write a whole number from 1 on"),
        ({"lanes": True}, "lanes=True: write a whole number from 1 on"),
        ({"lanes": HUGE}, "lanes=a huge number: write a whole number"),
        ({"lanes": 10, "heads": 4}, "lanes=10 cannot be divided among heads=4: write a multiple"),
        (
            {"lanes": 12, "heads": 4, "positions": "rotary"},
            "rotary positions turn pairs, and each head has 3 of the lanes",
        ),
        ({"lanes": 1 << 20}, r"this shape has over [\d,]+ weights, at most 268,435,456 can be trained"),
        ({"blocks": 1 << 30}, "can be trained"),
        ({"activation": "tanh"}, "activation='tanh': write one of relu, gelu, gelu_tanh, silu, reglu, swiglu"),
        ({"positions": None}, "positions=None: write one of table, sinusoidal, relative, rotary, alibi, none"),
        ({"norm": "batch"}, "norm='batch': write one of layer, rms, none"),
        ({"placement": "mid"}, "placement='mid': write one of pre, post"),
        ({"numbers": "float16"}, "numbers='float16': write one of float32, float64"),
        ({"numbers": ["float32"]}, r"numbers=\['float32'\]: write one of"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_shapes_that_cannot_be_built_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ws.InputError, match=message):
        Shape(**settings)


@pytest.mark.parametrize("value", [NAN, INF, -INF, -1e-9, "1", None, True, 1e10, 1j, HUGE], ids=brief)
@pytest.mark.parametrize("name", ["rate", "least_rate", "decay", "dropout", "clip"])
def test_rates_that_make_no_sense_are_named(name: str, value: Any) -> None:
    with pytest.raises(ws.InputError, match=f"{name}=.*: write a number from 0 to "):
        Course(**{name: value})


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("steps", 1),
        ("batch", 1),
        ("warmup", 0),
        ("seed", 0),
        ("threads", 1),
        ("evaluate_every", 1),
        ("checkpoint_every", 1),
    ],
)
def test_counts_that_make_no_sense_are_named(name: str, least: int) -> None:
    for value in (least - 1, 1.0, NAN, None, "3", 1 << 31, False):
        with pytest.raises(ws.InputError, match=f"{name}=.*: write a whole number from {least} on"):
            Course(**{name: value})  # type: ignore[arg-type]
    assert getattr(Course(**{name: least}), name) == least


def test_the_first_setting_that_differs_is_named() -> None:
    assert differing(as_data(Shape()), as_data(Shape(norm="rms", tied=False))) == "norm"
    assert differing(as_data(Course()), as_data(Course())) is None
    assert differing({}, {"more": 1}) == "more"


def test_what_can_be_trained_is_what_a_model_can_have() -> None:
    assert get_args(Activation) == get_args(ModelActivation)
    assert get_args(Placement) == get_args(ModelPlacement)
    assert {name for name in get_args(Activation) if Shape(activation=name).gated} == set(GATED)


def test_a_preset_is_changed_by_what_is_given_and_neurons_follow_the_lanes() -> None:
    for preset in (TEXT, LABELLED):
        assert preset.changed({}) == (preset.shape, preset.course)
    shape, course = TEXT.changed({"lanes": 8, "rate": 0.5, "seed": 3})
    assert (shape.lanes, shape.neurons, shape.heads) == (8, 32, 4)
    assert (course.rate, course.seed, course.steps) == (0.5, 3, 1000)
    assert TEXT.changed({"lanes": 8, "neurons": 5})[0].neurons == 5
    with pytest.raises(ws.InputError, match="lanes=0: write a whole number from 1 on"):
        TEXT.changed({"lanes": 0})
