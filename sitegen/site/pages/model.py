"""Model pages: what hardware runs a model, at ``/models/<id>/``, and all machines below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.physics.model_facts import ModelFacts
from sitegen.quality.values import Use
from sitegen.site.cells import Absent, Cell, Code, Link, NumberCell, Parts, Unit
from sitegen.site.combo.example_recipes import ON_MODEL, group, on_model, runs_anywhere
from sitegen.site.combo.machine_rows import MachineTier, machine_tiers
from sitegen.site.combo.model_answers import (
    ModelAnswers,
    model_answers,
    rating_words,
    start_twin,
)
from sitegen.site.combo.recipes import RecipeGroup
from sitegen.site.combo.recipes import twin as recipe_twin
from sitegen.site.drawings.concurrency import concurrency_plots
from sitegen.site.drawings.latencies import LatencyRuns, latencies
from sitegen.site.drawings.models import known_sizes, memory_plot
from sitegen.site.drawings.plot import Drawn
from sitegen.site.inputs import SiteInputs
from sitegen.site.json.schema.pages import BriefAssessment
from sitegen.site.json.shaped import by_column
from sitegen.site.page import Lazy, Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.sources import sources_table
from sitegen.site.table import Table, facts
from sitegen.site.tables.checkpoints import checkpoints_table, repository_cell
from sitegen.site.tables.counts import (
    Alike,
    counts_extract,
    counts_table,
    counts_twin,
    machines_by_gpu,
    needs_by_model,
    usual_gpus,
)
from sitegen.site.tables.measured import MeasuredRuns, measured_of_model
from sitegen.site.tables.models import (
    active_cell,
    cache_bits,
    cache_table,
    cache_words,
    tensor_parallel_words,
)
from sitegen.site.tables.running_costs import ELECTRICITY
from sitegen.site.tables.runs import (
    Estimates,
    MemoryRuns,
    SpeedRuns,
    estimates,
    memory_runs_by_model,
    speed_runs_by_model,
    twin_of_speed,
)
from sitegen.site.tier_counts import TierTally, tally
from sitegen.site.urls import machines_url, model_recipes_url, url_of
from sitegen.site.words.social_cards import model_card
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.machines_for_model import BestMachines, machines_for
from sitegen.survey.results import ModelOnCombo
from sitegen.survey.verdict_policy import reading_speed, reference_workload
from sitegen.values import dataclass

TEMPLATE, MACHINES, RECIPES = "model.html", "model-machines.html", "model-recipes.html"


@dataclass(frozen=True, slots=True)
class ModelView:
    """Values that ``model.html`` shows; ``tiers`` are for the files beside it alone."""

    model: LanguageModel
    tally: TierTally
    answer: Parts
    rating: Cell
    answers: ModelAnswers | None
    facts: Table
    checkpoints: Table
    cache: Table
    gpus_needed: Table | None
    gpus_in_files: Table | None
    memory: Drawn | None
    throughput: tuple[Drawn, ...]
    latencies: tuple[LatencyRuns, ...]
    tiers: tuple[Table, ...]
    machines: tuple[MachineTier, ...]
    machines_url: str
    reference_context: Cell
    measured: tuple[MeasuredRuns, ...]
    recipes: tuple[RecipeGroup, ...]
    recipes_url: str
    sources: Table


@dataclass(frozen=True, slots=True)
class MachinesView:
    """Values that ``model-machines.html`` shows: every machine, by verdict."""

    model: LanguageModel
    above: str
    machines: tuple[MachineTier, ...]


@dataclass(frozen=True, slots=True)
class ModelRecipesView:
    """Values that ``model-recipes.html`` shows: commands for each runtime."""

    model: LanguageModel
    above: str
    recipes: tuple[RecipeGroup, ...]


@dataclass(frozen=True, slots=True)
class _Runs:
    """Measured runs that every page looks up, by model, GPU or run."""

    speeds: Mapping[str, SpeedRuns]
    starts: Mapping[str, MemoryRuns]
    cards: tuple[Gpu, ...]
    alike: Alike
    needs: Mapping[str, tuple[GpusNeeded, ...]]
    usual: tuple[str, ...]
    rates: Estimates


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield a page per model, and one of all machines for each that is surveyed."""
    catalog, records = inputs.catalog, inputs.records
    alike = machines_by_gpu(catalog)
    runs = _Runs(
        speed_runs_by_model(catalog),
        memory_runs_by_model(catalog),
        known_sizes(catalog),
        alike,
        needs_by_model(inputs.survey, alike),
        usual_gpus(catalog),
        estimates(records.speed, (one.run.id for one in records.quarantined)),
    )
    for model in catalog.models.values():
        rows = inputs.rows.get(model.id, ())
        yield _page(model, inputs, runs)
        if rows:
            yield _machines_page(model, rows)
        if runs_anywhere(rows):
            yield _recipes_page(model, rows)


