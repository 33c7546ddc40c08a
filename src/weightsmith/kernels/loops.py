"""All machine code of a run: rounded operations on single carrier values, and the loops that apply them to rows.

Every array is (rows, columns); a column is one position of one input, and each loop runs along contiguous columns
without branches, so that LLVM makes vector instructions of it. There is no fast-math: nothing is reordered, and no
product is contracted into a sum. What the operations mean is written in `weightsmith.arithmetic`; why they may be
written so is said at each of them. A *rule* is the arithmetic as the carrier sees it: a tuple of constants whose type
tells Numba which operation to compile.

It is one file because Numba's cache on disk looks only at the date of the file that a compiled function is in: a
change to operations elsewhere would go unnoticed.
"""

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from weightsmith.arithmetic.fast_rounding import away, to_even, to_zero

TILE = 2048  # columns that are worked on together, so that their rows stay in a near cache


class Whole(NamedTuple):
    """A fixed-point system, carried by the integers k that mean k·2^−shift."""

    infinity: Any
    shift: Any
    bias: Any
    tie: Any
    mask: Any
    sign: Any  # the place of the sign
    width: Any  # how many bits there are, as an integer of twice that many
    large: Any  # a power of two, from which on every product saturates


class Binary(NamedTuple):
    """A floating-point system, carried by floats. All but `infinity` and `nudge` are patterns of bits."""

    infinity: Any
    exponent: Any
    least: Any
    lift: Any
    bias: Any
    keep: Any
    nudge: Any


class BinaryEven(NamedTuple):
    """The same with ties to even: `last` is the place of the last bit that stays, `one` a 1."""

    infinity: Any
    exponent: Any
    least: Any
    lift: Any
    bias: Any
    keep: Any
    last: Any
    one: Any


class Machine(NamedTuple):
    """The machine's own arithmetic: nothing is rounded a second time."""

    infinity: Any


class Exact(NamedTuple):
    """How a float64 is rounded into the arithmetic, by `arithmetic.fast_rounding`, and scaled to a carrier value."""

    lowest: float
    infinity: float
    least_exponent: int
    precision: int
    ties: int  # 0 to zero, 1 to even, 2 away from zero; 3 and 4: the machine's float32 and float64
    scale: float
    nudge: float  # a little less or more than 1, by the tie rule


class Place(NamedTuple):
    """Where a member stands in a table of all of them."""

    shift: int
    base: int
    half: int


Rule = Whole | Binary | BinaryEven | Machine


# Integers of the carrier's own width; Numba's operators would widen them to 64 bits.


def _integer(emit: Any) -> Any:
    @intrinsic
    def operation(_typing: Any, x: Any, y: Any) -> Any:
        if not isinstance(x, types.Integer) or x != y:
            return None
        return x(x, y), lambda _context, builder, _signature, arguments: emit(builder, *arguments)

    return operation


_plus = _integer(lambda builder, x, y: builder.add(x, y))
_minus = _integer(lambda builder, x, y: builder.sub(x, y))
_times = _integer(lambda builder, x, y: builder.mul(x, y))
_shifted = _integer(lambda builder, x, y: builder.ashr(x, y))
_masked = _integer(lambda builder, x, y: builder.and_(x, y))
_xor = _integer(lambda builder, x, y: builder.xor(x, y))
_least = _integer(lambda builder, x, y: builder.select(builder.icmp_signed("<", x, y), x, y))
_most = _integer(lambda builder, x, y: builder.select(builder.icmp_signed(">", x, y), x, y))


def _cast(kinds: dict[Any, Any], emit: Any) -> Any:
    @intrinsic
    def operation(_typing: Any, x: Any) -> Any:
        if x not in kinds:
            return None

        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0], context.get_value_type(kinds[x]))

        return kinds[x](x), code

    return operation


