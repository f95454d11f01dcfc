"""From what was typed to a question for the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    Runtime,
    RuntimeProfile,
)
from sitegen.cli.choose import checkpoints_of, record, runtime_of, usage_error
from sitegen.cli.fit_options import FitOptions
from sitegen.cli.own_hardware import own_combo
from sitegen.cli.own_model import own_model
from sitegen.engine.answers import reference_workload
from sitegen.engine.assess import subject_of
from sitegen.engine.assessment import Goal, Settings, Workload
from sitegen.engine.cache_types import SPELLINGS
from sitegen.engine.default_context import default_context_tokens
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.request import FitRequest
from sitegen.units import GIB

Runtimes: TypeAlias = tuple[tuple[Runtime, RuntimeProfile], ...]
HARDWARE_OPTIONS = ("nodes", "link", "node_link", "unified_memory_gib", "ram_gib")


def requests_from(options: FitOptions, engine: FitEngine) -> tuple[FitRequest, ...]:
    """Resolve every word against the catalog; several questions where a word was left out.

    Left out, a runtime means each that can be assessed, and a checkpoint the smallest production
    checkpoint that the runtime loads: the rule by which the pages give verdicts.

    Raises:
        click.UsageError: Naming the option or argument, with the nearest id that exists.
        OSError: If ``--config`` cannot be read.
    """
    catalog = engine.catalog
    model_word, combo_word = _targets(options)
    model = _model(model_word, options, catalog)
    runtimes = engine.surveyed_runtimes()
    if options.runtime or not runtimes:
        runtimes = (runtime_of(options.runtime, catalog),)
    runtimes, limit = _behind(options.backend, runtimes)
    combo = _combo(combo_word, options, catalog)
    context = options.context or reference_workload(engine, model).context_tokens
    if options.runtime and not options.context:
        chosen = default_context_tokens(runtimes[0][1], (g.installed_bytes for g in combo.gpus))
        context = min(chosen, model.context_tokens) if chosen else context
    checkpoints = checkpoints_of(model, options.quantization, catalog)
    question = FitRequest(
        model=model,
        checkpoint=checkpoints[0],
        combo=combo,
        runtime=runtimes[0][0],
        profile=runtimes[0][1],
        workload=Workload(
            context,
            options.sequences,
            SPELLINGS[options.kv_dtype],
        ),
        settings=replace(_settings(options), largest_allocation_bytes=limit),
        tensor_parallel_size=options.tensor_parallel,
        pipeline_parallel_size=options.pipeline_parallel,
        goal=Goal(options.goal),
    )
    questions = tuple(
        _smallest(engine, replace(question, runtime=runtime, profile=profile), checkpoints)
        for runtime, profile in runtimes
    )
    return _keeping(engine, questions)


def _keeping(engine: FitEngine, questions: tuple[FitRequest, ...]) -> tuple[FitRequest, ...]:
    """Leave out runtimes that have no such cache for the model.

    Raises:
        click.UsageError: If none has.
    """
    kept = tuple(
        one for one in questions if engine.prepare(subject_of(one)).keeps(one.workload.kv_dtype)
    )
    if questions and not kept:
        names = " and ".join(one.runtime.name for one in questions)
        word, model = questions[0].workload.kv_dtype, questions[0].model.name
        raise usage_error("--kv-dtype", f"{names} cannot keep the cache of {model} in {word}")
    return kept


def _smallest(
    engine: FitEngine, question: FitRequest, checkpoints: Sequence[Checkpoint]
) -> FitRequest:
    """Ask about the smallest checkpoint that the runtime loads; the first where it loads none."""
    loadable = [one for one in checkpoints if one.quantization.format in question.runtime.formats]
    questions = [replace(question, checkpoint=one) for one in loadable or checkpoints[:1]]
    return min(questions, key=lambda one: _weights_bytes(engine, one))


def _weights_bytes(engine: FitEngine, question: FitRequest) -> int:
    return engine.prepare(subject_of(question)).coefficients.weights.total_bytes


def _behind(backend: str, runtimes: Runtimes) -> tuple[Runtimes, int | None]:
    """Keep the runtimes that have the backend, with the largest allocation of its driver."""
    if not backend:
        return runtimes, None
    known = {b.id: b for runtime, _ in runtimes for b in runtime.backends}
    limit = record("--backend", "backend of the runtime", backend, known).largest_allocation_bytes
    having = [pair for pair in runtimes if backend in {b.id for b in pair[0].backends}]
    return tuple(having), limit


def _settings(options: FitOptions) -> Settings:
    return Settings(
        memory_fraction=options.gpu_memory_utilization,
        max_num_seqs=options.max_num_seqs,
        max_num_batched_tokens=options.max_num_batched_tokens,
        enforce_eager=options.enforce_eager,
        micro_batch_tokens=options.ubatch,
        expert_parallel=options.expert_parallel,
        data_parallel_size=options.data_parallel,
        decode_context_parallel_size=options.decode_context_parallel,
        prediction_layers=options.prediction_layers,
        draft_bytes=None if options.draft_gib is None else int(options.draft_gib * GIB),
        text_only=options.text_only,
        images=options.images,
    )


def _targets(options: FitOptions) -> tuple[str, str]:
    """Tell the model's word from the combo's: either may be replaced by options."""
    words = list(options.targets)
    model = "" if options.config or not words else words.pop(0)
    combo = "" if options.gpu or not words else words.pop(0)
    if words:
        raise usage_error("arguments", f"{words[0]!r} is one too many")
    if not model and not options.config:
        raise usage_error("MODEL", "which model? give a catalog id or --config PATH")
    if not combo and not options.gpu:
        raise usage_error("COMBO", "which hardware? give a catalog id or --gpu ID:COUNT")
    return model, combo


def _model(word: str, options: FitOptions, catalog: Catalog) -> LanguageModel:
    if options.config is not None:
        return own_model(options.config)
    return record("MODEL", "model", word, catalog.models)


def _combo(word: str, options: FitOptions, catalog: Catalog) -> Combo:
    if options.gpu:
        return own_combo(options, catalog)
    defaults = FitOptions()
    for name in HARDWARE_OPTIONS:
        if getattr(options, name) != getattr(defaults, name):
            option = f"--{name.replace('_', '-')}"
            raise usage_error(option, "it describes hardware given by --gpu, not a catalog combo")
    return record("COMBO", "combo", word, catalog.combos)
