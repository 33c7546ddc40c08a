"""In which of the machine's types every decision of an exported model stays, by running that very model there."""

from weightsmith.export.answers import answers
from weightsmith.export.inputs import some
from weightsmith.export.measuring import Exported
from weightsmith.export.tally import Tally
from weightsmith.model import Transformer

TYPES = ("float32", "bfloat16", "float16")
LARGE = 10**7  # weights: beyond, only float32 is tried


def survival(T: Transformer, exported: Exported, seen: Tally, most: int) -> dict[str, bool]:
    """Say for each type whether the exported model, cast to it, says what the original does, on about so many inputs.

    Empty where the model cannot be had in another type.
    """
    cast = getattr(exported, "in_dtype", None)
    if cast is None:
        return {}
    found = {}
    for dtype in TYPES if T.weights <= LARGE else TYPES[:1]:
        if dtype == exported.dtype:
            found[dtype] = seen.wrong == 0
        else:
            other = cast(dtype)
            found[dtype] = other is not None and _survives(T, other, seen, most)
    return found


def _survives(T: Transformer, exported: Exported, seen: Tally, most: int) -> bool:
    for ids, decided in some(seen.decided, most):
        said = answers(T, exported.outputs(ids).logits)
        if (said < 0).any() or (said != decided).any():
            return False
    return True
