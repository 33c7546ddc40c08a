"""A solution of exercise 1."""

import weightsmith as ws

exercise = 1

A = ws.Fixed(4, 4)
vocabulary = ("none", "left", "right", "both")
lanes = ("left", "right", "out")

neuron = ws.Neuron(reads={"left": 1, "right": 1}, writes={"out": 1}, bias=-1)

answer = ws.Transformer(
    arithmetic=A,
    vocabulary=vocabulary,
    lanes=lanes,
    embedding=ws.matrix(
        vocabulary,
        lanes,
        {("left", "left"): 1, ("right", "right"): 1, ("both", "left"): 1, ("both", "right"): 1},
    ),
    blocks=[ws.Block(feed_forward=ws.feed_forward(lanes, [neuron]))],
    output=ws.matrix(["NO", "YES"], lanes, {("YES", "out"): 1}),
)
