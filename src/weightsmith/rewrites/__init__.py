"""Functions from transformers to transformers, each with a contract."""

from weightsmith.rewrites.add_vector import add_vector
from weightsmith.rewrites.flag import flag
from weightsmith.rewrites.ignore_lanes import ignore_lanes
from weightsmith.rewrites.linear_map import linear_map
from weightsmith.rewrites.map_stream import map_stream
from weightsmith.rewrites.normal_forms import infinity_form, is_infinity_form, signed_infinity_form, zero_one_form
from weightsmith.rewrites.pad_blocks import pad_blocks
from weightsmith.rewrites.to_arithmetic import to_arithmetic
from weightsmith.rewrites.widen import widen
from weightsmith.rewrites.zero_vector import zero_vector

__all__ = [
    "add_vector",
    "flag",
    "ignore_lanes",
    "infinity_form",
    "is_infinity_form",
    "linear_map",
    "map_stream",
    "pad_blocks",
    "signed_infinity_form",
    "to_arithmetic",
    "widen",
    "zero_one_form",
    "zero_vector",
]
