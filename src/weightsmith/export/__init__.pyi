from .agreement import Agreement as Agreement
from .agreement import agreement as agreement
from .hugging_face.writing import to_hugging_face as to_hugging_face
from .lowering import portable as portable
from .pytorch import from_torch as from_torch
from .pytorch import to_torch as to_torch

__all__: list[str]
