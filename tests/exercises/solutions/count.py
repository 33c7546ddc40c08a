"""A solution of exercise 7."""

import weightsmith as ws

exercise = 7

A = ws.Fixed(4, 4)
lanes = ("1", "count", "out")

head = ws.heads.count(lanes, "1", "count", A)
neuron = ws.Neuron(reads={"count": 1}, writes={"out": 1}, bias=-2)

answer = ws.Transformer(
    arithmetic=A,
    vocabulary="01",
    lanes=lanes,
    embedding=ws.matrix("01", lanes, {("1", "1"): 1}),
    blocks=[ws.Block(ws.Attention([head]), ws.feed_forward(lanes, [neuron]))],
    output=ws.matrix(["NO", "YES"], lanes, {("YES", "out"): 1}),
)
