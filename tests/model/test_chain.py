"""What a chain is, and what is refused."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.model import digest

T = ws.library.parity_chain(max_length=4).transformer
LEARNED = ws.random_transformer(vocabulary="01", lanes=4, blocks=1, max_length=8, seed=0)
TABLE = replace(LEARNED, classes=("0", "1"))


def chain(**fields: Any) -> ws.Chain:
    return ws.Chain(T, **{"prompt": "=", "steps": 4, **fields})


def test_its_fields_are_tuples_and_its_answers_follow_the_classes() -> None:
    C = chain(answers={"1": "YES", "0": "NO"})
    assert (C.prompt, C.until, C.inputs, C.answers) == (("=",), (), ("0", "1"), (("0", "NO"), ("1", "YES")))
    assert (C.classes, C.vocabulary, C.max_length) == (("NO", "YES"), ("0", "1"), None)
    assert C.answer_id("YES") == 1
    assert C.answer_at(1) == "YES"
    assert [C.answer_id(other) for other in ("0", 1, ("YES",), None)] == [None] * 4


def test_several_outputs_are_a_tuple() -> None:
    C = chain(outputs=3)
    assert C.classes[:2] == (("0", "0", "0"), ("0", "0", "1"))
    assert [C.answer_id(answer) for answer in C.classes] == list(range(8))
    assert [C.answer_at(i) for i in range(8)] == list(C.classes)
    assert C("0111") == C.run("0111").generated[-3:]


@pytest.mark.parametrize("C", [chain(), chain(steps="2*n + 1"), chain(steps=(3, 4, 5)), chain(until="1", steps=None)])
def test_copies_files_and_pickles_are_equal_and_have_the_same_digest(C: ws.Chain, tmp_path: Path) -> None:
    ws.save(C, tmp_path / "chain.safetensors")
    for other in (ws.load(tmp_path / "chain.safetensors"), pickle.loads(pickle.dumps(C)), deepcopy(C), replace(C)):
        assert type(other) is ws.Chain
        assert other == C
        assert digest(other) == digest(C)


def test_each_field_is_part_of_what_is_compared() -> None:
    C = chain(answers={"0": "NO", "1": "YES"})
    others = [
        chain(answers={"0": "YES", "1": "NO"}),
        chain(answers={"0": "NO", "1": "YES"}, steps=5),
        chain(answers={"0": "NO", "1": "YES"}, prompt=""),
        chain(answers={"0": "NO", "1": "YES"}, inputs="10"),
        chain(answers={"0": "NO", "1": "YES"}, max_length=4),
        chain(answers={"0": "NO", "1": "YES"}, outputs=2),
        replace(C, transformer=ws.library.parity_chain(max_length=5).transformer),
    ]
    assert len({digest(one) for one in (C, *others)}) == 8
    assert all(other != C for other in others)


def test_a_function_of_the_length_becomes_a_table_where_positions_end() -> None:
    C = ws.Chain(TABLE, steps=lambda n: 2 * n, inputs="01")
    assert C.steps == (0, 2, 4, 6)
    assert C.max_length == max(n for n in range(1, 9) if n + 2 * n - 1 <= 8)


def test_a_formula_is_read_without_running_code() -> None:
    assert [chain(steps="2*n**2 - n//2 + 1").steps_for(n) for n in (1, 2, 5)] == [3, 8, 49]
    for text in ("n.real", "__import__('os')", "n if n else 1", "1e9", "n**99", "(" * 300, "f(n)", "-n", ""):
        with pytest.raises(ws.ModelError, match="^steps="):
            chain(steps=text).steps_for(3)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no transformer": (lambda: ws.Chain(7, steps=1), "^a chain needs a transformer, and 7 is none"),  # type: ignore[arg-type]
    "classes": (lambda: ws.Chain(LEARNED, steps=1), "^a chain writes its decisions as tokens, and the class 'NO'"),
    "prompt": (lambda: chain(prompt="x"), "^prompt has 'x', which is not in the vocabulary: write 0, 1, =$"),
    "a prompt that is no text": (lambda: chain(prompt=5), r"^prompt=5: write tokens, such as prompt=\('='"),
    "until": (lambda: chain(until="="), "^until has =, which the transformer never writes"),
    "nothing ends it": (lambda: chain(steps=None), "^nothing ends the chain: write steps=8"),
    "0 steps": (lambda: chain(steps=0), "^steps=0: write 1 to 65,536"),
    "negative": (lambda: chain(steps=-3), "^steps=-3: write 1 to 65,536"),
    "a half": (lambda: chain(steps=1.5), "^steps=1.5: write 1 to 65,536"),
    "True": (lambda: chain(steps=True), "^steps=True: write 1 to 65,536"),
    "a function that returns a text": (
        lambda: ws.Chain(TABLE, steps=lambda n: "x", inputs="01"),  # type: ignore[arg-type, return-value]
        "^steps is 'x' for inputs of length 1",
    ),
    "inputs": (lambda: chain(inputs="2"), "^inputs has '2', which is not in the vocabulary"),
    "inputs twice": (lambda: chain(inputs="00"), "^inputs='00': write the tokens of inputs, at least one, each once"),
    "no input left": (lambda: ws.Chain(TABLE, until="01", steps=3), "^no token is left for inputs"),
    "answers lack one": (lambda: chain(answers={"0": "NO"}), "^answers lacks 1, which can be"),
    "answers of others": (lambda: chain(answers={"=": "NO"}), "^answers has '=', which is never the last token"),
    "answers that are numbers": (lambda: chain(answers={"0": 0, "1": 1}), "^the answer 0 of 0 is not a text"),
    "answers that are a number": (lambda: chain(answers=5), "^answers=5: write what each last token stands for"),
    "outputs and until": (lambda: chain(outputs=2, until="1"), "^outputs=2 with until=…: before a token that ends"),
    "outputs": (lambda: chain(outputs=0), "^outputs=0: "),
    "too many steps for the table": (
        lambda: ws.Chain(TABLE, steps=9, inputs="01"),
        "^the position table holds 8 tokens, too few",
    ),
    "a truth value": (lambda: bool(chain()), "^a chain is not a truth value: write C & D"),
    "a transformer beside": (lambda: chain() & T, "^a chain can be composed with a chain, not with Transformer"),  # type: ignore[operator]
    "run": (lambda: ws.run(chain(), "01"), "^a Chain is not a transformer: write .transformer for the one in it$"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_meant_is_refused_by_name(what: str) -> None:
    build, words = REFUSED[what]
    with pytest.raises((ws.WeightsmithError, TypeError), match=words):
        build()


def test_a_file_holds_no_python_function(tmp_path: Path) -> None:
    C = chain(steps=lambda n: n + 1)
    assert C.run("01").generated == chain(steps=3).run("01").generated
    with pytest.raises(ws.FileError, match="its steps are a Python function, which a file cannot hold: write steps="):
        ws.save(C, tmp_path / "chain.safetensors")
    with pytest.raises(ws.ModelError, match="a Python function, which has no digest"):
        digest(C)
