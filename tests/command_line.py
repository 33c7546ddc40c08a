"""The command line in processes of its own, forked from one that has loaded everything: they start in no time.

Run as a program this file is that process. It reads a request from each line, forks, and in the child becomes the
command: its folder, environment, arguments and the files that take what it writes are those of the request.
"""

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

Ended: TypeAlias = subprocess.CompletedProcess[str]
PRELOADED = ("check", "inspect", "library", "memory", "composition", "rewrites", "files", "train", "kernels.packed")


def run_command(*arguments: str, folder: Path | None, environment: Mapping[str, str]) -> Ended:
    """Run `weightsmith` with arguments; return how it ended and what it wrote."""
    server = _server()
    assert server.stdin is not None and server.stdout is not None  # noqa: PT018
    with tempfile.TemporaryDirectory() as scratch:
        written = [str(Path(scratch, name)) for name in ("out", "err")]
        request = {"arguments": arguments, "folder": str(folder or Path.cwd()), "environment": dict(environment)}
        server.stdin.write(json.dumps({**request, "written": written}) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        out, err = (Path(path).read_text(encoding="utf-8") for path in written)
    return subprocess.CompletedProcess(["weightsmith", *arguments], code, out, err)


@cache
def _server() -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-P", __file__], stdin=pipe, stdout=pipe, text=True)
    atexit.register(process.kill)
    return process


def _serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(request)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _become(request: dict[str, Any]) -> None:
    """Be the command: this does not return."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, path in enumerate(request["written"], start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["weightsmith", *request["arguments"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from weightsmith.cli import main

    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)  # to take all modules apart takes a second


if __name__ == "__main__":
    from importlib import import_module

    for name in ("weightsmith.cli", *(f"weightsmith.{name}" for name in PRELOADED), "torch._dynamo", "rich.table"):
        import_module(name)
    gc.freeze()
    _serve()
