"""The limits of a submission, and of the check of its answer."""

import math
from dataclasses import dataclass

from weightsmith.errors import InputError, brief, whole_field

MIB = 1 << 20
MAX_LINE = 1 << 16  # bytes of a request or of a grade


@dataclass(frozen=True)
class Limits:
    """What the file of a student may use. More than that ends its process, and the grade names the limit."""

    seconds: float = 10.0  # of CPU time
    memory: int = 2048 * MIB  # bytes of addresses, Python and numpy included
    printed: int = 1 * MIB  # bytes of output
    written: int = 64 * MIB  # bytes of all files in its folder
    files: int = 1000  # in its folder
    source: int = 1 * MIB  # bytes of the file itself
    waiting: float | None = None  # seconds until it is ended, whether it computes or waits; None: 3 × `seconds`
    check_seconds: float = 90.0  # to check the answer
    check_memory: int = 4096 * MIB  # bytes of addresses of the process that checks

    def __post_init__(self) -> None:
        """Refuse limits that are no numbers, or under which nothing runs."""
        for name, least in (("seconds", 0.5), ("waiting", 0.5), ("check_seconds", 1.0)):
            value = getattr(self, name)
            if value is None and name == "waiting":
                continue
            if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= 86_400:
                raise InputError(f"{name}={brief(value)}: write a number of seconds from {least:g} to 86400")
        for name, bytes_ in (("memory", 256 * MIB), ("check_memory", 1024 * MIB), ("written", MIB), ("source", 1024)):
            whole_field(self, name, bytes_, meaning=f"a number of bytes, {bytes_:,} or more")
        whole_field(self, "printed", 1024, meaning="a number of bytes, 1,024 or more")
        whole_field(self, "files", 10, meaning="how many files it may write, 10 or more")

    @property
    def wall(self) -> float:
        """Seconds until a process is ended, whether it computes or waits."""
        return 3 * self.seconds if self.waiting is None else self.waiting

    @property
    def cpu(self) -> int:
        """Seconds of CPU time, as the kernel counts them."""
        return math.ceil(self.seconds)
