"""Running the file of a student in a process of its own, in a folder of its own, within limits."""

import contextlib
import json
import os
import selectors
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from weightsmith.errors import reason
from weightsmith.exercises.confinement import layers
from weightsmith.exercises.definition import Kind
from weightsmith.exercises.limits import Limits
from weightsmith.exercises.submission import ANSWER, NOT_CONFINED, REPORT, SOURCE
from weightsmith.storage import parse_json

PACKAGES = Path(__file__).parents[2]  # the folder in which weightsmith is
BEGIN = "import sys; sys.path[:0] = {first!r}; sys.path += {last!r}; "
BEGIN += "from weightsmith.exercises.{module} import main; main(sys.argv[1])"
SYSTEM = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat"),
)
LOOK_EVERY = 0.2  # seconds between looks at the folder
WAIT = 0.005  # seconds between looks at a process that has closed its output
MAX_REPORT = 1 << 16  # bytes
REPORTED: dict[int, str] = {signal.SIGSEGV: "a memory error in native code", signal.SIGABRT: "an abort in native code"}


@dataclass(frozen=True)
class Ran:
    """What a file left behind: an answer, which is not trusted, or the reason why there is none."""

    answer: bytes | None
    error: str
    seconds: float


def run_submission(source: bytes, kind: Kind, limits: Limits, cancelled: Event | None = None) -> Ran:
    """Run a file, and return its answer; end it when `cancelled` is set."""
    begin = time.perf_counter()
    with _scratch() as folder:
        (folder / SOURCE).write_bytes(source)
        ending = _run(folder, kind, limits, cancelled or Event())
        answer, error = (None, ending) if ending else _left(folder, limits)
    return Ran(answer, error, time.perf_counter() - begin)


def command(module: str, argument: str) -> list[str]:
    """Return the command that runs `main` of a module of this package in a new Python, without the user's settings."""
    begin = BEGIN.format(first=[str(PACKAGES)], last=_packages(), module=module)
    return [sys.executable, "-I", "-X", "utf8", "-c", begin, argument]


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a process: its home is its folder, and it computes with one thread."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    return {**one, "HOME": str(folder), "TMPDIR": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8", "COLUMNS": "100"}


def _run(folder: Path, kind: Kind, limits: Limits, cancelled: Event) -> str:
    """Run the file in the folder; return why its process was ended, or how it failed, or ""."""
    order = {
        "folder": str(folder),
        "readable": _readable(),
        "layers": layers(),
        "kind": kind,
        "seconds": limits.cpu,
        "memory": limits.memory,
        "file_size": limits.written,
    }
    process = subprocess.Popen(
        command("submission", json.dumps(order)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
    )
    try:
        stopped, said = _watch(process, folder, limits, cancelled)
    finally:
        end(process)
    return stopped or _exit(process.returncode, said, limits)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its group, and wait for it."""
    if process.returncode is None:  # it was not waited for, so its number is still its own
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _watch(process: subprocess.Popen[bytes], folder: Path, limits: Limits, cancelled: Event) -> tuple[str, bytes]:
    """Wait until a process ends, or exceeds a limit; return which limit, and the beginning of what it printed."""
    assert process.stdout is not None
    deadline, look, printed, said = time.monotonic() + limits.wall, 0.0, 0, b""
    with selectors.DefaultSelector() as selector:
        os.set_blocking(process.stdout.fileno(), False)
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now > look or _ended(process):
                look = now + LOOK_EVERY
                if wide := _too_wide(folder, limits):
                    return wide, said
            if now > deadline:
                return f"it takes longer than {limits.wall:g} s", said
            if cancelled.is_set():
                return "cancelled", said
            if selector.get_map():
                ready = selector.select(min(LOOK_EVERY, deadline - now))
                part = process.stdout.read(1 << 16) if ready else None
                if part == b"":  # it has closed its output
                    selector.unregister(process.stdout)
                printed, said = printed + len(part or b""), (said + (part or b""))[:2000]
                if printed > limits.printed:
                    return f"it prints more than {limits.printed:,} bytes", said
                if ready:
                    continue
            elif not _ended(process):
                time.sleep(WAIT)
            if _ended(process):
                return "", said


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Say whether a process has ended; its number stays its own, so that its group can be killed."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _too_wide(folder: Path, limits: Limits) -> str:
    """Return what is too much in a folder: bytes, or files."""
    size = count = 0
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > limits.files:
                        return f"it writes more than {limits.files:,} files"
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except FileNotFoundError:  # removed in the meantime
            continue
        except OSError as error:  # such as a path that is too long
            return f"it writes folders that cannot be read: {reason(error)}"
    return f"it writes more than {limits.written:,} bytes" if size > limits.written else ""


def _exit(code: int, said: bytes, limits: Limits) -> str:
    """Return what an exit code means; "" where the process came to its end."""
    if code == 0:
        return ""
    if code == -signal.SIGXCPU:
        return f"it computes for more than {limits.cpu} s"
    if code == NOT_CONFINED:
        return f"it was not run: {said.decode(errors='replace')}"
    if code < 0:
        number = -code
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        return (
            f"it was ended by {name}: {REPORTED.get(number, 'it used too much CPU time or memory, or killed itself')}"
        )
    return f"it ends with the code {code}, and without an answer"


def _left(folder: Path, limits: Limits) -> tuple[bytes | None, str]:
    """Return the answer in a folder, or what the report says."""
    answer = _read(folder / ANSWER, limits.written)
    if answer is not None:
        return answer, ""
    report = _read(folder / REPORT, MAX_REPORT)
    if report is None:
        return None, "it ends without an answer: does it call os._exit?"
    try:
        data = parse_json(report, "the report")
    except ValueError:
        return None, "it leaves no answer, and a report that cannot be read"
    line, error = data.get("line"), data.get("error")
    text = error if isinstance(error, str) and error else "an error without a name"
    return None, f"line {line}: {text}" if type(line) is int else text


def _read(path: Path, most: int) -> bytes | None:
    """Read a regular file of at most `most` bytes, and no link; None where there is none."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            return file.read(most) if stat.S_ISREG(status.st_mode) and status.st_size <= most else None
    except OSError:
        return None


def _readable() -> list[str]:
    """Return what a submission may read: the system's libraries, Python, and the packages beside it."""
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, str(PACKAGES)} - {"/", "/usr"}
    return [*python, *_packages(), *SYSTEM]


def _packages() -> list[str]:
    """Return the folders in which packages are installed."""
    return [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """Make a folder that only its owner can read, and remove it whatever is in it."""
    folder = Path(tempfile.mkdtemp(prefix="weightsmith-exercise-")).resolve()
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder)
        except (OSError, RecursionError):  # folders deep in each other, or without rights
            for program in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
                with contextlib.suppress(OSError):
                    subprocess.run([*program, str(folder)], check=False, stderr=subprocess.DEVNULL)
