"""Models that were written with Weightsmith, for Hugging Face's library: language models, classifiers, programs."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers import GenerationMixin, PreTrainedModel, StoppingCriteria, StoppingCriteriaList
from transformers.modeling_outputs import CausalLMOutput, SequenceClassifierOutput, TokenClassifierOutput

from .configuration_weightsmith import WeightsmithConfig
from .network_weightsmith import Network
from .steps_weightsmith import Passed


class WeightsmithModel(PreTrainedModel):  # type: ignore[misc]
    """The base class: the network, and the mask of padding."""

    config_class = WeightsmithConfig
    base_model_prefix = "network"

    def __init__(self, config: WeightsmithConfig) -> None:
        """Make room for the weights."""
        super().__init__(config)
        self.network = Network(config.architecture)
        self.post_init()

    def get_input_embeddings(self) -> torch.nn.Module:
        """Return the embedding."""
        return self.network.embedding

    def _real(self, ids: Tensor, attention_mask: Tensor | None) -> Tensor:
        """Return which ids are tokens, and not padding."""
        tokens = ids.lt(self.config.vocab_size - 1)  # a text that has ended is filled up with padding
        return tokens if attention_mask is None else attention_mask.bool() & tokens

    def _labels(self, codes: Tensor, real: Tensor) -> Tensor:
        """Return the label of each code of a readout (…, lanes), −1 for a code that is not in the table.

        Where `real` is True, such a code is an error; it is never taken for the nearest.
        """
        table = {tuple(code): label for code, label in self.config.readout["codes"]}
        rows = codes.detach().cpu().double().flatten(0, -2).tolist()
        labels = torch.tensor([table.get(tuple(row), -1) for row in rows]).reshape(real.shape).to(codes.device)
        lost = real & (labels < 0)
        if bool(lost.any()):
            n, i = lost.nonzero()[0].tolist()
            code = codes[n, i].tolist()
            raise ValueError(f"input {n}, position {i}: the code {code} is not in the table of the readout")
        return labels

    def _label_logits(self, codes: Tensor, real: Tensor, count: int) -> Tensor:
        """Return logits of labels: 0 for that of the code, −∞ for all others; no numbers where there is no label."""
        label = self._labels(codes, real)
        found = torch.full((*real.shape, count), -math.inf, device=codes.device)
        return found.scatter(-1, label.clamp(min=0)[..., None], 0.0).masked_fill(label[..., None] < 0, math.nan)

    def _asked(self, passed: Passed, kinds: dict[str, Any]) -> dict[str, Any]:
        """Return the stream and the attention weights, if requested.

        The stream is given after the embedding and after each block, the last one after the final norm.
        """
        found: dict[str, Any] = {}
        if _wanted(kinds.get("output_hidden_states"), self.config.output_hidden_states):
            stages, network = passed.stream[::2], self.network
            found["hidden_states"] = (*stages[:-1], network.operations.normalised(network.final_norm, stages[-1]))
        if _wanted(kinds.get("output_attentions"), self.config.output_attentions):
            found["attentions"] = tuple(passed.attention)
        return found


def _wanted(asked: bool | None, usually: bool | None) -> bool:
    return bool(usually if asked is None else asked)


def _given(output: Any, return_dict: bool | None) -> Any:
    return output if return_dict is None or return_dict else output.to_tuple()


class WeightsmithForCausalLM(WeightsmithModel, GenerationMixin):  # type: ignore[misc]
    """A language model, or a chain: the logits at a position are those of the token after it.

    A chain writes some of the tokens only, the first ones of the vocabulary; all others have the logit −∞.
    """

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        return_dict: bool | None = None,
        **kinds: Any,
    ) -> Any:
        """Return logits (inputs, positions, vocabulary and padding); with labels the loss of each next token as well.

        Padding is never the next token: its logit is −∞.
        """
        real = self._real(input_ids, attention_mask)
        passed = self.network(input_ids, real)
        said = self.network.logits(passed.stream[-1])
        if getattr(self.config, "readout", None) is not None:
            last = real & torch.arange(real.shape[1], device=real.device).eq(real.shape[1] - 1)  # it decides
            said = self._label_logits(said, last, len(self.config.readout["values"]))
        logits = functional.pad(said, (0, self.config.vocab_size - said.shape[-1]), value=-math.inf)
        loss = None
        if labels is not None:
            loss = functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100)
        return _given(CausalLMOutput(loss=loss, logits=logits, **self._asked(passed, kinds)), return_dict)

    def prepare_inputs_for_generation(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any
    ) -> dict[str, Any]:
        """Return all tokens: nothing is kept from one step to the next."""
        return {"input_ids": input_ids, "attention_mask": attention_mask}

    def generate(
        self, inputs: Tensor | None = None, generation_config: Any = None, stopping_criteria: Any = None, **others: Any
    ) -> Any:
        """Generate as every model does; a chain whose steps depend on the input's length writes as many as it has."""
        steps = (getattr(self.config, "weightsmith", None) or {}).get("chain", {}).get("steps")
        said = any(others.get(name) is not None for name in ("max_new_tokens", "max_length"))
        if isinstance(steps, list) and generation_config is None and not said:
            ids = others["input_ids"] if inputs is None else inputs
            read = self._real(ids, others.get("attention_mask")).sum(-1).tolist()
            most = [_steps(steps, n - len(self.config.weightsmith["chain"]["prompt"])) for n in read]
            others["max_new_tokens"] = max(most)
            ending = StepsTaken(ids.shape[1], torch.tensor(most), self.config.pad_token_id)
            stopping_criteria = StoppingCriteriaList([*(stopping_criteria or ()), ending])
        return super().generate(inputs, generation_config, stopping_criteria=stopping_criteria, **others)


