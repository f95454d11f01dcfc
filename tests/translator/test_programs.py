"""The same programs in both languages give the same answers."""

from __future__ import annotations

import inspect
import json
import random
from pathlib import Path
from typing import Any

import pytest

from sitegen.browser.translator import TranslationError, bundle
from sitegen.render import filters
from sitegen.site.cells import NumberCell, Span, Unit
from tests.translator import programs
from tests.translator.running import run_calls, runtime

TIES = [0.5, 1.5, 2.5, -0.5, -2.5, 0.125, 0.375, 2.675, 1e-7, 123456.5, 1234567.891, 0.05, 99.95,
        1e6, 123456789.0, 0.0001234567, 0.00001234567, 7.0, 1 / 3]  # fmt: skip
CALLS: list[tuple[str, list[Any]]] = [
    ("arithmetic", [17, 5]), ("arithmetic", [-17, 5]), ("arithmetic", [2**50 + 1, 3]),
    ("rounding", [TIES]), ("keys", []), ("by_value", []), ("sets", []), ("ordering", []),
    ("comprehensions", [5]), ("comprehensions", [0]), ("objects", []), ("generators", []),
    ("control", [[1, 7, 9]]), ("control", [[-1, 0, 3, 8]]), ("texts", ["gpu-a-b"]),
    ("texts", ["x=y"]), ("library", [["ab", "ac", "b", "ab", "ü" * 70]]), ("holders", []),
    ("kept", []), ("written", [True]), ("heirs", []), ("added", []),
    ("shell", [["", "it's", "a=b=c", "'x'", "plain-1/2", "$HOME", "12", "...", "12\n", "é"]]),
    ("patterns", [["a1b22", "no", "x=1;y=2\n", "A_b-C", ""]]),
    ("attempts", [["1", "x", "0x1", "2.5"]]),
    ("words_of", [["  a b ", "a--b", "Ab", "é1", "x\ny\n"]]), ("spread", []), ("sought", []),
    ("written", [{"a": [1, 2.5, None]}]), ("written", [["é\"\n\x7f"]]),
]  # fmt: skip


def source(module: str) -> str | None:
    return inspect.getsource(programs) if module == programs.__name__ else None


def test_programs_answer_alike(tmp_path: Path) -> None:
    here = [getattr(programs, name)(*given) for name, given in CALLS]
    there = run_calls(source, programs.__name__, CALLS, tmp_path)
    for (name, given), mine, theirs in zip(CALLS, here, there, strict=True):
        assert theirs == json.loads(json.dumps(mine, default=list)), (name, given)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def f(a, b): return a ** b", "Pow"),
        ("def f(a):\n    try:\n        return a\n    finally:\n        a = 0", "finally"),
        ("def f(**a): return a", "among the parameters"),
        ("def f(a): return a[::2]", "slice with a step"),
        ("def f(a): return unknown(a)", "nobody defines 'unknown'"),
        ("def f(a): return a.b()", "the method 'b'"),
        ("class A:\n    def b(self, d): return d\ndef f(): return A().b(c=1)", "keywords of 'b'"),
        ("def f(a): return 1 < a() < 3", "middle of a chain"),
        ("class f(dict): pass", "the bases"),
        ("class A: pass\nclass B: pass\nclass f(A, B): pass", "the bases A, B"),
        ("@dataclass\nclass A:\n    a: int\nclass f(A): pass", "fields or bases of the base A"),
        ("class A: pass\nclass B(A): pass\nclass f(B): pass", "fields or bases of the base B"),
        ("async def f(): pass", "defines no f"),
        ("def f(a): return b'x'", "a constant"),
        ("def f(a):\n    *b, c = a\n    return c", "line 2: a starred target"),
    ],
)
def test_what_has_no_counterpart_is_refused_with_its_line(body: str, words: str) -> None:
    with pytest.raises(TranslationError, match=words):
        bundle({"m": body}.get, [("m", "f")], {})


def test_only_what_is_needed_is_translated() -> None:
    text = "A = 1\nB = 2\ndef f(): return A\ndef g(): return B ** A\n"
    made = bundle({"m": text}.get, [("m", "f")], {})
    assert {name for _, name in made.names} == {"A", "f"}


def test_numbers_are_printed_alike(tmp_path: Path) -> None:
    dice = random.Random(7)  # noqa: S311 - a seeded sample
    program = (
        "from sitegen.render.filters import quantity, span\n"
        "from sitegen.site.cells import NumberCell, Span, Unit\n"
        "def one(value, unit): return quantity(NumberCell(value, Unit(unit)))\n"
        "def two(low, mid, high, unit, with_mid):\n"
        "    return span(Span(low, mid, high, Unit(unit), with_mid))\n"
    )

    def read(module: str) -> str | None:
        modules = {"filters": filters, "cells": inspect.getmodule(Unit)}
        if module == "m":
            return program
        name = module.rpartition(".")[2]
        known = module.startswith("sitegen.") and name in modules
        if module == "sitegen.units":
            return "GIB = 2**30\nGB = 10**9\nKIB = 2**10\n"
        found = modules.get(name)
        return inspect.getsource(found) if known and found else None

    calls: list[tuple[str, list[Any]]] = []
    expected = []
    for unit in Unit:
        for _ in range(60):
            size = 10.0 ** dice.uniform(-7, 14)
            value = dice.choice([size, round(size), round(size, 1), round(size * 2) / 2, 0.0])
            low, mid, high = sorted((value, value * dice.uniform(1, 1.2), value * 1.3))
            calls += [("one", [value, unit]), ("two", [low, mid, high, unit, dice.random() < 0.5])]
            expected.append(filters.quantity(NumberCell(value, unit)))
            expected.append(filters.span(Span(low, mid, high, unit, calls[-1][1][4])))
    assert run_calls(read, "m", calls, tmp_path) == expected


def test_the_runtime_is_plain_text_without_the_end_of_a_script() -> None:
    assert "</script" not in runtime()
