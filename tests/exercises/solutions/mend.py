"""A solution of exercise 8."""

import weightsmith as ws

exercise = 8

A = ws.Fixed(4, 4)
lanes = ("a", "b", "1 back a", "2 back a", "out")

one_back = ws.heads.at_distance(lanes, 1, {"a": "1 back a"}, A)
two_back = ws.heads.at_distance(lanes, 2, {"a": "2 back a"}, A)
neuron = ws.Neuron(reads={"b": 1, "1 back a": 1, "2 back a": 1}, writes={"out": 1}, bias=-2)

answer = ws.Transformer(
    arithmetic=A,
    vocabulary="ab",
    lanes=lanes,
    embedding=ws.matrix("ab", lanes, {("a", "a"): 1, ("b", "b"): 1}),
    blocks=[ws.Block(ws.Attention([one_back, two_back]), ws.feed_forward(lanes, [neuron]))],
    output=ws.matrix(["NO", "YES"], lanes, {("YES", "out"): 1}),
)
