"""The reader of YAML that browsers run says what the parser of the command line says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.lint.plain_yaml import of_plain_yaml
from sitegen.lint.trees import Tree, amount, of_yaml

ROOT = Path(__file__).parents[2]


def shape(tree: Tree) -> Any:
    """What is in a value and where it begins; of scalars also where they end."""
    if tree.kind == "scalar":
        return (tree.start, tree.end, tree.scalar, tree.known)
    if tree.kind == "list":
        return (tree.start, [shape(one) for one in tree.items])
    return (tree.start, {name: shape(one) for name, one in tree.fields.items()}, tree.keys)


def both(text: str) -> tuple[list[Any], list[Any]]:
    return [shape(one) for one in of_yaml(text)], [shape(one) for one in of_plain_yaml(text)]


WRITTEN = {
    "compose": "services:\n  vllm:\n    image: vllm/vllm-openai:v0.10.0  # pinned\n"
    "    command: >\n      --model a/b\n      --tensor-parallel-size 2\n    ports:\n"
    '    - "8000:8000"\n    environment:\n      - A=b\n      - "C=d e"\n',
    "block": "run: |\n  vllm serve a/b \\\n    --port 1\n\n  echo done\nnext: 1\n",
    "kept": "a: |+\n  x\n\nb: |-\n  y\n\nc: >-\n  one\n  two\n\n  three\n    four\n  five\n",
    "flow": "a: {b: [1, 2.5, 'x'], \"c\": null, d: {e: true}}\nf: [\n  1, # one\n  2,\n]\n",
    "quotes": "a: \"x\\n\\\"y\\\" \\u00e4\"\nb: 'it''s'\nc: \"one\n  two\"\nd: ''\n",
    "anchors": "a: &one {b: 1}\nc:\n  <<: *one\n  d: 2\ne: *one\n",
    "lists": "- a: 1\n  b: 2\n-\n  - x\n  - - y\n    - z\n- \n- last\n",
    "plain": "a: one two\n  three\nb: http://x:80/y\nc: a#b\nd: 0.90\ne: 1.0\nf: 1e3\ng: ~\n",
    "empty": "", "comment": "# nothing\n", "document": "---\na: 1\n", "tabs": "a:\t1\n",
    "json": '{"model": "a/b", "n": [1, 2], "t": true}\n',
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_what_people_write_is_read_alike(text: str) -> None:
    theirs, ours = both(text)
    assert ours == theirs


REFUSED = {
    "tag": "a: !include b.yaml\n", "complex key": "? a\n: b\n", "two": "a: 1\n---\nb: 2\n",
    "indicator": "a: |2\n    x\n", "directive": "%YAML 1.2\n---\na: 1\n",
    "unclosed": "a: [1, 2\n", "uneven": "a:\n   b: 1\n  c: 2\n", "two on a line": "a: b: c\n",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_it_does_not_know_is_not_read_at_all(text: str) -> None:
    assert of_plain_yaml(text) == ()


def test_records_and_texts_of_this_project_are_read_alike() -> None:
    paths = sorted((ROOT / "catalog").rglob("*.yaml"))[::12]
    paths += sorted((ROOT / "content").rglob("*.yaml"))
    read = unread = 0
    for path in paths:
        text = path.read_text("utf-8")
        if len(text) > 40_000:
            continue
        theirs, ours = both(text)
        read, unread = read + bool(ours), unread + (bool(theirs) and not ours)
        assert not ours or ours == theirs, path
    assert read > 100
    assert unread <= read // 50


SCALARS = st.one_of(
    st.integers(-9999, 9999), st.booleans(), st.none(),
    st.text("ab 1:#-'\"{}[],&*!|>%@\n\\é.x", max_size=12),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
)  # fmt: skip
KEYS = st.text("abc-_. #:1", min_size=1, max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=300)
@given(VALUES, st.booleans(), st.sampled_from([None, "'", '"', "|"]))
def test_nothing_is_ever_read_otherwise(value: Any, flow: bool, style: Any) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, default_style=style, allow_unicode=True)
    theirs, ours = both(text)
    assert not ours or ours == theirs


def test_a_fraction_that_is_whole_keeps_its_digits_and_is_still_an_amount() -> None:
    tree = next(of_yaml("a: 1.0\nb: 0.5\nc: x\n"))
    assert tree.fields["a"].text() == "1.0"
    assert [amount(tree.fields[name]) for name in "abc"] == [1.0, 0.5, 0.0]