_WIDER = {types.int16: types.int32, types.int32: types.int64}
_BITS = {types.float32: types.int32, types.float64: types.int64}
_widened = _cast(_WIDER, lambda builder, x, kind: builder.sext(x, kind))
_narrowed = _cast({wide: narrow for narrow, wide in _WIDER.items()}, lambda builder, x, kind: builder.trunc(x, kind))
_bits = _cast(_BITS, lambda builder, x, kind: builder.bitcast(x, kind))
_value = _cast({bits: value for value, bits in _BITS.items()}, lambda builder, x, kind: builder.bitcast(x, kind))


@nb.njit
def _clip(k: Any, infinity: Any) -> Any:
    return _least(_most(k, _minus(_minus(infinity, infinity), infinity)), infinity)


@nb.njit
def _round_off(r: Any, rule: Any) -> Any:
    """Give r·2^−shift, rounded. A shift rounds down; what is added before makes it the rule.

    That is 2^(shift−1) − 1 and, for ties to zero, 1 if r is negative; for ties to even, 1 if r rounded down is odd.
    For ties away from zero it is 2^(shift−1), less 1 if r is negative.
    """
    return _shifted(_plus(_plus(r, rule.bias), _masked(_shifted(r, rule.tie), rule.mask)), rule.shift)


@nb.njit
def _on_grid(v: Any, rule: Any) -> Any:
    """Round v to its quantum, ties to even.

    Adding 1.5·2^(w−1) quanta, for a carrier of w bits, pushes everything below the quantum out of it; subtracting
    them again is exact. The quantum follows from the exponent of v, or from the least exponent.
    """
    far = _value(_plus(_most(_masked(_bits(v), rule.exponent), rule.least), rule.lift))
    return (v + far) - far


@nb.njit
def _within(v: Any, rule: Any) -> Any:
    return min(max(v, -rule.infinity), rule.infinity)


def add(x: Any, y: Any, rule: Any) -> Any:
    """Give x ⊕ y."""


