"""The transformer that comes out has the logits of the module, for everything that can be trained."""

from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.train.small import randomised
from weightsmith.model.block import Activation, Placement
from weightsmith.train import Shape
from weightsmith.train.convert import to_transformer
from weightsmith.train.module import Model
from weightsmith.train.settings import NormKind, NumberKind, PositionKind

VOCABULARY = ("a", "b", "c")
TEXT = "abcacb"
HEADS = {"tied": (True, None), "own output": (False, None), "classifier": (True, ("NO", "MAYBE", "YES", "NEVER"))}
# What two programs that add in different orders may differ by, relative to the largest logit: the numbers.
CLOSE = {"float64": 1e-10, "float32": 1e-5}


def both(model: Model, classes: tuple[str, ...] | None, text: str = TEXT) -> tuple[Any, ws.Transformer]:
    """The logits of the module at every position, and the transformer."""
    ids = torch.tensor([[VOCABULARY.index(token) for token in text]])
    with torch.no_grad():
        return model(ids)[0].to(torch.float64).numpy(), to_transformer(model, VOCABULARY, classes, "made by a test")


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("positions", "norm", "placement"), [*product(get_args(PositionKind), get_args(NormKind), get_args(Placement))]
)
def test_logits_are_those_of_the_module_at_every_position(
    positions: PositionKind, norm: NormKind, placement: Placement, step: int
) -> None:
    kinds = list(enumerate(product(get_args(Activation), HEADS, (True, False), get_args(NumberKind))))
    for seed, (activation, head, biases, numbers) in kinds[len(positions + norm + placement) % step :: step]:
        tied, classes = HEADS[head]
        shape = Shape(
            lanes=8, blocks=1, heads=2, neurons=6, context=len(TEXT), activation=activation, positions=positions,
            max_distance=3, norm=norm, placement=placement, tied=tied, biases=biases, numbers=numbers,
        )  # fmt: skip
        model = randomised(shape, len(VOCABULARY), classes and len(classes), seed)
        wanted, T = both(model, classes)
        found = ws.lens(ws.run(T, TEXT)).logits[-1]
        assert found.shape == wanted.shape == (len(TEXT), 4 if classes else 3)
        assert np.abs(found - wanted).max() <= CLOSE[numbers] * np.abs(wanted).max(), shape
        assert T.classes == (classes or VOCABULARY)
        assert T.tied == (head == "tied")
        assert str(T.arithmetic) == numbers


@pytest.mark.parametrize("positions", get_args(PositionKind))
def test_logits_are_those_of_the_module_on_every_prefix(positions: PositionKind) -> None:
    shape = Shape(
        lanes=12, blocks=3, heads=3, neurons=7, context=6, positions=positions, max_distance=2, numbers="float64"
    )
    wanted, T = both(randomised(shape, 3, None), None)
    found = np.stack([ws.run(T, TEXT[: n + 1]).logits for n in range(len(TEXT))])
    assert np.abs(found - wanted).max() <= CLOSE["float64"] * np.abs(wanted).max()


@pytest.mark.parametrize(
    "change",
    [{"blocks": 0}, {"heads": 1}, {"heads": 8}, {"lanes": 2, "heads": 1}, {"neurons": 1}, {"max_distance": 1}],
    ids=str,
)
@pytest.mark.parametrize("positions", ["table", "sinusoidal", "relative", "alibi"])
def test_odd_sizes_are_written_out_too(positions: PositionKind, change: dict[str, int]) -> None:
    sizes: dict[str, Any] = {"lanes": 8, "blocks": 2, "heads": 2, "neurons": 5, "context": 6, **change}
    shape = Shape(**sizes, positions=positions, numbers="float64")
    wanted, T = both(randomised(shape, 3, None), None)
    assert np.abs(ws.lens(ws.run(T, TEXT)).logits[-1] - wanted).max() <= CLOSE["float64"] * np.abs(wanted).max()


def test_every_parameter_of_the_module_matters_to_the_transformer() -> None:
    shape = Shape(lanes=4, blocks=1, heads=2, neurons=3, context=6, activation="swiglu", tied=False, numbers="float64")
    for name, _ in randomised(shape, 3, None).named_parameters():
        model = randomised(shape, 3, None)
        before = ws.lens(ws.run(both(model, None)[1], TEXT)).logits[-1]
        with torch.no_grad():
            dict(model.named_parameters())[name].reshape(-1)[-1] += 0.5
        wanted, T = both(model, None)
        after = ws.lens(ws.run(T, TEXT)).logits[-1]
        assert np.abs(after - wanted).max() <= CLOSE["float64"] * np.abs(wanted).max()
        assert np.abs(after - before).max() > 1e-6, name  # far above what rounding does


def test_weights_that_are_not_numbers_are_refused() -> None:
    model = randomised(Shape(lanes=4, blocks=1, heads=2, neurons=3, context=6), 3, None)
    with torch.no_grad():
        model.embedding.weight[0, 0] = float("nan")
    with pytest.raises(ws.ModelError, match="nan"):
        to_transformer(model, VOCABULARY, None, "made by a test")
