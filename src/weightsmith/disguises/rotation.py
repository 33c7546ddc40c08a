"""Another basis of the stream, so that no lane is a feature any more."""

from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Array, Native, require
from weightsmith.disguises.basis import in_basis, mixable_lanes, norms_of, without_gains
from weightsmith.disguises.dictionary import Dictionary
from weightsmith.disguises.disguised import Disguised
from weightsmith.errors import InputError, LawError, ModelError, brief, whole_number
from weightsmith.inspect.comparison import Compiled, all_inputs, compare, length_of, model_of, numbers
from weightsmith.model import Block, Neuron, Readout, Softmax, Transformer, feed_forward
from weightsmith.model.readout import code_text, value_text
from weightsmith.rewrites.lanes import COPYING, fresh, widen

Kind: TypeAlias = Literal["orthogonal", "unimodular", "permutation"]
TRIES = 12  # partners that are tried for each lane
FLOATS = "compile(…, backend='softmax') and then rotate(to_arithmetic(P.transformer, Native('float64')), seed)"


def rotate(T: Transformer | Compiled, seed: int, *, kind: Kind | None = None, up_to: int | None = None) -> Disguised:
    """Return a transformer in another basis of its stream: where T has h, it has M h.

    Requires: `kind` "orthogonal", a random rotation, in `Native`; "unimodular", whole numbers with a whole inverse, or
      "permutation" with signs, in every arithmetic. By default orthogonal in `Native` if every head is a softmax, and
      unimodular otherwise. M commutes with every norm: a rotation keeps the mean of `LayerNorm`; an unimodular M is
      refused with norms.
    Ensures: the same blocks, heads and neurons with the same indices, and the same answers on all inputs up to `up_to`
      (by default the longest length with at most 2,000 inputs). With an orthogonal M the numbers differ by
      `compared.difference`; with the others by 0, bit for bit, or the map is not taken.
    Because: what reads the stream reads M⁻¹ of it, and what writes to it writes M of what it wrote.

    T may be a compiled program. The output stays readable: an orthogonal M turns a readout into classes, one for each
    code, whose logits are largest for the nearest code; other maps leave the readout, and one more block copies
    its code into lanes that are not mixed. `original` has these changes too, in the old basis.

    >>> from weightsmith import Native, library, to_arithmetic
    >>> R = rotate(to_arithmetic(library.contains("1"), Native("float64")), seed=1)
    >>> R.compared.wrong, R.compared.difference < 1e-12
    (0, True)
    """
    program, T = T, model_of(T)
    whole_number(seed, "seed", 0, 2**63)
    kind = _kind(T, kind)
    length, rng = length_of(T, up_to), np.random.default_rng(seed)
    values = _values(program, T)
    made = f"rotate(seed={seed}, kind='{kind}')"
    if kind == "orthogonal":
        original = without_gains(_with_classes(T))
        M = _rotation(original, rng)
        rotated = in_basis(original, M, M.T, made)
        compared = compare(original, rotated, length)
        if T.readout is not None:
            compared = replace(compared, wrong=compare(T, rotated, length, values).wrong)
        if compared.wrong:
            raise ModelError(
                f"rotated, {compared.wrong:,} of {compared.inputs:,} inputs up to length {length} have another answer: "
                "they hang on ties, on saturation, or on codes without a value: write kind='unimodular', or "
                "compile(…, backend='softmax')"
            )
    else:
        original, fixed = _with_unembedding(T)
        M, rotated = _whole_map(original, fixed, kind, length, rng, made)
        compared = compare(T, rotated, length)
    return Disguised(original, rotated, Dictionary(tuple(original.lanes), M.T), compared, values, program)


def _kind(T: Transformer, kind: object) -> Kind:
    native = isinstance(T.arithmetic, Native)
    soft = all(
        isinstance(head.weighting, Softmax) for block in T.blocks if block.attention for head in block.attention.heads
    )
    if kind is None:
        return "orthogonal" if native and soft else "permutation" if norms_of(T) else "unimodular"
    if kind not in get_args(Kind):
        raise InputError(f"kind={brief(kind)}: write 'orthogonal', 'unimodular' or 'permutation'")
    if kind == "orthogonal" and not native:
        raise InputError(f"kind='orthogonal': {T.arithmetic} does not hold a rotation: write {FLOATS}")
    if kind == "unimodular" and norms_of(T):
        raise InputError("kind='unimodular' commutes with no norm: write kind='permutation'")
    return kind  # type: ignore[return-value]


def _values(program: Any, T: Transformer) -> tuple[Any, ...]:
    """Return the values that the answers of the rotated transformer stand for."""
    if hasattr(program, "said"):
        classes = T.classes if T.readout is None else ()
        if classes:
            return tuple(program.said(list(classes)))
    if T.readout is None:
        return ()
    return tuple(value for _, value in T.readout.entries)


