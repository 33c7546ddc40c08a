"""A solution of exercise 9."""

import weightsmith as ws

exercise = 9

A = ws.Fixed(4, 4)
tokens = ("a", "b", "c")
lanes = (*tokens, "was a", "was b", "was c", "next a", "next b", "next c")

before = ws.heads.previous(lanes, {token: f"was {token}" for token in tokens}, A)
induction = ws.Head(
    W_Q=ws.matrix(tokens, lanes, {(token, token): 1 for token in tokens}),
    W_K=ws.matrix(tokens, lanes, {(token, f"was {token}"): 1 for token in tokens}),
    W_V=ws.matrix(tokens, lanes, {(token, token): 1 for token in tokens}),
    W_O=ws.matrix(lanes, tokens, {(f"next {token}", token): 1 for token in tokens}),
    weighting=ws.RightmostHard(),
)

answer = ws.Transformer(
    arithmetic=A,
    vocabulary=tokens,
    lanes=lanes,
    embedding=ws.matrix(tokens, lanes, {(token, token): 1 for token in tokens}),
    blocks=[ws.Block(ws.Attention([before])), ws.Block(ws.Attention([induction]))],
    output=ws.matrix(tokens, lanes, {(token, f"next {token}"): 1 for token in tokens}),
    classes=tokens,
)
