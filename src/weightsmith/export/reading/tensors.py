"""The tensors of a checkpoint: found and checked by the headers of its files, looked at one by one when needed."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Native, Weights
from weightsmith.arithmetic.immutable import Held, NotFiniteError, examined, held, held_copy, mapped, unchecked
from weightsmith.errors import FileError, WeightsmithError, brief, cut, listed, reason
from weightsmith.files.container import Accepted, Span, check_header_size, tensor_spans
from weightsmith.storage import opened, parse_json, read_bytes

SINGLE, INDEX, PICKLED = "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin"
FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}  # numpy has no bfloat16
OTHERS = {"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "U16": 2, "I32": 4, "U32": 4, "I64": 8, "U64": 8}  # of masks
ACCEPTED = Accepted({**{name: int(code[-1]) for name, code in FLOATS.items()}, **OTHERS}, (0, 8), None)
MAPPED_FROM = 32 << 20  # bytes of a file whose weights are not copied
KEPT = 2  # tensors that were asked for last
Progress: TypeAlias = Callable[[int, int], None]


@contextmanager
def within(name: str) -> Iterator[None]:
    """Say in which file of a directory something is wrong."""
    try:
        yield
    except WeightsmithError as error:
        raise FileError(f"{name}: {error}") from None
    except OSError as error:
        raise FileError(f"{name}: {cut(reason(error))}") from None


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor that is there, with the shape that it must have; its numbers are looked at when they are asked for."""

    name: str
    span: Span
    file: Held
    owner: "Tensors"
    view: Callable[[Weights], Weights] | None = None  # the part of it that is used

    def seen(self, view: Callable[[Weights], Weights]) -> "Tensor":
        """Return a part of it, or its axes in another order."""
        return replace(self, view=view)

    def read(self, A: Native) -> Weights:
        """Return its numbers as members of an arithmetic, in its type; see `Tensors.numbers`."""
        numbers = self.owner.numbers(self, A)
        return numbers if self.view is None else self.view(numbers)


class Tensors:
    """The tensors of a checkpoint in a directory, by their names, and which of them have been asked for."""

    def __init__(self, directory: Path, progress: Progress | None = None) -> None:
        """Map all files into memory and read their headers."""
        self.found: dict[str, tuple[Span, Held]] = {}
        self.used: set[str] = set()
        self.last: dict[str, Weights] = {}  # parts of a matrix and its bias are asked for in turn
        self.progress, self.done = progress, 0
        for name, wanted in _files(directory).items():
            self._open(directory / name, wanted)

    def _open(self, path: Path, wanted: set[str] | None) -> None:
        with within(path.name), opened(path) as (opened_file, size):
            spans = _spans(opened_file, size)
            file = mapped(opened_file)
            if wanted is not None and wanted != spans.keys():
                odd = min(wanted ^ spans.keys())
                where = "is not in it" if odd in wanted else "is in it as well"
                raise FileError(f"{INDEX} says otherwise about the tensor {brief(odd)}, which {where}")
            self.found |= {name: (span, file) for name, span in spans.items()}

    def __contains__(self, name: str) -> bool:
        """Return whether there is such a tensor."""
        return name in self.found

    def get(self, name: str, *shape: int) -> Tensor:
        """Return a tensor; refuse one that is missing, has another shape, or does not hold real numbers."""
        if name not in self.found:
            raise FileError(f"the tensor {brief(name)} is missing, which config.json asks for")
        span, file = self.found[name]
        if span.shape != shape:
            raise FileError(f"the tensor {brief(name)} has shape {span.shape}, and config.json makes it {shape}")
        if span.dtype not in FLOATS:
            raise FileError(f"the tensor {brief(name)} has dtype {span.dtype}: only {listed(list(FLOATS))} are read")
        self.used.add(name)
        return Tensor(name, span, file, self)

    def check_all_used(self, ignored: str) -> None:
        """Refuse tensors that were not read, except masks and other derived tensors, whose names match."""
        superfluous = [name for name in self.found if name not in self.used and not re.fullmatch(ignored, name)]
        if superfluous:
            raise FileError(f"it has tensors that such a model does not have: {listed(sorted(superfluous))}")

    def dtypes(self) -> set[str]:
        """Return the types of the tensors that were asked for."""
        return {self.found[name][0].dtype for name in self.used}

    def numbers(self, tensor: Tensor, A: Native) -> Weights:
        """Return the numbers of a tensor in the type of an arithmetic; refuse those that are not finite.

        Numbers of that type in a large file stay there. Others are copied: half precision is widened, which is exact,
        and what has more digits than the arithmetic is rounded.
        """
        if tensor.name not in self.last:
            self.last = dict(list(self.last.items())[1 - KEPT :])  # so that there are never many copies
            try:
                self.last[tensor.name] = _held(tensor, A)
            except NotFiniteError as error:
                name = brief(tensor.name)
                raise FileError(f"the tensor {name} is {error.value} at {error.place}: no number") from None
            self._report(tensor.span)
        return self.last[tensor.name]

    def _report(self, span: Span) -> None:
        if self.progress is not None:
            self.done += span.end - span.begin
            spans = [self.found[name][0] for name in self.used]
            self.progress(self.done, sum(span.end - span.begin for span in spans))


