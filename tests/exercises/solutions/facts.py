"""A solution of exercise 5."""

import weightsmith as ws

exercise = 5

A = ws.Fixed(4, 4)
vocabulary = ("France", "Italy", "capital", "language")
classes = ("unknown", "Paris", "Rome", "French", "Italian")
lanes = (*vocabulary, "of France", "of Italy", *classes[1:])

head = ws.heads.previous(lanes, {"France": "of France", "Italy": "of Italy"}, A)
facts = [
    ws.Neuron(reads={"capital": 1, "of France": 1}, writes={"Paris": 1}, bias=-1, name="the capital of France"),
    ws.Neuron(reads={"capital": 1, "of Italy": 1}, writes={"Rome": 1}, bias=-1),
    ws.Neuron(reads={"language": 1, "of France": 1}, writes={"French": 1}, bias=-1),
    ws.Neuron(reads={"language": 1, "of Italy": 1}, writes={"Italian": 1}, bias=-1),
]

answer = ws.Transformer(
    arithmetic=A,
    vocabulary=vocabulary,
    lanes=lanes,
    embedding=ws.matrix(vocabulary, lanes, {(token, token): 1 for token in vocabulary}),
    blocks=[ws.Block(ws.Attention([head]), ws.feed_forward(lanes, facts))],
    output=ws.matrix(classes, lanes, {(name, name): 1 for name in classes[1:]}),
    classes=classes,
)
