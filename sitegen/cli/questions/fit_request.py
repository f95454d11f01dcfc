"""From what was typed to a question for the engine, also for a model's own ``config.json``."""

from __future__ import annotations

import errno
import json
import os
import select
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, cast

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import (
    Checkpoint,
    Json,
    LanguageModel,
    MemoryModel,
    Runtime,
    RuntimeProfile,
)
from sitegen.cli.questions.choose import checkpoints_of, record, runtime_of, usage_error
from sitegen.cli.questions.fit_options import FitOptions, cache_type_from, fusing, names_llama_cpp
from sitegen.cli.questions.own_hardware import COMMAND_LINE, own_combo
from sitegen.cli.questions.this_machine import combo_named, means_this_machine
from sitegen.fit.assessment import FitRequest, PlanGoal
from sitegen.fit.catalog_checks import beyond_counting
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.runnable_checkpoint import (
    Ask,
    Asks,
    ServedCheckpoint,
)
from sitegen.physics.cache_types import spoken
from sitegen.physics.memory.stated_constants import default_context_tokens
from sitegen.physics.plan import Settings, Workload
from sitegen.site.words.hardware import VENDOR_NAMES
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
    runtimes = having(options, runtimes)
    combo = _combo(combo_word, options, catalog)
    runtimes, limit = _behind(options.backend, runtimes, combo)
    runtimes = fusing(options, runtimes)
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
    question = ModelQuestion(
        model,
        combo,
        Asks(_keeping(engine, subjects, workload, images=options.images)),
        PlanGoal(options.goal or usual_goal(engine, combo, _serving(combo, catalog))),
        preferred,
        replace(settings_from(options), largest_allocation_bytes=limit, backend=options.backend),
        named=options.runtime != "",
        room=() if options.context else usual_room(engine, model),
    )
    seeing = question.for_images() if options.images else None
    return seeing or question


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
) -> list[ServedCheckpoint]:
    """List checkpoints under the runtimes that load them; where none does, one says why not.

    Where nothing is named they are those that a survey compares.
    """
    model, combo = about
    named = options.quantization or options.runtime or options.backend
    if not (named or names_llama_cpp(options)):
        kept = {runtime.id for runtime, _ in runtimes}
        compared = (prepared.subject for prepared in loaded_on(engine, combo, model))
        loadable = [subject for subject in compared if subject.runtime.id in kept]
        return loadable or [ServedCheckpoint(model, checkpoints[0], *runtimes[0])]
    served_checkpoints = [
        ServedCheckpoint(model, checkpoint, runtime, profile)
        for checkpoint in checkpoints
        for runtime, profile in runtimes
        if checkpoint.quantization.format in runtime.formats
        and (
            options.runtime
            or not engine.is_redundant_runtime(runtime, checkpoint.quantization.format)
        )
    ]
    return served_checkpoints or [ServedCheckpoint(model, checkpoints[0], *runtimes[0])]


def _keeping(
    engine: FitEngine, subjects: Sequence[ServedCheckpoint], workload: Workload, *, images: bool
) -> tuple[Ask, ...]:
    """Leave out runtimes that have no such cache for the model, or do not read its images if asked.

    Raises:
        click.UsageError: If none is left.
    """
    asks = tuple(Ask(engine.prepare(subject), workload) for subject in subjects)
    if images:
        asks = _reading_images(asks)
    kept = tuple(one for one in asks if one.runnable.supports_cache_type(workload.kv_dtype))
    if not kept:
        names = " and ".join(dict.fromkeys(one.runtime.name for one in subjects))
        word, model = spoken(workload.kv_dtype), subjects[0].model.name
        raise usage_error("--kv-dtype", f"{names} cannot store the cache of {model} in {word}")
    return kept


def _reading_images(asks: tuple[Ask, ...]) -> tuple[Ask, ...]:
    """Keep the runtimes that read the model's images.

    Raises:
        click.UsageError: If the model sees nothing, or no runtime in question reads its images.
    """
    model = asks[0].subject.model
    if model.vision_parameters == 0:
        raise usage_error(
            "--images", f"the catalog lists no part of {model.name} that reads images"
        )
    kept = tuple(one for one in asks if one.runnable.reads_images)
    if not kept:
        names = " and ".join(dict.fromkeys(one.subject.runtime.name for one in asks))
        raise usage_error("--images", f"{model.name} reads images, but not in {names}")
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


