"""Neurons: together they add what the program wants, for every number that they can read."""

import numpy as np

from weightsmith.model import FeedForward
from weightsmith.programs.proof.heads import Heads
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.neurons import fired
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.statement import Layered
from weightsmith.programs.proof.stream import wide


class Layers(Heads):
    """Checks feed-forward layers."""

    def _feed_forward(self, b: int, layer: FeedForward | None) -> None:
        space, time, where = self.space, 2 * b + 1, f"block {b} feed-forward"
        wanted: dict[bytes, Integers] = {}
        codes: dict[bytes, Integers] = {}
        for number in self._written():
            made = self.stated.cells[number].made
            if self.times[number] != 2 * b + 2:
                continue
            assert isinstance(made, Layered)
            factors = self.forms[:, space.of_cells.start + number].astype(np.int64)
            for part in made.parts:
                varying = part.form.copy()
                varying[-1] = 0
                name = varying.tobytes()
                codes[name] = space.codes(part.form) - part.form[-1]
                added = np.outer(factors, fired(part.kinks, codes[name] + part.form[-1]))
                wanted[name] = wanted[name] + added if name in wanted else added
        if layer is None:
            if any(one.any() for one in wanted.values()):
                raise LemmaError(f"block {b} has no neurons, and the program needs them")
            return
        if layer.activation != "relu" or layer.b_2.any() or layer.W_3 is not None:
            raise LemmaError(f"{where}: another activation than relu, or a bias after it")
        found, cases = self._neurons(layer, codes, time, where)
        for name, by_lane in wanted.items():
            if not np.array_equal(found[name], by_lane):
                raise LemmaError(f"{where}: its neurons do not give what the program wants for every number")
        self._held(self._reach(self._lanes(time + 1)), lambda lane: f"{where}, lane {self.T.lanes[lane]!r}")
        self.lemmas.append(Lemma(where, "for every number that is read the neurons add what the program wants", cases))

    def _neurons(
        self, layer: FeedForward, codes: dict[bytes, Integers], time: int, where: str
    ) -> tuple[dict[bytes, Integers], int]:
        """Return, for every form that neurons read, the numbers that they add to each lane."""
        count, cases = len(self.T.lanes), 0
        found = {name: np.zeros((count, len(of)), np.int64) for name, of in codes.items()}
        largest = {name: np.zeros(count) for name in codes}
        output = wide(layer.W_2)
        self._whole(output, where)
        reads = self._read(wide(layer.W_1), wide(layer.b_1), time, lambda n: f"{where}, neuron {n}").astype(np.int64)
        for n, read in enumerate(reads):
            bias, read[-1] = int(read[-1]), 0
            name, sign = read.tobytes(), 1
            if name not in codes:
                name, sign = (-read).tobytes(), -1
            if name not in codes:
                raise LemmaError(f"{where}, neuron {n}: it reads what the program does not read here")
            lanes = np.flatnonzero(output[:, n])
            weights = output[lanes, n]
            firing = np.maximum(sign * codes[name] + bias, 0)
            self._held(float(firing.max()) * np.abs(weights), lambda _, n=n: f"{where}, neuron {n}")  # type: ignore[misc]
            self._require_exact(float(firing.max()) * np.abs(weights), where)
            found[name][lanes] += np.outer(weights.astype(np.int64), firing)
            largest[name][lanes] = np.maximum(largest[name][lanes], np.abs(found[name][lanes]).max(axis=1))
            cases += len(firing)
        total = sum(largest.values(), np.zeros(count))
        self._held(total, lambda lane: f"{where}, what lane {self.T.lanes[lane]!r} gets")
        return found, cases
