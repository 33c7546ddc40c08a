"""A tokenizer for a vocabulary, in the files that Hugging Face's library opens.

It reads a text as `model.tokens` does: by characters where every token is one, else by words between blanks. What is
not in the vocabulary is refused, as there. A token that no text can give, because it has a blank in it, still has its
place: `tokenizer.convert_tokens_to_ids(["New York"])`.

A model that was read with a tokenizer is written with that one.
"""

from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from weightsmith.export.hugging_face.folder import File, is_language_model
from weightsmith.model import Transformer
from weightsmith.model.tokenizer import tokenizer_of
from weightsmith.model.tokens import separator

# What Python takes for blanks between words; tokenizers' own rule leaves four of them out
BLANKS = "\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
END = "<|endoftext|>"  # of GPT-2's tokenizer
FIRST_PRIVATE = 0xE000  # the first character of the private use area


def tokenizer_files(T: Transformer, padded: bool = True, writes: bool = False) -> dict[str, File]:
    """Return the files of the tokenizer by their names; `padded` where the model has a place for padding, the last.

    `writes` says that the model is a chain: its texts grow on the right, as those of a language model.
    """
    made, pad = _with_padding(T, padded)
    settings: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "padding_side": "left" if writes or is_language_model(T) else "right",
        "clean_up_tokenization_spaces": False,
        "model_input_names": ["input_ids", "attention_mask"],
    }
    if end_token(T) is not None:
        settings |= dict.fromkeys(("bos_token", "eos_token", "pad_token"), END)
    if pad is not None:
        settings["pad_token"] = pad
    if T.max_length is not None:
        settings["model_max_length"] = T.max_length
    return {"tokenizer.json": made.to_str(), "tokenizer_config.json": settings}


def end_token(T: Transformer) -> int | None:
    """Return the place of the token that ends a text, where the tokenizer of a model has GPT-2's."""
    return tokenizer_of(T.tokenizer).ids.get(END) if T.tokenizer else None


def _with_padding(T: Transformer, padded: bool) -> tuple[Tokenizer, str | None]:
    """Return the tokenizer, and its padding where it has some: behind the vocabulary, or it would be a token of it."""
    pad = padding_token(T.vocabulary)
    if not T.tokenizer:
        return tokenizer(T.vocabulary, pad if padded else None), pad if padded else None
    own = Tokenizer.from_str(T.tokenizer)
    if padded:
        own.add_special_tokens([AddedToken(pad, normalized=False, special=True)])
        if own.token_to_id(pad) == len(T.vocabulary):
            return own, pad
    return Tokenizer.from_str(T.tokenizer), None


def tokenizer(vocabulary: Sequence[str], pad: str | None) -> Tokenizer:
    """Return the tokenizer of a vocabulary; padding, where there is some, comes after it."""
    ids = {token: n for n, token in enumerate(vocabulary)}
    made = Tokenizer(models.WordLevel(ids, unk_token=""))  # no token is "", so there is no unknown token
    if separator(vocabulary):
        made.pre_tokenizer = pre_tokenizers.Split(Regex(f"[{BLANKS}]+"), "removed")
        # A blank before every word, also the first: what is generated is put behind its prompt as it is
        made.decoder = decoders.Sequence([decoders.Replace(Regex(r"\A"), " "), decoders.Fuse()])
    else:
        made.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
        made.decoder = decoders.Fuse()
    if pad is not None:
        made.add_special_tokens([AddedToken(pad, normalized=False, special=True)])
    return made


def padding_token(vocabulary: Sequence[str]) -> str:
    """Return a text for padding that cannot be taken for tokens: no text of tokens has it in it."""
    by_characters, known = not separator(vocabulary), set(vocabulary)
    pad, next_private = "[PAD]", FIRST_PRIVATE
    while known.issuperset(pad) if by_characters else any(pad in token for token in vocabulary):
        pad, next_private = f"[PAD{chr(next_private)}]", next_private + 1
    return pad
