"""The exact automaton of a transformer, block by block.

A transformer in a finite arithmetic without absolute positions is a finite machine over its tokens. The
extraction builds Moore machines: deterministic automata with a label on each state (`moore`). Label 0 means *no
output*, and the other labels number vectors, outputs of heads or answers. State 0 is the start.

**Stream** (`stream`, `whole`). After each block a *union* of machines labels every input with 1 + the number of the
vector at its last position: after each input exactly one machine of the union has a label above 0. The embedding is the
first union. A position table is unrolled in time. The last union labels inputs with answers instead of vectors.

**Classes of queries** (`scores`). For all vectors that can stand in the stream, the scores of each query with each key
are a finite table, for each *age* of a key, i.e. its distance from the query. Queries with the same weights form a
class. A key is known to a class by its label: its score and value, as far as they matter.

**Normaliser guess** (`folds`, `guesses`, `equal_parts`). The weight of a key depends on all keys: on the largest score,
on Σ exp(score), on the number of maxima. This *normaliser* is a fold over the keys with finitely many values. For each
final value that it can have (the guess) all weights are constants, so Σ weight ⊗ value is a fold too, through tables of
rounded sums. The two folds together are a *reading*. After each input exactly one guess is right.

**Product construction** (`walk`). A *view* is a machine that labels an input with the part of the key labels that its
last vector belongs to (the subset of the stream's distinctions that the class needs). The product of the view with a
reading gives the machine of the class and the guess: it labels an input with what the head adds to the stream, and with
0 where the last vector is not in the class or the guess is wrong. Keys younger than the last age wait in a window.

**Blocks** (`blocks`). For each class and each guess of each head, the product of the heads' machines labels the input
with all that is added; feed-forward and norms are functions of that. All arithmetic is that of the semantics.

**Contexts** (`contexts`). Under a full mask, what heads add at every position depends on the whole input. A machine
says these results for each input, and the next block is followed once for each combination of results.

**Minimisation** (`exploring`, `loops`, `compiled`). Each product explores reachable states only and is minimised at
once: Moore's equivalence, computed by Hopcroft's partition refinement, in loops that Numba compiles. States whose later
outcome cannot differ are merged earlier (`outcomes`): sums with the same effect on the decision, weights whose every
sum has the same outcome.

**Limits** (`limits`, `budget`). Thresholds decide which of two equivalent ways is taken, or when to give up. A budget
of seconds, states and bytes stops the extraction with `UnknownError`: then nothing is claimed.

**Trace** (`trace`). The machines of each step are the proof that `weightsmith/verify.py` checks; it shares no code with
this package. `search` finds the first input on which two unions differ.
"""

from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.one_automaton import automaton
from weightsmith.automata.extraction.whole import Decisions, check_possible, extract
from weightsmith.errors import UnknownError

__all__ = ["Budget", "Decisions", "UnknownError", "automaton", "check_possible", "extract"]
