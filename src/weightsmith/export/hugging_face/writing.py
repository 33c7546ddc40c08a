"""The one function: write a directory, open it, run it, and give it its name if all is well."""

import os
from dataclasses import replace
from typing import Literal

from weightsmith.errors import ExportError, InputError, brief
from weightsmith.export.agreement import Agreement, measure, required
from weightsmith.export.hugging_face.files import Dtype, checked_dtype
from weightsmith.export.hugging_face.folder import new_directory
from weightsmith.export.hugging_face.gpt2 import OpenedGPT2, write_gpt2
from weightsmith.export.hugging_face.own_class import OpenedOwn, write_own
from weightsmith.model import Transformer
from weightsmith.model.places import checked


def to_hugging_face(
    T: Transformer,
    directory: str | os.PathLike[str],
    stock: Literal["gpt2"] | None = None,
    *,
    dtype: Dtype | None = None,
    allow_differences: bool = False,
) -> Agreement:
    """Write a directory that `AutoModelForCausalLM` or `AutoModelForSequenceClassification` opens, with a tokenizer.

    A transformer whose classes are its vocabulary is a language model, any other a classifier, which decides at the
    last token. The model class is written beside the weights, so it is opened with `trust_remote_code=True`; with
    `stock="gpt2"` it is a plain GPT-2, which is approximate, and the report says how far it can be off. The dtype is
    that of the arithmetic, float64 for a finite one, unless given. What was written is opened and run before the
    directory has its name.
    """
    checked(T)
    if stock is not None and stock != "gpt2":
        raise InputError(f"stock={brief(stock)}: write stock='gpt2' for a plain GPT-2, or leave it out")
    kind = checked_dtype(T, dtype)
    with new_directory(directory) as place:
        if stock is None:
            write_own(T, place, kind)
            return required(measure(T, OpenedOwn(T, place, kind)), allow_differences)
        bound = write_gpt2(T, place, kind)
        opened = OpenedGPT2(T, place, kind)
        report = replace(measure(T, opened), error_bound=bound)
        if not opened.largest_difference <= bound:
            raise ExportError(
                f"the GPT-2 is {opened.largest_difference:g} from the same weights without norms, and the bound is "
                f"{bound:g}: this is a defect of Weightsmith; leave out stock='gpt2'"
            )
        return required(report, allow_differences)
