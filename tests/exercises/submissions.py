"""Submissions: solutions, wrong ones made of them by an edit, and hostile ones."""

from pathlib import Path
from typing import NamedTuple

SOLUTIONS = {path.stem: path.read_text() for path in Path(__file__).with_name("solutions").glob("[a-z]*.py")}


class Wrong(NamedTuple):
    """A wrong submission, and its grade: a counterexample, or the beginning of the message."""

    solution: str
    old: str
    new: str
    counterexample: str | None = None
    message: str = ""
    points: int = 0

    @property
    def source(self) -> str:
        text = SOLUTIONS[self.solution]
        assert self.old in text, self
        return text.replace(self.old, self.new)


MODEL = "answer = ws.Transformer("
WRONG = {
    # refuted
    "no-threshold": Wrong("neuron", "bias=-1", "bias=0", "left"),
    "threshold-too-high": Wrong("neuron", "bias=-1", "bias=-2", "both"),
    "reads-one-lane": Wrong("neuron", '"left": 1, "right": 1}, writes', '"right": 2}, writes', "right"),
    "says-no-always": Wrong("neuron", '("YES", "out"): 1', '("NO", "out"): 1', "both"),
    "one-neuron-missing": Wrong(
        "exactly_one", '    ws.Neuron(reads={"left": 1, "right": -1}, writes={"out": 1}),\n', "", "left"
    ),
    "or-instead-of-one": Wrong("exactly_one", "-1}", "0}", "both"),
    "cancels-itself": Wrong("exactly_one", 'writes={"out": 1}', 'writes={"out": -1}', "left"),
    "two-back": Wrong("previous", "previous(lanes,", "at_distance(lanes, 2,", "aa"),
    "this-token": Wrong("previous", "previous(lanes,", "at_distance(lanes, 0,", "a"),
    "first-instead": Wrong(
        "previous", 'ws.heads.previous(lanes, {"a": "was a"}, A)', 'ws.heads.first(lanes, {"a": "was a"})', "a"
    ),
    "either-is-enough": Wrong("first_and_last", "bias=-1", "bias=0", "a"),
    "previous-instead": Wrong(
        "first_and_last",
        'ws.heads.first(lanes, {"a": "first a"})',
        'ws.heads.previous(lanes, {"a": "first a"}, A)',
        "abb",
    ),
    "wrong-capital": Wrong("facts", '{"Rome": 1}', '{"Paris": 1}', "Italy capital"),
    "half-a-key": Wrong("facts", 'writes={"Paris": 1}, bias=-1', 'writes={"Paris": 1}', "capital"),
    "a-fact-missing": Wrong(
        "facts",
        '    ws.Neuron(reads={"language": 1, "of Italy": 1}, writes={"Italian": 1}, bias=-1),\n',
        "",
        "Italy language",
    ),
    "ends-with": Wrong("contains", '("YES", "ab seen")', '("YES", "ab here")', "aba"),
    "averages": Wrong(
        "contains",
        'where(lanes, "ab here", {"ab here": "ab seen"}, A)',
        'mean(lanes, {"ab here": "ab seen"})',
        "a" * 30 + "ab",
    ),
    "marks-ba": Wrong("contains", 'reads={"b": 1,', 'reads={"a": 1,', "aa"),
    "at-least-two": Wrong("count", "bias=-2", "bias=-1", "11"),
    "at-least-four": Wrong("count", "bias=-2", "bias=-3", "111"),
    "averages-again": Wrong("count", 'count(lanes, "1", "count", A)', 'mean(lanes, {"1": "count"})', "111"),
    "half-mended": Wrong("mend", "bias=-2", "bias=-1", "ab"),
    "other-half-mended": Wrong("mend", "at_distance(lanes, 2", "at_distance(lanes, 1", "ab"),
    "leftmost": Wrong("induction", "RightmostHard", "LeftmostHard", "aaba"),
    "average": Wrong("induction", "RightmostHard", "AverageHard", "aaba"),
    "key-is-the-token": Wrong("induction", 'f"was {token}"): 1', "token): 1", "aba"),
    "no-counterexample": Wrong("refute", '"1" * 16', '"1" * 15', message="no counterexample: on '111111111111111'"),
    # right, but not for all points
    "too-many-neurons": Wrong(
        "neuron",
        "[neuron]",
        "[neuron, neuron]",
        message="proved for all lengths, but too large: 2 neurons, at most 1",
        points=5,
    ),
    "a-longer-counterexample": Wrong(
        "refute",
        '"1" * 16',
        '"1" * 18',
        message="a counterexample: it says YES, and NO is right; there is one of 16 tokens",
        points=5,
    ),
    # errors with a name
    "syntax": Wrong("neuron", "answer = ", "answer == = ", message="line 13: SyntaxError: invalid syntax"),
    "unknown-lane": Wrong(
        "neuron",
        '{"left": 1, "right": 1}',
        '{"lift": 1}',
        message="line 22: ModelError: neuron 0 reads the lane lift, which is not there: did you mean left?",
    ),
    "unknown-name": Wrong("previous", "ws.heads.previous", "ws.heads.before", message="line 10: AttributeError: "),
    "no-answer": Wrong("count", "answer", "result", message="it defines no answer: write answer = … at the end"),
    "a-neuron-as-answer": Wrong(
        "neuron",
        MODEL,
        "answer = neuron\nresult = ws.Transformer(",
        message="answer is a Neuron: write answer = ws.Transformer(…)",
    ),
    "nothing-as-answer": Wrong(
        "mend", MODEL, "answer = None\nresult = ws.Transformer(", message="answer is nothing: write"
    ),
    "other-vocabulary": Wrong(
        "previous", '"ab"', '"abc"', message="the vocabulary is a, b, c: write the tokens a, b, in this order"
    ),
    "other-classes": Wrong(
        "count",
        '"out"): 1}),\n',
        '"out"): 1}),\n    classes=["YES", "NO"],\n',
        message="the classes are YES, NO: write",
    ),
    "other-arithmetic": Wrong(
        "count", "ws.Fixed(4, 4)", "ws.Fixed(8, 8)", message="the arithmetic is fixed(8,8): write ws.Fixed(4, 4)"
    ),
    "full-mask": Wrong(
        "first_and_last", 'vocabulary="ab",', 'vocabulary="ab",\n    mask="full",', message="the mask is full: write"
    ),
    "a-position-table": Wrong(
        "neuron",
        "lanes=lanes,",
        "lanes=lanes,\n    positions=ws.PositionTable([[0.0] * 3] * 5),",
        message="the model reads at most 5 tokens",
    ),
    "unknown-tokens": Wrong("refute", '"1" * 16', '"12"', message="token 1 of the input, 2, is not in the vocabulary"),
    "a-number": Wrong("refute", '"1" * 16', "16", message="answer is an int: write an input"),
    "no-such-exercise": Wrong(
        "refute", "exercise = 10", "exercise = 11", message="there is no exercise 11: write a number from 1 to 10"
    ),
    "no-exercise": Wrong(
        "refute", "exercise = 10", "", message="it does not say which exercise it answers: write exercise = 3"
    ),
    "recursion": Wrong(
        "neuron",
        MODEL,
        "def again():\n    return again()\n\n\nagain()\nanswer = ws.Transformer(",
        message="line 14: RecursionError",
    ),
}
REFUTED = {name: wrong for name, wrong in WRONG.items() if wrong.counterexample is not None}

