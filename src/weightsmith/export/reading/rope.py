"""Rotary positions of a config.json, with the ways in which their angles are scaled for long inputs."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from weightsmith.errors import FileError, brief, listed
from weightsmith.export.reading.config import Config
from weightsmith.model.distances import LEAST_SCALE, Rotary


class Turning(NamedTuple):
    """Rotary positions, and a factor for the scores: cosines and sines may be multiplied too."""

    positions: Rotary
    factor: float = 1.0


class Angles(NamedTuple):
    """What a kind of scaling reads: the angle of each pair at position 1, and the length of the training."""

    rope: Config
    inverse: list[float]
    base: float
    trained: int


def rotary(config: Config, size: int, share: float = 1.0, base: str = "rope_theta", part: str = "") -> Turning:
    """Return the rotary positions of heads of a size; refuse those whose kind of scaling is not read.

    Newer configs have everything in rope_parameters; older ones have the base, the share of the coordinates that turn
    (`part`, which is `share` unless given) and rope_scaling. "dynamic" is "default" as long as the input is not longer
    than the model was trained for: see `longest`.
    """
    name = "rope_parameters" if "rope_parameters" in config.fields else "rope_scaling"
    given = config.get(name, {})
    if not isinstance(given, dict):
        raise config.refusal(name, "write an object")
    rope = Config(given)
    kind = rope.get("rope_type", rope.get("type", "default"))
    if not isinstance(kind, str) or kind not in SCALINGS:
        raise FileError(
            f"config.json has {name} of the kind {brief(kind)}, which is not read: only the kinds "
            f"{listed(list(SCALINGS))} are"
        )
    turning = rope.number("partial_rotary_factor", config.number(part, share) if part else share)
    coordinates = int(size * turning)
    if not 2 <= coordinates <= size or coordinates % 2:
        raise FileError(
            f"config.json lets {coordinates} of {size} coordinates of a head turn: they turn in pairs, so it must be "
            "an even number, and some"
        )
    theta = rope.number("rope_theta", config.number(base, 10000.0))
    if theta <= 1:
        raise FileError(f"config.json has {base}={brief(theta)}: write a number above 1")
    inverse = [theta ** (-2 * p / coordinates) for p in range(coordinates // 2)]
    scales, factor = SCALINGS[kind](Angles(rope, inverse, theta, _trained(config, rope, kind)))
    if factor != 1 and coordinates != size:
        raise FileError(f"config.json has {name} of the kind {brief(kind)} for a part of each head, which is not read")
    if any(not LEAST_SCALE <= scale <= 1 for scale in scales):
        raise FileError(f"config.json has {name} that scale an angle by {brief(min(scales))}: write factors from 1 on")
    shown = None if all(scale == 1 for scale in scales) else tuple(scales)
    return Turning(Rotary(theta, size=None if coordinates == size else coordinates, scales=shown), factor)


def _trained(config: Config, rope: Config, kind: str) -> int:
    """Return the length for which a model was trained before its angles were scaled, where that matters."""
    name = "original_max_position_embeddings"
    if kind not in ("llama3", "yarn"):
        return 1
    for fields in (config, rope):
        if name in fields.fields:
            return fields.whole(name)
    return config.whole("max_position_embeddings")


def _unscaled(angles: Angles) -> tuple[list[float], float]:
    return [1.0] * len(angles.inverse), 1.0


def _linear(angles: Angles) -> tuple[list[float], float]:
    return [1 / _factor(angles.rope)] * len(angles.inverse), 1.0


def _llama3(angles: Angles) -> tuple[list[float], float]:
    """Return scales that grow from 1/factor, for pairs that turn seldom within the training's length, to 1.

    A pair turns `trained · angle / 2π` times within that length.
    """
    rope, factor = angles.rope, _factor(angles.rope)
    low, high = rope.number("low_freq_factor"), rope.number("high_freq_factor")
    if not 0 < low < high:
        raise FileError(
            f"config.json has low_freq_factor={low:g} and high_freq_factor={high:g}: the second must be the larger one"
        )
    turns = [angles.trained * angle / (2 * math.pi) for angle in angles.inverse]
    kept = [min(1.0, max(0.0, (each - low) / (high - low))) for each in turns]
    return [(1 - share) / factor + share for share in kept], 1.0


def _yarn(angles: Angles) -> tuple[list[float], float]:
    """Return scales from 1, for the first pairs, down to 1/factor, for the last; and the factor of the scores."""
    rope, count = angles.rope, len(angles.inverse)
    factor = _factor(rope)
    fast, slow = (rope.number(name, default) or default for name, default in (("beta_fast", 32.0), ("beta_slow", 1.0)))

    def place(turns: float) -> float:
        """Return the number of the pair that turns so often within the length of the training."""
        return count * math.log(angles.trained / (turns * 2 * math.pi)) / math.log(angles.base)

    first, last = place(fast), place(slow)
    if rope.flag("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, 2 * count - 1)
    last = last + 0.001 if first == last else last
    scaled = [min(1.0, max(0.0, (p - first) / (last - first))) for p in range(count)]
    return [share / factor + (1 - share) for share in scaled], _of_scores(rope, factor) ** 2


def _of_scores(rope: Config, factor: float) -> float:
    """Return the number by which yarn multiplies cosines and sines."""

    def grown(by: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * by * math.log(factor) + 1.0

    if "attention_factor" in rope.fields:
        return rope.number("attention_factor")
    one, all_of_them = rope.number("mscale", 0.0), rope.number("mscale_all_dim", 0.0)
    return grown(one) / grown(all_of_them) if one and all_of_them else grown(1.0)


def _factor(rope: Config) -> float:
    factor = rope.number("factor")
    if not 1 <= factor <= 1 / LEAST_SCALE:
        raise rope.refusal("factor", f"write a number from 1 to {1 / LEAST_SCALE:,.0f}")
    return factor


SCALINGS: Mapping[str, Callable[[Angles], tuple[list[float], float]]] = {
    "default": _unscaled,
    "dynamic": _unscaled,
    "linear": _linear,
    "llama3": _llama3,
    "yarn": _yarn,
}


def longest(config: Config) -> tuple[int, str] | None:
    """Return how long inputs may be for the model to mean what it does in Hugging Face, and why; None for any length.

    Beyond the length of its training "dynamic" angles change.
    """
    rope = config.get("rope_parameters", config.get("rope_scaling", {}))
    if rope.get("rope_type", rope.get("type")) != "dynamic":
        return None
    return config.whole("max_position_embeddings"), "dynamic rotary positions"
