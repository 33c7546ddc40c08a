"""Check the proof of a claim about transformers, for inputs of every length: python verify.py MODEL [MODEL] CLAIM

This file stands alone: the standard library, its own rounding, its own reading of files. Of a certificate it believes
nothing. It takes machines from it, because to find them is hard; to check them is a walk through finitely many states.

Why what passes is true. All machines read tokens; a machine *speaks* a label above 0 in some states. A *stream* is
what stands at the last position before a block: vectors, and machines of which this holds (I): after each input, of at
least one token and no longer than a position table, some machine speaks, and each that speaks says the vector that
stands there. `Proof.embedded` checks (I) of the embedding, and `Proof.block` carries it through a block:

1. A *view* says something that depends on the vector alone: it was walked through together with each machine of the
   stream, and agrees wherever that one speaks, so by (I) after every input.
2. Queries of one class weigh all keys alike. What the weights depend on besides a single key (the largest score, the
   sum of exponentials, the number of keys) is a fold over the keys; walking through a view with that fold finds every
   result that it has where such a query stands. For each of these, a *guess*, there must be a reading.
3. With the guess for a constant, weights and weighted values are constants of the keys, and their sum is a fold too.
   The machine of a reading was walked through together with a view and both folds: it speaks where a query of the class
   stands and the guess comes out, and only there, and a label stands for one sum. By 2, for each head and each input a
   reading speaks.
4. A machine of the block was walked through together with what it is made of, the vectors of a class and a reading of
   each head: it speaks where all of them do, and only there, and a label stands for the vector that follows from
   theirs. Readings that are not put together never speak together: they were walked through as well.

So (I) holds after the block; of the last one the labels are decisions. At the end the machines are walked through
together with the language, or with those of the other model, and nowhere do both speak and differ. A walk starts before
the first token, takes every token in every state, and ends when no state is new: it has met what any input leads to.
"""

import hashlib
import json
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf, isqrt, prod
from pathlib import Path
from typing import Any

Vector = tuple[Fraction, ...]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
HARDWARE = {"float16": (24, 11, 65504), "bfloat16": (133, 8, 255 << 120), "e4m3": (9, 4, 448), "e5m2": (16, 3, 57344)}
DIGITS = 60  # with which functions are computed, from an argument that is exact
FATAL = object()  # the effect of a key that makes a guess wrong


class RefusedError(Exception):
    """The certificate does not prove the claim about these models, or has something that is not read here."""


def need(condition: object, why: str) -> None:
    if not condition:
        raise RefusedError(why)


# Numbers


