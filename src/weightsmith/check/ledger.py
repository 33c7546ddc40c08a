"""A ledger: what a long check has finished, on disk, so that a killed one goes on where it stopped.

One JSON object a line: first what is checked, then each finished shard with its digest. Lines are only ever added, and
a last line that was cut short is not counted.
"""

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from weightsmith.check.plan import Plan, Shard
from weightsmith.errors import FileError

FORMAT = "weightsmith ledger 1"
MAX_BYTES = 1 << 30
SYNC_SECONDS = 0.5


class Ledger:
    """The finished shards; `add` puts one on disk, at the latest when the next half second is over."""

    def __init__(self, file: FileIO | None = None) -> None:
        """Begin with nothing finished; without a file nothing is kept."""
        self.digests: dict[Shard, str] = {}
        self._file = file
        self._waiting = bytearray()
        self._synced = time.monotonic()

    def add(self, shard: Shard, digest: str) -> None:
        """Record a finished shard."""
        self.digests[shard] = digest
        self.write({"tier": shard.tier, "shard": shard.index, "digest": digest})
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self.sync()

    def write(self, entry: dict[str, Any]) -> None:
        """Add a line, which `sync` puts on disk."""
        if self._file is not None:
            self._waiting += _line(entry)

    def sync(self) -> None:
        """Put everything on disk; after an error nothing more."""
        if self._file is None:
            return
        try:
            while self._waiting:
                del self._waiting[: self._file.write(self._waiting)]
            os.fsync(self._file.fileno())
        except OSError as error:
            name, self._file = self._file.name, None
            raise FileError(
                f"cannot write to the ledger {name}: {error.strerror or error}; what it holds already stays good"
            ) from None
        self._synced = time.monotonic()


@contextmanager
def open_ledger(path: str | os.PathLike[str] | None, identity: dict[str, Any], plan: Plan) -> Iterator[Ledger]:
    """Open a ledger, or begin one; refuse that of another claim, and one that another process writes to."""
    if path is None:
        yield Ledger()
        return
    where = Path(path)
    try:
        file = where.open("ab+", buffering=0) if not where.exists() or where.is_file() else None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise FileError(f"cannot open the ledger {where}: {getattr(error, 'strerror', None) or error}") from None
    if file is None:
        raise FileError(f"the ledger {where} is not a file: name another one")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FileError(f"the ledger {where} is being written to by another check: wait for it") from None
        ledger = Ledger(file)
        _read(file, where, identity, plan, ledger)
        try:
            yield ledger
        finally:
            ledger.sync()


def _read(file: FileIO, path: Path, identity: dict[str, Any], plan: Plan, ledger: Ledger) -> None:
    head = {"format": FORMAT, **identity}
    if os.fstat(file.fileno()).st_size > MAX_BYTES:
        raise FileError(f"the ledger {path} is larger than {MAX_BYTES:,} bytes: it is none of ours")
    file.seek(0)
    lines = file.read().split(b"\n")
    whole, rest = lines[:-1], lines[-1]
    if not whole:
        if rest and not _line(head).startswith(rest):
            raise FileError(f"{path} is not a ledger: name another file")
        file.truncate(0)
        ledger.write(head)
        ledger.sync()
        return
    found = _parsed(whole[0])
    if found.get("format") != FORMAT:
        raise FileError(f"{path} is not a ledger: name another file")
    if found != head:
        different = next(key for key in {**head, **found} if key not in found or found[key] != head.get(key, ...))
        raise FileError(
            f"the ledger {path} belongs to another check: its {different} is {_brief(found.get(different))}, "
            f"here it is {_brief(head.get(different))}; name another file"
        )
    if rest:  # cut short when the process was killed
        file.truncate(sum(len(line) + 1 for line in whole))
    for number, line in enumerate(whole[1:], start=2):
        entry = _parsed(line)
        match entry:
            case {"tier": int(tier), "shard": int(index), "digest": str(digest)} if (
                re.fullmatch("[0-9a-f]{64}", digest)
                and 0 <= tier < len(plan.tiers)
                and 0 <= index < plan.tiers[tier].shards
            ):
                ledger.digests[Shard(tier, index)] = digest
            case _:
                raise FileError(f"line {number} of the ledger {path} is damaged: delete that line, or the file")


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, sort_keys=True).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _brief(value: object) -> str:
    return f"{value!r:.100}"
