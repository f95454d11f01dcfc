"""Which pairs of a model and a machine have a page: those that the catalog's own figures name."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.survey.looked_for import (
    MACHINES,
    MODELS,
    downloads,
    pairs,
    usual_machines,
    usual_models,
)
from tests.site import fabricated
from tests.survey.whole_catalog import whole_catalog


def sources_of(catalog: Catalog, combo_id: str) -> int:
    asked = Counter(one.gpu.id for one in catalog.combos[combo_id].gpus)
    return sum(
        any(
            Counter(one.gpu.id for one in run.system.gpus) == asked
            for run in source.runs
            if not run.split.cpu_expert_layers
        )
        for source in catalog.benchmarks.values()
    )


def test_machines_come_by_the_sources_that_ran_on_their_gpus() -> None:
    catalog = whole_catalog()
    found = usual_machines(catalog)
    counts = [sources_of(catalog, combo.id) for combo in found]
    assert len(found) == MACHINES
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] > 0


def test_machines_that_differ_in_their_ram_alone_are_one() -> None:
    ids = {combo.id for combo in usual_machines(whole_catalog())}
    assert "1x-rtx-4090" in ids
    assert "raspberry-pi-cm5-plus-rtx-4090" not in ids
    assert {"2x-rtx-3090-pcie", "2x-rtx-3090-nvlink"} <= ids


def with_downloads(counts: dict[str, int]) -> Catalog:
    def counted(model: LanguageModel) -> LanguageModel:
        first, *rest = model.checkpoints
        known = replace(first, downloads=counts.get(model.id), repository="a/b")
        others = (replace(one, downloads=None) for one in rest)
        return replace(model, checkpoints=(known, *others))

    catalog = fabricated.inputs().catalog
    return replace(catalog, models={id_: counted(one) for id_, one in catalog.models.items()})


def test_models_come_by_their_downloads_and_those_without_any_not_at_all() -> None:
    inputs = fabricated.inputs()
    catalog = with_downloads({"large-70b": 5, "huge-400b": 9})
    machines = tuple(catalog.combos.values())
    found = usual_models(catalog, inputs.rows, machines)
    assert [one.id for one in found] == ["huge-400b", "large-70b"]
    assert len(found) <= MODELS


def test_a_model_that_is_comfortable_on_every_machine_has_no_pages() -> None:
    inputs = fabricated.inputs()
    catalog = with_downloads(dict.fromkeys(inputs.catalog.models, 7))
    machines = tuple(catalog.combos.values())
    ids = {one.id for one in usual_models(catalog, inputs.rows, machines)}
    for model, rows in inputs.rows.items():
        everywhere = {row.tier for row in rows} == {FitTier.COMFORTABLE}
        assert (model in ids) != everywhere
    alone = tuple(
        combo
        for combo in machines
        if any(
            row.pick.combo.id == combo.id and row.tier is FitTier.COMFORTABLE
            for row in inputs.rows["small-8b"]
        )
    )
    assert alone
    assert "small-8b" not in {one.id for one in usual_models(catalog, inputs.rows, alone)}


def test_repositories_with_several_files_are_counted_once() -> None:
    (model,) = (one for one in fabricated.inputs().catalog.models.values() if one.id == "large-70b")
    first = model.checkpoints[0]
    twice = replace(
        model,
        checkpoints=(
            replace(first, repository="a/gguf", downloads=3),
            replace(first, id="other", repository="a/gguf", downloads=3),
            replace(first, id="third", repository="b/awq", downloads=4),
        ),
    )
    assert downloads(twice) == 7


def test_every_machine_that_somebody_ran_on_is_paired_with_every_model() -> None:
    catalog, rows = with_downloads({"large-70b": 5}), fabricated.inputs().rows
    found = [(row.pick.combo.id, row.model.id) for row in pairs(catalog, rows)]
    assert found == [("four-by-two", "large-70b"), ("single-rtx-3060", "large-70b")]
