"""A solution of exercise 4."""

import weightsmith as ws

exercise = 4

A = ws.Fixed(4, 4)
lanes = ("a", "b", "first a", "out")

head = ws.heads.first(lanes, {"a": "first a"})
neuron = ws.Neuron(reads={"b": 1, "first a": 1}, writes={"out": 1}, bias=-1)

answer = ws.Transformer(
    arithmetic=A,
    vocabulary="ab",
    lanes=lanes,
    embedding=ws.matrix("ab", lanes, {("a", "a"): 1, ("b", "b"): 1}),
    blocks=[ws.Block(ws.Attention([head]), ws.feed_forward(lanes, [neuron]))],
    output=ws.matrix(["NO", "YES"], lanes, {("YES", "out"): 1}),
)
