/**
 * Real numbers enclosed by whole ones: `near` is the value times 2^bits, and it errs by at most `error`. Where float64
 * leaves a doubt about the nearest member, these decide, with more bits until both ends round to the same member.
 */

import type { Arithmetic } from "./arithmetic";

export interface Enclosed {
  readonly near: bigint;
  readonly error: bigint;
}

const BITS = [256, 1024, 4096];

/** Return the member nearest to a real number between two of float64; where these round apart, what encloses it says. */
export function nearestTo(A: Arithmetic, low: number, high: number, enclose: (bits: number) => Enclosed): number {
  const member = A.nearest(low);
  if (member === A.nearest(high)) return member;
  for (const bits of BITS) {
    const { near, error } = enclose(bits);
    const member = A.nearest(odd(near - error, bits));
    if (member === A.nearest(odd(near + error, bits))) return member;
  }
  throw new Error("a number could not be told from the middle between two members");
}

/** Return n / 2^bits in float64, cut off; a last bit of 1 says that there was more: so it is no midpoint by mistake. */
function odd(n: bigint, bits: number): number {
  const size = n < 0n ? -n : n;
  const extra = Math.max(0, size.toString(2).length - 53);
  const kept = size >> BigInt(extra);
  const sticky = kept << BigInt(extra) === size ? kept : kept | 1n;
  const scale = extra - bits; // in two steps: 2^scale itself may be too small for float64
  const value = Number(sticky) * 2 ** Math.trunc(scale / 2) * 2 ** (scale - Math.trunc(scale / 2));
  return n < 0n ? -value : value;
}

/** Return x·2^bits, cut off; exact for a member with as many bits behind the point. */
export function scaled(x: number, bits: number): bigint {
  let exponent = 0;
  let rest = x;
  while (!Number.isInteger(rest)) {
    rest *= 2;
    exponent++;
  }
  return exponent <= bits ? BigInt(rest) << BigInt(bits - exponent) : BigInt(rest) >> BigInt(exponent - bits);
}

const constants = new Map<string, bigint>();

function constant(name: string, bits: number, compute: () => bigint): bigint {
  const key = name + bits;
  const found = constants.get(key) ?? compute();
  constants.set(key, found);
  return found;
}

/** Return Σ ±1 / ((2n + 1)·k^(2n + 1)), times 2^bits: atanh(1/k) with plus, atan(1/k) with alternating signs. */
function inverseTangent(k: bigint, bits: number, sign: 1n | -1n): bigint {
  let power = (1n << BigInt(bits)) / k;
  let total = 0n;
  for (let n = 1n, s = 1n; power !== 0n; n += 2n, s *= sign) {
    total += (s * power) / n;
    power /= k * k;
  }
  return total;
}

/** Return ln 2, cut off, with 64 bits more for what errs on the way. */
const ln2 = (bits: number): bigint =>
  constant("ln2 ", bits, () => {
    const more = bits + 64;
    const [a, b, c] = [26n, 4801n, 8749n].map((k) => inverseTangent(k, more, 1n));
    return (18n * a - 2n * b + 8n * c) >> 64n;
  });

/** Return π. */
export const pi = (bits: number): bigint =>
  constant("π ", bits, () => {
    const more = bits + 64;
    return (16n * inverseTangent(5n, more, -1n) - 4n * inverseTangent(239n, more, -1n)) >> 64n;
  });

