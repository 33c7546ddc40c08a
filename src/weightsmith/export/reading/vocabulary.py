"""The tokens of a checkpoint, by id, and its tokenizer."""

from pathlib import Path

from weightsmith.errors import FileError
from weightsmith.export.reading.tensors import within
from weightsmith.model.tokenizer import MAX_TOKENIZER, guarded, made_up, tokenizer_of
from weightsmith.storage import parse_json, read_bytes

TOKENIZER, VOCABULARY, MERGES = "tokenizer.json", "vocab.json", "merges.txt"


def vocabulary(directory: Path, size: int, merges: bool) -> tuple[tuple[str, ...], str]:
    """Return a name for each of the ids, and the tokenizer's JSON, "" without one: then the ids are the names.

    With `merges`, vocab.json and merges.txt stand in for tokenizer.json, as in older checkpoints of GPT-2.
    """
    if (directory / TOKENIZER).exists():
        with within(TOKENIZER):
            return _named(read_bytes(directory / TOKENIZER, 4 * MAX_TOKENIZER).decode(), size)
    if merges and (directory / VOCABULARY).exists() and (directory / MERGES).exists():
        with within(VOCABULARY):
            return _named(_from_merges(directory), size)
    return tuple(map(str, range(size))), ""


def _named(text: str, size: int) -> tuple[tuple[str, ...], str]:
    tokenizer = tokenizer_of(text)
    names = tokenizer.names
    if len(names) > size:
        raise FileError(f"it has the token {names[-1]!r} with id {len(names) - 1}, and the embedding has {size} rows")
    missing = range(len(names), size)
    compact: str = tokenizer.library.to_str()  # as short as it can be written
    return (*names, *(made_up(i, tokenizer.ids) for i in missing)), compact


def _from_merges(directory: Path) -> str:
    """Return the tokenizer of GPT-2: pairs of bytes, written as letters, that are merged in their order."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # few checkpoints need it

    tokens = parse_json(read_bytes(directory / VOCABULARY), "it")
    if not all(type(i) is int and 0 <= i < 1 << 24 for i in tokens.values()):
        raise FileError("it must have a whole number for each token")
    lines = read_bytes(directory / MERGES).decode().splitlines()
    parts = [line.split(" ") for line in lines if line and not line.startswith("#version")]
    if not all(len(pair) == 2 for pair in parts):
        raise FileError(f"{MERGES} must have two parts in each line")
    pairs = [(first, second) for first, second in parts]
    made = Tokenizer(guarded(f"it does not fit {MERGES}", models.BPE, vocab=tokens, merges=pairs))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([token for token in ("<|endoftext|>",) if token in tokens])
    text: str = made.to_str()
    return text
