"""What each target can do: its packages, its types of floats, the features that it lacks, and how a result is run."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic import Native
from weightsmith.errors import ExportError, InputError, WeightsmithError, brief
from weightsmith.export import lazy
from weightsmith.export.outputs import Exported, Outputs
from weightsmith.model import AttentionPositions, Block, Chain, Softmax, Transformer, named_arrays
from weightsmith.model.block import GATED
from weightsmith.model.head_groups import head_groups
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.model.transformer import checked
from weightsmith.semantics.evaluation import Ids
from weightsmith.storage import opened, refusals

FLOATS = ("float32", "float64", "bfloat16", "float16")
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu")
OWN_MODULES = "leave out own_modules=False, for blocks of Weightsmith's own in the bridge"
SHOWN = "export.to_onnx(T, path, trace=True) shows every value of such a model"
OWN_CLASS = "leave out stock='gpt2', and the model's own class is written"


@dataclass(frozen=True)
class Target:
    """The capabilities of a target; a sentence for a feature says that it is lacking, and what to write instead."""

    result: str  # what an exporter makes, for the error about a package
    packages: tuple[str, ...]
    dtypes: tuple[str, ...] = FLOATS
    finite: str | None = "float32"  # dtype for a finite arithmetic; None: float32 if it holds every weight
    only: str = ""  # why there are no other dtypes
    error: type[WeightsmithError] = ExportError  # for a wrong dtype
    lacks: Mapping[str, str] = field(default_factory=dict)  # by kind of feature
    opened: "Callable[[Transformer | Chain, Any], Exported | None] | None" = (
        None  # for a report; None for other targets' results
    )


_BRIDGE = {
    "parallel": f"attention and feed-forward in parallel in a model of its own, and {{where}} has them: {SHOWN}",
    "gate biases": f"biases in gated layers, which facts need, and {{where}} feed-forward has some: {SHOWN}",
    "norm after": f"norms after a sublayer, and {{where}} has one: {SHOWN}",
    "norm over lanes": f"norms over some lanes only, and the transformer has one: {SHOWN}",
}
_BLOCKS = {
    "hard": f"hard attention, and {{where}} has {{what}}(): {OWN_MODULES}",
    "strict": f"strict heads, and {{where}} sees only what is before: {OWN_MODULES}",
    "window": f"windows here, and {{where}} sees {{what}} positions only: {OWN_MODULES}",
    "relative": f"relative positions, and {{where}} has Relative(…): {OWN_MODULES}",
    "penalties": f"penalties for distance, and {{where}} has Alibi(…): {OWN_MODULES}",
}
_TABLE = "GPT-2 adds a table of positions, and {where} has {what}(…): write PositionTable(…)"
_GPT2 = {
    "readout": (
        'GPT-2 has classes, and this model a readout: write programs.compile(…, backend="softmax"), with classes'
    ),
    "full mask": "GPT-2 is causal, and this model has mask='full': write mask='causal'",
    "gate": f"GPT-2 has no gate, and this model has activation={{what!r}}: write one of {', '.join(ACTIVATIONS)}",
    "activations": "GPT-2 has one activation for all blocks, and this model has {what}: write one of them",
    "parallel": "{where} is parallel, and GPT-2 adds attention before feed-forward reads: write parallel=False",
    "hard": "GPT-2 has softmax, and {where} has {what}(): write Softmax(), with larger scores",
    "strict": "GPT-2 sees its own position, and {where} sees only what is before: write strict=False",
    "window": "GPT-2 sees all positions so far, and {where} sees {what} only: write window=None",
    **dict.fromkeys(("relative", "penalties", "rotation"), _TABLE),
}


def _lens(*lacking: Mapping[str, str]) -> Target:
    lacks = {kind: f"TransformerLens has no {text}" for some in lacking for kind, text in some.items()}
    return Target("a TransformerLens model", ("transformer_lens",), lacks=lacks, opened=_bridge)


# Each looks at the type before it loads anything, and returns None for results of other exporters.


def _torch_module(model: Transformer | Chain, exported: Any) -> Exported | None:
    if not type(exported).__module__.startswith("weightsmith.export.pytorch"):
        return None  # without loading PyTorch
    return lazy.ModuleRun(exported) if isinstance(exported, lazy.TransformerModule) else None


def _onnx_file(model: Transformer | Chain, exported: Any) -> Exported | None:
    if not isinstance(exported, str | os.PathLike) or not str(exported).endswith(".onnx"):
        return None
    require_packages("ONNX")
    with refusals("cannot read", exported), opened(Path(exported)):
        return lazy.OnnxRun(_transformer(model), str(exported))


def _bridge(model: Transformer | Chain, exported: Any) -> Exported | None:
    if not type(exported).__module__.startswith("weightsmith.export.lens."):
        return None  # without loading TransformerLens
    return lazy.LensRun(_transformer(model), exported)


def _transformer(model: Transformer | Chain) -> Transformer:
    return model.transformer if isinstance(model, Chain) else model


def _directory(model: Transformer | Chain, exported: Any) -> Exported | None:
    return lazy.opened_directory(model, exported) if isinstance(exported, str | os.PathLike) else None


_HUB = ("torch", "transformers")
TARGETS = {
    "PyTorch": Target("a PyTorch module", ("torch",), finite=None, opened=_torch_module),
    "TransformerLens": _lens(_BLOCKS, _BRIDGE),
    "TransformerLens, own modules": _lens(_BRIDGE),
    "ONNX": Target(
        "an ONNX file",
        ("onnx", "onnxruntime"),
        ("float32", "float64"),
        only="onnxruntime runs all operators in 'float32' and 'float64' only",
        opened=_onnx_file,
    ),
    "Hugging Face": Target(
        "a model for Hugging Face",
        _HUB,
        ("float64", "float32", "bfloat16", "float16"),
        "float64",
        error=InputError,
        opened=_directory,
    ),
    "Hugging Face GPT-2": Target(
        "a model for Hugging Face", _HUB, lacks={kind: f"{text}; or {OWN_CLASS}" for kind, text in _GPT2.items()}
    ),
}


def require_packages(name: str) -> None:
    """Refuse to export to a target without the packages that it needs."""
    target = TARGETS[name]
    for package in target.packages:
        if not installed(package):
            raise ExportError(f"{target.result} needs {package}: write pip install 'weightsmith[export]'")


def installed(package: str) -> bool:
    """Return whether a package can be imported."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # it is hidden, as in `sys.modules[package] = None`
        return False


