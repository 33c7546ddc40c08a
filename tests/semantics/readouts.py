"""Models with a readout of the codes that occur."""

from dataclasses import replace
from itertools import product

import numpy as np

import weightsmith as ws

VALUES = (None, True, False, 2, -1, 0.5, "a", "b", "None", "1")


def with_readout(T: ws.Transformer, seed: int, left_out: int = 0) -> tuple[ws.Transformer, list[list[str]]]:
    """Read codes out of one or two lanes, of all inputs up to length 3 that are not refused; leave out some codes."""
    random = np.random.default_rng(seed)
    lanes = tuple(T.lanes[j] for j in random.permutation(len(T.lanes))[: random.integers(1, 3)])
    bare = replace(T, output=np.zeros((0, len(T.lanes))), output_bias=None, classes=(), tied=False,
                   readout=ws.Readout(lanes, {(0.0,) * len(lanes): None}))  # fmt: skip
    codes, inputs = set[tuple[float, ...]](), list[list[str]]()
    for n in (1, 2, 3):
        for tokens in product(T.vocabulary[:2], repeat=n):
            try:
                found = ws.run(bare, tokens).codes
            except ws.ModelError:
                continue
            assert found is not None
            inputs.append(list(tokens))
            codes |= set(map(tuple, found.tolist()))
    known = sorted(codes)
    for _ in range(left_out if known else 0):
        known.pop(int(random.integers(len(known))))
    table = {code: VALUES[(n + 3 * seed) % len(VALUES)] for n, code in enumerate(known)} or {(0.0,) * len(lanes): None}
    return replace(bare, readout=ws.Readout(lanes, table)), inputs
