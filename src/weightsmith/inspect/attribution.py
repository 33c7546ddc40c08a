"""Attribution: a logit, split into the contributions of embedding, heads, neurons and biases."""

from collections.abc import Iterator

import numpy as np

from weightsmith.arithmetic import Array, Weights
from weightsmith.errors import InputError, listed, position_of
from weightsmith.inspect.arguments import Target, checked_run, usual_target
from weightsmith.inspect.logit_parts import Attribution, Part, bias_name
from weightsmith.inspect.output import numbers_of_run, output_rows
from weightsmith.inspect.patch import last_swap, replaced
from weightsmith.inspect.run import Run
from weightsmith.model import LayerNorm, Norm, Transformer, position_table
from weightsmith.model.sites import Site, attention_stage


def attribute(run: Run, wanted: str | None = None, *, over: str | None = None, position: int = -1) -> Attribution:
    """Split the logit of a class into embedding, position, each head from each position, each neuron and each bias.

    The class is the decision by default. With `over` it is the logit difference: the logit of `wanted` less that of
    `over`. The logit is read at `position`, by default the last one, as by `lens`. A transformer with a readout has no
    logits: then `wanted` is one of the readout's lanes, and the parts add up to the value in it.

    Attention weights, activations and the divisors of norms are constants, taken from this run; the logit is then
    linear in the parts, which are computed in float64. So the parts add up to the logit exactly where the run rounded
    nothing, and up to `residue` otherwise. A head's own biases are in the part of the head.
    """
    T, here = checked_run(run).transformer, position_of(position, len(run.tokens))
    asked = usual_target(run, wanted, over, here)
    if asked is None:
        assert T.readout is not None
        lanes = listed(T.readout.lanes)
        raise InputError(f"the code of this readout has several lanes: write attribute(r, lane), with one of {lanes}")
    numbers = numbers_of_run(run, here)
    end = [Part("bias", float(asked.of(T.output_bias)), name="output bias")] if T.output_bias is not None else []
    output = asked.of(output_rows(T).T)
    direction, parts = _through(T, T.final_norm, run.stream[-1, here], output, "bias of the final norm")
    groups = [[*parts, *end], *_back(run, here, direction)]
    every = tuple(part for group in reversed(groups) for part in group)
    return Attribution(run, asked, here, float(asked.of(numbers)), every)


def by_lane(run: Run, asked: Target) -> Array:
    """Return the contribution of each lane of the last vector to a logit, or to a difference of two.

    Divisors of norms are constants. Biases of the final norm and of the output belong to no lane and are left out.
    """
    T = checked_run(run).transformer
    last = run.stream[-1, -1]
    direction, _ = _through(T, T.final_norm, last, asked.of(output_rows(T).T), "")
    amounts: Array = last * direction
    return amounts


def _back(run: Run, here: int, direction: Array) -> Iterator[list[Part]]:
    """Go back through the sublayers: yield the parts of each, and at last those of the embedding.

    The lanes that a patch of the stream replaced are a part, and are not followed further; an ablated sublayer has no
    parts.
    """
    for b in reversed(range(len(run.transformer.blocks))):
        for site, added in ((Site("feed-forward", b), _neurons), (Site("attention", b), _heads)):
            patch, direction, left_out = _patched(run, site, here, direction)
            yield patch
            if not direction.any() and patch:
                return
            if not left_out:
                direction, parts = added(run, b, here, direction)
                yield parts
    patch, direction, _ = _patched(run, Site("embedding"), here, direction)
    yield [*_start(run, here, direction), *patch] if direction.any() or not patch else patch


def _patched(run: Run, site: Site, here: int, direction: Array) -> tuple[list[Part], Array, bool]:
    """Return the part of put-in values of the stream, the direction of the others, and whether the sublayer is out."""
    replaced_lanes, left_out = replaced(run, site, here)
    columns = sorted(replaced_lanes)
    if not columns:
        return [], direction, left_out
    amount = float(run.stream[site.stage, here, columns] @ direction[columns])
    rest = direction.copy()
    rest[columns] = 0
    return [Part("patch", amount, name=str(site))], rest, left_out


