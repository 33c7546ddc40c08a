"""The softmax back end: transformers that need no saturation, with plain softmax attention as in every other tool.

    passes        from a program to its transformer and margins
    planner       a program, node by node
    selection     selectors as classes of keys and queries, and scores that distinguish them
    averages      means over equal scores, and the number of selected positions
    gathering     aggregates: single values and means, or the default
    steps         functions as steps with plateaus: a small error in the input gives no error in the output
    slopes        steps whose plateaus are not flat, for gradients
    lowering      a circuit of means as a transformer
    rounding      the machine types, and the error bounds of sums in each
    margins       error bounds of every lane, and the margins that they leave on every plateau
    sharpness     how sharp scores and steps must be where gradients are to pass
    proof         the margins of machine types as lemmas

A head gives the mean over the selected positions, and where nothing is selected the mean over all. The number of
selected positions is read from the weight of one position that is always among them.
"""