def _held(tensor: Tensor, A: Native) -> Weights:
    span, dtype = tensor.span, np.dtype(FLOATS[tensor.span.dtype])
    given = unchecked(tensor.file, span.begin, span.shape, dtype)
    if dtype == A.stored and len(tensor.file) >= MAPPED_FROM:
        return held(given)
    numbers = _widened(given)
    examined(numbers)
    return held_copy(numbers if A.has_all(numbers.dtype) else A.round(numbers), A.stored)


def _widened(numbers: npt.NDArray[Any]) -> Weights:
    """Return half-precision numbers as float32. bfloat16 is the upper half of it."""
    if numbers.dtype == np.uint16:
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers.astype(np.float32) if numbers.dtype == np.float16 else numbers


def _spans(file: BinaryIO, size: int) -> dict[str, Span]:
    length = int.from_bytes(file.read(8), "little")
    check_header_size(size, length)
    entries = parse_json(file.read(length), "its header", size)
    entries.pop("__metadata__", None)
    return tensor_spans(entries, 8 + length, size - 8 - length, ACCEPTED)


def _files(directory: Path) -> dict[str, set[str] | None]:
    """Return the files with weights, each with the tensors that an index says it has; None without an index."""
    if (directory / SINGLE).exists():
        return {SINGLE: None}
    if (directory / INDEX).exists():
        with within(INDEX):
            return dict(_by_shard(parse_json(read_bytes(directory / INDEX), "it").get("weight_map")))
    if any(directory.glob("pytorch_model*.bin")):
        raise FileError(
            f"it has only pickled weights, {PICKLED}, which can run anything when they are read. Convert them where "
            "you trust them: transformers.AutoModelForCausalLM.from_pretrained(directory).save_pretrained(directory)"
        )
    raise FileError(f"it has no weights: {SINGLE}, or {INDEX} with the files that it names")


def _by_shard(index: Any) -> Iterable[tuple[str, set[str]]]:
    if not isinstance(index, dict) or not index:
        raise FileError(f"its weight_map is {brief(index)}: it must say of each tensor in which file it is")
    shards: dict[str, set[str]] = {}
    for tensor, shard in index.items():
        if not isinstance(shard, str) or not re.fullmatch(r"[\w-]+(\.[\w-]+)*\.safetensors", shard, re.ASCII):
            raise FileError(
                f"it has the tensor {brief(tensor)} in the file {brief(shard)}: write the plain name of a .safetensors "
                "file beside it"
            )
        shards.setdefault(shard, set()).add(tensor)
    return shards.items()