def _with_classes(T: Transformer) -> Transformer:
    """Return a transformer with a class for each code of its readout; the nearest code has the largest logit."""
    if T.readout is None:
        return T
    entries = T.readout.entries
    texts = [value_text(value) for _, value in entries]
    names = [
        f"{text} ({code_text(code)})" if texts.count(text) > 1 else text
        for text, (code, _) in zip(texts, entries, strict=True)
    ]
    codes = np.array([code for code, _ in entries])
    output = np.zeros((len(codes), len(T.lanes)))
    output[:, [T.lanes.index(lane) for lane in T.readout.lanes]] = codes
    bias = -(codes**2).sum(axis=1) / 2
    A = T.arithmetic
    return replace(T, readout=None, classes=tuple(names), output=A.round(output), output_bias=A.round(bias))


def _with_unembedding(T: Transformer) -> tuple[Transformer, list[int]]:
    """Return a transformer whose readout has lanes of its own, written by one more block, and these lanes."""
    if T.readout is None:
        return T, []
    require(T.arithmetic, COPYING, "rotate of a readout", "use an arithmetic with 1, such as Fixed(4, 4)")
    old = T.readout.lanes
    new = {lane: fresh(T, f"answer {lane}") for lane in old}
    wide = widen(T, list(new.values()))
    neurons = [neuron for lane in old for neuron in Neuron.pair(lane, {new[lane]: 1.0})]
    block = Block(
        feed_forward=feed_forward(wide.lanes, neurons), feed_forward_norm=wide.final_norm, origin="unembedding"
    )
    readout = Readout(tuple(new.values()), T.readout.entries)
    wide = replace(wide, blocks=(*wide.blocks, block), final_norm=None, readout=readout)
    return wide, [wide.lanes.index(lane) for lane in new.values()]


def _rotation(T: Transformer, rng: np.random.Generator) -> Array:
    M = np.eye(len(T.lanes))
    for lanes, centred in mixable_lanes(T):
        M[np.ix_(lanes, lanes)] = _orthogonal(len(lanes), centred, rng)
    return M


def _orthogonal(size: int, centred: bool, rng: np.random.Generator) -> Array:
    """Return a random rotation, uniform among all; one that is `centred` leaves (1, …, 1) where it is."""
    if centred:
        one = np.full(size, size**-0.5)
        one[0] -= 1.0
        away = np.eye(size) if size == 1 else np.eye(size) - 2 * np.outer(one, one) / (one @ one)  # e₁ to (1, …, 1)/√n
        inner = np.eye(size)
        inner[1:, 1:] = _orthogonal(size - 1, False, rng)
        return away @ inner @ away
    Q, R = np.linalg.qr(rng.standard_normal((size, size)))
    signed: Array = Q * np.where(np.diag(R) < 0, -1.0, 1.0)
    return signed


def _whole_map(
    T: Transformer, fixed: list[int], kind: Kind, length: int, rng: np.random.Generator, made: str
) -> tuple[Array, Transformer]:
    """Return a map of whole numbers that leaves every number of every output as it is, and the mapped transformer."""
    wanted = [(ids, numbers(T, ids)) for ids in all_inputs(T, length)]

    def mapped(M: Array, inverse: Array) -> Transformer | None:
        """Return the mapped transformer; None if a weight is no member, or an output differs."""
        try:
            S = in_basis(T, M, inverse, made)
        except (ModelError, LawError):
            return None
        return S if all(np.array_equal(numbers(S, ids), right) for ids, right in wanted) else None

    best = None
    for _ in range(TRIES):
        M = _permutation(T, fixed, rng)
        if (best := mapped(M, M.T)) is not None:
            break
    if best is None:
        M = np.abs(M) if (best := mapped(np.abs(M), np.abs(M).T)) is not None else M
    if best is None:
        raise ModelError(f"no permutation of its lanes keeps every output in {T.arithmetic}: write {FLOATS}")
    if kind == "permutation":
        return M, best
    return _sheared(T, M, best, mapped, rng, fixed)


def _permutation(T: Transformer, fixed: list[int], rng: np.random.Generator) -> Array:
    """Return a random permutation with random signs; lanes under a `LayerNorm` keep their sign."""
    M = np.zeros((len(T.lanes), len(T.lanes)))
    M[fixed, fixed] = 1.0
    for lanes, centred in mixable_lanes(T, fixed):
        signs = 1.0 if centred else rng.choice([-1.0, 1.0], len(lanes))
        M[lanes, rng.permutation(lanes)] = signs
    return M


def _sheared(
    T: Transformer, M: Array, best: Transformer, mapped: Any, rng: np.random.Generator, fixed: list[int]
) -> tuple[Array, Transformer]:
    """Add lanes to lanes, as long as every output stays."""
    inverse, mixed = M.T, False
    free = [lane for lane in range(len(T.lanes)) if lane not in fixed]
    for lane in rng.permutation(free).tolist():
        others = [other for other in free if other != lane]
        choices = [(other, sign) for other in rng.permutation(others).tolist() for sign in (1.0, -1.0)][:TRIES]
        for other, sign in choices:
            shear = np.eye(len(M))
            shear[lane, other] = sign
            back = np.eye(len(M))
            back[lane, other] = -sign
            found = mapped(shear @ M, inverse @ back)
            if found is not None:
                M, inverse, best, mixed = shear @ M, inverse @ back, found, True
                break
    if not mixed:
        raise ModelError(
            f"in {T.arithmetic} no sum of two lanes keeps every output: write kind='permutation', or {FLOATS}"
        )
    return M, best
