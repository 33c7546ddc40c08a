"""One thread: the modules here are tiny, and the sums of two threads differ from those of one."""

import pytest
import torch

import weightsmith as ws
from weightsmith.train import Course, Shape, by_predicate, fit, predicate

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def recogniser() -> ws.Transformer:
    """A classifier that has learnt "contains 11", up to length 8."""
    shape = Shape(lanes=8, blocks=2, heads=2, neurons=16, context=8, norm="none", activation="relu")
    course = Course(steps=400, batch=64, rate=1e-2, warmup=20, decay=0.0, evaluate_every=200)
    return fit(by_predicate(predicate("contains 11"), "01", 8, count=2000), shape, course).transformer
