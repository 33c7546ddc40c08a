"""To load a model file takes at most 4 times its size in memory, and a little, whatever is in it."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.check.processes import output, start
from tests.files.large import CASES, write_large

MIB = 1 << 20
LITTLE = 32 * MIB
HONEST = {"float64", "float32", "fixed(4,4)", "float(4,3)", "bfloat16", "tied", "flags", "heads", "texts", "spaces"}
# Loads one file after another, each in a process of its own, which has loaded everything else before.
PROGRAM = """
import json, os, re, sys, warnings
from pathlib import Path
import weightsmith as ws
from weightsmith import files
warnings.simplefilter("error")
ws.save(ws.random_transformer(), sys.argv[1])
ws.load(sys.argv[1])
def kilobytes(name):
    return int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
def measured(path):
    Path("/proc/self/clear_refs").write_text("5")  # from here on VmHWM is a new peak
    before, said = kilobytes("VmRSS"), "loaded"
    try:
        T = ws.load(path)
    except ws.FileError as error:
        said = str(error)
    return 1024 * (kilobytes("VmHWM") - before), said
for path in sys.stdin:
    if os.fork() == 0:
        print(json.dumps(measured(path.strip())), flush=True)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.wait()[1]) != 0:
        print(json.dumps([0, "it died"]), flush=True)
"""


@pytest.mark.long
@pytest.mark.parametrize("size", [16 * MIB, 256 * MIB])
def test_loading_takes_at_most_four_times_the_size_of_a_file(size: int, tmp_path: Path) -> None:
    loader = start("-c", PROGRAM, tmp_path / "usual", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert loader.stdin is not None
    assert loader.stdout is not None
    path, loaded = tmp_path / "large", set[str]()
    for case in CASES:
        write_large(path, case, size)
        loader.stdin.write(f"{path}\n")
        loader.stdin.flush()
        grown, said = json.loads(loader.stdout.readline())
        assert grown <= 4 * path.stat().st_size + LITTLE, (case, grown / path.stat().st_size, said)
        assert said == "loaded" or (said.startswith(f"cannot read '{path}': ") and len(said) < 600), (case, said)
        loaded |= {case} if said == "loaded" else set()
    assert output(loader)[0] == 0
    assert loaded >= HONEST, HONEST - loaded
