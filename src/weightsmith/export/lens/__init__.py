"""A transformer as a TransformerLens model, whose residual stream is the run's: for its hooks, caches and patching.

Nothing here loads TransformerLens before it is used; `bridge` does.
"""

import os
from typing import Any

from weightsmith.arithmetic import Native
from weightsmith.errors import ExportError, InputError, brief, whole_number
from weightsmith.export import lazy
from weightsmith.export.capabilities import dtype_for, require_packages
from weightsmith.export.lens.shape import shape_of
from weightsmith.export.measure import (
    RANDOM_LENGTH,
    Model,
    Verify,
    accepted,
    check_allowed,
    check_verify,
    parts_of,
    report_on,
)
from weightsmith.model import Transformer

MAX_CONTEXT = 1 << 16
SAME_STREAM = 1e-3  # the largest difference of a stream that floats of 32 bits explain


def to_transformer_lens(
    T: Model,
    dtype: str | None = None,
    *,
    own_modules: bool | None = None,
    max_length: int | None = None,
    allow_differences: bool = False,
    allow_saturation: bool = False,
    verify: Verify = "full",
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

    The blocks are TransformerLens's own where these decide as the transformer does, by the same stream. But they
    neither saturate nor round, they know neither hard attention nor strict heads nor relative positions nor ALiBi, and
    a softmax without weight gives the usual weights there. Otherwise, and with `own_modules=True`, they are
    Weightsmith's: the names, the weights and the hooks are the same, heads follow any rule, and values, logits too,
    saturate where they do in the arithmetic.
    `verify="quick"` runs all short inputs and random ones, and searches for no others. `bridge.own_modules` says which
    blocks they are; with `own_modules=False` a model that needs Weightsmith's is refused.

    Every hook that the bridge lists acts, in both kinds of blocks, `hook_resid_mid` and `hook_attn_scores` too;
    `hook_result`, `hook_q_input`, `hook_k_input`, `hook_v_input`, `hook_attn_in` and `hook_mlp_in` after
    `set_use_attn_result(True)`, `set_use_split_qkv_input(True)`, `set_use_attn_in(True)` and
    `set_use_hook_mlp_in(True)`. Folding and centring of weights, `enable_compatibility_mode()`, is refused;
    `enable_compatibility_mode(no_processing=True)` is not.

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
    check_verify(verify, model)
    if own_modules is not None and type(own_modules) is not bool:
        raise ExportError(f"own_modules={brief(own_modules)}: write True or False")
    native = _native_that_agrees(model, name, max_length, verify) if own_modules is None else None
    bridge: Any = native
    if native is None or not _has_the_stream(native, T):
        bridge = _measured(model, name, max_length, own_modules is not False, verify=verify)
        if native is not None and not _is_nearer(bridge, native):
            bridge = native
    accepted(bridge.agreement, model, allow_differences, allow_saturation)
    return bridge


def _native_that_agrees(model: Model, dtype: str, max_length: int | None, verify: Verify) -> Any:
    """Return a bridge with TransformerLens's own blocks; None where these lack a feature or decide otherwise."""
    try:
        bridge = _measured(model, dtype, max_length, own_modules=False, briefly=True, verify=verify)
    except ExportError:
        return None
    return bridge if bridge.agreement.agrees else None


def _has_the_stream(bridge: Any, T: Transformer) -> bool:
    """Return whether the stream is that of the run, not its answers alone; only a finite arithmetic saturates."""
    difference = bridge.agreement.stream_difference
    return isinstance(T.arithmetic, Native) or difference is None or difference <= SAME_STREAM


def _is_nearer(own: Any, native: Any) -> bool:
    """Return whether Weightsmith's own blocks bring the stream nearer: what only rounds is as far in both."""
    return bool(own.agreement.agrees and own.agreement.stream_difference <= native.agreement.stream_difference / 2)


def _measured(
    model: Model,
    dtype: str,
    max_length: int | None,
    own_modules: bool,
    briefly: bool = False,
    verify: Verify = "full",
) -> Any:
    bridge = _made(model, dtype, max_length, own_modules)
    bridge.agreement = report_on(model, lazy.LensRun(bridge.transformer, bridge), briefly, verify)
    return bridge


def _made(model: Model, dtype: str, max_length: int | None, own_modules: bool) -> Any:
    T, bridge_chain = parts_of(model)
    bridge = lazy.booted(T, shape_of(T, max_length, own_modules), dtype, own_modules)
    bridge.vocabulary, bridge.classes, bridge.readout = tuple(T.vocabulary), tuple(T.classes), T.readout
    bridge.own_modules, bridge.chain, bridge.transformer = own_modules, bridge_chain, T
    return bridge


def load_transformer_lens(path: str | os.PathLike[str]) -> Any:
    """Return the bridge in a file that `weightsmith export MODEL --to transformer-lens -o FILE` wrote.

    The file holds the weights by TransformerLens's names, such as `blocks.0.attn.q.weight`, and the model that they
    were made from, which is `bridge.transformer`. Weights that were changed, for example trained further, are taken;
    `bridge.agreement` compares a few inputs with the model. The file is not trusted: it loads to a bridge or is refused
    with the reason.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"load_transformer_lens({brief(path)}): write the name of a file")
    require_packages("TransformerLens")
    written = lazy.read_bridge(path)
    context = whole_number(written.context, "context", 1, MAX_CONTEXT)
    bridge = _made(written.model, written.dtype, context, written.own_modules)
    lazy.fill(bridge, written.weights, path)
    bridge.agreement = report_on(written.model, lazy.LensRun(bridge.transformer, bridge), briefly=True)
    return bridge
