"""Small things to learn, and modules whose every number is random."""

from typing import Any

import numpy as np
import torch

from weightsmith.train import Course, Labelled, Shape, Text, as_text, by_predicate, predicate
from weightsmith.train.module import Model

SHAPE = Shape(lanes=8, blocks=1, heads=2, neurons=16, context=8)
COURSE = Course(steps=12, batch=4, warmup=3, evaluate_every=4, checkpoint_every=5, dropout=0.1)


def text(context: int = 8) -> Text:
    return as_text("the cat sat on the mat; the rat sat on the cat. " * 8, context)


def labelled(max_length: int = 6) -> Labelled:
    return by_predicate(predicate("contains 11"), "01", max_length, count=600)


def shape(**changes: Any) -> Shape:
    return Shape(**{**vars(SHAPE), **changes})


def course(**changes: Any) -> Course:
    return Course(**{**vars(COURSE), **changes})


def randomised(shape: Shape, vocabulary: int, classes: int | None, seed: int = 0, spread: float = 0.4) -> Model:
    """A module in which no parameter is 0, and no gain 1."""
    model = Model(shape, vocabulary, classes)
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            gain = "norm" in name and name.endswith("weight")
            parameter.copy_(torch.from_numpy(random.normal(1.0 if gain else 0.0, spread, parameter.shape)))
    return model.eval()


def weights(module: torch.nn.Module) -> list[bytes]:
    return [parameter.detach().numpy().tobytes() for parameter in module.parameters()]
