"""From what was typed to a question for the engine."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.cli.choose import checkpoint_of, record, runtime_of, usage_error
from sitegen.cli.fit_options import KV_DTYPES, FitOptions
from sitegen.cli.own_hardware import own_combo
from sitegen.cli.own_model import own_model
from sitegen.engine.assessment import Goal, Settings, Workload
from sitegen.engine.request import FitRequest

HARDWARE_OPTIONS = ("nodes", "link", "node_link", "unified_memory_gib", "ram_gib")


def request_from(options: FitOptions, catalog: Catalog) -> FitRequest:
    """Resolve every word against the catalog.

    Raises:
        click.UsageError: Naming the option or argument, with the nearest id that exists.
        OSError: If ``--config`` cannot be read.
    """
    model_word, combo_word = _targets(options)
    model = _model(model_word, options, catalog)
    runtime, profile = runtime_of(options.runtime, catalog)
    combo = _combo(combo_word, options, catalog)
    return FitRequest(
        model=model,
        checkpoint=checkpoint_of(model, options.quantization, catalog),
        combo=combo,
        runtime=runtime,
        profile=profile,
        workload=Workload(options.context, options.sequences, KV_DTYPES[options.kv_dtype]),
        settings=Settings(
            memory_fraction=options.gpu_memory_utilization,
            max_num_seqs=options.max_num_seqs,
            max_num_batched_tokens=options.max_num_batched_tokens,
            enforce_eager=options.enforce_eager,
            micro_batch_tokens=options.ubatch,
        ),
        tensor_parallel_size=options.tensor_parallel,
        pipeline_parallel_size=options.pipeline_parallel,
        goal=Goal(options.goal),
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
