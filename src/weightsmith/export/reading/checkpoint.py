"""Reading a checkpoint of Hugging Face: a directory with config.json and safetensors files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, get_args

from weightsmith.arithmetic import Native
from weightsmith.arithmetic.native import NativeType
from weightsmith.errors import FileError, InputError, brief, listed, named
from weightsmith.export.reading import gpt2, gpt_neox, llama, phi
from weightsmith.export.reading.assembly import assembled
from weightsmith.export.reading.chain import is_chain, read_chain
from weightsmith.export.reading.config import Config
from weightsmith.export.reading.plan import Plan
from weightsmith.export.reading.tensors import Progress, Tensors, within
from weightsmith.export.reading.vocabulary import vocabulary
from weightsmith.storage import parse_json, read_bytes, refusals

CONFIG = "config.json"


class Family(NamedTuple):
    """Checkpoints that are read alike."""

    name: str
    architectures: tuple[str, ...]
    plan: Callable[[Config, Tensors], Plan]
    worked_out: str  # a pattern for the names of tensors that hold no weights
    merges: bool = False  # whether vocab.json and merges.txt may stand for tokenizer.json


OWN = "weightsmith"  # the model_type of what we write ourselves
FAMILIES = {  # by model_type
    "gpt2": Family("GPT-2", gpt2.ARCHITECTURES, gpt2.plan, gpt2.WORKED_OUT, merges=True),
    "llama": Family("Llama", ("LlamaForCausalLM",), llama.llama, llama.WORKED_OUT),
    "mistral": Family("Mistral", ("MistralForCausalLM",), llama.mistral, llama.WORKED_OUT),
    "qwen2": Family("Qwen2", ("Qwen2ForCausalLM",), llama.qwen2, llama.WORKED_OUT),
    "gemma": Family("Gemma", ("GemmaForCausalLM",), llama.gemma, llama.WORKED_OUT),
    "gpt_neox": Family("GPT-NeoX", ("GPTNeoXForCausalLM",), gpt_neox.gpt_neox, gpt_neox.WORKED_OUT),
    "phi": Family("Phi", ("PhiForCausalLM",), phi.phi, phi.WORKED_OUT),
}


NORMED_HEADS = "a norm on queries and keys in each head (q_norm and k_norm)"
NORMED_SUMMANDS = "a norm on what a sublayer adds, before it is added (post_feedforward_layernorm)"
CAPPED = "soft-capping of scores and logits (attn_logit_softcapping, final_logit_softcapping)"
MISSING = {  # by model_type: what a model here cannot have
    "qwen3": (NORMED_HEADS,),
    "qwen3_moe": (NORMED_HEADS, "experts"),
    "gemma2": (CAPPED, NORMED_SUMMANDS),
    "gemma3": (NORMED_HEADS, NORMED_SUMMANDS, "another base of rotary positions in every sixth block"),
    "gemma3_text": (NORMED_HEADS, NORMED_SUMMANDS, "another base of rotary positions in every sixth block"),
    "mixtral": ("experts",),
    "qwen2_moe": ("experts",),
}


def from_hugging_face(
    directory: str | os.PathLike[str], *, numbers: NativeType | None = None, progress: Progress | None = None
) -> Any:
    """Read a language model of Hugging Face from a local directory.

    The families GPT-2, Llama, Mistral, Qwen2, Gemma (the first generation), GPT-NeoX and Phi are read.
    It is read into `Native("float32")`, or float64 where its weights are; `numbers` says otherwise. Half precision is
    widened, which is exact. Weights in a large file that need no change stay there, mapped into memory, as with
    `from_pretrained`: that file must not be changed while the model is in use. The tokenizer comes along, so a text
    can be given to `run` and `generate`. `progress` is called with the bytes read and all bytes. Neither torch nor
    transformers is needed.

    A directory to which `to_hugging_face` wrote a chain gives that chain, exact, if its weights are still the same.

    Nothing in the directory is trusted. Anything unexpected is refused before any weight is read.
    """
    if numbers is not None and numbers not in get_args(NativeType):
        raise InputError(f"numbers={brief(numbers)}: write 'float32', 'float64' or None")
    with refusals("cannot read", directory):
        folder = _folder(directory)
        config = _config(folder)
        if is_chain(config):
            if numbers is not None:
                raise FileError("it holds a chain, which has its own arithmetic: leave out numbers")
            return read_chain(folder, config)
        family = _family(config)
        tensors = Tensors(folder, progress)
        plan = family.plan(config, tensors)
        tensors.check_all_used(family.worked_out)
        names, tokenizer = vocabulary(folder, config.whole("vocab_size"), family.merges)
        arithmetic = Native(numbers or ("float64" if "F64" in tensors.dtypes() else "float32"))
        return assembled(plan, arithmetic, names, tokenizer, list(_provenance(folder, family, plan)))


def is_checkpoint(path: Path) -> bool:
    """Return whether there is a directory with a config."""
    return (path / CONFIG).is_file()


def _folder(directory: str | os.PathLike[str]) -> Path:
    folder = Path(directory)
    if not folder.is_dir():
        raise FileError(
            "it is not a directory. Checkpoints are read from where they are stored: "
            "huggingface_hub.snapshot_download(name, local_dir=directory) brings one there"
        )
    if not (folder / CONFIG).exists():
        raise FileError(f"it has no {CONFIG}, so it is not a checkpoint of Hugging Face")
    return folder


def _config(folder: Path) -> Config:
    with within(CONFIG):
        return Config(parse_json(read_bytes(folder / CONFIG), "it"))


def _family(config: Config) -> Family:
    """Return the family of a model; refuse others, and models of a family that are not language models."""
    kind = config.get("model_type")
    if isinstance(kind, str) and kind in MISSING:
        raise FileError(
            f"{CONFIG} has model_type={brief(kind)}, which is not read, because models here do not have "
            f"{' and '.join(MISSING[kind])}: only {listed(list(FAMILIES))} are read"
        )
    if not isinstance(kind, str) or kind not in FAMILIES:
        own = "; to_hugging_face wrote it: open the model file that it was made from" if kind == OWN else ""
        raise FileError(f"{CONFIG} has model_type={brief(kind)}: only {listed(list(FAMILIES))} are read{own}")
    family = FAMILIES[kind]
    given = config.get("architectures", list(family.architectures))
    if not isinstance(given, list) or len(given) != 1 or given[0] not in family.architectures:
        raise config.refusal("architectures", f"of this family only {listed(family.architectures)} is read")
    if "quantization_config" in config.fields:
        raise config.refusal("quantization_config", "quantised weights are not read: save the model without it")
    return family


def _provenance(folder: Path, family: Family, plan: Plan) -> list[str]:
    lines = [f"from_hugging_face: {family.name}, {named(folder.resolve().name)}"]
    if plan.longest is not None:
        most, why = plan.longest
        lines.append(f"the same as in Hugging Face for up to {most:,} tokens; longer inputs differ there ({why})")
    return lines
