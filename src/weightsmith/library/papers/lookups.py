"""More entries of the gallery: automata in log depth, star-free languages, chains; and computations."""

from collections.abc import Callable

from weightsmith import programs
from weightsmith.arithmetic import Arithmetic
from weightsmith.automata.named import parity as parity_language
from weightsmith.library.papers import references
from weightsmith.library.papers.addition import addition, sum_digits
from weightsmith.library.papers.computation import Computation
from weightsmith.library.papers.entry import Entry
from weightsmith.library.papers.induction import hop, induction_head, k_hop
from weightsmith.library.papers.log_depth import automaton_in_log_depth, permutations
from weightsmith.library.papers.memories import facts, outer_product_memory
from weightsmith.library.papers.ngram import count_ngrams, likeliest, ngram
from weightsmith.library.papers.serial import binary_sum, ripple_adder
from weightsmith.library.papers.succinct import symbol_back
from weightsmith.library.parity_chain import parity_chain
from weightsmith.model import Family, Transformer

S5 = permutations([(1, 0, 2, 3, 4), (1, 2, 3, 4, 0)])
TEXTS = ("abab", "aab", "b", "abba")
TRIGRAMS = count_ngrams(TEXTS, 3)


def formula(text: str, vocabulary: str, soft: bool = False) -> Callable[[Arithmetic], Transformer]:
    """Return the builder of a temporal formula."""

    def build(A: Arithmetic) -> Transformer:
        return programs.compile_ltl(text, vocabulary, A, soft=soft).transformer

    return build


LANGUAGES: tuple[Entry, ...] = (
    Entry(
        name="log-depth",
        paper=references.LIU,
        theorem="Theorem 1",
        statement="Every automaton is simulated on inputs up to length n by a transformer of logarithmic depth.",
        family=Family(lambda n, A: automaton_in_log_depth(S5, n, A), "S₅ in ⌈log₂ n⌉ blocks"),
        language=S5,
        claim="T_n has ⌈log₂ n⌉ blocks and is right up to length n, in every arithmetic with 2 and exp(−∞) = 0.",
        note="Functions are one-hot lanes, |Q|² of them, instead of numbers: 0, 1 and 2 are all that is needed.",
    ),
    Entry(
        name="star-free",
        paper=references.YANG,
        theorem="the equivalence with LTL, strict masks",
        statement="Hard attention with strict masks and without positions recognizes the languages of linear temporal "
        "logic, which are the star-free ones.",
        family=Family.uniform(formula("!b S a", "abc"), "!b S a"),
        language=".*a[^b]*",
        claim="Right at all lengths.",
    ),
    Entry(
        name="past",
        paper=references.LI_COTTERELL,
        theorem="the equivalence with LTL of the past operator",
        statement="Soft attention in a fixed precision, with strict masks and without positions, recognizes the "
        "languages of temporal logic whose only operator is the past operator.",
        family=Family.uniform(formula("O(a & O< b)", "abc", soft=True), "O(a & O< b), soft"),
        language=".*b.*a.*",
        claim="Right at all lengths.",
    ),
    Entry(
        name="parity-chain",
        paper=references.LI_CHAINS,
        theorem="Section 4, parity with a chain of thought",
        statement="With a chain of n tokens a transformer of constant depth and precision decides parity.",
        family=Family(lambda n, A: parity_chain(arithmetic=A, max_length=n), "parity by a chain"),
        language=parity_language("1"),
        claim="Right up to length n in every arithmetic with exp(−∞) = 0; nothing is counted.",
    ),
    Entry(
        name="symbol-back",
        paper=references.BERGSTRAESSER,
        theorem="transformers are exponentially more succinct than automata; this language is folklore",
        statement="A transformer can be exponentially smaller than the smallest automaton of its language.",
        family=Family.uniform(lambda A: symbol_back(8, arithmetic=A), "the 8th token from the end"),
        language=".*1.......",
        claim="Right at all lengths; the smallest automaton has 2^8 states.",
    ),
)

COMPUTATIONS: tuple[Computation, ...] = (
    Computation(
        name="induction-head",
        paper=references.OLSSON,
        theorem="the definition of an induction head",
        statement="Two blocks predict the token that followed the last earlier occurrence of the current one.",
        build=lambda n, A: induction_head("abc", A),
        function=lambda n: lambda x: hop(x, 1),
        lengths=lambda n: {"up_to": n},
        sizes=(8,),
        claim="Right at all lengths.",
    ),
    Computation(
        name="k-hop",
        paper=references.SANFORD,
        theorem="Section 4, k-hop induction heads",
        statement="⌊log₂ k⌋ + 2 blocks of one head follow k induction heads, one after the other.",
        build=lambda k, A: k_hop(k, 8, arithmetic=A),
        function=lambda k: lambda x: hop(x, k),
        lengths=lambda k: {"up_to": 8},
        sizes=(1, 2, 3, 5, 6, 7),
        claim="Right up to length n, for which it is built.",
        note="A position is a one-hot vector of n lanes; the paper has O(1) lanes with numbers of O(log n) bits.",
    ),
    Computation(
        name="n-gram",
        paper=references.SVETE,
        theorem="the construction with n − 1 heads",
        statement="One block of hard attention with n − 1 heads has the next-token distribution of an n-gram model.",
        build=lambda n, A: ngram(TRIGRAMS, 3, "ab", A),
        function=lambda n: lambda x: likeliest(TRIGRAMS, 3, "ab", x),
        lengths=lambda n: {"up_to": n},
        sizes=(8,),
        claim="Logits are ln p, each rounded once, at every position.",
        note="The token itself needs no head: n − 2 heads look back.",
    ),
    Computation(
        name="memories",
        paper=references.NICHANI,
        theorem="linear associative memories",
        statement="A sum of outer products of random vectors recalls a number of facts proportional to its weights.",
        build=lambda number, A: outer_product_memory(number, 16, 16, A),
        function=lambda number: lambda x: facts(number, 16)[x[0]],
        lengths=lambda number: {"up_to": 1},
        sizes=(1, 4, 8),
        claim="A matrix of 16 × 16 recalls all of 8 facts in fixed(4,4), and not all of 9.",
        note="Vectors of 1 and −1; the sum is rounded into the arithmetic.",
    ),
    Computation(
        name="addition",
        paper=references.ADDERBOARD,
        theorem="the contest's task, for weights that are written",
        statement="A chain adds two numbers of ten digits, digit by digit.",
        build=addition,
        function=lambda digits: sum_digits,
        lengths=lambda m: {"length": 2 * m + 2, "within": f"{'[0-9]' * m}0{'[0-9]' * m}0"},
        sizes=(1,),
        arithmetic="fixed(6,4)",
        claim="Eleven different weights that are not 0.",
    ),
    Computation(
        name="circuits",
        paper=references.LI_CHAINS,
        theorem="Section 3, circuits with a chain of thought",
        statement="A transformer of constant depth and precision computes a circuit of T gates if it writes T tokens.",
        build=ripple_adder,
        function=lambda bits: binary_sum,
        lengths=lambda bits: {"length": 2 * bits},
        sizes=(1, 4),
        arithmetic="fixed(1,1)",
        claim="Right on all inputs, by lemmas about the weights.",
    ),
)
