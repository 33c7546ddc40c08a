"""Small shards: so that a short check has several tiers and many shards."""

from collections.abc import Callable

import pytest

from weightsmith.check import engine, plan

Cut = Callable[..., None]


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Cut:
    """Let so few inputs be run together, and so few shards be in a tier."""

    def to(columns: int, shards: int = 4096) -> None:
        monkeypatch.setattr(engine, "columns_for", lambda claim, up_to, memory: columns)
        monkeypatch.setattr(plan, "MAX_SHARDS", shards)

    return to
