"""A process that is killed at any moment of a save leaves the old file or the new one, and no litter for long."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.check.processes import output, start

# Saves again and again, each time in a process of its own that kills itself at some moment: when it has called so many
# functions. Then the next save, which is not killed, must give the same bytes and leave nothing else. Most calls
# prepare the bytes, so half of the moments are among the last ones, when they are written.
PROGRAM = """
import json, os, random, signal, sys
from pathlib import Path
import weightsmith as ws
from weightsmith import files
path, moments = Path(sys.argv[1]), int(sys.argv[2])
old, new = ws.library.contains("1"), ws.random_transformer(lanes=8, seed=int(sys.argv[3]))
calls = 0
def counted(frame, event, argument):
    global calls
    calls += 1
    if calls == moment:
        os.kill(os.getpid(), signal.SIGKILL)
def saved(T):
    ws.save(T, path)
    return path.read_bytes()
old_bytes, new_bytes = saved(old), saved(new)
moment = 0
sys.setprofile(counted)
ws.save(new, path)
sys.setprofile(None)
total, draw, seen = calls, random.Random(int(sys.argv[3])), []
for _ in range(moments):
    saved(old)
    calls, moment = 0, draw.choice([draw.randrange(1, total), total - draw.randrange(-9, 70)])
    child = os.fork()
    if child == 0:
        sys.setprofile(counted)
        ws.save(new, path)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), code
    found = path.read_bytes()
    assert found in (old_bytes, new_bytes)
    left = len(os.listdir(path.parent)) - 1
    assert left in (0, 1) and (code or (found == new_bytes and not left))
    assert saved(new) == new_bytes
    assert os.listdir(path.parent) == [path.name]
    seen.append([code == 0, found == new_bytes, left])
print(json.dumps(seen))
"""


@pytest.mark.parametrize("moments", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_a_save_that_is_killed_leaves_a_whole_file_and_the_next_one_no_litter(moments: int, tmp_path: Path) -> None:
    code, out, err = output(
        start("-c", PROGRAM, tmp_path / "model", moments, 3, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    )
    assert (code, err) == (0, "")
    seen = [tuple(each) for each in json.loads(out)]
    assert len(seen) == moments
    assert {(False, False, 0), (False, False, 1)} <= set(seen)  # killed before there was anything, and in the middle
