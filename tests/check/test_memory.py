"""A check stays within its memory."""

import json
from typing import Any

import pytest

from tests.check.processes import output, script

MIB = 1 << 20
TEXT = """
import json
from pathlib import Path
given = json.loads(sys.argv[1])
mask, up_to, memory, lanes = given["mask"], given["up_to"], given["memory"], given["lanes"]
T = ws.random_transformer("ab", lanes=lanes, blocks=2, heads=2, neurons=2 * lanes, max_length=20, mask=mask)
S = ws.random_transformer("ab", lanes=lanes, blocks=2, heads=2, neurons=2 * lanes, max_length=20, mask=mask)
ws.check.same_logits(S, T, 2, workers=1)  # load everything
def kilobytes(name):
    return int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
Path("/proc/self/clear_refs").write_text("5")  # from here on VmHWM is a new peak
before = kilobytes("VmRSS")
inputs = ws.check.same_logits(S, T, up_to, memory=memory, workers=given["workers"]).inputs
print(json.dumps([inputs, kilobytes("VmHWM") - before]))
"""


def more_memory(**given: Any) -> tuple[int, int]:
    """Return the inputs of a check in a process of its own, and how many bytes its peak grew by."""
    code, out, err = output(script(TEXT, json.dumps(given)))
    assert (code, err) == (0, "")
    inputs, kilobytes = json.loads(out)
    return inputs, 1024 * kilobytes


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("memory", [8 * MIB, 64 * MIB])
@pytest.mark.one_in(4)
def test_all_inputs_up_to_length_18_fit_into_little_memory(workers: int, memory: int) -> None:
    inputs, grown = more_memory(mask="causal", up_to=18, memory=memory, workers=workers, lanes=8)
    assert inputs == 2**19 - 2
    assert grown < memory + 4 * MIB  # what threads and tables of digests take besides


def test_a_full_mask_stays_within_its_memory_too() -> None:
    inputs, grown = more_memory(mask="full", up_to=13, memory=8 * MIB, workers=1, lanes=32)
    assert inputs == 2**14 - 2
    assert grown < 12 * MIB
