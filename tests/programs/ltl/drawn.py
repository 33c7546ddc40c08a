"""Random formulas whose automaton is not too small, and a comparison of what is made of them."""

from itertools import product
from random import Random

import weightsmith as ws
from weightsmith.programs.ltl.compiled import CompiledFormula
from weightsmith.programs.ltl.formulas import Connective, Formula, Past, Token, Truth
from weightsmith.programs.ltl.progression import formula_automaton

LEAST_STATES = 5
DEEPEST = 6


def formula(random: Random, depth: int, tokens: str) -> Formula:
    """Draw a formula that is at most so deep in temporal operators: strict ones, constants and every connective too."""
    if depth == 0 or random.random() < 0.12:
        return Token(random.choice(tokens)) if random.random() < 0.95 else Truth(random.random() < 0.5)
    if random.random() < 0.45:
        symbol = random.choice(("!", "&", "|", "&", "|", "^", "->", "<->"))
        parts = [formula(random, depth - (random.random() < 0.5), tokens) for _ in range(1 if symbol == "!" else 2)]
        return Connective(symbol, tuple(parts))  # type: ignore[arg-type]
    operator = random.choice("YOHSSS")
    parts = [formula(random, depth - 1, tokens) for _ in range(2 if operator == "S" else 1)]
    return Past(operator, tuple(parts), operator != "Y" and random.random() < 0.4)  # type: ignore[arg-type]


def telling_formula(random: Random, tokens: str) -> Formula:
    """Draw a formula whose smallest automaton has some states."""
    while True:
        found = formula(random, random.randint(2, DEEPEST), tokens)
        if len(formula_automaton(found, tokens).table) >= LEAST_STATES:
            return found


def some_words(random: Random, tokens: str, length: int, long: int = 2) -> list[str]:
    """Give all words of a length, whose beginnings are all shorter ones, and some long ones."""
    words = ["".join(word) for word in product(tokens, repeat=length)]
    return words + ["".join(random.choices(tokens, k=random.randint(40, 90))) for _ in range(long)]


def assert_three_ways_agree(P: CompiledFormula, words: list[str]) -> None:
    """Compare weights, meaning and automaton at every position of every word."""
    A, places = P.automaton, {token: place for place, token in enumerate(P.transformer.vocabulary)}
    for word, said in zip(words, ws.outputs(P.transformer, words), strict=True):
        wanted, state = P.means(word), A.start
        assert [each == "YES" for each in said] == wanted, (str(P.formula), P.transformer.arithmetic, word)
        for token, holds in zip(word, wanted, strict=True):
            state = int(A.table[state, places[token]])
            assert bool(A.accepting[state]) == holds, (str(P.formula), word)
    assert ws.check.recognizes(P.transformer, A).holds, str(P.formula)  # for all lengths
