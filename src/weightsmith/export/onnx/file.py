"""ONNX files: a transformer is written as one, checked, and run in onnxruntime beside the original."""

import os
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from weightsmith.arithmetic import Saturating
from weightsmith.errors import ExportError, brief, whole_number
from weightsmith.export import lazy
from weightsmith.export.capabilities import dtype_for, require_packages
from weightsmith.export.measure import RANDOM_LENGTH, Model, accepted, check_allowed, parts_of, report_on
from weightsmith.model import Transformer
from weightsmith.storage import check_writable, refusals

Dtype: TypeAlias = Literal["float32", "float64"]
MAX_TABLE = 1 << 20  # rows of a table by position


def to_onnx(
    T: Model,
    path: str | os.PathLike[str],
    trace: bool = False,
    dtype: Dtype | None = None,
    *,
    max_length: int | None = None,
    saturate: bool = True,
    allow_differences: bool = False,
    allow_saturation: bool = False,
) -> Any:
    """Write a transformer as an ONNX file, and report how far it is from the original when onnxruntime runs it.

    The input is "tokens" (batch, positions), token ids as int64; the output is "logits" (batch,
    positions, classes), or, of a model with a readout, "codes" (batch, positions, lanes of the readout), and the table
    from codes to values is in the metadata. Any batch and length will do, up to the longest input of the model; rotary
    positions and ALiBi without such an end have tables for `max_length` positions, 2,048 unless given, and a longer
    input is refused by onnxruntime. The dtype is float32, or float64 for a model in `Native("float64")`.

    In a finite arithmetic the graph saturates where the model does, at ±∞ of the arithmetic after each operation, for
    many models rely on that; it does not round, and a sum saturates at its end only. `saturate=False` leaves that out.

    With `trace` every value of the run is an output as well:

    - "embedding.stream", "blocks.0.attention.stream", "blocks.0.feed_forward.stream", …: (batch, positions, lanes),
      also where the sublayer is absent;
    - "blocks.0.attention.weights": (batch, heads, positions, positions), where there are heads;
    - "blocks.0.feed_forward.neurons": (batch, positions, neurons), where there are neurons.

    A model above 2 GB has its weights in a second file beside the first, whose name begins with that of the first. A
    model that decides otherwise is not written, unless with `allow_differences`; or, where the cause is that sums of
    the original saturate or round midway, `allow_saturation`. Then the metadata says on which input.

    Of a chain it is the graph of its transformer; the metadata describes the chain. The report compares whole chains;
    `run_exported(C, path, tokens)` runs one: it appends the decision to the text, step by step.
    """
    whole, (T, chain) = T, parts_of(T)
    require_packages("ONNX")
    kind = dtype_for(T, "ONNX", dtype)
    if max_length is not None:
        max_length = whole_number(max_length, "max_length", RANDOM_LENGTH, MAX_TABLE)
    check_allowed(allow_differences, allow_saturation)
    for name, value in (("trace", trace), ("saturate", saturate)):
        if type(value) is not bool:
            raise ExportError(f"{name}={brief(value)}: write True or False")
    with refusals("cannot write", path):
        target = Path(path)
        check_writable(target)
    exporter = lazy.Exporter(T, kind, trace, max_length, _limit(T, kind) if saturate else None)
    exporter.chain = chain
    with lazy.written(exporter, target) as (model, put_in_place):
        report = accepted(report_on(whole, lazy.OnnxRun(T, model)), whole, allow_differences, allow_saturation)
        with refusals("cannot write", path):
            put_in_place(report.difference)
    return report


def _limit(T: Transformer, dtype: Dtype) -> float | None:
    """Return ∞, at which the graph saturates; None where the arithmetic or the dtype does not."""
    A = T.arithmetic
    return A.infinity if isinstance(A, Saturating) and A.infinity <= np.finfo(dtype).max else None
