"""A solution of exercise 6."""

import weightsmith as ws

exercise = 6

A = ws.Fixed(4, 4)
lanes = ("a", "b", "was a", "ab here", "ab seen")

before = ws.heads.previous(lanes, {"a": "was a"}, A)
mark = ws.Neuron(reads={"b": 1, "was a": 1}, writes={"ab here": 1}, bias=-1)

answer = ws.Transformer(
    arithmetic=A,
    vocabulary="ab",
    lanes=lanes,
    embedding=ws.matrix("ab", lanes, {("a", "a"): 1, ("b", "b"): 1}),
    blocks=[
        ws.Block(ws.Attention([before]), ws.feed_forward(lanes, [mark])),
        ws.Block(ws.Attention([ws.heads.where(lanes, "ab here", {"ab here": "ab seen"}, A)])),
    ],
    output=ws.matrix(["NO", "YES"], lanes, {("YES", "ab seen"): 1}),
)
