"""Proofs that weights compute a program or decide a formula: a checker that imports nothing of the compilers.

The compiler states what each node of a program is in the weights. Nothing of that is believed.

    statement       what is stated: cells, lanes, heads, neurons, and how each node of the program is held
    space           linear forms over token, position and cells, and the numbers that they can be
    holding         how a value is held: a form, a sum with its count, or a table of forms
    axes, grid      forms and tables, evaluated over all numbers that they can be together
    selectors       which pairs of positions are selected, and that heads select just these
    together        forms evaluated for all combinations of token, position and sums
    between         which positions a query at each position must and may select
    places          what follows from that, and from ranks: at most one, at least one
    counting        how many positions a selector selects
    asking          the results of functions, and the tables that stand for them in a certificate
    linear          sums and multiples of numbers and means
    cells           the numbers that cells can be, computed bottom-up
    functions       pointwise functions
    selects         selectors
    sums            sums over the selected positions
    aggregates      counts, single values, means
    meaning         node by node: the statement gives what the program means
    heads           the forms of all lanes, read off the weights; heads select as stated
    weights         sublayer by sublayer: the weights do what is stated, and nothing is rounded; with the readout
    formulas        the proof of a temporal formula, for all lengths, over `formula_cases`
    certificate     the lemmas, the model's digest, and the statement with its program
    parsing         checked values from untrusted data
    program_data    a program as data, and back
    writing, reading  a statement as data, and back
    same            whether a program is that of a certificate
    replay          a certificate, derived again for a model

Glossary:

- **cell**: a number at every position that a sublayer writes: a sum over selected positions, or a sum of neurons.
- **form**: an affine function of token, position and cells, with integer coefficients.
- **holding**: the encoding of a value: a form, a sum with its count, or a table of forms.
- **pairs**: the pairs (query, key) of a selector, as a Boolean combination of conditions on query − key.
- **kink**: a ReLU neuron that reads one form: its direction, its offset, and its slope in the sum.
"""
