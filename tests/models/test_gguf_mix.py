"""Types and sizes that llama-quantize itself reports, for ten models in 29 file types each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.models.families import architecture
from sitegen.models.gguf.blocks import stored_bytes
from sitegen.models.gguf.checkpoint import TypedTensor, model_circumstances, tensor_types
from sitegen.models.gguf.mix import TensorCondition
from sitegen.units import MIB

VECTORS = Path(__file__).parents[1] / "vectors"
DRY_RUNS: dict[str, Any] = json.loads((VECTORS / "gguf-mix.json").read_text())
CONFIGS: dict[str, Any] = json.loads((VECTORS / "gguf-configs.json").read_text())["configs"]
LETTERS: dict[str, str] = DRY_RUNS["letters"]
COMBINATIONS = [(m, f) for m, run in DRY_RUNS["models"].items() for f in run["file_types"]]


def reported_types(model: str, file_type: str) -> Iterator[tuple[str, str]]:
    """Yield name and type of every tensor that llama-quantize converts."""
    run = DRY_RUNS["models"][model]
    _, outside, *layers = run["file_types"][file_type]
    yield from ((n, LETTERS[c]) for n, c in zip(run["outside"], outside, strict=True))
    for name, coded in zip(run["layers"], layers, strict=True):
        letters = "".join(c * int(n or 1) for n, c in re.findall(r"(\d*)(\D)", coded))
        yield from ((f"blk.{i}.{name}", LETTERS[c]) for i, c in enumerate(letters) if c != "-")


def full_name(row: TypedTensor) -> str:
    return row.tensor.name if row.layer < 0 else f"blk.{row.layer}.{row.tensor.name}"


def bytes_with_16_bit_routers(row: TypedTensor) -> int:
    """The dry runs' header-only files hold routers at 16 bits, converters write 32."""
    is_router = row.tensor.group == "router" and row.tensor.rows > 1
    return stored_bytes(row.tensor.elements, "f16") if is_router else row.bytes


def test_every_model_was_run_in_every_file_type() -> None:
    assert len(COMBINATIONS) == 10 * 29


@pytest.mark.parametrize("model", sorted(DRY_RUNS["models"]))
def test_each_tensor_has_the_type_that_llama_quantize_gives_it(model: str) -> None:
    model_architecture = architecture(CONFIGS[model])
    for file_type in DRY_RUNS["models"][model]["file_types"]:
        ours = {
            full_name(row): row.type
            for row in tensor_types(model_architecture, file_type, requantized=True)
            if row.tensor.quantized
        }
        assert ours == dict(reported_types(model, file_type)), (model, file_type)


@pytest.mark.parametrize("model", sorted(DRY_RUNS["models"]))
def test_each_file_has_the_size_that_llama_quantize_prints(model: str) -> None:
    model_architecture = architecture(CONFIGS[model])
    for file_type, (printed_mib, *_) in DRY_RUNS["models"][model]["file_types"].items():
        rows = tensor_types(model_architecture, file_type, requantized=True)
        size = sum(bytes_with_16_bit_routers(row) for row in rows)
        assert size / MIB == pytest.approx(printed_mib, abs=0.02), (model, file_type)


@pytest.mark.parametrize(("experts", "four"), [(3, False), (4, True), (5, True), (8, True)])
def test_four_experts_are_enough_for_the_rules_of_a_mixture(experts: int, *, four: bool) -> None:
    mixture = replace(architecture(next(iter(CONFIGS.values()))), experts=experts)
    found = model_circumstances(mixture, importance_matrix=False)
    assert (TensorCondition.EXPERTS_4 in found) is four
    assert (TensorCondition.EXPERTS_8 in found) is (experts == 8)
