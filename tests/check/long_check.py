"""A check of many shards, in this process or in one that is killed."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import weightsmith as ws
from tests.check.models import flipped
from tests.check.processes import lines
from weightsmith.check import claim, ledger
from weightsmith.library import ends_with, matches

UP_TO = 10
S = ends_with("b", "ab")
SAME = flipped(~~S)
OTHER = S ^ matches("bbbbabbbbb", "ab")  # refuted late: in the last tier, in a late shard
SHARDS = 1 + 2 + 8 + 32 + 128


def small_shards(patch: Any = setattr) -> None:
    """Have several hundred shards, and every one on disk as soon as it is done."""
    patch(claim, "shard_size", lambda weights: 12)
    patch(ledger, "SYNC_SECONDS", 0)


def long_check(path: str | Path | None, holds: bool = True, **more: Any) -> ws.check.Verdict:
    """Check something that has many shards."""
    return ws.check.same_decisions(S, SAME if holds else OTHER, UP_TO, ledger=path, **more)


def still_at(path: str, enough: int) -> Callable[[int, int], None]:
    """Report progress until the ledger has so many lines, and then stand still until the process is stopped."""

    def progress(done: int, of: int) -> None:
        while lines(Path(path)) >= enough:
            time.sleep(0.01)

    return progress


def long_regex_check(path: str | Path | None, **more: Any) -> ws.check.Verdict:
    return ws.check.recognizes(S, re.compile("[ab]*b"), UP_TO, ledger=path, **more)
