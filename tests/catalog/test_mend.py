"""Mending a record: what it says and every comment stay, and mending twice is mending once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.catalog.file_names import list_files
from sitegen.catalog.kinds import RECORDS
from sitegen.catalog.mend import mended
from sitegen.catalog.text.source_text import SourceText
from sitegen.catalog.text.yaml_source import compose
from tests.catalog.problem_cases import BOXES, GPU
from tests.catalog.sample import SAMPLE

ROOT = Path(__file__).parents[2]
REAL = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "catalog").glob("*/*.yaml"))[::40]
}


def fix(path: str, text: str, *, tidy: bool = True, renamed: str = "") -> str:
    files = {**SAMPLE, path: text}
    listing = list_files(files)
    file = next(one for one in listing.files if one.source.path == path)
    renames = {file.kind: {}, list_files({GPU: ""}).files[0].kind: {renamed: "rtx-4090"}}
    return mended(file, listing.ids, renames, tidy=tidy)


def comments(text: str) -> list[str]:
    """What stands behind a # outside of every scalar."""
    spans = [
        (one.start_mark.index, one.end_mark.index)
        for one in yaml.parse(text)
        if isinstance(one, yaml.ScalarEvent) and one.start_mark and one.end_mark
    ]
    for start, end in spans:
        text = text[:start] + "_" * (end - start) + text[end:]
    return sorted(re.findall(r"#.*", text))


@pytest.mark.parametrize("path", REAL)
def test_a_real_record_says_the_same_keeps_its_comments_and_is_mended_once(path: str) -> None:
    before = REAL[path]
    after = fix(path, before)
    assert compose(SourceText(path, after)) == compose(SourceText(path, before))
    assert comments(after) == comments(before)
    assert fix(path, after) == after


def test_some_of_the_real_records_change() -> None:
    assert any(fix(path, text) != text for path, text in REAL.items())


@settings(max_examples=60)
@given(
    blocks=st.permutations(
        [
            "# who\nvendor: nvidia\n",
            'architecture: "Ada Lovelace" # quoted\n',
            "vram_gib: 24\n\n",
            "aliases:\n  - 'it''s'\n  - \"a\\tb\"\n# between\n",
            'notes: "it\'s # no comment"\n',
        ]
    )
)
def test_any_order_of_keys_becomes_one_and_nothing_is_lost(blocks: list[str]) -> None:
    head = SAMPLE[GPU].partition("\n")[0] + "\n# about the file\nname: 'RTX 4090'\n"
    text = head + "".join(blocks)
    after = fix(GPU, text)
    assert compose(SourceText(GPU, after))[0] == compose(SourceText(GPU, text))[0]
    assert comments(after) == comments(text)
    assert fix(GPU, after) == after
    order = list(RECORDS[list_files({GPU: ""}).files[0].kind].model_fields)
    known = [key for key in re.findall(r"^([a-z_]+):", after, re.MULTILINE) if key in order]
    assert known == sorted(known, key=order.index)
    assert after.startswith(head)


def test_the_modeline_is_written_and_a_wrong_one_replaced() -> None:
    right = SAMPLE[GPU]
    bare = right.partition("\n")[2]
    other = "# yaml-language-server: $schema=../../schema/v1/combo.schema.json\n"
    for text in (bare, other + bare, "\ufeff" + right):
        assert fix(GPU, text, tidy=False) == right


def test_without_being_named_a_file_keeps_its_order_and_quotes() -> None:
    text = SAMPLE[GPU].replace("name: RTX 4090\n", "") + 'name: "RTX 4090"\n'
    assert fix(GPU, text, tidy=False) == text
    assert "name: 'RTX 4090'\nvendor" in fix(GPU, text)


def test_ids_are_written_as_their_files_are_called() -> None:
    for given_id in ("RTX-4090", "rtx 4090", "old-name"):
        text = SAMPLE[BOXES].replace("gpu: rtx-4090", f"gpu: {given_id}", 1)
        assert text != SAMPLE[BOXES]
        assert fix(BOXES, text, tidy=False, renamed="old-name") == SAMPLE[BOXES]
    unknown = SAMPLE[BOXES].replace("gpu: rtx-4090", "gpu: rtx-4900", 1)
    assert fix(BOXES, unknown, tidy=False) == unknown, "a guess is a judgement"


def test_letters_are_composed() -> None:
    text = SAMPLE[GPU].replace("Ada Lovelace", "Ada Lo\u0308velace")
    assert "Ada L\u00f6velace" in fix(GPU, text, tidy=False)


@pytest.mark.parametrize("broken", ["name: [a\n", "a: 1\na: 2\n", "{vram_gib: 24, name: x}\n"])
def test_what_cannot_be_read_or_moved_keeps_its_words(broken: str) -> None:
    text = SAMPLE[GPU].partition("\n")[0] + "\n" + broken
    assert fix(GPU, text) == text
