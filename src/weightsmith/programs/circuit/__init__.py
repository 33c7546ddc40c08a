"""The circuit that every compiler plans, and that becomes weights.

    forms       linear forms over token, position and cells, in whole numbers, with the codes that they can have
    selections  selections of pairs of positions, as conditions on differences between query and key
    neurons     piecewise linear functions as neurons
    circuit     cells, heads of three kinds (sum, mean, one key), layers of neurons, outputs; liveness
    assembly    the lane of every form that is read; rows of weights over lanes, as a transformer

Everything is in whole numbers until a back end lowers heads and neurons to rows: a value p/q is held times a scale.
"""
