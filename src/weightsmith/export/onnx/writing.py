"""ONNX models on their way to a file: made, checked, run in onnxruntime, and then put in their place."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from weightsmith.errors import ExportError, cut
from weightsmith.export.onnx.model import METADATA, Exporter, answer_name
from weightsmith.export.outputs import Outputs
from weightsmith.model import Transformer
from weightsmith.model.head_groups import has_tables
from weightsmith.semantics.evaluation import Ids
from weightsmith.storage import PART, write_whole

LARGEST_FILE = 2**31 - 2**24  # bytes; a larger model has its weights in a file beside it, for protobuf ends at 2 GB
LARGE = 1_000_000  # weights from which on several threads are worth their trouble
ALIGNED = 4096  # bytes to which weights in a file of their own are aligned, so that it can be mapped


class OnnxRun:
    """An ONNX file in onnxruntime, for a report."""

    target = "ONNX"
    steps = True

    def __init__(self, T: Transformer, model: bytes | str) -> None:
        """Open the bytes of a file that `to_onnx` wrote, or the file by its path."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 0 if T.weights >= LARGE else 1
        try:
            self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # those of onnxruntime have nothing else in common
            raise ExportError(f"onnxruntime cannot open it: {cut(str(error))}") from None
        said = self.session.get_modelmeta().custom_metadata_map
        if METADATA not in said:
            raise ExportError("it is an ONNX file that to_onnx did not write: give agreement(T, …) a function instead")
        types = {output.name: output.type for output in self.session.get_outputs()}
        self.said = answer_name(T)
        if self.said not in types:
            gives = next((name for name in ("logits", "codes") if name in types), "neither logits nor codes")
            raise ExportError(f"it gives {gives} and no {self.said}: it was written from another model")
        self.dtype = "float64" if types[self.said] == "tensor(double)" else "float32"
        about = json.loads(said[METADATA])
        self.saturates = about["saturates_at"] is not None
        self.longest: int | None = about["table_length"] if T.max_length or has_tables(T) else None
        sublayers = [f"blocks.{b}.{part}" for b in range(len(T.blocks)) for part in ("attention", "feed_forward")]
        stages = [f"{part}.stream" for part in ("embedding", *sublayers)]
        self.stages = stages if set(stages) <= types.keys() else []

    def outputs(self, ids: Ids) -> Outputs:
        """Run ids in the vocabulary."""
        values = self.session.run([self.said, *self.stages], {"tokens": np.asarray(ids, np.int64)})
        logits, *stream = (value.astype(np.float64) for value in values)
        return Outputs(logits, stream if self.stages else None)


# A model that can be run, and how to put it in its place, with a sentence on a difference, if there is one
Placed: TypeAlias = tuple[bytes | str, Callable[[str | None], None]]


def written(exporter: Exporter, target: Path) -> AbstractContextManager[Placed]:
    """Make a model that can be run before it is put in its place, and check it."""
    large = sum(array.nbytes for array in exporter.graph.constants.values()) > LARGEST_FILE
    return _in_two_files(exporter, target) if large else _in_one_file(exporter, target)


@contextlib.contextmanager
def _in_one_file(exporter: Exporter, target: Path) -> Iterator[Placed]:
    tensors = [numpy_helper.from_array(array, name) for name, array in exporter.graph.constants.items()]
    model = exporter.model(tensors)
    onnx.checker.check_model(model, full_check=True)

    def put_in_place(difference: str | None) -> None:
        write_whole(target, exporter.model(tensors, difference).SerializeToString(deterministic=True))

    yield model.SerializeToString(deterministic=True), put_in_place


@contextlib.contextmanager
def _in_two_files(exporter: Exporter, target: Path) -> Iterator[Placed]:
    """Write the model with its weights beside it; the name of these holds a digest of them.

    So the model that was there before keeps its own weights until the new one takes its place.
    """
    arrays = exporter.graph.constants
    digest = hashlib.sha256()
    for array in arrays.values():
        digest.update(array.data)
    weights = f"{target.name}.{digest.hexdigest()[:16]}.data"
    with tempfile.TemporaryDirectory(prefix=PART[0], dir=target.parent) as folder:
        tensors = list(_outside(arrays, Path(folder, weights)))
        inside = Path(folder, target.name)
        inside.write_bytes(exporter.model(tensors).SerializeToString(deterministic=True))
        onnx.checker.check_model(str(inside), full_check=True)

        def put_in_place(difference: str | None) -> None:
            os.replace(Path(folder, weights), target.with_name(weights))
            write_whole(target, exporter.model(tensors, difference).SerializeToString(deterministic=True))

        yield str(inside), put_in_place


def _outside(arrays: Mapping[str, npt.NDArray[Any]], path: Path) -> Iterator[onnx.TensorProto]:
    """Write floating-point weights to a file; yield tensors that say where they are, and the others whole."""
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
