"""The proof that weights carry out a machine's table: read off the weights, over all cases, without the compiler.

By induction over the steps: if the text so far is right, the sums of moves are the places of the registers, the last
token has the state, and the rightmost token that wrote on a cell holds its content. The lemmas show that then the next
token is right. They hold for every input up to a length and for a number of steps, because they are shown for every
place that a register can have by then.
"""

import numpy as np

from weightsmith.model import Transformer
from weightsmith.programs.machines.proof.places import affine_at
from weightsmith.programs.machines.proof.tapes import Tapes
from weightsmith.programs.machines.table import StepTable, Tape
from weightsmith.programs.proof.lemmas import Lemma, LemmaError


class MachineProof(Tapes):
    """Shows every lemma when it is made, or raises a LemmaError."""

    def __init__(self, T: Transformer, table: StepTable, max_length: int, max_steps: int) -> None:
        """Prove the steps of the table for inputs up to a length, and up to a number of steps."""
        super().__init__(T, table, max_length, max_steps)
        self._decide()

    def _decide(self) -> None:
        """Show that block 1 and the output choose the token of the rule, in every case that can be shown."""
        A, table, T = self.A, self.table, self.T
        layer = T.blocks[1].feed_forward
        assert layer is not None
        self._require_reads(layer.W_1, (), "block 1, feed-forward", flags=True)
        self._require_reads(T.output, (), "the output", flags=True)
        tapes = iter(self._read_tapes())
        shown = [next(tapes) if isinstance(one, Tape) else self.flags[n] for n, one in enumerate(table.registers)]
        of_tape = [isinstance(one, Tape) for one in table.registers]
        base = self.E.copy()
        base[:, list(self.lane_of)] = 0
        cases = [(token, shows) for token in self.going for shows in table.shows
                 if all(one in there for one, there in zip(shows, shown, strict=True))]  # fmt: skip
        for token, shows in cases:
            h, total = base[token], np.zeros(len(T.lanes))
            for one, there, tape in zip(shows, shown, of_tape, strict=True):
                if tape:
                    total = A.add(total, there[one])
                else:
                    h = A.add(h, there[one])
            h = A.add(h, total)
            fired = A.activate("relu", affine_at(A, layer.W_1, h, layer.b_1))
            h = A.add(h, affine_at(A, layer.W_2, fired, layer.b_2))
            self._require_token(token, shows, int(np.argmax(affine_at(A, T.output, h, None))))
        self.lemmas.append(
            Lemma("block 1, feed-forward", "the token of the rule, for every state and all that is read", len(cases))
        )

    def _require_token(self, token: int, shows: tuple[str, ...], number: int) -> None:
        table, first = self.table, len(self.table.inputs)
        state = table.start if token == first else table.tokens[token - first - 1].state
        if table.following(state, shows) != number:
            said = f"{table.tokens[number].name!r} in state {state!r} on {', '.join(shows)}"
            raise LemmaError(f"block 1 writes {said}, and the machine does not")
