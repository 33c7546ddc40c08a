"""Hugging Face's library for one who is not online: nothing is fetched, and code goes to a folder of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import huggingface_hub.constants
import pytest
import torch

from tests.copied_code import copied_code
from weightsmith.export import inputs


@contextmanager
def offline(modules: Path) -> Iterator[Path]:
    """Keep the library offline and its copies of code in a folder."""
    torch.set_num_threads(1)  # the matrices are small, and other tests run beside these
    with copied_code(modules), pytest.MonkeyPatch.context() as patch:
        patch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
        yield modules


@contextmanager
def few_inputs(most: int = 126, random: int = 6, search: bool = False) -> Iterator[None]:
    """Measure on fewer inputs: 126 are all over two symbols up to length 6. None is searched for, unless asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "MOST_INPUTS", most)
        patch.setattr(inputs, "RANDOM_INPUTS", random)
        module = import_module("weightsmith.export.measure")  # of the package it is the function
        patch.setattr(module, "SURVIVAL_INPUTS", 10)
        patch.setattr(module, "SATURATION_INPUTS", 10)
        if not search:
            patch.setattr(module, "searched", lambda T, up_to: ())  # these are the subject of test_midway
        yield
