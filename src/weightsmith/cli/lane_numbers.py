"""The grammar of `--key` and `--value`, `tower=1,eiffel=1`: for `weightsmith memory`, and for the studio."""

from weightsmith.errors import InputError, brief


def read_numbers(text: str, option: str) -> dict[str, float]:
    """Read LANE=NUMBER,LANE=NUMBER,…; a lane may have = and spaces in its name, but no comma."""
    result: dict[str, float] = {}
    for part in text.split(","):
        lane, equals, value = part.rpartition("=")
        try:
            amount = float(value) if equals else None
        except ValueError:
            amount = None
        if amount is None or not lane.strip():
            raise InputError(f"{option} {brief(part)}: write LANE=NUMBER, as in {option} tower=1,eiffel=1")
        if lane.strip() in result:
            raise InputError(f"{option} names the lane {brief(lane.strip())} twice: write each lane once")
        result[lane.strip()] = amount
    return result
