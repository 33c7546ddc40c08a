"""Formula, weights and automaton say the same: random formulas in narrow and wide arithmetics."""

from random import Random

import pytest

import weightsmith as ws
from tests.programs.ltl.drawn import assert_three_ways_agree, some_words, telling_formula
from weightsmith.programs.ltl.formulas import temporal_depth

ARITHMETICS = ("fixed(1,0)", "fixed(2,2)", "fixed(4,4)", "float(4,3)")
BATCHES, EACH = 20, 25  # 500 formulas


@pytest.mark.one_in(20)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_weights_meaning_and_automaton_agree_on_all_short_words_and_on_long_ones(batch: int) -> None:
    random, tokens = Random(batch), "ab" if batch % 2 else "abc"
    for n in range(EACH):
        A = ws.parse_arithmetic(ARITHMETICS[n % len(ARITHMETICS)])
        P = ws.programs.compile_ltl(telling_formula(random, tokens), tokens, A, soft=n % 3 == 2)
        assert len(P.transformer.blocks) <= temporal_depth(P.formula)
        assert_three_ways_agree(P, some_words(random, tokens, 6 if tokens == "ab" else 4))
