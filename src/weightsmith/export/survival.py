"""In which of the machine's types every decision of a transformer stays, by running it there as a PyTorch module."""

from collections.abc import Sequence

from weightsmith.errors import ExportError
from weightsmith.export.answers import answers
from weightsmith.export.needed import installed
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids, Places

TYPES = ("float32", "bfloat16", "float16")
LARGE = 10**7  # weights: beyond, only float32 is tried


def survival(T: Transformer, inputs: Sequence[tuple[Ids, Places]]) -> dict[str, bool]:
    """Say for each type whether the plain module says what is given: pairs of inputs, and what the original says.

    Empty where PyTorch is not installed.
    """
    if not installed("torch"):
        return {}
    types = TYPES if T.weights <= LARGE else TYPES[:1]
    return {dtype: _survives(T, dtype, inputs) for dtype in types}


def _survives(T: Transformer, dtype: str, inputs: Sequence[tuple[Ids, Places]]) -> bool:
    import torch

    from weightsmith.export.pytorch import made

    try:
        module = made(T, dtype=dtype)
    except ExportError:  # a weight is beyond the type
        return False
    with torch.inference_mode():
        for ids, decided in inputs:
            said = answers(T, module(torch.from_numpy(ids)).to(torch.float64).numpy())
            if (said < 0).any() or (said != decided).any():
                return False
    return True
