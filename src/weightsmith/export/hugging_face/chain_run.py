"""A chain in a folder for Hugging Face, opened again and run by the library's own `generate`."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from weightsmith.export.hugging_face.chain_files import as_language_model, in_order
from weightsmith.export.hugging_face.folder import Dtype
from weightsmith.export.hugging_face.gpt2 import OpenedGPT2
from weightsmith.export.hugging_face.own_class import OpenedOwn
from weightsmith.export.outputs import Outputs
from weightsmith.model import Chain, token_ids
from weightsmith.semantics.evaluation import AnswerIds, Ids


class OpenedChain:
    """An exported chain, for a report."""

    def __init__(self, C: Chain, directory: Path, dtype: Dtype, stock: bool) -> None:
        """Open the folder: a plain GPT-2, or the model's own class."""
        T, self.chain, self.stock = in_order(C), C, stock
        self.opened: Any = (
            OpenedGPT2(as_language_model(T), directory, dtype) if stock else OpenedOwn(T, directory, dtype, chain=True)
        )
        self.target, self.dtype, self.longest = self.opened.target, self.opened.dtype, self.opened.longest
        self.saturates, self.steps = (bool(getattr(self.opened, name, False)) for name in ("saturates", "steps"))
        self.ids = np.array([T.vocabulary.index(token) for token in C.transformer.vocabulary])

    def outputs(self, ids: Ids) -> Outputs:
        """Return the logits of the transformer's classes; `ids` are those of the chain."""
        found: Outputs = self.opened.outputs(self.ids[ids])
        return Outputs(found.logits[..., : len(self.chain.transformer.answers)])

    @torch.no_grad()
    def generated(self, ids: Ids) -> AnswerIds:
        """Return the tokens that `generate` writes on inputs of one length, (inputs, steps), −1 after the last one.

        Its settings are those of the folder; a plain GPT-2 cannot count the steps of a chain by the input's length.
        """
        C = self.chain
        prompt = np.broadcast_to(token_ids(C.transformer, C.prompt), (len(ids), len(C.prompt))).astype(np.intp)
        texts = torch.tensor(self.ids[np.hstack([ids.astype(np.intp), prompt])])
        counted = {"max_new_tokens": C.steps_for(ids.shape[1])} if self.stock else {}
        model = self.opened.model
        try:
            found = model.generate(texts, attention_mask=torch.ones_like(texts), **counted)
        except ValueError:  # a code that is not in the table of a readout
            if len(texts) > 1:
                return _stacked([self.generated(row[np.newaxis])[0] for row in ids])
            return np.array([[-2]])
        new = found[:, texts.shape[1] :].numpy()
        tokens = len(C.transformer.answers)
        return np.where(new < tokens, new, np.where(new == model.config.pad_token_id, -1, -2))


def _stacked(rows: list[AnswerIds]) -> AnswerIds:
    width = max(map(len, rows))
    return np.stack([np.pad(row, (0, width - len(row)), constant_values=-1) for row in rows])
