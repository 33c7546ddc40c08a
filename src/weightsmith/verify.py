"""Check the proof of a claim about transformers, for inputs of every length: python verify.py MODEL [MODEL] CLAIM

This file stands alone. It shares no code with the rest of Weightsmith, needs nothing but Python, and trusts nothing in
a certificate: it takes finite machines from it, and checks them. To find such machines is hard; to check them is a walk
through finitely many states. `docs/proof-format.md` describes a certificate field by field.

The claim. A transformer reads tokens and decides after each of them. A claim says that the decision is a certain class
exactly for the inputs of a language ("recognizes"), or that two transformers decide alike ("same_decisions"): after
every input of at least one token, or only up to a length, or only for the inputs of a second language ("within"). A
chain takes the place of a transformer: it writes token after token, and what the last one means is its decision. Or a
claim is about vectors of the stream at a site: that a condition holds for them ("vectors"), or that lanes of two
transformers are equal ("same_lanes"). Then the model is cut off at the site, and the values of lanes are its decision.

Why an accepted claim is true. All machines read letters and start in state 0; tokens with equal embeddings are one
letter. A machine *speaks* in the states whose label is above 0. The *stream* before a block is described by vectors,
which have labels, and by machines, for which the following invariant holds:

(I) After every input that fits the position table, some machine of the stream speaks, and every machine that speaks
    says the label of the vector that then stands at the last position.

`Proof.embed` builds the first machine, for which (I) holds by construction. `Proof.block` carries (I) through a block,
in four steps; the comments below refer to them by number.

1. *Views.* A view is a machine from the certificate whose labels stand for something that depends on the vector alone.
   It is walked through together with each machine of the stream, and must agree wherever that machine speaks. By (I)
   the view is right after every input.
2. *Guesses.* A head weighs keys. Apart from the key itself, a weight depends on a normaliser (the largest score, the
   sum of the exponentials, the number of keys that share the largest score): a fold over all keys with finitely many
   values. A walk through a view together with this fold finds every value that the normaliser can have where a query
   of a class stands. The certificate has a *reading* for each of these values, or for several with which every key adds
   the same: the guess that the fold ends at one of them. The readings of a class are for all values that were found.
3. *Readings.* Under a guess, each weighted value is a constant of its key, and the sum of the weighted values is a fold
   as well. The machine of a reading is walked through together with a view and both folds. It speaks exactly where a
   query of the class stands and the guess is right; each of its labels stands for the sums that occur there. By step 2
   some reading of the class speaks after every input that ends in such a query.
4. *Joining.* A machine of the stream after the block is walked through together with its sources: a view that says the
   vector, and one reading of each head. It speaks exactly where all of these speak, and for each of its labels the
   vector after the block is the same. Readings that are not joined never speak together.

So (I) holds after the block. Under a full mask a position sees what follows it too, and `Proof.whole` takes another
step. Its invariant is about a *context*: a set of inputs. The stream has one machine, and a label also says whether an
input that ends there is in the context (`Proof.right`):

(J) For every input of the context, the machine speaks after every beginning of the input. It says the label of the
    vector that stands there in a run on the whole input, and whether the beginning is itself in the context.

5. *Contexts.* Every position sees the same keys, so what a head adds there depends on the class of its query and on the
   whole input. Readings are checked as in steps 1 to 3, for every class and wherever an input of the context ends. A
   machine from the certificate divides the context into smaller ones, one for each of its labels. In each of them the
   machine of the stream after the block is walked through together with the stream before it and the dividing machine.
   For each of its labels, all results that the heads have in the smaller context lead to the same vector. So (J) holds
   there after the block, and the blocks that follow are checked once for each smaller context. Only the vector at the
   last position decides, so the last block with heads may be joined as in step 4, where inputs of the context end. Then
   (I) holds for these inputs. Every input is in some context, so it holds for the machines of all contexts together.
   A machine that speaks where it need not cannot make a false claim pass: it says more that must agree with the claim.

After the last block a label is the number of a decision. At the end the machines are
walked through together with the automaton of the language, or with the machines of the other model; nowhere may they
contradict the claim. A walk takes every letter in every state, until no state is new.
"""

import hashlib
import json
import math
import operator
import os
import re
import stat
import struct
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Context, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import cache, partial, reduce
from itertools import product
from types import SimpleNamespace as Part  # a part of a model: an object with the fields of its kind
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

Vector = tuple[int, ...]  # members of an arithmetic, as multiples of its smallest positive member
T = TypeVar("T", bound=Hashable)

# Limits, so that a hostile file is refused before it takes time or memory
MAX_CERTIFICATE, MAX_HEADER = 64 << 20, 32 << 20  # bytes
MAX_PARTS, MAX_DEPTH = 1 << 22, 64  # of a JSON text: brackets and quotation marks; lists and objects in each other
MAX_NUMBERS = 1 << 22  # of a model
MAX_STATES = 20_000_000  # of a walk
MAX_COUNT, MAX_AGES = 1 << 15, 1 << 13  # keys that share a weight above 0; distances until a penalty is −∞
MAX_EXPRESSION = 4_000  # characters of a regular expression with its repeats written out; states of its automaton
MAX_STEPS = 20_000_000  # to build that automaton
MOST_UNTIL = 1 << 10  # tokens that a chain writes, if only a token ends it


class Refused(ValueError):  # noqa: N818
    """The certificate proves nothing, for this reason."""


def need(condition: object, why: str) -> None:
    if not condition:
        raise Refused(why)


def shown(value: object) -> str:
    return text if len(text := repr(value)) <= 60 else text[:57] + "…"


class Numbering(list[T], Generic[T]):
    """Different things in the order in which they came. A loop over it also sees what is added meanwhile."""

    def __init__(self, *things: T) -> None:
        self.known = dict[T, int]()
        for thing in things:
            self.number(thing)

    def number(self, thing: T) -> int:
        """Return the number of a thing; a new thing gets the next one."""
        number = self.known.setdefault(thing, len(self.known))
        if number == len(self):
            self.append(thing)
        return number


# Numbers

HARDWARE = {"float16": (24, 11, 65504), "bfloat16": (133, 8, 255 << 120), "e4m3": (9, 4, 448), "e5m2": (16, 3, 57344)}
SIZES = r"(?:\(\s*(?:([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*)?(?:(?:,|(?<=\())\s*ties\s*=\s*(zero|even|away)\s*)?\)\s*)?"


