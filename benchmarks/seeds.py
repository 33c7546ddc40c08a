"""One predicate trained many times: how the effect of rounding depends on the seed and on the processor.

The commands of docs/train.md at full size, for several seeds, and for every instruction set that the processor has.
`make bench ONLY=seeds` writes the results to docs/_static/rounding.json and prints the table of the page.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

import weightsmith as ws

DATA = Path(__file__).parents[1] / "docs" / "_static" / "rounding.json"
SEEDS = range(5)
PREDICATE, UP_TO = "contains 11", 12
SETS = ("DEFAULT", "AVX2", "AVX512")  # instruction sets; DEFAULT is the common subset
LIMIT = 1800  # seconds for one command


def measure() -> Iterator[Table]:
    runs = [run(seed, setting) for setting in settings() for seed in SEEDS]
    found = {"predicate": PREDICATE, "up_to": UP_TO, "runs": runs}
    DATA.write_text(json.dumps(found, indent=1) + "\n")
    table = Table("arithmetic", "decisions changed", "∞ form", title=summary(found))
    for cells in rows(found):
        table.add_row(*cells)
    yield table


def settings() -> list[dict[str, str]]:
    """Return environment variables for each instruction set, and for MKL with the common subset."""
    from torch.backends.cpu import get_cpu_capability

    here = get_cpu_capability()
    sets = SETS[: SETS.index(here) + 1] if here in SETS else (here,)
    plain = [{"ATEN_CPU_CAPABILITY": name.lower()} if name in SETS else {} for name in sets]
    return [*plain, {**plain[-1], "MKL_CBWR": "COMPATIBLE"}]


def run(seed: int, setting: dict[str, str]) -> dict[str, Any]:
    """Train on the predicate and round the model; return the settings, the versions and the results."""
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "m.safetensors")
        learnt = command(setting, "train", "--predicate", PREDICATE, "--seed", str(seed), "-o", model)
        (how,) = ws.load(model).provenance
        rounded = command({}, "rounding", model, "--predicate", PREDICATE, "--up-to", str(UP_TO))
    print(f"seed {seed}, {setting}: {[row['changed'] for row in rounded]}", file=sys.stderr, flush=True)
    return {"seed": seed, "setting": setting, "how": how, "seconds": round(learnt["seconds"], 1), "rows": rounded}


def command(setting: dict[str, str], *arguments: str) -> Any:
    """Run a command that prints JSON."""
    line = [sys.executable, "-m", "weightsmith", *arguments, "--json"]
    environment = {**os.environ, **setting}
    done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT)
    return json.loads(done.stdout)


def summary(found: dict[str, Any]) -> str:
    """Return a description of the trainings, with the number of models that were right before rounding."""
    runs = found["runs"]
    seeds = sorted({one["seed"] for one in runs})
    kinds = dict.fromkeys(" ".join(f"{name}={value}" for name, value in one["setting"].items()) for one in runs)
    right = sum(one["rows"][0]["wrong"] is None for one in runs)
    return (
        f"{len(runs)} trainings, seeds {seeds[0]} to {seeds[-1]} with each of "
        f"{', '.join(f'`{kind}`' for kind in kinds)}; before rounding {right} of them are right on all "
        f"{runs[0]['rows'][0]['inputs']:,} strings"
    )


def rows(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield for every arithmetic the range of changed decisions, and whether the ∞ form agrees."""
    for n, first in enumerate(found["runs"][0]["rows"]):
        every = [one["rows"][n] for one in found["runs"]]
        assert {row["arithmetic"] for row in every} == {first["arithmetic"]}
        if n == 0:  # the model before rounding
            continue
        changed, forms = [row["changed"] for row in every], {row["infinity_form"] for row in every}
        zeros = changed.count(0)
        some = f"{min(changed):,} to {max(changed):,}" + (f"; 0 in {zeros} of {len(every)}" if zeros else "")
        same = "same decisions in every run" if forms == {"same"} else ", ".join(sorted(forms))
        yield first["arithmetic"], "0 in every run" if not any(changed) else some, same


def markdown(found: dict[str, Any]) -> str:
    """Return the table as the page shows it."""
    inputs = found["runs"][0]["rows"][0]["inputs"]
    lines = [f"| arithmetic | decisions changed, of {inputs:,} | ∞ form |", "|---|---:|---|"]
    return "\n".join(lines + [f"| `{name}` | {changed} | {form} |" for name, changed, form in rows(found)])
