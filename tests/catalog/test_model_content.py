"""The model records as they stand: what each needs so that its verdicts can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.load import parse_catalog
from sitegen.catalog.resolve.models import NOT_RECORDED
from sitegen.models.architecture import NOT_LINEAR, SHARD_OF_GROUP, Architecture
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


@cache
def catalog() -> Catalog:
    return parse_catalog({p.relative_to(ROOT).as_posix(): p.read_text() for p in PATHS})


def model(name: str) -> LanguageModel:
    return catalog().models[name]


def breaking(keeps: Callable[[LanguageModel], bool]) -> list[str]:
    """Name every model of the catalog that does not keep a rule."""
    return [model.id for model in catalog().models.values() if not keeps(model)]


@cache
def design_of(name: str) -> Architecture:
    return architecture(model(name).config)


def carried(model: LanguageModel) -> set[str]:
    """Fields for which a source stands."""
    return {field for source in model.sources for field in source.fields}


def test_every_record_of_a_model_is_read() -> None:
    ids = {path.stem for path in PATHS if path.parent.name == "models"}
    assert len(ids) >= 80
    assert ids == catalog().models.keys()


def test_models_have_one_native_checkpoint_from_their_own_repository() -> None:
    def keeps(model: LanguageModel) -> bool:
        native = [checkpoint for checkpoint in model.checkpoints if checkpoint.native]
        return [checkpoint.repository for checkpoint in native] == [model.repository]

    assert breaking(keeps) == []


def test_models_have_a_production_checkpoint_and_unique_ids() -> None:
    def keeps(model: LanguageModel) -> bool:
        ids = {checkpoint.id for checkpoint in model.checkpoints}
        in_use = any(checkpoint.quantization.production for checkpoint in model.checkpoints)
        return in_use and len(ids) == len(model.checkpoints)

    assert breaking(keeps) == []


def test_kept_groups_exist_in_the_model() -> None:
    def keeps(model: LanguageModel) -> bool:
        groups = {tensor.group for tensor in design_of(model.id).tensors}
        kept = [{*names} for c in model.checkpoints for names in (c.kept, c.kept_fp8) if names]
        return all(names <= set(SHARD_OF_GROUP) and names & groups for names in kept)

    assert breaking(keeps) == []


def test_context_beyond_the_positions_is_promised_by_a_source() -> None:
    def keeps(model: LanguageModel) -> bool:
        within = model.context_tokens <= design_of(model.id).max_position
        return within or "context_tokens" in carried(model)

    assert breaking(keeps) == []


def test_models_say_their_licence_and_when_they_came() -> None:
    known = {
        model.id: (model.license != NOT_RECORDED, model.released != "")
        for model in catalog().models.values()
    }
    assert {name: said for name, said in known.items() if said != (True, True)} == UNDATED


def test_config_and_counts_have_a_source() -> None:
    def keeps(model: LanguageModel) -> bool:
        stated = {
            "config": True,
            "published_parameters": model.published_parameters is not None,
            "vision_parameters": model.vision_parameters != 0,
        }
        return {field for field, is_stated in stated.items() if is_stated} <= carried(model)

    assert breaking(keeps) == []


def test_group_formats_are_listed_only_where_rows_divide_into_groups() -> None:
    def divides(model: LanguageModel, checkpoint: Checkpoint) -> bool:
        group = checkpoint.quantization.tensor_parallel_group
        if not group or checkpoint.quantization.gguf_file_type:
            return True
        design = design_of(model.id)
        if checkpoint.config_overrides:
            design = architecture({**model.config, **checkpoint.config_overrides})
        exempt = {g for e in checkpoint.quantization.exceptions for g in e.groups}
        exempt |= {*checkpoint.kept, *checkpoint.kept_fp8}
        rows = [t for t in design.tensors if t.group not in NOT_LINEAR and t.group not in exempt]
        return all(tensor.columns % group == 0 for tensor in rows)

    assert breaking(lambda model: all(divides(model, c) for c in model.checkpoints)) == []


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
