"""Is the length a multiple of a number?"""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import whole_number
from weightsmith.library.arguments import read_vocabulary
from weightsmith.model import PositionTable, Transformer, matrix
from weightsmith.model.positions import MAX_LENGTH


def length_modulo(
    m: int,
    remainder: int = 0,
    vocabulary: str | Sequence[str] = "01",
    arithmetic: Arithmetic | None = None,
    max_length: int = 16,
) -> Transformer:
    """Answer YES exactly on the inputs whose length leaves the remainder when divided by m, up to max_length.

    The position table says it all: 1 at the last position of such a length. There is no block.
    """
    m = whole_number(m, "m", 1, MAX_LENGTH)
    remainder = whole_number(remainder, "remainder", least=0, most=m - 1)
    lengths = 1 + np.arange(whole_number(max_length, "max_length", 1, MAX_LENGTH))
    tokens, lanes = read_vocabulary(vocabulary), ("fits",)
    return Transformer(
        arithmetic=or_default(arithmetic),
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {}),
        positions=PositionTable((lengths % m == remainder).astype(np.float64)[:, np.newaxis]),
        output=matrix(["NO", "YES"], lanes, {("YES", "fits"): 1}),
        flags=lanes,
        provenance=(f"library.length_modulo({m}, {remainder})",),
        description=f"Says whether the length of the input leaves the remainder {remainder} when divided by {m}.",
    )
