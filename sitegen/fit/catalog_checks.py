"""Rules over a catalog that only the engine can judge: families, counts, constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, Json, LanguageModel
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
from sitegen.models.families.config import TEXT_PARTS
from sitegen.physics.memory import profile_constants, stated_constants
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.physics.speed import constants
from sitegen.problems import Finding, SourceSpan, did_you_mean, listed

MOST_PARAMETERS = 10**14
"""Of a model; the largest that were published have a few times 10^12."""
MOST_CACHED = 10**14
"""Numbers in the cache of one request; a hundred times those of the longest contexts today."""


def check(catalog: Catalog) -> tuple[Finding, ...]:
    """Report everything that would make an assessment wrong or impossible."""
    return tuple(finding for rule in RULES for finding in rule(catalog))


def assumptions_are_complete(catalog: Catalog) -> Iterator[Finding]:
    """Ensure every assumption that the engine reads by name has a record, where it should stand."""
    for name in (*profile_constants.ASSUMPTIONS, *constants.REQUIRED):
        if name not in catalog.assumptions and catalog.runtimes:
            path = f"catalog/assumptions/{name}.yaml"
            message = f"the engine needs the assumption '{name}'"
            yield Finding(SourceSpan(path), "missing-assumption", (), message, f"add {path}")


def families_are_known(catalog: Catalog) -> Iterator[Finding]:
    """Ensure every model's config has a family formula, complete for it and its checkpoints."""
    for model in catalog.models.values():
        for checkpoint in (None, *model.checkpoints):
            finding = _config_finding(model, checkpoint)
            if finding is not None:
                hint = finding.hint or _other_spelling(catalog, model)
                yield replace(finding, hint=hint)
                break


def _config_finding(model: LanguageModel, checkpoint: Checkpoint | None) -> Finding | None:
    """Return what keeps a config from being read, at the key that does."""
    try:
        design_of(model, checkpoint)
    except UnknownFamily as error:
        keys, _ = _config_keys(model, checkpoint, "model_type")
        message = f"model_type: the family {error.model_type!r} is not covered"
        hint = did_you_mean(error.model_type, FAMILIES)
        return Finding(model.span, "unknown-family", keys, message, hint)
    except ConfigError as error:
        keys, given = _config_keys(model, checkpoint, error.key)
        return Finding(model.span, "incomplete-config", keys, str(error), at_key=not given)
    return None


def _config_keys(
    model: LanguageModel, checkpoint: Checkpoint | None, key: str
) -> tuple[tuple[str | int, ...], bool]:
    """Return where a key of a config stands, or should, and whether it is there."""
    at = ("checkpoints", model.checkpoints.index(checkpoint)) if checkpoint else ()
    overrides = checkpoint.config_overrides if checkpoint else {}
    named = ("config_overrides", overrides), ("config", model.config)
    for name, config in named:
        owner = (*at, name) if name == "config_overrides" else (name,)
        for part in _text_parts(config):
            text = config[part]
            if isinstance(text, Mapping) and key in text:
                return (*owner, part, key), True
        if key in config:
            return (*owner, key), True
    parts = _text_parts(model.config)
    return ("config", *parts[:1], key), False


def _other_spelling(catalog: Catalog, model: LanguageModel) -> str:
    """Suggest the key that models of the same family have and this one may have misspelled."""
    own, peers = _keys_of(model.config), set[str]()
    for other in catalog.models.values():
        if other is not model and _type_of(other.config) == _type_of(model.config):
            peers |= _keys_of(other.config)
    for key in sorted(own - peers if peers else ()):
        hint = did_you_mean(key, peers - own)
        if hint:
            return f"no other config of this family has '{key}': {hint}"
    return ""


def _keys_of(config: Mapping[str, Json]) -> set[str]:
    parts = (config[part] for part in _text_parts(config))
    return {key for part in (config, *parts) if isinstance(part, Mapping) for key in part}


def _type_of(config: Mapping[str, Json]) -> Json:
    for part in _text_parts(config):
        text = config[part]
        if isinstance(text, Mapping) and "model_type" in text:
            return text["model_type"]
    return config.get("model_type")


def _text_parts(config: Mapping[str, Json]) -> list[str]:
    return [part for part in TEXT_PARTS if isinstance(config.get(part), Mapping)]


def sizes_can_be_computed(catalog: Catalog) -> Iterator[Finding]:
    """Ensure no model is so large that its bytes leave the integers that everything counts with."""
    for model in catalog.models.values():
        if _config_finding(model, None) is None:
            yield from beyond_counting(model, design_of(model))
        for index, checkpoint in enumerate(model.checkpoints):
            if checkpoint.config_overrides and _config_finding(model, checkpoint) is None:
                keys = ("checkpoints", index, "config_overrides")
                yield from beyond_counting(model, design_of(model, checkpoint), keys)


