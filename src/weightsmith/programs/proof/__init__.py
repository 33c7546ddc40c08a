"""The proof that weights compute a program: a checker of its own, which imports nothing of the compiler.

The compiler states what each part of a program is in the weights; nothing of that is believed.

    statement   what is stated: cells, lanes, heads, neurons, and how each part of the program is held
    space       linear forms over token, position and cells, and the numbers that they can be
    holding     how a value is held: a form, a sum with its count, or a table of forms
    grid        forms and tables, evaluated over all numbers that they can be together
    selectors   which pairs of positions are selected, and that heads select just these
    counting    how many positions a selector selects
    meaning     node by node: what is stated is what the program means
    weights     sublayer by sublayer: the weights do what is stated, and nothing is rounded
    portable    the meaning alone, for weights that are proved by margins
    certificate the statement with the program, as data that is read with suspicion
    replay      a certificate, checked again against a model
"""
