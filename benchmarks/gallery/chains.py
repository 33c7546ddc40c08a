"""Tables of chains: addition, circuits, parity, a Turing machine; and of a family whose automaton explodes."""

from itertools import product
from random import Random

import weightsmith as ws
from benchmarks.gallery.table import Rows, Table, arithmetic, cell, word
from weightsmith.check import Verdict
from weightsmith.errors import UnknownError, WeightsmithError
from weightsmith.library.papers.addition import addition, number_pair, sum_digits
from weightsmith.library.papers.serial import binary_sum, palindromes_by_machine, ripple_adder
from weightsmith.library.papers.succinct import symbol_back

WIDER = ("fixed(5,4)", "fixed(6,3)", "fixed(6,4)", "fixed(7,4)", "fixed(8,8)", "e4m3", "bfloat16", "float16")
TEN = 10
MOST_STATES = 20_000  # so that the table does not depend on the machine that computes it
LONG_ENOUGH = 3600.0


def pairs(m: int, A: ws.Arithmetic) -> Verdict:
    """Claim that all pairs of numbers of so many digits are added."""
    within = f"{'[0-9]' * m}0{'[0-9]' * m}0"
    return ws.check.agrees_with(addition(m, A), sum_digits, length=2 * m + 2, within=within)


def places(A: ws.Arithmetic) -> str:
    """Decide all cases of one place of ten digits: those of the first place, and of the third with any second one.

    Each head has weight 0 on all positions but those of this place and the last one, so there are no other cases:
    10 · 10 digits in the first place, and 10⁴ · 2 for the digits of two places and the carry into them.
    """
    T = addition(TEN, A).transformer
    first = [number_pair(a, b, TEN) for a, b in product(range(10), repeat=2)]
    third = [
        number_pair(a + 10 * x + 100 * y, a + 10 * z + 100 * u, TEN)
        for a in (0, 5)
        for x, y, z, u in product(range(10), repeat=4)
    ]
    texts = [(pair, 0) for pair in first] + [(pair, 2) for pair in third]
    written = ws.decisions(T, [tuple(pair) + sum_digits(pair)[:t] for pair, t in texts])
    wrong = [pair for (pair, t), digit in zip(texts, written, strict=True) if digit != sum_digits(pair)[t]]
    return f"✗ {word(wrong[0])}" if wrong else f"all {len(texts):,} cases"


def contest(A: ws.Arithmetic) -> str:
    """Add 1,000 random pairs and the hardest carries."""
    draw, top = Random(2025), 10**TEN - 1
    numbers = [(int(draw.random() * top), int(draw.random() * top)) for _ in range(1000)]
    numbers += [(0, 0), (top, 1), (top, top), (0, top), (5555555555, 4444444445), (1, top), (9090909090, 909090910)]
    inputs = [number_pair(a, b, TEN) for a, b in numbers]
    answers = addition(TEN, A).decide([tuple(x) for x in inputs])
    right = sum(answer == sum_digits(x) for x, answer in zip(inputs, answers, strict=True))
    return f"{right:,} of {len(inputs):,}"


def addition_limits() -> Rows:
    """Return a row for each arithmetic."""
    rows: Rows = []
    for name in WIDER:
        A = arithmetic(name)
        one = cell(lambda A=A: pairs(1, A))  # type: ignore[misc]
        refused = one.startswith("refused")
        rows.append((name, one, "" if refused else places(A), "" if refused else contest(A)))
    return rows


def addition_sizes() -> Rows:
    """Return the sizes for some numbers of digits."""
    rows: Rows = []
    for m in (1, 2, 10, 100):
        C = addition(m)
        T = C.transformer
        rows.append((m, len(T.blocks), len(T.lanes), T.weights, T.nonzero_weights, T.distinct_weights))
    return rows


def circuit_sizes() -> Rows:
    """Return adders of some numbers of bits: sizes, the lemmas, and what running every input says."""
    rows: Rows = []
    for bits in (1, 2, 4, 8, 16, 32):
        C = ripple_adder(bits)
        proof = C.certificate()  # type: ignore[attr-defined]
        cases = sum(lemma.cases for lemma in proof.lemmas)
        exhaustive = bits <= 4
        ran = cell(lambda: ws.check.agrees_with(C, binary_sum, length=2 * bits)) if exhaustive else ""  # noqa: B023
        T = C.transformer
        proved = f"2^{2 * bits} inputs, {len(proof.lemmas)} lemmas over {cases:,} cases"
        rows.append((bits, C.steps_for(2 * bits), len(T.blocks), len(T.lanes), str(T.arithmetic), proved, ran))
    return rows


