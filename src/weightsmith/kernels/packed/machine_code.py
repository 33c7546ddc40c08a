"""Machine code: compiled by Numba, announced on the log, kept for the next process, and not interrupted by Ctrl-C.

Machine code is kept in a folder named after Numba's version and the digest of the sources that it comes from: Numba
itself looks only at the file of a loop, its path and its time. In a folder it tells processors and versions of Python
apart. So environments share machine code, and a new installation finds it again.

The folders stand in the user's cache, if that is the user's alone, because machine code is loaded as it is; else beside
this package. `NUMBA_CACHE_DIR` names another parent for them. The folders that were used last are kept. Numba writes
files in one step and does without a missing file, so processes may do all this at once.
"""

import functools
import hashlib
import importlib
import logging
import os
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import numba as nb
from numba.core import caching, event
from numba.misc import appdirs

log = logging.getLogger("weightsmith.kernels")
KEPT_FOLDERS = 16  # of some megabytes; automata and kernels have one each

_config: Any = nb.config
_AppDirs: Any = appdirs.AppDirs
_signal: Any = importlib.import_module("_signal")  # under `signal`, whose enumerations take longer than most loops
_SIGINT = int(signal.SIGINT)
_njit: Callable[..., Callable[[Callable[..., Any]], Any]] = nb.njit
_Cache: Any = caching.FunctionCache
_Files: Any = caching.CompileResultCacheImpl


def cached(loop: Callable[..., Any], options: dict[str, Any], folder: Path | None) -> Any:
    """Return a Numba function of a loop, with machine code kept in a folder, or not at all."""
    made = _njit(**options)(loop)
    if folder is not None:
        made._cache = _cache_in(folder)(loop)
    return made


@functools.cache
def _cache_in(folder: Path) -> type[Any]:
    """Return the class of Numba's caches that keep their files in a folder, wherever the sources are."""

    class Place:
        def get_cache_path(self) -> str:
            return str(folder)

        def ensure_cache_path(self) -> None:
            folder.mkdir(exist_ok=True)

        def get_source_stamp(self) -> str:
            return folder.name

        def get_disambiguator(self) -> str:
            return ""

        @classmethod
        def from_function(cls, _function: object, _file: str) -> "Place":
            return cls()

    class Files(_Files):  # type: ignore[misc]
        _locator_classes = (Place,)

    class Kept(_Cache):  # type: ignore[misc]
        _impl_class = Files

        def save_overload(self, signature: object, data: object) -> None:
            with suppress(OSError):  # the folder can no longer be written to
                super().save_overload(signature, data)

    return Kept


def folder_for(sources: Sequence[Path], mode: str) -> Path | None:
    """Return the folder for machine code of these sources, compiled in a mode; None if none can be written to."""
    name = digest_of(sources, f"{mode} numba {nb.__version__}")[:32]
    for parent in _parents():
        folder = parent / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)
        except OSError:
            continue
        _remove_old(parent)
        return folder
    return None


def digest_of(sources: Sequence[Path], mode: str) -> str:
    """Return the digest of sources, compiled in a mode."""
    digest = hashlib.sha256(mode.encode())
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def _parents() -> Iterator[Path]:
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR) / "weightsmith"
    shared = Path(_AppDirs(appname="weightsmith", appauthor=False).user_cache_dir) / "loops"
    if shared.is_absolute() and is_private(shared):  # an empty XDG_CACHE_HOME names no folder
        yield shared
    yield Path(__file__).parent / "__pycache__" / "loops"


def is_private(folder: Path) -> bool:
    """Create a folder that only this user reads and writes; return False if it is another's, or others could write."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if hasattr(os, "getuid") and (
            found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o022
        ):
            return False
        if found.st_mode & 0o077:
            folder.chmod(0o700)
    except OSError:
        return False
    return True


def _remove_old(parent: Path) -> None:
    """Keep the folders that were used last."""
    with suppress(OSError):  # another process may be doing the same
        folders = sorted((folder for folder in parent.iterdir() if folder.is_dir()), key=os.path.getmtime)
        for folder in folders[:-KEPT_FOLDERS]:
            shutil.rmtree(folder, ignore_errors=True)


def announced(purpose: str, seconds: Mapping[str, float]) -> AbstractContextManager[Any]:
    """Return a context in which loops are compiled in order; the first that is not in the cache is announced.

    `seconds` says how long compiling each of them takes on an ordinary machine.
    """
    listening: AbstractContextManager[Any] = event.install_listener("numba:compile", _Announcer(purpose, seconds))
    return listening


class _Announcer(event.Listener):
    """Logs, when the first loop turns out not to be in the cache, how long all that are still missing will take."""

    def __init__(self, purpose: str, seconds: Mapping[str, float]) -> None:
        self.purpose, self.seconds, self.said = purpose, seconds, False

    def on_start(self, event: Any) -> None:
        """Compiling has begun, of a loop or of a function that it calls."""
        name = event.data["dispatcher"].py_func.__name__
        if not self.said and name in self.seconds:
            self.said = True
            rest = list(self.seconds)[list(self.seconds).index(name) :]
            seconds = sum(self.seconds[each] for each in rest)
            log.warning("compiling for %s, once (about %d s)", self.purpose, max(round(seconds), 1))

    def on_end(self, event: Any) -> None:
        """Compiling has ended."""


def uninterrupted(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loop with Ctrl-C deferred: one that arrives while it runs in the main thread is raised afterwards.

    Numba makes the results of a loop after it has run, and looks for signals meanwhile: without this, a Ctrl-C is lost,
    becomes a `SystemError`, or leaves a hole in a tuple of arrays.
    """

    @functools.wraps(loop)
    def call(*arguments: Any) -> Any:
        listening = _signal.getsignal(_SIGINT)
        if not callable(listening) or threading.get_ident() != threading.main_thread().ident:
            return loop(*arguments)
        heard: list[FrameType | None] = []
        _signal.signal(_SIGINT, lambda _, frame: heard.append(frame))
        try:
            result = loop(*arguments)
        finally:
            _signal.signal(_SIGINT, listening)
        if heard:
            listening(_SIGINT, heard[0])
        return result

    return call
