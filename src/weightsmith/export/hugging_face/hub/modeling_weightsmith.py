"""Models that were written with Weightsmith, for Hugging Face's library: language models, classifiers, programs."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers import GenerationMixin, PreTrainedModel
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
        if attention_mask is not None:
            return attention_mask.bool()
        return ids.lt(self.config.vocab_size - 1)

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
    """A language model: the logits at a position are those of the token after it."""

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
        passed = self.network(input_ids, self._real(input_ids, attention_mask))
        logits = functional.pad(self.network.logits(passed.stream[-1]), (0, 1), value=-math.inf)
        loss = None
        if labels is not None:
            loss = functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100)
        return _given(CausalLMOutput(loss=loss, logits=logits, **self._asked(passed, kinds)), return_dict)

    def prepare_inputs_for_generation(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any
    ) -> dict[str, Any]:
        """Return all tokens: nothing is kept from one step to the next."""
        return {"input_ids": input_ids, "attention_mask": attention_mask}


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
        label = self._labels(self.network.logits(passed.stream[-1]), real)
        logits = torch.full((*input_ids.shape, self.config.num_labels), -math.inf, device=input_ids.device)
        logits = logits.scatter(-1, label[..., None], 0.0)
        return _given(TokenClassifierOutput(logits=logits, **self._asked(passed, kinds)), return_dict)

    def _labels(self, codes: Tensor, real: Tensor) -> Tensor:
        """Return the label of each code (…, lanes); of padding, any."""
        table = {tuple(code): label for code, label in self.config.readout["codes"]}
        rows = codes.detach().cpu().double().flatten(0, -2).tolist()
        labels = torch.tensor([table.get(tuple(row), -1) for row in rows]).reshape(real.shape).to(codes.device)
        lost = real & (labels < 0)
        if bool(lost.any()):
            n, i = lost.nonzero()[0].tolist()
            code = codes[n, i].tolist()
            raise ValueError(f"input {n}, position {i}: the code {code} is not in the table of the readout")
        return labels.clamp(min=0)
