"""Models that were trained and are shipped as files: `make bench ONLY=shipped` trains them anew."""

import gzip
from functools import lru_cache
from importlib import resources

from weightsmith.arithmetic import Arithmetic, checked_arithmetic
from weightsmith.files import from_bytes
from weightsmith.model import Transformer
from weightsmith.rewrites import to_arithmetic


def storyteller(arithmetic: Arithmetic | None = None) -> Transformer:
    """Continue a fable word by word; it was trained on fables that were written for it.

    Its 321 tokens are words and signs: `ws.generate(T, "Once a", 60, temperature=0.8, top_k=8, seed=1)`. The text that
    it learnt from is `ws.train.fables()`. It was trained in float32 and runs in float16, bit for bit the same in
    Python and on the page. The context is 80 words.
    """
    return read_shipped("storyteller", arithmetic)


def read_shipped(name: str, arithmetic: Arithmetic | None = None) -> Transformer:
    """Return a shipped model, in its own arithmetic or rounded into another."""
    T = _read(name)
    return T if arithmetic is None or checked_arithmetic(arithmetic) == T.arithmetic else to_arithmetic(T, arithmetic)


@lru_cache(maxsize=8)
def _read(name: str) -> Transformer:
    file = resources.files("weightsmith.library").joinpath("data", f"{name}.safetensors.gz")
    T = from_bytes(gzip.decompress(file.read_bytes()), name)
    assert isinstance(T, Transformer)
    return T
