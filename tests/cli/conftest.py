"""A folder with two models."""

from pathlib import Path

import pytest

from tests.cli.commands import good


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models")
    good("new", "random", "-o", "random.safetensors", "--seed", "3", folder=path)
    good("new", "contains", "--symbol", "1", "-o", "contains.safetensors", folder=path)
    return path
