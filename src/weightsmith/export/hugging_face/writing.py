"""Directories for Hugging Face's library: written, opened and run before they have their names, and opened again."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from weightsmith.errors import ExportError, InputError, WeightsmithError, brief
from weightsmith.export import lazy
from weightsmith.export.capabilities import check_features, dtype_for, require_packages
from weightsmith.export.chains.card import model_card
from weightsmith.export.hugging_face.chain_files import as_language_model, chain_files, in_order
from weightsmith.export.hugging_face.folder import CARD, MARK, Dtype, label_names, new_directory, write_files
from weightsmith.export.measure import (
    Model,
    Verify,
    accepted,
    check_verify,
    measure,
    measure_chain,
    parts_of,
    quick,
    report_on,
)
from weightsmith.export.outputs import Exported
from weightsmith.export.reading.chain import CHAIN
from weightsmith.files import model_bytes
from weightsmith.model import Chain, Transformer
from weightsmith.model.digest import digest
from weightsmith.storage import file_digest, read_json, write_whole


def to_hugging_face(
    T: Model,
    directory: str | os.PathLike[str],
    stock: Literal["gpt2"] | None = None,
    *,
    dtype: Dtype | None = None,
    allow_differences: bool = False,
    allow_saturation: bool = False,
    verify: Verify = "full",
) -> Any:
    """Write a directory that one of `transformers`' classes opens, with a tokenizer.

    For a transformer whose classes are its vocabulary that is `AutoModelForCausalLM`; for any other with classes
    `AutoModelForSequenceClassification`, which decides at the last token; for one with a readout
    `AutoModelForTokenClassification`, whose labels are the values, and which refuses a code that stands for none. The
    model class is written beside the weights, so it is opened with `trust_remote_code=True`. It saturates where the
    arithmetic does, and does not round; the dtype is that of the arithmetic, float64 for a finite one, unless given.

    With `stock="gpt2"` it is a plain GPT-2 without code of ours. A transformer that has the shape of a GPT-2, such as
    one that was read from a GPT-2 and then edited, is written as it is, with its own tokenizer. Of any other the norms
    of GPT-2 do next to nothing: that is approximate, and the report says how far it can be off.

    What was written is opened and run before the directory has its name: one that decides otherwise is not kept,
    unless with `allow_differences`; or, where the cause is that sums of the original saturate or round midway,
    `allow_saturation`. Then config.json says on which input. An earlier export of that name is replaced, anything else
    is refused. `verify="quick"` runs all short inputs and random ones, and searches for no others.

    Of a chain the directory holds a language model whose `generate` writes the chain's tokens: greedy, until one of the
    tokens of `until`, or as many as it has steps; in the model's own class also where their number depends on the
    input's length. The prompt is part of the text that `generate` gets. README.md says so, with lines to run;
    chain.safetensors is the chain itself, which `from_hugging_face` returns. The report compares whole chains.
    """
    if stock is not None and stock != "gpt2":
        raise InputError(f"stock={brief(stock)}: write stock='gpt2' for a plain GPT-2, or leave it out")
    for name, value in (("allow_differences", allow_differences), ("allow_saturation", allow_saturation)):
        if type(value) is not bool:
            raise InputError(f"{name}={brief(value)}: write True or False")
    check_verify(verify, T)
    model, (T, chain) = T, parts_of(T)
    kind = dtype_for(T, "Hugging Face", dtype)
    require_packages("Hugging Face")
    with new_directory(directory) as place:
        if chain is not None:
            report: Any = _chain(chain, place, kind, stock is not None)
        else:
            report = (_own if stock is None else _gpt2)(T, place, kind, verify)
        said = accepted(report, model, allow_differences, allow_saturation).difference
        config = read_json(place / "config.json", "config.json")
        if chain is not None:
            write_files(place, {CARD: model_card(chain, stock is None, said)})
            files = {"weights": "model.safetensors", "card": CARD}
            config[MARK]["chain"] |= {name: file_digest(place / file) for name, file in files.items()}
        config[MARK] |= {} if said is None else {"difference": said}
        write_files(place, {"config.json": config})
        return report


def _own(T: Transformer, directory: Path, dtype: Dtype, verify: Verify) -> Any:
    lazy.write_own(T, directory, dtype)
    return report_on(T, lazy.OpenedOwn(T, directory, dtype), verify=verify)


def _gpt2(T: Transformer, directory: Path, dtype: Dtype, verify: Verify) -> Any:
    bound = lazy.write_gpt2(T, directory, dtype)
    opened = lazy.OpenedGPT2(T, directory, dtype)
    found = quick(T, opened) if verify == "quick" else measure(T, opened)
    report = replace(found, error_bound=bound)
    if bound is not None and not opened.largest_difference <= bound:
        raise ExportError(
            f"the GPT-2 is {opened.largest_difference:g} from the same weights without norms, and the bound is "
            f"{bound:g}: this is a defect of Weightsmith; leave out stock='gpt2'"
        )
    return report


def _chain(C: Chain, directory: Path, dtype: Dtype, stock: bool) -> Any:
    """Write a chain; return the report on whole chains."""
    T, bound = in_order(C), None
    files = chain_files(C, T, digest(C), never=stock)
    if stock:
        if T.readout is not None:
            check_features(T, "Hugging Face GPT-2")  # which refuses it
        bound = lazy.write_gpt2(as_language_model(T), directory, dtype, files)
    else:
        lazy.write_own(T, directory, dtype, files)
    write_whole(directory / CHAIN, model_bytes(C))
    found = measure_chain(C, lazy.OpenedChain(C, directory, dtype, stock), fresh=True)
    return replace(found, error_bound=bound)


def opened_directory(model: Model, directory: Any) -> Exported | None:
    """Return the model that `to_hugging_face` wrote to a directory; None for anything else."""
    if not isinstance(directory, str | os.PathLike) or not os.path.isdir(directory):
        return None
    place = Path(directory)
    try:
        config = read_json(place / "config.json", "config.json")
    except WeightsmithError:
        return None
    if MARK not in config:
        return None
    dtype: Any = config.get("dtype")
    labels = config.get("id2label")
    if dtype not in get_args(Dtype):
        raise ExportError(f"config.json in {brief(str(place))} has dtype {brief(dtype)}: write the directory again")
    own, T = config[MARK], parts_of(model)[0]
    if (isinstance(own, dict) and "chain" in own) or isinstance(model, Chain):
        return _opened_chain(model, place, dtype, own, config.get("model_type") == "gpt2")
    if not isinstance(own, dict) or own.get("tokens") != len(T.vocabulary) or _other_classes(T, labels):
        raise ExportError(f"{brief(str(place))} holds another model: its tokens or classes are not those of this one")
    require_packages("Hugging Face")
    kind: Any = lazy.OpenedGPT2 if config.get("model_type") == "gpt2" else lazy.OpenedOwn
    found: Exported = kind(T, place, dtype)
    return found


def _opened_chain(model: Model, place: Path, dtype: Dtype, own: Any, stock: bool) -> Exported:
    """Return the chain in a directory; refuse another one, and a transformer for a chain."""
    said = own.get("chain") if isinstance(own, dict) else None
    if not isinstance(said, dict):
        raise ExportError(f"{brief(str(place))} holds a transformer: write agreement(C.transformer, …), or export C")
    if not isinstance(model, Chain):
        raise ExportError(f"{brief(str(place))} holds a chain: write agreement(C, …) with the chain")
    if said.get("digest") != digest(model):
        raise ExportError(f"{brief(str(place))} holds another chain: its digest is not that of this one")
    require_packages("Hugging Face")
    found: Exported = lazy.OpenedChain(model, place, dtype, stock)
    return found


def _other_classes(T: Transformer, labels: Any) -> bool:
    """Return whether a configuration has names of classes, and they are other ones."""
    return labels is not None and (not isinstance(labels, dict) or list(labels.values()) != label_names(T))