@overload(add, strict=False)
def _add(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class is Whole:
        return lambda x, y, rule: _clip(_plus(x, y), rule.infinity)
    if rule.instance_class is Machine:
        return lambda x, y, rule: x + y
    return lambda x, y, rule: rounded_sum(x + y, rule)


def subtract(x: Any, y: Any, rule: Any) -> Any:
    """Give x ⊖ y."""


@overload(subtract, strict=False)
def _subtract(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class is Whole:
        return lambda x, y, rule: _clip(_minus(x, y), rule.infinity)
    if rule.instance_class is Machine:
        return lambda x, y, rule: x - y
    return lambda x, y, rule: rounded_sum(x - y, rule)


def rounded_sum(s: Any, rule: Any) -> Any:
    """Round a float sum of two members to p bits, on its bits: sign and magnitude, so the carry goes the right way.

    A sum that is smaller than every normal number is a multiple of the quantum, so it has at most p bits and stays.
    """


@overload(rounded_sum, strict=False)
def _rounded_sum(s: Any, rule: Any) -> Any:
    if rule.instance_class is Binary:
        return lambda s, rule: _within(_value(_masked(_plus(_bits(s), rule.bias), rule.keep)), rule)

    def even(s: Any, rule: Any) -> Any:
        u = _bits(s)
        raised = _plus(_plus(u, rule.bias), _masked(_shifted(u, rule.last), rule.one))
        return _within(_value(_masked(raised, rule.keep)), rule)

    return even


def prepared(y: Any, rule: Any) -> Any:
    """Give the right factor of a product as `scaled` and `multiply` want it.

    They round ties to even. For another rule the factor y, of p bits, is first moved by y·2^(1−w) towards or away from
    zero, in a carrier of w bits. That moves the product, of 2p bits, by 1 to 3 units in the last of its w places: for
    w ≥ 2p + 2 this is less than the 4 units that lie between it and any midpoint but its own. So it decides the ties,
    and nothing else. (With y in [1, 1.5] it is one unit of y, above 1.5 it is two; work out both cases for products
    below and above 2: they move by more than ½ and less than 3 units, before they are rounded to whole ones.)
    """


@overload(prepared, strict=False)
def _prepared(y: Any, rule: Any) -> Any:
    if rule.instance_class is Binary:
        return lambda y, rule: y * rule.nudge
    return lambda y, rule: y


def scaled(x: Any, y: Any, rule: Any) -> Any:
    """Give x ⊗ y for a prepared y, when one of the two is at most 1 in absolute value: it cannot saturate."""


@overload(scaled, strict=False)
def _scaled(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class is Whole:
        return lambda x, y, rule: _round_off(_times(x, y), rule)
    if rule.instance_class is Machine:
        return lambda x, y, rule: x * y
    return lambda x, y, rule: _on_grid(x * y, rule)


def multiply(x: Any, y: Any, rule: Any) -> Any:
    """Give x ⊗ y for a prepared y."""


@overload(multiply, strict=False)
def _multiply(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class is Whole:

        # The product as a high and a low half. Where the low half is not all of it, or is so large that the rounding
        # would carry over, it lies beyond ∞.
        def whole(x: Any, y: Any, rule: Any) -> Any:
            low, high = _times(x, y), _narrowed(_shifted(_times(_widened(x), _widened(y)), rule.width))
            rounded = _round_off(_clip(low, rule.large), rule)
            beyond = _xor(_shifted(high, rule.sign), rule.infinity)  # ∞, or one below −∞
            return _clip(rounded if high == _shifted(low, rule.sign) else beyond, rule.infinity)

        return whole
    if rule.instance_class is Machine:
        return lambda x, y, rule: x * y
    return lambda x, y, rule: _on_grid(_within(x * y, rule), rule)


def saturate(x: Any, y: Any, reach: Any, rule: Any) -> Any:
    """Give x ⊗ y for a prepared weight y above 1. From |x| = reach on it saturates: so cut, the product fits."""


@overload(saturate, strict=False)
def _saturate(x: Any, y: Any, reach: Any, rule: Any) -> Any:
    if rule.instance_class is Whole:
        return lambda x, y, reach, rule: _clip(scaled(_clip(x, reach), y, rule), rule.infinity)
    return lambda x, y, reach, rule: multiply(x, y, rule)


@nb.njit
def _round(x: Any, exact: Any) -> Any:
    """Round a float64 into the arithmetic."""
    if exact.ties == 0:
        return to_zero(x, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
    if exact.ties == 1:
        return to_even(x, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
    if exact.ties == 2:
        return away(x, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
    return np.float64(np.float32(x)) if exact.ties == 3 else x


def place_of(x: Any, place: Any, rule: Any) -> Any:
    """Give the place of x in a table of a value for every member: see `carrier.places`."""


@overload(place_of, strict=False)
def _place_of(x: Any, place: Any, rule: Any) -> Any:
    if rule.instance_class is Whole:
        return lambda x, place, rule: np.int64(x) + place.half

    def of_float(x: Any, place: Any, rule: Any) -> Any:
        magnitude = np.int64(_bits(abs(x)) >> place.shift) - place.base
        return max(magnitude, 0) + (place.half if x < 0 else 0)

    return of_float


def quotients(x: Any, y: Any, exact: Any, rule: Any) -> None:
    """Replace x by x ⊘ y, for 0 ≤ x ≤ y."""


@overload(quotients, strict=False)
def _quotients(x: Any, y: Any, exact: Any, rule: Any) -> Any:
    if rule.instance_class is Whole:
        real = np.float32 if x.dtype == types.int16 else np.float64

        # The quotient in units, at most 2^f, is at least 1 part in 2^(i + 2f + 1) away from every midpoint but its own:
        # in 2^15 with int16, in 2^31 with int32. What the nudge moves, and float32 or float64 err, is far less.
        def whole(x: Any, y: Any, exact: Any, rule: Any) -> None:
            factor = real(exact.scale * exact.nudge)
            for i in range(x.size):
                x[i] = np.rint(real(x[i]) / real(y[i]) * factor)

        return whole
    if rule.instance_class is Machine:

        def machine(x: Any, y: Any, exact: Any, rule: Any) -> None:
            for i in range(x.size):
                x[i] = x[i] / y[i]

        return machine
    if rule.instance_class is BinaryEven:

        def even(x: Any, y: Any, exact: Any, rule: Any) -> None:
            for i in range(x.size):
                q = np.float64(x[i]) / np.float64(y[i])
                x[i] = to_even(q, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)

        return even

    def binary(x: Any, y: Any, exact: Any, rule: Any) -> None:
        if exact.ties == 0:
            for i in range(x.size):
                q = np.float64(x[i]) / np.float64(y[i])
                x[i] = to_zero(q, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
        else:
            for i in range(x.size):
                q = np.float64(x[i]) / np.float64(y[i])
                x[i] = away(q, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)

    return binary


# Loops. The matrix of `matvec` is sparse: row r has the entries from starts[r] to starts[r + 1], and an entry says its
# lane, its prepared weight, from where it saturates, and its kind: 0 for +1, 1 for −1, 2 for at most 1, 3 for more.


@nb.njit
def _row(starts: Any, lanes: Any, weights: Any, reach: Any, kinds: Any, r: int, x: Any, a: int, o: Any, rule: Any) -> None:
    """Fold row r times the columns of x from a on into o."""
    first, end = starts[r], starts[r + 1]
    if first == end:
        o[:] = 0
        return
    xs, w, far = x[lanes[first], a : a + o.size], weights[first], reach[first]
    if kinds[first] == 0:
        for i in range(o.size):
            o[i] = xs[i]
    elif kinds[first] == 2:
        for i in range(o.size):
            o[i] = scaled(xs[i], w, rule)
    else:
        for i in range(o.size):
            o[i] = saturate(xs[i], w, far, rule)
    for n in range(first + 1, end):
        xs, w, far = x[lanes[n], a : a + o.size], weights[n], reach[n]
        if kinds[n] == 0:
            for i in range(o.size):
                o[i] = add(o[i], xs[i], rule)
        elif kinds[n] == 1:
            for i in range(o.size):
                o[i] = subtract(o[i], xs[i], rule)
        elif kinds[n] == 2:
            for i in range(o.size):
                o[i] = add(o[i], scaled(xs[i], w, rule), rule)
        else:
            for i in range(o.size):
                o[i] = add(o[i], saturate(xs[i], w, far, rule), rule)


def matvec(
    starts: Any, lanes: Any, weights: Any, reach: Any, kinds: Any, bias: Any, x: Any, first: int,
    out: Any, target: int, count: int, relu: bool, into: bool, rule: Any,
) -> None:  # fmt: skip
    """Set `count` columns of out, from `target` on, to M x ⊕ bias for those of x from `first` on.

    With `relu` negative values become 0; with `into` the result is added to what is there.
    """
    scratch = np.empty(TILE, x.dtype)
    for a in range(0, count, TILE):
        size = min(TILE, count - a)
        for r in range(starts.size - 1):
            here = out[r, target + a : target + a + size]
            o = scratch[:size] if into else here
            _row(starts, lanes, weights, reach, kinds, r, x, first + a, o, rule)
            b = bias[r]
            if b != 0:
                for i in range(size):
                    o[i] = add(o[i], b, rule)
            if relu:
                for i in range(size):
                    o[i] = max(o[i], x.dtype.type(0))
            if into:
                for i in range(size):
                    here[i] = add(here[i], o[i], rule)


def accumulate(out: Any, x: Any, rule: Any) -> None:
    """Add x to out."""
    for r in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[r, i] = add(out[r, i], x[r, i], rule)


# Attention. Position t has widths[t] columns, from offsets[t] on; its column i sees column i mod widths[s] of position s.
# Columns are taken in chunks. A chunk lies within a period of a position with as many columns or more; of positions
# with fewer, `spread` repeats the columns to fill a chunk, once for the whole run.


def spread(x: Any, widths: Any, offsets: Any, out: Any) -> None:
    """Repeat the columns of each narrow position until they fill a chunk: out[position, row, column]."""
    chunk = out.shape[2]
    for s in range(widths.size):
        if widths[s] < chunk:
            for r in range(x.shape[0]):
                row = out[s, r]
                filled = widths[s]
                for i in range(filled):
                    row[i] = x[r, offsets[s] + i]
                while filled < chunk:  # whole periods, doubled
                    more = min(filled, chunk - filled)
                    for i in range(more):
                        row[filled + i] = row[i]
                    filled += more


@nb.njit
def _seen(x: Any, r: int, tiles: Any, s: int, width: int, offset: int, a: int, size: int) -> Any:
    """Give what a chunk of columns from a on sees of row r at position s."""
    if width < size:
        return tiles[s, r, :size]
    start = offset + a % width
    return x[r, start : start + size]


def score(
    q: Any, k: Any, tiles: Any, relative: Any, widths: Any, offsets: Any, causal: bool, out: Any, rule: Any
) -> None:
    """Set out[s, column] to ⟨q, k_s⟩, or to ⟨q, k_s ⊕ a⟩ with the row `a` of `relative` for the distance."""
    chunk = tiles.shape[2]
    for t in range(widths.size):
        for a in range(0, widths[t], chunk):
            size = min(chunk, widths[t] - a)
            here = offsets[t] + a
            for s in range(t + 1 if causal else widths.size):
                o = out[s, here : here + size]
                for i in range(size):
                    o[i] = 0
                for c in range(q.shape[0]):
                    qs, ks = q[c, here : here + size], _seen(k, c, tiles, s, widths[s], offsets[s], a, size)
                    if relative.shape[0] > 0:
                        distance = relative[min(t - s, relative.shape[0] - 1), c]
                        for i in range(size):
                            o[i] = add(o[i], multiply(qs[i], prepared(add(ks[i], distance, rule), rule), rule), rule)
                    else:
                        for i in range(size):
                            o[i] = add(o[i], multiply(qs[i], prepared(ks[i], rule), rule), rule)


def mix(weights: Any, v: Any, tiles: Any, widths: Any, offsets: Any, causal: bool, out: Any, rule: Any) -> None:
    """Set out to Σ weight_s ⊗ v_s; no weight is above 1."""
    chunk = tiles.shape[2]
    for t in range(widths.size):
        for a in range(0, widths[t], chunk):
            size = min(chunk, widths[t] - a)
            here = offsets[t] + a
            for c in range(v.shape[0]):
                o = out[c, here : here + size]
                for i in range(size):
                    o[i] = 0
                for s in range(t + 1 if causal else widths.size):
                    ws, vs = weights[s, here : here + size], _seen(v, c, tiles, s, widths[s], offsets[s], a, size)
                    for i in range(size):
                        o[i] = add(o[i], scaled(ws[i], prepared(vs[i], rule), rule), rule)


@nb.njit
def _largest(scores: Any, visible: int, here: int, out: Any) -> None:
    out[:] = scores[0, here : here + out.size]
    for s in range(1, visible):
        xs = scores[s, here : here + out.size]
        for i in range(out.size):
            out[i] = max(out[i], xs[i])


def shift(scores: Any, widths: Any, offsets: Any, causal: bool, rule: Any) -> None:
    """Subtract the largest score."""
    scratch = np.empty(TILE, scores.dtype)
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for a in range(0, widths[t], TILE):
            here, most = offsets[t] + a, scratch[: min(TILE, widths[t] - a)]
            _largest(scores, visible, here, most)
            for s in range(visible):
                xs = scores[s, here : here + most.size]
                for i in range(most.size):
                    xs[i] = subtract(xs[i], most[i], rule)


def look_up(scores: Any, widths: Any, offsets: Any, causal: bool, table: Any, place: Any, rule: Any) -> None:
    """Replace scores by their exponentials."""
    for t in range(widths.size):
        for s in range(t + 1 if causal else widths.size):
            xs = scores[s, offsets[t] : offsets[t] + widths[t]]
            for i in range(xs.size):
                xs[i] = table[place_of(xs[i], place, rule)]


def normalise(
    e: Any, widths: Any, offsets: Any, causal: bool, empty: Any, shares: Any, exact: Any, rule: Any
) -> int:
    """Divide exponentials by their sum; say in `empty` of each column whether it was 0, and then give shares[m].

    Give a column whose sum is not finite, or −1 for none.
    """
    wrong = -1
    scratch = np.empty(TILE, e.dtype)
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for a in range(0, widths[t], TILE):
            here, z = offsets[t] + a, scratch[: min(TILE, widths[t] - a)]
            z[:] = 0
            for s in range(visible):
                xs = e[s, here : here + z.size]
                for i in range(z.size):
                    z[i] = add(z[i], xs[i], rule)
            none = empty[here : here + z.size]
            for i in range(z.size):
                none[i] = z[i] == 0
                z[i] = z[i] if z[i] != 0 else e.dtype.type(1)  # all that is divided by it is 0
                wrong = wrong if np.isfinite(z[i]) else here + i
            for s in range(visible):
                xs = e[s, here : here + z.size]
                quotients(xs, z, exact, rule)
                if shares[visible] != 0:
                    for i in range(z.size):
                        xs[i] = shares[visible] if none[i] else xs[i]
    return wrong


def choose(scores: Any, widths: Any, offsets: Any, causal: bool, which: int, shares: Any) -> None:
    """Replace scores by shares[m] on each of the m largest (which = 0), or shares[1] on their first (1) or last (2)."""
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for i in range(offsets[t], offsets[t] + widths[t]):
            most = scores[0, i]
            first, last, count = 0, 0, 1
            for s in range(1, visible):
                if scores[s, i] > most:
                    most, first, last, count = scores[s, i], s, s, 1
                elif scores[s, i] == most:
                    last, count = s, count + 1
            for s in range(visible):
                chosen = scores[s, i] == most if which == 0 else s == (first if which == 1 else last)
                scores[s, i] = shares[count if which == 0 else 1] if chosen else scores.dtype.type(0)


# Norms, in float64, where every step is rounded as in the reference.


def norm(
    h: Any, out: Any, lanes: Any, first: int, last: int, m: float, eps: float, centred: bool, gain: Any, bias: Any,
    exact: Any,
) -> int:  # fmt: skip
    """Normalise the given lanes of the columns from first to last; give a column with the root 0, or −1 for none."""
    x = np.empty(lanes.size)
    for i in range(first, last):
        total = 0.0
        for j in range(lanes.size):
            x[j] = np.float64(h[lanes[j], i]) / exact.scale
            total = _round(total + x[j], exact)
        if centred:
            mean = _round(total / m, exact)
            for j in range(lanes.size):
                x[j] = _round(x[j] - mean, exact)
        total = 0.0
        for j in range(lanes.size):
            total = _round(total + _round(x[j] * x[j], exact), exact)
        root = _round(np.sqrt(_round(_round(total / m, exact) + eps, exact)), exact)
        if not (root > 0 and np.isfinite(root)):
            return i
        for j in range(lanes.size):
            y = _round(x[j] / root, exact)
            y = _round(y * gain[j], exact) if gain.size else y
            y = _round(y + bias[j], exact) if bias.size else y
            out[lanes[j], i] = h.dtype.type(y * exact.scale)
    return -1


def decide(logits: Any, out: Any) -> None:
    """Give the first of the largest logits of each column."""
    for i in range(out.size):
        best = 0
        for c in range(1, logits.shape[0]):
            if logits[c, i] > logits[best, i]:
                best = c
        out[i] = best
