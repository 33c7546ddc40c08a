"""A cluster listens on loopback alone, or uses TLS; any other is refused before anything is sent to it."""

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import dask
import pytest
import trustme

import weightsmith as ws
from tests.check.cluster_checks import told
from tests.check.dask_processes import a_scheduler, a_worker, end, listening, wait_for_workers
from tests.check.long_check import long_regex_check
from tests.check.processes import PATIENCE, ROOT, environment, until
from weightsmith.check.network import is_closed

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own
LOOPBACK = {"127.0.0.1", "::1"}


def documented_commands() -> list[list[str]]:
    """The commands of the recipe, word for word, but for the port where somebody else has it."""
    section = (ROOT / "docs" / "check.md").read_text().split("## Clusters")[1].split("\n## ")[0]
    (block,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", 8786))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        block = block.replace("8786", str(probe.getsockname()[1]))
    return [shlex.split(line) for line in block.splitlines()]


@pytest.fixture
def background(tmp_path: Path) -> Iterator[Any]:
    """A function that starts a command in the background; all are ended by their ids, the last one first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    place = {"env": {**environment(), "PATH": path, "TMPDIR": str(tmp_path)}, "cwd": tmp_path, "text": True}
    with ExitStack() as stack:

        def start(command: list[str], background: bool = True) -> subprocess.Popen[str]:
            output = (tmp_path / "log").open("a") if background else subprocess.PIPE
            process = subprocess.Popen(command, stdout=output, stderr=output, **place)  # type: ignore[call-overload]
            stack.callback(end, process)
            return process  # type: ignore[no-any-return]

        yield start


def serves_or_has_ended(scheduler: subprocess.Popen[str]) -> bool:
    return scheduler.poll() is not None or len(listening(scheduler)) == 2  # its own port, and that of its state


def test_the_documented_commands_listen_on_loopback_alone(background: Any, tmp_path: Path) -> None:
    T = ws.library.contains("a", "a")
    ws.save(T, tmp_path / "a.safetensors")
    ws.save(~~T, tmp_path / "b.safetensors")
    for _ in range(5):  # somebody else may take the port just now
        *servers, check = documented_commands()
        assert [command[:2] for command in servers] == [["dask", "scheduler"], ["dask", "worker"]]
        assert all(command.pop() == "&" for command in servers)
        scheduler = background(servers[0])
        until(partial(serves_or_has_ended, scheduler))
        if scheduler.poll() is None:
            break
    worker = background(servers[1])
    wait_for_workers(check[check.index("--cluster") + 1], 2)
    found = listening(scheduler, worker)
    assert len(found) == 2 + 3 * 2  # each worker has a nanny, its own port, and that of its state
    assert set(found) <= LOOPBACK
    out, err = background(check, background=False).communicate(timeout=PATIENCE)
    assert out.startswith("same decisions: exhaustive up to 24, all 24 inputs"), err
    assert (tmp_path / "a-b.ledger").exists()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return a key and a certificate: what dask scheduler and dask worker call them, and the files."""
    folder, authority = tmp_path_factory.mktemp("certificate"), trustme.CA()
    made = authority.issue_cert("localhost", "127.0.0.1")
    files = {"ca-file": authority.cert_pem, "cert": made.cert_chain_pems[0], "key": made.private_key_pem}
    for name, blob in files.items():
        blob.write_to_path(folder / name)
    return {name: str(folder / name) for name in files}


@pytest.mark.long
def test_a_cluster_with_tls_is_one_like_any_other(certificate: dict[str, str], tmp_path: Path) -> None:
    tls = [word for name, file in certificate.items() for word in (f"--tls-{name}", file)]
    parts = {"cert": certificate["cert"], "key": certificate["key"]}
    settings = {"distributed.comm.tls.ca-file": certificate["ca-file"], "distributed.comm.tls.client": parts}
    with a_scheduler(tmp_path, "--protocol", "tls", *tls) as (address, scheduler), dask.config.set(settings):
        assert address.startswith("tls://")
        worker = a_worker(tmp_path, address, "--protocol", "tls", *tls)
        try:
            wait_for_workers(address, 1)
            assert set(listening(scheduler, worker)) <= LOOPBACK
            assert told(long_regex_check(None, cluster=address)) == told(long_regex_check(None))
        finally:
            end(worker)


@pytest.mark.parametrize(
    ("address", "closed"),
    [
        ("tcp://127.0.0.1:8786", True),
        ("127.0.0.1:8786", True),
        ("127.0.0.2", True),
        ("tcp://localhost:8786", True),
        ("tcp://[::1]:8786", True),
        ("tcp://[::ffff:127.0.0.1]:8786", True),
        ("tls://203.0.113.7:8786", True),
        ("tls://cluster.example:8786", True),
        ("tcp://203.0.113.7:8786", False),
        ("203.0.113.7", False),
        ("ws://203.0.113.7:8786", False),
        ("tcp://0.0.0.0:8786", False),
        ("tcp://[::]:8786", False),
        ("tcp://[2001:db8::1]:8786", False),
        ("tcp://[::ffff:203.0.113.7]:8786", False),
        ("tcp://2130706433:8786", True),  # other ways to write 127.0.0.1 and 203.0.113.7
        ("tcp://0xcb007107:8786", False),
    ],
)
def test_loopback_and_tls_are_closed_and_nothing_else_is(address: str, closed: bool) -> None:
    assert is_closed(address) == closed


@pytest.mark.parametrize(("second", "closed"), [("127.0.0.9", True), ("203.0.113.7", False)])
def test_a_name_is_closed_if_all_its_addresses_are(second: str, closed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def known(host: str, *rest: Any, **more: Any) -> list[Any]:
        assert host == "some.name"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, 0)) for number in ("127.0.0.1", second)]

    monkeypatch.setattr(socket, "getaddrinfo", known)
    assert is_closed("tcp://some.name:8786") == closed
