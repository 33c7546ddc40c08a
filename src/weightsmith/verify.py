"""Check the proof of a claim about transformers, for inputs of every length: python verify.py MODEL [MODEL] CLAIM

This file stands alone, with its own rounding and reading of files. It believes nothing of a certificate but takes
machines from it: to find them is hard, to check them is a walk through finitely many states.

Why what passes is true. All machines read tokens; a machine *speaks* a label above 0 in some states. A *stream* is
what stands at the last position before a block: vectors, and machines of which this holds (I): after each input, of at
least one token and no longer than a position table, some machine speaks, and each that speaks says the vector there.
`Proof.__init__` makes the machine of the embedding, of which (I) is true; `Proof.block` carries (I) through a block:

1. A *view* says something that depends on the vector alone: it was walked through together with each machine of the
   stream, and agrees wherever that one speaks, so by (I) after every input.
2. Queries of one class weigh all keys alike. What weights depend on besides a single key (the largest score, the sum of
   exponentials, the number of keys) is a fold over the keys; walking through a view with that fold finds every result
   that it has where such a query stands. Each of these is guessed by a reading, perhaps several by one.
3. With the guess, weighted values are constants of the keys, and their sum is a fold too. The machine of a reading was
   walked with a view and both folds: it speaks where a query of the class stands and the guess comes out, and only
   there. A label stands for all sums met there; if it is *loose*, for every sum of any keys. By 2, some reading speaks.
4. A machine of the block was walked through together with what it is made of, the vectors of a class and a reading of
   each head: it speaks where all of them do, and only there, and whatever their labels stand for, one vector follows.
   Readings that are not put together never speak together: they were walked through as well.

So (I) holds after the block; of the last one the labels are decisions. At the end the machines are walked through with
the automaton of the language (that it is the one of an expression named beside it is not checked here) or the machines
of the other model; nowhere do both speak and differ. A walk takes every token in every state until none is new.
"""

import hashlib
import json
import re
import struct
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import erfc, inf, isqrt, prod
from pathlib import Path
from typing import Any

Vector = tuple[Fraction, ...]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
HARDWARE = {"float16": (24, 11, 65504), "bfloat16": (133, 8, 255 << 120), "e4m3": (9, 4, 448), "e5m2": (16, 3, 57344)}


def need(condition: object, why: str) -> None:
    if not condition:
        raise ValueError(why)


