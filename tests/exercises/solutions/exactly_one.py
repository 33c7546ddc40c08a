"""A solution of exercise 2."""

import weightsmith as ws

exercise = 2

A = ws.Fixed(4, 4)
vocabulary = ("none", "left", "right", "both")
lanes = ("left", "right", "out")

neurons = [
    ws.Neuron(reads={"left": 1, "right": -1}, writes={"out": 1}),
    ws.Neuron(reads={"right": 1, "left": -1}, writes={"out": 1}),
]

answer = ws.Transformer(
    arithmetic=A,
    vocabulary=vocabulary,
    lanes=lanes,
    embedding=ws.matrix(
        vocabulary,
        lanes,
        {("left", "left"): 1, ("right", "right"): 1, ("both", "left"): 1, ("both", "right"): 1},
    ),
    blocks=[ws.Block(feed_forward=ws.feed_forward(lanes, neurons))],
    output=ws.matrix(["NO", "YES"], lanes, {("YES", "out"): 1}),
)
