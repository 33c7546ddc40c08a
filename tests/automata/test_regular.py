"""An automaton made from a regular expression answers as `re.fullmatch` does, on every short input."""
# ruff: noqa: E501

import re
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.automata.expressions import VOCABULARIES as DRAWN_VOCABULARIES
from tests.automata.expressions import drawn_expressions, texts
from weightsmith.automata import Automaton, compile_regex, expressions, nfa, regular
from weightsmith.errors import InputError

BITS, LETTERS, NEWLINE = ("0", "1"), ("a", "b", "c"), ("\n", "a")
WORDS, ACCENTS = ("the", "cat", "sat"), ("é", "É", "e")
VOCABULARIES = [BITS, LETTERS, NEWLINE, WORDS, ACCENTS]
ODD_VOCABULARIES = [
    ("s", "S", "ſ"),
    ("k", "K", "\u212a"),
    ("i", "İ", "ı"),
    ("_", "-", "٣"),
    ("a", " ", "\n"),
    ("a\n", "b", ""),
    ("a", "b", ""),
]

PATTERNS = [
    "", "0", "01", "(01)*", "(0|1)*11(0|1)*", "0*(10*10*)*", ".", ".*", ".+", "..", "(a|b)*c", "[ab]+", "[^a]*", "[a-b]c?", "[^\\n]*",
    "a{2}", "a{2,}", "a{,2}", "a{1,3}", "(?:ab){0,2}", "a*?", "a+?b", "a??", "(a{1,2}?){2}", "(?:a?){3}", "(?:|a)*", "(?:a*)*", "(?:a*)+b?",
    "(?P<x>a)(b)?", "(?:a|ab)(?:c|bc)", "(?:a(?:b(?:c|)|)|)", "a||b", "a*|b", "(?:a*|b)c", "(?:a+|b?)*c", "(?:a*)?b", "a*b*c*", "(?:)", "(){3}", "a{0}", "(?:a{3}){2}", "[]a]*", "[a^]*", "[\\d\\s]*",
    r"\d+", r"\D+", r"\w+", r"\W+", r"\s", r"\S*", r"[\w]*", r"[^\w]*", r"[^\W]+", r"[\D]*", r"[^\s]*", r"(?a)\w+", r"(?a:\w)\w", r"(?a)(?u:\w)\w*",
    "(?i)é+", "(?i)[é]*e", "(?i)[^é]*", "(?i:É)é", "(?i)A(?-i:a)*", "(?ai)é*", "(?i)[à-ï]*", "(?i)s+", "(?i)[s]+", "(?i)[^s]+", "(?i)k*", "(?i)i*", "(?i)THE( CAT)*", "(?ai)[k]*",
    "^a*$", "a$", "$a", "a^", "(?m)a$", "(?m)a$\\na", "(?m)^a$\\n^a$", "(?m)(^a?$\\n?)*", "a$\\n", "a$\\n$", "a\\Z", "a\\Z\\n", "\\Aa*", "(\\A|a)*", "(?:^a|\\n)*", "($|a)*", "(a|$){3}", "(?m)(?:$|a|\\n){4}", "(?m)(?:^|a)+", "$$^^", "$\\n", "(?m)$\\n", "\\n*$", "(?s).*$", "(?:$|.)*", "(?m:$).*", "(?s:.)*$.?", "(?ms).*^a.*",
    r"\b", r"\B", r"(?:\B)*", r"\ba*\b", r".*\b", r".*\B", r"(\b|a)*", r"(\B|.)*", r"a\Ba", r"a\b\na", r"\bthe\b.*", r".*\bsat\b", r"(?a).*\b", r"(?a:\b).*", r"(?a:\B).*\b", r"(?:\b.){2}.*", r"(\b..\b|.)*",
    "(?s).*", "(?s:.).", "(?s)a.a", "a.a", "(?-s:.)*", "(?x) a b # comment\n | c", "(?x: a [ ] ) b?", "(?x)[a ]*", "(?#comment)a",
    "the( cat)*", "(the|cat)( (the|cat))*", ".* sat", "(?:the |cat )*sat", "t.*t", "the", " the", "the ", "(.{3} ){2}.{3}", "cat.?sat", "[a-t ]*", r"(\w+ )*cat", r"\w+( \w+)?",
]  # fmt: skip
NOT_TRANSLATED = [
    r"(a)\1", "(?P<x>a)(?P=x)", "a(?=b)b", "a(?!b).*", "(?<=a)b", ".(?<!a)b", "(a)?(?(1)b|c)", "(?>a*)b", "a*+b", "a++", "a?+", "a{1,2}+", "(?=)", "(?i)(a)\\1",
]  # fmt: skip