class Arithmetic:
    """A finite number system. A member is a whole multiple k of 2^−unit, and stands in this program as k.

    In absolute value, k has at most `bits` significant bits and is at most `largest`.
    """

    def __init__(self, text: object) -> None:
        match = re.fullmatch(rf"\s*([a-z0-9]+)\s*{SIZES}", text.lower()) if isinstance(text, str) else None
        name, first, second, ties = match.groups() if match else ("", None, None, None)
        a, b, self.ties = int(first or 0), int(second or 0), ties or "zero"
        inside = [f"{a},{b}"] * bool(first) + [f"ties={self.ties}"] * (self.ties != "zero")
        self.text = name + f"({','.join(inside)})" * bool(inside)
        if name in HARDWARE and first is None:
            self.unit, self.bits, largest = HARDWARE[name]
            self.largest = largest << self.unit
        elif name == "fixed" and 1 <= a + b <= 25:
            self.unit, self.bits, self.largest = b, a + b, 2 ** (a + b) - 1
        elif name == "float" and 1 <= a <= 10 and 2 <= b <= 25:
            self.unit, self.bits, self.largest = 2 ** (a - 1) + b - 1, b, (2**b - 1) << (2**a - 1)
        else:
            raise Refused(f"the arithmetic {shown(text)} is not checked here")
        self.exact = 1 << self.bits  # every whole number below this is a member
        self.one = self.nearest(1 << self.unit)
        self.computed = dict[tuple[str, int], int]()  # values of functions, each once

    def nearest(self, numerator: int, denominator: int = 1) -> int:
        """Round a multiple of 2^−unit, a fraction, to the nearest member; beyond the largest, to that."""
        if numerator < 0:
            return -self.nearest(-numerator, denominator)
        whole, rest = divmod(numerator, denominator)
        cut = max(0, whole.bit_length() - self.bits)
        kept = whole >> cut
        doubled, step = 2 * ((whole - (kept << cut)) * denominator + rest), denominator << cut
        tie_goes_up = self.ties == "away" or (self.ties == "even" and kept % 2 == 1)
        return min((kept + (doubled > step or (doubled == step and tie_goes_up))) << cut, self.largest)

    def of(self, x: Fraction | float) -> int:
        numerator, denominator = x.as_integer_ratio()
        return self.nearest(numerator << self.unit, denominator)

    def between(self, low: Fraction, high: Fraction) -> int:
        """Round a real number between two bounds, which must round alike."""
        need(self.of(low) == self.of(high), "a real number is too near to a tie to be rounded here")
        return self.of(low)

    def member(self, x: float, what: str) -> int:
        need(Fraction(self.of(x), 1 << self.unit) == x, f"{what} holds {x!r}, which is not a member of {self.text}")
        return self.of(x)

    def add(self, a: int, b: int) -> int:
        return total if -self.exact < (total := a + b) < self.exact else self.nearest(total)

    def multiply(self, a: int, b: int) -> int:
        cut = a * b >> self.unit
        exact = cut << self.unit == a * b and -self.exact < cut < self.exact
        return cut if exact else self.nearest(a * b, 1 << self.unit)

    def divide(self, a: int, b: int) -> int:
        return self.nearest(a << self.unit, b) if b > 0 else self.nearest(-a << self.unit, -b)

    def plus(self, x: Vector, y: Vector | None) -> Vector:
        """Return x ⊕ y; None stands for nothing to add."""
        if y is None or not any(y):
            return x
        exact, nearest = self.exact, self.nearest
        return tuple([s if -exact < (s := a + b) < exact else nearest(s) for a, b in zip(x, y, strict=True)])

    def times(self, weight: int, x: Vector) -> Vector:
        return tuple([self.multiply(weight, value) for value in x])

    def sum(self, terms: Iterable[int]) -> int:
        return reduce(self.add, terms, 0)

    def sqrt(self, x: int) -> int:
        """Round the root: 100 bits after the unit, and one more that says whether the rest is 0."""
        square = x << (self.unit + 200)
        root = math.isqrt(square)
        return self.nearest(2 * root + (root * root != square), 1 << 101)

    def function(self, name: str, k: int) -> int:
        """Return exp or an activation of a member: the exact real value, rounded once."""
        if (name, k) not in self.computed:
            self.computed[name, k] = self.rounded(name, k)
        return self.computed[name, k]

    def rounded(self, name: str, k: int) -> int:
        x = Fraction(k, 1 << self.unit)
        if name == "exp" and (k == 0 or abs(x) > 5000):  # e^5000 is above, e^−5000 below every arithmetic here
            return self.one if k == 0 else self.largest if k > 0 else 0
        if name == "relu" or k == 0 or abs(x) > (40 if name.startswith("gelu") else 5000):  # they round to x or 0
            return max(k, 0)
        near = 2 * len(str(abs(x.denominator // x.numerator)))  # near 0 they are x/2 + O(x²), and x/2 may be a tie
        digits = 60 + near + (int(x * x / 4) if name == "gelu" else 0)  # gelu loses digits where its value is near 0
        with localcontext(Context(prec=digits, Emax=10**9, Emin=-(10**9))):
            value, error = Fraction(FUNCTIONS[name](Decimal(x.numerator) / x.denominator)), TINY / 10**near
        return self.between(value * (1 - error), value * (1 + error))


TINY = Fraction(1, 10**40)  # an upper bound of the relative error of the functions below


@cache
def pi(digits: int) -> Decimal:
    """Return π = 16 arctan(1/5) − 4 arctan(1/239), by the series of the arctangent in whole numbers."""
    one, total = int(10 ** (digits + 10)), 0
    for factor, n in ((16, 5), (-4, 239)):
        power, k = one // n, 1
        while power:
            total += factor * (power // k) * (1 if k % 4 == 1 else -1)
            power, k = power // (n * n), k + 2
    return Decimal(total) / one


def gelu(x: Decimal) -> Decimal:
    """Return x Φ(x), by Φ(x) = ½ + φ(x) (x + x³/3 + x⁵/(3·5) + x⁷/(3·5·7) + …)."""
    digits, term, total, n = getcontext().prec, x, x, 3
    while abs(term) > abs(total) * Decimal(10) ** -digits:
        term *= x * x / n
        total, n = total + term, n + 2
    return x * (Decimal("0.5") + total * (-x * x / 2).exp() / (2 * pi(digits)).sqrt())


FUNCTIONS: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": Decimal.exp,
    "silu": lambda x: x / (1 + (-x).exp()),
    "gelu": gelu,
    "gelu_tanh": lambda x: x / (1 + (-2 * (2 / pi(getcontext().prec)).sqrt() * (x + Decimal("0.044715") * x**3)).exp()),
}


# Files. What `weightsmith.load` refuses is refused here too, and what both read, they read alike.


def read_file(path: str, most: int) -> bytes:
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        need(stat.S_ISREG(status.st_mode), f"{shown(path)} is not a regular file")
        need(status.st_size <= most, f"{shown(path)} has {status.st_size:,} bytes, at most {most:,} are read")
        return file.read(most + 1)


def read_json(data: bytes | str, what: str) -> dict[str, Any]:
    """Return a JSON object; refuse a key that stands twice, NaN, deep nesting and very many parts."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), f"{what} has a key twice")
        return dict(pairs)

    def real(digits: str) -> float:
        need(math.isfinite(float(digits)), f"{what} holds {digits}, which is not a finite number")
        return float(digits)

    text = data if isinstance(data, str) else data.decode()
    need(sum(map(text.count, '[{"')) <= MAX_PARTS, f"{what} has more than {MAX_PARTS:,} parts")
    deep = f"{what} has more than {MAX_DEPTH} lists and objects in each other"
    try:
        found = json.loads(text, object_pairs_hook=once, parse_constant=real, parse_float=real)
    except RecursionError:
        raise Refused(deep) from None
    need(isinstance(found, dict), f"{what} is not a JSON object")
    level: list[Any] = [found]
    for _ in range(MAX_DEPTH):
        inside = (part.values() if isinstance(part, dict) else part for part in level)
        level = [value for values in inside for value in values if isinstance(value, dict | list)]
    need(not level, deep)
    return dict(found)


# The parts of a model, by kind. A field is written as name:rule, an array as name[axes]. A field with a default may be
# missing. A field in ( ) does not count for the digest; a field that ends in ! counts only if it is not the default.
FORMAT = """
Transformer  arithmetic:name vocabulary:names lanes:lanes embedding[vocabulary,lanes] positions:positions blocks:Block*
             output[classes,lanes]=null classes:classes mask:causal|full output_bias[classes]=null final_norm:norm
             tied:bool=false flags:name* (provenance:text*) (edits:Edit*=[]) (tokenizer:any_text="")
             (description:text="") readout:Readout?=null!
Block        attention:Attention? feed_forward:FeedForward? attention_norm:norm feed_forward_norm:norm
             norm_placement:pre|post origin:text parallel:bool=false!
Attention    heads:Head* b_O[lanes]=null
Head         W_Q[key,lanes] W_K[key,lanes] W_V[value,lanes] W_O[lanes,value] weighting:weighting b_Q[key]=null
             b_K[key]=null b_V[value]=null positions:inside=null strict:bool=false! (name:name="")
FeedForward  W_1[neurons,lanes] b_1[neurons] W_2[lanes,neurons] b_2[lanes] activation:activation
             W_3[neurons,lanes]=null b_3[neurons]=null (names:name*=[]) (keys[neurons,lanes]=null)
LayerNorm    eps:number gain[normed]=null bias[normed]=null lanes:some_lanes
RMSNorm      eps:number gain[normed]=null lanes:some_lanes
Softmax      shifted:bool empty:zero|uniform|error
AverageHard
LeftmostHard
RightmostHard
Table        values[length,lanes]
Relative     keys[distances,coordinates] values[distances,others]=null
Alibi        slopes:slopes place:place=null!
Readout      lanes:lanes table:pairs
Edit         text:text block:whole first:whole count:whole before:FeedForward? created:bool digest:name
Chain        prompt:any_text* steps:steps until:any_text* answers:pairs inputs:names outputs:whole max_length:whole?
             min_length:whole?
"""


class Field(NamedTuple):
    """A field of a part: an array with axes, or a value in the JSON that follows a rule."""

    name: str
    rule: str
    axes: tuple[str, ...]
    default: Any  # ... where there is none
    counts: bool
    unless_default: bool

    @classmethod
    def read(cls, text: str) -> "Field":
        parts = re.fullmatch(r"(\w+)(?::([^=!]+))?(?:\[(.*?)\])?(?:=(.*?))?!?", text.strip("()"))
        assert parts
        name, rule, axes, default = parts.groups()
        value = ... if default is None else json.loads(default)
        return cls(name, rule or "", tuple(axes.split(",")) if axes else (), value, text[0] != "(", text[-1] == "!")


PARTS: dict[str, list[Field]] = {}
for kind, *entries in (line.split() for line in re.split(r"\n(?=\S)", FORMAT.strip())):
    PARTS[kind] = [Field.read(text) for text in entries]


def is_text(x: Any, most: int, printable: bool = True) -> bool:
    sound = isinstance(x, str) and len(x) <= most and not re.search("[\ud800-\udfff]", x)
    return sound and (x.isprintable() or not printable)


def are_names(x: Any, printable: bool = False) -> bool:
    named = isinstance(x, list) and all(is_text(name, 200, printable) and name for name in x)
    return named and 0 < len(x) == len({*x})


def is_number(x: Any) -> bool:
    return type(x) in (int, float) and 0 <= x < 1e30 and float(x) < 1e30


def is_head_of_several(x: Any) -> bool:
    """Say whether this is the number of a head, and how many heads there are."""
    return isinstance(x, list) and len(x) == 2 and all(type(n) is int for n in x) and 0 <= x[0] < x[1] <= 1 << 16


def are_positions(x: Any) -> bool:
    kinds = sorted(getattr(part, "kind", "") for part in (x if isinstance(x, list) else [x]))
    return x is None or kinds in (["Alibi"], ["Relative"], ["Table"], ["Alibi", "Table"], ["Relative", "Table"])


def one_of(*kinds: str | None) -> Callable[[Any], bool]:
    return lambda x: getattr(x, "kind", None if x is None else "") in kinds


GATED = {"reglu": "relu", "swiglu": "silu", "geglu_tanh": "gelu_tanh"}

RULES: dict[str, Callable[[Any], bool]] = {
    "bool": lambda x: type(x) is bool,
    "whole": lambda x: type(x) is int and 0 <= x < 1 << 62,
    "number": is_number,
    "name": lambda x: is_text(x, 200),
    "text": lambda x: is_text(x, 2000),
    "any_text": lambda x: is_text(x, 24 << 20, printable=False),
    "names": are_names,
    "classes": lambda x: x == [] or are_names(x),
    "lanes": lambda x: are_names(x, printable=True),
    "some_lanes": lambda x: x is None or are_names(x, printable=True),
    "slopes": lambda x: x is None or (isinstance(x, list) and x != [] and all(map(is_number, x))),
    "place": lambda x: x is None or is_head_of_several(x),
    "steps": lambda x: x is None or (type(x) is int and 1 <= x <= 1 << 16),
    "pairs": lambda x: isinstance(x, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in x),
    "activation": lambda x: x in ("relu", "gelu", "gelu_tanh", "silu", *GATED),
    "positions": are_positions,
    "inside": one_of("Relative", "Alibi", None),
    "norm": one_of("LayerNorm", "RMSNorm", None),
    "weighting": one_of("Softmax", "AverageHard", "LeftmostHard", "RightmostHard"),
}


def follows(rule: str, x: Any) -> bool:
    """Say whether a value follows a rule: one of those above, a kind of part, one or none (?), a list (*), or words."""
    if rule.endswith("*"):
        return isinstance(x, list) and all(follows(rule[:-1], item) for item in x)
    if rule.endswith("?"):
        return x is None or follows(rule[:-1], x)
    if rule in PARTS:
        return one_of(rule)(x)
    return RULES[rule](x) if rule in RULES else isinstance(x, str) and x in rule.split("|")


class Matrix(tuple[Vector, ...]):
    """The rows of a matrix. `sparse` has the rows that are not 0, with the columns and numbers that are not 0."""

    def __init__(self, rows: Iterable[Vector]) -> None:
        every = ((i, [(j, w) for j, w in enumerate(row) if w]) for i, row in enumerate(self))
        self.sparse = [(i, row) for i, row in every if row]


class Reader:
    """Reads a model from its file."""

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:8], "little")
        need(len(data) >= 8 and size <= min(len(data) - 8, MAX_HEADER), "it is not a model file, or it is cut off")
        header, self.body = read_json(data[8 : 8 + size], "the header of the model"), memoryview(data)[8 + size :]
        need(len(self.body) <= 8 * MAX_NUMBERS, f"a model of more than {MAX_NUMBERS:,} numbers is not checked here")
        metadata = header.pop("__metadata__", None)
        own = isinstance(metadata, dict) and [*metadata] == ["weightsmith"] and isinstance(metadata["weightsmith"], str)
        need(own, "it is no model file of Weightsmith")
        values = read_json(metadata["weightsmith"], "the metadata of the model")
        version, listed = values.pop("version", None), values.pop("tensors", None)
        chain, story = values.pop("chain", None), values.pop("story", None)
        need(
            story is None or isinstance(story, dict), "its story is no JSON object"
        )  # captions, which nothing here reads
        need(type(version) is int and version == 1, f"the model file has version {shown(version)}, and 1 is read")
        same = follows("any_text*", listed) and sorted(listed) == sorted(header)
        need(same, "the tensors are not those that the metadata lists")
        self.arithmetic, self.tensors = Arithmetic(values.get("arithmetic")), self.tensors_of(header)
        self.model = self.part("Transformer", values, "", {})
        need(not self.tensors, f"there is a tensor that belongs nowhere: {shown([*self.tensors][:1])}")
        need(chain is None or isinstance(chain, dict), "its chain is no JSON object")
        self.chain = None if chain is None else self.part("Chain", chain, "the chain", None)

    def tensors_of(self, header: dict[str, Any]) -> dict[str, tuple[list[int], int]]:
        """Return the shape and the first byte of each tensor; they must fill the file, one after the other."""
        found, spans = dict[str, tuple[list[int], int]](), [(0, 0), (len(self.body), len(self.body))]
        for name, entry in header.items():
            odd = f"the tensor {shown(name)} is {shown(entry)}, which is not read"
            need(isinstance(entry, dict) and entry.keys() == {"dtype", "shape", "data_offsets"}, odd)
            shape, span = entry["shape"], entry["data_offsets"]
            need(follows("whole*", shape) and follows("whole*", span) and entry["dtype"] == "F64", odd)
            need(len(shape) in (1, 2) and len(span) == 2 and max(shape) <= (1 << 24 if all(shape) else 1 << 16), odd)
            need(span[1] - span[0] == 8 * math.prod(shape), odd)
            found[name] = shape, span[0]
            spans.append((span[0], span[1]))
        ends = [n for span in sorted(spans) for n in span][1:-1]
        need(ends[::2] == ends[1::2], "the tensors do not fill the model file one after the other")
        return found

    def part(self, kind: str, values: dict[str, Any], name: str, sizes: dict[str, int] | None) -> Part:
        """Read a part. `sizes` are those of the axes around it; None where they need not fit."""
        part, prefix = Part(kind=kind), name and f"{name}."
        plain, arrays = ([field for field in PARTS[kind] if bool(field.axes) == array] for array in (False, True))
        odd = values.keys() ^ {field.name for field in plain if field.default is ... or field.name in values}
        need(not odd, f"{name or 'the model'} has an unknown key, or lacks one: {shown(sorted(odd)[:1])}")
        if sizes is not None:
            counts = {key: len(x) for key, x in values.items() if key in AXES and isinstance(x, list)}
            normed = {"normed": counts.get("lanes", sizes.get("lanes", 0))}
            sizes = {**sizes, **(normed if kind in ("LayerNorm", "RMSNorm") else counts)}
        for field in plain:
            inside = None if field.name == "edits" else sizes
            value = self.value(values.get(field.name, field.default), prefix + field.name, inside)
            need(follows(field.rule, value), f"{prefix}{field.name} is {shown(value)}, which is not checked here")
            setattr(part, field.name, value)
        for field in arrays:
            setattr(part, field.name, self.array(prefix + field.name, field, sizes))
        getattr(self, f"check_{kind}", lambda part: None)(part)
        return part

    def value(self, value: Any, name: str, sizes: dict[str, int] | None) -> Any:
        """Return a value of the JSON, with the parts in it."""
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            return [self.value(item, f"{name}.{i}", sizes) for i, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        kind = value.get("kind")
        known = isinstance(kind, str) and kind in PARTS and kind != "Transformer"
        instead = ": write a PositionTable" if kind in ("Sinusoidal", "Rotary") else ""
        need(known, f"{name} is of the kind {shown(kind)}, which is not checked here{instead}")
        return self.part(str(kind), {key: inner for key, inner in value.items() if key != "kind"}, name, sizes)

    def array(self, name: str, field: Field, sizes: dict[str, int] | None) -> Any:
        """Return an array of members, by rows if it has two axes; None where it may be missing and is."""
        if name not in self.tensors:
            need(field.default is None, f"the tensor {shown(name)} is missing")
            return None
        shape, begin = self.tensors.pop(name)
        need(len(shape) == len(field.axes), f"the tensor {shown(name)} has {len(shape)} axes")
        for axis, size in zip(field.axes, shape, strict=True):
            fits = sizes is None or sizes.setdefault(axis, size) == size
            need(fits, f"{name} has the shape {shape}, which does not fit its {axis}")
        numbers = struct.unpack_from(f"<{math.prod(shape)}d", self.body, begin)
        need(all(map(math.isfinite, numbers)), f"the tensor {shown(name)} has a number that is not finite")
        known = {x: self.arithmetic.member(x, name) for x in {*numbers}}
        members = tuple(known[x] for x in numbers)
        return members if len(shape) == 1 else Matrix(members[i * shape[1] :][: shape[1]] for i in range(shape[0]))

    # Rules about several fields

    def check_Transformer(self, T: Part) -> None:  # noqa: N802
        if T.readout is None:
            need(T.classes and (T.output is None) == T.tied, "its output is missing, or is there twice")
            need(not T.tied or T.classes == T.vocabulary, "a tied model has its vocabulary as classes")
        else:
            alone = T.classes == [] and T.output is not None and not T.tied and T.output_bias is None
            need(alone and {*T.readout.lanes} <= {*T.lanes}, "a readout stands for the output, and reads lanes")
        schemes = T.positions if isinstance(T.positions, list) else [T.positions]
        T.positions = schemes[0] if len(schemes) == 1 else schemes  # a list of one stands for it
        T.table = next((scheme.values for scheme in schemes if one_of("Table")(scheme)), ())
        T.inside = next((scheme for scheme in schemes if one_of("Relative", "Alibi")(scheme)), None)
        need(T.table or not any(map(one_of("Table"), schemes)), "its position table is empty")
        for attention in (block.attention for block in T.blocks if block.attention):
            self.check_schemes(T, attention)
        for norm in [T.final_norm, *(norm for b in T.blocks for norm in (b.attention_norm, b.feed_forward_norm))]:
            lanes = norm.lanes if norm and norm.lanes else []
            chosen = {*lanes}
            need(lanes == [lane for lane in T.lanes if lane in chosen], "a norm has its lanes out of order, or others")
        for flag in T.flags:
            need(flag in T.lanes, f"the flag {shown(flag)} is not a lane")
            i = T.lanes.index(flag)
            fits = T.table and all(row[i] in (0, 1 << self.arithmetic.unit) for row in T.table)
            fits = fits and not any(row[i] for row in T.embedding)
            need(fits and not any(writes(block, i, flag) for block in T.blocks), f"{shown(flag)} is no flag")

    def check_schemes(self, T: Part, attention: Part) -> None:
        """Check that the positions of a model and of its heads fit the heads."""
        if one_of("Alibi")(T.inside):
            fits = T.inside.slopes is None or len(T.inside.slopes) == len(attention.heads)
            need(fits and T.inside.place is None, "there is not one slope for each head")
        for head in attention.heads:
            own, scheme = head.positions, head.positions or T.inside
            alone = not one_of("Alibi")(own) or own.place is not None or len(own.slopes or ()) == 1
            need(alone, "a head with ALiBi of its own has one slope")
            if one_of("Relative")(scheme):
                fits = all(len(row) == len(head.W_K) for row in scheme.keys)
                fits = fits and all(len(row) == len(head.W_V) for row in scheme.values or ())
                need(fits and T.mask == "causal", "relative positions do not fit a head")

    def check_Block(self, b: Part) -> None:  # noqa: N802
        alone = (b.attention_norm and not b.attention) or (b.feed_forward_norm and not b.feed_forward)
        need(not alone and not (b.parallel and b.norm_placement == "post"), "a norm stands where it cannot")

    def check_FeedForward(self, layer: Part) -> None:  # noqa: N802
        gated = layer.activation in GATED
        need(gated == (layer.W_3 is not None) and (gated or layer.b_3 is None), "W_3 does not fit the activation")
        layer.b_3 = (0,) * len(layer.W_3) if gated and layer.b_3 is None else layer.b_3
        need(len(layer.names) in (0, len(layer.W_1)), "there is not one name for each neuron")
        need(layer.keys is None or [*map(len, layer.keys)] == [*map(len, layer.W_1)], "keys do not fit W_1")

    def check_Relative(self, scheme: Part) -> None:  # noqa: N802
        need(scheme.keys, "relative positions have no row")

    def check_LayerNorm(self, norm: Part) -> None:  # noqa: N802
        norm.eps = float(norm.eps) + 0.0  # a float64, however many digits are written, and not −0

    check_RMSNorm = check_LayerNorm

    def check_Alibi(self, scheme: Part) -> None:  # noqa: N802
        need(scheme.place is None or scheme.slopes is None, "a slope of ALiBi is given twice")
        scheme.slopes = scheme.slopes and [float(slope) + 0.0 for slope in scheme.slopes]

    def check_Readout(self, readout: Part) -> None:  # noqa: N802
        """Sort the table by its codes, which become float64."""
        table = dict[tuple[float, ...], Any]()
        for given, value in readout.table:
            plain = type(value) in (bool, float, type(None)) or (type(value) is int and abs(value) <= 1 << 53)
            need(plain or is_text(value, 200, printable=False), f"the readout has the value {shown(value)}")
            numbers = given if isinstance(given, list) else [given]
            sound = all(type(x) in (int, float) and abs(x) < 1e300 for x in numbers)
            code = tuple(float(x) + 0.0 for x in numbers) if sound else ()
            need(len(code) == len(readout.lanes) and code not in table, f"the readout has the code {shown(given)}")
            table[code] = value + 0.0 if type(value) is float else value
        need(0 < len(table) <= 1 << 16, "the readout has no entry, or too many")
        readout.table = sorted(table.items(), key=lambda entry: entry[0])
        readout.codes = {tuple(self.arithmetic.member(x, "the readout") for x in code): v for code, v in readout.table}

    def check_Chain(self, chain: Part) -> None:  # noqa: N802
        """Check a chain around the model, which has been read."""
        T, tokens = self.model, [*chain.prompt, *chain.until, *chain.inputs]
        chain.written = [*dict.fromkeys(T.readout.codes.values())] if T.readout else T.classes
        need(all(token in T.vocabulary for token in [*tokens, *chain.written]), "the chain has tokens of its own")
        need(all(token in chain.written for token in chain.until), "the chain never writes a token that ends it")
        last = [token for token in chain.written if token in chain.until or not chain.until]
        meant = [meaning for _, meaning in chain.answers]
        need([token for token, _ in chain.answers] == last, "the chain's answers are not those of its last tokens")
        need(all(is_text(meaning, 2000) for meaning in meant), "the chain has an answer that is no text")
        need(chain.outputs == 1, "a chain with several outputs is not checked here")
        need(chain.until or chain.steps, "nothing ends the chain")
        room = len(T.table) - len(chain.prompt) - (0 if chain.until else chain.steps - 1)
        need(chain.max_length != 0 and (chain.max_length or not T.table), "the chain takes no input, or too long ones")
        need(not T.table or chain.max_length <= room, "the chain takes inputs that do not fit the position table")
        need(chain.min_length in (None, 1), "a chain with a shortest input is not checked here")
        chain.meaning, chain.said = dict(chain.answers), [*dict.fromkeys(meant)]


AXES = ("vocabulary", "lanes", "classes")  # the axes whose size is the number of names in the field of that name


def writes(block: Part, i: int, lane: str) -> bool:
    """Say whether a block writes to a lane, the i-th."""
    attention, layer, norms = block.attention, block.feed_forward, (block.attention_norm, block.feed_forward_norm)
    rows = [head.W_O[i] for head in attention.heads] + [(attention.b_O or ())[i : i + 1]] if attention else []
    rows += [layer.W_2[i], layer.b_2[i : i + 1]] if layer else []
    after = [norm for norm in norms if norm and block.norm_placement == "post"]
    return any(map(any, rows)) or any(norm.lanes is None or lane in norm.lanes for norm in after)


def digest(T: Part, A: Arithmetic, chain: Part | None = None) -> str:
    """Return the digest by which certificates name a model: of everything that counts when two models are compared."""
    state = hashlib.sha256()

    def write(kind: str, data: str) -> None:
        state.update(f"{kind}:{len(data.encode())}:{data}".encode())

    def write_array(rows: Any, axes: int) -> None:
        flat = rows if axes == 1 else [x for row in rows for x in row]
        shape = (len(rows),) if axes == 1 else (len(rows), len(flat) // len(rows) if rows else len(T.lanes))
        state.update(f"array{shape}:{8 * len(flat)}:".encode())
        state.update(struct.pack(f"<{len(flat)}d", *(k / (1 << A.unit) for k in flat)))

    def write_value(value: Any) -> None:
        if isinstance(value, Part):
            counted = [field for field in PARTS[value.kind] if field.counts]
            counted = [f for f in counted if not f.unless_default or getattr(value, f.name) != f.default]
            write(value.kind, ",".join(field.name for field in counted))
            for field in counted:
                inner = T.embedding if field.name == "output" and T.tied else getattr(value, field.name)
                if field.axes and inner is not None:
                    write_array(inner, len(field.axes))
                elif field.name == "table":
                    write_value([(c, v.as_integer_ratio() if isinstance(v, int | float) else v) for c, v in inner])
                elif field.name == "arithmetic":
                    write("arithmetic", A.text)
                else:
                    write_value(inner)
        elif isinstance(value, list | tuple):
            write("tuple", str(len(value)))
            for item in value:
                write_value(item)
        else:
            write(type(value).__name__, str(value))

    if chain is None:
        write_value(T)
        return state.hexdigest()
    names = [field.name for field in PARTS["Chain"]]
    write("Chain", ",".join(["transformer", *names]))
    for value in (T, *(getattr(chain, name) for name in names)):
        write_value(value)
    return state.hexdigest()


UNENDED = object()  # in place of the answer of a chain that does not end


class Model:
    """A transformer, and what it does to a vector of the stream; perhaps with a chain around it."""

    def __init__(self, data: bytes) -> None:
        reader = Reader(data)
        self.parts, self.arithmetic = T, A = reader.model, reader.arithmetic
        self.chain: Any = reader.chain
        self.file_digest, self.digest = hashlib.sha256(data).hexdigest(), digest(T, A, self.chain)
        self.letters = sorted({*T.embedding})
        number = {x: n for n, x in enumerate(self.letters)}
        self.letter_of = {token: number[x] for token, x in zip(T.vocabulary, T.embedding, strict=True)}
        self.longest = len(T.table) or None
        self.computed = dict[Any, Vector]()  # results of feed-forward layers, each once
        self.answers = [*dict.fromkeys(T.readout.codes.values())] if T.readout else T.classes
        self.said = [*self.chain.said, UNENDED] if self.chain else self.answers  # what a label stands for in the end

    def until(self, site: str) -> "Model":
        """Return the model up to a site of the stream: its last vectors are those at the site."""
        found = re.fullmatch(
            r"embedding|block ([0-9]{1,9}) (attention|feed-forward)", site if is_text(site, 99) else ""
        )
        block, kind = (int(found[1]) if found and found[1] else -1, found and found[2])
        need(found and not self.chain and block < len(self.parts.blocks), f"there is no site {shown(site)}")
        blocks = self.parts.blocks[: block + 1]
        if kind == "attention":
            blocks = [*blocks[:-1], Part(**{**vars(blocks[-1]), "feed_forward": None, "feed_forward_norm": None})]
        model = Model.__new__(Model)
        vars(model).update(vars(self))
        model.parts = Part(**{**vars(self.parts), "blocks": blocks, "final_norm": None})
        model.computed = {}
        return model

    def linear(self, W: Matrix, x: Vector, b: Vector | None = None) -> Vector:
        """Return W x ⊕ b: in each row, the fold of the products. Products that are 0 change nothing."""
        A, rows = self.arithmetic, [0] * len(W)
        for i, row in W.sparse:
            for j, w in row:
                if x[j]:
                    rows[i] = A.add(rows[i], A.multiply(w, x[j]))
        return A.plus(tuple(rows), b)

    def norm(self, norm: Part | None, x: Vector) -> Vector:
        if norm is None:
            return x
        A, lanes = self.arithmetic, self.parts.lanes
        chosen = {*lanes} if norm.lanes is None else {*norm.lanes}  # they are in the same order
        normed = [i for i, lane in enumerate(lanes) if lane in chosen]
        values, m = tuple(x[i] for i in normed), A.of(len(normed))
        if norm.kind == "LayerNorm":
            mean = A.divide(A.sum(values), m)
            values = tuple(A.add(value, -mean) for value in values)
        root = A.sqrt(A.add(A.divide(A.sum(A.multiply(y, y) for y in values), m), A.of(norm.eps)))
        need(root, "on some input the square root of a norm is 0")
        values = tuple(A.divide(y, root) for y in values)
        values = tuple(map(A.multiply, values, norm.gain)) if norm.gain else values
        values = A.plus(values, norm.bias) if norm.kind == "LayerNorm" else values
        changed = dict(zip(normed, values, strict=True))
        return tuple(changed.get(i, value) for i, value in enumerate(x))

    def norm_at(self, placement: str, sublayer: str, b: int, x: Vector) -> Vector:
        """Return a vector after the norm that stands before ("pre") or after ("post") a sublayer of a block, if any."""
        block = self.parts.blocks[b]
        return self.norm(getattr(block, f"{sublayer}_norm") if block.norm_placement == placement else None, x)

    def after(self, b: int, x: Vector, outputs: Iterable[Vector]) -> Vector:
        """Return the vector after a block, from the vector before it and the outputs of its heads there."""
        A, block, entry = self.arithmetic, self.parts.blocks[b], x
        if block.attention:
            total = A.plus(reduce(A.plus, outputs, (0,) * len(x)), block.attention.b_O)
            x = self.norm_at("post", "attention", b, A.plus(x, total))
        key = b, x, entry if block.parallel else x
        if key not in self.computed:
            self.computed[key] = self.after_feed_forward(*key) if block.feed_forward else x
        return self.computed[key]

    def after_feed_forward(self, b: int, x: Vector, seen: Vector) -> Vector:
        A, layer = self.arithmetic, self.parts.blocks[b].feed_forward
        seen = self.norm_at("pre", "feed_forward", b, seen)
        activation = GATED.get(layer.activation, layer.activation)
        z = tuple([A.function(activation, value) if value else 0 for value in self.linear(layer.W_1, seen, layer.b_1)])
        z = z if layer.W_3 is None else tuple(map(A.multiply, z, self.linear(layer.W_3, seen, layer.b_3)))
        return self.norm_at("post", "feed_forward", b, A.plus(x, self.linear(layer.W_2, z, layer.b_2)))

    def answer(self, x: Vector) -> int:
        """Return the number of the answer for a vector after the last block."""
        T, x = self.parts, self.norm(self.parts.final_norm, x)
        if T.readout:
            code = tuple(x[T.lanes.index(lane)] for lane in T.readout.lanes)
            need(code in T.readout.codes, "on some input the lanes of the readout hold a code that stands for nothing")
            return self.answers.index(T.readout.codes[code])
        logits = self.linear(T.embedding if T.tied else T.output, x, T.output_bias)
        return logits.index(max(logits))


# Machines and walks


@dataclass(frozen=True, eq=False)
class Machine:
    """A machine over letters. It starts in state 0, and speaks in the states whose label is above 0."""

    table: Sequence[Sequence[int]]  # (states, letters): the next state
    labels: Sequence[int]
    lively: frozenset[int]  # the states from which some letters, or none, lead to one in which it speaks

    @classmethod
    def made(cls, table: Sequence[Sequence[int]], labels: Sequence[int], letters: int) -> "Machine":
        fits = 0 < len(table) == len(labels) and min(labels) >= 0
        fits = fits and all(len(row) == letters and min(row) >= 0 and max(row) < len(table) for row in table)
        need(fits, "a machine has rows or labels that do not fit")
        return cls(table, labels, leading(table, (state for state, label in enumerate(labels) if label)))


def leading(table: Sequence[Iterable[int]], goal: Iterable[int]) -> frozenset[int]:
    """Return the states from which some letters, or none, lead to a goal."""
    before: list[list[int]] = [[] for _ in table]
    for state, row in enumerate(table):
        for following in row:
            before[following].append(state)
    found = {*goal}
    for state in (order := [*found]):  # it grows meanwhile
        new = {*before[state]} - found
        found |= new
        order += new
    return frozenset(found)


class Work:
    """Counts the work. `tick` is called from time to time, and may raise an error to end the check."""

    def __init__(self, tick: Callable[["Work"], None] | None = None, readings: int = 1) -> None:
        self.walks = self.states = self.held = 0  # held: the states of the present walk
        self.tick, self.done, self.readings = tick or (lambda work: None), 0, max(readings, 1)

    def look(self, states: int) -> None:
        need(states <= MAX_STATES, f"a walk has more than {MAX_STATES:,} states")
        self.held = states
        self.tick(self)

    def walk(self, start: Hashable, following: Callable[[Any], Iterable[Any]], longest: float = math.inf) -> set[Any]:
        """Return every state to which letters lead from a start: one letter or more, and no more than the longest."""
        seen, layer, depth = set[Any](), [start], 0
        while layer and depth < longest:
            new = []
            for number, state in enumerate(layer):
                for there in following(state):
                    if there not in seen:
                        seen.add(there)
                        new.append(there)
                if number % 1024 == 0:
                    self.look(len(seen))
            layer, depth = new, depth + 1
        self.walks, self.states = self.walks + 1, self.states + len(seen)
        return seen

    def labels(self, machines: Sequence[Machine], awake: int, longest: float = math.inf) -> set[Vector]:
        """Return the labels that machines have together. The walk goes on while each of the first `awake` is lively."""
        tables, lively = [machine.table for machine in machines], [machine.lively for machine in machines[:awake]]

        def following(state: Vector) -> Iterator[Vector]:
            for there in zip(*[table[i] for table, i in zip(tables, state, strict=True)], strict=True):
                if all(map(frozenset.__contains__, lively, there)):
                    yield there

        found = self.walk((0,) * len(machines), following, longest)
        return {tuple([machine.labels[i] for machine, i in zip(machines, state, strict=True)]) for state in found}


# Regular expressions: the position automaton (Glushkov 1961), made deterministic

ATOM = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]|\\[dDsSwWafnrtv]|\\[^0-9A-Za-z]|[^\\\[\](){}|*+?^$]", re.DOTALL)
REPEAT = re.compile(r"(?:(\*)|(\+)|(\?)|\{([0-9]{1,4})\}|\{([0-9]{1,4}),([0-9]{0,4})\})\??")


class Piece(NamedTuple):
    """A piece of an expression: whether it matches the empty text, and the atoms that begin and end its matches."""

    empty: bool
    first: frozenset[int]
    last: frozenset[int]


NOTHING = Piece(True, frozenset(), frozenset())


class Expression:
    """A regular expression of Python that has characters, sets, groups, | * + ? and {m,n}, and nothing else.

    Each atom, a character or a set, has a number. A repeated piece is read again for each time that it stands there.
    """

    def __init__(self, pattern: str, characters: Iterable[str]) -> None:
        self.pattern, self.at, self.characters, self.steps = pattern, 0, {*characters}, 0
        self.matches = list[set[str]]()  # by atom: the characters
        self.next = list[set[int]]()  # by atom: the atoms that may follow it
        self.whole = self.either(0)
        need(self.at == len(pattern), "it has something else than characters, sets, groups and repeats")

    def count(self, steps: int) -> None:
        self.steps += steps
        need(self.steps <= MAX_STEPS and len(self.next) <= MAX_EXPRESSION, "it is too long")

    def then(self, one: Piece, other: Piece) -> Piece:
        self.count(len(one.last) * len(other.first) + len(one.last) + len(other.first))
        for atom in one.last:
            self.next[atom] |= other.first
        first = one.first | other.first if one.empty else one.first
        return Piece(one.empty and other.empty, first, one.last | other.last if other.empty else other.last)

    def either(self, depth: int) -> Piece:
        need(depth < 50, "its groups are nested deeply")
        piece = self.sequence(depth)
        while self.skip("|"):
            empty, first, last = self.sequence(depth)
            piece = Piece(piece.empty or empty, piece.first | first, piece.last | last)
        return piece

    def skip(self, text: str) -> bool:
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def sequence(self, depth: int) -> Piece:
        piece = NOTHING
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            piece = self.then(piece, self.repeated(depth))
        return piece

    def repeated(self, depth: int) -> Piece:
        """Read a piece and the repeat that may follow it, greedy or lazy: the language is the same."""
        begin, atoms = self.at, len(self.next)
        piece = self.single(depth)
        found = REPEAT.match(self.pattern, self.at)
        if not found:
            return piece
        end = found.end()
        need(not REPEAT.match(self.pattern, end) and self.pattern[end : end + 1] != "+", "it repeats a repeat")
        many, some, maybe, exactly, low, high = found.groups()
        least = 1 if some else int(exactly or low or 0)
        most = None if many or some or high == "" else 1 if maybe else int(exactly or high)
        need(most is None or least <= most, "it repeats something less often than it must")
        copies = max(least, 1) if most is None else most
        need((len(self.next) - atoms) * copies <= MAX_EXPRESSION and copies <= MAX_EXPRESSION, "it is too long")
        whole = NOTHING
        for copy in range(copies):
            if copy:
                self.at = begin
                piece = self.single(depth)
            if most is None and copy == copies - 1:
                piece = self.then(piece, piece)
            whole = self.then(whole, piece if copy < least else piece._replace(empty=True))
        self.at = end
        return whole

    def single(self, depth: int) -> Piece:
        """Read a group, or an atom; Python's own `re` says which characters it matches."""
        self.count(1)
        if group := re.compile(r"\((?:\?:|(?!\?))").match(self.pattern, self.at):
            self.at = group.end()
            piece = self.either(depth + 1)
            need(self.skip(")"), "a group is not closed")
            return piece
        atom = ATOM.match(self.pattern, self.at)
        need(atom, "it has something else than characters, sets, groups and repeats")
        self.at, one = (atom.end(), re.compile(atom[0])) if atom else (self.at, re.compile(""))
        self.matches.append({character for character in self.characters if one.fullmatch(character)})
        self.next.append(set())
        number = frozenset([len(self.next) - 1])
        return Piece(False, number, number)


def automaton_of(pattern: str, tokens: Sequence[str]) -> dict[str, Any]:
    """Return the automaton of an expression over tokens, as certificates write it."""
    gap = "" if all(len(token) == 1 for token in tokens) else " "  # between the tokens of a text
    expression = Expression(pattern, "".join(tokens) + gap)
    whole, table = expression.whole, list[list[int]]()
    states = Numbering[frozenset[int] | None](
        None
    )  # the atoms that may have matched the last character; None: the start

    def after(state: frozenset[int] | None, character: str) -> frozenset[int]:
        every = [whole.first] if state is None else [expression.next[atom] for atom in state]
        expression.count(1 + sum(map(len, every)))
        return frozenset(atom for atoms in every for atom in atoms if character in expression.matches[atom])

    for state in states:
        texts = [token if state is None else gap + token for token in tokens]
        table.append([states.number(reduce(after, text, state)) for text in texts])
        need(len(states) <= MAX_EXPRESSION, "its automaton is too large")
    accepting = [whole.empty if state is None else not whole.last.isdisjoint(state) for state in states]
    return {"table": table, "accepting": accepting, "start": 0}


# Folds over keys. A key has a code, which says how a query weighs it, and a value. A fold turns both into an *effect*:
# a mark, which moves the normaliser on, and a term, which is added to the sum; None where the key changes nothing;
# FATAL where the guess cannot be right if the key is seen. The state of a fold is its normaliser and its sum.

FATAL = "fatal"
State = tuple[Any, Vector]


class Fold:
    """A fold over the keys that a query sees."""

    start: Any = None  # the normaliser before any key
    guess: Any = None  # the outcome that is guessed; None where nothing is guessed

    def effect(self, code: int, value: Vector) -> Any:
        """Return the mark and the term of a key, or None, or FATAL."""
        return code, ()

    def step(self, normaliser: Any, mark: Any) -> Any:
        """Return the normaliser after a key: here, the largest mark."""
        return mark if normaliser is None else max(normaliser, mark)

    def add(self, state: State, mark: Any, term: Vector, normaliser: Any) -> Vector:
        """Return the sum after a key, from the state before it and the normaliser after it."""
        return term

    def outcome(self, normaliser: Any) -> tuple[Any] | None:
        """Return the outcome, as a tuple of one; None where it is not the one that was guessed."""
        return (normaliser,)


class Largest(Fold):
    """The largest code; None where no key is seen."""


class Nothing(Fold):
    """The guess that no key is seen: every key is fatal."""

    def effect(self, code: int, value: Vector) -> Any:
        return FATAL


class Choose(Fold):
    """Hard attention: the value of the first key with the largest code, or of the last one, times 1."""

    def __init__(self, A: Arithmetic, last: bool) -> None:
        self.A, self.last = A, last

    def effect(self, code: int, value: Vector) -> Any:
        return code, self.A.times(self.A.one, value)

    def add(self, state: State, mark: int, term: Vector, normaliser: int) -> Vector:
        before, chosen = state
        return term if before is None or mark > before or (mark == before and self.last) else chosen


class Sum(Fold):
    """Softmax: the sum of the exponentials of the codes, or, if the largest code is known, of the codes less that one.

    In the second case the normaliser also says whether a key with the largest code has been seen. A guess is a list of
    sums with which every key makes the same term.
    """

    def __init__(self, A: Arithmetic, largest: int | None = None, guess: list[int] | None = None) -> None:
        self.A, self.largest, self.guess, self.start = A, largest, guess, (largest is None, 0)

    def effect(self, code: int, value: Vector) -> Any:
        if self.largest is not None and code > self.largest:
            return FATAL
        e = code if self.largest is None else self.A.function("exp", self.A.add(code, -self.largest))
        if e == 0 and code != self.largest:
            return None
        return (code == self.largest, e), self.term(e, value)

    def term(self, e: int, value: Vector) -> Vector:
        terms = {self.A.times(self.A.divide(e, z) if z else 0, value) for z in self.guess or [0]}
        need(len(terms) == 1, "sums of one guess make different terms")
        return terms.pop()

    def step(self, normaliser: Any, mark: Any) -> Any:
        return normaliser[0] or mark[0], self.A.add(normaliser[1], mark[1])

    def add(self, state: State, mark: Any, term: Vector, normaliser: Any) -> Vector:
        return self.A.plus(state[1], term)

    def outcome(self, normaliser: Any) -> tuple[int] | None:
        seen, z = normaliser
        return (z,) if seen and (self.guess is None or z in self.guess) else None


class Count(Fold):
    """Equal parts: 1 ⊘ m for each of the m keys with the largest code. The normaliser is m, as far as it matters.

    The outcome is 1 ⊘ m; a guess is a list of weights of which it is one. At least `least` keys must be seen.
    """

    start = 0

    def __init__(self, A: Arithmetic, largest: int, least: int, guess: list[int] | None = None) -> None:
        self.A, self.largest, self.guess = A, largest, guess
        need(2 << A.unit < MAX_COUNT, "equal parts of so many keys are not checked here")
        parts = [0, *(A.nearest(1 << A.unit, m) for m in range(1, (2 << A.unit) + 2))]  # for larger m it is 0 as well
        self.parts = [part if m >= least and (guess is None or part in guess) else None for m, part in enumerate(parts)]
        seen = self.parts if guess is None else [part is None for part in self.parts]
        self.most = max((m for m, part in enumerate(seen) if part != seen[-1]), default=-1) + 1  # more are like these

    def effect(self, code: int, value: Vector) -> Any:
        if code != self.largest:
            return FATAL if code > self.largest else None
        return None, self.term(value)

    def term(self, value: Vector) -> Vector:
        terms = {self.A.times(weight, value) for weight in self.guess or [0]}
        need(len(terms) == 1, "weights of one guess make different terms")
        return terms.pop()

    def step(self, normaliser: int, mark: None) -> int:
        return min(normaliser + 1, self.most)

    def add(self, state: State, mark: None, term: Vector, normaliser: int) -> Vector:
        return self.A.plus(state[1], term)

    def outcome(self, normaliser: int) -> tuple[int] | None:
        part = self.parts[normaliser]
        return None if part is None else (part,)


class CountAlike(Count):
    """Equal parts of keys that all have one value: the sum follows from m, and nothing is guessed."""

    value: Vector | None = None

    def term(self, value: Vector) -> Vector:
        self.value = value if self.value is None else self.value
        need(value == self.value, "keys have several values, and nothing is guessed")
        return value

    def add(self, state: State, mark: None, term: Vector, normaliser: int) -> Vector:
        part = self.A.times(self.parts[normaliser] or 0, term)
        total, left = (0,) * len(term), normaliser
        while left and (more := self.A.plus(total, part)) != total:  # a sum that stays, stays for ever
            total, left = more, left - 1
        return total


class Folded:
    """The states of a fold as numbers, each computed once; −1 where the guess can no longer be right."""

    def __init__(self, fold: Fold, effects: Sequence[Any], size: int, work: Work) -> None:
        self.fold, self.effects, self.work, self.steps = fold, effects, work, defaultdict[int, dict[int, int]](dict)
        self.states = Numbering[State]((fold.start, (0,) * size))
        self.hopeful = None if fold.guess is None else self.hopeful_normalisers()

    def hopeful_normalisers(self) -> set[Any]:
        """Return the normalisers from which the guess can still be right."""
        marks = {effect[0] for effect in self.effects if effect not in (None, FATAL)}
        normalisers, table = Numbering(self.fold.start), list[list[int]]()
        for normaliser in normalisers:
            table.append([normalisers.number(self.fold.step(normaliser, mark)) for mark in marks])
            if len(table) % 1024 == 0:
                self.work.look(len(normalisers))
        right = (n for n, normaliser in enumerate(normalisers) if self.fold.outcome(normaliser))
        return {normalisers[n] for n in leading(table, right)}

    def after(self, state: int, effects: Vector) -> int:
        """Return the state after some effects."""
        for effect in effects:
            if state < 0:
                return state
            steps = self.steps[state]
            if effect not in steps:
                steps[effect] = self.step(self.states[state], self.effects[effect])
            state = steps[effect]
        return state

    def step(self, state: State, effect: Any) -> int:
        if effect == FATAL:
            return -1
        mark, term = effect
        normaliser = self.fold.step(state[0], mark)
        if self.hopeful is not None and normaliser not in self.hopeful:
            return -1
        if len(self.states) % 1024 == 0:
            self.work.look(len(self.states))
        return self.states.number((normaliser, self.fold.add(state, mark, term, normaliser)))


# The proof of one model, as data


@dataclass(frozen=True)
class Reading:
    """A guess: a view to walk with, and the machine that speaks where the guess is right."""

    view: Machine
    machine: Machine
    weights: list[float]  # what is guessed: weights of equal parts, or sums of exponentials; see `folds`
    any_sum: bool  # whether the machine does not tell sums apart, because the outcome is the same for all


@dataclass(frozen=True)
class QueryClass:
    """Queries that weigh all keys alike, by the labels of their vectors."""

    queries: list[int]
    view: Machine | None  # with which guesses are found; None where nothing is guessed
    readings: list[Reading]


@dataclass(frozen=True)
class Branch:
    """A machine that is joined with a reading of a head, and a branch or None for each reading of the next head."""

    machine: Machine
    tree: list["Branch | None"]


@dataclass(frozen=True)
class Joint:
    """Vectors of one class for each head; a view that says which vector it is; the readings that are joined with it."""

    classes: list[int]
    view: Machine
    tree: list[Branch | None]


@dataclass(frozen=True)
class BlockProof:
    heads: list[list[QueryClass]]
    joints: list[Joint]


@dataclass(frozen=True)
class ContextProof:
    """The machine of the stream after a block in a context, and the proofs of the blocks that follow."""

    machine: Machine
    blocks: list["BlockProof | WholeBlock"]


@dataclass(frozen=True)
class WholeBlock:
    """A block under a full mask: a machine that says the context of an input, and the contexts, by its labels."""

    heads: list[list[QueryClass]]
    context: Machine
    contexts: list[ContextProof]


@dataclass(frozen=True)
class Table:
    """A machine as a certificate writes it."""

    table: list[list[int]]
    labels: list[int]


@dataclass(frozen=True)
class Automaton:
    table: list[list[int]]
    accepting: list[bool]
    start: int


def fields_of(data: Any, *keys: str) -> list[Any]:
    """Return the fields of an object that must have just these."""
    need(isinstance(data, dict) and data.keys() == {*keys}, f"an object has not just the keys {', '.join(keys)}")
    return [data[key] for key in keys]


KINDS = (Reading, QueryClass, Branch, Joint, BlockProof, ContextProof, WholeBlock, Table, Automaton)
ENTRIES = {kind: get_type_hints(kind) for kind in KINDS}


def read(kind: Any, data: Any, machines: Sequence[Machine] = ()) -> Any:
    """Return data as an object of a class above, or of a type of its fields. A machine is written as its number."""
    if kind is Machine:
        need(type(data) is int and 0 <= data < len(machines), f"there is no machine {shown(data)}")
        return machines[data]
    if WholeBlock in get_args(kind):
        kind = WholeBlock if isinstance(data, dict) and "contexts" in data else BlockProof
    if kind in ENTRIES:
        values = zip(ENTRIES[kind].values(), fields_of(data, *ENTRIES[kind]), strict=True)
        return kind(*[read(inner, value, machines) for inner, value in values])
    if kind == list[list[int]]:
        fits = isinstance(data, list) and all(isinstance(row, list) for row in data)
        need(fits and {type(x) for row in data for x in row} <= {int}, "the rows of a table are no lists of numbers")
        return data
    if get_origin(kind) is list:
        need(isinstance(data, list), f"{shown(data)} stands where a list belongs")
        return [read(get_args(kind)[0], item, machines) for item in data]
    if type(None) in get_args(kind):
        return None if data is None else read(get_args(kind)[0], data, machines)
    fits = type(data) is kind or (kind is float and is_number(data))
    need(fits and (kind is bool or data >= 0), f"{shown(data)} stands where another value belongs")
    return data


class KeyStream:
    """A view and a machine, walked through together, with the keys that a query meets.

    The effect of a key depends on its age. Its *future* is a pair: the number of its effect at present (0: none), and
    the number of its future one letter later; −1 where its effect changes no more. Future 0 is that of a key without
    effect. A key is *pending* until its effect changes no more; then, as soon as no older key is pending, the fold
    takes it in. A query takes in the pending keys, at their present age, for itself alone.
    """

    def __init__(
        self,
        view: Machine,
        machine: Machine | None,
        meaning: Mapping[int, tuple[int, bool]],  # by label of the view: the future of its key, and whether it asks
        futures: Sequence[tuple[int, int]],
        work: Work,
    ) -> None:
        M, silent, held = machine or view, (0, False), 0  # silent: after inputs that are too long, no key and no query
        older = [later if later >= 0 else number for number, (_, later) in enumerate(futures)]
        useful = leading(view.table, (s for s, label in enumerate(view.labels) if meaning.get(label, silent)[1]))
        nodes = Numbering[tuple[int, int, Vector]]((0, 0, ()))
        self.rows = list[set[tuple[int, Vector]]]()  # by node: where letters lead, and the effects that are taken in
        for v, m, pending in nodes:
            row = set[tuple[int, Vector]]()
            for v_next, m_next in {*zip(view.table[v], M.table[m], strict=True)}:
                if v_next not in useful:
                    need(not machine or m_next not in machine.lively, "a reading speaks where it must not")
                    continue
                future, asks = meaning.get(view.labels[v_next], silent)
                need(asks or not machine or not machine.labels[m_next], "a reading speaks where it must not")
                waiting = [*(older[key] for key in pending), future]
                first = next((i for i, key in enumerate(waiting) if older[key] != key), len(waiting))
                taken = tuple(futures[key][0] for key in waiting[:first] if futures[key][0])
                row.add((nodes.number((v_next, m_next, tuple(key for key in waiting[first:] if key))), taken))
            self.rows.append(row)
            held += 2 + len(pending) // 16  # as much room as so many states of a walk
            if len(self.rows) % 256 == 0:
                work.look(held)
        self.near = [tuple(futures[key][0] for key in pending if futures[key][0]) for _, _, pending in nodes]
        self.labels = [machine.labels[m] if machine else 0 for _, m, _ in nodes]
        self.asks = [meaning.get(view.labels[v], silent)[1] for v, _, _ in nodes]
        self.lively = {n for n, (_, m, _) in enumerate(nodes) if machine and m in machine.lively}


def following(given: Iterator[Reading]) -> Reading:
    """Return the reading of the next guess."""
    reading = next(given, None)
    if reading is None:
        raise Refused("a guess has no reading")
    return reading


class Head:
    """A head of a block whose stream is known: for each class of queries, machines that say what the head adds.

    They speak where a query of the class stands and the input may end; if the head is asked about the whole input,
    wherever the input may end.
    """

    def __init__(self, proof: "Proof", b: int, i: int, classes: Sequence[QueryClass], whole: bool = False) -> None:
        model, attention, self.whole = proof.model, proof.model.parts.blocks[b].attention, whole
        self.proof, self.A, self.part, self.classes = proof, model.arithmetic, attention.heads[i], classes
        head = self.part
        seen = {x: model.norm_at("pre", "attention", b, h) for x, h in proof.vectors.items()}
        query = {x: model.linear(head.W_Q, h, head.b_Q) for x, h in seen.items()}
        keys = {x: model.linear(head.W_K, h, head.b_K) for x, h in seen.items()}
        self.key = {x: (keys[x], model.linear(head.W_V, h, head.b_V)) for x, h in seen.items()}
        added_to_keys, added_to_values, penalties = self.by_age(i, len(attention.heads))
        moved = {k: [self.A.plus(k, offset) for offset in added_to_keys] for k in keys.values()}
        self.values = {v: [self.A.plus(v, offset) for offset in added_to_values] for _, v in self.key.values()}
        codes = dict[Vector, dict[Vector, list[int]]]()
        for q in {*query.values()}:
            proof.work.look(len(codes) * len(moved) * len(penalties))
            codes[q] = self.coded(q, moved, penalties)
        self.class_of = {x: c for c, entry in enumerate(classes) for x in entry.queries}
        asked = seen.keys() if whole else proof.right
        divided = self.class_of.keys() == asked and all(entry.queries for entry in classes)
        need(divided, "the queries of a head are not divided into classes")
        self.codes = [codes[query[entry.queries[0]]] for entry in classes]  # of each class
        alike = all(codes[query[x]] == self.codes[c] for x, c in self.class_of.items())
        need(alike, "queries of one class weigh keys differently")
        self.readings = [[self.read(c, *pair) for pair in self.folds(c)] for c in range(len(classes))]

    def by_age(self, i: int, heads: int) -> list[list[Any]]:
        """Return what positions add to keys, values and scores, by the age of a key; the last stands for more."""
        scheme = self.part.positions or self.proof.model.parts.inside
        tables: list[Any] = [[None], [None], [0]]
        if scheme and scheme.kind == "Relative":
            tables = [scheme.keys, scheme.values or [None], [0]]
        elif scheme:
            number, count = scheme.place or (0 if self.part.positions else i, heads)
            tables[2] = self.penalties(scheme.slopes, number, count)
        ages = range(max(1 + self.part.strict, *map(len, tables)))[int(self.part.strict) :]
        return [[table[min(age, len(table) - 1)] for age in ages] for table in tables]

    def penalties(self, slopes: list[float] | None, i: int, heads: int) -> list[int]:
        """Return what ALiBi adds to scores, up to the distance from which on that is −∞."""
        power, error = Fraction(-8 * (i + 1), heads), Fraction(0)  # of 2, for a slope that is not written
        if slopes:
            slope = Fraction(slopes[i])
        elif power.denominator == 1:
            slope = Fraction(1, 2**-power.numerator)
        else:
            with localcontext(Context(prec=60)):
                slope, error = Fraction((Decimal(2).ln() * power.numerator / power.denominator).exp()), TINY
        found = [0]
        while slope and found[-1] != -self.A.largest:
            need(len(found) < MAX_AGES, "the penalty for distance grows too slowly to be checked here")
            exact = -slope * len(found)
            found.append(self.A.between(exact * (1 + error), exact * (1 - error)))
        return found

    def coded(self, q: Vector, moved: dict[Vector, list[Vector]], penalties: list[int]) -> dict[Vector, list[int]]:
        """Return by key what a weighting sees of scores, by age: exponentials, scores if shifted, or their order."""
        A, weighting, scores = self.A, self.part.weighting, dict[Vector, list[int]]()
        for k, row in moved.items():
            products = [A.sum([A.multiply(a, b) for a, b in zip(q, key, strict=True) if a and b]) for key in row]
            scores[k] = [*map(A.add, products, penalties)]
        if weighting.kind != "Softmax":
            order = {s: n for n, s in enumerate(sorted({s for row in scores.values() for s in row}))}
            return {k: [order[s] for s in row] for k, row in scores.items()}
        return scores if weighting.shifted else {k: [A.function("exp", s) for s in row] for k, row in scores.items()}

    def folds(self, c: int) -> Iterator[tuple[Fold, Reading]]:
        """Return a fold for each outcome that a query of a class can meet (step 2), and its reading."""
        A, weighting, given = self.A, self.part.weighting, iter(self.classes[c].readings)
        empty = "on some input a softmax is empty, which is an error"
        if weighting.kind in ("LeftmostHard", "RightmostHard"):
            yield Choose(A, weighting.kind == "RightmostHard"), following(given)
        elif weighting.kind == "Softmax" and not weighting.shifted:
            sums = self.outcomes(c, Sum(A))
            need(0 not in sums or weighting.empty != "error", empty)
            if 0 in sums and weighting.empty != "zero":
                yield from self.counts(c, 0, 0, given)
                sums.remove(0)
            yield from self.sums(sums, None, given)
        else:
            for largest in self.outcomes(c, Largest()):
                if largest is None:
                    need(weighting.kind != "Softmax" or weighting.empty != "error", empty)
                    yield Nothing(), following(given)
                elif weighting.kind == "AverageHard":
                    yield from self.counts(c, largest, 1, given)
                else:
                    yield from self.sums(self.outcomes(c, Sum(A, largest)), largest, given)
        need(next(given, None) is None, "there are more readings than guesses")

    def sums(self, left: list[int], largest: int | None, given: Iterator[Reading]) -> Iterator[tuple[Fold, Reading]]:
        """Return the folds of softmax for the sums that occur: for each reading those that it lists, or the next."""
        while left:
            reading = following(given)
            guess = [self.A.member(float(z), "a guess") for z in reading.weights] or left[:1]
            yield Sum(self.A, largest, guess), reading
            left = [z for z in left if z not in guess]

    def counts(self, c: int, largest: int, least: int, given: Iterator[Reading]) -> Iterator[tuple[Fold, Reading]]:
        """Return the folds of equal parts: of keys of one value, or for each group of weights that is guessed."""
        reading = following(given)
        if not reading.weights:
            yield CountAlike(self.A, largest, least), reading
            return
        left = self.outcomes(c, Count(self.A, largest, least))
        while left:
            guess = [self.A.member(float(weight), "a guess") for weight in reading.weights]
            need(guess, "a guess is of no weight")
            yield Count(self.A, largest, least, guess), reading
            left = [weight for weight in left if weight not in guess]
            reading = following(given) if left else reading

    def outcomes(self, c: int, fold: Fold) -> list[Any]:
        """Return the outcomes of a fold where a query of a class stands, in order (step 2)."""
        view = self.classes[c].view
        if view is None:
            raise Refused("a class has no view with which its guesses are found")
        found = {outcome[0] for outcome, _, _ in self.ends(c, fold, view, None, sums=False) if outcome}
        return sorted(found, key=lambda outcome: (outcome is not None, outcome))

    def read(self, c: int, fold: Fold, reading: Reading) -> tuple[Machine, dict[int, set[Vector]]]:
        """Return the machine of a reading, and by its labels what the head adds (step 3)."""
        sums, every = dict[int, set[Vector]](), set[Vector]()
        if reading.any_sum:
            need(isinstance(fold, Count) and fold.guess, "only equal parts that are guessed need not be told apart")
            every = self.any_sum(c, fold)
        for outcome, total, label in self.ends(c, fold, reading.view, reading.machine, sums=not reading.any_sum):
            need((outcome is not None) == (label > 0), "a reading speaks where it must not, or the reverse")
            if outcome and reading.any_sum:
                sums[label] = every
            elif outcome:
                sums.setdefault(label, set()).add(self.proof.model.linear(self.part.W_O, total))
        self.proof.work.done += 1
        return reading.machine, sums

    def any_sum(self, c: int, fold: Any) -> set[Vector]:
        """Return what the head adds for every sum of values of keys that have the largest code, in any number."""
        rows = [zip(self.codes[c][k], self.values[v], strict=True) for k, v in {*self.key.values()}]
        values, found = {value for row in rows for code, value in row if code == fold.largest}, set[Vector]()
        none = (0,) * len(self.part.W_V)
        for weight in fold.guess:
            terms = [self.A.times(weight, value) for value in values]
            found |= {none} | self.proof.work.walk(none, partial(lambda ts, x: [self.A.plus(x, t) for t in ts], terms))
        return {self.proof.model.linear(self.part.W_O, total) for total in found}

    def ends(self, c: int, fold: Fold, view: Machine, machine: Machine | None, sums: bool) -> Iterator[Any]:
        """Walk through a view, a machine and a fold together. Wherever a query of the class stands, return the outcome
        (None where the guess was wrong), the sum, and the label of the machine."""
        size, effects, future_of = len(self.part.W_V) if sums else 0, Numbering[Any](None), dict[Any, int]()
        futures = Numbering((0, -1))
        for k, v in {*self.key.values()}:
            pairs = zip(self.codes[c][k], self.values[v], strict=True)
            every = [None] * self.part.strict + [fold.effect(code, value[:size]) for code, value in pairs]
            numbers = [effects.number(effect) for effect in every]
            while len(numbers) > 1 and numbers[-1] == numbers[-2]:  # by age, up to where the effect changes no more
                numbers.pop()
            future_of[k, v] = reduce(lambda later, effect: futures.number((effect, later)), reversed(numbers), -1)
        asks = self.proof.right if self.whole else {x for x, its_class in self.class_of.items() if its_class == c}
        meaning = {x: (future_of[key], x in asks) for x, key in self.key.items()}
        work = self.proof.work
        keys = KeyStream(view, machine, self.proof.view(view, meaning), futures, work)
        folded, nodes, found = Folded(fold, effects, size, work), len(keys.rows), set[tuple[int, int]]()

        def following(state: int) -> Iterator[int]:
            before, node = divmod(state, nodes)
            for there, taken in keys.rows[node]:
                after = folded.after(before, taken)
                if after >= 0:
                    yield after * nodes + there
                else:
                    need(there not in keys.lively, "a reading speaks where it must not")

        for state in work.walk(0, following):
            before, node = divmod(state, nodes)
            if keys.asks[node]:
                found.add((folded.after(before, keys.near[node]), keys.labels[node]))
        for end, label in found:
            normaliser, total = folded.states[end] if end >= 0 else (None, ())
            yield fold.outcome(normaliser) if end >= 0 else None, total, label


class Proof:
    """The stream of a model, block by block. At the end, a label is 1 + the number of the answer: see `Side.answer`.

    `vectors` has the vector of each label, and `machines` are those for which (I) or (J) holds. `right` has the labels
    with which an input of the context may end: all of them, unless it is a context of a full mask.
    """

    def __init__(self, model: Model, machines: Any, blocks: Any, work: Work, answer: Any = None) -> None:
        self.model, self.work, self.letters, self.answer = model, work, len(model.letters), answer or model.answer
        known = [Machine.made(entry.table, entry.labels, self.letters) for entry in read(list[Table], machines)]
        self.vectors, self.machines = self.embed()
        self.right = {*self.vectors}
        self.follow(0, read(list[BlockProof | WholeBlock], blocks, known))

    def follow(self, b: int, blocks: Sequence[BlockProof | WholeBlock]) -> None:
        """Go through the blocks from number b on, to the decisions. The proofs of those after a context are in it."""
        count = max(1, len(self.model.parts.blocks))
        if b == count and not blocks:  # the labels are those of vectors still
            self.block(b, BlockProof([], []), last=True)
            return
        fits = b + len(blocks) == count or (blocks and isinstance(blocks[-1], WholeBlock) and b + len(blocks) < count)
        need(fits, "the proof is about another number of blocks")
        for number, block in enumerate(blocks, b):
            if isinstance(block, WholeBlock):
                need(block is blocks[-1], "the proof is about another number of blocks")
                self.whole(number, block)
            else:
                self.block(number, block, last=number + 1 == count)

    def embed(self) -> tuple[dict[int, Vector], list[Machine]]:
        """Return the stream after the embedding: a state for each position of the table and each letter."""
        A, letters, times = self.model.arithmetic, self.model.letters, self.model.parts.table or [None]
        need(len(times) * len(letters) ** 2 <= MAX_STATES, "so many tokens and positions are not checked here")
        vectors = Numbering[Vector]()
        labels = [1 + vectors.number(A.plus(x, p)) for p in times for x in letters]
        rows = [[1 + t * self.letters + a for a in range(self.letters)] for t in range(len(times))]
        too_long = [1 + len(labels)] * self.letters
        following = [*rows[1:], too_long] if self.model.parts.table else rows
        table = [rows[0], *(row for row in following for _ in letters), too_long]
        return dict(enumerate(vectors, 1)), [Machine.made(table, [0, *labels, 0], self.letters)]

    def view(self, view: Machine, meaning: Mapping[int, Any]) -> dict[int, Any]:
        """Check that a view says something that depends on the vector alone (step 1); return by label what that is."""
        if view not in self.known:
            both = {pair for M in self.machines for pair in self.work.labels([M, view], awake=1)}
            self.known[view] = [(label, x) for x, label in both if x]
        found = dict[int, Any]()
        for label, x in self.known[view]:
            need(found.setdefault(label, meaning[x]) == meaning[x], "a view has one label for two things")
        return found

    def block(self, b: int, proof: BlockProof, last: bool) -> None:
        """Go from the stream before a block to the stream after it."""
        model, self.known = self.model, dict[Machine, list[tuple[int, int]]]()  # the labels of views beside the stream
        self.heads_are(b, proof.heads)

        @cache
        def finish(x: int, *outputs: Vector) -> Any:
            vector = model.after(b, self.vectors[x], outputs) if b < len(model.parts.blocks) else self.vectors[x]
            return (1 + self.answer(vector) if x in self.right else 0) if last else vector

        heads = [Head(self, b, i, classes) for i, classes in enumerate(proof.heads)]
        if not heads:  # the machines stay, and say the new vectors
            made = {x: (finish(x), x in self.right) for x in sorted(self.vectors)}
            numbers = Numbering(*made.values())
            label = {0: 0, **{x: pair[0] if last else 1 + numbers.number(pair) for x, pair in made.items()}}
            renamed = [(M.table, [label[x] for x in M.labels]) for M in self.machines]
            self.machines = [Machine.made(*parts, self.letters) for parts in renamed]
            self.vectors = {label[x]: value for x, (value, _) in made.items()}
            self.right = {label[x] for x in self.right}
            return
        need(
            model.parts.mask == "causal" or self.ends_here(b), "other positions than the last one matter after a block"
        )
        meant = dict[int, set[Any]]()
        machines = [N for joint in proof.joints for N in self.joined(joint, heads, finish, meant)]
        classes = {tuple(head.class_of[x] for head in heads) for x in self.right}
        met = {tuple(joint.classes) for joint in proof.joints}
        need(classes == met, "the classes of heads are not joined as they meet")
        need(all(len(values) == 1 for values in meant.values()), "a label stands for two vectors")
        need(not last or all(values == {label} for label, values in meant.items()), "a label is of another answer")
        self.vectors, self.machines = {label: value for label, (value,) in meant.items()}, machines
        self.right = {*self.vectors}

    def heads_are(self, b: int, proofs: Sequence[Any]) -> Part | None:
        """Check that there is a proof for each head of a block; return its attention."""
        attention = self.model.parts.blocks[b].attention if b < len(self.model.parts.blocks) else None
        need(len(proofs) == len(attention.heads if attention else ()), "the proof is about another number of heads")
        return attention

    def ends_here(self, b: int) -> bool:
        """Say whether the last position alone matters from a block on: no head comes later, and nothing can fail."""
        blocks = self.model.parts.blocks[b:]
        heads = [block.attention.heads if block.attention else () for block in blocks]
        norms = any(block.attention_norm or block.feed_forward_norm for block in blocks)
        errors = any(head.weighting.kind == "Softmax" and head.weighting.empty == "error" for head in heads[0])
        return not (any(heads[1:]) or norms or errors)

    def whole(self, b: int, proof: WholeBlock) -> None:
        """Go through a block under a full mask, and in each of its contexts through the blocks after it (step 5)."""
        model, self.known = self.model, dict[Machine, list[tuple[int, int]]]()
        attention = self.heads_are(b, proof.heads)
        need(model.parts.mask == "full" and proof.heads, "a block has contexts, and needs none")
        every = attention.heads if attention else ()
        placed = any(head.strict or head.positions or model.parts.inside for head in every)
        need(not placed, "a head does not see the same keys from every position")
        heads = [Head(self, b, i, classes, whole=True) for i, classes in enumerate(proof.heads)]
        added = defaultdict[tuple[int, int, int], set[Vector]](set)  # by context, head and class
        for h, head in enumerate(heads):
            for c, (F, sums) in ((c, reading) for c, readings in enumerate(head.readings) for reading in readings):
                for f, g in self.work.labels([F, proof.context], 1):
                    if f:
                        need(0 < g <= len(proof.contexts), "an input has no context")
                        added[g, h, c] |= sums[f]
        vectors, right, (M,), found = self.vectors, self.right, self.machines, list[Machine]()
        for g, context in enumerate(proof.contexts, 1):
            meant = dict[int, set[tuple[Vector, bool]]]()
            for x, ends, label in self.beside(M, right, proof.context, g, context.machine):
                outputs = product(*[added[g, h, head.class_of[x]] for h, head in enumerate(heads)])
                meant.setdefault(label, set()).update((model.after(b, vectors[x], each), ends) for each in outputs)
            need(all(len(pairs) == 1 for pairs in meant.values()), "a label stands for two vectors")
            known = {label: pair for label, (pair,) in meant.items()}
            need({*context.machine.labels} <= {0, *known}, "a label stands for nothing")
            self.vectors = {label: vector for label, (vector, _) in known.items()}
            self.right = {label for label, (_, ends) in known.items() if ends}
            self.machines = [context.machine]
            self.follow(b + 1, context.blocks)
            found += self.machines
        self.machines = found

    def beside(self, M: Machine, right: set[int], C: Machine, g: int, N: Machine) -> set[tuple[int, bool, int]]:
        """Return the labels of the stream before and after a block in a context, and whether an input of it may end.

        The context is that in which C says g. The machine after the block must speak where letters, or none, lead to
        the end of such an input.
        """
        goal = leading(C.table, (state for state, label in enumerate(C.labels) if label == g))
        nodes, table = Numbering((0, 0, 0, False)), list[list[int]]()  # False: no letter has been read
        for a, c, n, _ in nodes:
            following = {*zip(M.table[a], C.table[c], N.table[n], strict=True)}
            lively = [there for there in following if there[0] in M.lively and there[1] in goal]
            table.append([nodes.number((*there, True)) for there in lively])
            if len(table) % 1024 == 0:
                self.work.look(len(nodes))
        self.work.walks, self.work.states = self.work.walks + 1, self.work.states + len(nodes)
        ends = {i for i, (a, c, _, read) in enumerate(nodes) if read and M.labels[a] in right and C.labels[c] == g}
        useful = [i for i in leading(table, ends) if nodes[i][3]]
        found = {(M.labels[nodes[i][0]], i in ends, N.labels[nodes[i][2]]) for i in useful}
        need(all(x and label for x, _, label in found), "a machine is silent in its context")
        return found

    def joined(self, joint: Joint, heads: Sequence[Head], finish: Any, meant: dict[int, set[Any]]) -> Iterator[Machine]:
        """Return the machines of some vectors, joined with a reading of each head (step 4); note what labels mean."""
        need(len(joint.classes) == len(heads), "a joint has not one class for each head")
        pairs = [*zip(heads, joint.classes, strict=True)]
        own = {x: all(head.class_of.get(x) == c for head, c in pairs) for x in self.vectors}
        spoken = self.view(joint.view, {x: x if own[x] else 0 for x in own})
        need(all(label == x for label, x in spoken.items()), "a view says another vector")

        def join(M: Machine, meaning: Mapping[int, Any], left: Sequence[Any], tree: Sequence[Any]) -> Iterator[Machine]:
            (readings, *others), end = left, len(left) == 1
            need(len(tree) == len(readings), "a reading is not joined")
            for (F, sums), branch in zip(readings, tree, strict=True):
                N, known = branch and branch.machine, meant if end else dict[int, set[Any]]()
                for a, f, n in self.together(M, F, N):
                    for number, (before, added) in enumerate(product(meaning[a], sums[f])):
                        if number % 1024 == 0:
                            self.work.look(number)
                        known.setdefault(n, set()).add(finish(*before, added) if end else (*before, added))
                if N is not None:
                    yield from [N] if end else join(N, known, others, branch.tree)

        yield from join(joint.view, {x: [(x,)] for x in own}, [head.readings[c] for head, c in pairs], joint.tree)

    def together(self, M: Machine, F: Machine, N: Machine | None) -> set[Vector]:
        """Return the labels of two machines where both speak, with that of a third, which must speak just there."""
        third = N or Machine([[0] * self.letters], [0], frozenset())

        def following(state: Vector) -> Iterator[Vector]:
            a, f, n = state
            for there in zip(M.table[a], F.table[f], third.table[n], strict=True):
                if there[0] in M.lively and there[1] in F.lively:
                    yield there
                else:
                    need(there[2] not in third.lively, "a machine speaks where it must not")

        found = {(M.labels[a], F.labels[f], third.labels[n]) for a, f, n in self.work.walk((0, 0, 0), following)}
        right = all((a > 0 and f > 0) == (n > 0) for a, f, n in found)
        need(right, "a machine speaks where it must not, or the reverse")
        return {(a, f, n) for a, f, n in found if n}


# Claims


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
WORDS = {"all": " and ", "any": " or ", "not": ""}


class Condition:
    """A condition on values of lanes, at the place of the claim or at others: comparisons, joined by all, any, not."""

    def __init__(self, data: Any, at: tuple[str, Any], model: Model) -> None:
        self.A, self.lanes, self.at = model.arithmetic, model.parts.lanes, at
        self.places = dict[tuple[str, Any], set[int]]({at: set()})  # in order: the lanes that are read there
        self.data, self.text = data, self.read(data)
        self.places = {place: lanes for place, lanes in self.places.items() if lanes} or self.places

    def read(self, data: Any) -> str:
        """Check a condition, note its places, and return it as a text."""
        kind, *parts = data if isinstance(data, list) and data else [None]
        if isinstance(kind, str) and kind in COMPARE and len(parts) == 2:
            return f" {kind} ".join(self.read_sum(part) for part in parts)
        known = isinstance(kind, str) and (kind in ("all", "any") or (kind == "not" and len(parts) == 1))
        need(known, f"the condition {shown(data)} is not read")
        texts = [f"({self.read(part)})" for part in parts]
        return f"not {texts[0]}" if kind == "not" else WORDS[str(kind)].join(texts) or f"{kind} of nothing"

    def read_sum(self, data: Any) -> str:
        if type(data) in (int, float):
            return str(data)
        need(isinstance(data, list) and len(data) > 1 and data[0] == "sum", f"the sum {shown(data)} is not read")
        texts = []
        for term in data[1:]:
            fits = isinstance(term, list) and len(term) in (1, 2) and type(term[0]) in (int, float)
            need(fits, f"the term {shown(term)} is not read")
            texts.append(str(term[0]) if len(term) == 1 else f"{term[0]}·{self.read_lane(term[1])}")
        return " + ".join(texts)

    def read_lane(self, data: Any) -> str:
        kind, lane, site, position = data if isinstance(data, list) and len(data) == 4 else [None] * 4
        need(kind == "lane" and lane in self.lanes, f"there is no lane {shown(data)}")
        self.places.setdefault(self.place(site, position), set()).add(self.lanes.index(lane))
        return shown(lane) + ("" if site is None else f" at {site}" + ("" if position is None else f", {position}"))

    def place(self, site: Any, position: Any) -> tuple[str, Any]:
        fits = site is None or isinstance(site, str)
        need(fits and (position is None or (type(position) is int and site is not None)), "a lane has no such place")
        return self.at[0] if site is None else site, self.at[1] if position is None else position

    def holds(self, data: Any, values: Mapping[tuple[str, Any], Mapping[int, int]]) -> bool:
        """Say whether it holds, from the values of lanes at each place."""
        kind, *parts = data
        if kind in COMPARE:
            return COMPARE[kind](*(self.amount(part, values) for part in parts))
        each = (self.holds(part, values) for part in parts)
        return not next(each) if kind == "not" else all(each) if kind == "all" else any(each)

    def amount(self, data: Any, values: Mapping[tuple[str, Any], Mapping[int, int]]) -> Fraction:
        """Return a number, or a sum: a left fold of products and numbers, each step rounded."""
        if not isinstance(data, list):
            return Fraction(data)
        terms = []
        for weight, *lane in data[1:]:
            x = [values[self.place(site, position)][self.lanes.index(name)] for _, name, site, position in lane]
            if len(data) == 2 and lane and weight == 1:
                return Fraction(x[0], 1 << self.A.unit)
            w = self.A.member(weight, "the condition")
            terms.append(self.A.multiply(w, x[0]) if lane else w)
        return Fraction(self.A.sum(terms), 1 << self.A.unit)


class Side(NamedTuple):
    """A model, and what the labels of its machines stand for in the end: its decisions, or values at a site."""

    model: Model
    said: Sequence[Any]  # by label − 1
    answer: Callable[[Vector], int] | None = None  # from a vector after the last block; None: the decision
    left_out: int = 0  # how many tokens of the suffix are behind the place


def site_side(model: Model, place: tuple[str, Any], lanes: list[int], codes: Any, data: Any) -> Side:
    """Return the side of a place whose lanes have one of the values of a certificate.

    Under a causal mask, at every position of every input stands what stands at the end of a prefix, and each prefix is
    an input: so "all" says no more than the last position. Under a full mask only the last position is checked.
    """
    A, suffix, known, (site, position) = model.arithmetic, data.get("suffix") or [], Numbering[Vector](), place
    after = suffix if {*suffix} <= model.letter_of.keys() else []
    whole = position == "all" and not suffix and data.get("within") is None
    last = type(position) is int and -1 - len(after) <= position < 0
    alone = position == -1 or model.parts.mask == "causal"
    need((whole or last) and alone, f"the position {shown(position)} is not checked here")
    need(isinstance(codes, list), "the values at a place are no list")
    for code in codes:
        fits = isinstance(code, list) and len(code) == len(lanes) and all(type(x) in (int, float) for x in code)
        need(fits, f"the values {shown(code)} do not fit the lanes")
        known.number(tuple(A.member(x, "a value") for x in code))
    need(len(known) == len(codes), "values stand twice")

    def answer(x: Vector) -> int:
        code = tuple(x[i] for i in lanes)
        need(code in known.known, "on some input lanes hold values that the certificate does not have")
        return known.known[code]

    return Side(model.until(site), known, answer, 0 if whole else -1 - position)


def sides_of(models: Sequence[Model], data: Any) -> tuple[list[Side], Callable[..., bool], str]:
    """Return the sides of a claim about the stream, whether what they say fits it, and the claim as a text."""
    at, codes = data.get("at"), data.get("codes")
    if data["claim"] == "vectors":
        (model,), (site, position) = models, place_of(at)
        C = Condition(data.get("condition"), (site, position), model)
        places = [(place, sorted(lanes)) for place, lanes in C.places.items()]
        text = f"vectors at {site}, position {position}, satisfy {C.text}"
        if len(places) == 1:
            need(codes is None, "there are values, and only one place")
            ((only, lanes),) = places
            alone = site_side(model, only, lanes, [], data)
            side = alone._replace(said=[False, True], answer=lambda x: int(C.holds(C.data, {only: dict(enumerate(x))})))
            return [side], bool, text
        fits = isinstance(codes, list) and len(codes) == len(places)
        need(fits, "there are not the values of each place")
        alike = all((place[1] == "all") == (position == "all") for place, _ in places)
        need(alike, "every position is compared with a single one")
        found = [site_side(model, place, lanes, some, data) for (place, lanes), some in zip(places, codes, strict=True)]

        def holds(*said: Vector) -> bool:
            pairs = zip(places, said, strict=True)
            return C.holds(C.data, {place: dict(zip(lanes, values, strict=True)) for (place, lanes), values in pairs})

        return found, holds, text
    pairs = data.get("lanes")
    fits = isinstance(pairs, list) and pairs != [] and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
    need(fits and isinstance(at, list) and len(at) == 2, "the lanes or the places are not read")
    need(isinstance(codes, list) and len(codes) == 2, "there are not the values of each place")
    chosen = [place_of(place) for place in at]
    need((chosen[0][1] == "all") == (chosen[1][1] == "all"), "every position is compared with a single one")
    found = []
    for i, model in enumerate(models):
        need(all(pair[i] in model.parts.lanes for pair in pairs), "there is no such lane")
        lanes = [model.parts.lanes.index(pair[i]) for pair in pairs]
        found.append(site_side(model, chosen[i], lanes, codes[i], data))

    def same(first: Vector, second: Vector) -> bool:
        """Compare numbers, which may be of two arithmetics."""
        a, b = (model.arithmetic.unit for model in models)
        return [x << b for x in first] == [x << a for x in second]

    where = " and ".join(f"{site}, position {position}" for site, position in chosen)
    names = ", ".join(f"{shown(a)} and {shown(b)}" for a, b in pairs)
    return found, same, f"both models hold the same values, at {where}, in the lanes {names}"


def place_of(at: Any) -> tuple[str, Any]:
    fits = isinstance(at, list) and len(at) == 2 and is_text(at[0], 99) and (type(at[1]) is int or at[1] == "all")
    need(fits, f"the place {shown(at)} is not read")
    return at[0], at[1]


@dataclass(frozen=True)
class Theorem:
    """The claim that is proved, and the size of the check."""

    claim: str  # "recognizes", "same_decisions", "vectors" or "same_lanes"
    scope: str  # "all lengths" or "up to n"
    models: list[dict[str, str]]  # digest: that of the certificate; file: the SHA-256 of the file; chain: what it is
    vocabulary: list[str]
    suffix: list[str]
    yes: str | None
    language: str | None  # how it was given, and what was read of it
    within: str | None
    about_no_input: bool
    walks: int
    states: int
    stream: str | None = None  # what is claimed of the stream

    def __str__(self) -> str:
        alike = self.claim == "same_decisions"
        said = self.stream or (
            "both models decide alike" if alike else f"the decision is {self.yes!r} just for the inputs of a language"
        )
        lines = [f"proved {'for all lengths' if self.scope == 'all lengths' else self.scope}: {said}"]
        for model in self.models:
            lines += [f"  model     {model['digest']}", f"            in a file with the SHA-256 {model['file']}"]
            lines += [f"            a chain: {model['chain']}"] if "chain" in model else []
        lines += [f"  language  {self.language}"] if self.language else []
        lines += [f"  within    {self.within}"] if self.within else []
        lines += [f"  tokens    {' '.join(map(shown, self.vocabulary[:20]))}{' …' if self.vocabulary[20:] else ''}"]
        after = f"  suffix    {' '.join(map(shown, self.suffix))}, for the models that have these tokens"
        lines += [after] if self.suffix else []
        lines += ["  This is a claim about no input at all."] if self.about_no_input else []
        return "\n".join([*lines, f"  checked   {self.walks:,} walks, {self.states:,} states"])


CERTIFICATE = {
    *("format", "claim", "models", "vocabulary", "semantics", "scope", "verdict", "holds", "inputs", "counterexample"),
    *("seconds", "finished", "versions", "automata", "proof", "digest"),
}
OF_STREAM = {"condition", "at", "lanes", "codes"}
OPTIONAL = {"language", "yes", "suffix", "within", "files"} | OF_STREAM
CLAIMS = {"recognizes": 1, "same_decisions": 2, "vectors": 1, "same_lanes": 2}  # each with its number of models
EARLIER = ("weightsmith certificate 1", "weightsmith certificate 2")


def check(models: Sequence[Model], data: Any, tick: Callable[[Work], None] | None = None, own: Any = None) -> Theorem:
    """Check a certificate; return the theorem. `own` is an automaton that takes the place of the language."""
    longest = read_claim(models, data)
    claim, tokens, scope, yes = (data.get(key) for key in ("claim", "vocabulary", "scope", "yes"))
    suffix = data.get("suffix") or []
    work = Work(tick, json.dumps(data["proof"]).count('"any_sum"'))
    given, stream, of_stream = [Side(model, model.said) for model in models], None, claim in ("vectors", "same_lanes")
    if of_stream:
        given, fits, stream = sides_of(models, data)
    need(len(data["proof"]) == len(given), "there is not a proof for each side")
    sides = [decisions(work, *pair, tokens, suffix, longest) for pair in zip(given, data["proof"], strict=True)]
    accepted, language = language_of(data, "language", tokens, own)
    inside, within = language_of(data, "within", tokens, None)
    need((accepted is None) == (claim != "recognizes"), "only a claim to recognize has a language")
    answers = [side.said for side in given]
    need(yes in answers[0] if accepted else yes is None, f"there is no class {shown(yes)}")
    everything = Machine([[0] * len(tokens)], [2], frozenset([0]))
    known = [accepted or everything, inside or everything]
    for machines in product(*sides):
        for *labels, member, about in work.labels([*machines, *known], len(machines), longest):
            if min(labels) > 0 and about == 2:
                first, *other = (answer[label - 1] for answer, label in zip(answers, labels, strict=True))
                if of_stream:
                    need(fits(first, *other), "on some input the claim fails")
                    continue
                need(UNENDED not in (first, *other), "on some input the chain does not end")
                need(first == other[0] if other else (first == yes) == (member == 2), "on some input the claim fails")
    empty = not any(label == 2 for (label,) in work.labels([known[1]], 0, longest))
    named = [{"digest": model.digest, "file": model.file_digest, **chain_text(model)} for model in models]
    return Theorem(claim, scope, named, tokens, suffix, yes, language, within, empty, work.walks, work.states, stream)


def read_claim(models: Sequence[Model], data: Any) -> float:
    """Check that a certificate is well-formed, sealed, and about these models; return the longest length it covers."""
    need(isinstance(data, dict), "the certificate is no JSON object")
    need(data.get("format") not in EARLIER, "the certificate was made by an earlier version: check the claim again")
    need(data.get("format") == "weightsmith certificate 3", f"the format {shown(data.get('format'))} is not read")
    odd = (data.keys() - CERTIFICATE - OPTIONAL) | (CERTIFICATE - data.keys())
    need(not odd, f"the certificate has an unknown key, or lacks one: {shown(sorted(odd)[:1])}")
    seal = hashlib.sha256(json.dumps({**data, "digest": None}, sort_keys=True).encode()).hexdigest()
    need(data["digest"] == seal, "the certificate was changed after it was written")
    claim, tokens, suffix, scope = (data.get(key) for key in ("claim", "vocabulary", "suffix", "scope"))
    suffix = [] if suffix is None else suffix
    need(isinstance(claim, str) and claim in CLAIMS, f"the claim {shown(claim)} is not checked here")
    need(data["semantics"] == 2, f"the semantics {shown(data['semantics'])} is not the one that is checked here")
    need(data["holds"] is True and data["counterexample"] is None, "the certificate does not say that the claim holds")
    need(data["verdict"] == f"proved, {scope}", "the certificate contradicts itself about what holds")
    need(follows("names", tokens) and follows("any_text*", suffix) and not {*tokens} & {*suffix}, "its tokens are odd")
    need(len(models) == CLAIMS[claim], f"{claim} is not about {len(models)} models")
    own = OF_STREAM - ({"lanes"} if claim == "vectors" else {"condition"} if claim == "same_lanes" else set())
    need(claim in ("vectors", "same_lanes") or not OF_STREAM & data.keys(), f"{claim} is not about the stream")
    need(not (OF_STREAM - own) & data.keys(), f"{claim} has an entry of another claim")
    about = [model.digest for model in models]
    need(data["models"] == about, "the certificate is about other models, or in another order")
    need(isinstance(data["proof"], list), "there is not a proof for each model")
    lengths = re.fullmatch(r"all lengths|up to ([1-9][0-9]{0,8})", scope) if isinstance(scope, str) else None
    need(lengths, f"the scope {shown(scope)} is not read")
    return int(lengths[1]) if lengths and lengths[1] else math.inf


def decisions(work: Work, side: Side, data: Any, tokens: list[str], suffix: list[str], longest: float) -> list[Machine]:
    """Check the proof of a model; return machines over tokens that say its decision after an input and the suffix.

    The certificate may have one machine for all: it must agree with each of them wherever that one speaks. By (I), it
    then says the decision.
    """
    model = side.model
    if model.chain:
        return [answers_of_chain(work, model, data, tokens, suffix, longest)]
    after = suffix if {*suffix} <= model.letter_of.keys() else []
    need(model.letter_of.keys() - {*suffix} == {*tokens}, "the certificate is about other tokens than the model")
    need(model.longest is None or longest + len(after) <= model.longest, "it says more than fits the position table")
    machines, blocks, decided = fields_of(data, "machines", "blocks", "decisions")
    found = []
    after = after[: len(after) - side.left_out]
    for M in Proof(model, machines, blocks, work, side.answer).machines:
        ends = [reduce(lambda s, token: M.table[s][model.letter_of[token]], after, s) for s in range(len(M.table))]
        table = [[row[model.letter_of[token]] for token in tokens] for row in M.table]
        found.append(Machine.made(table, [M.labels[s] for s in ends], len(tokens)))
    if decided is None:
        return found
    whole = read(Table, decided)
    one = Machine.made(whole.table, whole.labels, len(tokens))
    agree = all(label in (0, said) for M in found for label, said in work.labels([M, one], 1))
    need(agree, "the machine of all decisions says another one")
    return [one]


def answers_of_chain(
    work: Work, model: Model, data: Any, tokens: list[str], suffix: list[str], longest: float
) -> Machine:
    """Check the proof of a chain; return a machine over tokens that says its answer after an input.

    The certificate has one machine for all decisions, over the whole vocabulary. It must agree with each machine of the
    proof wherever that one speaks, so by (I) it says the token that follows a text. The chain is followed in it: from
    the state after an input through the prompt, and then along the tokens that it says itself. Where the chain does not
    end, the label is that of `UNENDED`.
    """
    T, chain = model.parts, model.chain
    need(not suffix and {*tokens} == {*chain.inputs}, "the certificate is about other tokens than the chain")
    need(chain.max_length is None or longest <= chain.max_length, "it says more than the chain's longest input")
    need(not (T.table and chain.until), "a chain with a position table that a token ends is not checked here")
    machines, blocks, decided = fields_of(data, "machines", "blocks", "decisions")
    whole, column = read(Table, decided), {token: i for i, token in enumerate(T.vocabulary)}
    one = Machine.made(whole.table, whole.labels, len(column))
    need(max(one.labels) <= len(model.answers), "the machine of all decisions says what is no decision")
    for M in Proof(model, machines, blocks, work).machines:
        table = [[row[model.letter_of[token]] for token in T.vocabulary] for row in M.table]
        wide = Machine.made(table, M.labels, len(column))
        agree = all(label in (0, said) for label, said in work.labels([wide, one], 1))
        need(agree, "the machine of all decisions says another one")

    def step(state: int, token: str) -> int:
        return int(one.table[state][column[token]])

    def answer(state: int) -> int:
        state, steps, most = reduce(step, chain.prompt, state), 0, chain.steps or MOST_UNTIL
        while one.labels[state]:  # 0 stands before the first token alone
            token, steps = model.answers[one.labels[state] - 1], steps + 1
            if token in chain.until or (steps == most and not chain.until):
                return 1 + int(chain.said.index(chain.meaning[token]))
            if steps >= most:
                return 1 + len(chain.said)
            state = step(state, token)
        return 0

    labels = [answer(state) for state in range(len(one.table))]
    return Machine.made([[row[column[token]] for token in tokens] for row in one.table], labels, len(tokens))


def chain_text(model: Model) -> dict[str, str]:
    """Say how a chain reads and ends, where there is one."""
    chain = model.chain
    if not chain:
        return {}
    ends = f"until {' '.join(map(shown, chain.until))}" if chain.until else ""
    steps = "" if chain.steps is None else f"{chain.steps} steps{' at most' if chain.until else ''}"
    prompt = f"prompt {' '.join(map(shown, chain.prompt))}" if chain.prompt else "no prompt"
    answers = ", ".join(f"{shown(token)} means {shown(meaning)}" for token, meaning in chain.answers[:20])
    return {"chain": "; ".join(part for part in (prompt, steps, ends, answers) if part)}


def language_of(data: Any, name: str, tokens: list[str], own: Any) -> tuple[Machine | None, str | None]:
    """Return the machine that says 2 for the inputs of a language and 1 for others, and how the language was read."""
    described, automata = data.get(name), data["automata"]
    need(isinstance(automata, dict) and automata.keys() <= {"language", "within"}, "its automata are of something else")
    if described is None:
        need(name not in automata and own is None, f"there is an automaton, and no {name}")
        return None, None
    if own is not None:
        return spoken(own, len(tokens)), "that of the automaton that you gave"
    need(isinstance(described, dict), f"the {name} is not read")
    given = spoken(automata.get(name), len(tokens))
    if described.keys() == {"automaton"}:
        need(described["automaton"] == automata[name], "the automaton is of another language")
        return given, f"that of the automaton in the certificate, which has {len(given.table) - 1:,} states"
    pattern, flags = fields_of(described, "regex", "flags")
    need(isinstance(pattern, str) and type(flags) is int, f"the {name} is not read")
    try:
        need(flags == re.UNICODE, "it has flags")
        mine = spoken(automaton_of(pattern, tokens), len(tokens))
    except (Refused, RecursionError, re.error) as error:
        return given, f"that of the automaton in the certificate; its expression {shown(pattern)} was not read: {error}"
    same = all(label == other for label, other in Work().labels([mine, given], 0))
    need(same, f"the automaton in the certificate is not that of the expression {shown(pattern)}")
    return mine, f"the inputs that match {pattern if pattern.isprintable() else repr(pattern)}"


def spoken(data: Any, tokens: int) -> Machine:
    """Return an automaton as a machine, with a start to which nothing leads back."""
    automaton = read(Automaton, data)
    need(automaton.start < len(automaton.table), "an automaton has no such start")
    rows = [[1 + state for state in row] for row in (automaton.table[automaton.start], *automaton.table)]
    return Machine.made(rows, [0, *(1 + accepted for accepted in automaton.accepting)], tokens)


def main(arguments: Sequence[str]) -> int:
    """Run the program; return 0 for a proof, 1 for anything else."""
    given, own, as_json = [argument for argument in arguments if argument != "--json"], None, "--json" in arguments
    try:
        if "--automaton" in given:
            place = given.index("--automaton")
            own = read_json(read_file(given[place + 1], MAX_CERTIFICATE), "the automaton")
            del given[place : place + 2]
        need(2 <= len(given) <= 3, "write: python verify.py MODEL [MODEL] CLAIM [--automaton FILE] [--json]")
        *files, claim = given
        data = read_json(read_file(claim, MAX_CERTIFICATE), "the certificate")
        models = [Model(read_file(file, 8 + MAX_HEADER + 8 * MAX_NUMBERS)) for file in files]
        theorem = check(models, data, own=own)
        print(json.dumps({"proved": True, **asdict(theorem)}) if as_json else theorem)
        return 0
    except Exception as error:  # whatever fails, nothing is proved
        reason = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
        if as_json:
            print(json.dumps({"proved": False, "reason": reason}))
        else:
            print(f"refused: {reason}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
