"""Programs as transformers that need no saturation: plain softmax attention, as every other tool has it.

    plan          what heads average and what layers write
    selection     selectors as classes of keys and queries, of which a head tells apart all that matters
    averages      means over equal scores, and how many positions are selected
    gathering     aggregates: single values and means, or the default
    walk          a program, node by node
    steps         functions as steps with plateaus: what comes in a little wrong goes out right
    weights       the transformer
    rounding      the machine types, and how far a sum may be off in each
    margins       how far every lane may be from what it stands for, and what that leaves of every plateau
    proof         the margins of machine types as lemmas

A head here gives the mean over the selected positions, and where nothing is selected the mean over all. The number of
selected positions is read from the weight of one position that is always among them.
"""