BEGIN = "import weightsmith as ws\nexercise = 1\n"
VICTIM = "{victim}"  # a file that hostile code tries to remove or change
HOSTILE = {  # what the code does, and how the message begins
    "loops": ("while True:\n    pass", "it computes for more than 1 s"),
    "ten-gigabytes": ("x = bytearray(10 << 30)", "line 3: it needs more memory than it may use"),
    "prints-forever": ("while True:\n    print('x' * 1000)", "it prints more than 1,048,576 bytes"),
    "deletes": ("import os\nos.remove({victim!r})", "line 4: NotAllowedError: it may not change"),
    "overwrites": ("open({victim!r}, 'w').write('gone')", "line 3: NotAllowedError: it may not write to"),
    "deletes-by-c": (
        "import ctypes\nC = ctypes.CDLL(None)\nname = {victim!r}.encode()\n"
        "raise RuntimeError([C.unlink(name), C.chmod(name, 0), C.open(name, 1), C.open(name, 0), C.fork(), "
        "C.socket(2, 1, 0), C.kill(1, 0), C.rename(name, b'mine')])",
        "line 6: RuntimeError: [-1, -1, -1, -1, -1, -1, -1, -1]",
    ),
    "forks": ("import os\nwhile True:\n    os.fork()", "line 5: NotAllowedError: it may not start a process"),
    "starts-rm": ("import subprocess\nsubprocess.run(['rm', {victim!r}])", "line 4: NotAllowedError: it may not start"),
    "uses-the-network": ("import socket\nsocket.socket()", "line 4: NotAllowedError: it may not use the network"),
    "kills-the-grader": ("import os\nos.kill(os.getppid(), 9)", "line 4: NotAllowedError: it may not send signals"),
    "raises-its-limits": ("import resource\nresource.setrlimit(7, (1 << 20, 1 << 20))", "line 4: ValueError"),
    "exits": ("import os\nprint('10 of 10 points')\nos._exit(0)", "it ends without an answer"),
    "exits-politely": ("import sys\nsys.exit()", "line 4: it ends itself with sys.exit"),
    "crashes": ("import ctypes\nctypes.string_at(0)", "it was ended by SIGSEGV: a memory error in native code"),
    "replaces-the-check": (
        "import weightsmith.exercises.grade as grade\ngrade.Grade.points = 10\n"
        "ws.check = lambda *anything: True\nexec(ws.exercises.exercise(1).template)",
        "refuted by left, the shortest",
    ),
    "writes-a-grade": (
        "import os\nfor name in ('answer', 'report.json'):\n"
        '    open(name, \'w\').write(\'{{"points": 10, "result": "right"}}\')\nos._exit(0)',
        "cannot read 'the answer'",
    ),
    "links-an-answer": ("import os\nos.symlink({victim!r}, 'answer')\nos._exit(0)", "line 4: NotAllowedError"),
    "fills-the-disk": (
        "for n in range(10**6):\n    with open(str(n), 'wb') as file:\n        file.write(bytes(1 << 22))",
        "it writes more than 67,108,864 bytes",
    ),
    "reads-others": ("raise RuntimeError(open({victim!r}).read())", "line 3: PermissionError"),
    "an-error-that-fails": (
        "class Bad(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Bad",
        "line 6: Bad:",
    ),
    "binary": ("\0\0", ""),
}
