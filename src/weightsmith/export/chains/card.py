"""A chain as plain values for the files of other tools, and the text that says how to run it there."""

from collections.abc import Sequence
from typing import Any, cast

from weightsmith.errors import ModelError, shown
from weightsmith.export.inputs import RANDOM_LENGTH
from weightsmith.export.outputs import names
from weightsmith.model import Chain, Transformer, tokens_text
from weightsmith.model.chain import chain_facts

TABLE_LENGTH = 2048  # lengths of inputs whose number of steps is written out, where the chain takes longer ones


def chain_description(C: Chain) -> dict[str, Any]:
    """Return a chain as plain values, without its transformer.

    `steps` is a number, or a list by the input's length: 0 where there is no such input.
    """
    pairs = cast(Sequence[tuple[str, str]], C.answers)
    return {
        "prompt": list(C.prompt),
        "steps": steps_by_length(C),
        "until": list(C.until),
        "answers": dict(pairs),
        "inputs": list(C.vocabulary),
        "outputs": C.outputs,
        "min_length": C.min_length,
        "max_length": C.max_length,
    }


def steps_by_length(C: Chain) -> int | list[int]:
    """Return the most tokens that a chain writes: one number, or a number for each length of the input."""
    if isinstance(C.steps, int):
        return C.steps
    longest = C.max_length if C.max_length is not None else TABLE_LENGTH
    steps = [_steps_for(C, n) for n in range(longest + 1)]
    known = {count for count in steps[C.min_length or 1 :] if count}
    return known.pop() if len(known) == 1 and C.max_length is None else steps


def _steps_for(C: Chain, n: int) -> int:
    try:
        return C.steps_for(n)
    except ModelError:
        return 0


def names_of(model: Transformer | Chain, difference: str | None = None) -> dict[str, Any]:
    """Return the names of a model as plain values, and the description of a chain."""
    if isinstance(model, Chain):
        return {**names(model.transformer, difference), "chain": chain_description(model)}
    return names(model, difference)


def model_card(C: Chain, own_class: bool, difference: str | None) -> str:
    """Return README.md of the folder for Hugging Face: the chain, and how to run it."""
    vocabulary = C.transformer.vocabulary
    tokens, prompt = _example(C), tokens_text(vocabulary, C.prompt)
    text, whole = tokens_text(vocabulary, tokens), tokens_text(vocabulary, (*tokens, *C.prompt))
    steps = steps_by_length(C)
    trust = ", trust_remote_code=True" if own_class else ""
    count = "" if isinstance(steps, int) or own_class else ", max_new_tokens=steps[n]"
    shown_steps = f'chain = model.config.weightsmith["chain"]\n{_lookup(own_class, steps)}'
    last = "generated[-1]" if C.outputs == 1 else f"generated[-{C.outputs}:]"
    answer = 'chain["answers"][generated[-1]]'
    if C.outputs > 1:
        answer = f'[chain["answers"][token] for token in {last}]'
    facts = "\n".join(f"- **{name}**: {_plain(value)}" for name, value in chain_facts(C))
    lines = [
        "---",
        "library_name: transformers",
        "pipeline_tag: text-generation",
        "tags: [weightsmith, chain-of-thought]",
        "---",
        "",
        "# A chain of Weightsmith",
        "",
        "The model reads an input and the prompt, and writes token after token until it answers. Each token is the",
        "decision of the transformer on the whole text before it. The last token answers.",
        "",
        facts,
        "",
        _ending(C, steps, own_class),
        "",
        "```python",
        "from transformers import AutoModelForCausalLM, AutoTokenizer",
        "",
        f"model = AutoModelForCausalLM.from_pretrained(folder{trust})",
        f"tokenizer = AutoTokenizer.from_pretrained(folder{trust})",
        shown_steps,
        f"text = {_literal(whole)}  # the input {_literal(text)}, then the prompt {_literal(prompt)}",
        'ids = tokenizer(text, return_tensors="pt")',
        *(['n = ids.input_ids.shape[1] - len(chain["prompt"])'] if count else []),
        f"written = model.generate(**ids{count})[0, ids.input_ids.shape[1] :]",
        "generated = tokenizer.convert_ids_to_tokens(written)",
        *(["generated = [token for token in generated if token != tokenizer.pad_token]"] if C.until else []),
        f"answer = {answer}",
        "```",
        "",
        "`chain.safetensors` is the chain itself, exact: `weightsmith.load` opens it, `weightsmith.export."
        "from_hugging_face`",
        "returns it from this folder, and `weightsmith run chain.safetensors INPUT` runs it.",
    ]
    lines += ["", f"**It differs from the chain.** {difference}"] if difference else []
    return "\n".join(lines) + "\n"


def _example(C: Chain) -> list[str]:
    """Return a short input."""
    n = C.min_length or min(2, C.max_length if C.max_length is not None else 2)
    return [C.vocabulary[-1 - i % len(C.vocabulary)] for i in range(min(n, RANDOM_LENGTH) or 1)]


def _literal(text: str) -> str:
    """Return a text as Python writes it, with nothing that could end the block of code."""
    return repr(text).replace("`", "\\x60")


def _lookup(own_class: bool, steps: int | list[int]) -> str:
    return "" if own_class or isinstance(steps, int) else 'steps = chain["steps"]  # by the length of the input'


def _plain(value: str) -> str:
    return value.replace("`", "'").replace("<", "&lt;").replace("\n", " ")


def _ending(C: Chain, steps: int | list[int], own_class: bool) -> str:
    """Say what ends a chain, and how `generate` knows."""
    if isinstance(steps, int):
        how = f"`max_new_tokens` is {steps}."
    elif own_class:
        how = (
            "The number of tokens depends on the length of the input: `generate` of the model's own class takes it "
            'from `config.weightsmith["chain"]["steps"]`, for each text of a batch.'
        )
    else:
        how = "The number of tokens depends on the length of the input: give `generate` max_new_tokens, as below."
    ends = f" A token of {', '.join(map(shown, C.until))} ends it: these are `eos_token_id`." if C.until else ""
    several = f" The last {C.outputs} tokens answer, in order." if C.outputs > 1 else ""
    return f"`generate` is greedy.{ends} {how}{several} The prompt is part of the text: write it behind the input."
