from .agreement import Agreement as Agreement
from .circuit_map import circuit as circuit
from .onnx_file import to_onnx as to_onnx
from .transformer_lens import to_transformer_lens as to_transformer_lens

__all__: list[str]
