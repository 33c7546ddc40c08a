"""Limits of the studio: sizes, times and counts."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """The limits of one studio."""

    model_bytes: int = 160 * MIB  # a file that comes from the page, or from the folder
    json_bytes: int = 1 * MIB  # any other body
    all_bytes: int = 1024 * MIB  # of all models at all their steps
    body_seconds: float = 60.0  # until a body has arrived
    job_seconds: float = 60.0  # to read a file, rewrite a model, make a page
    check_seconds: float = 1800.0
    jobs: int = 2  # at once, besides the checks
    checks: int = 2  # at once
    checks_kept: int = 50  # whose verdicts are remembered
    models: int = 64
    steps: int = 200  # of a model
    job_memory: int = 8192 * MIB  # addresses that a process may have, code and libraries included
    check_memory: int = 512 * MIB  # that a check plans with
    files_listed: int = 500  # of the folder
    requests: int = 64  # that are answered at once
    connections: int = 256  # that are open at once; those that have been idle longest give way
    idle_seconds: float = 10.0  # until a connection has sent a whole header, or the next one
