"""Landlock, an access control of Linux that a process applies to itself: which files it may read and write.

The numbers are those of `linux/landlock.h`. An older kernel knows fewer rights, and restricts fewer.
"""

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, on every architecture
ASK_VERSION = 1
PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_DIR, MAKE_REGULAR = 1 << 7, 1 << 8
TRUNCATE = 1 << 14
FIRST_RIGHTS = 13  # rights of version 1; then one each of version 2 (refer), 3 (truncate) and 5 (ioctl)
READING = READ_FILE | READ_DIR
WRITING = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REGULAR | TRUNCATE
OF_FILES = WRITE_FILE | READ_FILE | TRUNCATE
CONNECTIONS = 3  # TCP: bind, connect; version 4
SCOPES = 3  # abstract sockets, signals; version 6
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # as the kernel's: no gaps
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock in this kernel; 0 if there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)))


def available() -> bool:
    """Say whether the kernel has Landlock."""
    return version() > 0


def confine(folder: Path, readable: Sequence[Path]) -> None:
    """Let this process write files in a folder only, read them there and in others, and execute none."""
    known = version()
    rights = FIRST_RIGHTS + (known >= 2) + (known >= 3) + (known >= 5)
    handled = (1 << rights) - 1
    rules = _Ruleset(handled, CONNECTIONS if known >= 4 else 0, SCOPES if known >= 6 else 0)
    size = ctypes.sizeof(rules) if known >= 6 else 16 if known >= 4 else 8
    ruleset = _called(CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    _allow(ruleset, folder, (READING | WRITING) & handled)
    for path in readable:
        _allow(ruleset, path, READING & handled)
    for device in DEVICES:
        _allow(ruleset, Path(device), (READ_FILE | WRITE_FILE) & handled)
    _called(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    """Allow some rights beneath a path, if it exists."""
    try:
        number = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        beneath = _Beneath(rights if path.is_dir() else rights & OF_FILES, number)
        _called(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(beneath), 0)
    finally:
        os.close(number)


def _called(number: int, *arguments: object) -> int:
    result = int(_libc().syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"landlock: system call {number}")
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
