"""Surveying as a map over combos: in this process, or the same answers from several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

from sitegen.browser.check_files import check_files
from sitegen.browser.engine_script import custom_files
from sitegen.browser.translator import Bundle
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.model_facts import ModelFacts, model_facts
from sitegen.pipeline.processes import fork_map, in_background, processes_for, work_queue
from sitegen.published.judged_records import JudgedRecords, judge_records
from sitegen.quality.ratings import ratings_of
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.every_combo import prepare_all, survey_combo
from sitegen.survey.gpu_counts import gpus_needed
from sitegen.survey.results import ComboSurvey, Survey
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Answers:
    """What the engine makes of a catalog; ``custom`` are the files of the page of own builds."""

    engine: FitEngine
    survey: Survey
    facts: Mapping[str, ModelFacts]
    records: JudgedRecords
    custom: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class _SurveyPiece:
    """What a piece of the survey found; the first one states facts and has the custom files."""

    combos: Mapping[str, ComboSurvey] = field(default_factory=dict)
    needs: Mapping[str, tuple[GpusNeeded, ...]] = field(default_factory=dict)
    facts: Mapping[str, ModelFacts] = field(default_factory=dict)
    custom: Mapping[str, bytes] = field(default_factory=dict)


def answers_in(catalog: Catalog, translated: Callable[[], Bundle], *, jobs: int = 1) -> Answers:
    """Assess every model on every combo, judge every record, and write the engine for browsers.

    Args:
        catalog: What is surveyed.
        translated: The engine in the language of browsers.
        jobs: Processes to use where the system can fork; the answers do not depend on it.
    """
    # The ratings are made before the work is shared out, or every process would make them.
    engine = FitEngine(catalog, ratings=ratings_of(catalog))
    with in_background(lambda: judge_records(engine), jobs) as judged:
        prepare_all(engine)
        processes = processes_for(jobs, len(catalog.gpus))
        mine = work_queue(by_gpu(engine), processes)

        def share(number: int) -> Iterator[_SurveyPiece]:
            if number == 0:
                made = translated()
                custom = custom_files(catalog, engine, made) | check_files(catalog, made)
                yield _SurveyPiece(facts=facts_of(engine), custom=custom)
            for gpu, combos in mine():
                surveyed = {combo.id: survey_combo(engine, combo) for combo in combos}
                yield _SurveyPiece(surveyed, {gpu.id: gpus_needed(engine, gpu)})
                engine.forget()  # other GPUs share next to nothing of it

        found = fork_map(share, processes)
        records = judged()
    surveyed = {combo_id: one for part in found for combo_id, one in part.combos.items()}
    needs = {gpu_id: some for part in found for gpu_id, some in part.needs.items()}
    return Answers(
        engine,
        Survey(
            {combo_id: surveyed[combo_id] for combo_id in catalog.combos},
            {gpu_id: needs[gpu_id] for gpu_id in catalog.gpus},
        ),
        found[0].facts,
        records,
        found[0].custom,
    )


def facts_of(engine: FitEngine) -> dict[str, ModelFacts]:
    """State every model's sizes and caches, weighing no checkpoint twice."""
    return {
        model.id: model_facts(model, known_bytes=engine.reduced_file_bytes(model))
        for model in engine.catalog.models.values()
    }


def by_gpu(engine: FitEngine) -> list[tuple[Gpu, list[Combo]]]:
    """List GPUs with the combos whose first it is, which share evaluations; most work first."""
    groups: dict[str, list[Combo]] = {gpu_id: [] for gpu_id in engine.catalog.gpus}
    for combo in engine.catalog.combos.values():
        groups[combo.gpus[0].gpu.id].append(combo)
    work = {
        name: sum(len(engine.gpu_groups(combo)) for combo in found)
        for name, found in groups.items()
    }
    ordered = sorted(groups, key=lambda name: (-work[name], name))
    return [(engine.catalog.gpus[name], groups[name]) for name in ordered]
