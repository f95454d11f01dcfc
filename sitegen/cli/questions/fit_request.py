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
    MemoryModel,
    Runtime,
    RuntimeProfile,
)
from sitegen.cli.questions.cache_options import cache_type_from, fusing, names_llama_cpp
from sitegen.cli.questions.choose import checkpoints_of, record, runtime_of, usage_error
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.own_hardware import own_combo
from sitegen.cli.questions.own_model import own_model
from sitegen.cli.questions.runtime_options import having
from sitegen.fit.assessment import Goal
from sitegen.fit.candidates import Ask, Asks
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.request import FitRequest
from sitegen.fit.runnable_checkpoint import Subject
from sitegen.physics.cache_types import spoken
from sitegen.physics.default_context import default_context_tokens
from sitegen.physics.plan import Settings, Workload
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    by_choice,
    driven_by,
    loaded_on,
    reference_workload,
    usual_goal,
    usual_room,
)
from sitegen.units import GIB

Runtimes: TypeAlias = tuple[tuple[Runtime, RuntimeProfile], ...]
HARDWARE_OPTIONS = ("nodes", "link", "node_link", "unified_memory_gib", "ram_gib")


def question_from(options: FitOptions, engine: FitEngine) -> ModelQuestion:
    """Resolve every word against the catalog: what was left out is for the policy to choose.

    Raises:
        click.UsageError: Naming the option or argument, with the nearest id that exists.
        OSError: If ``--config`` cannot be read.
    """
    catalog = engine.catalog
    model_word, combo_word = _targets(options)
    model = _model(model_word, options, catalog)
    runtimes = engine.assessed_runtimes()
    if options.runtime or not runtimes:
        runtimes = (runtime_of(options.runtime, catalog),)
    runtimes, limit = _behind(options.backend, having(options, runtimes))
    runtimes = fusing(options, runtimes)
    combo = _combo(combo_word, options, catalog)
    if options.runtime:
        combo = orchestrated(combo, options.runtime, catalog)
    context = options.context or reference_workload(engine, model).context_tokens
    if options.runtime and not options.context:
        chosen = default_context_tokens(runtimes[0][1], (g.installed_bytes for g in combo.gpus))
        context = min(chosen, model.context_tokens) if chosen else context
    workload = Workload(context, options.sequences, cache_type_from(options))
    checkpoints = checkpoints_of(model, options.quantization, catalog)
    subjects = _subjects(engine, options, (model, combo), checkpoints, runtimes)
    preferred = driven_by(engine, combo)
    return ModelQuestion(
        model,
        combo,
        Asks(_keeping(engine, subjects, workload)),
        Goal(options.goal) if options.goal else usual_goal(combo, _serving(combo, catalog)),
        preferred,
        replace(settings_from(options), largest_allocation_bytes=limit, backend=options.backend),
        named=options.runtime != "",
        room=() if options.context else usual_room(engine, model),
    )


def requests_from(options: FitOptions, engine: FitEngine) -> tuple[FitRequest, ...]:
    """List the questions about single checkpoints under single runtimes, the best choice first.

    Raises:
        click.UsageError: As ``question_from`` does.
        OSError: If ``--config`` cannot be read.
    """
    question = question_from(options, engine)
    plan = (options.tensor_parallel, options.pipeline_parallel)
    return tuple(
        replace(
            question.request(ask.subject, ask.workload),
            tensor_parallel_size=plan[0],
            pipeline_parallel_size=plan[1],
        )
        for ask in by_choice(engine, question)
    )


def _subjects(
    engine: FitEngine,
    options: FitOptions,
    about: tuple[LanguageModel, Combo],
    checkpoints: Sequence[Checkpoint],
    runtimes: Runtimes,
) -> list[Subject]:
    """List checkpoints under the runtimes that load them; where none does, one says why not.

    Where nothing is named they are those that a survey compares.
    """
    model, combo = about
    named = options.quantization or options.runtime or options.backend
    if not (named or names_llama_cpp(options)):
        loadable = [prepared.subject for prepared in loaded_on(engine, combo, model)]
        return loadable or [Subject(model, checkpoints[0], *runtimes[0])]
    found = [
        Subject(model, checkpoint, runtime, profile)
        for checkpoint in checkpoints
        for runtime, profile in runtimes
        if checkpoint.quantization.format in runtime.formats
        and (options.runtime or not engine.repeats(runtime, checkpoint.quantization.format))
    ]
    return found or [Subject(model, checkpoints[0], *runtimes[0])]


def _keeping(engine: FitEngine, subjects: Sequence[Subject], workload: Workload) -> tuple[Ask, ...]:
    """Leave out runtimes that have no such cache for the model.

    Raises:
        click.UsageError: If none has.
    """
    asks = tuple(Ask(engine.prepare(subject), workload) for subject in subjects)
    kept = tuple(one for one in asks if one.prepared.keeps(workload.kv_dtype))
    if not kept:
        names = " and ".join(dict.fromkeys(one.runtime.name for one in subjects))
        word, model = spoken(workload.kv_dtype), subjects[0].model.name
        raise usage_error("--kv-dtype", f"{names} cannot keep the cache of {model} in {word}")
    return kept


def _serving(combo: Combo, catalog: Catalog) -> tuple[str, ...]:
    """Return what a combo's orchestrator runs, where it runs replicas for many users."""
    found = catalog.runtimes.get(combo.orchestrator)
    return found.drives if found and found.capabilities.data_parallel else ()


def orchestrated(combo: Combo, runtime: str, catalog: Catalog) -> Combo:
    """Return the combo as one that an orchestrator runs, where the runtime asked for is one."""
    found = catalog.runtimes.get(runtime.partition("@")[0])
    if found is None or found.memory_model is not MemoryModel.ORCHESTRATOR:
        return combo
    return replace(combo, orchestrator=found.id)


def _behind(backend: str, runtimes: Runtimes) -> tuple[Runtimes, int | None]:
    """Keep the runtimes that have the backend, with the largest allocation of its driver."""
    if not backend:
        return runtimes, None
    known = {b.id: b for runtime, _ in runtimes for b in runtime.backends}
    limit = record("--backend", "backend of the runtime", backend, known).largest_allocation_bytes
    having = [pair for pair in runtimes if backend in {b.id for b in pair[0].backends}]
    return tuple(having), limit


def settings_from(options: FitOptions) -> Settings:
    """Return the operator's choices as typed."""
    return Settings(
        memory_fraction=options.gpu_memory_utilization,
        max_num_seqs=options.max_num_seqs,
        max_num_batched_tokens=options.max_num_batched_tokens,
        enforce_eager=options.enforce_eager,
        micro_batch_tokens=options.ubatch,
        flash_attention=options.flash_attention == "on" if options.flash_attention else None,
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


def combo_from(options: FitOptions, catalog: Catalog) -> Combo:
    """Return the hardware alone, of a command that asks about every model.

    Raises:
        click.UsageError: If a word names nothing, or there is one too many.
    """
    words = options.targets
    if len(words) > 1 or (words and options.gpu):
        raise usage_error(
            "arguments", f"{words[-1]!r} is one too many: --best takes hardware alone"
        )
    if not words and not options.gpu:
        raise usage_error("COMBO", "which hardware? give a catalog id or --gpu ID:COUNT")
    return _combo(words[0] if words else "", options, catalog)


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
