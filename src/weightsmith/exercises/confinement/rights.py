"""Limits of the kernel for this process, and capabilities of root, which it gives up."""

import contextlib
import ctypes
import os
import resource

CAPABILITY_VERSION = 0x20080522  # of the structure that `capset` takes
NO_NEW_PRIVILEGES = 38  # of prctl


def set_limits(seconds: int, memory: int, file_size: int, *, processes: bool) -> None:
    """Limit this process; nothing raises the limits again.

    Without `processes` it may start none, where the user is not root; threads count as processes.
    """
    limits = [
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, file_size, file_size),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 256, 256),
    ]
    if not processes and hasattr(resource, "RLIMIT_NPROC"):
        limits.append((resource.RLIMIT_NPROC, 0, 0))
    for what, soft, hard in limits:
        _, most = resource.getrlimit(what)
        bound = hard if most == resource.RLIM_INFINITY else min(hard, most)
        with contextlib.suppress(OSError, ValueError):  # a system that knows no such limit
            resource.setrlimit(what, (min(soft, bound), bound))


def give_up_capabilities() -> None:
    """Give up what root may do more than others, such as to raise limits and read every file."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if os.geteuid() == 0 and hasattr(libc, "capset"):
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
        nothing = (ctypes.c_uint32 * 6)()
        if libc.capset(header, nothing) != 0:
            raise OSError(ctypes.get_errno(), "capset")
