"""The files that recipes write are YAML as PyYAML writes it, to the byte."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sitegen.recipes.recipe import Language
from sitegen.recipes.yaml_text import Plain, yaml_text
from tests.recipes.everything import recipes
from tests.yaml_files import read_yaml

ODD = (
    "", "~", "null", "yes", "Off", "0", "08", "1_000", "0x1f", "1:30", "1.5", ".5", "1e3",
    "1.0e+3", "-.inf", "2026-11-22", "2026-1-2 3:04:05.6 -7", "<<", "=", "-", "- a", "-a", "?",
    "? a", ":", ":a", "a: b", "a:", "a #b", "a#b", "#a", "---", "--model", "...", " a", "a ",
    "it's", "'", '"a"', "{a}",
    "[a", "a[", "${KEY:-}", "8,8", ",", "!a", "&a", "*a", "|", ">", "%", "@", "`",
)  # fmt: skip
"""Texts that look like something else, or nearly."""
texts = st.sampled_from(ODD) | st.text(
    st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"])
)
scalars = texts | st.integers() | st.booleans()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=12
)


def dumped(value: object) -> str:
    text: str = yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")


@pytest.mark.parametrize("text", ODD)
def test_a_text_that_looks_like_something_else_is_quoted_as_pyyaml_does(text: str) -> None:
    assert yaml_text({"key": [text]}) == dumped({"key": [text]})


@given(values)
def test_any_value_is_written_as_pyyaml_does(value: Any) -> None:
    assert yaml_text({"key": value}) == dumped({"key": value})


def test_every_file_of_every_recipe_is_what_pyyaml_would_write_of_it() -> None:
    steps = [step for one in recipes() for step in one.steps if step.language is Language.YAML]
    assert steps
    for step in steps:
        assert dumped(read_yaml(step.text)) == step.text


def test_a_whole_float_keeps_its_decimals_where_it_is_written_out() -> None:
    assert yaml_text([Plain("22.0"), 22]) == "- 22.0\n- 22"


@pytest.mark.parametrize(("value", "error"), [("two\nlines", ValueError), (("tuple",), TypeError)])
def test_what_it_cannot_write_is_refused(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        yaml_text([value])
