"""Example programs in Python: the ones that people compile with Tracr, and those of the RASP paper."""

from collections.abc import Callable, Sequence
from typing import Any

from weightsmith.programs import rasp
from weightsmith.programs.rasp import Comparison, SOp


def everything() -> rasp.Selector:
    return rasp.Select(rasp.tokens, rasp.tokens, Comparison.TRUE)


def length() -> SOp:
    return rasp.SelectorWidth(everything()).named("length")


def hist(of: SOp = rasp.tokens) -> SOp:
    return rasp.SelectorWidth(rasp.Select(of, of, Comparison.EQ)).named("hist")


def reverse() -> SOp:
    mirrored = (length() - rasp.indices - 1).named("mirrored")
    return rasp.Aggregate(rasp.Select(rasp.indices, mirrored, Comparison.EQ), rasp.tokens).named("reverse")


def fraction_so_far(wanted: SOp) -> SOp:
    so_far = rasp.Select(rasp.indices, rasp.indices, Comparison.LEQ)
    return rasp.numerical(rasp.Aggregate(so_far, rasp.numerical(wanted), default=0)).named("fraction")


def balance(opening: str, closing: str) -> SOp:
    opens = fraction_so_far(rasp.tokens == opening)
    closes = fraction_so_far(rasp.tokens == closing)
    return rasp.numerical(rasp.LinearSequenceMap(opens, closes, 1, -1)).named(f"balance {opening}{closing}")


def shuffle_dyck(pairs: Sequence[str]) -> SOp:
    balances = [balance(*pair) for pair in pairs]
    negative, zero = balances[0] < 0, balances[0] == 0
    for one in balances[1:]:
        negative, zero = negative | (one < 0), zero & (one == 0)
    ever_negative = rasp.Aggregate(everything(), rasp.numerical(negative), default=0)
    at_the_end = rasp.Aggregate(rasp.Select(rasp.indices, length() - 1, Comparison.EQ), zero)
    return (at_the_end & ~ever_negative).named("shuffle_dyck")


def sort_unique(values: SOp, keys: SOp) -> SOp:
    rank = rasp.SelectorWidth(rasp.Select(keys, keys, Comparison.LT)).named("rank")
    return rasp.Aggregate(rasp.Select(rank, rasp.indices, Comparison.EQ), values).named("sort")


def sort(values: SOp, keys: SOp, max_length: int) -> SOp:
    unique = rasp.SequenceMap(lambda key, i: key + i / max_length, keys, rasp.indices)
    return sort_unique(values, unique)


def sort_by_frequency(max_length: int) -> SOp:
    return sort(rasp.tokens, -1 * hist(), max_length).named("sort_freq")


def stable_sort(values: SOp, keys: SOp) -> SOp:
    ties = rasp.Select(keys, keys, Comparison.EQ) & rasp.Select(rasp.indices, rasp.indices, Comparison.LT)
    rank = rasp.SelectorWidth(rasp.Select(keys, keys, Comparison.LT) | ties)
    return rasp.Aggregate(rasp.Select(rank, rasp.indices, Comparison.EQ), values)


def is_first() -> SOp:
    same_before = rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ) & rasp.Select(
        rasp.indices, rasp.indices, Comparison.LT
    )
    return (rasp.SelectorWidth(same_before) == 0).named("is_first")


def most_frequent() -> SOp:
    first = is_first()
    return stable_sort(rasp.where(first, rasp.tokens, "-"), rasp.where(first, -hist(), 1)).named("most_frequent")


def hist_of_hist() -> SOp:
    counts, first = hist(), is_first()
    same = rasp.Select(counts, counts, Comparison.EQ) & rasp.Select(first, rasp.Full(True), Comparison.EQ)
    return rasp.SelectorWidth(same).named("hist2")


def next_identical() -> SOp:
    same = rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)
    before = rasp.SelectorWidth(same & rasp.Select(rasp.indices, rasp.indices, Comparison.LT))
    following = same & rasp.Select(before, before + 1, Comparison.EQ)
    return rasp.Aggregate(following, rasp.indices, default=-1).named("next_identical")


def shift_by(offset: int, of: SOp) -> SOp:
    return rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices, lambda k, q: q == k + offset), of)


