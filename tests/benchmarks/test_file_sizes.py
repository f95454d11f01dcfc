"""Published file sizes, copied by hand, beside the sizes that the rules make."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.accuracy.file_sizes import SizeComparison, SizeSkipped, compare, size_of
from benchmarks.file_sizes import main, table
from benchmarks.measurements.parts import Unusable
from benchmarks.measurements.world import World, read_world
from sitegen.units import GB, GIB

ROOT = Path(__file__).parents[2]

FILE: dict[str, Any] = {
    "id": "B1", "kind": "published_file", "format": "gguf", "size_bytes": None, "bpw": None,
    "source_url": "https://huggingface.co/someone/files",
}  # fmt: skip


@cache
def world() -> World:
    return read_world(ROOT)


def row(model: str, quant: str, value: float, unit: str, **said: Any) -> dict[str, Any]:
    return {**FILE, "model": model, "quant": quant, "size_value": value, "size_unit": unit, **said}


def compared(*given: Any, **said: Any) -> SizeComparison:
    found = compare(world(), row(*given, **said))
    assert isinstance(found, SizeComparison), found
    return found


@pytest.mark.parametrize(
    ("model", "quant", "size", "tolerance"),
    [
        ("Llama-3.1-8B-Instruct", "Q4_K_M", 4_920_739_232, 0.001),
        ("Llama-3.1-8B-Instruct", "Q8_0", 8_540_775_840, 0.001),
        ("Llama-3.2-3B-Instruct", "Q4_K_M", 2_019_377_696, 0.002),
        ("orca-2-7b.Q4_0", "q4_0", 3_825_824_192, 0.001),
    ],
)
def test_files_of_known_byte_count(model: str, quant: str, size: int, tolerance: float) -> None:
    one = compared(model, quant, size, "bytes", size_bytes=size)
    assert abs(one.error) < tolerance
    assert one.rounding == 0


@pytest.mark.parametrize(
    ("model", "quant", "gib"),
    [
        ("Meta-Llama-3-70B", "Q4_K - Medium", 39.59),
        ("LLaMA 30B", "Q4_0", 17.09),
        ("LLaMA 13B", "F16", 24.24),
        ("Codestral-22B-v0.1", "Q6_K", 17.0),
        ("Ministral-3-14B-Instruct-2512", "BF16", 25.16),
        ("Ministral-3-8B-Instruct-2512", "Q4_K_M", 4.83),
        ("gpt-oss-120b-mxfp4", "MXFP4 MoE", 59.02),
    ],
)
def test_tensor_data_that_engines_log_lies_inside_its_rounding(
    model: str, quant: str, gib: float
) -> None:
    one = compared(model, quant, gib, "GiB", kind="engine_logged")
    assert one.published == gib * GIB
    assert one.inside_rounding


def test_an_importance_matrix_changes_the_types_of_some_mixes() -> None:
    """Bartowski's IQ3_XXS of Llama 3 8B has 3.27 GB; without a matrix it would have 3 % more."""
    given = ("Meta-Llama-3-8B-Instruct", "IQ3_XXS", 3.27, "GB")
    by_maker = compared(*given, source_url="https://huggingface.co/bartowski/x-GGUF")
    assert abs(by_maker.error) < 0.005
    assert compared(*given).error > 0.03


def test_other_formats_are_compared_by_their_recipe() -> None:
    awq = compared("Mixtral-8x7B-Instruct-v0.1", "AWQ 4-bit", 24.64, "GB", format="awq")
    assert abs(awq.error) < 0.001


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (row("x", "Q4_K_M", 1, "GB", kind="suspect"), "doubted by its gatherer"),
        (row("x", "EXL2", 1, "GB", kind="published_vram_table"), "no file size"),
        (row("x", "Q4_K_M", 1, "parts"), "unit not stated"),
        (row("no-such-model", "Q4_K_M", 1, "GB"), "model not in the catalog"),
        (row("Qwen3-8B", "UD-Q4_K_XL", 1, "GB"), "a mix or format without a recipe"),
        (row("Qwen3-8B-UD-Q8_K_XL", "Q8_0", 1, "GB"), "a maker's mix"),
        (
            row("DeepSeek-R1", "Q6_K", 311.3, "GiB", bpw=3.98),
            "bits per weight contradict the label, which names one type of a mix",
        ),
    ],
)
def test_what_cannot_be_compared_says_why(said: dict[str, Any], reason: str) -> None:
    found = compare(world(), said)
    assert isinstance(found, SizeSkipped)
    assert found.reason == reason


def test_a_printed_size_has_a_rounding_of_half_its_last_digit() -> None:
    size, rounding = size_of(row("x", "Q8_0", 3.27, "GB"))
    assert size == 3.27 * GB
    assert rounding == pytest.approx(0.005 * GB)
    assert size_of(row("x", "Q8_0", 219, "GB")) == (219 * GB, 0.5 * GB)
    with pytest.raises(Unusable):
        size_of(row("x", "Q8_0", 1, "MB?"))


def test_the_table_names_the_goal_and_whether_it_is_met() -> None:
    good = compared("Meta-Llama-3-70B", "Q4_K - Medium", 39.59, "GiB", kind="engine_logged")
    assert "Goal for GGUF files: a median of at most 0.3%: met." in list(table([good], []))
    assert any("missed" in line for line in table([], []))


def test_a_folder_without_the_file_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(tmp_path)])
    assert result.exit_code == 2
    assert "published-file-sizes.jsonl is missing" in result.output
