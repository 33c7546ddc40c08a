"""Pairs of members whose product, sum or quotient is exactly between two members, or as close to that as can be."""

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Fixed, Float, Saturating

Whole = npt.NDArray[np.int64]
Pairs = tuple[Array, Array]


def inverses(odd: Whole, bits: int) -> Whole:
    """Give 1/odd modulo 2^bits, by Newton's method; everything wraps around at 2^64."""
    inverse = odd.copy()
    for _ in range(6):
        inverse *= 2 - odd * inverse
    return inverse & ((1 << bits) - 1)


def close_factors(random: np.random.Generator, p: int, drop: int, off: int, count: int) -> tuple[Whole, Whole]:
    """Give p-bit numbers a, b with a·b ≡ 2^(drop−1) + off modulo 2^drop: dropping `drop` bits almost ties."""
    a = random.integers(1 << p - 1, 1 << p, count) | 1
    b = (inverses(a, drop) * ((1 << drop - 1) + off)) & ((1 << drop) - 1)
    if drop < p:
        b += random.integers(0, 1 << p - drop, count) << drop
    good = (b >= 1 << p - 1) & (b < 1 << p)
    return a[good], b[good]


def exact_ties(random: np.random.Generator, p: int, drop: int, count: int) -> tuple[Whole, Whole]:
    """Give p-bit numbers a, b with a·b ≡ 2^(drop−1) modulo 2^drop, whose factors of 2 are shared in every way."""
    twos = np.minimum(random.integers(0, drop, count), p - 1)
    rest = drop - 1 - twos
    good = rest < p
    twos, rest = twos[good], rest[good]

    def odd_times(power: Whole) -> Whole:
        low = np.maximum(p - 2 - power, 0)
        odd = 2 * random.integers(1 << low, 2 << low) + 1
        odd[power == p - 1] = 1
        return np.left_shift(odd, power)

    a, b = odd_times(twos), odd_times(rest)
    fits = (a >= 1 << p - 1) & (a < 1 << p) & (b >= 1 << p - 1) & (b < 1 << p)
    return a[fits], b[fits]