class Arithmetic:
    """Multiples of a smallest positive number with at most so many significant bits, up to a largest one."""

    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"([a-z0-9]+)(?:\((?:(\d+),(\d+))?,?(?:ties=(zero|even|away))?\))?", text)
        name, first, second, ties = found.groups() if found else ("", None, None, None)
        need(name in ("fixed", "float") if first else name in HARDWARE, f"the arithmetic {text!r} is not read here")
        a, b, self.ties = int(first or 0), int(second or 0), ties or "zero"
        unit, self.bits, largest = HARDWARE.get(name, (b, a + b, Fraction(2 ** (a + b) - 1, 2**b)))
        if name == "float":
            unit, self.bits, largest = 2 ** (a - 1) + b - 1, b, (2**b - 1) * Fraction(2) ** (2 ** (a - 1) - b)
        self.tiny, self.largest = Fraction(1, 2**unit), Fraction(largest)

    @cache  # noqa: B019 (there are one or two arithmetics, and they stay)
    def __call__(self, x: Fraction) -> Fraction:
        """Round to the nearest member; ties as the arithmetic says; beyond the largest, to that."""
        if x < 0:
            return -self(-x)
        step = self.tiny * 2 ** max(0, (x // self.tiny).bit_length() - self.bits)
        whole, rest = divmod(x, step)
        up = 2 * rest > step or (2 * rest == step and (self.ties == "away" or (self.ties == "even" and whole % 2)))
        return min(Fraction((whole + bool(up)) * step), self.largest)

    def plus(self, x: Iterable[Fraction], y: Iterable[Fraction] | None) -> Vector:
        return tuple(x) if y is None else tuple(self(a + b) for a, b in zip(x, y, strict=True))

    def linear(self, W: Iterable[Sequence[Fraction]], x: Sequence[Fraction], b: Vector | None = None) -> Vector:
        """Return W x ⊕ b: in each row, the fold of the products."""
        products = ([self(w * value) for w, value in zip(row, x, strict=True)] for row in W)
        return self.plus((reduce(lambda total, y: self(total + y), row, Fraction(0)) for row in products), b)

    def sqrt(self, x: Fraction) -> Fraction:
        """Round the root: cut off far below the last bit, with a further bit that says whether it was cut."""
        root = isqrt(int(x * 4**1200))
        return self(Fraction(2 * root + (root * root != x * 4**1200), 2**1201))

    @cache  # noqa: B019
    def function(self, name: str, x: Fraction) -> Fraction:
        """Return exp, or an activation, of a member; far from 0 they are as good as ∞, x or 0 in every arithmetic."""
        if name == "relu" or abs(x) > (64 if name.startswith("gelu") else 5000) or (x == 0 and name != "exp"):
            return self(max(x, Fraction(0)) * (1 if name != "exp" else 10**2000))
        with localcontext(Context(prec=60, Emax=10**9, Emin=-(10**9))):
            value = Fraction(FUNCTIONS[name](Decimal(x.numerator) / x.denominator))
        digits = 10 if name == "gelu" else 40  # that are right at least; it must not matter which follow
        low, high = (self(value * (1 + Fraction(sign, 10**digits))) for sign in (-1, 1))
        need(low == high, "a function is too near to a tie")
        return low


FUNCTIONS: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": Decimal.exp,
    "silu": lambda x: x / (1 + (-x).exp()),
    "gelu": lambda x: x * Decimal(erfc(-x / Decimal(2).sqrt())) / 2,  # the one function that the C library computes
    "gelu_tanh": lambda x: x / (1 + (-2 * (2 / PI).sqrt() * (x + Decimal("0.044715") * x**3)).exp()),
}


class Model:
    """A transformer, as its file has it, and what it does to a vector of the stream."""

    def __init__(self, data: bytes) -> None:
        begin = 8 + int.from_bytes(data[:8], "little")
        header, self.arrays = json.loads(data[8:begin]), dict[str, Any]()
        self.parts = json.loads(header.pop("__metadata__")["weightsmith"])
        self.arithmetic = A = Arithmetic(self.parts["arithmetic"])
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
        need(self.parts["mask"] == "causal" or not any(b["attention"] for b in self.blocks), "it is not causal")
        given = self.parts["positions"]
        several = {f"positions.{i}": part for i, part in enumerate(given)} if isinstance(given, list) else {}
        self.schemes = several or ({"positions": given} if given else {})
        kinds = {scheme["kind"]: name for name, scheme in self.schemes.items()}
        need(not {"Sinusoidal", "Rotary"} & kinds.keys(), "sinusoids are not checked here: write them as a table")
        self.table: list[Vector] = self.arrays[f"{kinds['Table']}.values"] if "Table" in kinds else []
        self.codes = {tuple(map(Fraction, c)): v for c, v in (self.parts.get("readout") or {"table": []})["table"]}
        self.answers = list(dict.fromkeys(self.codes.values() or self.parts["classes"]))

    def weights(self, name: str, keys: str) -> list[Any]:
        return [self.arrays.get(f"{name}.{key}") for key in keys.split()]

    def norm(self, name: str, norm: dict[str, Any], x: Vector) -> Vector:
        A, places = self.arithmetic, [self.lanes.index(lane) for lane in norm["lanes"] or self.lanes]
        part, m = [x[place] for place in places], A(Fraction(len(places)))
        mean = A(A.linear([part], [Fraction(1)] * len(part))[0] / m) if norm["kind"] == "LayerNorm" else Fraction(0)
        part = [A(value - mean) for value in part]
        root = A.sqrt(A(A(A.linear([part], part)[0] / m) + A(Fraction(norm["eps"]))))
        gain, bias = self.weights(name, "gain bias")
        new = A.plus([A(A(y / root) * g) for y, g in zip(part, gain or [1] * len(part), strict=True)], bias)
        changed = dict(zip(places, new, strict=True))
        return tuple(changed.get(place, value) for place, value in enumerate(x))

    def normed(self, b: int, which: str, placement: str, x: Vector) -> Vector:
        norm = self.blocks[b][which] if self.blocks[b]["norm_placement"] == placement else None
        return self.norm(f"blocks.{b}.{which}", norm, x) if norm else x

    def after(self, b: int, x: Vector, outputs: Iterable[Vector]) -> Vector:
        """Return what a block makes of a vector, from what its heads give there."""
        A, block, entry = self.arithmetic, self.blocks[b], x
        if block["attention"] is not None:
            total = reduce(A.plus, (*outputs, self.arrays.get(f"blocks.{b}.attention.b_O")), (Fraction(0),) * len(x))
            x = self.normed(b, "attention_norm", "post", A.plus(x, total))
        if block["feed_forward"] is None:
            return x
        seen = self.normed(b, "feed_forward_norm", "pre", entry if block.get("parallel") else x)
        W_1, b_1, W_2, b_2, W_3, b_3 = self.weights(f"blocks.{b}.feed_forward", "W_1 b_1 W_2 b_2 W_3 b_3")
        act = {"reglu": "relu", "swiglu": "silu"}.get(name := block["feed_forward"]["activation"], name)
        z = [A.function(act, value) for value in A.linear(W_1, seen, b_1)]
        z = z if W_3 is None else [A(a * b) for a, b in zip(z, A.linear(W_3, seen, b_3), strict=True)]
        return self.normed(b, "feed_forward_norm", "post", A.plus(x, A.linear(W_2, z, b_2)))

    def answer(self, x: Vector) -> int:
        """Return the place of what is said of a vector among the answers."""
        x = self.norm("final_norm", self.parts["final_norm"], x) if self.parts["final_norm"] else x
        if self.codes:
            code = tuple(x[self.lanes.index(lane)] for lane in self.parts["readout"]["lanes"])
            return self.answers.index(self.codes[code])
        output = self.embedding if self.parts["tied"] else self.arrays["output"]
        logits = self.arithmetic.linear(output, x, self.arrays.get("output_bias"))
        return logits.index(max(logits))


class Machine:
    """A machine over letters; its start is state 0."""

    def __init__(self, table: list[list[int]], labels: list[int], letters: int) -> None:
        self.table, self.labels, states = table, labels, range(len(table))
        fits = all(len(row) == letters and all(type(s) is int and s in states for s in row) for row in table)
        need(fits and states and [type(x) for x in labels] == [int] * len(states), "it is no machine")
        self.lively = leading(table, {s for s in states if labels[s]})  # where it speaks, or may do so later


def leading(table: list[list[int]], goal: set[int]) -> set[int]:
    """Return the states from which some letters, or none, lead to a goal."""
    before = defaultdict[int, set[int]](set)
    for state, following in ((state, there) for state, row in enumerate(table) for there in row):
        before[following].add(state)
    found, order = set(goal), list(goal)
    for state in order:  # it grows meanwhile
        order += (new := before[state] - found)
        found |= new
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


class Fold:
    """A fold over keys. first, last: the key with the largest code; largest: that code; sum: of exponentials, of codes
    less a largest one if it is given; best: how many keys have the largest code; every: how many, if none weighs. The
    guess is what the sum is, or what 1 ⊘ the number of keys is one of."""

    def __init__(self, A: Arithmetic, kind: str, largest: Any = None, guess: tuple[Fraction, ...] = ()) -> None:
        self.A, self.kind, self.largest, self.guess = A, kind, largest, guess
        self.chooses, self.counts = kind in ("first", "last", "largest"), kind in ("best", "every")
        counts = range(1, int(2 / A.tiny) + 2) if self.counts else range(0)  # the last makes parts of 0
        need(len(counts) < 1 << 15, "equal parts of so many keys are not checked here")
        self.most = 1 + max((m for m in counts if A(Fraction(1, m)) not in guess), default=0)  # more are like these
        self.start = (kind == "every" or (kind == "sum" and largest is None), Fraction(0))

    def effect(self, code: Fraction, value: Vector) -> Any:
        """Return what a key does: whether its code is the largest, how the normaliser steps, the term; or None."""
        step, weights = Fraction(1), self.guess or (Fraction(1),)
        if self.largest is not None and code > self.largest:
            return "fatal"
        if self.chooses:
            step, weights = code, (self.A(Fraction(1)),)
        elif self.kind == "sum":
            step = code if self.largest is None else self.A.function("exp", self.A(code - self.largest))
            weights = (self.A(step / self.guess[0]) if self.guess and self.guess[0] else Fraction(0),)
        if (self.kind == "sum" and step == 0) or (self.kind == "best" and code < self.largest):
            return None
        term, *others = {tuple(self.A(weight * v) for v in value) for weight in weights}
        need(not others, "weights of one guess make different terms")
        return code == self.largest, step, term

    def take(self, state: Any, effect: Any) -> Any:
        """Return the normaliser and the sum after a key; None where the guess is wrong."""
        if state is None or effect in (None, "fatal"):
            return state if effect is None else None
        ((seen, n), total), (top, step, term) = state, effect
        if self.chooses:
            better = not seen or step > n or (step == n and self.kind == "last")
            return (True, step if better else n), term if better else total
        more = n + (n < self.most) if self.counts else self.A(n + step)
        alone = self.counts and not self.guess  # keys of one value: so many equal parts of it
        part = [self.A(self.A(1 / more) * v) for v in term] if alone else term
        total, left = ((Fraction(0),) * len(term), more) if alone else (total, 1)
        while left and (following := self.A.plus(total, part)) != total:
            total, left = following, left - 1
        return (seen or top, more), total

    def outcome(self, n: tuple[bool, Fraction]) -> tuple[Fraction | None] | None:
        """Return what there is to guess, as it came out, in brackets; None where it is not what was guessed."""
        value = n[1] if self.kind in ("sum", "largest") or n[1] == 0 else self.A(1 / n[1])
        right = self.chooses or (n[0] and (not self.guess or value in self.guess))
        return (value if n[0] else None,) if right else None

    def hopeful(self, effects: Iterable[Any]) -> set[Any]:
        """Return the normalisers from which the guess can come out."""
        steps = list({(*effect[:2], ()) for effect in effects if effect not in (None, "fatal")})
        order = [(self.start, ()), *walk((self.start, ()), len(steps), lambda n, i: self.take(n, steps[i]))]
        place = {n: i for i, n in enumerate(order)}
        table = [[place[self.take(n, step)] for step in steps] for n in order]
        return {order[i][0] for i in leading(table, {i for n, i in place.items() if self.outcome(n[0])})}


class Head:
    """What a head makes of the stream: for each class of queries, machines that say what it adds."""

    def __init__(self, proof: "Proof", b: int, i: int, data: Any) -> None:
        self.proof, self.data, model, A = proof, data, proof.model, proof.model.arithmetic
        heads, name, self.A = model.blocks[b]["attention"]["heads"], f"blocks.{b}.attention.heads.{i}", A
        part, own = heads[i], heads[i].get("positions")
        self.weighting, self.strict = part["weighting"], part.get("strict", False)
        W_Q, b_Q, W_K, b_K, W_V, b_V, self.W_O = model.weights(name, "W_Q b_Q W_K b_K W_V b_V W_O")
        seen = {x: model.normed(b, "attention_norm", "pre", h) for x, h in proof.vectors.items()}
        q, k, v = ({x: A.linear(W, h, b) for x, h in seen.items()} for W, b in ((W_Q, b_Q), (W_K, b_K), (W_V, b_V)))
        tables: list[list[Any]] = [[None], [None], [None]]  # what is added to keys, values, scores, by age
        for where, scheme in ({f"{name}.positions": own} if own else model.schemes).items():
            need(scheme["kind"] != "Rotary" and "place" not in scheme, "rotary positions, roots of 2: not checked here")
            if scheme["kind"] == "Relative":
                tables[:2] = model.arrays[f"{where}.keys"], model.arrays.get(f"{where}.values") or [None]
            elif scheme["kind"] == "Alibi":
                tables[2] = self.penalties(scheme["slopes"], 0 if own else i, len(heads))
        ages = range(max(1 + self.strict, *map(len, tables)))
        key, value, score = ([table[min(age, len(table) - 1)] for age in ages] for table in tables)
        meet = cache(lambda q, k, age: A.plus(A.linear([q], A.plus(k, key[age])), score[age])[0])
        self.values = {x: [A.plus(v[x], value[age]) for age in ages[self.strict :]] for x in seen}
        scores = {x: {y: [meet(q[x], k[y], age) for age in ages[self.strict :]] for y in seen} for x in seen}
        self.codes = {x: self.coded(scores[x]) for x in seen}  # by query, key and age, from where it is seen
        self.class_of = {x: c for c, entry in enumerate(data) for x in entry["queries"]}
        need(all(self.codes[x] == self.codes[data[c]["queries"][0]] for x, c in self.class_of.items()), "they differ")
        self.readings = [[self.follow(c, *pair) for pair in self.folds(c)] for c in range(len(data))]

    def penalties(self, slopes: list[float] | None, place: int, heads: int) -> list[Vector]:
        """Return what ALiBi adds to scores, up to the distance from which on that is −∞."""
        need(slopes or 8 * (place + 1) % heads == 0, "slopes that are no rational numbers are not checked here")
        slope = Fraction(slopes[place]) if slopes else Fraction(1, 2 ** (8 * (place + 1) // heads))
        found = [self.A(-slope * distance) for distance in range(5000 if slope else 1)]
        need(not slope or found[-1] == -self.A.largest, "a penalty grows too slowly")
        return [(penalty,) for penalty in found[: found.index(found[-1]) + 1]]

    def coded(self, scores: dict[int, list[Fraction]]) -> dict[int, list[Fraction]]:
        """Return what a weighting sees of scores: exponentials, or scores if they are shifted, or their order alone."""
        order = {s: Fraction(place) for place, s in enumerate(sorted({s for row in scores.values() for s in row}))}
        if self.weighting["kind"] == "Softmax":
            order = {s: s if self.weighting["shifted"] else self.A.function("exp", s) for s in order}
        return {y: [order[s] for s in row] for y, row in scores.items()}

    def folds(self, c: int) -> Iterator[tuple[Fold, Any]]:
        """Return a fold for each guess that comes out for a query of a class, and its reading."""
        kind, empty, A, given = self.weighting["kind"], self.weighting.get("empty"), self.A, [*self.data[c]["readings"]]
        if kind in ("LeftmostHard", "RightmostHard"):
            yield Fold(A, "first" if kind == "LeftmostHard" else "last"), given[0]
            return
        plain = kind == "Softmax" and not self.weighting["shifted"]
        for found in self.follow(c, Fold(A, "sum" if plain else "largest")):
            need(empty != "error" or found or (found is not None and not plain), "a softmax is empty")
            if plain and (found or empty == "zero"):
                yield Fold(A, "sum", None, (found,)), given.pop(0)
            elif found is None:  # no key is seen
                yield Fold(A, "every", -inf, (Fraction(0),)), given.pop(0)
            else:
                fold = Fold(A, "every" if plain else "sum" if kind == "Softmax" else "best", found)
                alone = fold.counts and "weights" not in given[0]  # keys of one value: then nothing need be guessed
                left: list[Any] = [()] if alone else [(guess,) for guess in self.follow(c, fold)]
                while left:
                    guess = tuple(map(Fraction, given[0]["weights"])) if fold.counts and not alone else left[0]
                    left = [other for other in left if other != guess and not {*other} & {*guess}]
                    yield Fold(A, fold.kind, found, guess), given.pop(0)

    def anything(self, fold: Fold, codes: Any) -> Iterator[Vector]:
        """Return what the head adds, for every sum of parts of keys that have the largest code, by a guessed weight."""
        A, none, keys = self.A, (Fraction(0),) * len(self.W_O[0]), codes.items()
        values = [*{v for y, row in keys for code, v in zip(row, self.values[y], strict=True) if code == fold.largest}]
        for start in ((weight, none) for weight in fold.guess):
            found = walk(start, len(values), lambda s, i: (s[0], A.plus(s[1], [A(s[0] * v) for v in values[i]])))
            yield from (A.linear(self.W_O, total) for _, total in (start, *found))

    def follow(self, c: int, fold: Fold, reading: Any = None) -> Any:
        """Walk through a view with a fold: return the outcomes at queries; or a machine, and what its labels are."""
        pool, codes, found = self.proof.pool, self.codes[self.data[c]["queries"][0]], set[Any]()
        every = {*self.anything(fold, codes)} if reading and reading.get("loose") and fold.counts else set[Vector]()
        size, sums = len(self.W_O[0]) if reading and not every else 0, defaultdict[int, set[Vector]](set)
        V, M = pool[(reading or self.data[c])["view"]], pool[reading["machine"]] if reading else None
        acts = {x: [*map(fold.effect, codes[x], (value[:size] for value in self.values[x]))] for x in codes}
        known = [None, *dict.fromkeys(effect for row in acts.values() for effect in row if effect is not None)]
        need(fold.guess or not (fold.counts and M) or len({*known} - {None, "fatal"}) < 2, "there are several values")
        acts = {x: [known.index(effect) for effect in row] for x, row in acts.items()}
        while len(acts[min(acts)]) > 1 and all(row[-1] == row[-2] for row in acts.values()):
            acts = {x: row[:-1] for x, row in acts.items()}  # the last age stands for all later ones
        meaning = self.proof.view(V, {x: ((*[0] * self.strict, *acts[x]), self.class_of[x] == c) for x in codes})
        useful = leading(V.table, {s for s, label in enumerate(V.labels) if label in meaning and meaning[label][1]})
        hopeful = fold.hopeful(known)
        unseen = (0,) * (self.strict + len(acts[min(acts)])), False  # after inputs that are too long

        def step(state: Any, letter: int) -> Any:
            v, m = V.table[state[0]][letter], M.table[state[3]][letter] if M else 0
            effects, asks = meaning.get(V.labels[v], unseen)
            folded, window = state[2], (*(older[1:] for older in state[1]), effects)
            if len(window[0]) == 1:  # it has the last age, and changes no more
                folded, window = fold.take(folded, known[window[0][0]]), window[1:]
            end = reduce(fold.take, (known[effects[0]] for effects in window), folded) if asks else None
            outcome = fold.outcome(end[0]) if end else None
            found.update(outcome or ())
            need(not M or bool(outcome) == (M.labels[m] > 0), "a reading speaks where it must not, or the reverse")
            if M and end and outcome:
                sums[M.labels[m]] |= every or {self.A.linear(self.W_O, end[1])}
            if folded is None or folded[0] not in hopeful or v not in useful:
                return need(not M or m not in M.lively, "a reading speaks where it must not")
            return v, window, folded, m

        walk((0, (), (fold.start, (Fraction(0),) * size), 0), self.proof.letters, step)
        return (M, sums) if M else sorted(found, key=lambda outcome: (outcome is not None, outcome))


class Proof:
    """What a certificate says of one model, checked; then `machines` say 1 + the place of the answer."""

    def __init__(self, model: Model, data: Any) -> None:
        self.model, self.letters, times = model, len(model.letters), model.table or [None]  # type: ignore[list-item]
        self.pool = [Machine(entry["table"], entry["labels"], self.letters) for entry in data["machines"]]
        order, over = dict[Vector, int](), 1 + len(times) * self.letters  # after that many states: too long
        labels = [order.setdefault(model.arithmetic.plus(x, p), len(order) + 1) for p in times for x in model.letters]
        rows = [[1 + t * self.letters + a for a in range(self.letters)] for t in range(len(times))]
        following = [*rows[1:], [over] * self.letters] if model.table else rows
        table = [rows[0], *(row for row in following for _ in model.letters), [over] * self.letters]
        self.machines = [Machine(table, [0, *labels, 0], self.letters)]
        self.vectors = {label: vector for vector, label in order.items()}
        for b in range(max(1, len(model.blocks))):
            self.block(b, data["blocks"][b], last=b + 1 >= len(model.blocks))

    def view(self, V: Machine, meaning: dict[int, Any]) -> dict[int, Any]:
        """Check that a machine says what depends on the vector alone; return what its labels stand for."""
        found = dict[int, Any]()
        for seen, label in (both for M in self.machines for both in said([V, M]) if both[1]):
            need(found.setdefault(seen, meaning[label]) == meaning[label], f"{seen} stands for two things")
        return found

    def block(self, b: int, data: Any, last: bool) -> None:
        """Go from the stream before a block to that after it."""
        model, vectors, machines = self.model, dict[int, Any](), list[Machine]()

        @cache
        def finish(x: int, *outputs: Vector) -> Any:
            vector = model.after(b, self.vectors[x], outputs) if model.blocks else self.vectors[x]
            return 1 + model.answer(vector) if last else vector

        def join(M: Machine, meaning: dict[int, Any], heads: Sequence[Any], tree: Any) -> None:
            """Put a machine together with those of the heads that are left."""
            for g, (F, sums) in enumerate(heads[0]):
                N, known = self.pool[tree[g][0]] if tree[g] else None, vectors if len(heads) == 1 else dict[int, Any]()
                for a, f, *n in said([M, F, N] if N else [M, F]):
                    need((a > 0 < f) == (sum(n) > 0), "a machine speaks where it must not, or the reverse")
                    for whole in ((*x, added) for x in meaning[a] for added in sums[f]) if a > 0 < f else ():
                        known.setdefault(n[0], set()).add(finish(*whole) if len(heads) == 1 else whole)
                if N:
                    machines.append(N) if len(heads) == 1 else join(N, known, heads[1:], tree[g][1])

        attention = (model.blocks[b]["attention"] if model.blocks else None) or {"heads": []}
        heads = [Head(self, b, i, data["heads"][i]) for i in range(len(attention["heads"]))]
        classes = {x: tuple(head.class_of[x] for head in heads) for x in self.vectors}
        for key in set(classes.values()) if heads else ():
            own, tree = {tuple(which): rest for which, *rest in data["classes"]}[key]
            spoken = self.view(self.pool[own], {x: x if classes[x] == key else 0 for x in classes})
            need(all(label == x for label, x in spoken.items()), "it says another vector")
            readings = [head.readings[c] for head, c in zip(heads, key, strict=True)]
            join(self.pool[own], {x: {(x,)} for x in classes}, readings, tree)
        if not heads:
            made = {x: finish(x) for x in sorted(self.vectors)}
            place = {value: value if last else 1 + n for n, value in enumerate(dict.fromkeys(made.values()))}
            new, vectors = {x: place[made[x]] for x in made}, {label: {value} for value, label in place.items()}
            machines = [Machine(M.table, [new.get(x, 0) for x in M.labels], self.letters) for M in self.machines]
        need(all(len(v) == 1 and (not last or v == {x}) for x, v in vectors.items()), "a label is of another thing")
        self.vectors, self.machines = {label: value for label, (value,) in vectors.items()}, machines


def language(data: Any, name: str, tokens: int) -> Machine:
    """Return the machine that says 2 for the inputs of a language and 1 for others; without one, 2 for all."""
    given: Any = data["automata"][name] if data.get(name) else {"table": [[0] * tokens], "accepting": [1], "start": 0}
    need((data.get(name) or {}).get("automaton", given) == given, "the automaton is of another language")
    rows = [given["table"][given["start"]], *given["table"]]  # with a start of its own
    return Machine([[1 + s for s in row] for row in rows], [0, *(1 + bool(x) for x in given["accepting"])], tokens)


def check(models: Sequence[Model], data: Any) -> str:
    """Check the certificate of a claim; return what it proves."""
    digest = hashlib.sha256(json.dumps({**data, "digest": None}, sort_keys=True).encode()).hexdigest()
    need(data["digest"] == digest, "the certificate was changed")
    tokens, scope, readers, longest = data["vocabulary"], data["scope"], list[list[Machine]](), inf
    about = [{"recognizes": 1, "same_decisions": 2}[data["claim"]], True, None]
    need([len(models), data["holds"], data.get("length")] == about, "it is no proof about these models")
    for model, entry in zip(models, data["proof"], strict=True):
        letter = dict(zip(model.vocabulary, map(model.letters.index, model.embedding), strict=True))
        need(sorted(letter) == sorted(tokens) and not data.get("suffix"), "it is about other tokens")
        places, machines = [letter[token] for token in tokens], Proof(model, entry).machines
        tables = [[[row[place] for place in places] for row in M.table] for M in machines]
        readers.append([Machine(rows, M.labels, len(tokens)) for M, rows in zip(machines, tables, strict=True)])
        longest = min(longest, len(model.table) if model.table else inf)
    last = 0 if scope == "all lengths" else int(scope.removeprefix("up to "))
    need(last <= longest if last else longest == inf, "it says more than it proves")
    times = [[min(t + 1, last + 1) if last else 0] * len(tokens) for t in range(last + 2)]
    clock = Machine(times, [1] * (last + 1) + [0], len(tokens))
    known = [language(data, name, len(tokens)) for name in ("language", "within")]
    for *labels, accepted, within, time in (all_ for ms in product(*readers) for all_ in said([*ms, *known, clock])):
        if min(labels) > 0 and within == 2 and time:
            first, *other = (model.answers[label - 1] for model, label in zip(models, labels, strict=True))
            holds = first == other[0] if other else (first == data["yes"]) == (accepted == 2)
            need(holds, "on some input the claim fails")
    return f"proved, {scope}: {data['claim'].replace('_', ' ')}"


def main(arguments: Sequence[str]) -> int:
    try:
        *files, claim = (Path(argument).read_bytes() for argument in arguments)
        print(check([Model(file) for file in files], json.loads(claim)))
        return 0
    except Exception as error:  # whatever fails, nothing is proved
        print(f"refused: {type(error).__name__}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
