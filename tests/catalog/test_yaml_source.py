"""YAML as the catalog reads it: what scalars mean, and what an attacker gets."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.catalog.text.positions import locate
from sitegen.catalog.text.source_text import SourceText, decode
from sitegen.catalog.text.yaml_source import MAX_DEPTH, MAX_PROBLEMS, Plain, compose
from sitegen.problems import Problem


def value_of(text: str) -> Plain:
    value, problems = compose(SourceText("x.yaml", text))
    assert problems == ()
    return value


def problems_of(text: str) -> tuple[Problem, ...]:
    return compose(SourceText("x.yaml", text))[1]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [  # YAML 1.2.2, section 10.3.2; words and colons that YAML 1.1 read otherwise are text
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("y", "y"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("12:30", "12:30"),
        ("2026-11-20", "2026-11-20"),
        ("2026-02-30", "2026-02-30"),
        ("1_000", "1_000"),
        ("017", "017"),
        ("-08", "-08"),
        ("0o17", 15),
        ("0xff", 255),
        ("0b11", "0b11"),
        ("0", 0),
        ("-3", -3),
        ("+3", 3),
        ("3.10", 3.1),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e6", 1_000_000.0),
        ("1.5.2", "1.5.2"),
        ("0.19.0", "0.19.0"),
        ("v0.19", "v0.19"),
        ("-", None),
        ("'24'", "24"),
        ('"true"', "true"),
        ("9223372036854775807", 9223372036854775807),
        ("infinity", "infinity"),
        ("nan", "nan"),
    ],
)
def test_a_scalar_means_what_yaml_1_2_says(text: str, meaning: Plain) -> None:
    value = value_of(f"key: {text}\n") if text != "-" else {"key": None}
    assert value == {"key": meaning}
    assert isinstance(value, dict)
    assert type(value["key"]) is type(meaning)


@pytest.mark.parametrize(
    "text", [".inf", "-.INF", ".nan", "1e999", "9223372036854775808", "9" * 5000]
)
def test_a_number_that_cannot_be_held_is_refused(text: str) -> None:
    (problem,) = problems_of(f"a: 1\nkey: {text}\n")
    assert (problem.code, problem.span.line, problem.span.column) == ("yaml-number", 2, 6)


def test_block_text_keeps_its_lines() -> None:
    assert value_of("a: |\n  one\n  two\nb: >-\n  one\n  two\n") == {
        "a": "one\ntwo\n",
        "b": "one two",
    }


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_ends_at_the_limit_and_not_in_a_crash(opening: str) -> None:
    started = time.process_time()
    problems = problems_of(opening * 100_000)
    assert {problem.code for problem in problems} <= {"yaml-depth", "yaml-key", "yaml-syntax"}
    assert problems
    assert time.process_time() - started < 5, "work that grows faster than the text"


def test_nesting_up_to_the_limit_is_read() -> None:
    assert problems_of("[" * MAX_DEPTH + "]" * MAX_DEPTH) == ()
    (problem,) = problems_of("[" * (MAX_DEPTH + 1))
    assert (problem.code, problem.span.column) == ("yaml-depth", MAX_DEPTH + 1)


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
    )
    problems = problems_of(bomb)
    assert problems[0].code == "yaml-anchor"
    assert problems[0].span.line == 1


def test_a_self_reference_is_refused() -> None:
    assert {problem.code for problem in problems_of("a: &a [*a]")} == {"yaml-anchor"}


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system [id]", "!!str 1", "!x y", "! 12"])
def test_no_tag_constructs_anything(tag: str) -> None:
    (problem,) = problems_of(f"a: {tag}\n")
    assert (problem.code, str(problem.span)) == ("yaml-tag", "x.yaml:1:4")


def test_a_duplicate_key_names_both_lines() -> None:
    (problem,) = problems_of('a: 1\nb: 2\n"a": 3\n')
    assert (problem.code, problem.span.line) == ("yaml-duplicate", 3)
    assert problem.hint == "the first is on line 1"


def test_equal_keys_of_different_mappings_are_no_duplicates() -> None:
    assert value_of("- {a: 1}\n- {a: 2, b: {a: 3}}\n") == [{"a": 1}, {"a": 2, "b": {"a": 3}}]


@pytest.mark.parametrize("quote", ["'", '"'])
def test_an_open_quote_is_reported_where_it_opens(quote: str) -> None:
    text = f"name: {quote}RTX 3090\nvendor: nvidia\nlist:\n  - {quote}a{quote}\n"
    (problem,) = problems_of(text)
    assert (problem.span.line, problem.span.column) == (1, 7)
    assert problem.message == "a quoted text that is not closed"
    (other,) = problems_of(f"name: {quote}RTX\n  3090{quote}\nvendor: a: b\n")
    assert other.span.line == 3


def test_problems_of_one_file_come_together_and_have_an_end() -> None:
    assert [p.span.line for p in problems_of("a: &x 1\nb: !t 2\nb: .nan\n")] == [1, 2, 3, 3]
    assert len(problems_of("".join(f"k{i}: .nan\n" for i in range(1000)))) == MAX_PROBLEMS


@pytest.mark.parametrize(
    "character",
    ["\x00", "\x1b", "\r", "\x85", "\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\ud800"],
)
def test_a_character_that_hides_is_named_with_its_place(character: str) -> None:
    (problem,) = problems_of(f"name: x\nnotes: a{character}b\n")
    assert f"U+{ord(character):04X}" in problem.message
    assert (problem.code, str(problem.span)) == ("character", "x.yaml:2:9")
    assert character not in str(problem)


def test_an_escape_cannot_smuggle_a_character() -> None:
    for escape in (r"\0", r"\e", r"\u202e", r"\ufeff"):
        (problem,) = problems_of(f'a: "x{escape}"\n')
        assert problem.code == "character"


def test_windows_line_ends_read_like_others_and_a_lone_one_does_not() -> None:
    assert decode("x.yaml", b"a: 1\r\nb: 2\r\n") == ("a: 1\nb: 2\n", None)
    text, _ = decode("x.yaml", b"a: 1\rb: 2\n")
    (problem,) = problems_of(text)
    assert problem.message == "the character U+000D carriage return is not allowed"


def test_positions_are_those_an_editor_shows() -> None:
    text = (
        "name: Größe\nnodes:\n  - gpus:\n      - gpu: 'rtx-4090'\n        count: 2\n    link: x\n"
    )
    places = locate(text)
    count = places[("nodes", 0, "gpus", 0, "count")]
    assert (count.key_line, count.key_column, count.line, count.column) == (5, 9, 5, 16)
    assert places[("nodes", 0, "gpus", 0, "gpu")].text == "rtx-4090"
    assert places[("nodes", 0, "link")].line == 6
    assert ("nodes", 1) not in places


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text("ab .,-_é", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=200)
@given(plain)
def test_json_is_read_as_json(value: Plain) -> None:
    assert value_of(json.dumps(value, ensure_ascii=False)) == value


@settings(max_examples=300)
@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"%@`#,? \n\t\\0.~<"), max_size=60))
def test_any_text_gives_a_value_or_problems_with_places(text: str) -> None:
    value, problems = compose(SourceText("x.yaml", text))
    lines = text.split("\n")
    for problem in problems:
        assert 1 <= problem.span.line <= len(lines) + 1
    if not problems:
        locate(text)
        if not set("|>") & set(text):  # the line break after a block scalar belongs to it
            assert value == compose(SourceText("x.yaml", text + "\n"))[0]
