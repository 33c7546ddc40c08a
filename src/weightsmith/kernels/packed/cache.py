"""Where machine code is kept for the next process: in a folder named after the digest of the sources it comes from.

Numba looks only at the file that a loop stands in, to see whether machine code is still right. Here a change of any
source leads to another folder. Folders stand beside this package or, where nothing can be written, in the user's cache;
`NUMBA_CACHE_DIR` names another parent for them. Of all those that were made, the few used last are kept: two trees of
sources may take turns. Numba writes files in one step and does without one that is gone, so processes may do all this
at once.
"""

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba as nb
from numba.misc import appdirs

KEPT_FOLDERS = 4

_config: Any = nb.config
_AppDirs: Any = appdirs.AppDirs
_njit: Callable[..., Callable[[Callable[..., Any]], Any]] = nb.njit
_lock = threading.Lock()


def cached(loop: Callable[..., Any], options: dict[str, Any], folder: Path | None) -> Any:
    """Return a loop to be compiled, with machine code kept in a folder, or nowhere."""
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