def beyond_counting(
    model: LanguageModel, design: Architecture, keys: tuple[str | int, ...] = ("config",)
) -> Iterator[Finding]:
    """Yield what of a model adds up to more than any model has, as a fault of what ``keys`` say."""
    longest = max(model.context_tokens, design.max_position)
    for count, most, of_what in (
        (parameters(design, buffers=True), MOST_PARAMETERS, "parameters"),
        (_cached(design, longest), MOST_CACHED, "numbers in the cache of its longest context"),
    ):
        if count > most:
            message = f"the config adds up to {count:.3g} {of_what}; at most {most:.0e} make sense"
            hint = "check its widths, counts and positions"
            yield Finding(model.span, "model-size", keys, message, hint, at_key=True)


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


def counts_match(catalog: Catalog) -> Iterator[Finding]:
    """Ensure a published count is the config's tensors, vision tower and prediction layers."""
    for model in catalog.models.values():
        published = model.published_parameters
        if published is None or _config_finding(model, None) is not None:
            continue
        design = design_of(model)
        if any(beyond_counting(model, design)):
            continue
        beside = model.vision_parameters + model.mtp_parameters
        exact = {parameters(design) + beside, parameters(design, buffers=True) + beside}
        if published not in exact:
            message = f"published_parameters is {published:,}, the config adds up to {min(exact):,}"
            hint = _other_spelling(catalog, model)
            hint = hint or "check the config's widths, vision_parameters and mtp_parameters"
            keys = ("published_parameters",)
            yield Finding(model.span, "count-differs", keys, message, hint)


def experts_of_runs_exist(catalog: Catalog) -> Iterator[Finding]:
    """Ensure a run had the experts of no more layers in system RAM than its model has."""
    for source in catalog.benchmarks.values():
        for index, run in enumerate(source.runs):
            model = catalog.models.get(run.subject.model)
            moved = run.split.cpu_expert_layers
            if not moved or model is None or _config_finding(model, None) is not None:
                continue
            design = design_of(model)
            if not design.experts or moved > design.layers:
                has = f"has {design.layers} layers" if design.experts else "has no experts"
                message = f"experts of {moved} layers were in system RAM, but '{model.id}' {has}"
                keys = ("runs", index, "parallel", "cpu_expert_layers")
                hint = "check the model and the number"
                yield Finding(source.span, "experts-beyond-model", keys, message, hint)


def kept_groups_exist(catalog: Catalog) -> Iterator[Finding]:
    """Ensure the tensor groups that checkpoints and recipes name exist, each kept in one way."""
    for model in catalog.models.values():
        for index, checkpoint in enumerate(model.checkpoints):
            for key in ("kept", "kept_fp8"):
                at = ("checkpoints", index, key)
                what = f"checkpoint '{checkpoint.id}' keeps the unknown group"
                yield from _unknown_groups(model.span, at, getattr(checkpoint, key), what)
            for place, group in enumerate(checkpoint.kept_fp8):
                if group in checkpoint.kept:
                    message = f"checkpoint '{checkpoint.id}' keeps the group '{group}' twice"
                    hint = "name it in kept (16 bits) or in kept_fp8 (8 bits)"
                    keys = ("checkpoints", index, "kept_fp8", place)
                    yield Finding(model.span, "group-kept-twice", keys, message, hint)
    for recipe in catalog.quantizations.values():
        for index, exception in enumerate(recipe.exceptions):
            at = ("exceptions", index, "groups")
            what = "no tensor group is called"
            yield from _unknown_groups(recipe.span, at, exception.groups, what)


def _unknown_groups(
    span: SourceSpan, at: tuple[str | int, ...], groups: tuple[str, ...], what: str
) -> Iterator[Finding]:
    for place, group in enumerate(groups):
        if group not in SHARD_OF_GROUP:
            hint = did_you_mean(group, SHARD_OF_GROUP) or f"the groups are {listed(SHARD_OF_GROUP)}"
            yield Finding(span, "unknown-group", (*at, place), f"{what} '{group}'", hint)


RULES: tuple[Callable[[Catalog], Iterator[Finding]], ...] = (
    assumptions_are_complete,
    stated_constants.check,
    families_are_known,
    sizes_can_be_computed,
    counts_match,
    experts_of_runs_exist,
    kept_groups_exist,
)
"""Every rule, in the order in which it is read here; a rule that is not listed does not run."""
