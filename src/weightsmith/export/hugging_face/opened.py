"""A directory that was written before, opened again to be measured."""

import os
from pathlib import Path
from typing import Any, get_args

from weightsmith.errors import ExportError, WeightsmithError, brief
from weightsmith.export.capabilities import require_packages
from weightsmith.export.hugging_face.folder import MARK
from weightsmith.export.hugging_face.kinds import Dtype, label_names
from weightsmith.export.measuring import Exported
from weightsmith.model import Transformer
from weightsmith.storage import read_json


def opened_directory(T: Transformer, directory: Any) -> Exported | None:
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
    own = config[MARK]
    if not isinstance(own, dict) or own.get("tokens") != len(T.vocabulary) or _other_classes(T, labels):
        raise ExportError(f"{brief(str(place))} holds another model: its tokens or classes are not those of this one")
    require_packages("Hugging Face")
    from weightsmith.export.hugging_face.gpt2 import OpenedGPT2
    from weightsmith.export.hugging_face.own_class import OpenedOwn

    kind: Any = OpenedGPT2 if config.get("model_type") == "gpt2" else OpenedOwn
    found: Exported = kind(T, place, dtype)
    return found


def _other_classes(T: Transformer, labels: Any) -> bool:
    """Say whether the names of classes in a configuration, where there are some, are others."""
    return labels is not None and (not isinstance(labels, dict) or list(labels.values()) != label_names(T))