def _machines_page(model: LanguageModel, rows: tuple[ModelOnCombo, ...]) -> Page:
    def view() -> MachinesView:
        return MachinesView(model, url_of("model", model.id), machine_tiers(rows, whole=True))

    return Page(
        machines_url(model.id),
        f"Every machine for {model.name}",
        MACHINES,
        Lazy(view),
        "model-machines",
        model.span,
        f"{model.name} on {len(rows)} machines: verdicts, speed and context on each.",
        part=True,
        listed=True,
    )


def _recipes_page(model: LanguageModel, rows: tuple[ModelOnCombo, ...]) -> Page:
    def view() -> ModelRecipesView:
        groups = group("run-least", on_model(rows), ON_MODEL)
        return ModelRecipesView(model, url_of("model", model.id), groups)

    return Page(
        model_recipes_url(model.id),
        f"Commands for {model.name}",
        RECIPES,
        Lazy(view),
        "model-recipes",
        model.span,
        f"Commands that run {model.name} under each runtime: install, start, check, stop.",
        part=True,
    )


def _page(model: LanguageModel, inputs: SiteInputs, runs: _Runs) -> Page:
    rows, known = inputs.rows.get(model.id, ()), inputs.facts[model.id]
    comfortable = [row.pick for row in rows if row.tier is FitTier.COMFORTABLE]
    title, counts = f"What hardware runs {model.name}?", tally(rows, "combos")
    needs, speeds = runs.needs.get(model.id, ()), runs.speeds.get(model.id, ())
    recipes = Lazy(lambda: on_model(rows))
    floor = reading_speed(inputs.engine)
    chosen: Lazy[BestMachines | None] = Lazy(lambda: machines_for(rows, needs, floor))

    def view() -> ModelView:
        catalog, starts = inputs.catalog, runs.starts.get(model.id, ())
        every = counts_table(needs, runs.alike, _usd_per_kwh(catalog)) if needs else None
        shown = None if every is None else counts_extract(every, runs.usual)
        return ModelView(
            model=model,
            tally=counts,
            answer=_answer(rows) if rows else _unsurveyed(model, catalog),
            rating=rating_words(inputs.engine.ratings.of(Use.OVERALL, model.id)),
            answers=model_answers(chosen.value()),
            facts=_facts(model, known),
            checkpoints=checkpoints_table(model, known, rows),
            cache=cache_table(((model, known),), id="kv-cache"),
            gpus_needed=shown,
            gpus_in_files=None
            if every is None or every is shown
            else replace(every, on_page=False),
            memory=memory_plot(model, known, runs.cards),
            throughput=concurrency_plots(speeds, catalog),
            latencies=latencies(speeds, catalog),
            tiers=_tiers(rows) if rows else (),
            machines=machine_tiers(rows, whole=False) if rows else (),
            machines_url=machines_url(model.id),
            reference_context=_reference_context(inputs, model),
            measured=measured_of_model(speeds, starts, catalog, runs.rates),
            recipes=group("run-least", recipes.value(), ON_MODEL),
            recipes_url=model_recipes_url(model.id),
            sources=sources_table(model.sources),
        )

    def result() -> Mapping[str, PlainJson]:
        return {
            **_result(model, known, rows, speeds),
            "gpus_needed": counts_twin(needs),
            "recipes": [recipe_twin(one) for one in recipes.value()],
            "start": start_twin(chosen.value()),
        }

    return Page(
        url_of("model", model.id),
        title,
        TEMPLATE,
        Lazy(view),
        "model",
        model.span,
        _description(model, len(comfortable), len(rows)),
        Lazy(result),
        len(rows),
        model_card(title, counts, next(iter(comfortable), None)),
        sources=model.sources,
    )


def _description(model: LanguageModel, comfortable: int, combos: int) -> str:
    files = "Checkpoints with exact sizes, KV cache per token, valid tensor parallel sizes."
    if not combos:
        return files
    return f"{model.name} fits {COMFORTABLY} on {comfortable} of {combos} machines. {files}"


def _usd_per_kwh(catalog: Catalog) -> float | None:
    electricity = catalog.assumptions.get(ELECTRICITY)
    return None if electricity is None else electricity.value.mid


