"""Functions from transformers to transformers, each with a contract."""

from weightsmith.rewrites.hiding import hide, shift_positions
from weightsmith.rewrites.lanes import flag, ignore_lanes, widen
from weightsmith.rewrites.maps import linear_map, map_stream
from weightsmith.rewrites.normal_forms import infinity_form, is_infinity_form, signed_infinity_form, zero_one_form
from weightsmith.rewrites.vectors import add_vector, zero_vector
from weightsmith.rewrites.whole_model import append, pad_blocks, prepend, to_arithmetic

__all__ = [
    "add_vector",
    "append",
    "flag",
    "hide",
    "ignore_lanes",
    "infinity_form",
    "is_infinity_form",
    "linear_map",
    "map_stream",
    "pad_blocks",
    "prepend",
    "shift_positions",
    "signed_infinity_form",
    "to_arithmetic",
    "widen",
    "zero_one_form",
    "zero_vector",
]
