"""Safetensors files: read with suspicion.

The safetensors library writes the bytes. They are read here: it would copy all of them, and does not refuse huge or odd
shapes and duplicate keys. Whatever is wrong is refused from the header alone, before anything is allocated.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np
import safetensors.numpy

from weightsmith.arithmetic import Weights
from weightsmith.arithmetic.immutable import Held, room, unchecked
from weightsmith.errors import FileError, brief
from weightsmith.storage import check_parts, opened, parse_json

MAX_HEADER = 32 << 20  # bytes
MAX_TENSORS = 1 << 16
MAX_DIMENSION = 1 << 24
MAX_PARAMETERS = 1 << 30
MAX_EMPTY = 1 << 16
METADATA_KEY = "weightsmith"
DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}
Tensors: TypeAlias = dict[str, Weights]


def container_bytes(tensors: Tensors, metadata: str) -> bytes:
    """Return the bytes of a file with tensors and one metadata text; refuse sizes that are not read back."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    data: bytes = safetensors.numpy.save(contiguous, metadata={METADATA_KEY: metadata})
    length = int.from_bytes(data[:8], "little")
    _check_sizes(len(data), length)
    _check_header(data[8 : 8 + length], len(data) - 8 - length)
    check_parts(metadata, len(data))
    return data


def read_container(path: Path) -> tuple[Tensors, str]:
    """Read the tensors and the metadata text; refuse whatever is not exactly as `container_bytes` makes it."""
    with opened(path) as (file, size):
        return read_tensors(file, size)


def read_tensors(file: BinaryIO, size: int) -> tuple[Tensors, str]:
    """Do what `read_container` does, from a file of a known size that is open."""
    length = int.from_bytes(file.read(8), "little")
    _check_sizes(size, length)
    spans, metadata = _check_header(file.read(length), size - 8 - length)
    before = 8 + length
    data = _body(file, size - before)
    return {
        name: unchecked(data, span.begin - before, span.shape, DTYPES[span.dtype]) for name, span in spans.items()
    }, metadata


class Span(NamedTuple):
    """Where a tensor is in a file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class Accepted(NamedTuple):
    """Which tensors a reader takes."""

    dtypes: Mapping[str, int]  # with the bytes of a number
    axes: tuple[int, int]  # how many at least, and at most
    parameters: int | None  # numbers of all tensors; None: as many as the file holds


def _body(file: BinaryIO, size: int) -> Held:
    """Read `size` bytes of a file from its current position."""
    data = room(size)
    if size and file.readinto(data) != size:  # type: ignore[attr-defined]
        raise FileError("it is cut off: it has become shorter while it was read")
    return data


def tensor_spans(entries: dict[str, Any], begin: int, body_size: int, accepted: Accepted) -> dict[str, Span]:
    """Return the spans of a header's tensors in the order of their bytes, which begin at the offset `begin`.

    They must fill the file, and none may overlap another.
    """
    if len(entries) > MAX_TENSORS:
        raise FileError(f"it has {len(entries):,} tensors, and at most {MAX_TENSORS:,} are allowed")
    spans = [(name, _check_entry(name, entry, body_size, begin, accepted)) for name, entry in entries.items()]
    total = sum(math.prod(span.shape) for _, span in spans)
    if accepted.parameters is not None and total > accepted.parameters:
        raise FileError(f"it claims {total:,} parameters, and at most {accepted.parameters:,} are allowed")
    spans.sort(key=lambda named: (named[1].begin, named[1].end))
    offset = begin
    for name, span in spans:
        if span.begin != offset:
            raise FileError(
                f"tensor {brief(name)} does not begin where the one before it ends: they must fill the file"
            )
        offset = span.end
    if offset != begin + body_size:
        raise FileError(f"its tensors end at byte {offset:,}, and it has {begin + body_size:,}")
    return dict(spans)


def check_header_size(size: int, header: int) -> None:
    """Refuse a header that is larger than the file, or than MAX_HEADER."""
    if header > size - 8:
        raise FileError(f"its header claims {header:,} bytes: it is not a safetensors file, or it is cut off")
    if header > MAX_HEADER:
        raise FileError(f"its header has {header:,} bytes, and at most {MAX_HEADER:,} are allowed: shorten the names")


def _check_sizes(size: int, header: int) -> None:
    most = 8 + MAX_HEADER + 8 * MAX_PARAMETERS
    if not 8 <= size <= most:
        raise FileError(f"it has {size:,} bytes, and a model has between 8 and {most:,}")
    check_header_size(size, header)


def _check_header(header: bytes, body_size: int) -> tuple[dict[str, Span], str]:
    """Check the header; return where the tensors are, in the order of their bytes, and the metadata text."""
    entries = parse_json(header, "its header", 8 + len(header) + body_size)
    metadata = entries.pop("__metadata__", None)
    if (
        not isinstance(metadata, dict)
        or list(metadata) != [METADATA_KEY]
        or not isinstance(metadata[METADATA_KEY], str)
    ):
        raise FileError(
            f"it is a safetensors file without the metadata key {brief(METADATA_KEY)}: Weightsmith did not write it"
        )
    own = Accepted({name: dtype.itemsize for name, dtype in DTYPES.items()}, (1, 2), MAX_PARAMETERS)
    return tensor_spans(entries, 8 + len(header), body_size, own), metadata[METADATA_KEY]


def _check_entry(name: str, entry: Any, body_size: int, begin: int, accepted: Accepted) -> Span:
    """Check one tensor's entry in the header; return where it is, with the data beginning at an offset."""
    what = f"tensor {brief(name)}"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise FileError(f"{what} must have dtype, shape and data_offsets, and has {brief(entry)}")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in accepted.dtypes:
        raise FileError(f"{what} has dtype {brief(dtype)}: only {_named(accepted.dtypes)} are read")
    if not _are_sizes(shape, MAX_DIMENSION) or not accepted.axes[0] <= len(shape) <= accepted.axes[1]:
        many = "one or two" if accepted.axes == (1, 2) else "{} to {}".format(*accepted.axes)
        raise FileError(f"{what} has shape {brief(shape)}: {many} axes of at most {MAX_DIMENSION:,} are read")
    if not _are_sizes(offsets, body_size) or len(offsets) != 2:
        raise FileError(f"{what} has data_offsets {brief(offsets)}, and the file has {body_size:,} bytes of data")
    size, item = math.prod(shape), accepted.dtypes[dtype]
    if size == 0 and max(shape) > MAX_EMPTY:
        raise FileError(f"{what} has shape {shape}: an array without numbers has no axis above {MAX_EMPTY:,}")
    if offsets[1] - offsets[0] != size * item:
        raise FileError(f"{what} of shape {shape} needs {size * item:,} bytes, its data_offsets are {offsets}")
    return Span(dtype, tuple(shape), begin + offsets[0], begin + offsets[1])


def _named(dtypes: Iterable[str]) -> str:
    first, *others, last = dtypes
    return f"{', '.join([first, *others])} and {last}"


def _are_sizes(values: Any, most: int) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value <= most for value in values)
