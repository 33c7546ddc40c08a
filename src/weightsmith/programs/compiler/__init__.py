"""From programs to circuits, and to weights that saturate. `programs.proof` proves them, and imports nothing of this.

    passes        compile: parse, simplify, plan, place, assemble, prove
    needs         the first pass: what a program needs of every mean
    planner       a program, node by node
    symbols       a sequence operation: a linear form, a mean kept as sum and count, or a table of classes
    pointwise     functions of symbols
    tables        functions of tables
    selecting     selects as conditions on differences between query and key
    boundaries    selections as sums of saturated heads: one for each boundary
    splitting     selects of several things as selects of one thing each
    placing       which positions must or may be selected, as far as the position decides it
    numbering     cells whose numbers tell positions apart
    alone         at most one and at least one position, by places and ranks
    counting      the number of positions that a selection selects, at least and at most
    gathering     aggregates and widths as sums over selected positions
    halves        means that are compared with whole numbers
    coding        tables as codes in lanes: by embedding, by sums of neurons, by one or two feed-forward layers
    lowering      a circuit of sums as a transformer in an arithmetic, the smallest that can be proved
    stating       the statement for the proof
    compiled      the result: a transformer with its program and proof

A program becomes a `circuit.Circuit`, in whole numbers.
"""