def _behind(backend: str, runtimes: Runtimes, combo: Combo) -> tuple[Runtimes, int | None]:
    """Keep the runtimes that have the backend, with the largest allocation of its driver.

    Raises:
        click.UsageError: If there is no such backend, or its driver is for none of the GPUs.
    """
    if not backend:
        return runtimes, None
    known = {b.id: b for runtime, _ in runtimes for b in runtime.backends}
    driver = record("--backend", "backend of the runtime", backend, known)
    if not {one.gpu.vendor for one in combo.gpus} & set(driver.vendors):
        makers = " or ".join(VENDOR_NAMES[vendor] for vendor in driver.vendors)
        message = f"{driver.name} is a driver for {makers} GPUs, and {combo.name} has none"
        raise usage_error("--backend", message)
    having = [pair for pair in runtimes if backend in {b.id for b in pair[0].backends}]
    return tuple(having), driver.largest_allocation_bytes


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
    )


def _targets(options: FitOptions) -> tuple[str, str]:
    """Tell the model's word from the combo's: either may be replaced by options."""
    words = list(options.targets)
    model = "" if options.config or not words else words.pop(0)
    combo = "" if options.gpu or not words else words.pop(0)
    if words:
        raise usage_error("arguments", f"{words[0]!r} is one argument too many")
    if not model and not options.config:
        raise usage_error("MODEL", "which model? give a catalog id or --config PATH")
    if not combo and not options.gpu:
        raise usage_error("COMBO", "which hardware? give a catalog id or --gpu ID:COUNT")
    return model, combo


def combo_from(options: FitOptions, catalog: Catalog) -> Combo:
    """Return the hardware alone, of a command that asks about every model.

    Raises:
        click.UsageError: If a word names nothing, or there is one argument too many.
    """
    words = options.targets
    if len(words) > 1 or (words and options.gpu):
        raise usage_error(
            "arguments", f"{words[-1]!r} is one argument too many: --best takes only hardware"
        )
    if not words and not options.gpu:
        raise usage_error("COMBO", "which hardware? give a catalog id or --gpu ID:COUNT")
    return _combo(words[0] if words else "", options, catalog)


def _model(word: str, options: FitOptions, catalog: Catalog) -> LanguageModel:
    if options.config is not None:
        return own_model(options.config)
    if word not in catalog.models and (word in catalog.combos or means_this_machine(word)):
        message = f"{word!r} is hardware"
        raise usage_error("MODEL", message, "with one model, the model comes first: MODEL COMBO")
    return record("MODEL", "model", word, catalog.models)


def _combo(word: str, options: FitOptions, catalog: Catalog) -> Combo:
    if options.gpu:
        return own_combo(options, catalog)
    defaults = FitOptions()
    for name in HARDWARE_OPTIONS:
        if getattr(options, name) != getattr(defaults, name):
            option = f"--{name.replace('_', '-')}"
            raise usage_error(
                option, "this option describes hardware given by --gpu, not a catalog combo"
            )
    return combo_named(word, catalog)


PAGED = frozenset(
    {
        "gpu_memory_utilization", "max_num_seqs", "max_num_batched_tokens", "enforce_eager",
        "expert_parallel", "data_parallel", "decode_context_parallel", "prediction_layers",
        "draft_gib", "text_only",
    }
)  # fmt: skip
"""Settings of runtimes that keep the cache in blocks: vLLM and its kin."""
MICRO_BATCH = "ubatch"
"""The setting of runtimes whose servers can be told the size of a step."""


def having(
    options: FitOptions, runtimes: tuple[tuple[Runtime, RuntimeProfile], ...]
) -> tuple[tuple[Runtime, RuntimeProfile], ...]:
    """Keep the runtimes that have every setting that was typed.

    Raises:
        click.UsageError: If none has, naming the first such option.
    """
    usual = FitOptions()
    kept = runtimes
    for name in sorted({*PAGED, MICRO_BATCH}):
        if getattr(options, name) == getattr(usual, name):
            continue
        kept = tuple(pair for pair in kept if _has(pair[0], name))
        if not kept:
            names = " and ".join(runtime.name for runtime, _ in runtimes)
            option = f"--{name.replace('_', '-')}"
            raise usage_error(
                option, f"{names} does not have this setting, or not together with the others"
            )
    return kept


def _has(runtime: Runtime, name: str) -> bool:
    if name == MICRO_BATCH:
        return runtime.traits.micro_batch_option
    return runtime.memory_model is MemoryModel.PAGED


MAX_CONFIG_BYTES = 4 * 2**20
OPTION = "--config"
STANDARD_INPUT = Path("/dev/stdin")
PIPE_WAIT_S = 10
LARGEST = 10**18
"""No width, count, position or base of a published config comes near."""


