"""A ledger: the finished shards of a long check, on disk, so that a killed check continues where it stopped.

One JSON object a line: first the claim and the versions, then each finished shard with its digest. Every line ends with
a link, the SHA-256 of its other entries and of the link before it. The ledger is cut off at the first line that was
changed, and the shards after it are checked again. A damaged first line is refused, since the file may not be a ledger.
"""

import hashlib
import io
import json
import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from weightsmith._version import __version__
from weightsmith.check.plan import Plan, Shard
from weightsmith.errors import MAX_ECHO, FileError, brief, cut, named, reason
from weightsmith.kernels.packed.compiled import sources_digest
from weightsmith.storage import HAS_LOCKS, lock, parse_json

FORMAT = "weightsmith ledger 2"
MAX_BYTES = 1 << 30
MAX_LINE = 64 << 20  # bytes; the first one holds the claim
SYNC_SECONDS = 0.5

log = logging.getLogger("weightsmith.check")


class Ledger:
    """The finished shards; `add` writes one to disk, within half a second."""

    def __init__(self, file: FileIO | None = None) -> None:
        """Begin without finished shards; without a file nothing is written."""
        self.digests: dict[Shard, str] = {}
        self.link = ""  # of the last line
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
        """Append a line, which `sync` writes."""
        if self._file is not None:
            self.link, line = _linked(entry, self.link)
            self._waiting += line

    def sync(self) -> None:
        """Write all lines; after an error no more is written."""
        if self._file is None:
            return
        try:
            while self._waiting:
                del self._waiting[: self._file.write(self._waiting)]
            os.fsync(self._file.fileno())
        except OSError as error:
            name, self._file = self._file.name, None
            raise FileError(
                f"cannot write to the ledger {_name(name)}: {reason(error)}; what it holds already stays good"
            ) from None
        self._synced = time.monotonic()


def _name(path: object) -> str:
    return named(str(path), MAX_ECHO)


@contextmanager
def open_ledger(path: str | os.PathLike[str] | None, identity: dict[str, Any], plan: Plan) -> Iterator[Ledger]:
    """Open or create a ledger; refuse that of another claim, and one that another process writes to."""
    if path is None:
        yield Ledger()
        return
    where = Path(path)
    try:
        file = where.open("ab+", buffering=0) if not where.exists() or where.is_file() else None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise FileError(f"cannot open the ledger {_name(where)}: {reason(error)}") from None
    if file is None:
        raise FileError(f"the ledger {_name(where)} is not a file: name another one")
    with file:
        if HAS_LOCKS and not lock(file.fileno()):
            raise FileError(f"the ledger {_name(where)} is being written to by another check: wait for it")
        ledger = Ledger(file)
        head = {"format": FORMAT, **identity, "version": __version__, "kernels": sources_digest()}
        _read(file, where, head, plan, ledger)
        try:
            yield ledger
        finally:
            ledger.sync()


def _read(file: FileIO, path: Path, head: dict[str, Any], plan: Plan, ledger: Ledger) -> None:
    if os.fstat(file.fileno()).st_size > MAX_BYTES:
        raise FileError(f"the ledger {_name(path)} is larger than {MAX_BYTES:,} bytes: it is none of ours")
    file.seek(0)
    lines = io.BufferedReader(file)
    try:
        first = lines.readline(MAX_LINE)
        if not first.endswith(b"\n"):
            if not _linked(head, "")[1].startswith(first):
                raise FileError(f"{_name(path)} is not a ledger: name another file")
            file.truncate(0)
            ledger.write(head)
            ledger.sync()
            return
        ledger.link = _checked_head(first, head, path)
        good, number = len(first), 1
        while line := lines.readline(MAX_LINE):
            number += 1
            if not _recorded(line, plan, ledger):
                if line.endswith(b"\n"):  # else the process was killed while writing it
                    log.warning(
                        "the ledger %s is damaged from line %d on: what stood there is derived again",
                        _name(path),
                        number,
                    )
                file.truncate(good)
                break
            good += len(line)
    finally:
        lines.detach()


def _checked_head(line: bytes, head: dict[str, Any], path: Path) -> str:
    """Return the link of the first line; refuse the ledger of another check."""
    found = _parsed(line)
    if found.get("format") != FORMAT:
        raise FileError(f"{_name(path)} is not a ledger: name another file")
    link = found.pop("link", None)
    if found != head:
        different = next(key for key in {**head, **found} if key not in found or found[key] != head.get(key, ...))
        raise FileError(
            f"the ledger {_name(path)} belongs to another check: its {cut(different, 80)} is "
            f"{_brief(found.get(different))}, here it is {_brief(head.get(different))}; name another file"
        )
    wanted, whole = _linked(head, "")
    if line != whole:
        raise FileError(
            f"the first line of the ledger {_name(path)} is damaged, its link is {brief(link)}: delete the file"
        )
    return wanted


def _recorded(line: bytes, plan: Plan, ledger: Ledger) -> bool:
    """Record the shard of a line and return True, if the line is unchanged."""
    entry = _parsed(line)
    entry.pop("link", None)
    match entry:
        case {"tier": int(tier), "shard": int(index), "digest": str(digest)} if (
            re.fullmatch("[0-9a-f]{64}", digest)
            and 0 <= tier < len(plan.tiers)
            and 0 <= index < plan.tiers[tier].shards
        ):
            link, wanted = _linked(entry, ledger.link)
            if line == wanted:
                ledger.link, ledger.digests[Shard(tier, index)] = link, digest
                return True
    return False


def _linked(entry: dict[str, Any], before: str) -> tuple[str, bytes]:
    """Return the link of an entry after another link, and its line."""
    content = json.dumps(entry, sort_keys=True)
    link = hashlib.sha256(f"{before}\n{content}".encode()).hexdigest()
    return link, json.dumps({**entry, "link": link}, sort_keys=True).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        return parse_json(line, "the line")
    except FileError:
        return {}


def _brief(value: object) -> str:
    return cut(repr(value), 100)
