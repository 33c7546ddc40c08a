"""From programs to weights. That they compute the program is shown by `programs.proof`, which imports nothing of this.

    forms         linear forms over what the stream holds, in whole numbers, with the codes that they can have
    symbols       what a sequence operation is: a linear form, a mean kept as sum and count, or a table of classes
    pointwise     functions of symbols
    pairs         selectors as conditions on differences between query and key
    boundaries    selectors as sums of saturated heads: one for each boundary
    counting      how many positions a selector selects at least and at most
    neurons       piecewise linear functions as neurons
    coding        tables as codes in lanes: by embedding, by sums of neurons, by one or two feed-forward layers
    walk          a program, node by node
    placing       which block computes what, and which lane holds it
    weights       the transformer in an arithmetic
    stating       what all of this is, for the proof

Everything is in whole numbers until `weights`: a value p/q is held times a scale.
"""
