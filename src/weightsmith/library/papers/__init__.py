"""Published constructions as families of models; `ENTRIES` lists them, `papers.find("first")` returns one."""

from weightsmith.automata.named import dyck as dyck_language
from weightsmith.automata.named import majority as majority_language
from weightsmith.automata.named import parity as parity_language
from weightsmith.library.papers import dyck, first, majority, parity
from weightsmith.library.papers.addition import addition, number_pair, sum_digits
from weightsmith.library.papers.computation import Computation
from weightsmith.library.papers.entry import Entry, Paper, entry
from weightsmith.library.papers.induction import hop, induction_head, k_hop
from weightsmith.library.papers.log_depth import automaton_in_log_depth, permutations
from weightsmith.library.papers.lookups import COMPUTATIONS, LANGUAGES
from weightsmith.library.papers.memories import facts, outer_product_memory
from weightsmith.library.papers.ngram import count_ngrams, ngram
from weightsmith.library.papers.serial import palindromes_by_machine, ripple_adder
from weightsmith.library.papers.sources import BHATTAMISHRA, CHIANG_CHOLAK, MERRILL_SATURATED, YAO
from weightsmith.library.papers.succinct import symbol_back

__all__ = [
    "COMPUTATIONS",
    "ENTRIES",
    "Computation",
    "Entry",
    "Paper",
    "addition",
    "automaton_in_log_depth",
    "count_ngrams",
    "facts",
    "find",
    "hop",
    "induction_head",
    "k_hop",
    "ngram",
    "number_pair",
    "outer_product_memory",
    "palindromes_by_machine",
    "permutations",
    "ripple_adder",
    "sum_digits",
    "symbol_back",
]

ENTRIES: tuple[Entry, ...] = (
    Entry(
        name="majority-soft",
        paper=BHATTAMISHRA,
        theorem="Section 4, counting by uniform attention",
        statement="One soft-attention head with equal scores takes the mean of votes ±1, which is positive exactly if "
        "most tokens are 1.",
        family=majority.SOFT,
        language=majority_language("1"),
        claim="",
    ),
    Entry(
        name="majority-average-hard",
        paper=MERRILL_SATURATED,
        theorem="Section 3, saturated attention",
        statement="One averaging hard-attention head with equal scores takes the mean of votes ±1, which is positive "
        "exactly if most tokens are 1.",
        family=majority.AVERAGE_HARD,
        language=majority_language("1"),
        claim="",
    ),
    Entry(
        name="first",
        paper=CHIANG_CHOLAK,
        theorem="Section 3, FIRST",
        statement="Two blocks of soft attention decide whether the first token is 1, at every length.",
        family=first.FIRST,
        language="1.*",
        claim="Right at all lengths in fixed(4,4); wrong from 27 tokens on in fixed(6,4).",
        note="A strict head finds the first position instead of a position vector, and the last token stands for CLS.",
    ),
    Entry(
        name="parity",
        paper=CHIANG_CHOLAK,
        theorem="Section 3, PARITY",
        statement="Two blocks of soft attention with position vectors i/n and (−1)^i decide whether the number of ones "
        "is odd, at every length.",
        family=parity.PARITY,
        language=parity_language("1"),
        claim="In float(4,3) wrong at 4 tokens and right at 5 to 7.",
        note="CLS is the last token, and its position vector is that of place 0.",
    ),
    Entry(
        name="parity-layer-norm",
        paper=CHIANG_CHOLAK,
        theorem="Section 4, layer normalization",
        statement="With layer normalization (ε = 0) the logits of PARITY do not shrink with the length.",
        family=parity.PARITY_WITH_NORM,
        language=parity_language("1"),
        claim="",
        note="CLS is the last token, and its position vector is that of place 0.",
    ),
    Entry(
        name="dyck-1",
        paper=BHATTAMISHRA,
        theorem="Section 4, Dyck-1",
        statement="Two blocks of uniform attention decide whether brackets of one kind are correctly nested.",
        family=dyck.DYCK_1,
        language=dyck_language(1),
        claim="",
    ),
    Entry(
        name="dyck-2-depth-3",
        paper=YAO,
        theorem="Section 4, Dyck-k of bounded depth",
        statement="A fixed number of blocks recognizes Dyck-k with at most D open brackets, at every length.",
        family=dyck.bounded(2, 3),
        language=dyck_language(2, depth=3),
        claim="",
        note="Three blocks at every depth, by counting and by the nearest opening bracket of the same level.",
    ),
    *LANGUAGES,
)


def find(name: str) -> Entry:
    """Return the entry of a name, as in find("first")."""
    return entry(name, ENTRIES)
