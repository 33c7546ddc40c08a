"""The proof that weights compute a program: a checker of its own, which imports nothing of the compiler.

The compiler states what each part of a program is in the weights; nothing of that is believed.

    statement   what is stated: cells, lanes, heads, neurons, and how each part of the program is held
    space       linear forms over token, position and cells, and the numbers that they can be
    holding     how a value is held: a form, a sum with its count, or a table of forms
    grid        forms and tables, evaluated over all numbers that they can be together
    selectors   which pairs of positions are selected, and that heads select just these
    counting    how many positions a selector selects
    asking      what functions give, and the tables that stand for them in a certificate
    linear      sums and multiples of numbers and means
    cells       the numbers that cells can be, found from below
    functions   pointwise functions
    selects     selectors
    aggregates  counts, single values, means
    meaning     node by node: what is stated is what the program means
    weights     sublayer by sublayer: the weights do what is stated, and nothing is rounded
    certificate the lemmas, the model's digest, and the statement with its program
    writing     a statement as data
    reading     and data as a statement, read with suspicion
    same        whether a given program is that of a certificate
    replay      a certificate, derived again for a model
"""
