"""Bounds of numbers: every unit and key has some, the catalog keeps them, and slips are placed."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import pytest

from sitegen.catalog.bounds import OF_UNIT, OTHERWISE, bounded_keys, bounds_of_key
from sitegen.catalog.checks import constants
from sitegen.catalog.kinds import RECORDS
from sitegen.catalog.load import read_records
from sitegen.catalog.records.parts import ConstantRecord, IntervalRecord, Record
from tests.cli.small_project import REPOSITORY, run, small_project

UNBOUNDED = {
    ("SumAssertion", "terms"),
    ("SumAssertion", "result_high"),
    ("ScoreTableRecord", "scores"),
    ("IntervalFromRecord", "low"),
    ("IntervalFromRecord", "mid"),
    ("IntervalFromRecord", "high"),
}
"""Keys whose items state their bounds, or have a rule of their own by the unit of their board."""


def shapes(annotation: Any) -> Iterator[Any]:
    """Yield the types of what a field can hold."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from shapes(inner[0])
    elif origin is dict:
        yield from shapes(inner[1])
    elif origin in {Union, types.UnionType, tuple}:
        for each in inner:
            yield from shapes(each)
    else:
        yield annotation


def numeric_keys(shape: type[Record], seen: set[type[Record]]) -> Iterator[tuple[str, str]]:
    """Yield record and key of every number below a record that states no two bounds."""
    if shape in seen or issubclass(shape, ConstantRecord):
        return
    seen.add(shape)
    for key, field in shape.model_fields.items():
        for inner in shapes(field.annotation):
            if inner in {int, float, IntervalRecord}:
                if key not in bounded_keys(shape):
                    yield shape.__name__, key
            elif isinstance(inner, type) and issubclass(inner, Record):
                yield from numeric_keys(inner, seen)


def test_every_number_of_a_record_has_the_bounds_of_a_unit() -> None:
    seen: set[type[Record]] = set()
    keys = {found for shape in RECORDS.values() for found in numeric_keys(shape, seen)}
    assert len(keys) > 60
    assert {found for found in keys if bounds_of_key(found[1]) is OTHERWISE} == UNBOUNDED


def test_every_unit_of_a_constant_is_in_the_table() -> None:
    files = {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8")
        for kind in ("assumptions", "runtimes")
        for path in (REPOSITORY / "catalog" / kind).glob("*.yaml")
    }
    records, _ = read_records(files)
    units = {constant.unit for _, _, _, constant in constants.constants_of(records)}
    assert units <= OF_UNIT.keys()


def test_bounds_are_positive_and_in_order() -> None:
    for bounds in OF_UNIT.values():
        assert 0 < bounds.least < bounds.most < 2**63


def test_bounds_are_powers_of_ten_or_of_two_which_a_reader_can_remember() -> None:
    powers = {10.0**power for power in range(-9, 16)} | {2.0**power for power in range(-9, 63)}
    for bounds in OF_UNIT.values():
        assert {bounds.least, bounds.most} <= powers, bounds


SLIPS = (
    ("assumptions/prefill-chunk-paged-tokens.yaml", "value: ", "-1"),
    ("assumptions/decode-efficiency-exllama-nvidia.yaml", "low: ", "0"),
    ("assumptions/power-supply-efficiency.yaml", "low: ", "0"),
    ("assumptions/power-compute-exponent.yaml", "high: ", "1000000"),
    ("gpus/rtx-4090.yaml", "vram_gib: ", "1000000000000000"),
    ("gpus/rtx-4090.yaml", "multiprocessors: ", "1000000000000000"),
    ("gpus/rtx-4090.yaml", "memory_bandwidth_gb_s: ", "1e-300"),
    ("gpus/rtx-4090.yaml", "tdp_watts: ", "4611686018427387904"),
    ("interconnects/pcie-4-x16.yaml", "low: ", "-2.23"),
    ("interconnects/pcie-4-x16.yaml", "low: ", "0"),
    ("quantizations/awq-4bit-g128.yaml", "scale_bits: ", "1000000000000000"),
    ("quantizations/awq-4bit-g128.yaml", "zero_bits: ", "4611686018427387904"),
    ("runtimes/vllm.yaml", "max_num_batched_tokens: ", "1000000000000000"),
    ("models/deepseek-v3.yaml", "v_head_dim: ", "1000000000000000"),
    ("models/deepseek-v3.yaml", "n_shared_experts: ", "4611686018427387904"),
    ("models/qwen3-8b.yaml", "context_tokens: ", "4611686018427387904"),
)


@pytest.mark.parametrize(("path", "key", "number"), SLIPS)
def test_check_places_a_number_that_no_build_survives(
    tmp_path_factory: pytest.TempPathFactory, path: str, key: str, number: str
) -> None:
    root = small_project(tmp_path_factory.mktemp("slip"))
    source = REPOSITORY / "catalog" / path
    lines = source.read_text(encoding="utf-8").splitlines()
    at = next(index for index, line in enumerate(lines) if re.search(rf"\b{key}", line))
    before, _, rest = lines[at].partition(key)
    lines[at] = before + key + number + (rest[rest.index(",") :] if "," in rest else "")
    (root / "catalog" / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("--root", root, "check", "--format", "concise")
    assert done.status == 1
    column = len(before + key) + 1
    place = f"catalog/{path}:{at + 1}:{column}: error[out-of-range]"
    assert place in done.out, done.out


def test_a_constant_of_a_profile_is_placed_and_has_a_hint(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = small_project(tmp_path_factory.mktemp("slip"))
    path = root / "catalog" / "runtimes" / "vllm.yaml"
    text = path.read_text(encoding="utf-8")
    start = text.index("kv_block_tokens:")
    value = text.index("value: ", start)
    end = min(text.index(mark, value) for mark in ("\n", ",") if mark in text[value:])
    path.write_text(text[:value] + "value: 0" + text[end:], encoding="utf-8")
    done = run("--root", root, "check")
    line = text[:value].count("\n") + 1
    assert done.status == 1
    assert f"catalog/runtimes/vllm.yaml:{line}:" in done.out
    assert "`value` of 'kv_block_tokens' must be between 1 and 65,536 tokens, not 0" in done.out
    assert "hint: its unit is 'tokens': compare number and unit with the source" in done.out