def text_of(tokens: tuple[str, ...], vocabulary: tuple[str, ...]) -> str:
    return ("" if max(map(len, vocabulary)) == min(map(len, vocabulary)) == 1 else " ").join(tokens)


def assert_answers_as_fullmatch(pattern: str | re.Pattern[str], vocabulary: tuple[str, ...], longest: int = 6) -> None:
    """Compare on all inputs up to a length; the empty one too."""
    automaton = compile_regex(pattern, vocabulary)
    assert automaton is not None, f"{pattern!r} is not translated"
    for length in range(longest + 1):
        for ids in product(range(len(vocabulary)), repeat=length):
            text = text_of(tuple(vocabulary[i] for i in ids), vocabulary)
            assert automaton.accepts(ids) == bool(re.fullmatch(pattern, text)), (pattern, text)


@pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=repr)
@pytest.mark.one_in(2)
def test_every_pattern_answers_as_fullmatch(vocabulary: tuple[str, ...]) -> None:
    for pattern in PATTERNS:
        assert_answers_as_fullmatch(pattern, vocabulary)


@pytest.mark.parametrize("vocabulary", ODD_VOCABULARIES, ids=repr)
def test_odd_cases_spaces_and_empty_tokens_answer_as_fullmatch(vocabulary: tuple[str, ...]) -> None:
    for pattern in PATTERNS:
        assert_answers_as_fullmatch(pattern, vocabulary, longest=4)


@pytest.mark.parametrize("flags", [re.I, re.A, re.M, re.S, re.X, re.I | re.A, re.M | re.S, re.I | re.M | re.S | re.X])
def test_flags_of_a_compiled_pattern_count(flags: re.RegexFlag) -> None:
    for pattern, vocabulary in product(
        [r"\w*", "É* e?", "a$.*", ".^a.*", ".*", r".\b.*", r"(?-i:é)É*", "(?s:.).*"], (NEWLINE, ACCENTS)
    ):
        assert_answers_as_fullmatch(re.compile(pattern, flags), vocabulary, longest=5)


