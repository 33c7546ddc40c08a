"""Small shards: so that a short check has several tiers and many shards."""

from collections.abc import Callable

import pytest

from weightsmith.check import claim, engine, plan

Cut = Callable[..., None]


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Cut:
    """Let so few inputs be in a shard, and be run together, and so few shards be in a tier."""

    def to(columns: int, shards: int = 4096, together: int | None = None) -> None:
        monkeypatch.setattr(claim, "shard_size", lambda weights: columns)
        monkeypatch.setattr(engine, "columns_for", lambda claim, up_to, memory: together or columns)
        monkeypatch.setattr(plan, "MAX_SHARDS", shards)

    return to
