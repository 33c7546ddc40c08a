"""Files with stories: they load to the same story, or are refused by name; checkers accept a model that has one."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.files.mutations import _change, header_and_body, with_header
from tests.files.rewritten import saved_with
from tests.verifying.certificates import certificate
from weightsmith import verify
from weightsmith.check.proof import sealed
from weightsmith.files import model_bytes

T = ws.library.eiffel()


def test_a_story_is_saved_with_the_model_and_is_the_same_when_loaded(tmp_path: Path) -> None:
    for S in (T, ws.library.bank(), ws.library.contains("1"), T.story(None)):
        ws.save(S, tmp_path / "model")
        loaded = ws.load(tmp_path / "model")
        assert loaded == S
        assert loaded.told == S.told
    plain = model_bytes(T.story(None))
    assert b'"story"' not in plain.replace(b"\\", b"")
    assert model_bytes(T.story(T.told).story(None)) == plain


def test_a_model_with_a_tokenizer_keeps_its_inputs_as_tokens(tmp_path: Path) -> None:
    S = replace(T, tokenizer='{"no": "tokenizer"}').story([{"text": "a"}], input=["The", "Tower"])
    ws.save(S, tmp_path / "model")  # loading it needs no library that reads texts
    loaded = ws.load(tmp_path / "model").told
    assert loaded == S.told
    assert loaded.input == ("The", "Tower")


def step(**values: Any) -> Any:
    return lambda m, _: m["story"]["steps"][0].update(values)


HOSTILE: dict[str, tuple[Any, str]] = {
    "a list": (lambda m, _: m.update(story=[]), "its story is not an object, and is []"),
    "empty": (lambda m, _: m.update(story={}), "the story has no steps: write {'steps': ["),
    "no steps": (lambda m, _: m.update(story={"steps": []}), "the story has 0 steps: write 1 to 64"),
    "many": (lambda m, _: m["story"].update(steps=[{"text": "a"}] * 10_000), "the story has 10000 steps"),
    "unknown key": (lambda m, _: m["story"].update(script="x"), "the story has the unknown key 'script'"),
    "title": (lambda m, _: m["story"].update(title="t" * 91), "the title of the story has 91 characters"),
    "title of another kind": (lambda m, _: m["story"].update(title=[]), "the title of the story must be a text"),
    "input": (lambda m, _: m["story"].update(input="x y"), "the input of the story: token 0 of the input, x, is not"),
    "long input": (lambda m, _: m["story"].update(input="The " * 10**5), "the input has 100000 tokens: write at most"),
    "kind": (lambda m, _: m["story"].update(kind="Transformer"), "the story has the unknown key 'kind'"),
    "text": (step(text="a" * 10**5), "step 1 of the story has a text of 100000 characters"),
    "escape": (step(text="\x1b[2J"), "has characters that cannot be shown"),
    "surrogate": (step(text="\ud800"), "has characters that cannot be shown"),
    "stage": (step(stage="block 9 attention"), "there is no stage block 9 attention"),
    "stage of another kind": (step(stage=3), "there is no stage 3"),
    "lane": (step(lanes=["x" * 10**5]), "there is no lane xxx"),
    "position": (step(position=10**30), "there is no position 1000000"),
    "neuron": (step(stage="block 0 feed-forward", neuron=[]), "there is no neuron [] in block 0"),
    "off": (step(off=["0.neuron." + "9" * 4000]), "there is no neuron 999999999 in block 0"),
    "set": (step(set=["0.attention:0:one:" + "9" * 16]), "write stage:position:lane:value"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_stories_are_refused_with_the_reason(name: str, tmp_path: Path) -> None:
    change, said = HOSTILE[name]
    path = saved_with(T, tmp_path / "hostile", change)
    with pytest.raises(ws.FileError) as refused:
        ws.load(path)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 700


def test_a_chain_has_no_story(tmp_path: Path) -> None:
    C = ws.library.parity_chain(max_length=4)
    S = C.transformer.story([{"text": "a"}], input=list(C.transformer.vocabulary[:1]))
    ws.save(replace(C, transformer=S), tmp_path / "chain")
    assert ws.load(tmp_path / "chain") == C
    broken = saved_with(C, tmp_path / "broken", lambda m, _: m.update(story={"steps": [{"text": "a"}]}))
    with pytest.raises(ws.FileError, match="it has a chain and a story"):
        ws.load(broken)


def mutated_story(data: bytes, random: Random) -> bytes:
    """Change the story of a file, once or a few times."""
    found = header_and_body(data)
    assert found is not None
    header, body = found
    metadata = json.loads(header["__metadata__"]["weightsmith"])
    for _ in range(random.choice((1, 1, 2))):
        _change(metadata["story"], random)
    header["__metadata__"]["weightsmith"] = json.dumps(metadata)
    return with_header(header, body)


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.long)])
def test_mutated_stories_load_to_valid_ones_or_are_refused(count: int, tmp_path: Path) -> None:
    path, random, loaded = tmp_path / "model", Random(5), 0
    whole = [model_bytes(S) for S in (T, ws.library.bank(), ws.library.contains("1"))]
    for _ in range(count):
        path.write_bytes(mutated_story(random.choice(whole), random))
        S, said = None, ""
        try:
            S = ws.load(path)
        except ws.FileError as error:
            said = str(error)
        if S is None:
            assert said.startswith(f"cannot read '{path}': ")
            assert len(said) < 700
        elif S.told is not None:  # null takes it away
            loaded += 1
            assert S.story(S.told).told == S.told
    assert count // 20 < loaded < count


# Proofs


def test_a_proof_of_a_model_with_a_story_is_accepted_and_names_the_same_model() -> None:
    S = ws.library.contains("1")
    data = certificate(ws.check.recognizes(S, "0*1(0|1)*"))
    with_story, without = verify.Model(model_bytes(S)), verify.Model(model_bytes(S.story(None)))
    assert S.told is not None
    assert with_story.digest == without.digest
    for model in (with_story, without):  # a certificate holds with the story and without
        assert verify.check([model], sealed(data)).scope == "all lengths"
    with pytest.raises(verify.Refused, match="its story is no JSON object"):
        verify.Model(_with_story(model_bytes(S), 7))


def _with_story(data: bytes, story: Any) -> bytes:
    found = header_and_body(data)
    assert found is not None
    header, body = found
    metadata = json.loads(header["__metadata__"]["weightsmith"]) | {"story": story}
    header["__metadata__"]["weightsmith"] = json.dumps(metadata)
    return with_header(header, body)
