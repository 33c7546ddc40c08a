"""Confinement of a process that runs the code of a student.

Four layers. The first two and the last need no special rights; the kernel enforces the first three:

- `limits`: CPU time, memory, file sizes, no core dumps; a process of root gives up its capabilities.
- `landlock`: files are written in one folder only, and read only there and where Python and its packages are.
- `seccomp`: no new processes, no sockets, no signals to others, no change of modes and owners of files.
- `audit`: Python itself refuses the same with an error that names it. Code that goes around Python goes around this.

Landlock and seccomp need Linux 5.13 or newer, on x86-64 or ARM64. `layers` says what there is.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weightsmith.exercises.confinement import audit, landlock, seccomp
from weightsmith.exercises.confinement.rights import give_up_capabilities, set_limits


@dataclass(frozen=True)
class Confined:
    """What a process may use."""

    folder: Path  # where it may write
    readable: Sequence[Path]  # what it may read besides
    seconds: int  # of CPU time
    memory: int  # bytes of addresses
    file_size: int  # bytes of one file


def layers() -> tuple[str, ...]:
    """Return the layers that this machine has."""
    kernel = [name for name, module in (("landlock", landlock), ("seccomp", seccomp)) if module.available()]
    return ("limits", *kernel, "audit")


def confine(confined: Confined, wanted: Sequence[str]) -> None:
    """Confine this process, for good. Raise OSError if a wanted layer fails: then nothing may be run."""
    os.umask(0o077)
    set_limits(confined.seconds, confined.memory, confined.file_size, processes="seccomp" in wanted)
    give_up_capabilities()
    if "landlock" in wanted:
        landlock.confine(confined.folder, confined.readable)
    if "seccomp" in wanted:
        seccomp.confine()
    audit.confine(confined.folder)
