"""A check that takes a while, in this process or in one that is killed."""

import re
import time
from pathlib import Path
from typing import Any

import weightsmith as ws
from tests.check.models import flipped
from weightsmith.check import ledger, size
from weightsmith.library import ends_with, matches

UP_TO = 10
S = ends_with("b", "ab")
SAME = flipped(~~S)
OTHER = S ^ matches("bbbbabbbbb", "ab")  # refuted late: in the last tier, in a late shard
SHARDS = 1 + 4 + 16 + 64 + 256


def small_shards(patch: Any = setattr) -> None:
    """Have several hundred shards, and every one on disk as soon as it is done."""
    patch(size, "MOST_COLUMNS", 12)
    patch(ledger, "SYNC_SECONDS", 0)


def long_check(path: str | Path | None, holds: bool = True, pause: float = 0.0, **more: Any) -> ws.check.Verdict:
    """Check something, slowly."""
    options = {"ledger": path, "progress": lambda done, of: time.sleep(pause), **more}
    return ws.check.same_decisions(S, SAME if holds else OTHER, UP_TO, **options)


def long_regex_check(path: str | Path | None, **more: Any) -> ws.check.Verdict:
    return ws.check.recognizes(S, re.compile("[ab]*b"), UP_TO, ledger=path, **more)
