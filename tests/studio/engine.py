"""Let the engine of the page, with Node or in a browser, run models from files beside what Python says of them."""

import json
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import weightsmith as ws
from tests.studio.node import run_node
from weightsmith.files import model_bytes
from weightsmith.model import value_text
from weightsmith.model.readout import NoValue

Values = npt.NDArray[np.float64]
PACKAGE = Path(ws.__file__).parent
STEPS = {
    "files/container": "container",
    "storage": "json",
    "files/codec": "structure",
    "arithmetic/": "arithmetic",
    "model/": "model",
}


class Cases:
    """Models with inputs, in a folder, and what Python says of them."""

    def __init__(self, folder: Path, tolerance: float = 0.0, script: Callable[[str, Path], str] = run_node) -> None:
        """Begin with none; `script` runs a script of this folder, with Node or in a browser."""
        self.folder, self.tolerance, self.script = folder, tolerance, script
        self.cases: list[dict[str, Any]] = []
        self.numbers: list[Values] = []
        self.count = self.runs = self.refused = 0

    def add_model(self, T: ws.Transformer, inputs: Iterable[Sequence[str]], sums: Any = None) -> None:
        """Save a model, run it on some inputs, and keep every value."""
        file = f"{len(self.cases)}.safetensors"
        (self.folder / file).write_bytes(model_bytes(T))
        self.cases.append({"file": file, "inputs": [self._input(T, list(tokens), sums) for tokens in inputs]})

    def add_changed(self, run: ws.Run, changes: Any, plain: Any) -> None:
        """Save the model of a run that was changed on its way, with the two ways to tell the page of it."""
        file = f"{len(self.cases)}.safetensors"
        (self.folder / file).write_bytes(model_bytes(run.transformer))
        told = {**self._values(run), "changes": changes, "plain": plain}
        self.cases.append({"file": file, "inputs": [told]})

    def add_file(self, data: bytes) -> str | None:
        """Keep a file that need not hold a model; return the code of Python's refusal, None where it loads."""
        file = f"{len(self.cases)}.safetensors"
        (self.folder / file).write_bytes(data)
        self.cases.append({"file": file})
        try:
            ws.load(self.folder / file)
        except ws.FileError as refusal:
            return _code(refusal)
        return None

    def _input(self, T: ws.Transformer, tokens: list[str], sums: Any) -> dict[str, Any]:
        try:
            run = ws.run(T, tokens, sums=sums)
        except ws.WeightsmithError as error:
            self.refused += 1
            return {"tokens": tokens, "refused": str(error)}
        return self._values(run)

    def _values(self, run: ws.Run) -> dict[str, Any]:
        """Keep every value of a run; return what else the script compares."""
        found = np.concatenate([np.asarray(part, np.float64).reshape(-1) for part in _parts(run)])
        self.numbers.append(found)
        self.count, self.runs = self.count + found.size, self.runs + 1
        about = {"tokens": list(run.tokens), "refused": None, "decision": _decision(run), **_outputs(run)}
        return {**about, "offset": self.count - found.size, "count": found.size}

    def run(self) -> dict[str, Any]:
        """Run all of it; return the script's report."""
        (self.folder / "cases.json").write_text(json.dumps({"cases": self.cases, "tolerance": self.tolerance}))
        (self.folder / "values.bin").write_bytes(np.concatenate([np.zeros(0), *self.numbers]).astype("<f8").tobytes())
        report: dict[str, Any] = json.loads(self.script("run_engine.mjs", self.folder))
        return report

    def assert_equal(self) -> None:
        """See that the engine found every value, and refused with the same words."""
        report = self.run()
        assert not report["differences"], f"{len(report['differences'])} runs differ: {report['differences'][:5]}"
        assert report["values"] == self.count


def _code(refusal: ws.FileError) -> str:
    """Return the step of reading at which a file was refused, as the page calls it: from where the error was raised."""
    raised = refusal.__context__
    assert raised is not None
    frames = [Path(frame.filename) for frame in traceback.extract_tb(raised.__traceback__)]
    modules = [path.relative_to(PACKAGE).as_posix() for path in reversed(frames) if path.is_relative_to(PACKAGE)]
    return next(code for module in modules for begin, code in STEPS.items() if module.startswith(begin))


def _decision(run: ws.Run) -> str:
    """Give the decision as the page shows it: a question mark for a code that stands for nothing."""
    if run.transformer.readout is None:
        return str(run.decision)
    return value_text(run.decision) if run.answer_ids[-1] >= 0 else "?"


def _outputs(run: ws.Run) -> dict[str, Any]:
    """Give the outputs, or what is said where there are none."""
    try:
        found, readout = list(run.outputs), run.transformer.readout
        for position, output in enumerate(found):
            if isinstance(output, NoValue):  # in a changed run; the engine refuses all of its outputs
                assert readout is not None
                assert run.codes is not None
                readout.refuse(position, run.codes[position])
        return {"outputs": found, "no_outputs": None}
    except ws.WeightsmithError as error:
        return {"outputs": None, "no_outputs": str(error)}


def _parts(run: ws.Run) -> list[Any]:
    """Give every value of a run in the order in which the script takes them."""
    parts: list[Any] = list(run.stream)
    for heads, activations in zip(run.heads, run.activations, strict=True):
        for head in heads:
            parts += [head.scores, head.weights, head.values, head.mixed, head.output, head.empty]
        parts.append(activations)
    return [*parts, run.logits]