def ends_pattern(pattern: str) -> SOp:
    found = rasp.tokens == pattern[-1]
    for back, token in enumerate(reversed(pattern[:-1]), start=1):
        found = shift_by(back, rasp.tokens == token) & found
    return found.named(f"ends_pattern({pattern})")


def count_of(wanted: Any) -> SOp:
    return rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, lambda k, q: k == wanted)).named("count")


def rare(most: int) -> SOp:
    counts = hist()
    return rasp.SelectorWidth(rasp.Select(counts, counts, lambda k, q: k <= most)).named("rare")


def with_all(f: Callable[..., Any], first: SOp, *others: SOp) -> SOp:
    """A function of several operations, made of functions of two: tuples grow on the way."""
    together: SOp = rasp.Map(lambda value: (value,), first)
    for one in others:
        together = rasp.SequenceMap(lambda values, value: (*values, value), together, one)
    return rasp.Map(lambda values: f(*values), together)


def three_at_once() -> SOp:
    return with_all(lambda i, n, t: 100 * i + 10 * n + t, rasp.indices, rasp.length, rasp.tokens).named("three")


def dyck_prefixes(pairs: Sequence[str]) -> SOp:
    opens = rasp.Map(lambda t: t in [pair[0] for pair in pairs], rasp.tokens).named("opens")
    closes = rasp.Map(lambda t: t in [pair[1] for pair in pairs], rasp.tokens).named("closes")
    so_far = rasp.Select(rasp.indices, rasp.indices, Comparison.LEQ)
    depth = (rasp.SelectorWidth(so_far & where_true(opens)) - rasp.SelectorWidth(so_far & where_true(closes))).named(
        "depth"
    )
    level = (depth + closes).named("level")
    same_level = rasp.Select(level, level, Comparison.EQ)
    order = rasp.SelectorWidth(same_level & so_far & where_true(opens | closes)).named("order")
    partner = where_true(opens) & same_level & rasp.Select(order, order - 1, Comparison.EQ)
    opener = rasp.Aggregate(partner, rasp.tokens, default="-").named("opener")
    wrong = closes & ~rasp.Map(lambda both: both in pairs, opener + rasp.tokens)
    failed = rasp.SelectorWidth(so_far & where_true(wrong | (depth < 0))) > 0
    return rasp.where(failed, "F", rasp.where(depth == 0, "T", "P")).named("dyck")


def where_true(flag: SOp) -> rasp.Selector:
    return rasp.Select(flag, rasp.Full(True), Comparison.EQ)


def sum_of_two() -> SOp:
    pluses = rasp.Select(rasp.tokens, rasp.Full("+"), Comparison.EQ)
    earlier = rasp.SelectorWidth(pluses & rasp.Select(rasp.indices, rasp.indices, Comparison.LT)).named("earlier")
    first_plus = pluses & rasp.Select(earlier, rasp.Full(0), Comparison.EQ)
    plus = rasp.Aggregate(first_plus, rasp.indices, default=0).named("plus")
    digits = rasp.Map(lambda t: 0 if t == "+" else int(t), rasp.tokens)
    beside = (rasp.indices - (length() - plus)).named("beside")
    left = rasp.Aggregate(rasp.Select(rasp.indices, beside, Comparison.EQ), digits, default=0)
    total = (left + rasp.where(rasp.indices > plus, digits, 0)).named("total")
    passes_on = total == 9
    so_far = rasp.Select(rasp.indices, rasp.indices, Comparison.LEQ)
    ends = rasp.SelectorWidth(so_far & where_true(~passes_on)).named("ends")
    deciding = rasp.Select(ends, ends + 1, Comparison.EQ) & where_true(~passes_on)
    carry = rasp.Aggregate(deciding, total > 9, default=0).named("carry")
    return ((total + carry) % 10).named("sum_of_two")


def parity(wanted: str) -> SOp:
    so_far = rasp.Select(rasp.indices, rasp.indices, Comparison.LEQ)
    return (rasp.SelectorWidth(so_far & where_true(rasp.tokens == wanted)) % 2).named("parity")


def smallest_and_largest() -> SOp:
    smaller = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, Comparison.LT))
    larger = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, Comparison.GT))
    least = rasp.Aggregate(where_true(smaller == 0), rasp.tokens)
    most = rasp.Aggregate(where_true(larger == 0), rasp.tokens)
    return (10 * most + least).named("ends")
