"""Surveying as a map over combos: in this process, or the same answers from several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TypeVar

from sitegen.browser.check_files import check_files
from sitegen.browser.engine_script import custom_files
from sitegen.browser.program import BrowserProgram
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.model_facts import ModelFacts, model_facts
from sitegen.pipeline.memory import NO_PAST, Past
from sitegen.pipeline.processes import fork_map, in_background, processes_for, work_queue
from sitegen.pipeline.recall import Known, Recall, Whole, ratings_in
from sitegen.pipeline.survey_keys import SurveyKeys
from sitegen.published.judged_records import NOTHING, JudgedRecords, judge_records
from sitegen.site.page import Read, recorded
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.every_combo import prepare_all, survey_combo
from sitegen.survey.gpu_counts import gpus_needed
from sitegen.survey.results import ComboSurvey, Survey
from sitegen.values import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answers:
    """The engine's answers to a catalog; ``custom`` holds the files of the composed-build page."""

    engine: FitEngine
    survey: Survey
    facts: Mapping[str, ModelFacts]
    records: JudgedRecords
    custom: Mapping[str, bytes]
    keys: SurveyKeys | None = None
    """What names parts of it, in a build that remembers."""
    records_key: str = ""
    """Names what the records were judged by."""


@dataclass(frozen=True, slots=True)
class _SurveyPiece:
    """A piece of the survey."""

    combos: Mapping[str, ComboSurvey] = field(default_factory=dict)
    needs: Mapping[str, tuple[GpusNeeded, ...]] = field(default_factory=dict)


def answers_in(
    catalog: Catalog,
    translated: Callable[[], BrowserProgram],
    *,
    jobs: int = 1,
    past: Past = NO_PAST,
    texts: Mapping[str, str] | None = None,
) -> Answers:
    """Assess every model on every combo, judge every record, and write the engine for browsers.

    Args:
        catalog: What is surveyed.
        translated: The engine and the linter in the language of browsers.
        jobs: Processes to use where the system can fork; the answers do not depend on it.
        past: What earlier builds found; the answers do not depend on it.
        texts: The files of the catalog by path; without them nothing is remembered.
    """
    # The ratings are made before the work is shared out, or every process would make them.
    if texts is None:
        texts, past = {}, NO_PAST
    engine = FitEngine(catalog, ratings=ratings_in(catalog, texts, past))
    recall = Recall(engine, texts, past)
    known = recall.known()
    whole = recall.whole()
    known = _found_too(engine, translated, recall, known=known, whole=whole, jobs=jobs)
    return Answers(
        engine,
        Survey(
            {combo_id: known.combos[combo_id] for combo_id in catalog.combos},
            {gpu_id: known.needs[gpu_id] for gpu_id in catalog.gpus},
        ),
        whole.facts or {},
        whole.records or NOTHING,
        whole.custom or {},
        recall.keys,
        recall.key_of("records"),
    )


def _found_too(
    engine: FitEngine,
    translated: Callable[[], BrowserProgram],
    recall: Recall,
    *,
    known: Known,
    whole: Whole,
    jobs: int,
) -> Known:
    """Judge the combos that are not remembered, remember them, and fill ``whole``."""
    pieces = [piece for piece in by_gpu(engine) if _is_open(piece, known)]
    judging = jobs if whole.records is None else 1
    with in_background(lambda: _told(lambda: judge_records(engine)), judging) as judged:
        if pieces or None in (whole.facts, whole.custom):
            prepare_all(engine)
        processes = processes_for(jobs, len(pieces))
        mine = work_queue(pieces, processes)

        def share(number: int) -> Iterator[_SurveyPiece]:
            if number == 0:
                _make_rest(engine, translated, recall, whole)
            for gpu, combos in mine():
                yield _judged(engine, recall, known, gpu, combos)
                engine.forget()  # other GPUs share next to nothing of it

        found = fork_map(share, processes)
        if whole.records is None:
            whole.records, reads = judged()
            recall.keep_whole("records", whole.records, reads)
    return Known(
        {**known.combos, **{id_: one for part in found for id_, one in part.combos.items()}},
        {**known.needs, **{id_: some for part in found for id_, some in part.needs.items()}},
    )


def _make_rest(
    engine: FitEngine, translated: Callable[[], BrowserProgram], recall: Recall, whole: Whole
) -> None:
    """State facts and write the custom files, where they are not known."""
    if whole.facts is None:
        whole.facts, reads = _told(lambda: facts_of(engine))
        recall.keep_whole("facts", whole.facts, reads)
    if whole.custom is None:
        made, catalog = translated(), engine.catalog
        whole.custom, reads = _told(
            lambda: (
                custom_files(catalog, engine, made.engine)
                | check_files(catalog, made.engine, made.linter)
            )
        )
        recall.keep_whole("custom", whole.custom, reads)


def _told(make: Callable[[], T]) -> tuple[T, tuple[Read, ...]]:
    """Return a value and the records that were read to make it."""
    with recorded() as reads:
        value = make()
    return value, tuple(reads)


def _is_open(piece: tuple[Gpu, list[Combo]], known: Known) -> bool:
    gpu, combos = piece
    return gpu.id not in known.needs or any(combo.id not in known.combos for combo in combos)


def _judged(
    engine: FitEngine, recall: Recall, known: Known, gpu: Gpu, combos: list[Combo]
) -> _SurveyPiece:
    surveyed = {
        combo.id: _surveyed(engine, combo) for combo in combos if combo.id not in known.combos
    }
    for one in surveyed.values():
        recall.keep_combo(one)
    if gpu.id in known.needs:
        return _SurveyPiece(surveyed)
    needs = gpus_needed(engine, gpu)
    recall.keep_needs(gpu, needs)
    return _SurveyPiece(surveyed, {gpu.id: needs})


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


def _surveyed(engine: FitEngine, combo: Combo) -> ComboSurvey:
    """Survey a combo; an error says which."""
    try:
        return survey_combo(engine, combo)
    except Exception as error:
        error.add_note(f"while judging models on {combo.id} from {combo.span.path}")
        raise
