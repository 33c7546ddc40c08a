"""Small shards, so that a short check has several tiers and many shards, and certificates of such checks."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import weightsmith as ws
from tests.check.models import flipped
from weightsmith.check import claim, engine, plan

Cut = Callable[..., None]
Certificate = dict[str, Any]


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Cut:
    """Let so few inputs be in a shard, and be run together, and so few shards be in a tier."""

    def to(columns: int, shards: int = 4096, together: int | None = None) -> None:
        monkeypatch.setattr(claim, "shard_size", lambda weights: columns)
        monkeypatch.setattr(engine, "columns_for", lambda claim, up_to, memory: together or columns)
        monkeypatch.setattr(plan, "MAX_SHARDS", shards)

    return to


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 12 inputs be in a shard."""
    monkeypatch.setattr(claim, "shard_size", lambda weights: 12)


@pytest.fixture(scope="module")
def pair() -> list[ws.Transformer]:
    """Return two models that decide alike."""
    S = ws.library.ends_with("b", "abc")
    return [S, flipped(~~S)]


def certified(models: list[ws.Transformer], up_to: int) -> Certificate:
    """Return a certificate with several tiers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claim, "shard_size", lambda weights: 12)
        result: Certificate = json.loads(ws.check.same_decisions(models[0], models[1], up_to).to_json())
    return result


@pytest.fixture(scope="module")
def holding(pair: list[ws.Transformer]) -> Certificate:
    """Return the certificate of a claim about them that holds."""
    return certified(pair, 3)


@pytest.fixture(scope="module")
def refuted(pair: list[ws.Transformer]) -> tuple[Certificate, list[ws.Transformer]]:
    """Return the certificate of a claim that is refuted, and its models."""
    models = [pair[0], flipped(pair[0] ^ ws.library.matches("b?a", "abc"))]
    return certified(models, 4), models
