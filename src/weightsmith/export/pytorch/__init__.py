"""PyTorch out and in. Nothing here loads PyTorch before it is used."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weightsmith.arithmetic import Saturating
from weightsmith.errors import ExportError, brief
from weightsmith.export import lazy
from weightsmith.export.capabilities import dtype_for, require_packages
from weightsmith.export.measure import Model, accepted, check_allowed, parts_of, report_on
from weightsmith.model import Chain

if TYPE_CHECKING:
    import torch


def to_torch(
    T: Model,
    exact: bool = False,
    dtype: "str | torch.dtype | None" = None,
    *,
    saturate: bool = True,
    allow_differences: bool = False,
    allow_saturation: bool = False,
) -> "lazy.TransformerModule":
    """Return a transformer as a PyTorch module: token ids (batch, positions) become logits (batch, positions, classes).

    Plain: the same weights, as parameters, in the machine's floats; fast, on any device. Nothing is rounded as a finite
    arithmetic does. Its ends are kept, because models are built on them: what a sublayer computes stays within ±∞, and
    exp(score) is 0 where it would round to 0. `saturate=False` leaves that out: then it is the weights and nothing
    else. `dtype` is "float32", "float64", "bfloat16" or "float16"; without it that of `Native`, and float32 for a
    finite arithmetic, or float64 where float32 does not hold every weight.

    Exact: every operation is rounded and every sum is a left fold, so that streams, weights and logits equal those of
    `run` bit for bit, for every finite arithmetic. Weights are buffers in float64, on any device that has it. Functions
    such as exp are looked up in arithmetics of up to 16 bits; in wider ones the CPU computes them, wherever the module
    is. It is meant to be run as it is: a compiler that contracts a product and a sum changes bits.

    `module.run(ids)` gives the stream, the attention and the activations too; `module.vocabulary`, `classes` and
    `lanes` are the names. With a readout the module gives the codes in its lanes, (batch, positions, lanes of the
    readout), instead of logits, and `module.readout` says what each of them stands for. What was made is run beside the
    original: `module.agreement` is the report, and a decision or a value that differs is refused unless
    `allow_differences` is True; or, where the cause is that sums of the original saturate or round midway,
    `allow_saturation`.

    Of a chain it is the module of its transformer, and `module.chain` is the chain. The report compares the tokens and
    answers of whole chains; `run_exported(C, module, tokens)` runs one: it appends the decision of the module to the
    text, step by step.
    """
    check_allowed(allow_differences, allow_saturation)
    module = made(T, exact, dtype, saturate)
    module.agreement = accepted(report_on(T, lazy.ModuleRun(module)), T, allow_differences, allow_saturation)
    return module


def made(
    model: Model, exact: bool = False, dtype: "str | torch.dtype | None" = None, saturate: bool = True
) -> "lazy.TransformerModule":
    """Return the module of `to_torch`, not yet measured."""
    require_packages("PyTorch")
    import torch  # here, because it may be missing

    for option, value in (("exact", exact), ("saturate", saturate)):
        if type(value) is not bool:
            raise ExportError(f"{option}={brief(value)}: write True or False")
    if exact and not saturate:
        raise ExportError("exact=True saturates as the arithmetic does: leave out saturate=False")
    T, chain = parts_of(model)
    if exact and not isinstance(T.arithmetic, Saturating):
        raise ExportError(
            f"exact=True rounds into a finite arithmetic, and the transformer is in {T.arithmetic}, the machine's own: "
            "write to_torch(T), or to_arithmetic(T, Float(5, 11)) first"
        )
    name = "float64" if exact and dtype is None else dtype_for(T, "PyTorch", dtype)
    if exact and name != "float64":
        raise ExportError(f"exact=True computes in float64, which holds every member: leave out dtype={brief(name)}")
    module = lazy.TransformerModule(T, getattr(torch, name), exact, saturate)
    module.chain = chain
    return module


def from_torch(module: Any, vocabulary: str | Sequence[str] | None = None, classes: Sequence[str] | None = None) -> Any:
    """Return the transformer of a module that `to_torch` or `train` made, with the weights that it has now.

    What `to_torch` made of a chain gives a chain.

    What `to_torch` made knows its vocabulary and classes. The `Model` of `train` does not: give it the vocabulary, and
    the classes unless it is a language model.
    """
    require_packages("PyTorch")
    T, chain = lazy.transformer_of(module, vocabulary, classes), getattr(module, "chain", None)
    return replace(chain, transformer=T) if isinstance(chain, Chain) else T
