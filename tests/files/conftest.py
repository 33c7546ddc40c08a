"""A saved model to break."""

from pathlib import Path

import pytest

import weightsmith as ws


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "saved.safetensors"
    ws.save(ws.random_transformer(lanes=2, blocks=1, heads=1, neurons=2, max_length=2), path)
    return path