def _steps(steps: list[int], length: int) -> int:
    if not 0 <= length < len(steps) or steps[length] == 0:
        raise ValueError(f"the input has {length} tokens without the prompt, and the chain has no such inputs")
    return steps[length]


class StepsTaken(StoppingCriteria):  # type: ignore[misc]
    """Ends each text of a batch after its own number of tokens."""

    def __init__(self, read: int, most: Tensor, padding: int) -> None:
        """Take the length of the texts as they were read, and of each how many tokens it has besides."""
        self.read, self.most = read, most
        self.eos_token_id = padding  # by this the library knows that texts which have ended are filled up

    def __call__(self, input_ids: Tensor, scores: Any, **_: Any) -> Tensor:
        """Return which texts have ended."""
        return input_ids.shape[1] - self.read >= self.most.to(input_ids.device)


class WeightsmithForSequenceClassification(WeightsmithModel):
    """A classifier: the decision is read at the last token."""

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        return_dict: bool | None = None,
        **kinds: Any,
    ) -> Any:
        """Return logits (inputs, classes); with labels the loss as well."""
        real = self._real(input_ids, attention_mask)
        passed = self.network(input_ids, real)
        last = (torch.arange(input_ids.shape[1], device=input_ids.device) * real).argmax(-1)
        rows = torch.arange(len(input_ids), device=input_ids.device)
        logits = self.network.logits(passed.stream[-1][rows, last])
        loss = None if labels is None else functional.cross_entropy(logits, labels)
        return _given(SequenceClassifierOutput(loss=loss, logits=logits, **self._asked(passed, kinds)), return_dict)


class WeightsmithForTokenClassification(WeightsmithModel):
    """A program: at every token some lanes hold a code, which the table of `config.readout` turns into a value."""

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        return_dict: bool | None = None,
        **kinds: Any,
    ) -> Any:
        """Return logits (inputs, positions, labels): 0 for the label of the value, −∞ for all others.

        A code that is not in the table is an error, and never taken for the nearest; padding may hold any.
        """
        real = self._real(input_ids, attention_mask)
        passed = self.network(input_ids, real)
        logits = self._label_logits(self.network.logits(passed.stream[-1]), real, self.config.num_labels)
        return _given(TokenClassifierOutput(logits=logits, **self._asked(passed, kinds)), return_dict)