def _tiers(rows: tuple[ModelOnCombo, ...]) -> tuple[Table, ...]:
    """List every machine for the files, as the page of all machines does."""
    return tuple(
        replace(one.table, id=one.id, in_files=True, on_page=False)
        for one in machine_tiers(rows, whole=True)
    )


def _reference_context(inputs: SiteInputs, model: LanguageModel) -> Cell:
    """Return the context of the verdicts: the reference, or the model's where shorter."""
    return NumberCell(reference_workload(inputs.engine, model).context_tokens, Unit.TOKENS)


def _unsurveyed(model: LanguageModel, catalog: Catalog) -> Parts:
    """Say why a model stands on no combo page."""
    later = catalog.models.get(model.superseded_by)
    if later is None:
        return Parts(("None of the runtimes that we assess can load it.",))
    return Parts(
        (
            Link(url_of("model", later.id), later.name),
            f" replaces it. This page keeps the facts, files and measurements of {model.name}; "
            "machine pages list the newer model. ",
            Code(f"sitegen fit {model.id} COMBO"),
            " still gives a verdict for any hardware.",
        )
    )


def _answer(rows: tuple[ModelOnCombo, ...]) -> Parts:
    fitting = [row for row in rows if row.tier is FitTier.COMFORTABLE]
    return Parts(
        (
            f"It fits {COMFORTABLY} on ",
            NumberCell(len(fitting), Unit.COUNT),
            " of ",
            NumberCell(len(rows), Unit.COUNT),
            " machines in the catalog.",
        )
    )


def _facts(model: LanguageModel, known: ModelFacts) -> Table:
    experts: Cell = Absent("dense")
    if known.experts:
        experts = f"{known.experts}; each token uses {known.experts_per_token}"
    cache = Parts((NumberCell(known.kv_bytes_per_token, Unit.KIB), f" ({cache_bits(known)})"))
    pairs: tuple[tuple[str, Cell], ...] = (
        ("Organization", model.organization),
        ("License", model.license),
        ("Released" if model.announced else "Repository created", model.released or Absent()),
        ("Repository", repository_cell(model.repository)),
        ("Parameters", _parameters(model, known)),
        ("Active parameters", active_cell(known)),
        ("Reads images", _images(model)),
        ("Experts", experts),
        ("Layers", NumberCell(known.layers, Unit.COUNT)),
        ("Attention heads", NumberCell(known.attention_heads, Unit.COUNT)),
        ("KV heads", NumberCell(known.kv_heads, Unit.COUNT)),
        ("Layer types", cache_words(known)),
        ("KV cache per token", cache),
        ("Longest context", NumberCell(model.context_tokens, Unit.TOKENS)),
        ("Tensor parallel sizes with equal parts", tensor_parallel_words(known)),
    )
    return facts("facts", "Architecture facts", pairs)


def _parameters(model: LanguageModel, known: ModelFacts) -> Cell:
    """State all parameters; layers that only predict tokens ahead stand apart."""
    every = NumberCell(known.all_parameters, Unit.PARAMETERS)
    if not model.mtp_parameters:
        return every
    ahead = NumberCell(model.mtp_parameters, Unit.PARAMETERS)
    return Parts((every, "; ", ahead, " more in layers for speculative decoding"))


def _images(model: LanguageModel) -> Cell:
    """Say whether the model reads images, and how many parameters are for other input than text."""
    if not model.vision_parameters:
        return "yes; we count only the text part" if model.vision_classes else "no"
    size = NumberCell(model.vision_parameters, Unit.PARAMETERS)
    return Parts(("yes; ", size, " of the parameters are for input other than text"))


def _result(
    model: LanguageModel, known: ModelFacts, rows: tuple[ModelOnCombo, ...], speeds: SpeedRuns
) -> Mapping[str, PlainJson]:
    tiers: dict[str, PlainJson] = {
        str(tier): by_column(BriefAssessment, [r.pick for r in rows if r.tier is tier])
        for tier in FitTier
    }
    return {
        "model": model.id,
        "name": model.name,
        "parameters": known.parameters,
        "active_parameters": known.active_parameters,
        "vision_parameters": known.vision_parameters,
        "kv_bytes_per_token": known.kv_bytes_per_token,
        "kv_bits": known.kv_bits,
        "valid_tensor_parallel_sizes": list(known.valid_tensor_parallel_sizes),
        "checkpoints": [
            {
                "checkpoint": entry.checkpoint.id,
                "total_bytes": entry.total_bytes,
                "bits_per_weight": entry.bits_per_weight,
                "production": entry.checkpoint.quantization.production,
            }
            for entry in known.checkpoints
        ],
        "tiers": tiers,
        "measured_speeds": [dict(run) for run in twin_of_speed(speeds)],
    }
