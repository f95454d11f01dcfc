"""Rules over a catalog that only the engine can judge: families, counts, constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.models.architecture import SHARD_OF_GROUP, Architecture, parameters
from sitegen.models.cache_kinds import (
    CompressedAttention,
    FullAttention,
    LatentAttention,
    LayerCache,
    NoCache,
    RecurrentState,
    SlidingAttention,
)
from sitegen.models.families import FAMILIES, ConfigError, UnknownFamily
from sitegen.physics.memory import profile_constants, stated_constants
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.physics.speed import constants
from sitegen.problems import Problem, did_you_mean

MOST_PARAMETERS = 10**14
"""Of a model; the largest that were published have a few times 10^12."""
MOST_CACHED = 10**14
"""Numbers in the cache of one request; a hundred times those of the longest contexts today."""


def check(catalog: Catalog) -> tuple[Problem, ...]:
    """Report everything that would make an assessment wrong or impossible."""
    return tuple(problem for rule in RULES for problem in rule(catalog))


def assumptions_are_complete(catalog: Catalog) -> Iterator[Problem]:
    """Ensure every assumption that the engine reads by name has a record."""
    spans = [model.span for model in catalog.runtimes.values()]
    for name in (*profile_constants.ASSUMPTIONS, *constants.REQUIRED):
        if name not in catalog.assumptions and spans:
            hint = f"add catalog/assumptions/{name}.yaml"
            message = f"the engine needs the assumption '{name}'"
            yield Problem(spans[0], "missing-assumption", message, hint)


def families_are_known(catalog: Catalog) -> Iterator[Problem]:
    """Ensure every model's config has a family formula, complete for it and its checkpoints."""
    for model in catalog.models.values():
        for checkpoint in (None, *model.checkpoints):
            problem = _config_problem(model, checkpoint)
            if problem is not None:
                yield problem
                break


def _config_problem(model: LanguageModel, checkpoint: Checkpoint | None) -> Problem | None:
    try:
        design_of(model, checkpoint)
    except UnknownFamily as error:
        hint = did_you_mean(error.model_type, FAMILIES)
        return Problem(model.span, "unknown-family", str(error), hint)
    except ConfigError as error:
        return Problem(model.span, "incomplete-config", str(error))
    return None


def sizes_can_be_computed(catalog: Catalog) -> Iterator[Problem]:
    """Ensure no model is so large that its bytes leave the integers that everything counts with."""
    for model in catalog.models.values():
        for checkpoint in (None, *(each for each in model.checkpoints if each.config_overrides)):
            if _config_problem(model, checkpoint) is None:
                yield from beyond_counting(model, design_of(model, checkpoint))


def beyond_counting(model: LanguageModel, design: Architecture) -> Iterator[Problem]:
    """Yield what of a model adds up to more than any model has."""
    longest = max(model.context_tokens, design.max_position)
    for count, most, of_what in (
        (parameters(design, buffers=True), MOST_PARAMETERS, "parameters"),
        (_cached(design, longest), MOST_CACHED, "numbers in the cache of its longest context"),
    ):
        if count > most:
            message = f"the config adds up to {count:.3g} {of_what}; at most {most:.0e} make sense"
            hint = "check its widths, counts and positions"
            yield Problem(model.span, "model-size", message, hint)


def _cached(design: Architecture, tokens: int) -> int:
    return sum(_cached_by(layer, tokens) for layer in design.caches)


def _cached_by(layer: LayerCache, tokens: int) -> int:
    """Count the numbers that one layer caches for a request; those of a window by its length."""
    match layer:
        case FullAttention():
            per_token = layer.kv_heads * (layer.key_dim + layer.value_dim) + layer.indexer_dim
        case SlidingAttention():
            per_token, tokens = layer.kv_heads * (layer.key_dim + layer.value_dim), layer.window
        case LatentAttention():
            per_token = layer.kv_lora_rank + layer.rope_dim + layer.indexer_dim
        case CompressedAttention():
            per_token, tokens = layer.width + layer.indexer_dim, max(tokens, layer.window)
        case RecurrentState():
            per_token, tokens = layer.convolution_elements + layer.state_elements, 1
        case NoCache():
            return 0
    return per_token * tokens


def counts_match(catalog: Catalog) -> Iterator[Problem]:
    """Ensure a published count is the config's tensors, vision tower and prediction layers."""
    for model in catalog.models.values():
        published = model.published_parameters
        if published is None or _config_problem(model, None) is not None:
            continue
        design = design_of(model)
        beside = model.vision_parameters + model.mtp_parameters
        exact = {parameters(design) + beside, parameters(design, buffers=True) + beside}
        if published not in exact:
            message = f"published_parameters is {published:,}, the config adds up to {min(exact):,}"
            hint = "check the config's widths, vision_parameters and mtp_parameters"
            yield Problem(model.span, "count-differs", message, hint)


def kept_groups_exist(catalog: Catalog) -> Iterator[Problem]:
    """Ensure the tensor groups that checkpoints and recipes name exist, each kept in one way."""
    for model in catalog.models.values():
        for checkpoint in model.checkpoints:
            for group in (*checkpoint.kept, *checkpoint.kept_fp8):
                if group not in SHARD_OF_GROUP:
                    message = f"checkpoint '{checkpoint.id}' keeps the unknown group '{group}'"
                    hint = did_you_mean(group, SHARD_OF_GROUP)
                    yield Problem(model.span, "unknown-group", message, hint)
            for group in sorted(set(checkpoint.kept) & set(checkpoint.kept_fp8)):
                message = f"checkpoint '{checkpoint.id}' keeps the group '{group}' in two formats"
                hint = "name it in kept (16 bits) or in kept_fp8 (8 bits)"
                yield Problem(model.span, "group-kept-twice", message, hint)
    for recipe in catalog.quantizations.values():
        for exception in recipe.exceptions:
            for group in exception.groups:
                if group not in SHARD_OF_GROUP:
                    message = f"no tensor group is called '{group}'"
                    hint = did_you_mean(group, SHARD_OF_GROUP)
                    yield Problem(recipe.span, "unknown-group", message, hint)


RULES: tuple[Callable[[Catalog], Iterator[Problem]], ...] = (
    assumptions_are_complete,
    stated_constants.check,
    families_are_known,
    sizes_can_be_computed,
    counts_match,
    kept_groups_exist,
)
"""Every rule, in the order in which it is read here; a rule that is not listed does not run."""
