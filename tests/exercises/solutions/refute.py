"""A solution of exercise 10."""

import weightsmith as ws

exercise = 10

recogniser = ws.library.parity()  # in Fixed(4, 4); look into it with print(ws.run(recogniser, "0110"))

answer = "1" * 16
