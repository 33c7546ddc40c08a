"""Example programs as RASP text; each is the last sequence operation of its text."""

from collections.abc import Sequence

LENGTH = "size = selector_width(full_s);"
HIST = "counts = selector_width(select(tokens, tokens, ==));"
REVERSE = """
mirrored = select(indices, length - 1 - indices, ==);
reversed = aggregate(mirrored, tokens);
"""
FRACTION = 'fraction = aggregate(select(indices, indices, <=), indicator(tokens == "a"));'
BALANCE = """
def so_far(flag) {
    return aggregate(select(indices, indices, <=), indicator(flag));
}
balance = so_far(tokens == "(") - so_far(tokens == ")");
"""
SORT = "ordered = sort(tokens_int, tokens_int);"
SORT_BY_FREQUENCY = "ordered = sort(tokens, -hist(tokens));"
FIRST = """
before = select(tokens, tokens, ==) and select(indices, indices, <);
first = not has_focus(before);
counts = hist(tokens);
"""
MOST_FREQUENT = f"""{FIRST}
most_frequent = sort(tokens if first else "-", -counts if first else 1);
"""
HIST_OF_HIST = f"""{FIRST}
hist2 = selector_width(select(counts, counts, ==) and select(first, True, ==));
"""
NEXT_IDENTICAL = "following = aggregate(select_next_identical(tokens), indices, -1);"
SHIFT = 'moved = shift(tokens, 1, "-");'
PATTERN = """
pattern = "abc";
found = True;
for back in range(len([c for c in [0, 1, 2]])) {
    # the token so many positions before this one
    token = tokens if back == 0 else shift(tokens, back, "-");
    found = found and token == pattern[2 - back];
}
out_of_loop = found;
"""
COUNT = 'total = count(tokens, "a");'
RARE = """
counts = hist(tokens);
rare = selector_width(select(counts <= 2, True, ==));
"""
THREE = "three = 100 * indices + 10 * length + tokens_int;"
PARITY = 'parity = round((indices + 1) * aggregate(select(indices, indices, <=), indicator(tokens == "a"))) % 2;'
ENDS = "ends = 10 * maximum(tokens_int) + minimum(tokens_int);"
SUM_OF_TWO = """
value_of = {"0": 0, "1": 1, "8": 8, "9": 9, "+": 0};
plus = aggregate(select(tokens, "+", ==), indices);
digits = value_of[tokens];
left = aggregate(select(indices, indices - (length - plus), ==), digits, 0);
total = left + (digits if indices > plus else 0);
passes_on = total == 9;
ends = selector_width(select(indices, indices, <=) and select(passes_on, False, ==));
deciding = select(ends, ends + 1, ==) and select(passes_on, False, ==);
carry = aggregate(deciding, indicator(total > 9), 0);
digit = (total + carry) % 10;
"""


ROVER = """
# clauses such as "aA" (a is in A) and "AB" (what is in A is in B); the last clause is the question
clause = selector_width(select(tokens, ",", ==) and select(indices, indices, <));
same_clause = select(clause, clause, ==);
place = selector_width(same_clause and select(indices, indices, <));
subject = aggregate(same_clause and select(place, 0, ==), tokens, "-");
told = place == 1 and clause < clause[-1];
asked = select(clause, clause[-1], ==);
who = aggregate(asked and select(place, 0, ==), tokens, "-");
what = aggregate(asked and select(place, 1, ==), tokens, "-");

def said(subjects, target) {
    return has_focus(subjects and select(told and tokens == target, True, ==));
}
in_A = said(select(subject, who, ==), "A");
in_B = said(select(subject, who, ==), "B");
reached_A = in_A or (in_B and said(select(subject, "B", ==), "A"));
reached_B = in_B or (in_A and said(select(subject, "A", ==), "B"));
answer = "T" if (what == "A" and reached_A) or (what == "B" and reached_B) else "?";
"""


def shuffle_dyck(pairs: Sequence[str]) -> str:
    """Whether every kind of bracket is balanced, whatever the other kinds do."""
    return f"""
    so_far = select(indices, indices, <=);
    good = True;
    for pair in {list(pairs)!r} {{
        opens = round((indices + 1) * aggregate(so_far, indicator(tokens == pair[0])));
        closes = round((indices + 1) * aggregate(so_far, indicator(tokens == pair[1])));
        good = good and not has_focus(select(opens - closes < 0, True, ==)) and (opens - closes)[-1] == 0;
    }}
    answer = good;
    """.replace("'", '"')


def dyck_prefixes(pairs: Sequence[str]) -> str:
    """For each prefix "T", "P" or "F"."""
    return f"""
    def prefixes(pairs) {{
        opens = tokens in [pair[0] for pair in pairs];
        closes = tokens in [pair[1] for pair in pairs];
        so_far = select(indices, indices, <=);
        def number(flag) {{
            return selector_width(so_far and select(flag, True, ==));
        }}
        depth = number(opens) - number(closes);
        level = depth + indicator(closes);
        same_level = select(level, level, ==);
        order = selector_width(same_level and so_far and select(opens or closes, True, ==));
        partner = select(opens, True, ==) and same_level and select(order, order - 1, ==);
        opener = aggregate(partner, tokens, "-");
        wrong = closes and not (opener + tokens in pairs);
        failed = number(wrong or depth < 0) > 0;
        return "F" if failed else ("T" if depth == 0 else "P");
    }}
    answer = prefixes({list(pairs)!r});
    """.replace("'", '"')


# with comments, an unused name, an empty line and a tab
BACK = """# how often does each token occur?
hist = selector_width(select(tokens, tokens, ==));
unused = indices + 1;

flip = length - indices - 1;
\treverse = aggregate(select(indices, flip, ==), tokens);
back = reverse + "!" if hist > 1 else reverse;
"""
