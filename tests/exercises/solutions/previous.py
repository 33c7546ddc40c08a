"""A solution of exercise 3."""

import weightsmith as ws

exercise = 3

A = ws.Fixed(4, 4)
lanes = ("a", "b", "was a")

head = ws.heads.previous(lanes, {"a": "was a"}, A)

answer = ws.Transformer(
    arithmetic=A,
    vocabulary="ab",
    lanes=lanes,
    embedding=ws.matrix("ab", lanes, {("a", "a"): 1, ("b", "b"): 1}),
    blocks=[ws.Block(ws.Attention([head]))],
    output=ws.matrix(["NO", "YES"], lanes, {("YES", "was a"): 1}),
)
