"""A transformer as a TransformerLens model, whose residual stream is the run's: for its hooks, caches and patching.

Nothing here loads TransformerLens before it is used; `bridge` does.
"""

from typing import Any

from weightsmith.errors import ExportError, brief, whole_number
from weightsmith.export import lazy
from weightsmith.export.capabilities import dtype_for, require_packages
from weightsmith.export.lens.shape import shape_of
from weightsmith.export.measure import RANDOM_LENGTH, Model, accepted, check_allowed, parts_of, report_on

MAX_CONTEXT = 1 << 16


def to_transformer_lens(
    T: Model,
    dtype: str | None = None,
    *,
    own_modules: bool | None = None,
    max_length: int | None = None,
    allow_differences: bool = False,
    allow_saturation: bool = False,
) -> Any:
    """Return a `TransformerBridge` that computes as a transformer does; `bridge.agreement` says how closely.

    It takes token ids, (batch, positions), which `bridge.vocabulary` names; there is no tokenizer. In
    its cache `blocks.0.hook_resid_pre` is the stream after the embedding, `blocks.2.hook_resid_mid` that after the
    attention of block 2 and `blocks.2.hook_resid_post` that after its feed-forward. Head 0 of block 2 is `W_Q[2, 0]`,
    neuron 5 `W_in[2, :, 5]`.

    Heads are padded with zeros to a common size that is a power of 4, and W_Q is multiplied by its root, which
    attention divides by: both exact. Blocks without attention or feed-forward, and missing heads and neurons, are 0.
    Of a model with a readout the unembedding copies its lanes: what the bridge gives are the codes, (batch, positions,
    lanes of the readout), and `bridge.readout` says what they stand for. There is room for `max_length` positions,
    1,024 unless given or the transformer has a longest input. The dtype is float32, or float64 for a model in
    `Native("float64")`.

    The blocks are TransformerLens's own where these decide as the transformer does. But they neither saturate nor
    round, they know neither hard attention nor strict heads nor relative positions nor ALiBi, and a softmax without
    weight gives the usual weights there. Otherwise, and with `own_modules=True`, they are Weightsmith's: the names, the
    weights and the hooks are the same, heads follow any rule, and values saturate where they do in the arithmetic.
    `bridge.own_modules` says which they are; with `own_modules=False` a model that needs Weightsmith's is refused.

    What decides otherwise is refused, unless with `allow_differences`; or, where the cause is that sums of the original
    saturate or round midway, `allow_saturation`. What the bridge has no place for is refused: norms after a sublayer or
    over some lanes, and parallel blocks.

    Of a chain it is the bridge of its transformer, and `bridge.chain` is the chain. The report compares whole chains;
    `run_exported(C, bridge, tokens)` runs one.
    """
    model, (T, _) = T, parts_of(T)
    require_packages("TransformerLens")
    name = dtype_for(T, "TransformerLens", dtype)
    if max_length is not None:
        max_length = whole_number(max_length, "max_length", RANDOM_LENGTH, MAX_CONTEXT)
    check_allowed(allow_differences, allow_saturation)
    if own_modules is not None and type(own_modules) is not bool:
        raise ExportError(f"own_modules={brief(own_modules)}: write True or False")
    bridge = _native_that_agrees(model, name, max_length) if own_modules is None else None
    if bridge is None:
        bridge = _measured(model, name, max_length, own_modules is not False)
    accepted(bridge.agreement, model, allow_differences, allow_saturation)
    return bridge


def _native_that_agrees(model: Model, dtype: str, max_length: int | None) -> Any:
    """Return a bridge with TransformerLens's own blocks; None where these lack a feature or decide otherwise."""
    try:
        bridge = _measured(model, dtype, max_length, own_modules=False, briefly=True)
    except ExportError:
        return None
    return bridge if bridge.agreement.agrees else None


def _measured(model: Model, dtype: str, max_length: int | None, own_modules: bool, briefly: bool = False) -> Any:
    T, bridge_chain = parts_of(model)
    bridge = lazy.booted(T, shape_of(T, max_length, own_modules), dtype, own_modules)
    bridge.vocabulary, bridge.classes, bridge.readout = tuple(T.vocabulary), tuple(T.classes), T.readout
    bridge.own_modules, bridge.chain = own_modules, bridge_chain
    bridge.agreement = report_on(model, lazy.LensRun(T, bridge), briefly)
    return bridge