def _start(run: Run, here: int, direction: Array) -> Iterator[Part]:
    T, token = run.transformer, run.tokens[here]
    yield Part("embedding", float(T.embedding[T.vocabulary.index(token)] @ direction), name=token)
    table = position_table(T.positions, T.arithmetic, len(T.lanes), len(run.tokens))
    if table is not None:
        yield Part("position", float(table[here] @ direction))


def _neurons(run: Run, b: int, here: int, direction: Array) -> tuple[Array, list[Part]]:
    """Return the direction before a feed-forward layer, and the layer's parts."""
    block = run.transformer.blocks[b]
    layer, activations = block.feed_forward, run.activations[b][here]
    if layer is None:
        return direction, []
    sum_there = run.stream[attention_stage(b), here] + (layer.W_2 @ activations + layer.b_2)
    name = bias_name(b, "bias of the feed-forward norm")
    inner, after = _after(run.transformer, block.feed_forward_norm, block.norm_placement, sum_there, direction, name, b)
    amounts = activations * (inner @ layer.W_2)
    names = layer.names or [""] * len(amounts)
    parts = [Part("neuron", amount, b, n, name=names[n]) for n, amount in enumerate(amounts.tolist())]
    parts += _bias(layer.b_2, inner, bias_name(b, "b_2"), b)
    return inner, parts + after


def _heads(run: Run, b: int, here: int, direction: Array) -> tuple[Array, list[Part]]:
    """Return the direction before attention, and the parts of its heads."""
    block, attention = run.transformer.blocks[b], run.transformer.blocks[b].attention
    if attention is None:
        return direction, []
    outputs = sum((head.output[here] for head in run.heads[b]), np.zeros(len(direction)))
    sum_there = run.stream[attention_stage(b) - 1, here] + outputs
    if attention.b_O is not None:
        sum_there = sum_there + attention.b_O
    name = bias_name(b, "bias of the attention norm")
    inner, after = _after(run.transformer, block.attention_norm, block.norm_placement, sum_there, direction, name, b)
    parts = []
    for i, head in enumerate(run.heads[b]):
        if last_swap(run, Site("head", b, i), here) is not None:  # its output was replaced
            parts.append(Part("head", float(head.output[here] @ inner), b, i))
            continue
        amounts = head.weights[here] * (values_at(run, b, i, here) @ (inner @ attention.heads[i].W_O))
        for j, amount in enumerate(amounts.tolist()):
            parts.append(Part("head", amount, b, i, j, run.tokens[j]))
    if attention.b_O is not None:
        parts += _bias(attention.b_O, inner, bias_name(b, "b_O"), b)
    return inner, parts + after


def values_at(run: Run, b: int, i: int, here: int) -> Array:
    """Return the values (positions, value size) that a position reads through a head."""
    T, values = run.transformer, run.heads[b][i].values
    attention = T.blocks[b].attention
    assert attention is not None
    scheme = attention.positions_of(i, T.attention_positions)
    distance = here - np.arange(len(run.tokens))
    return values if scheme is None else scheme.value(T.arithmetic.core, values, distance)


def _after(
    T: Transformer, norm: Norm | None, placement: str, x: Array, direction: Array, name: str, b: int
) -> tuple[Array, list[Part]]:
    """Go back through a norm after a sublayer."""
    return _through(T, norm, x, direction, name, b) if placement == "post" else (direction, [])


def _through(
    T: Transformer, norm: Norm | None, x: Array, direction: Array, name: str, b: int | None = None
) -> tuple[Array, list[Part]]:
    """Go back through a norm of x: return the direction before it, and the part of its bias."""
    if norm is None:
        return direction, []
    columns = [T.lanes.index(lane) for lane in norm.lanes or T.lanes]
    inside, centred = direction[columns], isinstance(norm, LayerNorm)
    parts = _bias(norm.bias, inside, name, b) if isinstance(norm, LayerNorm) and norm.bias is not None else []
    seen = x[columns] - (x[columns].mean() if centred else 0.0)
    spread = np.sqrt(np.mean(seen * seen) + float(T.arithmetic.round(norm.eps)))
    steep = (inside if norm.gain is None else inside * norm.gain) / spread
    before = direction.copy()
    before[columns] = steep - (steep.mean() if centred else 0.0)
    return before, parts


def _bias(bias: Weights, direction: Array, name: str, b: int | None) -> list[Part]:
    return [Part("bias", float(bias @ direction), b, name=name)] if bias.any() else []