def dtype_for(T: Transformer, name: str, dtype: Any = None) -> Any:
    """Return the dtype of a target by its name: the one asked for, that of `Native`, or that for finite arithmetics."""
    target, A = TARGETS[name], checked(T).arithmetic
    if dtype is None:
        return A.dtype if isinstance(A, Native) else target.finite or _holding(T)
    asked = str(dtype).removeprefix("torch.")
    if asked not in target.dtypes:
        instead = target.only or f"write one of {', '.join(target.dtypes)}"
        raise target.error(f"dtype={brief(dtype)}: {instead}")
    return asked


def _holding(T: Transformer) -> str:
    """Return the smallest type that holds every weight."""
    held = all((array.astype("float32") == array).all() for _, array in named_arrays(T))
    return "float32" if held else "float64"


class Feature(NamedTuple):
    """A feature of a transformer that some target lacks."""

    kind: str
    where: str = ""
    what: str = ""


def check_features(T: Transformer, name: str) -> None:
    """Refuse a transformer with a feature that a target lacks."""
    lacks = TARGETS[name].lacks
    for feature in features(T) if lacks else ():
        if feature.kind in lacks:
            raise ExportError(lacks[feature.kind].format(where=feature.where, what=feature.what))


def features(T: Transformer) -> Iterator[Feature]:
    """Yield the features of a transformer that some target lacks."""
    if T.readout is not None:
        yield Feature("readout")
    if T.mask != "causal":
        yield Feature("full mask")
    kinds = sorted({block.feed_forward.activation for block in T.blocks if block.feed_forward is not None})
    yield from (Feature("gate", what=kind) for kind in kinds if kind in GATED)
    if len(kinds) > 1:
        yield Feature("activations", what=", ".join(kinds))
    for b, block in enumerate(T.blocks):
        yield from _of_block(b, block)
        for group in head_groups(T, block.attention):
            for i, (head, scheme) in enumerate(zip(group.heads, group.schemes, strict=True), group.first):
                if not isinstance(head.weighting, Softmax):
                    yield Feature("hard", f"block {b}, head {i}", type(head.weighting).__name__)
                if head.strict:
                    yield Feature("strict", f"block {b}, head {i}")
                if head.window is not None:
                    yield Feature("window", f"block {b}, head {i}", str(head.window))
                if scheme is not NO_POSITIONS:
                    yield Feature(_kind_of(scheme), f"block {b}, head {i}", type(scheme).__name__)
    norms = [T.final_norm, *(norm for block in T.blocks for norm in (block.attention_norm, block.feed_forward_norm))]
    if any(norm is not None and norm.lanes is not None for norm in norms):
        yield Feature("norm over lanes")


