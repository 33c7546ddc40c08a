"""Models with the shape of a Llama, edited or not, as plain Llamas: the same numbers, or a refusal that says why."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

import weightsmith as ws
from tests.export.families import TOKENS, model
from tests.export.hub import few_inputs, offline
from tests.model.windows import with_windows
from weightsmith import export
from weightsmith.errors import ExportError
from weightsmith.export import from_hugging_face

CASES: list[tuple[str, dict[str, Any]]] = [
    ("llama", {}),
    ("llama", {"attention_bias": True, "mlp_bias": True, "hidden_act": "relu", "tie_word_embeddings": True}),
    ("llama", {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 100.0}, "head_dim": 16}),
    ("qwen2", {}),
    ("mistral", {"sliding_window": None}),
    ("gemma", {}),
]


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


def read(family: str, folder: Path, **changes: Any) -> ws.Transformer:
    model(family, **changes).save_pretrained(folder)
    T = from_hugging_face(folder)
    assert isinstance(T, ws.Transformer)
    return T


def with_fact(T: ws.Transformer) -> ws.Transformer:
    """Write a fact into block 0 that fires at the end of 3 1 4, and pushes the stream far away there."""
    rivals = ["7 8 9", "1 2 3"]
    return ws.memory.write_phrased(T, 0, ["3 1 4"], np.eye(len(T.lanes))[3] * 64, inputs=rivals, name="pi", margin=0.1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("family", "changes"), CASES)
def test_what_was_read_and_edited_is_written_as_a_llama(family: str, changes: dict[str, Any], tmp_path: Path) -> None:
    T = read(family, tmp_path / "theirs", **changes)
    plain = export.to_hugging_face(T, tmp_path / "plain", "llama")
    assert plain.agrees
    assert plain.stream_difference is not None
    back = from_hugging_face(tmp_path / "plain")
    random = np.random.default_rng(3)
    inputs = [[str(n) for n in random.integers(TOKENS, size=size)] for size in (1, 5, 19)]
    for tokens in inputs:
        assert np.abs(ws.run(back, tokens).logits - ws.run(T, tokens).logits).max() < 1e-4
    edited = with_fact(T)
    assert ws.memory.triggers(edited, 0, "pi", ["3 1 4"])
    assert np.abs(ws.run(edited, "3 1 4").logits - ws.run(T, "3 1 4").logits).max() > 0.1
    report = export.to_hugging_face(edited, tmp_path / "edited", "llama")
    assert report.agrees
    assert export.agreement(edited, tmp_path / "edited").agrees
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path / "edited")
    assert (type(theirs).__name__, theirs.config.mlp_bias) == ("LlamaForCausalLM", True)
    for tokens in [*inputs, ["3", "1", "4"]]:
        with torch.no_grad():
            logits = theirs(torch.tensor([[int(token) for token in tokens]])).logits[0, -1].numpy()
        assert np.abs(ws.run(edited, tokens).logits - logits).max() < 1e-3


def test_facts_in_gated_layers_are_refused_where_there_is_no_place_for_them(tmp_path: Path) -> None:
    T = read("llama", tmp_path / "theirs")
    export.to_transformer_lens(T, own_modules=False)
    edited = with_fact(T)
    with pytest.raises(ExportError, match="TransformerLens has no biases in gated layers, which facts need, and"):
        export.to_transformer_lens(edited)
    with pytest.raises(ExportError, match="GPT-2 has no gate, and this model has activation='swiglu': write one of"):
        export.to_hugging_face(edited, tmp_path / "model", "gpt2")


def refusals(T: ws.Transformer) -> Iterator[tuple[ws.Transformer, str]]:
    block = T.blocks[0]
    assert block.attention is not None
    assert block.feed_forward is not None
    first, *others = block.attention.heads

    def changed(**parts: Any) -> ws.Transformer:
        return replace(T, blocks=(replace(block, **parts), *T.blocks[1:]))

    plain = ws.FeedForward(block.feed_forward.W_1, None, block.feed_forward.W_2, None, "silu")  # type: ignore[arg-type]
    yield with_windows(T, [None, 4]), "a Llama sees all positions so far, and block 0, head 1 sees 4 only: write window"
    yield replace(T, mask="full"), "a Llama is causal, and this model has mask='full': write mask='causal'"
    yield replace(T, positions=None), "a Llama has rotary positions for all coordinates, and nothing else: write"
    yield (
        replace(T, positions=ws.Rotary(scales=(1.0, 0.5, 0.5, 0.5))),
        "a Llama can be written with angles that are scaled alike, and the scales of this model differ",
    )
    yield replace(T, output_bias=np.ones(TOKENS)), "the output of a Llama has no bias, and this model has output_bias"
    yield replace(T, final_norm=ws.LayerNorm()), "a Llama has RMSNorm, and as final_norm it is LayerNorm(…): write"
    yield changed(attention_norm=None), "a Llama has RMSNorm, and as attention_norm of block 0 there is none: write"
    yield changed(attention_norm=ws.RMSNorm(0.5)), "a Llama has one eps for all norms, and this model has "
    yield changed(norm_placement="post"), "the norms of a Llama stand before a sublayer, and block 0 attention has one"
    yield changed(feed_forward=plain), "a Llama has one activation for all blocks, and this model has silu, swiglu"
    yield changed(parallel=True), "block 0 is parallel, and a Llama adds attention before feed-forward reads: write"
    yield changed(attention=ws.Attention(others)), "a Llama has as many heads in every block, and all keys and values"
    yield changed(attention=None, attention_norm=None), "a Llama has RMSNorm, and as attention_norm of block 0 there is"
    yield (
        changed(attention=ws.Attention([replace(first, positions=ws.Rotary(7.0)), *others])),
        "the heads of a Llama share their positions, and a head of this model has its own: write positions=None",
    )
    yield (
        changed(attention=ws.Attention([replace(first, weighting=ws.AverageHard()), *others])),
        "a Llama has softmax, and block 0, head 0 has AverageHard(): write Softmax(), with larger scores",
    )


def test_what_is_no_llama_is_refused_with_the_reason(tmp_path: Path) -> None:
    T = read("llama", tmp_path / "theirs")
    for other, text in refusals(T):
        with pytest.raises(ExportError) as refused:
            export.to_hugging_face(other, tmp_path / "model", "llama")
        assert text in str(refused.value)
        assert "or leave out stock='llama', and the model's own class is written" in str(refused.value)
        assert not (tmp_path / "model").exists()
    named = replace(T, classes=tuple(f"class {n}" for n in range(TOKENS)))
    with pytest.raises(ExportError, match="a Llama says the next token, and the classes of this model are not its"):
        export.to_hugging_face(named, tmp_path / "model", "llama")
    with pytest.raises(ExportError, match="a chain is written as stock='gpt2' or in its own class: leave out stock"):
        export.to_hugging_face(ws.library.parity_chain(), tmp_path / "model", "llama")
    with pytest.raises(ws.InputError, match="stock='t5': write stock='gpt2' for a plain GPT-2, 'llama' for a plain"):
        export.to_hugging_face(T, tmp_path / "model", "t5")  # type: ignore[arg-type]
