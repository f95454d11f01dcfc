"""The model records as they stand: what each needs so that its verdicts can be trusted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.load import parse_catalog
from sitegen.catalog.resolve.models import NOT_RECORDED
from sitegen.models.architecture import NOT_LINEAR, SHARD_OF_GROUP
from sitegen.models.families import architecture
from sitegen.models.weights.checkpoint import weigh_checkpoint

ROOT = Path(__file__).parents[2]
KINDS = ("models", "quantizations")
PATHS = [path for kind in KINDS for path in sorted((ROOT / "catalog" / kind).glob("*.yaml"))]
UNDATED = {
    "granite-4-8b-dense": (False, False),  # only a test fixture tells of it
    "hunyuan-7b-instruct": (False, True),  # listed without a licence
    "llama-3.1-nemotron-nano-4b-v1.1": (True, False),  # listed without a day
}
"""Whether licence and day are known, of models of which one is not."""
IDS = [path.stem for path in PATHS if path.parent.name == "models"]


@cache
def catalog() -> Catalog:
    return parse_catalog({p.relative_to(ROOT).as_posix(): p.read_text() for p in PATHS})


def model(name: str) -> LanguageModel:
    return catalog().models[name]


def test_there_are_at_least_eighty_models() -> None:
    assert len(IDS) >= 80


@pytest.mark.parametrize("name", IDS)
def test_model_has_one_native_checkpoint_from_its_own_repository(name: str) -> None:
    native = [checkpoint for checkpoint in model(name).checkpoints if checkpoint.native]
    assert [checkpoint.repository for checkpoint in native] == [model(name).repository]


@pytest.mark.parametrize("name", IDS)
def test_model_has_a_production_checkpoint_and_unique_ids(name: str) -> None:
    checkpoints = model(name).checkpoints
    assert any(checkpoint.quantization.production for checkpoint in checkpoints)
    assert len({checkpoint.id for checkpoint in checkpoints}) == len(checkpoints)


@pytest.mark.parametrize("name", IDS)
def test_kept_groups_exist_in_the_model(name: str) -> None:
    groups = {tensor.group for tensor in architecture(model(name).config).tensors}
    for checkpoint in model(name).checkpoints:
        for kept in (set(checkpoint.kept), set(checkpoint.kept_fp8)):
            assert kept <= set(SHARD_OF_GROUP)
            assert not kept or kept & groups


@pytest.mark.parametrize("name", IDS)
def test_context_beyond_the_positions_is_promised_by_a_source(name: str) -> None:
    carried = {field for source in model(name).sources for field in source.fields}
    positions = architecture(model(name).config).max_position
    assert model(name).context_tokens <= positions or "context_tokens" in carried


@pytest.mark.parametrize("name", IDS)
def test_model_says_its_licence_and_when_it_came(name: str) -> None:
    known = model(name).license != NOT_RECORDED, model(name).released != ""
    assert known == UNDATED.get(name, (True, True))


@pytest.mark.parametrize("name", IDS)
def test_config_and_count_have_a_source(name: str) -> None:
    carried = {field for source in model(name).sources for field in source.fields}
    assert "config" in carried
    assert "published_parameters" in carried or model(name).published_parameters is None
    assert "vision_parameters" in carried or model(name).vision_parameters == 0


@pytest.mark.parametrize("name", IDS)
def test_group_formats_are_listed_only_where_rows_divide_into_groups(name: str) -> None:
    for checkpoint in model(name).checkpoints:
        group = checkpoint.quantization.tensor_parallel_group
        if not group or checkpoint.quantization.gguf_file_type:
            continue
        design = architecture({**model(name).config, **checkpoint.config_overrides})
        exempt = {g for e in checkpoint.quantization.exceptions for g in e.groups}
        exempt |= {*checkpoint.kept, *checkpoint.kept_fp8}
        rows = [t for t in design.tensors if t.group not in NOT_LINEAR and t.group not in exempt]
        assert all(tensor.columns % group == 0 for tensor in rows), checkpoint.id


def test_padded_and_plain_group_checkpoints_of_qwen_72b_stand_side_by_side() -> None:
    checkpoints = {
        checkpoint.id: checkpoint for checkpoint in model("qwen2.5-72b-instruct").checkpoints
    }
    padded = checkpoints["awq-4bit-g128"].config_overrides["intermediate_size"]
    assert padded == 29_696 == 232 * 128
    assert not checkpoints["w4a16-g128"].config_overrides
    assert model("qwen2.5-72b-instruct").config["intermediate_size"] == 231 * 128


def test_recipe_weighs_kimi_k2_6_as_its_repository_does() -> None:
    kimi = model("kimi-k2.6")
    native = next(checkpoint for checkpoint in kimi.checkpoints if checkpoint.native)
    by_recipe = weigh_checkpoint(
        architecture(kimi.config),
        replace(native, published_bytes=None),
        vision_parameters=kimi.vision_parameters,
    )
    assert native.published_bytes == 595_148_192_736
    assert by_recipe.total_bytes == pytest.approx(595_148_192_736, rel=1e-6)
