"""Machine code: compiled by Numba, announced on the log, kept for the next process, and not interrupted by Ctrl-C.

Machine code is kept in a folder named after the digest of the sources that it comes from: Numba itself looks only at
the file of a loop. The folders stand beside this package or, where nothing can be written, in the user's cache;
`NUMBA_CACHE_DIR` names another parent for them. The few folders that were used last are kept, so that two trees of
sources may take turns. Numba writes files in one step and does without a missing file, so processes may do all this at
once.
"""

import functools
import hashlib
import importlib
import logging
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import numba as nb
from numba.core import event
from numba.misc import appdirs

log = logging.getLogger("weightsmith.kernels")
KEPT_FOLDERS = 4

_config: Any = nb.config
_AppDirs: Any = appdirs.AppDirs
_signal: Any = importlib.import_module("_signal")  # under `signal`, whose enumerations take longer than most loops
_SIGINT = int(signal.SIGINT)
_njit: Callable[..., Callable[[Callable[..., Any]], Any]] = nb.njit
_lock = threading.Lock()


def cached(loop: Callable[..., Any], options: dict[str, Any], folder: Path | None) -> Any:
    """Return a Numba function of a loop, with machine code kept in a folder, or not at all."""
    if folder is None:
        return _njit(**options)(loop)
    with _lock:
        before = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)  # Numba reads it where a function is declared
        try:
            return _njit(**options, cache=True)(loop)
        except RuntimeError:  # the folder can no longer be written to
            return _njit(**options)(loop)
        finally:
            _config.CACHE_DIR = before


def folder_for(sources: Sequence[Path], mode: str) -> Path | None:
    """Return the folder for machine code of these sources, compiled in a mode; None if none can be written to."""
    name = digest_of(sources, mode)[:32]
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
    yield Path(__file__).parent / "__pycache__" / "loops"
    yield Path(_AppDirs(appname="weightsmith", appauthor=False).user_cache_dir) / "loops"


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
