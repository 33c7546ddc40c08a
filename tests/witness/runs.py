"""A run evaluated from the definition with fractions: slow, plain, and independent of the package."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.witness.functions import FUNCTIONS, GATED
from tests.witness.numbers import System, system
from tests.witness.positions import Rule, added_vectors, rule_of_head

Vector = list[Fraction]
Matrix = list[Vector]


@dataclass
class WitnessRun:
    """Everything that a run defines."""

    stream: list[Matrix] = field(default_factory=list)
    attention: list[list[Matrix]] = field(default_factory=list)
    activations: list[Matrix] = field(default_factory=list)
    logits: Vector = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    decision: Any = None
    empty: int = 0
    hidden: frozenset[int] = frozenset()  # positions that no head sees
    lowest: int = 0  # how often a hard head saw nothing, or only scores of −∞


def exact(array: Any) -> Any:
    """Turn an array into nested lists of fractions."""
    if isinstance(array, list):
        return [exact(item) for item in array]
    if hasattr(array, "tolist"):
        return exact(array.tolist())
    return Fraction(array)


def product(N: System, M: Matrix, x: Vector) -> Vector:
    return [N.dot(row, x) for row in M]


def plus(N: System, x: Vector, y: Vector) -> Vector:
    return [N.round(a + b) for a, b in zip(x, y, strict=True)]


def witness_run(T: Any, tokens: list[str], hidden: frozenset[int] = frozenset()) -> WitnessRun:
    N = system(str(T.arithmetic))
    result = WitnessRun(hidden=hidden)
    embedding = exact(T.embedding)
    h = [embedding[list(T.vocabulary).index(token)] for token in tokens]
    vectors = added_vectors(N, T, len(tokens))
    if vectors is not None:
        h = [plus(N, row, position) for row, position in zip(h, vectors, strict=True)]
    result.stream.append(h)
    for block in T.blocks:
        entry = h
        before, after = (block.attention_norm, None) if block.norm_placement == "pre" else (None, block.attention_norm)
        if block.attention is not None:
            h = attention(N, T, block.attention, h, before, after, result)
        else:
            result.attention.append([])
        result.stream.append(h)
        norm = block.feed_forward_norm
        before, after = (norm, None) if block.norm_placement == "pre" else (None, norm)
        if block.feed_forward is not None:
            source = entry if block.parallel else h
            h = feed_forward(N, T, block.feed_forward, h, source, before, after, result)
        else:
            result.activations.append([[] for _ in h])
        result.stream.append(h)
    read_off(N, T, normalised(N, T, T.final_norm, h), result)
    return result


def read_off(N: System, T: Any, h: Matrix, result: WitnessRun) -> None:
    if T.readout is not None:
        table = {tuple(map(Fraction, code)): value for code, value in T.readout.table}
        result.outputs = [table[tuple(row[list(T.lanes).index(lane)] for lane in T.readout.lanes)] for row in h]
        result.decision = result.outputs[-1]
        return
    output = exact(T.embedding if T.tied else T.output)
    for row in h:
        result.logits = product(N, output, row)
        if T.output_bias is not None:
            result.logits = plus(N, result.logits, exact(T.output_bias))
        result.outputs.append(T.classes[result.logits.index(max(result.logits))])
    result.decision = result.outputs[-1]


def attention(N: System, T: Any, layer: Any, h: Matrix, before: Any, after: Any, result: WitnessRun) -> Matrix:
    seen = normalised(N, T, before, h)
    total = [[Fraction(0)] * len(T.lanes) for _ in h]
    all_weights = []
    for place, head in enumerate(layer.heads):
        W_Q, W_K, W_V, W_O = (exact(W) for W in (head.W_Q, head.W_K, head.W_V, head.W_O))
        biases = (head.b_Q, head.b_K, head.b_V)
        q, k, v = (projected(N, W, b, seen) for W, b in zip((W_Q, W_K, W_V), biases, strict=True))
        rule = rule_of_head(T, head, place, len(layer.heads))
        q, k = ([rule.turned(N, t, row) for t, row in enumerate(rows)] for rows in (q, k))
        rows = []
        for i in range(len(h)):
            reach = range(i if head.strict else i + 1 if T.mask == "causal" else len(h))
            near = [j for j in reach if head.window is None or i - j < head.window]
            visible = [j for j in near if j not in result.hidden]
            scores = [score(N, rule, i, j, q[i], k[j]) for j in visible]
            found = weigh(N, head.weighting, scores, result)
            hard = type(head.weighting).__name__ != "Softmax"
            result.lowest += hard and max(scores, default=-N.infinity) == -N.infinity
            weights = dict(zip(visible, found, strict=True))
            rows.append([weights.get(j, Fraction(0)) for j in range(len(h))])
            values = {j: rule.value(N, i, j, v[j]) for j in visible}
            mixed = [N.sum([N.round(weights[j] * values[j][c]) for j in visible]) for c in range(len(head.W_V))]
            total[i] = plus(N, total[i], product(N, W_O, mixed))
        all_weights.append(rows)
    if layer.b_O is not None:
        total = [plus(N, row, exact(layer.b_O)) for row in total]
    result.attention.append(all_weights)
    return normalised(N, T, after, [plus(N, row, more) for row, more in zip(h, total, strict=True)])


def projected(N: System, W: Matrix, b: Any, h: Matrix) -> Matrix:
    rows = [product(N, W, row) for row in h]
    return rows if b is None else [plus(N, row, exact(b)) for row in rows]


def score(N: System, rule: Rule, i: int, j: int, q: Vector, k: Vector) -> Fraction:
    found = N.dot(q, rule.key(N, i, j, k))
    penalty = rule.penalty(N, i, j)
    return found if penalty is None else N.round(found + penalty)


def weigh(N: System, weighting: Any, scores: Vector, result: WitnessRun) -> Vector:
    kind = type(weighting).__name__
    if not scores:  # a strict head at the first position
        result.empty += kind == "Softmax"
        return []
    best = [j for j, score in enumerate(scores) if score == max(scores)]
    if kind == "AverageHard":
        return [N.round(Fraction(1, len(best))) if j in best else Fraction(0) for j in range(len(scores))]
    if kind in ("LeftmostHard", "RightmostHard"):
        chosen = best[0] if kind == "LeftmostHard" else best[-1]
        return [N.round(Fraction(int(j == chosen))) for j in range(len(scores))]
    assert kind == "Softmax"
    if weighting.shifted:
        largest = max(scores)
        scores = [N.round(score - largest) for score in scores]
    e = [N.exp(score) for score in scores]
    z = N.sum(e)
    if z:
        return [N.round(value / z) for value in e]
    result.empty += 1
    share = N.round(Fraction(1, len(scores))) if weighting.empty == "uniform" else Fraction(0)
    return [share] * len(scores)


def feed_forward(
    N: System, T: Any, layer: Any, h: Matrix, source: Matrix, before: Any, after: Any, result: WitnessRun
) -> Matrix:
    out, activations = [], []
    W_1, b_1, W_2, b_2 = (exact(array) for array in (layer.W_1, layer.b_1, layer.W_2, layer.b_2))
    act = FUNCTIONS[GATED.get(layer.activation, layer.activation)]
    for row, seen in zip(h, normalised(N, T, before, source), strict=True):
        z = [N.round(act(value)) for value in plus(N, product(N, W_1, seen), b_1)]
        if layer.activation in GATED:
            gate = plus(N, product(N, exact(layer.W_3), seen), exact(layer.b_3))
            z = [N.round(a * b) for a, b in zip(z, gate, strict=True)]
        activations.append(z)
        out.append(plus(N, row, plus(N, product(N, W_2, z), b_2)))
    result.activations.append(activations)
    return normalised(N, T, after, out)


def normalised(N: System, T: Any, norm: Any, h: Matrix) -> Matrix:
    if norm is None:
        return h
    places = [list(T.lanes).index(lane) for lane in (norm.lanes or T.lanes)]
    m, eps = N.round(Fraction(len(places))), N.round(Fraction(norm.eps))
    out = []
    for row in h:
        x = [row[p] for p in places]
        if type(norm).__name__ == "LayerNorm":
            mean = N.round(N.sum(x) / m)
            x = [N.round(value - mean) for value in x]
        root = N.sqrt(N.round(N.round(N.dot(x, x) / m) + eps))
        y = [N.round(value / root) for value in x]
        if norm.gain is not None:
            y = [N.round(a * b) for a, b in zip(y, exact(norm.gain), strict=True)]
        if getattr(norm, "bias", None) is not None:
            y = plus(N, y, exact(norm.bias))
        new = list(row)
        for p, value in zip(places, y, strict=True):
            new[p] = value
        out.append(new)
    return out
