"""ONNX files: a transformer is written as one, checked, and run in onnxruntime beside the original."""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from weightsmith.arithmetic import Native, Saturating
from weightsmith.errors import ExportError, brief, whole_number
from weightsmith.export.agreement import Agreement, Outputs, measure, required
from weightsmith.export.onnx_graph import Dtype
from weightsmith.export.onnx_model import Exporter
from weightsmith.model import Transformer
from weightsmith.model.places import checked
from weightsmith.semantics.evaluation import Ids
from weightsmith.storage import PART, check_writable, refusals, write_whole

DTYPES = ("float32", "float64")
LARGEST_FILE = 2**31 - 2**24  # bytes; a larger model has its weights in a file beside it, for protobuf ends at 2 GB
LARGE = 1_000_000  # weights from which on several threads are worth their trouble
ALIGNED = 4096  # bytes to which weights in a file of their own are aligned, so that it can be mapped
MAX_TABLE = 1 << 20  # rows of a table by position


def to_onnx(
    T: Transformer,
    path: str | os.PathLike[str],
    trace: bool = False,
    dtype: Dtype | None = None,
    *,
    max_length: int | None = None,
    saturate: bool = True,
    allow_differences: bool = False,
) -> Agreement:
    """Write a transformer as an ONNX file, and report how far it is from the original when onnxruntime runs it.

    The input is "tokens" (batch, positions), places in the vocabulary as int64; the output is "logits" (batch,
    positions, classes). Any batch and length will do, up to the longest input of the model; rotary positions and ALiBi
    without such an end have tables for `max_length` positions, 2,048 unless given, and a longer input is refused by
    onnxruntime. The dtype is float32, or float64 for a model in `Native("float64")`.

    In a finite arithmetic the graph saturates where the model does, at ±∞ of the arithmetic after each operation, for
    many models rely on that; it does not round, and a sum saturates at its end only. `saturate=False` leaves that out.

    With `trace` every value of the run is an output as well:
    - "embedding.stream", "blocks.0.attention.stream", "blocks.0.feed_forward.stream", …: (batch, positions, lanes),
      also where the sublayer is absent;
    - "blocks.0.attention.weights": (batch, heads, positions, positions), where there are heads;
    - "blocks.0.feed_forward.neurons": (batch, positions, neurons), where there are neurons.

    A model above 2 GB has its weights in a second file beside the first, whose name begins with that of the first. A
    model that decides otherwise is not written, unless with `allow_differences`.
    """
    checked(T)
    kind = _dtype(T, dtype)
    if max_length is not None:
        whole_number(max_length, "max_length", 1, MAX_TABLE)
    for name, value in (("trace", trace), ("saturate", saturate), ("allow_differences", allow_differences)):
        if type(value) is not bool:
            raise ExportError(f"{name}={brief(value)}: write True or False")
    with refusals("cannot write", path):
        target = Path(path)
        check_writable(target)
    exporter = Exporter(T, kind, trace, max_length, _limit(T, kind) if saturate else None)
    large = sum(array.nbytes for array in exporter.graph.constants.values()) > LARGEST_FILE
    with _in_two_files(exporter, target) if large else _in_one_file(exporter, target) as (model, put_in_place):
        report = required(measure(T, OnnxRun(T, model, kind, trace)), allow_differences)
        with refusals("cannot write", path):
            put_in_place()
    return report


def _dtype(T: Transformer, dtype: Any) -> Dtype:
    if dtype is None:
        return "float64" if T.arithmetic == Native("float64") else "float32"
    if dtype not in DTYPES:
        raise ExportError(f"dtype={brief(dtype)}: onnxruntime runs all operators in 'float32' and 'float64' only")
    return cast(Dtype, dtype)


def _limit(T: Transformer, dtype: Dtype) -> float | None:
    """Return ∞, at which the graph saturates; None where the arithmetic does not, or where the dtype does not hold it."""
    A = T.arithmetic
    return A.infinity if isinstance(A, Saturating) and A.infinity <= np.finfo(dtype).max else None


class OnnxRun:
    """An ONNX file as it is measured: run in onnxruntime."""

    target = "ONNX"

    def __init__(self, T: Transformer, model: bytes | str, dtype: Dtype, trace: bool) -> None:
        """Open the bytes of a file, or a file by its path; `trace` says whether the stream is among its outputs."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 0 if T.weights >= LARGE else 1
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.dtype: str = dtype
        sublayers = [f"blocks.{b}.{part}" for b in range(len(T.blocks)) for part in ("attention", "feed_forward")]
        self.stages = [f"{part}.stream" for part in ("embedding", *sublayers)] if trace else []

    def outputs(self, ids: Ids) -> Outputs:
        """Run it on places in the vocabulary."""
        values = self.session.run(["logits", *self.stages], {"tokens": np.asarray(ids, np.int64)})
        logits, *stream = (value.astype(np.float64) for value in values)
        return Outputs(logits, stream if self.stages else None)


Placed: TypeAlias = tuple[bytes | str, Callable[[], None]]  # a model that can be run, and how to put it in its place


@contextlib.contextmanager
def _in_one_file(exporter: Exporter, target: Path) -> Iterator[Placed]:
    tensors = [numpy_helper.from_array(array, name) for name, array in exporter.graph.constants.items()]
    model = exporter.model(tensors)
    onnx.checker.check_model(model, full_check=True)
    data = model.SerializeToString(deterministic=True)
    yield data, partial(write_whole, target, data)


@contextlib.contextmanager
def _in_two_files(exporter: Exporter, target: Path) -> Iterator[Placed]:
    """Write the model with its weights beside it; the name of these says what is in them.

    So the model that was there before keeps its own weights until the new one takes its place.
    """
    arrays = exporter.graph.constants
    digest = hashlib.sha256()
    for array in arrays.values():
        digest.update(array.data)
    weights = f"{target.name}.{digest.hexdigest()[:16]}.data"
    with tempfile.TemporaryDirectory(prefix=PART[0], dir=target.parent) as folder:
        tensors = list(_outside(arrays, Path(folder, weights)))
        data = exporter.model(tensors).SerializeToString(deterministic=True)
        inside = Path(folder, target.name)
        inside.write_bytes(data)
        onnx.checker.check_model(str(inside), full_check=True)

        def put_in_place() -> None:
            os.replace(Path(folder, weights), target.with_name(weights))
            write_whole(target, data)

        yield str(inside), put_in_place


def _outside(arrays: Mapping[str, npt.NDArray[Any]], path: Path) -> Iterator[onnx.TensorProto]:
    """Write floating-point weights to a file; yield tensors that say where in it they are, and the others as they are."""
    with path.open("wb") as file:
        for name, array in arrays.items():
            if array.dtype.kind != "f" or array.ndim == 0:
                yield numpy_helper.from_array(array, name)
                continue
            file.write(b"\0" * (-file.tell() % ALIGNED))
            tensor = onnx.TensorProto(
                name=name,
                dims=array.shape,
                data_type=helper.np_dtype_to_tensor_dtype(array.dtype),
                data_location=onnx.TensorProto.EXTERNAL,
            )
            for key, value in (("location", path.name), ("offset", file.tell()), ("length", array.nbytes)):
                tensor.external_data.add(key=key, value=str(value))
            file.write(array.data)
            yield tensor
        file.flush()
        os.fsync(file.fileno())
