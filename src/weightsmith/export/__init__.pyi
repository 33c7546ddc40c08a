from .chains.report import ChainAgreement as ChainAgreement
from .circuit_formats import circuit_as as circuit_as
from .circuit_map import circuit as circuit
from .circuit_map import circuit_svg as circuit_svg
from .circuit_value import Circuit as Circuit
from .hugging_face.writing import to_hugging_face as to_hugging_face
from .lens import load_transformer_lens as load_transformer_lens
from .lens import to_transformer_lens as to_transformer_lens
from .lowering import portable as portable
from .lowering import without_saturation as without_saturation
from .measure import agreement as agreement
from .measure import run_exported as run_exported
from .onnx.file import to_onnx as to_onnx
from .pytorch import from_torch as from_torch
from .pytorch import to_torch as to_torch
from .reading import from_hugging_face as from_hugging_face
from .report import Agreement as Agreement

__all__: list[str]
