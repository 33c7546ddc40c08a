from .agreement import Agreement as Agreement
from .agreement import agreement as agreement
from .lowering import portable as portable
from .pytorch import from_torch as from_torch
from .pytorch import to_torch as to_torch

__all__: list[str]
