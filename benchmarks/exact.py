"""Training in a finite arithmetic with many seeds: does the model compute the rule, for all lengths?

The command of docs/train.md at full size. `make bench ONLY=exact` writes the results to docs/_static/exact.json,
two of the models, and pictures of their automata and of the rules, and prints the table of the page.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

import weightsmith as ws
from weightsmith.automata import Automaton, compile_regex
from weightsmith.train import by_predicate, fit, predicate
from weightsmith.train.settings import EXACT

DATA = Path(__file__).parents[1] / "docs" / "_static" / "exact.json"
SEEDS = range(10)
RULES = ("ends with 01", "starts with 1", "contains 11", "first equals last", "odd number of 1")
KEPT = {"contains 11": "eleven", "odd number of 1": "parity"}  # of seed 0, with their pictures
ARITHMETIC, MAX_LENGTH = "fixed(3,3)", 12


def measure() -> Iterator[Table]:
    runs = [run(rule, seed) for rule in RULES for seed in SEEDS]
    found = {"arithmetic": ARITHMETIC, "runs": runs}
    DATA.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    table = Table("rule", "proved", "refuted, at length", "unknown", title=summary(found))
    for cells in rows(found):
        table.add_row(*cells)
    yield table


def run(rule: str, seed: int) -> dict[str, Any]:
    """Train as `weightsmith train --predicate RULE --exact ARITHMETIC --seed SEED` does, and keep the verdict."""
    shape, course = EXACT.changed({"seed": seed, "context": MAX_LENGTH})
    task = by_predicate(predicate(rule), "01", MAX_LENGTH, seed=seed)
    trained = fit(task, shape, course, exact=ws.parse_arithmetic(ARITHMETIC))
    T, verdict = trained.transformer, trained.verdict
    assert verdict is not None
    if seed == SEEDS[0] and rule in KEPT:
        keep(T, rule)
    wrong = "".join(verdict.counterexample) if verdict.counterexample else None
    print(f"{rule}, seed {seed}: {str(verdict).partition(chr(10))[0]}", file=sys.stderr, flush=True)
    how, *_ = T.provenance  # the next entry says that it was rounded
    seconds = round(trained.history[-1].seconds, 1)
    scope = {"holds": verdict.holds, "scope": verdict.scope, "wrong": wrong}
    return {"rule": rule, "seed": seed, "how": how, "seconds": seconds, **scope}


def keep(T: ws.Transformer, rule: str) -> None:
    """Write a model, a picture of its automaton, and one of the rule's automaton."""
    name = KEPT[rule]
    ws.save(T, DATA.with_name(f"exact-{name}.safetensors"))
    for end, automaton in automata(T, rule).items():
        DATA.with_name(f"exact-{name}-{end}.svg").write_text(automaton.svg())


def automata(T: ws.Transformer, rule: str) -> dict[str, Automaton]:
    """Return the automaton of a model and that of a rule."""
    expression = predicate(rule).expression(T.vocabulary)
    own = None if expression is None else compile_regex(expression, tuple(T.vocabulary))
    assert own is not None
    return {"trained": ws.automaton(T), "rule": own}


def summary(found: dict[str, Any]) -> str:
    """Return a description of the trainings."""
    seeds = sorted({one["seed"] for one in found["runs"]})
    return f'trainings with `--exact "{found["arithmetic"]}"`, seeds {seeds[0]} to {seeds[-1]}'


def rows(found: dict[str, Any]) -> Iterator[Sequence[str]]:
    """Yield for each rule how many models are proved, refuted (at which lengths) and unknown."""
    for rule in RULES:
        every = [one for one in found["runs"] if one["rule"] == rule]
        counts = Counter(one["holds"] for one in every)
        lengths = Counter(len(one["wrong"]) for one in every if one["wrong"])
        where = ", ".join(f"{n}" if times == 1 else f"{n} ({times} times)" for n, times in sorted(lengths.items()))
        refuted = f"{counts[False]}: at {where}" if counts[False] else "0"
        yield rule, f"{counts[True]} of {len(every)}", refuted, str(counts[None])


def markdown(found: dict[str, Any]) -> str:
    """Return the table as the page shows it."""
    lines = ["| rule | proved for all lengths | refuted, at which length | unknown |", "|---|---:|---|---:|"]
    return "\n".join(lines + [f"| {' | '.join(cells)} |" for cells in rows(found)])
