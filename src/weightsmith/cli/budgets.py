"""Budgets as they are written on the command line."""

from weightsmith.errors import InputError


def memory_bytes(gigabytes: float) -> int:
    """Return a number of bytes, or say what to write."""
    if not 0 < gigabytes < 2**20:
        raise InputError(f"--memory {gigabytes:g}: write how many GiB it may take, such as 0.5")
    return max(int(gigabytes * 2**30), 1 << 20)
