"""Chains in other tools write the same tokens, and the report compares whole chains."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline

import weightsmith as ws
from tests.export.hub import offline
from tests.inspect.test_chains import random_chain
from weightsmith import export
from weightsmith.errors import ExportError, FileError
from weightsmith.export.chains import measure
from weightsmith.model.digest import digest

PARITY = ws.library.parity_chain(max_length=4)
PROGRAM: Any = ws.programs.compile_rasp(
    'x = ("b" if tokens == "a" else "a");', vocabulary="ab", max_length=8, causal=True
)
BY_TOKENS = {("even", "0"): "even", ("even", "1"): "odd", ("odd", "0"): "odd", ("odd", "1"): "even"}


def counted() -> ws.Chain:
    """Return a chain whose steps depend on the length of the input."""
    return replace(PARITY, steps="2*n - 1", max_length=5)


def chains() -> dict[str, ws.Chain]:
    other_order = replace(PARITY.transformer, classes=("1", "0"), output=PARITY.transformer.output[::-1].copy())
    return {
        "a number of steps": PARITY,
        "steps by length": counted(),
        "until": replace(PARITY, until="1", inputs="01", answers={"1": "YES"}, steps=7),
        "until, as many as fit": ws.Chain(PROGRAM, until="b", inputs="a"),
        "several outputs": replace(PARITY, outputs=2),
        "classes in another order": replace(PARITY, transformer=other_order, answers={"1": "YES", "0": "NO"}),
        "a readout": ws.Chain(PROGRAM, steps=3, inputs="ab"),
        "a readout, until": ws.Chain(PROGRAM, steps=4, until="b", inputs="a"),
        "a circuit": ws.programs.compile_circuit([("xor", 0, 1), ("xor", 2, 3)], inputs=3),
    }


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with offline(tmp_path_factory.mktemp("modules")) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "MOST_INPUTS", 62)
        patch.setattr(measure, "RANDOM_INPUTS", 3)
        yield folder


def opened(folder: Path) -> tuple[Any, Any]:
    options = {"trust_remote_code": True}
    return AutoModelForCausalLM.from_pretrained(folder, **options).eval(), AutoTokenizer.from_pretrained(
        folder, **options
    )


def inputs(C: ws.Chain, up_to: int = 3) -> list[str]:
    lengths = range(C.min_length or 1, (C.min_length or up_to) + 1)
    join = " " if any(len(token) > 1 for token in C.transformer.vocabulary) else ""
    return [join.join(tokens) for n in lengths for tokens in product(C.vocabulary, repeat=n)]


@pytest.mark.parametrize("name", chains())
def test_generate_writes_the_tokens_of_the_chain(name: str, tmp_path: Path) -> None:
    C = chains()[name]
    report = export.to_hugging_face(C, tmp_path / "chain")
    assert report.agrees
    assert report.by == "generate"
    assert report.different_answers == 0
    model, tokenizer = opened(tmp_path / "chain")
    join = " " if any(len(token) > 1 for token in C.transformer.vocabulary) else ""
    for word in inputs(C):
        ids = tokenizer(join.join(filter(None, [word, join.join(C.prompt)])), return_tensors="pt")
        new = model.generate(**ids)[0, ids.input_ids.shape[1] :]
        assert tuple(tokenizer.convert_ids_to_tokens(new)) == C.run(word).generated, word


def test_a_batch_of_texts_of_all_lengths_is_written_as_each_alone(tmp_path: Path) -> None:
    C = counted()
    export.to_hugging_face(C, tmp_path / "chain")
    model, tokenizer = opened(tmp_path / "chain")
    words = ["1", "011", "01", "0110"]
    ids = tokenizer([f"{word}=" for word in words], return_tensors="pt", padding=True)
    new = model.generate(**ids)[:, ids.input_ids.shape[1] :]
    for word, row in zip(words, new, strict=True):
        tokens = [token for token in tokenizer.convert_ids_to_tokens(row) if token != tokenizer.pad_token]
        assert tuple(tokens) == C.run(word).generated
    with pytest.raises(ValueError, match="the input has 6 tokens without the prompt, and the chain has no such inputs"):
        model.generate(**tokenizer("010101=", return_tensors="pt"))
    writer = pipeline("text-generation", model=model, tokenizer=tokenizer)
    assert writer("011=", return_full_text=False)[0]["generated_text"] == "".join(C.run("011").generated)


@pytest.mark.parametrize("name", chains())
def test_the_lines_of_the_model_card_run(name: str, tmp_path: Path) -> None:
    C = chains()[name]
    export.to_hugging_face(C, tmp_path / "chain")
    card = (tmp_path / "chain" / "README.md").read_text()
    code = card.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"folder": str(tmp_path / "chain")}
    exec(code, names)  # the card is ours
    word = names["text"]
    for token in reversed(C.prompt):
        word = word.removesuffix(token).rstrip()
    answer = C(word)
    assert names["answer"] == (list(answer) if isinstance(answer, tuple) else answer)
    for fact in ("inputs", "prompt", "steps", "answers"):
        assert f"**{fact}**" in card


@pytest.mark.parametrize("name", chains())
def test_every_target_without_a_loop_writes_the_tokens_by_a_loop(name: str, tmp_path: Path) -> None:
    C = chains()[name]
    made = [export.to_torch(C), export.to_torch(C, exact=True)]
    for module in made:
        assert module.agreement.agrees
        assert module.agreement.by == "a loop"
        assert isinstance(export.from_torch(module), ws.Chain)
        assert export.from_torch(module).transformer == C.transformer
    report = export.to_onnx(C, tmp_path / "chain.onnx")
    assert report.agrees
    assert report.inputs == made[0].agreement.inputs
    for target in (*made, tmp_path / "chain.onnx"):
        for word in inputs(C)[:3]:
            found = export.run_exported(C, target, word)
            assert (found.generated, found.halted) == (C.run(word).generated, C.run(word).halted)


def test_transformer_lens_carries_the_chain() -> None:
    bridge = export.to_transformer_lens(PARITY)
    assert bridge.agreement.agrees
    assert bridge.chain == PARITY
    assert export.run_exported(PARITY, bridge, "0111").answer == "YES"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(12))
def test_random_chains_agree_or_are_refused_with_the_step(seed: int) -> None:
    C = random_chain(seed)
    assert export.to_torch(C, exact=True).agreement.agrees
    plain = export.to_torch(C, allow_differences=True)
    report = plain.agreement
    word = "".join(report.first_difference or "0")
    ours, theirs = C.run(word).generated, export.run_exported(C, plain, word).generated
    if report.agrees:
        assert ours == theirs
        return
    step = report.first_step
    assert ours[: step - 1] == theirs[: step - 1]
    assert (ours[step - 1], theirs[step - 1]) == report.first_tokens
    with pytest.raises(ExportError, match=rf"the tokens part at step {step}: PyTorch writes"):
        export.to_torch(C)


def test_a_machine_that_counts_on_saturation_midway_is_refused_and_exact_where_sums_are_folds(tmp_path: Path) -> None:
    automaton = ws.programs.FiniteAutomaton(BY_TOKENS, start="even", accept=["odd"])
    C = ws.programs.compile_machine(automaton, max_length=4)
    with pytest.raises(ExportError, match=r"writes other tokens on 30 of 30 inputs.*saturates in block 1 attention"):
        export.to_hugging_face(C, tmp_path / "chain")
    assert export.to_torch(C, exact=True).agreement.agrees
    report = export.to_hugging_face(C, tmp_path / "chain", allow_saturation=True)
    assert report.difference in (tmp_path / "chain" / "README.md").read_text()


def test_a_changed_module_is_reported_with_counts_and_the_first_step() -> None:
    module = export.to_torch(PARITY)
    module.blocks[0].feed_forward.b_1.data += 1
    report = export.agreement(PARITY, module)
    assert 0 < report.different_answers <= report.different_chains <= report.inputs == 30
    assert "chains: " in str(report)
    assert "the tokens part at step 1: PyTorch writes" in str(report)
    assert report.to_json()["agrees"] is False


def test_a_chain_is_read_back_or_what_is_lost_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "chain"
    for name, C in chains().items():
        export.to_hugging_face(C, folder)
        assert digest(export.from_hugging_face(folder)) == digest(C), name
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[:-1] + bytes([weights[-1] ^ 1]))
    with pytest.raises(FileError, match=r"model\.safetensors was changed after the export"):
        export.from_hugging_face(folder)
    (folder / "model.safetensors").write_bytes(weights)
    ws.save(PARITY, folder / "chain.safetensors")
    with pytest.raises(FileError, match=r"chain\.safetensors is not the chain that config\.json describes"):
        export.from_hugging_face(folder)
    (folder / "chain.safetensors").unlink()
    with pytest.raises(FileError, match="without the chain's arithmetic, the names of its lanes"):
        export.from_hugging_face(folder)


def test_the_metadata_of_files_describe_the_chain(tmp_path: Path) -> None:
    import onnx
    from safetensors import safe_open

    from weightsmith.export.pytorch.file import weights_bytes

    export.to_onnx(counted(), tmp_path / "chain.onnx")
    (said,) = [entry.value for entry in onnx.load(tmp_path / "chain.onnx").metadata_props if entry.key == "weightsmith"]
    chain = json.loads(said)["chain"]
    assert chain["prompt"] == ["="]
    assert chain["answers"] == {"0": "NO", "1": "YES"}
    assert chain["steps"][1:] == [1, 3, 5, 7, 9]
    (tmp_path / "w.safetensors").write_bytes(weights_bytes(PARITY, export.to_torch(PARITY)))
    with safe_open(tmp_path / "w.safetensors", "np") as file:
        assert json.loads(file.metadata()["weightsmith"])["chain"]["steps"] == 4


def test_a_plain_gpt2_generates_a_chain(tmp_path: Path) -> None:
    T = ws.random_transformer("01#", 4, 1, 1, 3, 12, ws.Native("float64"), seed=3, classes=("1", "0"))
    C = ws.Chain(T, prompt="#", steps="n", inputs="01", max_length=4)
    report = export.to_hugging_face(C, tmp_path / "gpt2", stock="gpt2")
    assert report.agrees
    assert report.target == "Hugging Face GPT-2"
    assert report.error_bound is not None
    assert "max_new_tokens=steps[n]" in (tmp_path / "gpt2" / "README.md").read_text()
    assert export.from_hugging_face(tmp_path / "gpt2") == C
    with pytest.raises(ExportError, match="GPT-2 has classes, and this model a readout"):
        export.to_hugging_face(chains()["a readout"], tmp_path / "other", stock="gpt2")


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    export.to_hugging_face(PARITY, tmp_path / "chain")
    with pytest.raises(ExportError, match=r"holds a chain: write agreement\(C, …\)"):
        export.agreement(PARITY.transformer, tmp_path / "chain")
    with pytest.raises(ExportError, match="holds another chain"):
        export.agreement(counted(), tmp_path / "chain")
    export.to_hugging_face(PARITY.transformer, tmp_path / "model")
    with pytest.raises(ExportError, match="holds a transformer"):
        export.agreement(PARITY, tmp_path / "model")
    with pytest.raises(ExportError, match="is none: write run_exported"):
        export.run_exported(PARITY.transformer, export.to_torch(PARITY), "0")  # type: ignore[arg-type]
    endless = replace(PARITY, steps=lambda n: n + 1, max_length=None)
    with pytest.raises(ws.ModelError, match="steps is a Python function, which has no digest"):
        export.to_hugging_face(endless, tmp_path / "function")


def test_a_hostile_token_leaves_the_card_whole(tmp_path: Path) -> None:
    T = replace(PARITY.transformer, vocabulary=('```"\n<b>', "'''", "="), classes=('```"\n<b>', "'''"))
    C = ws.Chain(T, prompt=("=",), steps=2, max_length=2)
    report = export.to_hugging_face(C, tmp_path / "chain")
    assert np.isfinite(report.inputs)
    card = (tmp_path / "chain" / "README.md").read_text()
    assert card.count("```") == 2
    assert "<b>" not in card.split("```python")[0]


def test_a_readme_that_somebody_wrote_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "chain"
    export.to_hugging_face(PARITY, folder)
    export.to_hugging_face(counted(), folder)
    with (folder / "README.md").open("a") as file:
        file.write("mine")
    with pytest.raises(FileError, match=r"it holds something else \(README\.md\)"):
        export.to_hugging_face(PARITY, folder)
