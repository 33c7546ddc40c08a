from .hugging_face.chain_run import OpenedChain as OpenedChain
from .hugging_face.gpt2 import OpenedGPT2 as OpenedGPT2
from .hugging_face.gpt2 import write_gpt2 as write_gpt2
from .hugging_face.llama import OpenedLlama as OpenedLlama
from .hugging_face.llama import write_llama as write_llama
from .hugging_face.own_class import OpenedOwn as OpenedOwn
from .hugging_face.own_class import write_own as write_own
from .hugging_face.writing import opened_directory as opened_directory
from .lens.bridge import LensRun as LensRun
from .lens.bridge import booted as booted
from .lens.file import bridge_bytes as bridge_bytes
from .lens.file import fill as fill
from .lens.file import read_bridge as read_bridge
from .onnx.model import Exporter as Exporter
from .onnx.writing import OnnxRun as OnnxRun
from .onnx.writing import written as written
from .pytorch.file import ModuleRun as ModuleRun
from .pytorch.module import TransformerModule as TransformerModule
from .pytorch.reading import transformer_of as transformer_of

__all__: list[str]
