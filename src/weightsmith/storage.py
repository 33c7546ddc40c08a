"""Files and JSON: atomic writes, and reads of untrusted files with shared limits.

A file is written under a temporary name in the same folder and renamed. A process that is killed before that leaves the
temporary file; the next write to the folder removes it.
"""

import contextlib
import hashlib
import json
import math
import os
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from weightsmith.errors import MAX_ECHO, NAME_ECHO, FileError, WeightsmithError, brief, cut, reason

try:
    import fcntl
except ImportError:  # Windows has no such module
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # Windows has no such flag
PART = (".weightsmith-", ".part")  # how the name of a file begins and ends that is not whole yet
MAX_TEXT = 256 << 20  # bytes of a file that is read as a text
MAX_DEPTH = 64  # of lists and objects in each other
MAX_DIGITS = 20_000  # of a whole number
SPARE_BYTES = 24 << 20  # that the objects of a small text may take
# Bytes of the parts of a text, besides its letters
STRING_BYTES, NUMBER_BYTES, VALUE_BYTES, LIST_BYTES, OBJECT_BYTES = 64, 32, 16, 100, 240


# Writing


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is either the old one or the new one, whole, whatever happens."""
    target = _regular(path)
    with _beside(target) as (file, name):
        if target.exists():  # before there is anything to read in it
            os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        os.replace(name, target)


def write_json(path: Path, value: dict[str, Any], *, entry_lines: bool = False) -> None:
    """Write a JSON object to a file, whole or not at all; with `entry_lines`, each of its entries in one line."""
    text = json.dumps(value, indent=2)
    if entry_lines:
        text = "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(entry)}" for key, entry in value.items()) + "\n}"
    write_whole(path, (text + "\n").encode())


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written, before the work whose result it is to hold."""
    with _beside(_regular(path)) as (file, _):
        file.write(b"?")


