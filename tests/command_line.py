"""The command line in processes of its own, forked from one that has loaded what they need: they start in no time.

Run as a program this file is that process; there are two, because one that has torch in it takes twice as long to fork.
It reads a request from each line, forks, and in the child becomes the command: its folder, environment, arguments and
the files that it reads and writes are those of the request. The answer is the number of the new process; a second
request asks how it ended.
"""

import atexit
import contextlib
import gc
import io
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
PRELOADED = ("check", "inspect", "library", "memory", "composition", "rewrites", "files", "kernels.packed")
WITH_TORCH = ("train", "compare", "moods", "export")  # verbs
_started: dict[int, bool] = {}  # whether the process was forked from the one with torch


def run_command(*arguments: str, folder: Path | None, environment: Mapping[str, str], before: str = "") -> Ended:
    """Run `weightsmith` with arguments, after some Python; return how it ended and what it wrote."""
    with tempfile.TemporaryDirectory() as scratch:
        out, err = (Path(scratch, name) for name in ("out", "err"))
        files = (os.devnull, out, err)
        process = start_command(*arguments, folder=folder, environment=environment, files=files, before=before)
        code = end_of(process)
        said = [path.read_text(encoding="utf-8") for path in (out, err)]
    return subprocess.CompletedProcess(["weightsmith", *arguments], code, *said)


def start_command(
    *arguments: str,
    folder: Path | None,
    environment: Mapping[str, str],
    files: tuple[str | Path, str | Path, str | Path],
    before: str = "",
) -> int:
    """Start `weightsmith` with files for what it reads, writes and complains; return the number of its process.

    `before` is Python that it runs first.
    """
    request = {"arguments": arguments, "folder": str(folder or Path.cwd()), "environment": dict(environment)}
    torch = not arguments or arguments[0] in WITH_TORCH
    process = _asked({**request, "files": [str(path) for path in files], "before": before}, torch)
    _started[process] = torch
    return process


def end_of(process: int) -> int:
    """Wait for a command to end; return its exit code, or the negative number of the signal that ended it."""
    return _asked({"end": process}, _started.pop(process))


def _asked(request: dict[str, Any], torch: bool) -> int:
    server = _server(torch)
    assert server.stdin is not None and server.stdout is not None  # noqa: PT018
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


@cache
def _server(torch: bool) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-P", __file__, *(["weightsmith.train", "torch._dynamo"] if torch else [])]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    atexit.register(process.kill)
    return process


def _serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "end" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["end"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _become(request)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def _become(request: dict[str, Any]) -> None:
    """Be the command: this does not return."""
    for number, path in enumerate(request["files"]):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY), number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["weightsmith", *request["arguments"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from weightsmith.cli import main

    code: object = 0
    try:
        exec(request["before"], {})
        main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)  # to take all modules apart takes a second


def _warm_up() -> None:
    """Run a few commands, so that whatever they load or build at first is there."""
    from weightsmith.cli import app

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        model = f"{folder}/model"
        with contextlib.redirect_stderr(io.StringIO()):
            for words in (
                f"new contains --symbol 1 -o {model}",
                f"info {model}",
                f"run {model} 01 --trace",
                "run --help",
            ):
                app(words.split(), standalone_mode=False)


if __name__ == "__main__":
    from importlib import import_module

    for name in ("weightsmith.cli", *(f"weightsmith.{name}" for name in PRELOADED), "rich.table", *sys.argv[1:]):
        import_module(name)
    _warm_up()
    gc.freeze()
    _serve()
