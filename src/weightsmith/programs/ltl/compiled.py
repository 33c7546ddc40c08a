"""Formulas compiled to transformers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.automata import Automaton
from weightsmith.errors import NAME_ECHO, InputError, brief, cut, named
from weightsmith.model import Transformer, digest, read_tokens
from weightsmith.model.names import checked_names
from weightsmith.programs.budget import DEFAULT_MEMORY, Budget, allowed
from weightsmith.programs.ltl.formulas import Formula, tokens_in
from weightsmith.programs.ltl.lowering import FormulaWeights
from weightsmith.programs.ltl.meaning import truths
from weightsmith.programs.ltl.planner import FormulaPlan, plan_formula
from weightsmith.programs.ltl.progression import formula_automaton
from weightsmith.programs.ltl.reading import parse_ltl
from weightsmith.programs.proof.certificate import Certificate
from weightsmith.programs.proof.formulas import prove_formula
from weightsmith.tables import Table, Tabled


@dataclass(frozen=True)
class Part:
    """A part of the transformer, and the formula that it holds or computes."""

    where: str  # "lane O a", "block 0, head 1", "block 0, neuron 2", "embedding"
    formula: str
    lane: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class CompiledFormula(Tabled):
    """A temporal formula with the transformer that decides it: YES where the formula holds at the last position.

    Called with an input it says, by the weights, at which positions the formula holds; `means` says the same by the
    meaning of formulas alone, and `automaton` by progression. `parts` gives the formula of each lane, head and
    neuron; printed it is that table.
    """

    formula: Formula
    source: str
    transformer: Transformer
    parts: tuple[Part, ...]

    def __call__(self, tokens: str | Sequence[str]) -> list[bool]:
        """Say of each position of an input whether the formula holds there."""
        from weightsmith.inspect import outputs  # it is loaded when something runs

        return [said == "YES" for said in outputs(self.transformer, [tokens])[0]]

    def means(self, tokens: str | Sequence[str]) -> list[bool]:
        """Say the same without the transformer."""
        return truths(self.formula, read_tokens(self.transformer, tokens))

    @cached_property
    def automaton(self) -> Automaton:
        """The smallest automaton of the formula, made without the transformer; it does not accept the empty input."""
        return formula_automaton(self.formula, self.transformer.vocabulary)

    def certificate(self) -> Certificate:
        """Return the lemmas by which the weights decide the formula, at every position of inputs of every length."""
        T, lanes = self.transformer, {lane: part.formula for part in self.parts if (lane := part.lane) is not None}
        proof = prove_formula(T, str(self.formula), lanes)
        stated = {"formula": str(self.formula), "lanes": lanes}
        return Certificate(
            cut(self.source, 1000),
            str(T.arithmetic),
            tuple(T.vocabulary),
            None,
            tuple(proof.lemmas),
            model=digest(T),
            stated=stated,
        )

    @property
    def _sizes(self) -> tuple[tuple[int, str], tuple[int, str]]:
        return (len(self.transformer.blocks), "block"), (len(self.transformer.lanes), "lane")

    def table(self) -> Table:
        """Return a row for each part."""
        T = self.transformer
        blocks, lanes = (f"{n} {what}{'' if n == 1 else 's'}" for n, what in self._sizes)
        title = f"{cut(str(self.formula), 100)}, in {T.arithmetic}: {blocks}, {lanes}"
        result = Table("part", "holds or computes", title=title)
        for part in self.parts:
            result.add(part.where, part.formula)
        return result


def compile_ltl(
    formula: str | Formula,
    vocabulary: str | Sequence[str],
    arithmetic: Arithmetic | None = None,
    *,
    soft: bool = False,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> CompiledFormula:
    """Compile a formula of past-time temporal logic to a transformer that decides it, for inputs of any length.

    Y, O, H and S speak of the past, O<, H< and S< of earlier positions only; ! & | ^ -> <-> connect. The
    transformer is causal, without positions, and has as many blocks as the formula is deep in these operators: each is
    one head and one lane. Heads are hard; with `soft`, those of O and H are a softmax that saturates. The arithmetic is
    Fixed(4, 4) by default; one that lacks a law which the formula needs is refused. So is a formula that
    takes more `seconds` to compile, or more bytes of `memory`.

    >>> P = compile_ltl("O(a & Y b) | (!c S a)", vocabulary="abc")
    >>> P("cbac")
    [False, False, True, True]
    """
    if isinstance(vocabulary, str):
        vocabulary = tuple(vocabulary)
    tokens = checked_names(vocabulary, "vocabulary", printable=False)
    if type(soft) is not bool:
        raise InputError(f"soft={brief(soft)}: write True or False")
    source = formula if isinstance(formula, str) else str(formula)
    read = parse_ltl(formula, tokens) if isinstance(formula, str) else formula
    if not isinstance(read, Formula):
        raise InputError(f"{brief(formula)} is no formula: write a text, such as 'O(a & Y b)'")
    for token in sorted(tokens_in(read) - set(tokens)):
        raise InputError(f"the formula speaks of {named(token)}, which is no token of the vocabulary")
    with allowed(seconds, memory) as budget:
        budget.at(f"the formula {cut(source, NAME_ECHO)}", None)
        plan = plan_formula(read, tokens)
        _require_room(plan, budget)
        weights = FormulaWeights(plan, tokens, or_default(arithmetic), soft)
        T = weights.transformer([cut(f"compile_ltl({source!r})", 2000)])
        return CompiledFormula(read, source, T, _parts(weights))


def _require_room(plan: FormulaPlan, budget: Budget) -> None:
    """Refuse weights that would take too much memory: a head takes eight rows of lanes, a neuron two."""
    circuit = plan.circuit
    neurons, lanes = sum(len(layer.parts) for layer in circuit.layers), len(circuit.cells)
    numbers = (8 * len(circuit.heads) + 2 * neurons + circuit.sizes.tokens) * lanes
    budget.room(numbers, f"{len(circuit.heads):,} heads and {neurons:,} neurons that read {lanes:,} lanes")


def _parts(weights: FormulaWeights) -> tuple[Part, ...]:
    texts = weights.plan.texts
    lanes = [Part(f"lane {cell.name}", text, cell.name) for cell, text in texts.items()]
    lanes += [Part(f"lane {name}", f"!({texts[cell]})", name) for cell, name in weights.complements.items()]
    found = [Part("embedding", texts[cell]) for cell in weights.plan.letters]
    for b in range(weights.circuit.depth):
        heads, neurons = weights.heads_at(b), weights.cubes_at(b)
        found += [Part(f"block {b}, head {i}", texts[head.cell]) for i, head in enumerate(heads)]
        found += [Part(f"block {b}, neuron {n}", texts[cell]) for n, (cell, _, _) in enumerate(neurons)]
    return (*found, *lanes)
