"""The results of a replay: of one certificate, and of that of a family."""

from dataclasses import dataclass

from weightsmith.check.plan import Shard


@dataclass(frozen=True)
class Replay:
    """The result of a replay."""

    shards: tuple[Shard, ...]
    of: int  # shards with inputs, up to the counterexample
    inputs: int
    counterexample: str | None
    problems: tuple[str, ...]
    proof: bool = False  # whether a proof for all lengths was checked
    every_length: bool = False  # whether the claim is about all lengths

    @property
    def agrees(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    @property
    def chance(self) -> float:
        """The probability of finding a single false shard."""
        return len(self.shards) / self.of if self.of else 1.0

    def __str__(self) -> str:
        """Return the steps and the result, as lines."""
        some = len(self.shards) < self.of
        which = f"{len(self.shards):,} of {self.of:,} shards" if some else f"all {self.of:,} shards"
        done = f"{which}, {self.inputs:,} inputs" if self.of != 1 else f"the only shard, {self.inputs:,} inputs"
        lines = [f"derived again with the reference semantics: {done}"]
        if self.every_length:
            lines = [f"run with the reference semantics: the first {self.inputs:,} inputs"]
            lines += ["its proof was accepted by weightsmith/verify.py"] if self.proof and self.agrees else []
        if self.counterexample is not None:
            lines.append(f"the counterexample {self.counterexample} was run again")
        if some:
            lines.append(f"a single false shard would have been found with probability {100 * self.chance:.2g} %")
        if self.problems:
            return "\n".join([*lines, *self.problems])
        what = "what was derived again" if some or (self.every_length and not self.proof) else "everything"
        return "\n".join([*lines, f"{what} agrees with the certificate"])


@dataclass(frozen=True)
class FamilyReplay(Replay):
    """The result of a replay of a family: the certificate of each T_n."""

    members: int = 0  # how many n the certificate has
    built: bool = False  # whether every T_n was built again

    def __str__(self) -> str:
        """Return the steps and the result, as lines."""
        lines = [f"derived again with the reference semantics: T_1 … T_{self.members}, {self.inputs:,} inputs"]
        if self.problems:
            return "\n".join([*lines, *self.problems])
        lines += ["every T_n was built again, and has the digest of the certificate"] if self.built else []
        return "\n".join([*lines, "everything agrees with the certificate"])
