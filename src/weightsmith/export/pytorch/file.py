"""A PyTorch module as a file without pickles: its weights as safetensors, or a whole program of `torch.export`."""

import json
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from safetensors.torch import save

from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError, named
from weightsmith.export.chains.card import names_of
from weightsmith.export.measure import Model, Outputs, Report, accepted, parts_of, report_on
from weightsmith.export.pytorch.module import TransformerModule
from weightsmith.semantics.evaluation import Ids
from weightsmith.storage import check_writable, refusals, write_whole

Kind: TypeAlias = Literal["weights", "program"]
KINDS: dict[str, Kind] = {".safetensors": "weights", ".pt2": "program"}
NAMES = "weightsmith.json"
EXAMPLE = (2, 3)  # inputs and positions that a program is traced with: 1 would be taken for fixed
LONGEST = 2048  # positions of a program whose transformer has tables of positions, and no longest input


def kind_of(path: Path, exact: bool) -> Kind:
    """Return the kind of file that the ending of a path stands for."""
    if path.suffix not in KINDS:
        raise ExportError(
            f"{named(str(path))}: write a name that ends with .pt2 for a program that torch.export.load opens, or with "
            ".safetensors for the weights alone"
        )
    kind = KINDS[path.suffix]
    if exact and kind == "program":
        raise ExportError(
            "an exact module folds over positions one by one, which a program for every length cannot: write a name "
            "that ends with .safetensors for its weights; in Python, export.to_torch(T, exact=True) is the module"
        )
    return kind


def write(
    model: Model,
    module: TransformerModule,
    path: Path,
    allow_differences: bool = False,
    allow_saturation: bool = False,
) -> Report:
    """Write a module to a file, and report how far it is from the original; the file names an allowed difference."""
    kind = kind_of(path, module.exact)
    T, _ = parts_of(model)
    with refusals("cannot write", path):
        check_writable(path)
    program = traced(module) if kind == "program" else None
    run = ModuleRun(module) if program is None else ProgramRun(program_bytes(T, program), module)
    found = report_on(model, run)
    said = accepted(found, model, allow_differences, allow_saturation).difference
    data = weights_bytes(model, module, said) if program is None else program_bytes(model, program, said)
    with refusals("cannot write", path):
        write_whole(path, data)
    return found


def weights_bytes(model: Model, module: torch.nn.Module, difference: str | None = None) -> bytes:
    """Return the state of a module as the bytes of a safetensors file; names and a readout are its metadata."""
    said = {"weightsmith": json.dumps(names_of(model, difference), ensure_ascii=False)}
    data: bytes = save({name: tensor.contiguous() for name, tensor in module.state_dict().items()}, said)
    return data


def traced(module: TransformerModule) -> torch.export.ExportedProgram:
    """Return a module as a program of `torch.export`, for any batch, and any length that the module takes."""
    most = longest(module)
    count, length = EXAMPLE[0], min(EXAMPLE[1], most or EXAMPLE[1])
    shapes = {0: torch.export.Dim("inputs")}
    if length > 1:
        shapes[1] = torch.export.Dim("positions", min=1, max=most)
    ids = torch.zeros(count, length, dtype=torch.int64)
    return torch.export.export(module.eval(), (ids,), dynamic_shapes=(shapes,))


def longest(module: TransformerModule) -> int | None:
    """Return the longest input of a module's program, after making its tables long enough; None for any length."""
    grown = module.grow(module.max_length or LONGEST)
    return LONGEST if grown and module.max_length is None else module.max_length


def program_bytes(model: Model, program: torch.export.ExportedProgram, difference: str | None = None) -> bytes:
    """Return a program as the bytes of a file.

    Names and a readout are a file in it, which `torch.export.load(path, extra_files={NAMES: ""})` fills in.
    """
    data = BytesIO()
    torch.export.save(program, data, extra_files={NAMES: json.dumps(names_of(model, difference), ensure_ascii=False)})
    return data.getvalue()


class ModuleRun:
    """A module of `to_torch`, on whatever device it is, for a report."""

    steps = True

    def __init__(self, module: TransformerModule) -> None:
        """Take the module."""
        self.module, self.rounds, self.saturates = module, module.exact, module.saturates
        self.target = "PyTorch, exact" if module.exact else "PyTorch"
        self.dtype = str(module.embedding.dtype).removeprefix("torch.")

    def in_dtype(self, dtype: str) -> "ModuleRun | None":
        """Return the module with its weights cast, or None where one is beyond the type."""
        other = deepcopy(self.module).to(getattr(torch, dtype))
        fits = all(bool(tensor.isfinite().all()) for tensor in other.state_dict().values())
        return ModuleRun(other) if fits else None

    def outputs(self, ids: Ids) -> Outputs:
        """Return the logits as `forward` gives them, and the stream."""
        with torch.inference_mode():
            given = torch.from_numpy(ids).to(self.module.embedding.device)
            logits, found = self.module(given), self.module.run(given)
        return Outputs(_array(logits), [_array(stage) for stage in found.stream])


class ProgramRun:
    """A written program, opened again from its bytes, for a report."""

    target = "PyTorch program"
    steps = True

    def __init__(self, data: bytes, module: TransformerModule) -> None:
        """Open the program; it was traced from the module."""
        run = ModuleRun(module)
        self.dtype, self.saturates, self.in_dtype = run.dtype, module.saturates, run.in_dtype
        self.longest = longest(module)
        self.program: Any = torch.export.load(BytesIO(data)).module()

    def outputs(self, ids: Ids) -> Outputs:
        """Return the logits."""
        with torch.inference_mode():
            return Outputs(_array(self.program(torch.from_numpy(np.asarray(ids)))))


def _array(tensor: torch.Tensor) -> Array:
    array: Array = tensor.to(torch.float64).cpu().numpy()
    return array