/** Return the whole part of a square root. */
function root(n: bigint): bigint {
  let x = 1n << BigInt(Math.ceil(n.toString(2).length / 2));
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

/** Return e^x: the parts of x beyond multiples of ln 2 by Taylor's series. */
function exponential(x: Enclosed, bits: number): Enclosed {
  const P = BigInt(bits);
  const unit = ln2(bits);
  let k = x.near / unit;
  if (x.near < k * unit) k -= 1n;
  const r = x.near - k * unit; // from 0 to ln 2
  let term = 1n << P;
  let total = term;
  let n = 1n;
  for (; term !== 0n; n++) {
    term = ((term * r) / n) >> P;
    total += term;
  }
  const error = 4n * (x.error + (k < 0n ? -k : k) + 2n) + 4n * n;
  return k >= 0n ? { near: total << k, error: error << k } : { near: total >> -k, error: (error >> -k) + 2n };
}

/** Return the natural logarithm of a number above 1; it errs by less than 2^12. */
function logarithm(x: number, bits: number): bigint {
  const doublings = Math.floor(Math.log2(x));
  const m = scaled(x, bits + 64) >> BigInt(doublings); // about 1 to 2
  const one = 1n << BigInt(bits + 64);
  const ratio = ((m - one) * one) / (m + one);
  const square = (ratio * ratio) / one;
  let power = ratio;
  let total = 0n;
  for (let n = 1n; power !== 0n; n += 2n) {
    total += power / n;
    power = (power * square) / one;
  }
  return BigInt(doublings) * ln2(bits) + ((2n * total) >> 64n);
}

/** Return base^(−p/q). It errs by less than 2^15. */
export function inversePower(base: number, p: number, q: number, bits: number): bigint {
  const log = base === 2 ? ln2(bits) : logarithm(base, bits);
  return exponential({ near: -(log * BigInt(p)) / BigInt(q), error: 1n << 12n }, bits).near;
}

/** By how much a pair of lanes turns for each position: scale·base^(−p/q). */
export interface Rate {
  readonly base: number;
  readonly p: number;
  readonly q: number;
  readonly scale: number; // at most 1, with at most 100 bits behind the point
}

/** Return one turn. It errs by less than 2^16. */
export function turnOf({ base, p, q, scale }: Rate, bits: number): bigint {
  return (inversePower(base, p, q, bits) * scaled(scale, bits)) >> BigInt(bits);
}

/** Return the sine or the cosine of t turns. */
export function wave(t: number, rate: Rate, cosine: boolean, bits: number): Enclosed {
  const P = BigInt(bits);
  const quarter = pi(bits) >> 1n;
  const angle = BigInt(t) * turnOf(rate, bits);
  const quarters = (2n * angle + quarter) / (2n * quarter);
  const r = angle - quarters * quarter;
  const turn = Number(quarters % 4n) + (cosine ? 1 : 0);
  let term = turn % 2 === 0 ? r : 1n << P; // sin r, or cos r after an odd number of quarters
  let total = term;
  for (let n = turn % 2 === 0 ? 2n : 1n; term !== 0n; n += 2n) {
    term = ((-((term * r) >> P) * r) / (n * (n + 1n))) >> P;
    if (term === -1n) break;
    total += term;
  }
  const near = turn % 4 < 2 ? total : -total;
  return { near, error: (BigInt(t) << 16n) + quarters + 4096n };
}

type Function = (x: number, bits: number) => Enclosed;

/** What each function is, enclosed. Inside there are 64 bits more, so that one unit holds every error at the end. */
export const ENCLOSED: Record<"exp" | "gelu" | "gelu_tanh" | "silu", Function> = {
  exp: (x, bits) => exponential({ near: scaled(x, bits), error: 1n }, bits),
  gelu: (x, bits) => {
    const more = bits + Math.ceil(1.5 * x * x) + 64; // the terms grow to e^(x²/2), and shrink by as much
    const P = BigInt(more);
    const y = scaled(x, more);
    const square = (y * y) >> P;
    let term = y;
    let total = 0n;
    for (let n = 3n; term !== 0n && term !== -1n; n += 2n) {
      total += term;
      term = ((term * square) / n) >> P;
    }
    const bell = exponential({ near: -square / 2n, error: 2n }, more).near;
    const half = 1n << (P - 1n);
    const share = half + (((bell * total) >> P) << P) / root((2n * pi(more)) << P);
    return { near: (y * share) >> (2n * P - BigInt(bits)), error: 2n };
  },
  gelu_tanh: (x, bits) => {
    const P = BigInt(bits + 64);
    const y = scaled(x, bits + 64);
    const cubic = y + (((((y * y) >> P) * y) >> P) * 44715n) / 1000000n;
    const steep = (2n * cubic * root((2n << (3n * P)) / pi(bits + 64))) >> P;
    return logistic(y, { near: -steep, error: 1n << 32n }, bits);
  },
  silu: (x, bits) => {
    const y = scaled(x, bits + 64);
    return logistic(y, { near: -y, error: 1n }, bits);
  },
};

/** Return y / (1 + e^z), from 64 bits more. */
function logistic(y: bigint, z: Enclosed, bits: number): Enclosed {
  const P = BigInt(bits + 64);
  return { near: ((y << P) / ((1n << P) + exponential(z, bits + 64).near)) >> 64n, error: 2n };
}