def own_model(path: Path, *, option: str = OPTION, hint: str = "") -> LanguageModel:
    """Read a config and make a model of it; its id is the name of the file or its folder.

    Args:
        path: The config; ``-`` is standard input.
        option: What named it; errors begin with it.
        hint: What to do about a family that nobody has written yet.

    Raises:
        click.UsageError: If the file is not a config that the engine knows.
        OSError: If it cannot be read.
    """
    from sitegen.models.families import FAMILIES, ConfigError, UnknownFamily, architecture

    path = STANDARD_INPUT if str(path) == "-" else path
    config = _parsed(path, option)
    try:
        facts = architecture(config)
    except UnknownFamily as error:
        raise usage_error(
            option, f"{path}: {error}", hint or f"{len(FAMILIES)} families are"
        ) from error
    except ConfigError as error:
        raise usage_error(option, f"{path}: {error}") from error
    except (TypeError, ValueError, KeyError, ZeroDivisionError) as error:
        message = f"{path}: a value of the config has a wrong type or size ({error})"
        raise usage_error(option, message) from error
    model = model_of(_id_of(path), config, promised_context(config, facts.max_position))
    if facts.experts_per_token > max(facts.experts, 1):
        message = f"{facts.experts_per_token:,} of {facts.experts:,} experts cannot be active"
        raise usage_error(option, f"{path}: {message}")
    for problem in beyond_counting(model, facts):
        raise usage_error(option, f"{path}: {problem.message}", problem.hint)
    return model


def promised_context(config: Mapping[str, Json], max_position: int) -> int:
    """Return the longest context in tokens that a config promises, stretched positions included.

    Llama 3, LongRoPE and multimodal scaling state the stretched length as it is; YaRN stretches
    the original length by its factor, linear and dynamic scaling the length that stands there.

    Source:
        vLLM 0.33, ``config/model.py``: derivation of the maximum model length.
    """
    text = config.get("text_config")
    inner = text if isinstance(text, dict) else {}
    scaling = config.get("rope_scaling") or inner.get("rope_scaling")
    if not isinstance(scaling, dict):
        return max_position
    factor, kind = scaling.get("factor"), scaling.get("rope_type", scaling.get("type"))
    if not isinstance(factor, int | float) or kind not in ("yarn", "linear", "dynamic"):
        return max_position
    original = scaling.get("original_max_position_embeddings")
    base = original if kind == "yarn" and isinstance(original, int) else max_position
    return max(max_position, int(base * factor))


def model_of(name: str, config: Mapping[str, Json], context_tokens: int) -> LanguageModel:
    """Make a model of a config and nothing else: no checkpoints, no vision tower."""
    return LanguageModel(
        id=name,
        name=name,
        organization="",
        repository="",
        license="",
        released="",
        config=config,
        context_tokens=context_tokens,
        published_parameters=None,
        vision_parameters=0,
        mtp_parameters=0,
        checkpoints=(),
        notes="",
        sources=(),
        span=COMMAND_LINE,
    )


def _id_of(path: Path) -> str:
    """``models/qwen3-8b/config.json`` and ``qwen3-8b.json`` are both ``qwen3-8b``."""
    if path.stem == "config" and path.resolve().parent.name:
        return path.resolve().parent.name
    return path.stem


def _parsed(path: Path, option: str) -> Mapping[str, Json]:
    content = _content(path, option)
    if len(content) > MAX_CONFIG_BYTES:
        raise usage_error(option, f"{path} is larger than 4 MiB, so it is not a config")
    try:
        config = json.loads(content)
    except UnicodeDecodeError as error:
        raise usage_error(option, f"{path} is not UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise usage_error(option, f"{path} is nested too deeply") from error
    except ValueError as error:
        raise usage_error(option, f"{path} is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise usage_error(option, f"{path} does not hold a JSON object")
    for key in _beyond_measure(config, ""):
        raise usage_error(option, f"{path}: {key} is not a valid number")
    return cast("Mapping[str, Json]", config)


def _content(path: Path, option: str) -> bytes:
    """Read a file, or what another program writes into a pipe; nobody waits for one that does not.

    Raises:
        OSError: If it cannot be read.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb", buffering=0) as file:
        content = b""
        while len(content) <= MAX_CONFIG_BYTES:
            if not select.select([file], [], [], PIPE_WAIT_S)[0]:
                raise usage_error(option, f"{path}: no input for {PIPE_WAIT_S} s")
            piece = file.read(MAX_CONFIG_BYTES + 1 - len(content))
            if not piece:
                break
            content += piece
        return content


def _beyond_measure(value: Json, name: str) -> Iterator[str]:
    """Yield the keys whose numbers are infinite, none, or larger than anything that is counted."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _beyond_measure(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for inner in value:
            yield from _beyond_measure(inner, name)
    elif isinstance(value, int | float) and not abs(value) <= LARGEST:
        yield name