def drawn(vocabulary: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Draw regular expressions; nested repeats stay few, because `re` takes exponential time on them."""
    characters = st.sampled_from(sorted({*"".join(vocabulary), " "})).map(re.escape)
    categories = st.sampled_from([r"\d", r"\D", r"\w", r"\W", r"\s", r"\S"])
    ranges = st.tuples(characters, characters).filter(lambda p: p[0][-1] <= p[1][-1]).map("-".join)
    items = st.lists(characters | categories | ranges, min_size=1, max_size=3).map("".join)
    sets = st.builds("[{}{}]".format, st.sampled_from(["", "^"]), items)
    anchors = st.sampled_from(["^", "$", r"\A", r"\Z", r"\b", r"\B", ""])
    bounds = st.sampled_from(["*", "+", "?", "{0}", "{2}", "{,2}", "{1,2}", "{2,}", "{1,3}"])
    groups = st.sampled_from(["(?:", "(", "(?i:", "(?s:", "(?m:", "(?a:", "(?u:", "(?-i:", "(?ms-i:"])

    def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.lists(smaller, min_size=2, max_size=3).map("".join),
            st.builds("({}|{})".format, smaller, smaller),
            st.builds("{}{}){}{}".format, groups, smaller, bounds, st.sampled_from(["", "?"])),
            st.builds("{}{})".format, groups, smaller),
        )

    return st.recursive(characters | characters | sets | categories | st.just(".") | anchors, larger, max_leaves=5)


@given(st.data(), st.sampled_from(VOCABULARIES), st.sets(st.sampled_from([re.I, re.M, re.S, re.A])))
def test_drawn_expressions_answer_as_fullmatch(
    data: st.DataObject, vocabulary: tuple[str, ...], flags: set[re.RegexFlag]
) -> None:
    pattern = data.draw(drawn(vocabulary))
    longest = 3 if vocabulary == WORDS else 6
    assert_answers_as_fullmatch(re.compile(pattern, sum(flags)), vocabulary, longest)


@pytest.mark.parametrize("count", [1000, pytest.param(20_000, marks=pytest.mark.long)])
def test_random_expressions_answer_as_fullmatch(count: int) -> None:
    translated, words = 0, {vocabulary: texts(vocabulary, seed=1) for vocabulary in DRAWN_VOCABULARIES}
    for one in drawn_expressions(count, seed=1):
        automaton, match = compile_regex(one.pattern, one.vocabulary), re.compile(one.pattern).fullmatch
        if one.kind != "looks":
            assert automaton is not None, one
        if automaton is not None:
            translated += 1
            for ids, text in words[one.vocabulary]:
                assert automaton.accepts(ids) == (match(text) is not None), (one, text)
    assert translated > 0.85 * count


@pytest.mark.parametrize("pattern", NOT_TRANSLATED)
def test_what_is_not_translated_exactly_gives_none(pattern: str) -> None:
    assert compile_regex(pattern, LETTERS) is None


@pytest.mark.parametrize(
    "pattern", ["a{1000}", "a{0,1000}", "(a?){1000}", "(a?b?){200}", "(ab|ba|bb){1000}", "a{999,}", "(a{0,20}){0,20}"]
)
def test_bounded_repeats_are_exact_at_their_bounds(pattern: str) -> None:
    automaton = compile_regex(pattern, ("a", "b"))
    assert automaton is not None
    for length in (0, 1, 199, 200, 201, 399, 400, 401, 998, 999, 1000, 1001, 1999, 2000, 2001):
        for ids in ([0] * length, [0, 1] * (length // 2), [0] * length + [1]):
            text = "".join("ab"[i] for i in ids)
            # re itself needs exponential time for nested repeats: the same language is written without them
            plain = {"(a?){1000}": "a{0,1000}", "(a{0,20}){0,20}": "a{0,400}"}.get(pattern, pattern)
            if plain != "(a?b?){200}":
                assert automaton.accepts(ids) == bool(re.fullmatch(plain, text)), length
            elif len(set(ids)) == 1:
                assert automaton.accepts(ids) == (length <= 200), length


@pytest.mark.parametrize(
    "pattern",
    ["(a|b)*a(a|b){40}", "(a{1000}){1000}", "a{4000000000}", "(?:){4000000000}", "(?:(?:){9999}){9999}", "(?:\\b){99999999}"],
)  # fmt: skip
@pytest.mark.one_in(2)
def test_expressions_that_need_too_many_states_give_none(pattern: str) -> None:
    assert compile_regex(pattern, LETTERS) is None


def test_the_number_of_states_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular, "MAX_STATES", 6)
    assert compile_regex("a{4}", LETTERS) is not None
    assert compile_regex("a{5}", LETTERS) is None


def test_a_table_with_too_many_entries_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compile_regex("(the|cat)( the)*", WORDS) is not None
    monkeypatch.setattr(regular, "MAX_ENTRIES", 8)
    assert compile_regex("(the|cat)( the)*", WORDS) is None


def test_deep_nesting_is_answered_or_refused_and_never_a_recursion_error() -> None:
    assert compile_regex("(" * 60 + "a" + ")" * 60, LETTERS) is not None
    with pytest.raises(InputError, match="nested too deeply"):
        compile_regex("(" * 9999 + "a" + ")" * 9999, LETTERS)


@pytest.mark.parametrize("tree", [[("NEWS", None)], [("IN", [("NEWS", None)])], [("AT", "AT_NEWS")], [("IN", [("CATEGORY", "NEWS")])], [3], [("SUBPATTERN", 1)]])  # fmt: skip
def test_a_parse_tree_with_unknown_parts_gives_none(tree: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    class Tree(list[Any]):
        state = SimpleNamespace(flags=int(re.U))

    monkeypatch.setattr(expressions, "import_module", lambda _: SimpleNamespace(parse=lambda *_: Tree(tree)))
    assert compile_regex("a", LETTERS) is None


def test_a_python_without_this_parser_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "import_module", lambda _: SimpleNamespace())
    assert compile_regex("a", LETTERS) is None


def test_a_flag_that_nobody_knows_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nfa, "KNOWN_FLAGS", int(re.U))
    assert compile_regex("(?i)a", LETTERS) is None


def test_nothing_is_printed_for_a_pattern_compiled_with_debug(capsys: pytest.CaptureFixture[str]) -> None:
    pattern = re.compile("a*", re.DEBUG)
    capsys.readouterr()
    assert_answers_as_fullmatch(pattern, LETTERS, longest=3)
    assert capsys.readouterr().out == ""


def test_the_automaton_is_the_smallest_and_equal_languages_give_equal_ones() -> None:
    odd = compile_regex("0*1(0*10*1)*0*", BITS)
    assert odd == Automaton([[0, 1], [1, 0]], [False, True])  # type: ignore[arg-type]
    assert odd == compile_regex("(?:0|10*1)*?1(?:(0|10*1))*", BITS)
    assert odd != compile_regex("(0|10*1)*", BITS)
    ends_in_1_four_ago = compile_regex(".*1...", BITS)
    assert ends_in_1_four_ago is not None
    assert ends_in_1_four_ago.table.shape == (16, 2)


def test_words_get_a_start_that_reads_no_space() -> None:
    only_the = compile_regex("the( the)*", WORDS)
    assert only_the is not None
    assert only_the.table.tolist() == [[1, 2, 2], [1, 2, 2], [2, 2, 2]]
    assert only_the.accepting.tolist() == [False, True, False]
    only_first = compile_regex("cat( the)*", WORDS)
    assert only_first is not None
    assert only_first.accepts([1, 0, 0])
    assert not only_first.accepts([0, 1])
    assert not only_first.accepts([1, 1])


def test_a_large_vocabulary_is_read_in_one_go() -> None:
    vocabulary = tuple(f"w{i}" for i in range(5000))
    automaton = compile_regex(r"w1\d*( w2\d*)*", vocabulary)
    assert automaton is not None
    assert automaton.table.shape == (3, 5000)
    assert automaton.accepts([1999, 2, 2999])
    assert not automaton.accepts([1999, 3])


REGEXES: dict[str, tuple[Any, Any, str]] = {
    "open group": ("0(1", BITS, "'0(1' is not a regular expression: missing ), unterminated subpattern at place 1, '(1'"),
    "nothing to repeat": ("*", BITS, "nothing to repeat at place 0, '*'; write a backslash before what is meant literally"),
    "empty range": ("[b-a]", LETTERS, "bad character range b-a at place 1, 'b-a]'"),
    "no such group": (r"a\2", LETTERS, "invalid group reference 2 at place 2, '2'"),
    "flags": ("(?a)(?u)", LETTERS, "ASCII and UNICODE flags are incompatible"),
    "huge repeat": ("a{99999999999}", LETTERS, "the repetition number is too large"),
    "long": ("(" + "a" * 999, LETTERS, "'(aaaaaaaaaaa"),
    "bytes": (b"a", LETTERS, "b'a' is not a regular expression of texts: write '(01)*'"),
    "bytes pattern": (re.compile(b"a"), LETTERS, "is not a regular expression of texts"),
    "number": (3, LETTERS, "3 is not a regular expression of texts"),
    "none": (None, LETTERS, "None is not a regular expression of texts"),
    "no tokens": ("a", (), "vocabulary must be a tuple of texts, and it is (): write ('0', '1')"),
    "text": ("a", "ab", "vocabulary must be a tuple of texts, and it is 'ab'"),
    "numbers": ("a", (0, 1), "vocabulary must be a tuple of texts, and it is (0, 1)"),
    "set": ("a", {"a"}, "vocabulary must be a tuple of texts, and it is {'a'}"),
}  # fmt: skip


@pytest.mark.parametrize("name", REGEXES)
def test_a_malformed_expression_or_vocabulary_is_refused_with_the_place(name: str) -> None:
    pattern, vocabulary, message = REGEXES[name]
    with pytest.raises(InputError) as caught:
        compile_regex(pattern, vocabulary)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400