class Arithmetic:
    """Multiples of a smallest positive number with at most so many significant bits, up to a largest one."""

    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"([a-z0-9]+)(?:\((?:(\d+),(\d+))?,?(?:ties=(zero|even|away))?\))?", text)
        name, first, second, ties = found.groups() if found else ("", None, None, None)
        need(name in ("fixed", "float") if first else name in HARDWARE, f"the arithmetic {text!r} is not read here")
        a, b, self.ties = int(first or 0), int(second or 0), ties or "zero"
        if name == "fixed":
            unit, self.bits, self.largest = b, a + b, Fraction(2 ** (a + b) - 1, 2**b)
        elif name == "float":
            unit, self.bits, self.largest = 2 ** (a - 1) + b - 1, b, (2**b - 1) * Fraction(2) ** (2 ** (a - 1) - b)
        else:
            unit, self.bits, self.largest = HARDWARE[name][0], HARDWARE[name][1], Fraction(HARDWARE[name][2])
        self.tiny = Fraction(1, 2**unit)

    @cache  # noqa: B019 (there are one or two arithmetics, and they stay)
    def __call__(self, x: Fraction) -> Fraction:
        """Round to the nearest member; ties as the arithmetic says; beyond the largest, to that."""
        if x < 0:
            return -self(-x)
        step = self.tiny * 2 ** max(0, (x // self.tiny).bit_length() - self.bits)
        whole, rest = divmod(x, step)
        up = 2 * rest > step or (2 * rest == step and (self.ties == "away" or (self.ties == "even" and whole % 2)))
        return min((whole + bool(up)) * step, self.largest)

    def plus(self, x: Iterable[Fraction], y: Iterable[Fraction] | None) -> Vector:
        return tuple(x) if y is None else tuple(self(a + b) for a, b in zip(x, y, strict=True))

    def linear(self, W: Iterable[Sequence[Fraction]], x: Sequence[Fraction], b: Vector | None = None) -> Vector:
        """Return W x ⊕ b: in each row, the fold of the products."""
        totals = []
        for row in W:
            totals.append(Fraction(0))
            for w, value in zip(row, x, strict=True):
                if w and value:
                    totals[-1] = self(totals[-1] + self(w * value))
        return self.plus(totals, b)

    def sqrt(self, x: Fraction) -> Fraction:
        """Round the root: cut off far below the last bit, with a further bit that says whether it was cut."""
        scaled = x * 4**1200
        root = isqrt(int(scaled))
        return self(Fraction(2 * root + (root * root != scaled), 2**1201))

    @cache  # noqa: B019
    def function(self, name: str, x: Fraction) -> Fraction:
        """Return exp, or an activation, of a member; far from 0 they are as good as ∞, x or 0 in every arithmetic."""
        if name == "relu" or x == 0:
            return max(x, Fraction(0)) if name != "exp" else self(Fraction(1))
        if abs(x) > (64 if name.startswith("gelu") else 5000):
            return max(x, Fraction(0)) if name != "exp" else self.largest if x > 0 else Fraction(0)
        return self.settled(lambda: FUNCTIONS[name](Decimal(x.numerator) / x.denominator))

    def settled(self, compute: Callable[[], Decimal]) -> Fraction:
        """Round what is computed with many digits, of which some may be wrong: it must not matter which."""
        with localcontext(Context(prec=DIGITS, Emax=10**9, Emin=-(10**9))):
            value = Fraction(compute())
        low, high = (self(value * (1 + Fraction(sign, 10 ** (DIGITS // 2)))) for sign in (-1, 1))
        need(low == high, "a function is too near to a tie")
        return low


def series(first: Decimal, following: Callable[[int, Decimal], Decimal]) -> Decimal:
    """Add up terms until they are far too small to count."""
    total, term, k = Decimal(0), first, 0
    while term and (k < 4 or total + term * 10 != total):
        total, k = total + term, k + 1
        term = following(k, term)
    return total


def wave(t: int, base: float, lane: int, lanes: int) -> Decimal:
    """Return the sine, in odd lanes the cosine, of t / base^(2·(lane // 2) / lanes)."""
    angle, odd = t * (Decimal(base).ln() * (-2 * (lane // 2)) / lanes).exp() % (2 * PI), 1 - lane % 2
    return series(angle**odd, lambda k, x: -x * angle * angle / ((2 * k + odd) * (2 * k + odd - 1)))


def normal(x: Decimal) -> Decimal:
    """Return the distribution function of the normal distribution: its series, or the continued fraction of its tail."""
    density, tail = (-x * x / 2).exp() / (2 * PI).sqrt(), abs(x)
    if tail < 4:
        return Decimal("0.5") + density * series(x, lambda k, term: term * x * x / (2 * k + 1))
    for k in range(400, 0, -1):
        tail = abs(x) + k / tail
    return 1 - density / tail if x > 0 else density / tail


FUNCTIONS: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": Decimal.exp,
    "silu": lambda x: x / (1 + (-x).exp()),
    "gelu": lambda x: x * normal(x),
    "gelu_tanh": lambda x: x / (1 + (-2 * (2 / PI).sqrt() * (x + Decimal("0.044715") * x**3)).exp()),
}


# Models


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a key comes twice")
    return dict(pairs)


class Model:
    """A transformer, as its file has it, and what it does to a vector of the stream."""

    def __init__(self, data: bytes) -> None:
        begin = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:begin], object_pairs_hook=unique)
        self.parts = json.loads(header.pop("__metadata__")["weightsmith"], object_pairs_hook=unique)
        self.arithmetic = A = Arithmetic(self.parts["arithmetic"])
        self.arrays = dict[str, Any]()
        for name, entry in header.items():
            form, (first, last) = {"F32": "f", "F64": "d"}[entry["dtype"]], entry["data_offsets"]
            *rows, width = entry["shape"]
            flat = [*map(Fraction, struct.unpack(f"<{prod(rows) * width}{form}", data[begin + first : begin + last]))]
            need(all(A(x) == x for x in flat), f"{name} has a number that is no member")
            found = [tuple(flat[i * width : (i + 1) * width]) for i in range(prod(rows))]
            self.arrays[name] = found if rows else found[0]
        self.blocks, self.lanes, self.vocabulary = (self.parts[key] for key in ("blocks", "lanes", "vocabulary"))
        self.embedding: list[Vector] = self.arrays["embedding"]
        self.letters = sorted(set(self.embedding))  # tokens with one embedding are one letter
        attends = any(block["attention"] for block in self.blocks)
        need(self.parts["mask"] == "causal" or not attends, "only causal transformers are checked here")
        given = self.parts["positions"]
        several = {f"positions.{i}": part for i, part in enumerate(given)} if isinstance(given, list) else {}
        self.schemes = several or ({"positions": given} if given else {})
        self.table = next((t for name in self.schemes if (t := self.position_table(name)) is not None), None)
        readout = self.parts.get("readout") or {"table": []}
        self.codes = {tuple(map(Fraction, code)): value for code, value in readout["table"]}
        classes = self.vocabulary if self.parts["tied"] else self.parts["classes"]
        self.answers = list(dict.fromkeys(self.codes.values())) if self.codes else classes

    def position_table(self, name: str) -> list[Vector] | None:
        """Return what a scheme adds to the embedding, position by position."""
        A, scheme, lanes = self.arithmetic, self.schemes[name], len(self.lanes)

        def entry(t: int, lane: int) -> Fraction:
            return A.settled(lambda: wave(t, scheme["base"], lane, lanes)) if t else A(Fraction(lane % 2))

        if scheme["kind"] == "Sinusoidal":
            return [tuple(entry(t, lane) for lane in range(lanes)) for t in range(scheme["max_length"])]
        return self.arrays[f"{name}.values"] if scheme["kind"] == "Table" else None

    def norm(self, name: str, norm: dict[str, Any] | None, x: Vector) -> Vector:
        if norm is None:
            return x
        A, places = self.arithmetic, [self.lanes.index(lane) for lane in norm["lanes"] or self.lanes]
        part, m = [x[place] for place in places], A(Fraction(len(places)))
        if norm["kind"] == "LayerNorm":
            mean = A(A.linear([part], [Fraction(1)] * len(part))[0] / m)  # to multiply by 1 changes nothing
            part = [A(value - mean) for value in part]
        root = A.sqrt(A(A(A.linear([part], part)[0] / m) + A(Fraction(norm["eps"]))))
        gain, bias = (self.arrays.get(f"{name}.{key}") for key in ("gain", "bias"))
        new = [A(value / root) for value in part]
        new = A.plus(new if gain is None else [A(a * b) for a, b in zip(new, gain, strict=True)], bias)
        changed = dict(zip(places, new, strict=True))
        return tuple(changed.get(place, value) for place, value in enumerate(x))

    def normed(self, b: int, which: str, placement: str, x: Vector) -> Vector:
        here = self.blocks[b]["norm_placement"] == placement
        return self.norm(f"blocks.{b}.{which}", self.blocks[b][which], x) if here else x

    def after(self, b: int, x: Vector, outputs: Iterable[Vector]) -> Vector:
        """Return what a block makes of a vector, from what its heads give there."""
        A, block, entry, total = self.arithmetic, self.blocks[b], x, (Fraction(0),) * len(x)
        for output in outputs:
            total = A.plus(total, output)
        if block["attention"] is not None:
            total = A.plus(total, self.arrays.get(f"blocks.{b}.attention.b_O"))
            x = self.normed(b, "attention_norm", "post", A.plus(x, total))
        if block["feed_forward"] is None:
            return x
        seen = self.normed(b, "feed_forward_norm", "pre", entry if block.get("parallel") else x)
        W_1, b_1, W_2, b_2, W_3, b_3 = (
            self.arrays.get(f"blocks.{b}.feed_forward.{key}") for key in ("W_1", "b_1", "W_2", "b_2", "W_3", "b_3")
        )
        act = {"reglu": "relu", "swiglu": "silu"}.get(name := block["feed_forward"]["activation"], name)
        z = [A.function(act, value) for value in A.linear(W_1, seen, b_1)]
        if W_3 is not None:
            z = [A(a * b) for a, b in zip(z, A.linear(W_3, seen, b_3), strict=True)]
        return self.normed(b, "feed_forward_norm", "post", A.plus(x, A.linear(W_2, z, b_2)))

    def answer(self, x: Vector) -> int:
        """Return the place of what is said of a vector among the answers."""
        x = self.norm("final_norm", self.parts["final_norm"], x)
        if self.codes:
            code = tuple(x[self.lanes.index(lane)] for lane in self.parts["readout"]["lanes"])
            need(code in self.codes, "a code stands for nothing")
            return self.answers.index(self.codes[code])
        output = self.embedding if self.parts["tied"] else self.arrays["output"]
        logits = self.arithmetic.linear(output, x, self.arrays.get("output_bias"))
        return logits.index(max(logits))


# Machines and walks


class Machine:
    """A machine over letters; its start is state 0."""

    def __init__(self, table: list[list[int]], labels: list[int], letters: int) -> None:
        self.table, self.labels, states = table, labels, range(len(table))
        need(states and len(labels) == len(states) and all(type(x) is int for x in labels), "a state has no label")
        for row in table:
            need(len(row) == letters and all(type(s) is int and s in states for s in row), "a machine leads nowhere")
        self.lively = leading(table, {s for s in states if labels[s]})  # where it speaks, or may do so later


def leading(table: list[list[int]], goal: set[int]) -> set[int]:
    """Return the states from which some letters, or none, lead to a goal."""
    before: dict[int, list[int]] = {}
    for state, row in enumerate(table):
        for following in set(row):
            before.setdefault(following, []).append(state)
    found, order = set(goal), list(goal)
    for state in order:  # it grows meanwhile
        order += (new := [s for s in before.get(state, ()) if s not in found])
        found.update(new)
    return found


def walk(start: Any, letters: int, step: Callable[[Any, int], Any]) -> list[Any]:
    """Return every state to which letters lead, one or more; where a step gives None, nothing is beyond."""
    seen, order = set(), [start]
    for state in order:  # it grows meanwhile
        for letter in range(letters):
            following = step(state, letter)
            if following is not None and following not in seen:
                seen.add(following)
                order.append(following)
    return order[1:]


def said(machines: Sequence[Machine]) -> set[tuple[int, ...]]:
    """Return the labels that machines say at the same time, after each input."""
    tables, letters = [machine.table for machine in machines], len(machines[0].table[0])
    states = walk((0,) * len(tables), letters, lambda s, a: tuple([t[i][a] for t, i in zip(tables, s, strict=True)]))
    return {tuple([machine.labels[i] for machine, i in zip(machines, s, strict=True)]) for s in states}


def same(known: dict[int, Any], label: int, value: Any) -> None:
    need(known.setdefault(label, value) == value, f"the label {label} stands for two things")


# Attention


class Fold:
    """A fold over the keys that a query sees: what weights depend on and, with that guessed, the sum of weighted values.

    `first` and `last` take the key with the largest code, `largest` finds that code, `sum` adds up exponentials (of
    codes less the largest one, if that is given), `best` counts the keys with the largest code, `every` all keys.
    """

    def __init__(self, A: Arithmetic, kind: str, largest: Any = None, guess: Fraction | None = None) -> None:
        self.A, self.kind, self.largest, self.guess = A, kind, largest, guess
        self.chooses = kind in ("first", "last", "largest")
        self.start = (kind == "every" or (kind == "sum" and largest is None), Fraction(0))

    def effect(self, code: Fraction, value: Vector) -> Any:
        """Return what a key does: whether it has the largest code, how the normaliser steps, the term; None: nothing."""
        step, weight = Fraction(1), self.guess or Fraction(0)
        if self.largest is not None and code > self.largest:
            return FATAL
        if self.chooses:
            step, weight = code, self.A(Fraction(1))
        elif self.kind == "sum":
            step = code if self.largest is None else self.A.function("exp", self.A(code - self.largest))
            weight = self.A(step / self.guess) if self.guess else Fraction(0)
        if (self.kind == "sum" and step == 0) or (self.kind == "best" and code < self.largest):
            return None
        return code == self.largest, step, tuple(self.A(weight * v) for v in value)

    def take(self, state: Any, effect: Any) -> Any:
        """Return the normaliser and the sum after a key; None where the guess is wrong."""
        if state is None or effect is None or effect is FATAL:
            return state if effect is None else None
        ((seen, n), total), (top, step, term) = state, effect
        if self.chooses:
            better = not seen or step > n or (step == n and self.kind == "last")
            return (True, step if better else n), term if better else total
        more = self.A(n + step) if self.kind == "sum" else n + (n == 0 or self.A(1 / n) > 0)  # then parts stay 0
        return (seen or top, more), self.A.plus(total, term)

    def outcome(self, n: tuple[bool, Fraction]) -> Any:
        """Return what there is to guess, as it came out; None where there is none."""
        return (n[1] if self.kind in ("sum", "largest") or n[1] == 0 else self.A(1 / n[1])) if n[0] else None

    def right(self, n: tuple[bool, Fraction]) -> bool:
        return self.chooses or (n[0] and self.guess in (None, self.outcome(n)))

    def hopeful(self, effects: Iterable[Any]) -> set[Any]:
        """Return the normalisers from which the guess can come out."""
        steps = list({(*effect[:2], ()) for effect in effects if effect is not None and effect is not FATAL})
        order = [(self.start, ()), *walk((self.start, ()), len(steps), lambda n, i: self.take(n, steps[i]))]
        place = {n: i for i, n in enumerate(order)}
        table = [[place[self.take(n, step)] for step in steps] for n in order]
        return {order[i][0] for i in leading(table, {i for n, i in place.items() if self.right(n[0])})}


class Head:
    """What a head makes of the stream: for each class of queries, machines that say what it adds."""

    def __init__(self, proof: "Proof", b: int, i: int, data: Any) -> None:
        self.proof, self.data, model, self.A = proof, data, proof.model, proof.model.arithmetic
        A, heads, name = self.A, model.blocks[b]["attention"]["heads"], f"blocks.{b}.attention.heads.{i}"
        self.weighting, self.strict, own = heads[i]["weighting"], heads[i].get("strict", False), heads[i].get("positions")
        W = {key: model.arrays.get(f"{name}.{key}") for key in ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "W_O")}
        seen = {x: model.normed(b, "attention_norm", "pre", h) for x, h in proof.vectors.items()}
        q, k, v = ({x: A.linear(W[f"W_{c}"], h, W[f"b_{c}"]) for x, h in seen.items()} for c in "QKV")
        tables: list[list[Any]] = [[None], [None], [None]]  # what is added to keys, values, scores, by age
        for where, scheme in ({f"{name}.positions": own} if own else model.schemes).items():
            need(scheme["kind"] != "Rotary", "rotary positions are not checked here")
            if scheme["kind"] == "Relative":
                tables[:2] = model.arrays[f"{where}.keys"], model.arrays.get(f"{where}.values") or [None]
            elif scheme["kind"] == "Alibi":
                tables[2] = self.penalties(scheme["slopes"], 0 if own else i, len(heads))
        ages = range(max(1 + self.strict, *map(len, tables)))
        key, value, score = ([table[min(age, len(table) - 1)] for age in ages] for table in tables)
        self.values = {x: [A.plus(v[x], value[age]) for age in ages] for x in seen}
        meet = cache(lambda q, k, age: A.plus(A.linear([q], A.plus(k, key[age])), score[age])[0])
        rows = {x: {y: [meet(q[x], k[y], age) for age in ages[self.strict :]] for y in seen} for x in seen}
        self.codes = {x: self.coded(rows[x]) for x in seen}  # by query, key and age, from that on at which keys are seen
        self.class_of = {x: c for c, entry in enumerate(data) for x in entry["queries"]}
        need(self.class_of.keys() == seen.keys(), "a vector has no class")
        need(all(self.codes[x] == self.codes[data[c]["queries"][0]] for x, c in self.class_of.items()), "a class differs")
        self.readings = [[*self.read(c, W["W_O"])] for c in range(len(data))]

    def penalties(self, slopes: list[float] | None, place: int, heads: int) -> list[Vector]:
        """Return what ALiBi adds to scores, up to the distance from which on that is −∞."""
        found, power = [(Fraction(0),)], Fraction(-8 * (place + 1), heads)
        while found[-1][0] > -self.A.largest and (slopes is None or slopes[place]):
            need(len(found) < 5000, "a penalty grows too slowly")
            exact = Fraction(slopes[place]) if slopes else Fraction(2) ** power if power.denominator == 1 else None
            near = lambda d=len(found): d * Decimal(2) ** (Decimal(power.numerator) / power.denominator)  # noqa: E731
            found.append((-(self.A.settled(near) if exact is None else self.A(exact * len(found))),))
        return found

    def coded(self, scores: dict[int, list[Fraction]]) -> dict[int, list[Fraction]]:
        """Return what a weighting sees of scores: exponentials, or scores if they are shifted, or their order alone."""
        order = {s: Fraction(place) for place, s in enumerate(sorted({s for row in scores.values() for s in row}))}
        if self.weighting["kind"] == "Softmax":
            order = {s: s if self.weighting["shifted"] else self.A.function("exp", s) for s in order}
        return {y: [order[s] for s in row] for y, row in scores.items()}

    def folds(self, c: int) -> Iterator[Fold]:
        """Return a fold for each guess that comes out for a query of a class."""
        kind, empty, A = self.weighting["kind"], self.weighting.get("empty"), self.A
        if kind in ("LeftmostHard", "RightmostHard"):
            yield Fold(A, "first" if kind == "LeftmostHard" else "last")
            return
        plain = kind == "Softmax" and not self.weighting["shifted"]
        for found in self.follow(c, Fold(A, "sum" if plain else "largest")):
            need(empty != "error" or found or (found is not None and not plain), "a softmax is empty")
            if plain and (found or empty == "zero"):
                yield Fold(A, "sum", None, found)
            elif found is None:  # no key is seen
                yield Fold(A, "every", -inf, Fraction(0))
            else:
                next_kind = "every" if plain else "sum" if kind == "Softmax" else "best"
                for guess in self.follow(c, Fold(A, next_kind, found)):
                    yield Fold(A, next_kind, found, guess)

    def read(self, c: int, W_O: list[Vector]) -> Iterator[tuple[Machine, dict[int, Vector]]]:
        """Check the readings of a class; return their machines, and what their labels stand for."""
        for fold, entry in zip(self.folds(c), self.data[c]["readings"], strict=True):
            M, sums = self.proof.pool[entry["machine"]], dict[int, Vector]()
            self.follow(c, fold, entry["view"], M, sums)
            yield M, {label: self.A.linear(W_O, total) for label, total in sums.items()}

    def follow(self, c: int, fold: Fold, view: Any = None, M: Machine | None = None, sums: Any = None) -> list[Any]:
        """Walk through a view with a fold, and a machine that must say its sums; return the outcomes at queries."""
        V, found = self.proof.pool[self.data[c]["view"] if view is None else view], set[Any]()
        codes, size = self.codes[self.data[c]["queries"][0]], len(next(iter(self.values.values()))[0]) if M else 0
        acts = {x: [fold.effect(code, v[:size]) for code, v in zip(codes[x], self.values[x][self.strict :])] for x in codes}
        effects_of = {x: ((*([None] * self.strict), *acts[x]), self.class_of[x] == c) for x in codes}
        meaning = self.proof.view(V, effects_of)
        useful = leading(V.table, {s for s, label in enumerate(V.labels) if meaning.get(label, (0, 0))[1]})
        hopeful, ages = fold.hopeful(effect for row in acts.values() for effect in row), len(effects_of[min(codes)][0])

        def step(state: Any, letter: int) -> Any:
            v, window, folded, m = state
            v, m = V.table[v][letter], M.table[m][letter] if M else 0
            effects, asks = meaning.get(V.labels[v], ((None,) * ages, False))
            window = (*(older[1:] for older in window), effects)
            if len(window[0]) == 1:  # it has the last age, and changes no more
                folded, window = fold.take(folded, window[0][0]), window[1:]
            end = folded
            for effects in window if asks else ():
                end = fold.take(end, effects[0])
            right = asks and end is not None and fold.right(end[0])
            if right:
                found.add(fold.outcome(end[0]))
            if M:
                need(right == (M.labels[m] > 0), "a reading speaks where it must not, or does not where it must")
                if right:
                    same(sums, M.labels[m], end[1])
            if folded is None or folded[0] not in hopeful or v not in useful:
                return need(not M or m not in M.lively, "a reading speaks where it must not")
            return v, window, folded, m

        walk((0, (), (fold.start, (Fraction(0),) * size), 0), self.proof.letters, step)
        return sorted(found, key=lambda outcome: (outcome is not None, outcome))


# Proofs


class Proof:
    """What a certificate says of one model, checked; then `machines` say 1 + the place of the answer."""

    def __init__(self, model: Model, data: Any) -> None:
        self.model, self.letters = model, len(model.letters)
        self.pool = [Machine(entry["table"], entry["labels"], self.letters) for entry in data["machines"]]
        self.machines = [self.pool[data["embedding"]]]
        self.vectors = self.embedded(self.machines[0])
        need(len(data["blocks"]) == max(1, len(model.blocks)), "it has another number of blocks")
        for b, block in enumerate(data["blocks"]):
            self.block(b, block, last=b + 1 == len(data["blocks"]))

    def embedded(self, M: Machine) -> dict[int, Vector]:
        """Check the machine of the embedding; return the vectors that its labels stand for."""
        table, vectors = self.model.table, dict[int, Vector]()

        def step(state: tuple[int, int], letter: int) -> tuple[int, int] | None:
            there, t = M.table[state[0]][letter], state[1]
            need(M.labels[there] > 0, "the embedding says nothing")
            same(vectors, M.labels[there], self.model.arithmetic.plus(self.model.letters[letter], table and table[t]))
            return None if table and t + 1 == len(table) else (there, t + bool(table))

        walk((0, 0), self.letters, step)
        return vectors

    def view(self, V: Machine, meaning: dict[int, Any]) -> dict[int, Any]:
        """Check that a machine says what depends on the vector alone; return what its labels stand for."""
        found = dict[int, Any]()
        for M in self.machines:
            for seen, label in said([V, M]):
                if label:
                    same(found, seen, meaning[label])
        return found

    def block(self, b: int, data: Any, last: bool) -> None:
        """Go from the stream before a block to that after it."""
        vectors, machines, model = dict[int, Any](), list[Machine](), self.model

        def finish(x: int, *outputs: Vector) -> Any:
            vector = model.after(b, self.vectors[x], outputs) if model.blocks else self.vectors[x]
            return 1 + model.answer(vector) if last else vector

        def join(M: Machine, meaning: dict[int, Any], heads: Sequence[Any], tree: Any) -> None:
            """Put a machine together with those of the heads that are left."""
            for g, (F, sums) in enumerate(heads[0]):
                N = self.pool[tree[g][0]] if tree[g] else None
                known = vectors if len(heads) == 1 else dict[int, Any]()
                for a, f, *n in said([M, F, N] if N else [M, F]):
                    need((a > 0 < f) == (sum(n) > 0), "a machine speaks where it must not, or does not where it must")
                    if a > 0 < f:
                        whole = (*meaning[a], *([sums[f]] if sums else []))
                        same(known, n[0], finish(*whole) if len(heads) == 1 else whole)
                if N and len(heads) == 1:
                    machines.append(N)
                elif N:
                    join(N, known, heads[1:], tree[g][1])

        attention = model.blocks[b]["attention"] if model.blocks else None
        nobody = [(Machine([[0] * self.letters], [1], self.letters), {})]  # in place of heads
        heads = [Head(self, b, i, data["heads"][i]) for i in range(len(attention["heads"]) if attention else 0)]
        classes = {x: tuple(head.class_of[x] for head in heads) for x in self.vectors}
        for M, tree in [] if attention else zip(self.machines, data["copies"], strict=True):
            join(M, {x: (x,) for x in classes}, [nobody], tree)
        for key in sorted(set(classes.values())) if attention else ():
            own, tree = next((own, tree) for which, own, tree in data["classes"] if tuple(which) == key)
            spoken = self.view(self.pool[own], {x: x if classes[x] == key else 0 for x in classes})
            need(all(label == x for label, x in spoken.items()), "it says another vector")
            readings = [head.readings[c] for head, c in zip(heads, key, strict=True)]
            join(self.pool[own], {x: (x,) for x in classes}, readings or [nobody], tree)
        need(not last or all(label == answer for label, answer in vectors.items()), "it says another answer")
        self.vectors, self.machines = vectors, machines


# Claims


def compared(given: Any, automaton: Any, tokens: list[str]) -> str:
    """Compare an automaton with what it is said to be of: itself, or an expression, on short inputs."""
    if "regex" not in given:
        need(given["automaton"] == automaton, "the automaton is of another language")
        return ""
    pattern, gap, n = re.compile(given["regex"], given["flags"]), " " * any(len(t) != 1 for t in tokens), 0
    while len(tokens) ** n <= 1000 and n < 20:
        for ids in product(range(len(tokens)), repeat=n):
            state = automaton["start"]
            for i in ids:
                state = automaton["table"][state][i]
            matches = pattern.fullmatch(gap.join(tokens[i] for i in ids)) is not None
            need(n == 0 or matches == automaton["accepting"][state], "the automaton is not that of the expression")
        n += 1
    return f"; the automaton of {given['regex']!r} was compared with re on inputs up to length {n - 1}, not proved"


def check(models: Sequence[Model], data: Any) -> str:
    """Check the certificate of a claim; return what it proves."""
    digest = hashlib.sha256(json.dumps({**data, "digest": None}, sort_keys=True).encode()).hexdigest()
    need(data["digest"] == digest, "the certificate was changed")
    need(data["holds"] is True and len(models) == len(data["proof"]), "it is no proof about these models")
    tokens, suffix, note = data["vocabulary"], data.get("suffix", []), ""
    after = [suffix if set(suffix) <= set(model.vocabulary) else [] for model in models]
    for model in models:
        need(sorted({*model.vocabulary} - {*suffix}) == sorted(tokens), "it is about other tokens")
    longest = min([len(m.table) - len(more) for m, more in zip(models, after, strict=True) if m.table], default=inf)
    claimed = inf if data["scope"] == "all lengths" else int(data["scope"].removeprefix("up to "))
    need(claimed <= longest and data["claim"] in ("recognizes", "same_decisions"), "it says more than it proves")
    need(len(models) == 1 + (data["claim"] == "same_decisions"), "it is about another number of models")
    everything = {"table": [[0] * len(tokens)], "accepting": [True], "start": 0}
    L, W = (data["automata"].get(name, everything) for name in ("language", "within"))
    for name, automaton in (("language", L), ("within", W)):
        note += compared(data[name], automaton, tokens) if data.get(name) else ""
    letters = [dict(zip(m.vocabulary, map(m.letters.index, m.embedding), strict=True)) for m in models]
    proofs = [Proof(model, entry) for model, entry in zip(models, data["proof"], strict=True)]

    def agree(answers: list[Any], accepted: bool) -> bool:
        return answers[0] == answers[1] if len(models) == 2 else (answers[0] == data["yes"]) == accepted

    for machines in product(*(proof.machines for proof in proofs)):

        def read(states: Iterable[int], which: Sequence[list[str]]) -> list[int]:
            found = list(states)
            for i, (M, texts) in enumerate(zip(machines, which, strict=True)):
                for token in texts:
                    found[i] = M.table[found[i]][letters[i][token]]
            return found

        def step(state: Any, place: int) -> Any:
            states, lang, within, t = state
            states = read(states, [[tokens[place]]] * len(models))
            lang, within, t = L["table"][lang][place], W["table"][within][place], t + (claimed < inf)
            labels = [M.labels[s] for M, s in zip(machines, read(states, after), strict=True)]
            if min(labels) > 0 and W["accepting"][within] and data.get("length") in (None, t):
                answers = [model.answers[label - 1] for model, label in zip(models, labels, strict=True)]
                need(agree(answers, L["accepting"][lang]), "on some input the claim fails")
            return (tuple(states), lang, within, t) if t < claimed else None

        walk(((0,) * len(models), L["start"], W["start"], 0), len(tokens), step)
    return f"proved, {data['scope']}: {data['claim']}{note}"


def main(arguments: Sequence[str]) -> int:
    if len(arguments) not in (2, 3):
        print("usage: python verify.py MODEL.safetensors [MODEL.safetensors] CERTIFICATE.json", file=sys.stderr)
        return 2
    try:
        *files, claim = (Path(argument).read_bytes() for argument in arguments)
        print(check([Model(file) for file in files], json.loads(claim, object_pairs_hook=unique)))
        return 0
    except RefusedError as error:
        print(f"refused: {error}", file=sys.stderr)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, OSError, struct.error) as error:
        print(f"refused: it is damaged: {type(error).__name__}: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
