"""Claims about all lengths: times of proofs, and the share of random models whose automata are found."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from statistics import median
from typing import NamedTuple

import numpy as np
from tests.automata.models import ARITHMETICS, WEIGHTINGS, random_model

import weightsmith as ws
from weightsmith.automata.extraction import Budget, UnknownError, automaton, extract
from weightsmith.check import every_length, proof
from weightsmith.check.verdict import EveryLength
from weightsmith.library import ENTRIES
from weightsmith.programs.ltl.compiled import CompiledFormula
from weightsmith.tables import Table

MODELS, SECONDS = 30, 2.0  # random models of each kind, and processor seconds for each
TABLES, TABLE_SECONDS = 20, 10.0
RANDOM = 120  # models of tests/automata/models.py
TESTED = 2000  # of tests/automata/test_extraction.py
KINDS = {"one key": WEIGHTINGS[:2], "hard": WEIGHTINGS[:3], "softmax": WEIGHTINGS[3:]}
COUNTERS = ("majority", "parity", "parity_chain")
Claim = Callable[[], "ws.check.Verdict"]


def measure() -> Iterator[Table]:
    """Yield the times of proofs for written models, then the success rates for random ones."""
    automaton(ws.library.contains("1"))  # compiles
    yield _proofs()
    yield _against_runs()
    yield _of_the_tests()
    yield from _shares()
    yield _tables()


def _proofs() -> Table:
    """Measure for each group of claims: the search, the check by `verify.py`, and the size of the certificate."""
    columns = ("decided", "search s", "check s", "check / search", "kB")
    title = "proved: medians, and the largest in brackets"
    table = Table("claim", *columns, right=range(1, 6), title=title)
    every: list[_Measured] = []
    for name, claims in _claims().items():
        found = [_measured(claim) for claim in claims]
        proved = [one for one in found if one.certificate]
        every += proved
        decided = sum(one.decided for one in found)
        table.add(name, f"{decided} of {len(claims)}", *_cells(proved))
    table.add("all", "", *_cells(every))
    return table


class _Measured(NamedTuple):
    """The cost of one claim."""

    decided: bool
    search: float  # processor seconds
    check: float
    certificate: int  # bytes; 0 if nothing is proved


def _measured(claim: Claim) -> _Measured:
    checking = 0.0
    accepted = proof.unchecked

    def timed(*given: object) -> object:
        nonlocal checking
        begin = time.process_time()
        try:
            return accepted(*given)  # type: ignore[arg-type]
        finally:
            checking += time.process_time() - begin

    vars(every_length)["unchecked"] = timed
    try:
        begin = time.process_time()
        verdict = claim()
        seconds = time.process_time() - begin
    finally:
        vars(every_length)["unchecked"] = accepted
    size = len(json.dumps(verdict.certificate())) if verdict.holds and isinstance(verdict, EveryLength) else 0
    return _Measured(verdict.holds is not None, seconds - checking, checking, size)


def _cells(found: list[_Measured]) -> Iterator[str]:
    columns = (
        ([one.search for one in found], "{:.3f}"),
        ([one.check for one in found], "{:.3f}"),
        ([one.check / one.search for one in found], "{:.2f}"),
        ([one.certificate / 1000 for one in found], "{:,.1f}"),
    )
    for values, form in columns:
        yield f"{form.format(median(values))} ({form.format(max(values))})" if values else ""


def _claims() -> dict[str, list[Claim]]:
    """Return claims about written and random models; a refuted one counts as decided."""
    plain = {entry.name: entry.build() for entry in ENTRIES if entry.max_length is None or entry.name == "parity_chain"}
    rules = [(entry.build(), entry.language) for entry in ENTRIES if isinstance(entry.language, str)]
    same = ws.check.same_decisions
    counters = [T for name, T in plain.items() if name in COUNTERS]
    others = [T for name, T in plain.items() if name not in COUNTERS]
    tables = [ws.flag(T, "here", [3, 40], max_length=64) for T in others]
    recognizes = ws.check.recognizes
    zeroed = [ws.zero_vector(T, at="here") for T in tables]
    mapped = [ws.linear_map(T, np.zeros((len(T.lanes), len(T.lanes))), source=1, target=3) for T in tables]
    multiples = {n: ws.library.length_modulo(n, max_length=64) for n in (2, 3, 4, 5)}
    return {
        "the library's own": [partial(recognizes, T, language) for T, language in rules],
        "its tables, 64 positions": [partial(recognizes, T, f"(.{{{n}}})+") for n, T in multiples.items()],
        "∞ forms": [partial(same, T, ws.infinity_form(T)) for T in others],
        "signed ∞ forms": [partial(same, T, ws.signed_infinity_form(T)) for T in others],
        "counters, their ∞ forms": [partial(same, T, ws.infinity_form(T)) for T in counters],
        "20 compositions of 7 to 13 blocks": [partial(same, T, ~~T) for T in _compositions(20)],
        "flagged, 64 positions": [partial(same, S, T) for S, T in zip(others, tables, strict=True)],
        "zeroed, 64 positions": [partial(same, T, S) for T, S in zip(tables, zeroed, strict=True)],
        "mapped, 64 positions": [partial(same, T, S) for T, S in zip(tables, mapped, strict=True)],
        "formulas": [partial(recognizes, P.transformer, P.automaton) for P in _formulas()],
        f"{RANDOM} random models, each with itself": [
            partial(_with_itself, random_model(seed)) for seed in range(RANDOM)
        ],
    }


def _formulas() -> list[CompiledFormula]:
    texts = ("O(a & Y b)", "(!a S b) | H a", "Y Y a | (b S a)", "H(a | Y b)", "O(a & Y(b & Y a))")
    return [ws.programs.compile_ltl(text, vocabulary="ab") for text in texts]


def _with_itself(T: ws.Transformer) -> "ws.check.Verdict":
    """Claim that a model decides as it does itself."""
    try:
        return ws.check.same_decisions(T, T, seconds=SECONDS)
    except ws.ModelError:  # a norm of 0 has no root
        return ws.check.same_decisions(ws.library.contains("1"), ws.library.contains("1"), up_to=1)


def _compositions(count: int) -> list[ws.Transformer]:
    random = Random(0)
    pool = [e.build() for e in ENTRIES if e.symbols == "01" and e.max_length is None and e.name != "parity"]
    found: list[ws.Transformer] = []
    while len(found) < count:
        S, least = random.choice(pool), random.choice([5, 7, 9])
        while len(S.blocks) < least:
            U = random.choice(pool)
            S = random.choice([S & U, S | U, S ^ U])
        if 5 <= len(S.blocks) <= 11:
            found.append(S)
    return found


def _against_runs() -> Table:
    """Compare a proof for all lengths with running every input up to 20."""
    table = Table("claim", "proved s", "run up to 20 s", "ratio", right=range(1, 4), title="a proof beside a run")
    for name, T in {"ends_with('01')": ws.library.ends_with("01"), "majority('1')": ws.library.majority("1")}.items():
        S = ws.infinity_form(T)
        ws.check.same_decisions(T, S, up_to=10)
        begin = time.process_time()
        ws.check.same_decisions(T, S)
        proved = time.process_time() - begin
        begin = time.process_time()
        ws.check.same_decisions(T, S, up_to=20, workers=1)
        run = time.process_time() - begin
        table.add(f"{name} and its ∞ form", f"{proved:.3f}", f"{run:.2f}", f"{run / proved:.0f}")
    return table


def _of_the_tests() -> Table:
    """Return the success rate for the random models of the tests with hard attention or one block of softmax."""
    title = f"found within {SECONDS:g} s of a processor, of the tests' {TESTED:,} random models"
    columns = ("hard, 1 block", "hard, 2", "hard, 3", "softmax, 1")
    table = Table("arithmetic", *columns, right=range(1, 1 + len(columns)), title=title)
    drawn, found = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for T in map(random_model, range(TESTED)):
        heads = [head for block in T.blocks if block.attention is not None for head in block.attention.heads]
        soft, blocks = {isinstance(head.weighting, ws.Softmax) for head in heads}, len(T.blocks)
        if soft == {False} or (soft == {True} and blocks == 1):
            column = columns[-1] if soft == {True} else columns[blocks - 1]
            cells = [(str(T.arithmetic), column), ("all", column)]
            drawn.update(cells)
            found.update(cells if _is_found(T, SECONDS) else ())
    for row in (*ARITHMETICS, "all"):
        table.add(row, *(f"{found[row, column]} of {drawn[row, column]}" for column in columns))
    return table


def _shares() -> Iterator[Table]:
    """Yield the share of random models whose automata are found in time, by kind and in all."""
    title = f"found within {SECONDS:g} s of a processor, of {MODELS} random models each, in percent"
    kinds = [(name, blocks) for name in KINDS for blocks in (1, 2, 3)]
    columns = [f"{name}, {blocks}" for name, blocks in kinds]
    table = Table("arithmetic", *columns, right=range(1, 1 + len(columns)), title=title)
    total = dict.fromkeys(KINDS, 0)
    for arithmetic in ARITHMETICS:
        cells = []
        for name, blocks in kinds:
            found = _found(MODELS, SECONDS, arithmetic=arithmetic, blocks=blocks, weightings=KINDS[name])
            total[name] += found
            cells.append(f"{100 * found / MODELS:.0f}")
        table.add(arithmetic, *cells)
    yield table
    models = MODELS * 3 * len(ARITHMETICS)
    whole = Table("weighting", "percent", right=[1], title=f"of {models} models each, in all")
    for name, found in total.items():
        whole.add(name, f"{100 * found / models:.1f}")
    yield whole


def _tables() -> Table:
    title = f"found within {TABLE_SECONDS:g} s, of {TABLES} random models with a position table each, in percent"
    table = Table("model", "found", right=[1], title=title)
    one = _found(TABLES, TABLE_SECONDS, arithmetic="fixed(2,2)", blocks=1, heads=1, table=64, weightings=WEIGHTINGS)
    table.add("64 positions, one block, one head, fixed(2,2)", f"{100 * one / TABLES:.0f}")
    two = _found(TABLES, TABLE_SECONDS, arithmetic="fixed(2,2)", blocks=2, heads=1, table=32, weightings=KINDS["hard"])
    table.add("32 positions, two blocks of hard attention, fixed(2,2)", f"{100 * two / TABLES:.0f}")
    return table


def _found(count: int, seconds: float, **kinds: object) -> int:
    models = (random_model(10_000 + seed, plain=True, **kinds) for seed in range(count))  # type: ignore[arg-type]
    return sum(_is_found(T, seconds) for T in models)


def _is_found(T: ws.Transformer, seconds: float) -> bool:
    try:
        extract(T, Budget(seconds, clock=time.process_time))
    except UnknownError:
        return False
    return True
