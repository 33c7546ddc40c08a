"""Seccomp, a filter of system calls that a process applies to itself: no processes, sockets, signals to others.

The filter is a program for the kernel's BPF machine. It answers EPERM to refused calls, so that Python raises an error.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # instructions of BPF
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # where they are in what the filter reads
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
A_THREAD = 0x10000  # a flag of clone
X32 = 0x40000000  # calls of another interface of x86-64, from here on
SET_SECCOMP, FILTER, GET_SECCOMP = 22, 2, 21  # for prctl


class Calls(NamedTuple):
    """Numbers of system calls on one architecture."""

    architecture: int
    refused: tuple[int, ...]
    clone: int
    kill: int
    tgkill: int
    prlimit: int


CLONE3, OTHERS = 435, (  # with the same numbers everywhere
    424,  # pidfd_send_signal
    425,  # io_uring_setup
    438,  # pidfd_getfd
    440,  # process_madvise
    428, 429, 430, 431, 432, 433, 442,  # mounts
    447,  # memfd_secret
    452,  # fchmodat2
    463, 466,  # setxattrat, removexattrat
)  # fmt: skip
X86_64 = Calls(
    0xC000003E,
    (
        57, 58, 59, 322,  # fork, vfork, execve, execveat
        41, 53,  # socket, socketpair
        200, 129, 297,  # tkill, rt_sigqueueinfo, rt_tgsigqueueinfo
        101, 310, 311, 312,  # ptrace, process_vm_readv and writev, kcmp
        90, 91, 268, 92, 93, 94, 260,  # chmod, chown and their like
        132, 235, 261, 280,  # utime and its like
        188, 189, 190, 197, 198, 199,  # setxattr, removexattr and their like
        160,  # setrlimit
        141, 142, 144, 203, 314, 251,  # priorities and cores
        109, 112,  # setpgid, setsid
        29, 30, 31, 64, 65, 66, 68, 69, 71, 220, 240, 241, 319,  # shared memory, semaphores, queues, memfd_create
        165, 166, 155, 161, 272, 308,  # mount, umount, pivot_root, chroot, unshare, setns
        246, 169, 175, 176, 313, 321, 298, 323, 248, 249, 250,  # kexec, reboot, modules, bpf, perf, userfaultfd, keys
        303, 304,  # open_by_handle_at and its name
    ),
    56, 62, 234, 302,
)  # fmt: skip
ARM64 = Calls(
    0xC00000B7,
    (
        221, 281,  # execve, execveat
        198, 199,  # socket, socketpair
        130, 138, 240,  # tkill, rt_sigqueueinfo, rt_tgsigqueueinfo
        117, 270, 271, 272,  # ptrace, process_vm_readv and writev, kcmp
        52, 53, 54, 55,  # fchmod, fchmodat, fchownat, fchown
        88,  # utimensat
        5, 6, 7, 14, 15, 16,  # setxattr, removexattr and their like
        164,  # setrlimit
        140, 118, 119, 122, 274, 30,  # priorities and cores
        154, 157,  # setpgid, setsid
        194, 195, 196, 190, 191, 193, 186, 187, 189, 192, 180, 181, 279,  # shared memory, semaphores, queues
        40, 39, 41, 51, 97, 268,  # mount, umount, pivot_root, chroot, unshare, setns
        104, 142, 105, 106, 273, 280, 241, 282, 217, 218, 219,  # kexec, reboot, modules, bpf, perf, userfaultfd, keys
        264, 265,  # name_to_handle_at, open_by_handle_at
    ),
    220, 129, 131, 261,
)  # fmt: skip
KNOWN = {"x86_64": X86_64, "aarch64": ARM64}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def available() -> bool:
    """Say whether the kernel filters system calls, and their numbers are known here."""
    if not sys.platform.startswith("linux") or platform.machine() not in KNOWN or struct.calcsize("P") != 8:
        return False
    return int(ctypes.CDLL(None, use_errno=True).prctl(GET_SECCOMP, 0, 0, 0, 0)) >= 0


def confine() -> None:
    """Filter the system calls of this process from now on; it must have no other thread."""
    program = b"".join(_filter(KNOWN[platform.machine()], os.getpid()))
    held = ctypes.create_string_buffer(program, len(program))
    given = _Program(len(program) // 8, ctypes.cast(held, ctypes.c_void_p))
    if ctypes.CDLL(None, use_errno=True).prctl(SET_SECCOMP, FILTER, ctypes.byref(given), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def _filter(calls: Calls, process: int) -> Iterator[bytes]:
    """Yield the instructions. Jumps count the instructions that are skipped: if true, if false."""
    refuse = _instruction(RETURN, REFUSE | errno.EPERM)
    allow = _instruction(RETURN, ALLOW)
    yield _instruction(LOAD, ARCHITECTURE)
    yield _instruction(EQUAL, calls.architecture, 1, 0)
    yield _instruction(RETURN, KILL)
    yield _instruction(LOAD, NUMBER)
    yield _instruction(AT_LEAST, X32, 0, 1)
    yield refuse
    for number in (*calls.refused, *OTHERS):
        yield _instruction(EQUAL, number, 0, 1)
        yield refuse
    yield _instruction(EQUAL, CLONE3, 0, 1)
    yield _instruction(RETURN, REFUSE | errno.ENOSYS)  # the C library then calls clone, whose flags can be read
    yield _instruction(EQUAL, calls.clone, 0, 4)
    yield _instruction(LOAD, ARGUMENTS)
    yield _instruction(ANY_BIT, A_THREAD, 1, 0)
    yield refuse
    yield allow
    for number in (calls.kill, calls.tgkill):
        yield _instruction(EQUAL, number, 0, 4)
        yield _instruction(LOAD, ARGUMENTS)
        yield _instruction(EQUAL, process, 1, 0)
        yield refuse
        yield allow
    yield _instruction(EQUAL, calls.prlimit, 0, 6)  # reads limits if it gets no new ones
    yield _instruction(LOAD, ARGUMENTS + 16)
    yield _instruction(EQUAL, 0, 0, 2)
    yield _instruction(LOAD, ARGUMENTS + 20)
    yield _instruction(EQUAL, 0, 1, 0)
    yield refuse
    yield allow
    yield allow


def _instruction(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, true, false, value)
