"""Compare a run by BLAS with left folds, up to the order of sums."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.arithmetic import Array

COUNTS = Counter[str]()


def assert_close(found: Array, wanted: Array, what: object) -> None:
    """See that values differ by less than 10⁻¹² of the largest: BLAS adds in another order, so not bit for bit."""
    assert found.shape == wanted.shape, what
    size = max(1.0, float(np.abs(wanted).max(initial=0)))
    assert np.abs(found - wanted).max(initial=0) <= 1e-12 * size, what


def assert_close_runs(T: ws.Transformer, text: str, change: Any = None) -> ws.Run | None:
    """Compare every value of both runs; where the definition refuses, the machine must refuse too."""
    more = {} if change is None else {"change": change}
    try:
        wanted = ws.run(T, text, sums="left", **more)
    except ws.ModelError as error:
        COUNTS["refused"] += 1
        place = str(error).split(":")[0]
        with pytest.raises(ws.ModelError, match=f"^{place}:"):
            ws.run(T, text, **more)
        return None
    found = ws.run(T, text, **more)
    COUNTS["runs"] += 1
    assert_close(found.stream, wanted.stream, (T, "stream"))
    assert_close(found.logits, wanted.logits, (T, "logits"))
    for b, heads in enumerate(wanted.heads):
        assert_close(found.activations[b], wanted.activations[b], (T, "activations", b))
        for i, head in enumerate(heads):
            for name in ("scores", "weights", "keys", "values", "mixed", "output"):
                assert_close(getattr(found.heads[b][i], name), getattr(head, name), (T, b, i, name))
            assert np.array_equal(found.heads[b][i].empty, head.empty)
    assert found.empty_softmax == wanted.empty_softmax
    return found