def machine_sizes() -> Rows:
    """Return the palindromes' machine for some lengths: the smallest arithmetic, and what running every input says."""
    rows: Rows = []
    for n in (2, 4, 6):
        C = palindromes_by_machine(n)
        lemmas = C.certificate().lemmas  # type: ignore[attr-defined]
        right = cell(lambda: ws.check.recognizes(C, lambda x: x == x[::-1], up_to=n))  # noqa: B023
        T = C.transformer
        steps = max(len(C.run("a" * k).generated) for k in range(1, n + 1))
        rows.append((n, steps, len(T.blocks), len(T.lanes), str(T.arithmetic), f"{len(lemmas)} lemmas", right))
    return rows


def explosion() -> Rows:
    """Return for each k the size of the transformer, of its automaton, and what can be proved within 20,000 states."""
    rows: Rows = []
    for k in (1, 2, 4, 8, 12, 16, 24, 1000):
        T = symbol_back(k)
        budget = {"states": MOST_STATES, "seconds": LONG_ENOUGH}
        try:
            states = f"{len(ws.automaton(T, **budget).table):,}"  # type: ignore[arg-type]
        except UnknownError:
            states = "unknown"
        twice = cell(lambda: ws.check.same_decisions(T, ~~T, **budget))  # type: ignore[arg-type]  # noqa: B023
        rows.append((k, len(T.blocks), T.nonzero_weights, f"2^{k}", states, twice))
    return rows


def formulas() -> Rows:
    """Return formulas with the expression of their language, and the verdicts with hard and with soft attention."""
    rows: Rows = []
    for text, language in (
        ("O a", ".*a.*"),
        ("O(a & O< b)", ".*b.*a.*"),
        ("H !a", "[^a]*"),
        ("a & !O< a", "[^a]*a"),
        ("Y a", ".*a."),
        ("!b S a", ".*a[^b]*"),
        ("O(a & Y b)", ".*ba.*"),
    ):
        hard = ws.programs.compile_ltl(text, "abc").transformer
        soft = _soft(text, language)
        rows.append((f"`{text}`", f"`{language}`", len(hard.blocks), cell(_claim(hard, language)), soft))
    return rows


def expressions() -> Rows:
    """Return expressions with the verdict of compiling them at every length, or why they are refused."""
    rows: Rows = []
    for text in ("(a|b)*ab", "(ab)*", "a*b*", "(a|bb)*", "(aa)*", "b*(ab*ab*)*"):
        try:
            T = ws.programs.compile_regex(text, "ab", prove=False).transformer
            verdict = cell(_claim(T, text))
        except WeightsmithError:
            verdict = "refused: not star-free"
        upto = ws.programs.compile_regex(text, "ab", up_to=7, prove=False).transformer
        rows.append((f"`{text}`", verdict, cell(lambda T=upto, text=text: ws.check.recognizes(T, text, up_to=7))))  # type: ignore[misc]
    return rows


def _claim(T: ws.Transformer, language: str):  # type: ignore[no-untyped-def]
    return lambda: ws.check.recognizes(T, language)


def _soft(text: str, language: str) -> str:
    """Return the verdict with soft attention, or that a head stays hard."""
    try:
        T = ws.programs.compile_ltl(text, "abc", soft=True).transformer
    except WeightsmithError as error:
        return f"refused: {str(error).split(': write ')[0]}"
    heads = [head for block in T.blocks if block.attention is not None for head in block.attention.heads]
    if not all(isinstance(head.weighting, ws.Softmax) for head in heads):
        return "needs a hard head"
    return cell(_claim(T, language))


TABLES = {
    "addition": Table(
        "addition", ("digits", "blocks", "lanes", "weights", "not 0", "different, not 0"), addition_sizes
    ),
    "addition-limits": Table(
        "addition",
        ("arithmetic", "1 digit, all pairs", "10 digits, all cases of a place", "10 digits, random pairs"),
        addition_limits,
        long=True,
    ),
    "circuits": Table(
        "circuits",
        ("bits", "tokens", "blocks", "lanes", "arithmetic", "proved", "every input run"),
        circuit_sizes,
        long=True,
    ),
    "machines": Table(
        "machines", ("n", "tokens", "blocks", "lanes", "arithmetic", "proved", "every input run"), machine_sizes
    ),
    "explosion": Table(
        "explosion",
        ("k", "blocks", "weights", "states, by theory", "states, extracted", "decides as its double negation"),
        explosion,
        long=True,
    ),
    "expressions": Table("star-free", ("expression", "at all lengths", "compiled with `up_to=7`"), expressions),
    "star-free": Table("star-free", ("formula", "expression", "blocks", "hard attention", "soft attention"), formulas),
}
