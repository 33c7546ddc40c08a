"""Selects: for all pairs of values they select what the program means, and a mask hides nothing that is selected."""

from collections.abc import Callable, Sequence
from math import lcm
from typing import Any

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.form import Always, And, Matrix, Node, Not, Or, Select, SelectorNode
from weightsmith.programs.operators import COMPARISONS
from weightsmith.programs.proof.functions import Functions
from weightsmith.programs.proof.holding import Affine, Holding, forms_of
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.selectors import If, Selection, conditions, every, other, some, truth
from weightsmith.programs.proof.space import Booleans, Integers, alike, scaled

MOST_PAIRS = 4_000_000  # of combinations of key and query
FEW_VALUES = 300  # fewer are compared pair by pair


class Selects(Functions):
    """Checks selectors."""

    def _selector(self, node: SelectorNode) -> Selection:
        match node:
            case And(left, right):
                return every(self.pairs[left], self.pairs[right])
            case Or(left, right):
                return some(self.pairs[left], self.pairs[right])
            case Not(inner):
                return self.differences.normal(other(self.pairs[inner]))
            case Always(selected):
                return selected
            case Select(keys, queries, comparison):
                return self._is_select(node, self.held[keys], self.held[queries], comparison)
            case Matrix(rows, only):
                self._require_length(len(rows), only)
                indices = Affine(self.space.index)
                return self._is_select(node, indices, indices, lambda key, query: rows[query][key])
        raise LemmaError(f"{brief(node)} is no selector of a program")

    def _require_length(self, given: int, only: bool) -> None:
        if given < self.space.positions or (only and given != self.space.positions):
            raise LemmaError(f"a constant of length {given} for {self.space.positions} positions")

    def _stated_pairs(self, node: Node) -> Selection:
        if node not in self.stated.pairs:
            raise LemmaError("it is not stated what it selects")
        return self.differences.normal(self.stated.pairs[node])

    def _is_select(
        self, node: Node, keys: Holding, queries: Holding, comparison: str | Callable[..., Any]
    ) -> Selection:
        """Check a select: for all pairs of values it selects what the program means."""
        pairs = self._stated_pairs(node)
        self._require_comparable(keys, queries, comparison)
        cases = None
        if isinstance(comparison, str) and isinstance(keys, Affine) and isinstance(queries, Affine):
            cases = self._by_difference(pairs, keys, queries, comparison)
        if cases is None:
            cases = self._pair_by_pair(node, pairs, keys, queries, comparison)
        by_place = [any(form[self.space.of_index].any() for form in forms_of(one)) for one in (keys, queries)]
        if not self.stated.causal or not all(by_place):
            self._seen_or_not.add(node)
        self._lemma(node, "for all pairs of values it selects what the program selects", cases)
        return pairs

    def _require_comparable(self, keys: Holding, queries: Holding, comparison: str | Callable[..., Any]) -> None:
        partial = [one for one in (keys, queries) if one.about != "value"]
        if not partial:
            return
        rest = queries if partial[0] is keys else keys
        halves = len(partial) == 1 and partial[0].about == "half" and self._whole(rest)
        if not halves or not isinstance(comparison, str):
            raise LemmaError(f"more is asked of a key or query than its {partial[0].about}")

    def _by_difference(self, pairs: Selection, keys: Affine, queries: Affine, comparison: str) -> int | None:
        """Check a comparison of two numbers by their difference; None where the condition is on another one."""
        common = lcm(keys.scale, queries.scale)
        key, query = scaled(keys.form, common // keys.scale), scaled(queries.form, common // queries.scale)
        if isinstance(pairs, bool):
            codes = self.differences.codes(key, query)
            holds = np.full(codes.shape, pairs)
        elif isinstance(pairs, If):
            factor = self._times(pairs, key, query)
            if factor is None:
                return None
            codes = self.differences.codes(pairs.key, pairs.query)
            holds = pairs.holds(codes)
            shift = int(query[-1] - key[-1]) - factor * int(pairs.query[-1] - pairs.key[-1])
            codes = scaled(codes, factor) + shift
        else:
            return None
        if not np.array_equal(holds, COMPARISONS[comparison](0, codes)):
            raise LemmaError("it selects other pairs than the program")
        return len(codes)

    def _times(self, pairs: If, key: Integers, query: Integers) -> int | None:
        """Return the factor by which a condition's forms are these, up to constants."""
        both, ours = np.append(key[:-1], query[:-1]), np.append(pairs.key[:-1], pairs.query[:-1])
        place = int(np.argmax(ours != 0))
        if not ours[place] or both[place] % ours[place]:
            return None
        factor = int(both[place] // ours[place])
        return factor if alike(ours, factor, both, 1) else None

    def _pair_by_pair(
        self, node: Node, pairs: Selection, keys: Holding, queries: Holding, comparison: str | Callable[..., Any]
    ) -> int:
        """Check a select for all that keys and queries can hold."""
        if isinstance(pairs, If) and isinstance(comparison, str) and self._in_order(pairs, keys, queries, comparison):
            return len(self.differences.codes(pairs.key, pairs.query))
        leaves = list({one.same: one for one in conditions(pairs)}.values())
        sides = [
            self._side(holding, [one.key if which == 0 else one.query for one in leaves])
            for which, holding in enumerate((keys, queries))
        ]
        of_keys, of_queries = sides
        shape = len(of_keys), len(of_queries)
        if shape[0] * shape[1] > MOST_PAIRS:
            raise LemmaError(f"{shape[0]:,} × {shape[1]:,} pairs of key and query are too many to be gone through")
        place = {one.same: n for n, one in enumerate(leaves)}

        def leaf(one: If) -> Booleans:
            n = 2 + place[one.same]
            return one.holds(of_queries[None, :, n] - of_keys[:, None, n])

        found = truth(pairs, leaf, shape)
        wanted = self._compared(node, comparison, of_keys[:, 1], of_queries[:, 1])
        wrong = found != wanted
        if not wrong.any():
            self._seen_or_not.add(node)
        if self.stated.causal:  # later keys are not seen
            at_key, at_query = of_keys[:, None, 0], of_queries[None, :, 0]
            wrong = wrong & ((at_key <= at_query) | (at_key < 0) | (at_query < 0))
        if wrong.any():
            raise LemmaError("it selects other pairs than the program")
        return shape[0] * shape[1]

    def _in_order(self, pairs: If, keys: Holding, queries: Holding, comparison: str) -> bool:
        """Return whether a form rises just as the values do that it holds, and the condition is on its sign alone."""
        if keys is not queries or not np.array_equal(pairs.key, pairs.query):
            return False
        if self.space.constant(pairs.key) or self.stated.causal:
            return False
        grid = self._grid([keys])
        found, asked = grid.ask_form(pairs.key), grid.ask(keys)
        if grid.cases < FEW_VALUES:
            return False
        codes, numbers = np.unique(grid.rows(grid.array(found), asked.numbers()), axis=0).T
        ranks = self.asking.ranks(numbers)
        if ranks is None or (np.diff(ranks) <= 0).any() or (np.diff(codes) <= 0).any():
            return False
        differences, holds = self.differences.of(pairs)
        if not np.array_equal(holds, COMPARISONS[comparison](0, np.sign(differences))):
            raise LemmaError("it selects other pairs than the program")
        return True

    def _compared(
        self, node: Node, comparison: str | Callable[..., Any], keys: Integers, queries: Integers
    ) -> Booleans:
        different = [np.unique(one, return_inverse=True) for one in (keys, queries)]
        holds = self.asking.compared(node, comparison, different[0][0], different[1][0])
        return np.asarray(holds[np.ix_(different[0][1], different[1][1])])

    def _side(self, holding: Holding, forms: Sequence[Integers]) -> Integers:
        """Return rows for all that a key or a query can hold: its position (−1 for any), its value, and the forms."""
        grid = self._grid([holding])
        by_place = self.stated.causal and any(axis.feature == "index" for axis in grid.axes)
        place = grid.ask_form(self.space.index) if by_place else None
        asked, found = grid.ask(holding), [grid.ask_form(form) for form in forms]
        columns = [asked.numbers(), *(grid.array(one) for one in found)]
        columns.insert(0, np.full((1,) * grid.rank, -1, np.int64) if place is None else grid.array(place))
        rows = grid.rows(*columns)
        return np.unique(rows, axis=0) if len(rows) > 64 else rows

    def _selected(self, selector: Node) -> Selection:
        if not self.program.causal and self.stated.causal:
            self._require_looks_back(selector)
        return self.pairs[selector]

    def _require_looks_back(self, selector: Node | None) -> None:
        """Refuse a causal mask where the program selects later positions."""
        if selector is not None and selector not in self._looking_back:
            _, may = self._between_positions(selector)
            if not np.tril(may, -1).any():  # keys after the query
                self._looking_back.add(selector)
        if selector not in self._looking_back:
            raise LemmaError("the mask is causal, and the program may select later positions")

    def _between_positions(self, node: Node) -> tuple[Booleans, Booleans]:
        """Return which keys (rows) queries must and may select, as the program means it, whatever they hold."""
        shape = self.space.positions, self.space.positions
        match node:
            case And(left, right):
                (a, b), (c, d) = self._between_positions(left), self._between_positions(right)
                return a & c, b & d
            case Or(left, right):
                (a, b), (c, d) = self._between_positions(left), self._between_positions(right)
                return a | c, b | d
            case Not(inner):
                must, may = self._between_positions(inner)
                return ~may, ~must
            case Always(selected):
                return np.full(shape, selected), np.full(shape, selected)
            case Matrix(rows):
                given = np.array([row[: shape[0]] for row in rows[: shape[0]]], np.bool_).T
                return given, given
            case Select(keys, queries, comparison):
                if isinstance(self.pairs[node], bool) and node in self._seen_or_not:
                    return np.full(shape, self.pairs[node]), np.full(shape, self.pairs[node])
                numbers = [self._by_position(self.held[one]) for one in (keys, queries)]
                if numbers[0] is not None and numbers[1] is not None:
                    holds = self._compared(node, comparison, numbers[0], numbers[1])
                    return holds, holds
                return self._between_values(node, keys, queries, comparison)
        return np.zeros(shape, np.bool_), np.ones(shape, np.bool_)

    def _between_values(
        self, node: Node, keys: Node, queries: Node, comparison: str | Callable[..., Any]
    ) -> tuple[Booleans, Booleans]:
        """Return which positions must and may be selected, over all values that keys and queries can have there."""
        nothing = np.zeros((self.space.positions, self.space.positions), np.bool_)
        if any(self.held[one].about != "value" for one in (keys, queries)):
            return nothing, ~nothing
        of_keys, of_queries = (self._side(self.held[one], []) for one in (keys, queries))
        if len(of_keys) * len(of_queries) > MOST_PAIRS:
            return nothing, ~nothing
        holds = self._compared(node, comparison, of_keys[:, 1], of_queries[:, 1])
        at_key, at_query = (
            ((one[:, :1] == np.arange(len(nothing))) | (one[:, :1] < 0)).astype(np.float32)
            for one in (of_keys, of_queries)
        )
        met, missed = (at_key.T @ one.astype(np.float32) @ at_query > 0 for one in (holds, ~holds))
        return ~missed, met

    def _by_position(self, holding: Holding) -> Integers | None:
        """Return the values at all positions, where they depend on the position alone."""
        pure = all(self.space.pure_index(form) or self.space.constant(form) for form in forms_of(holding))
        if holding.about != "value" or not pure:
            return None
        grid = self._grid([Affine(self.space.index)])
        asked, place = grid.ask(holding), grid.ask_form(self.space.index)
        return np.broadcast_to(asked.numbers(), grid.array(place).shape)
