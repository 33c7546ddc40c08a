"""Safetensors files: read with suspicion, written atomically.

The safetensors library reads and writes the bytes. What it does not refuse (huge or odd shapes, duplicate keys) is
refused here, from the header alone, before anything is allocated.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import safetensors
import safetensors.numpy

from weightsmith.errors import FileError
from weightsmith.storage import opened, parse_json, write_whole

MAX_HEADER = 32 << 20  # bytes
MAX_TENSORS = 1 << 16
MAX_DIMENSION = 1 << 24
MAX_PARAMETERS = 1 << 30
MAX_EMPTY = 1 << 16
METADATA_KEY = "weightsmith"
DTYPES = {"F32": 4, "F64": 8}


def write_container(path: Path, tensors: dict[str, npt.NDArray[Any]], metadata: str) -> None:
    """Write tensors and one metadata text."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    data = safetensors.numpy.save(contiguous, metadata={METADATA_KEY: metadata})
    length = int.from_bytes(data[:8], "little")
    _check_sizes(len(data), length)
    _check_header(data[8 : 8 + length], len(data) - 8 - length)  # what could not be read back is not written
    write_whole(path, data)


def read_container(path: Path) -> tuple[dict[str, npt.NDArray[Any]], str]:
    """Read the tensors and the metadata text; refuse whatever is not exactly as `write_container` makes it."""
    with opened(path) as (file, size):
        length = int.from_bytes(file.read(8), "little")
        _check_sizes(size, length)
        header = file.read(length)
        metadata = _check_header(header, size - 8 - length)
        body = file.read(size - 8 - length)
    try:
        return safetensors.numpy.load(length.to_bytes(8, "little") + header + body), metadata
    except safetensors.SafetensorError as error:
        raise FileError(f"safetensors cannot read it: {error}") from None


def _check_sizes(size: int, header: int) -> None:
    most = 8 + MAX_HEADER + 8 * MAX_PARAMETERS
    if not 8 <= size <= most:
        raise FileError(f"it has {size:,} bytes, and a model has between 8 and {most:,}")
    if header > size - 8:
        raise FileError(f"its header claims {header:,} bytes: it is not a safetensors file, or it is cut off")
    if header > MAX_HEADER:
        raise FileError(f"its header has {header:,} bytes, and at most {MAX_HEADER:,} are allowed: shorten the names")


def _check_header(header: bytes, body_size: int) -> str:
    entries = parse_json(header, "its header", 8 + len(header) + body_size)
    metadata = entries.pop("__metadata__", None)
    if (
        not isinstance(metadata, dict)
        or list(metadata) != [METADATA_KEY]
        or not isinstance(metadata[METADATA_KEY], str)
    ):
        raise FileError(
            f"it is a safetensors file without the metadata key {METADATA_KEY!r}: Weightsmith did not write it"
        )
    if len(entries) > MAX_TENSORS:
        raise FileError(f"it has {len(entries):,} tensors, and at most {MAX_TENSORS:,} are allowed")
    total = sum(_check_entry(name, entry, body_size) for name, entry in entries.items())
    if total > MAX_PARAMETERS:
        raise FileError(f"it claims {total:,} parameters, and at most {MAX_PARAMETERS:,} are allowed")
    text: str = metadata[METADATA_KEY]
    return text


def _check_entry(name: str, entry: Any, body_size: int) -> int:
    """Check one tensor's entry in the header, and give its number of parameters."""
    what = f"tensor {name!r:.200}"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise FileError(f"{what} must have dtype, shape and data_offsets, and has {entry!r:.200}")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise FileError(f"{what} has dtype {dtype!r:.80}: only {' and '.join(DTYPES)} are read")
    if not _are_sizes(shape, MAX_DIMENSION) or len(shape) not in (1, 2):
        raise FileError(f"{what} has shape {shape!r:.200}: one or two axes of at most {MAX_DIMENSION:,} are read")
    if not _are_sizes(offsets, body_size) or len(offsets) != 2:
        raise FileError(f"{what} has data_offsets {offsets!r:.200}, and the file has {body_size:,} bytes of data")
    size = math.prod(shape)
    if size == 0 and max(shape) > MAX_EMPTY:
        raise FileError(f"{what} has shape {shape}: an array without numbers has no axis above {MAX_EMPTY:,}")
    if offsets[1] - offsets[0] != size * DTYPES[dtype]:
        raise FileError(f"{what} of shape {shape} needs {size * DTYPES[dtype]:,} bytes, its data_offsets are {offsets}")
    return size


def _are_sizes(values: Any, most: int) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value <= most for value in values)
