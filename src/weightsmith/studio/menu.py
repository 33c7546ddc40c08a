"""The rewrites as the page's menu offers them: the steps of `weightsmith rewrite`, each with what to write."""

from typing import NamedTuple


class Offer(NamedTuple):
    """A line of the menu."""

    step: str
    name: str
    form: str  # of the value
    example: str
    meaning: str


REWRITES: tuple[Offer, ...] = (
    Offer("--form", "normal form", "FORM", "infinity", "zero-one, infinity or signed; by attention: infinity@4"),
    Offer("--flag", "flag", "NAME=POSITION,…", "here=3", "1 there, 0 elsewhere; here=3@8 makes a table of 8"),
    Offer("--add", "add a vector", "FLAG:LANE=VALUE,…", "here:found=1", "adds it where the flag is up"),
    Offer("--zero", "make the vector 0", "FLAG", "here", "where the flag is up: adds ∞, ∞ and −∞"),
    Offer("--cancel", "subtract the vector", "FLAG", "here", "the same in one block, by subtracting"),
    Offer("--widen", "widen", "NAME,…", "a,b", "new lanes in front, which hold 0"),
    Offer("--ignore", "ignore lanes", "LANE,…", "symbol", "blocks neither read nor write them any more"),
    Offer("--map", "linear map", "LANE=TERMS,…", "x0=2*x1+x0,x1=x0", "at every position; 1:3:… from 1 into 3"),
    Offer("--hide", "hide positions", "FLAG", "here", "no head looks where the flag is up"),
    Offer("--shift", "shift positions", "COUNT", "2", "later in the position table; -2: earlier"),
    Offer("--pad", "pad", "COUNT", "1", "blocks that do nothing"),
    Offer("--to", "another arithmetic", "ARITHMETIC", "fixed(2,2)", "rounds every weight: fixed(4,4), float(4,3) …"),
)
