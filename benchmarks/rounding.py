"""Rounding ten million numbers into a number system: against copying them, and against apytypes, ml_dtypes, gfloat.

All take float64 and give float64 back, where they can: ml_dtypes and apytypes convert into their own format and are
measured without the way back, which favours them. CPFloat, a C library that also has ties to zero and saturation, is in
no package that could be installed here.
"""

from collections.abc import Callable

import apytypes
import gfloat
import gfloat.formats
import ml_dtypes
import numpy as np
from rich.table import Table

from benchmarks.timing import best_seconds
from weightsmith import Fixed, Float

SIZE = 10**7


def measure() -> list[Table]:
    table = Table(
        "rounding 10⁷ float64 values", "seconds", "against memcpy", "Weightsmith is faster by", title="Rounding"
    )
    x = np.random.default_rng(0).normal(size=SIZE) * 50
    for system, peers in _systems(x).items():
        seconds = best_seconds(peers, repeat=3)
        copy, ours = seconds["memcpy"], seconds["Weightsmith"]
        for name, time in seconds.items():
            faster = "" if name in ("memcpy", "Weightsmith") else f"{time / ours:.1f}×"
            table.add_row(f"{system}: {name}", f"{time:.4f}", f"{time / copy:.1f}×", faster)
        table.add_section()
    return [table]


def _systems(x: np.ndarray) -> dict[str, dict[str, Callable[[], object]]]:
    even = apytypes.QuantizationMode.TIES_EVEN
    double = apytypes.APyFloatArray.from_array(x, exp_bits=11, man_bits=52)
    long = apytypes.APyFixedArray.from_array(x, int_bits=12, frac_bits=40)
    saturate = apytypes.OverflowMode.SAT
    half, e4m3, fixed = Float.like("float16", "even"), Float.like("e4m3", "even"), Fixed(4, 4)
    return {
        "float16": {
            "memcpy": x.copy,
            "Weightsmith": lambda: half.round(x),
            "apytypes": lambda: double.cast(exp_bits=5, man_bits=10, quantization=even),
            "numpy's float16": lambda: x.astype(np.float16),
            "gfloat": lambda: gfloat.round_ndarray(gfloat.formats.format_info_binary16, x, sat=True),
        },
        "e4m3": {
            "memcpy": x.copy,
            "Weightsmith": lambda: e4m3.round(x),
            "ml_dtypes": lambda: x.astype(ml_dtypes.float8_e4m3fn),
            "gfloat": lambda: gfloat.round_ndarray(gfloat.formats.format_info_ocp_e4m3, x, sat=True),
        },
        "fixed(4,4)": {
            "memcpy": x.copy,
            "Weightsmith": lambda: fixed.round(x),
            "apytypes": lambda: long.cast(int_bits=5, frac_bits=4, quantization=even, overflow=saturate),
        },
    }