def _of_block(b: int, block: Block) -> Iterator[Feature]:
    layer = block.feed_forward
    if block.reads_entry:
        yield Feature("parallel", f"block {b}")
    if layer is not None and layer.W_3 is not None and any(np.any(bias) for bias in (layer.b_1, layer.b_2, layer.b_3)):
        yield Feature("gate biases", f"block {b}")
    for sublayer in ("attention", "feed_forward"):
        if getattr(block, f"{sublayer}_norm") is not None and block.norm_placement == "post":
            yield Feature("norm after", f"block {b} {sublayer.replace('_', '-')}")


def _kind_of(scheme: AttentionPositions) -> str:
    if scheme.key_offsets() is not None:
        return "relative"
    return "rotation" if type(scheme).penalties is AttentionPositions.penalties else "penalties"


# Running what an exporter made


def as_exported(model: Transformer | Chain, exported: Any) -> Exported:
    """Return the result of an exporter, or a function from ids to logits, as a target for a report."""
    for target in TARGETS.values():
        found = None if target.opened is None else target.opened(model, exported)
        if found is not None:
            return found
    if all(hasattr(exported, name) for name in ("target", "dtype", "outputs")):
        measured: Exported = exported
        return measured
    if callable(exported):
        return Called(exported)
    raise ExportError(
        f"agreement(T, {brief(exported)}): give it what an exporter made, such as to_torch(T), or a function that "
        "takes token ids (inputs, positions) and returns logits (inputs, positions, classes)"
    )


class Called:
    """Any function from ids to logits, also a PyTorch module of another project."""

    target, dtype = "function", "its own"

    def __init__(self, function: Callable[[Any], Any]) -> None:
        """Take the function."""
        self.function, self.takes_tensors = function, hasattr(function, "state_dict")

    def outputs(self, ids: Ids) -> Outputs:
        """Run it; a PyTorch module gets a tensor."""
        given: Any = ids
        if self.takes_tensors:
            import torch  # a module has loaded it already

            given = torch.from_numpy(ids)
        found = self.function(given)
        if hasattr(found, "detach"):
            found = found.detach().double().cpu().numpy()
        logits = np.asarray(found)
        if logits.dtype.kind not in "fiu" or logits.shape[:2] != ids.shape or logits.ndim != 3:
            raise ExportError(
                f"the function returned {brief(logits.dtype.name)} {logits.shape} for token ids {ids.shape}: "
                "logits must be numbers (inputs, positions, classes)"
            )
        return Outputs(logits.astype(np.float64))