def corners(p: int, near: int) -> Whole:
    """Give the p-bit numbers around 1, √2, 1.5 and 2, where the nudge and the product change their unit."""
    one = 1 << p - 1
    centres = (one, int(one * 2**0.5), one + one // 2, int(one * 4 / 3), 2 * one)
    around = {centre + offset for centre in centres for offset in range(-near, near + 1)}
    return np.array(sorted(k for k in around if one <= k < 2 * one))


def hard_products(A: Saturating, random: np.random.Generator, count: int) -> Pairs:
    """Give hard products: in a `Float` at every depth of underflow, in a `Fixed` also where they begin to saturate."""
    p = A.precision
    if isinstance(A, Fixed):
        return _hard_fixed_products(A, random, count)
    parts = []
    for depth in range(p + 2):  # bits that are lost because the product is small
        for drop in {min(p - 1 + depth, 2 * p), min(p + depth, 2 * p)}:
            found = [exact_ties(random, p, drop, count)]
            found += [close_factors(random, p, drop, off, count) for off in (-2, -1, 0, 1, 2)]
            a, b = (np.concatenate(side).astype(np.float64) for side in zip(*found, strict=True))
            # a·b·2^scale has its first bit at 2^(2p−2) or 2^(2p−1) times 2^scale
            exponent = A.least_exponent - depth - (2 * p - 2) if depth else -random.integers(2 * p - 4, 2 * p, len(a))
            parts.append(_shared(A, random, a, b, np.broadcast_to(exponent, a.shape)))
    k = corners(p, 24).astype(np.float64)
    a, b = (side.reshape(-1) for side in np.meshgrid(k, k))
    parts.append(_shared(A, random, a, b, np.full(a.shape, 2 - 2 * p)))
    x, y = (np.concatenate(side) for side in zip(*parts, strict=True))
    return x * random.choice([-1.0, 1.0], x.shape), y * random.choice([-1.0, 1.0], y.shape)


def _shared(A: Saturating, random: np.random.Generator, a: Array, b: Array, exponent: npt.NDArray[np.int64]) -> Pairs:
    """Share an exponent between two factors so that both are members."""
    left = random.integers(-3, 4, a.shape) + exponent // 2
    x, y = np.ldexp(a, left), np.ldexp(b, exponent - left)
    good = A.contains(x) & A.contains(y)
    return x[good], y[good]


def _hard_fixed_products(A: Fixed, random: np.random.Generator, count: int) -> Pairs:
    p, f = A.precision, A.fraction_bits
    largest = (1 << p) - 1
    parts: list[tuple[Whole, Whole]] = []

    def of_any_length(bits: int) -> Whole:
        return np.exp2(random.uniform(0, bits, count)).astype(np.int64)

    for off in (-1, 0, 1) if f else ():
        a = np.minimum(of_any_length(p) | 1, largest)
        b = (inverses(a, f) * ((1 << f - 1) + off)) & ((1 << f) - 1)
        room = np.minimum(((1 << p + f) - 1) // a, largest) - b  # so that a·b does not saturate
        b += (random.random(count) * np.maximum(room >> f, 0)).astype(np.int64) << f
        parts.append((a[b <= largest], b[b <= largest]))
        twos = random.integers(0, f, count)
        a, b = (of_any_length(p - 1) | 1) << twos, (of_any_length(p - 1) | 1) << f - 1 - twos
        parts.append((a[(a <= largest) & (b <= largest)], b[(a <= largest) & (b <= largest)]))
    a = random.integers(1, largest + 1, count)
    edge = ((1 << p + f) - (1 << f >> 1)) // a  # where a·b begins to round to ∞, and where it goes beyond
    parts += [(a, np.clip(edge + off, 0, largest)) for off in (-1, 0, 1, 2)]
    beyond = -(-(1 << p + f) // a)
    parts += [(a, np.clip(beyond + off, 0, largest)) for off in (-1, 0, 1)]
    parts.append((random.integers(-largest, largest + 1, count), random.integers(-largest, largest + 1, count)))
    x, y = (np.concatenate(side) * A.smallest for side in zip(*parts, strict=True))
    return x * random.choice([-1.0, 1.0], x.shape) + 0.0, y * random.choice([-1.0, 1.0], y.shape) + 0.0


def random_members(A: Saturating, random: np.random.Generator, count: int) -> Array:
    """Give members of all sizes, each exponent as often as any other."""
    top = int(np.log2(A.infinity))
    exponent = random.integers(A.least_exponent - A.precision, top + 1, count)
    return A.round(random.choice([-1.0, 1.0], count) * random.uniform(1.0, 2.0, count) * np.ldexp(1.0, exponent))


def hard_sums(A: Saturating, random: np.random.Generator, count: int) -> Pairs:
    """Give members beside half a quantum or a quarter, or all but it, and members of all sizes."""
    p = A.precision
    x = random_members(A, random, count)
    x[: count // 4] = np.copysign(
        np.exp2(np.floor(np.log2(np.maximum(np.abs(x[: count // 4]), A.smallest)))), x[: count // 4]
    )
    exponent = np.frexp(x)[1] - 1 - p - random.integers(-1, 3, count)
    significand = 1 + random.integers(-2, 3, count) * np.exp2(-random.integers(p - 2, p + 1, count).astype(np.float64))
    y = A.round(random.choice([-1.0, 1.0], count) * np.ldexp(significand, exponent))
    z = random_members(A, random, count)
    return np.concatenate([x, y, x]) + 0.0, np.concatenate([y, x, z]) + 0.0


def hard_quotients(A: Saturating, random: np.random.Generator, count: int) -> Pairs:
    """Give x ≤ y with x/y beside a midpoint."""
    y = np.maximum(np.abs(random_members(A, random, count)), A.smallest)
    member = np.minimum(np.abs(random_members(A, random, count)), 1.0)
    half = np.exp2(np.maximum(np.frexp(member)[1] - 1, A.least_exponent) - A.precision * 1.0)
    x = A.round(np.minimum((member + half) * y, A.infinity))
    x = A.round(x + random.integers(-1, 2, count) * A.smallest)
    pairs = [(x, y), (np.abs(random_members(A, random, count)), y), (y, y), *_closest_quotients(A, random, 3000)]
    x, y = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return np.minimum(np.abs(x), y), y


def _closest_quotients(A: Saturating, random: np.random.Generator, count: int) -> list[Pairs]:
    """Give x < y, whole numbers of smallest values, with x·2^k = m·y ± 1 and m odd: x/y is all but the tie m·2^−k."""
    p = A.precision
    divisors = (random.integers(1 << p - 1, 1 << p, count) | 1).tolist()
    unit = 1.0 if isinstance(A, Float) and A.infinity >= 2.0**p else A.smallest
    pairs = []
    for k in (A.fraction_bits + 1,) if isinstance(A, Fixed) else (p, p + 1):
        inverse = [pow(2, -k, y) if y > 1 else 0 for y in divisors]
        for factors in (inverse, [(y - x) % y for x, y in zip(inverse, divisors, strict=True)]):
            pairs.append((np.array(factors) * unit, np.array(divisors) * unit))
    return pairs
