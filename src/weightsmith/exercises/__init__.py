"""Exercises: ten tasks from one neuron to an induction head, graded by claims about every input.

`print(ws.exercises.exercise(1))` shows a task, `ws.exercises.exercise(1).check(T)` grades an answer. `grade_file` and
`grade_folder` run the files of students in processes with limits.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
