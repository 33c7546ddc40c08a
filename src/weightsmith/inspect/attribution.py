"""Where a logit comes from: every part of the stream at a position, and what it adds."""

from collections.abc import Iterator

import numpy as np

from weightsmith.arithmetic import Array, Weights
from weightsmith.inspect.asked import Target, checked_run, target
from weightsmith.inspect.lens import read_stream
from weightsmith.inspect.parts import Attribution, Part
from weightsmith.inspect.run import Run
from weightsmith.inspect.swaps import last_swap
from weightsmith.inspect.trace import position_of
from weightsmith.model import LayerNorm, Norm, Transformer, position_table
from weightsmith.model.lookup import attention_stage, feed_forward_stage


def attribute(run: Run, wanted: str, *, over: str | None = None, position: int = -1) -> Attribution:
    """Split the logit of a class into embedding, position, each head from each position, each neuron and each bias.

    With `over` it is the logit difference: the logit of `wanted` less that of `over`. The logit is what the output says
    at a position: the last one, the run's own, unless another is given; see `lens`.

    Attention weights, activations and the spread by which a norm divides are taken as they came out in this run; with
    these fixed the logit is linear in the parts, which are computed in float64. So the parts add up to the logit
    exactly where the run rounded nothing, and up to `residue` otherwise. A head's own biases belong to what it moves.
    """
    T, here = checked_run(run).transformer, position_of(run, position)
    asked = target(T, wanted, over)
    logits = run.logits if here == len(run.tokens) - 1 else read_stream(T, run.stream[-1, here])
    end = [Part("bias", float(asked.of(T.output_bias)), name="output bias")] if T.output_bias is not None else []
    output = asked.of(T.output.T)
    direction, parts = _through(T, T.final_norm, run.stream[-1, here], output, "bias of the final norm")
    groups = [[*parts, *end], *_back(run, here, direction)]
    every = tuple(part for group in reversed(groups) for part in group)
    return Attribution(run, asked, here, float(asked.of(logits)), every)


def by_lane(run: Run, asked: Target) -> Array:
    """Return what each lane of the last vector adds to a logit, or to a difference of two; norms are taken as they are.

    Biases of the final norm and of the output are left out: no lane brings them.
    """
    T = checked_run(run).transformer
    last = run.stream[-1, -1]
    direction, _ = _through(T, T.final_norm, last, asked.of(T.output.T), "")
    amounts: Array = last * direction
    return amounts


def _back(run: Run, here: int, direction: Array) -> Iterator[list[Part]]:
    """Go back through the sublayers: return the parts that each added, and at last those of the embedding.

    Where the stream was patched, the vector put in is the last part; where a sublayer was ablated, it added nothing.
    """
    for b in reversed(range(len(run.transformer.blocks))):
        for stage, added in ((feed_forward_stage(b), _neurons), (attention_stage(b), _heads)):
            swap = last_swap(run, "stream", stage, 0, here)
            if swap is None:
                direction, parts = added(run, b, here, direction)
                yield parts
            elif swap.values is not None:
                yield [Part("patch", float(run.stream[stage, here] @ direction), name=run.stages[stage])]
                return
    yield list(_start(run, here, direction))


def _start(run: Run, here: int, direction: Array) -> Iterator[Part]:
    T, token = run.transformer, run.tokens[here]
    yield Part("embedding", float(T.embedding[T.vocabulary.index(token)] @ direction), name=token)
    table = position_table(T.positions, T.arithmetic, len(T.lanes), len(run.tokens))
    if table is not None:
        yield Part("position", float(table[here] @ direction))


def _neurons(run: Run, b: int, here: int, direction: Array) -> tuple[Array, list[Part]]:
    """Return the parts that a feed-forward layer adds, and the direction before it."""
    block = run.transformer.blocks[b]
    layer, activations = block.feed_forward, run.activations[b][here]
    if layer is None:
        return direction, []
    sum_there = run.stream[attention_stage(b), here] + (layer.W_2 @ activations + layer.b_2)
    name = f"block {b}, bias of the feed-forward norm"
    inner, after = _after(run.transformer, block.feed_forward_norm, block.norm_placement, sum_there, direction, name, b)
    amounts = activations * (inner @ layer.W_2)
    names = layer.names or [""] * len(amounts)
    parts = [Part("neuron", amount, b, n, name=names[n]) for n, amount in enumerate(amounts.tolist())]
    parts += _bias(layer.b_2, inner, f"block {b}, b_2", b)
    return inner, parts + after


def _heads(run: Run, b: int, here: int, direction: Array) -> tuple[Array, list[Part]]:
    """Return the parts that attention adds, and the direction before it."""
    block, attention = run.transformer.blocks[b], run.transformer.blocks[b].attention
    if attention is None:
        return direction, []
    outputs = sum((head.output[here] for head in run.heads[b]), np.zeros(len(direction)))
    sum_there = run.stream[attention_stage(b) - 1, here] + outputs
    if attention.b_O is not None:
        sum_there = sum_there + attention.b_O
    name = f"block {b}, bias of the attention norm"
    inner, after = _after(run.transformer, block.attention_norm, block.norm_placement, sum_there, direction, name, b)
    parts = []
    for i, found in enumerate(run.heads[b]):
        if last_swap(run, "head", b, i, here) is not None:  # what it adds came from elsewhere
            parts.append(Part("head", float(found.output[here] @ inner), b, i))
            continue
        amounts = found.weights[here] * (values_at(run, b, i, here) @ (inner @ attention.heads[i].W_O))
        for j, amount in enumerate(amounts.tolist()):
            parts.append(Part("head", amount, b, i, j, run.tokens[j]))
    if attention.b_O is not None:
        parts += _bias(attention.b_O, inner, f"block {b}, b_O", b)
    return inner, parts + after


def values_at(run: Run, b: int, i: int, here: int) -> Array:
    """Return the values (positions, value size) that a position takes in through a head."""
    T, found = run.transformer, run.heads[b][i]
    attention = T.blocks[b].attention
    assert attention is not None
    scheme = attention.positions_of(i, T.attention_positions)
    distance = here - np.arange(len(run.tokens))
    return found.values if scheme is None else scheme.value(T.arithmetic.core, found.values, distance)


def _after(
    T: Transformer, norm: Norm | None, placement: str, x: Array, direction: Array, name: str, b: int
) -> tuple[Array, list[Part]]:
    """Go back through a norm that stands after a sublayer."""
    return _through(T, norm, x, direction, name, b) if placement == "post" else (direction, [])


def _through(
    T: Transformer, norm: Norm | None, x: Array, direction: Array, name: str, b: int | None = None
) -> tuple[Array, list[Part]]:
    """Go back through a norm of x: return the direction before it, and the part of its bias."""
    if norm is None:
        return direction, []
    lanes = tuple(norm.lanes or T.lanes)
    places = [T.lanes.index(lane) for lane in lanes]
    inside, centred = direction[places], isinstance(norm, LayerNorm)
    parts = _bias(norm.bias, inside, name, b) if isinstance(norm, LayerNorm) and norm.bias is not None else []
    seen = x[places] - (x[places].mean() if centred else 0.0)
    spread = np.sqrt(np.mean(seen * seen) + float(T.arithmetic.round(norm.eps)))
    steep = (inside if norm.gain is None else inside * norm.gain) / spread
    before = direction.copy()
    before[places] = steep - (steep.mean() if centred else 0.0)
    return before, parts


def _bias(bias: Weights, direction: Array, name: str, b: int | None) -> list[Part]:
    return [Part("bias", float(bias @ direction), b, name=name)] if bias.any() else []