def _regular(path: Path) -> Path:
    target = path.resolve()  # through links, so that a link stays a link
    if target.exists() and not target.is_file():
        raise FileError("it is not a regular file")
    return target


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a new file in the same folder, locked; at the end remove it, if it still has its name."""
    _clear_away(target.parent)
    while True:
        name = target.with_name(f"{PART[0]}{os.urandom(8).hex()}{PART[1]}")
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            if lock(file.fileno()) is False or not name.exists():  # another process has just cleared it away
                continue
            try:
                yield file, name
            finally:
                name.unlink(missing_ok=True)
            return


def _clear_away(folder: Path) -> None:
    """Remove temporary files of killed processes: those without a lock.

    Without locks in the file system nothing is removed: a file might be in use.
    """
    if not HAS_LOCKS:
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.name.startswith(PART[0]) and entry.name.endswith(PART[1]):
                with contextlib.suppress(OSError):
                    _clear(entry.path)


def _clear(path: str) -> None:
    kind = NONBLOCK | os.O_NOFOLLOW  # a pipe or a link of that name is not ours
    try:
        file = os.open(path, os.O_RDWR | kind)  # some file systems lock only writable files
    except PermissionError:
        file = os.open(path, os.O_RDONLY | kind)
    try:
        if stat.S_ISREG(os.fstat(file).st_mode) and lock(file):
            os.unlink(path)
    finally:
        os.close(file)


def lock(file: int) -> bool | None:
    """Lock an open file. Return False if another process holds the lock, None where there are no locks."""
    if not HAS_LOCKS:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


# Reading


def read_bytes(path: Path, most: int = MAX_TEXT) -> bytes:
    """Read a regular file of at most `most` bytes."""
    with opened(path) as (file, size):
        if size > most:
            raise FileError(f"it has {size:,} bytes, at most {most:,} are read")
        return file.read(size)  # room is made for as many as are asked for


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file for reading; a pipe must not keep us waiting. Yield it with its size."""
    with open(os.open(path, os.O_RDONLY | NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise FileError("it is not a regular file")
        yield file, status.st_size


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a regular file."""
    state = hashlib.sha256()
    with opened(path) as (file, _):
        while part := file.read(1 << 20):
            state.update(part)
    return state.hexdigest()


def read_json(path: str | os.PathLike[str], what: str) -> dict[str, Any]:
    """Read a JSON object from a file that is not trusted."""
    with refusals("cannot read", path):
        return parse_json(read_bytes(Path(path)), what)


def parse_json(text: str | bytes, what: str, size: int = 0) -> dict[str, Any]:
    """Parse a JSON object; refuse duplicate keys, NaN, and more parts, depth or digits than there should be.

    The text and its objects take at most 4 times as many bytes as the text, and as many as the rest of the file of a
    `size` that it comes from.
    """
    try:
        check_parts(text, size)
        value = json.loads(
            text if isinstance(text, str) else text.decode(),
            object_pairs_hook=_without_duplicates,
            parse_constant=_refused,
            parse_int=_whole,
            parse_float=_real,
        )
    except (ValueError, RecursionError) as error:
        raise FileError(f"{what} is not valid JSON: {cut(str(error) or type(error).__name__)}") from None
    if not isinstance(value, dict):
        raise FileError(f"{what} is not a JSON object, it is {brief(value)}")
    _check_depth(value, what)
    return value


def check_parts(text: str | bytes, size: int) -> None:
    """Refuse JSON whose parts would take too much memory, before there are any; see `parse_json`."""
    if isinstance(text, str):
        held, written = 0, sys.getsizeof(text)
        count: Callable[[str], int] = text.count
    else:
        held, written = len(text), _letter_bytes(text) * len(text)
        count = lambda mark: text.count(mark.encode())  # noqa: E731
    wide = 4 if count("\\ud") + count("\\uD") else 2 if count("\\u") else 1  # a letter that is written out in digits
    letters = max(written, wide * len(text))
    strings, lists, objects = (count('"') - count('\\"')) // 2, count("["), count("{")  # a text inside has \"
    values = count(",") + lists + objects  # at most
    numbers = max(0, values - strings + count(":"))
    parts = STRING_BYTES * strings + NUMBER_BYTES * numbers + VALUE_BYTES * values
    parts += LIST_BYTES * lists + OBJECT_BYTES * objects
    needed = held + written + letters + parts  # the letters are in the text, and again in the strings made of it
    if needed > 3 * len(text) + max(size, len(text)) + SPARE_BYTES:
        raise FileError(f"it has too many parts for its size, and would take {needed:,} bytes")


def _letter_bytes(text: bytes) -> int:
    """Return the bytes that Python takes for each letter of a UTF-8 text: those of the widest letter."""
    if text.isascii():
        return 1
    if any(bytes([first]) in text for first in range(0xF0, 0x100)):
        return 4
    return 2 if any(bytes([first]) in text for first in range(0xC4, 0xF0)) else 1


def _check_depth(value: Any, what: str) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise FileError(f"{what} has more than {MAX_DEPTH} lists and objects in each other")
        inside = (part.values() if isinstance(part, dict) else part for part in level)
        level = [part for parts in inside for part in parts if isinstance(part, dict | list)]


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise FileError(f"the key {brief(twice)} occurs twice")
    return result


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _real(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refused(cut(text, NAME_ECHO))
    return number


def _whole(text: str) -> int:
    """Return a whole number of any length: Python itself reads 4,300 digits."""
    digits = text.removeprefix("-")
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits, at most {MAX_DIGITS:,} are read")
    return _digits(digits) if digits == text else -_digits(digits)


def _digits(text: str) -> int:
    if len(text) <= 4000:
        return int(text)
    half = len(text) // 2
    return _digits(text[:-half]) * int(10**half) + _digits(text[-half:])


@contextlib.contextmanager
def refusals(what: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever goes wrong with a file into an error that names it."""
    try:
        yield
    except WeightsmithError as error:
        raise FileError(f"{what} {_named(path)}: {error}") from None
    except (MemoryError, RecursionError) as error:
        raise FileError(f"{what} {_named(path)}: it asks for too much ({type(error).__name__})") from None
    except (OSError, RuntimeError, TypeError, ValueError) as error:  # also: links in circles, names with a 0 byte
        raise FileError(f"{what} {_named(path)}: {cut(reason(error))}") from None


def _named(path: str | os.PathLike[str]) -> str:
    return brief(os.fspath(path) if isinstance(path, str | os.PathLike) else path, MAX_ECHO)
