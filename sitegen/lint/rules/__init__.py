"""The rules: each a function over a file's scene, all of them listed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sitegen.lint.facts import LintContext
from sitegen.lint.rules import (
    engines,
    exposure,
    fit,
    llama_cpp,
    models,
    ollama,
    options,
    pairs,
    plans,
    precision,
    serving,
    text,
    variables,
)
from sitegen.lint.scene import FileModel
from sitegen.problems import Problem

Rule = Callable[[FileModel, LintContext], Iterable[Problem]]

RULES: tuple[Rule, ...] = (
    text.lines_are_continued,
    text.quotes_are_closed,
    options.options_exist,
    options.values_are_accepted,
    options.numbers_are_possible,
    options.arguments_have_a_place,
    options.keywords_exist,
    options.parameters_exist,
    pairs.quantized_values_are_fused,
    pairs.options_have_what_they_need,
    engines.files_are_as_the_option_says,
    engines.formats_have_their_plugins,
    engines.batches_hold_their_prompts,
    engines.experts_are_there,
    engines.limits_of_images_are_json,
    engines.caches_of_tabby_exist,
    llama_cpp.servers_talk_to_nobody,
    llama_cpp.steps_share_the_copy,
    ollama.parameters_are_no_options,
    ollama.variables_are_read,
    ollama.values_are_read,
    ollama.caches_in_few_bits_are_fused,
    variables.variables_stand_for_options,
    plans.named_combos_exist,
    plans.sizes_fit_the_hardware,
    plans.visible_gpus_suffice,
    plans.nodes_share_evenly,
    plans.a_node_holds_the_plan,
    plans.tensor_parallel_stays_inside,
    plans.tensors_can_be_split,
    plans.splits_name_each_gpu,
    fit.shares_fit_their_gpus,
    fit.context_is_within_the_model,
    fit.format_is_loaded,
    fit.computes_in_its_type,
    models.model_has_code,
    fit.checkpoint_fits,
    precision.quantized_means_quantized,
    serving.replicas_reserve_their_plan,
    serving.replicas_fit_the_hardware,
    serving.engines_for_servers_serve,
    serving.nodes_have_the_gpus_they_offer,
    serving.images_start_once,
    exposure.addresses_are_private,
    exposure.ports_are_their_own,
    exposure.servers_share_no_gpu,
    exposure.daemons_find_their_models,
)
"""Every rule. One that is not here does not run: a missing line is seen in review."""


def problems_of(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Yield what every rule finds in a file."""
    for rule in RULES:
        yield from rule(scene, facts)
