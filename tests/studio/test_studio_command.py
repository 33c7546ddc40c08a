"""weightsmith studio: how it begins, what it refuses, how it ends."""

import contextlib
import json
import os
from pathlib import Path

import pytest

from tests.check.processes import environment
from tests.command_line import run_command
from tests.studio.client import until
from tests.studio.serving import request, sent, started
from weightsmith.studio.serving import Serving


@pytest.mark.long
def test_ctrl_c_ends_the_studio_and_its_processes() -> None:
    mark = f"studio-{os.getpid()}"
    with started(WEIGHTSMITH_TEST_MARK=mark) as studio:
        models = json.loads(sent(studio.port, request(studio, "GET", "/api/studio")).body)["models"]
        (number,) = [model["id"] for model in models if model["name"] == "parity"]
        fields = {"claim": "same decisions", "models": [number, number], "regex": "", "yes": "", "up_to": 40}
        check = sent(studio.port, request(studio, "POST", "/api/checks", json.dumps(fields).encode()))
        assert check.status == 200
        assert marked(mark)
    until(lambda: not marked(mark))


def marked(mark: str) -> list[str]:
    """Return the processes that were started with a mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def test_without_its_extra_the_studio_says_what_to_install(tmp_path: Path) -> None:
    for name in ("starlette", "uvicorn"):
        before = f"import sys; sys.modules[{name!r}] = None"
        done = run_command("studio", "--no-browser", folder=tmp_path, environment=environment(), before=before)
        assert done.returncode == 2
        assert done.stderr == (
            "error: the studio needs Starlette and uvicorn: write pip install 'weightsmith[studio]'\n"
        )


def test_the_studio_refuses_what_it_cannot_open_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "bad.safetensors").write_bytes(b"nothing")
    with Serving() as other:
        for arguments, words in (
            (["bad.safetensors"], "cannot read 'bad.safetensors'"),
            (["none.safetensors"], "cannot read 'none.safetensors'"),
            (["--folder", "none"], "cannot open the folder 'none'"),
            (["--folder", "bad.safetensors"], "cannot open the folder 'bad.safetensors'"),
            (["--port", str(other.port)], f"cannot listen on port {other.port}: "),
        ):
            done = run_command("studio", "--no-browser", *arguments, folder=tmp_path, environment=environment())
            assert done.returncode == 2
            assert words in done.stderr


def test_the_address_is_printed_and_opened_in_a_browser(tmp_path: Path) -> None:
    before = (
        "import threading, webbrowser\nfrom weightsmith.studio.serving import Serving\nseen = threading.Event()\n"
        "def opened(address):\n    print('opened', address)\n    seen.set()\n    return True\n"
        "webbrowser.open = opened\nServing.run = lambda self: seen.wait()"
    )
    done = run_command("studio", folder=tmp_path, environment=environment(), before=before)
    assert done.returncode == 0, done.stderr
    printed, opened_address = done.stdout.splitlines()
    assert opened_address == f"opened {printed}"
    assert printed.startswith("http://127.0.0.1:")
    assert done.stderr.endswith("the studio has ended\n")


def test_help_says_how_to_begin(tmp_path: Path) -> None:
    done = run_command("studio", "--help", folder=tmp_path, environment=environment())
    for words in ("--folder", "--port", "--no-browser", "[MODEL]…", "Ctrl-C"):
        assert words in done.stdout
