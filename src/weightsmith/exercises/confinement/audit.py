"""Python's own audit events: refused with an error that says what a submission may not do."""

import os
import sys
from pathlib import Path
from typing import Any

WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
PROCESSES = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "pty.spawn",
)
SIGNALS = ("os.kill", "os.killpg", "signal.pthread_kill")
CHANGES = (  # of files; the arguments at the beginning are paths
    *("os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.rename", "os.link", "os.symlink"),
    *("os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.chflags", "os.lockf"),
)
TWO_PATHS = ("os.rename", "os.link", "os.symlink")


class NotAllowedError(PermissionError):
    """A submission does what it may not do."""


def confine(folder: Path) -> None:
    """Refuse processes, sockets, signals, and changes of files outside a folder, from now on."""
    inside = os.path.realpath(folder)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = isinstance(flags, int) and flags & WRITE_FLAGS
            if (writes or (isinstance(mode, str) and set(mode) & set("wax+"))) and not _within(path, inside):
                raise NotAllowedError(f"it may not write to {_text(path)}: only to its own folder")
        elif event in CHANGES:
            for path in arguments[: 2 if event in TWO_PATHS else 1]:
                if not _within(path, inside):
                    raise NotAllowedError(f"it may not change {_text(path)}: only files in its own folder")
        elif event in PROCESSES:
            raise NotAllowedError("it may not start a process")
        elif event.startswith("socket.") and event != "socket.gethostname":
            raise NotAllowedError("it may not use the network")
        elif event in SIGNALS:
            raise NotAllowedError("it may not send signals")

    sys.addaudithook(hook)


def _within(path: object, folder: str) -> bool:
    """Say whether a path is in a folder. An open file is: it was opened under the same rule."""
    if isinstance(path, int):
        return True
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    real = os.path.realpath(os.fsdecode(path))
    return real == os.devnull or real == folder or real.startswith(folder + os.sep)


def _text(path: object) -> str:
    return repr(path)[:120]
