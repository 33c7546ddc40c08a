/**
 * The random numbers of `numpy.random.default_rng(seed)`: PCG64 (O'Neill 2014; XSL-RR output, 128 bits of state), seeded
 * by numpy's SeedSequence. So a seed draws the same text here and in Python.
 */

const WORD = (1n << 128n) - 1n;
const MULTIPLIER = 47026247687942121848144207491837523525n;
const POOL = 4; // words of 32 bits
const [INIT_A, MULT_A, INIT_B, MULT_B] = [0x43b0d7e5, 0x931e8875, 0x8b51f9dd, 0x58f38ded];
const [MIX_LEFT, MIX_RIGHT] = [0xca01f9dd, 0x4973f715];

/** Returns numbers from 0 to 1, without 1, one after the other. */
export class Random {
  private state = 0n;
  private readonly increment: bigint;

  constructor(seed: number) {
    const [a, b, c, d] = seedWords(seed);
    this.increment = ((((c << 64n) | d) << 1n) | 1n) & WORD;
    this.step();
    this.state = (this.state + ((a << 64n) | b)) & WORD;
    this.step();
  }

  next(): number {
    this.step();
    const [high, low] = [this.state >> 64n, BigInt.asUintN(64, this.state)];
    const [mixed, turn] = [high ^ low, this.state >> 122n];
    const word = BigInt.asUintN(64, (mixed >> turn) | (mixed << (64n - turn)));
    return Number(word >> 11n) * 2 ** -53;
  }

  private step(): void {
    this.state = (this.state * MULTIPLIER + this.increment) & WORD;
  }
}

/** Return the number with an index, from 0 on, that a seed draws. */
export function drawn(seed: number, index: number): number {
  const random = new Random(seed);
  for (let n = 0; n < index; n++) random.next();
  return random.next();
}

/** Return four words of 64 bits from a seed. */
function seedWords(seed: number): bigint[] {
  let constant = INIT_A;
  const hashed = (value: number): number => {
    let word = (value ^ constant) >>> 0;
    constant = Math.imul(constant, MULT_A) >>> 0;
    word = Math.imul(word, constant) >>> 0;
    return (word ^ (word >>> 16)) >>> 0;
  };
  const mixed = (x: number, y: number): number => {
    const word = (Math.imul(MIX_LEFT, x) - Math.imul(MIX_RIGHT, y)) >>> 0;
    return (word ^ (word >>> 16)) >>> 0;
  };
  const entropy = [seed >>> 0, Math.floor(seed / 2 ** 32)]; // a seed has at most 53 bits
  const pool = Array.from({ length: POOL }, (_, n) => hashed(entropy[n] ?? 0));
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) if (from !== to) pool[to] = mixed(pool[to], hashed(pool[from]));
  }
  constant = INIT_B;
  const halves = Array.from({ length: 2 * POOL }, (_, n) => {
    let word = (pool[n % POOL] ^ constant) >>> 0;
    constant = Math.imul(constant, MULT_B) >>> 0;
    word = Math.imul(word, constant) >>> 0;
    return BigInt((word ^ (word >>> 16)) >>> 0);
  });
  return Array.from({ length: POOL }, (_, n) => (halves[2 * n + 1] << 32n) | halves[2 * n]);
}
