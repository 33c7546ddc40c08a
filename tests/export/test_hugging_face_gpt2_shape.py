"""A model that has the shape of a GPT-2 is written as it is, and read again; what has norms and is none is refused."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    pipeline,
)

import weightsmith as ws
from tests.export.checkpoints import TOKENS, trained_tokenizer
from tests.export.hub import few_inputs, offline
from tests.peers.builders import drawn
from weightsmith import Native, Transformer, export
from weightsmith.errors import ExportError
from weightsmith.export.hugging_face import gpt2_weights

FLOAT64 = Native("float64")

SENTENCE = "The Eiffel Tower is in"


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


def checkpoint(directory: Path, lanes: int = 24, heads: int = 3, *, tied: bool = True) -> GPT2LMHeadModel:
    """Write a GPT-2 drawn at random, whose heads have a size that is no power of 4, with a tokenizer."""
    torch.manual_seed(1)
    config = GPT2Config(
        vocab_size=TOKENS, n_positions=32, n_embd=lanes, n_layer=2, n_head=heads, n_inner=20, tie_word_embeddings=tied,
        bos_token_id=0, eos_token_id=0, layer_norm_epsilon=1e-4,
    )  # fmt: skip
    made: GPT2LMHeadModel = drawn(GPT2LMHeadModel(config))
    made.save_pretrained(directory)
    trained_tokenizer().save(str(directory / "tokenizer.json"))
    return made


def imported(directory: Path, numbers: Any = None, **shape: Any) -> Transformer:
    checkpoint(directory, **shape)
    T: Transformer = export.from_hugging_face(directory, numbers=numbers)
    return T


@pytest.mark.parametrize("numbers", ["float32", "float64"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_gpt2_that_was_read_is_written_and_read_again_bit_for_bit(tied: bool, numbers: Any, tmp_path: Path) -> None:
    T = imported(tmp_path / "theirs", numbers, tied=tied)
    report = export.to_hugging_face(T, tmp_path / "ours", "gpt2")
    assert (report.agrees, report.dtype, report.error_bound) == (True, numbers, None)
    closeness = 1e-5 if numbers == "float32" else 1e-12  # of the machine's floats, summed up in another order
    assert report.logit_difference < closeness
    assert report.stream_difference is not None
    assert report.stream_difference < closeness
    again = export.from_hugging_face(tmp_path / "ours")
    assert again == T
    assert (again.tied, again.tokenizer) == (tied, T.tokenizer)
    assert np.array_equal(ws.run(again, SENTENCE).logits, ws.run(T, SENTENCE).logits)
    assert export.agreement(T, tmp_path / "ours") == report


def test_the_library_gives_the_same_before_and_after(tmp_path: Path) -> None:
    theirs = checkpoint(tmp_path / "theirs")
    export.to_hugging_face(export.from_hugging_face(tmp_path / "theirs"), tmp_path / "ours", "gpt2")
    ours, reading = (kind.from_pretrained(tmp_path / "ours") for kind in (AutoModelForCausalLM, AutoTokenizer))
    assert isinstance(ours, GPT2LMHeadModel)
    given = reading(SENTENCE, return_tensors="pt")
    assert given["input_ids"][0].tolist() == trained_tokenizer().encode(SENTENCE).ids
    with torch.no_grad():
        a, b = (each.eval()(**given).logits for each in (theirs, ours))
    assert float((a - b).abs().max()) < 1e-5
    assert (ours.config.eos_token_id, reading.eos_token) == (0, "<|endoftext|>")
    assert ours.config.n_head == theirs.config.n_head
    assert not list((tmp_path / "ours").glob("*.py"))


def test_an_edited_gpt2_says_in_the_library_what_it_says_here(tmp_path: Path) -> None:
    T = imported(tmp_path / "theirs", lanes=32, heads=4)
    silenced = ws.memory.delete(ws.memory.ablate(T, 0, 3), 0, 5)  # block 0 has fewer neurons now than block 1
    edited = ws.memory.write(silenced, 1, {"x3": 0.75, "x7": -1.5}, {"x1": 40.0}, name="new")
    export.to_hugging_face(edited, tmp_path / "ours", "gpt2")
    again = export.from_hugging_face(tmp_path / "ours")
    assert [len(block.feed_forward.W_1) for block in again.blocks if block.feed_forward is not None] == [21, 21]
    assert np.abs(ws.run(again, SENTENCE).logits - ws.run(edited, SENTENCE).logits).max() < 1e-4
    assert np.abs(ws.run(again, SENTENCE).logits - ws.run(T, SENTENCE).logits).max() > 1e-2
    written = pipeline("text-generation", str(tmp_path / "ours"))(SENTENCE, max_new_tokens=4)[0]["generated_text"]
    tokens = ws.generate(edited, SENTENCE, 4)
    ids = [edited.vocabulary.index(token) for token in tokens]
    assert written == SENTENCE + trained_tokenizer().decode(ids)


def test_sublayers_and_heads_that_are_missing_add_nothing(tmp_path: Path) -> None:
    T = imported(tmp_path / "theirs", "float64", lanes=32, heads=4)
    first, second = T.blocks
    assert first.attention is not None
    fewer = replace(first.attention, heads=first.attention.heads[1:])
    cut = (
        replace(first, attention=fewer, feed_forward=None, feed_forward_norm=None),
        replace(second, attention=None, attention_norm=None),
        ws.Block(),
    )
    report = export.to_hugging_face(replace(T, blocks=cut), tmp_path / "ours", "gpt2")
    assert report.agrees
    assert report.logit_difference < 1e-12
    assert report.stream_difference is not None
    assert report.stream_difference < 1e-12


def test_a_classifier_with_the_norms_of_gpt2_has_padding_after_its_vocabulary(tmp_path: Path) -> None:
    T = imported(tmp_path / "theirs", "float64")
    T = replace(T, tied=False, output=T.output[:2], classes=("NO", "YES"))
    report = export.to_hugging_face(T, tmp_path / "model", "gpt2")
    assert report.error_bound is None
    assert report.logit_difference < 1e-12
    texts = ["".join(letters) for n in range(1, 5) for letters in product("abc", repeat=n)]
    classify = pipeline("text-classification", str(tmp_path / "model"))
    assert [one["label"] for one in classify(texts, batch_size=len(texts))] == [ws.run(T, x).decision for x in texts]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 12, 20, 32, 64, 80])
@pytest.mark.parametrize("numbers", ["float32", "float64"])
def test_queries_that_came_from_a_gpt2_go_back_to_what_divides_to_them(size: int, numbers: Any) -> None:
    A = Native(numbers)
    theirs = A.round(np.random.default_rng(size).normal(size=5000))
    ours = A.round(theirs * size**-0.5)
    back = A.round(gpt2_weights.multiplied(ours, size))
    assert np.array_equal(A.round(back * size**-0.5), ours)


def test_the_tokenizer_of_a_model_goes_with_its_own_class_too(tmp_path: Path) -> None:
    T = imported(tmp_path / "theirs")
    export.to_hugging_face(T, tmp_path / "ours")
    reading = AutoTokenizer.from_pretrained(tmp_path / "ours")
    assert reading(SENTENCE)["input_ids"] == trained_tokenizer().encode(SENTENCE).ids
    assert reading.pad_token_id == len(T.vocabulary)
    export.to_hugging_face(
        replace(T, vocabulary=T.vocabulary, tokenizer=trained_tokenizer(280).to_str()), tmp_path / "b"
    )
    assert AutoTokenizer.from_pretrained(tmp_path / "b").pad_token == "<|endoftext|>"  # id 280 is another token's


def unlike(name: str, T: Transformer) -> Transformer:
    """Change a GPT-2 into what is none."""
    first, lanes = T.blocks[0], T.lanes
    assert first.attention is not None
    head = first.attention.heads[0]
    W_Q, W_K, W_V = (np.vstack([W] * 4) for W in (head.W_Q, head.W_K, head.W_V))
    wide = ws.Head(W_Q, W_K, W_V, np.hstack([head.W_O] * 4))
    many = replace(first.attention, heads=(wide, wide))
    blocks = {
        "no norm": replace(first, feed_forward_norm=None),
        "rms": replace(first, feed_forward_norm=ws.RMSNorm()),
        "lanes": replace(first, attention_norm=ws.LayerNorm(1e-4, lanes=lanes[:2])),
        "eps": replace(first, attention_norm=ws.LayerNorm(1e-5)),
        "post": replace(first, norm_placement="post"),
        "heads": replace(first, attention=many),
    }
    if name in blocks:
        return replace(T, blocks=(blocks[name], *T.blocks[1:]))
    return replace(T, output_bias=np.ones(len(T.classes)))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "no norm",
            "GPT-2 has all its norms, and this model has attention_norm of block 0 but no feed_forward_norm of block "
            "0: write LayerNorm(), or no norm at all",
        ),
        ("rms", "GPT-2 has LayerNorm, and feed_forward_norm of block 0 is RMSNorm(…): write LayerNorm(…)"),
        (
            "lanes",
            "a norm of GPT-2 is over all lanes, and attention_norm of block 0 is over x0, x1: write lanes=None",
        ),
        ("eps", "GPT-2 has one eps for all norms, and this model has 1e-05, 0.0001: write one of them"),
        (
            "post",
            "the norms of GPT-2 stand before a sublayer, and those of block 0 after it: write norm_placement='pre'",
        ),
        ("bias", "the output of GPT-2 has no bias, and this model has output_bias: write output_bias=None"),
        (
            "heads",
            "the heads of GPT-2 share its lanes equally, and 3 heads of size 32 do not fit into 24 lanes: write "
            "smaller heads",
        ),
    ],
)
def test_what_has_norms_and_is_no_gpt2_is_refused_with_what_to_write(name: str, says: str, tmp_path: Path) -> None:
    T = imported(tmp_path / "theirs")
    with pytest.raises(ExportError) as refusal:
        export.to_hugging_face(unlike(name, T), tmp_path / "ours", "gpt2")
    assert str(refusal.value) == f"{says}; or leave out stock='gpt2', and the model's own class is written"
    assert not (tmp_path / "ours").exists()
