"""A training that is killed at random moments ends with the same bits as one that never was, and leaves no litter."""

import json
import signal
from pathlib import Path
from random import Random

import pytest

from tests.check.processes import environment
from tests.command_line import end_of, start_command
from tests.train.gated import new_folder, result

COMMAND = (
    "train", "text.txt", "--context", "8", "--dropout", "0.3", "--lanes", "8", "--blocks", "1", "--heads", "2",
    "--batch", "4", "--warmup", "5", "--steps", "24", "--evaluate-every", "7", "--checkpoint-every", "3", "--seed", "3",
    "--threads", "1", "-o", "m.safetensors",
)  # fmt: skip
# Before the command: it kills itself when it has called so many functions, or says at its end how many it called, and
# when it was writing files. So the moments do not depend on how fast a machine is.
COUNTING = """
import json, os, signal, sys
calls, writes, moment, end = 0, [], {moment}, os._exit
def counted(frame, event, argument):
    global calls
    calls += 1
    if event == "c_call" and argument is os.fsync:
        writes.append(calls)
    if calls == moment:
        os.kill(os.getpid(), signal.SIGKILL)
def told(code):
    sys.setprofile(None)
    open({told!r}, "w").write(json.dumps([calls, writes]))
    end(code)
os._exit = told
sys.setprofile(counted)
"""


def trained(folder: Path, told: Path, moment: int = 0) -> int:
    """Run the command; return how it ended."""
    files = ("/dev/null", told.with_suffix(".out"), told.with_suffix(".err"))
    before = COUNTING.format(moment=moment, told=str(told))
    return end_of(start_command(*COMMAND, folder=folder, environment=environment(), files=files, before=before))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, list[int]]:
    """Return the folder of a training that was not killed, how many functions it called, and when it wrote files."""
    folder = new_folder(tmp_path_factory.mktemp("whole") / "folder")
    told = folder.parent / "told"
    assert trained(folder, told) == 0
    calls, writes = json.loads(told.read_text())
    assert len(writes) == 8 + 5 + 2  # checkpoints, logs, the model and its picture
    return folder, calls, writes


@pytest.mark.parametrize(("folders", "kills"), [(1, 2), pytest.param(10, 5, marks=pytest.mark.long)])
def test_a_training_killed_at_random_moments_ends_with_the_same_bits(
    folders: int, kills: int, whole: tuple[Path, int, list[int]], tmp_path: Path
) -> None:
    told, random, killed = tmp_path / "told", Random(folders), 0
    for n in range(folders):
        folder = new_folder(tmp_path / f"killed {n}")
        for _ in range(kills):  # the later ones come when the training has gone on
            moments = (random.randrange(1, whole[1] + 1), random.choice(whole[2]) + random.randrange(-9, 4))
            code = trained(folder, told, random.choice(moments))
            assert code in (0, -signal.SIGKILL), told.with_suffix(".err").read_text()
            killed += code != 0
        assert trained(folder, told) == 0
        assert result(folder) == result(whole[0])
    assert killed > folders


@pytest.mark.parametrize("share", [0.001, 0.999])
@pytest.mark.one_in(2)
def test_nothing_is_left_of_a_training_killed_at_its_beginning_or_its_end(
    share: float, whole: tuple[Path, int, list[int]], tmp_path: Path
) -> None:
    told, folder = tmp_path / "told", new_folder(tmp_path / "killed")
    assert trained(folder, told, int(share * whole[1])) == -signal.SIGKILL
    assert trained(folder, told) == 0
    assert result(folder) == result(whole[0])
