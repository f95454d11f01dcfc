"""Rules over a catalog that only the engine can judge: families, counts, constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import LanguageModel
from sitegen.engine import profiles
from sitegen.engine.architecture import SHARD_OF_GROUP, parameters
from sitegen.engine.families import FAMILIES, ConfigError, UnknownFamily, architecture
from sitegen.problems import Problem, did_you_mean

PUBLISHED_TOLERANCE = 0.001
"""Share by which a published count with a vision tower may differ (rounded towers)."""


def check(catalog: Catalog) -> tuple[Problem, ...]:
    """Report everything that would make an assessment wrong or impossible."""
    return tuple(problem for rule in RULES for problem in rule(catalog))


def assumptions_are_complete(catalog: Catalog) -> Iterator[Problem]:
    """Ensure every assumption that the engine reads by name has a record."""
    spans = [model.span for model in catalog.runtimes.values()]
    for name in profiles.ASSUMPTIONS:
        if name not in catalog.assumptions and spans:
            hint = f"add catalog/assumptions/{name}.yaml"
            message = f"the engine needs the assumption '{name}'"
            yield Problem(spans[0], "missing-assumption", message, hint)


def families_are_known(catalog: Catalog) -> Iterator[Problem]:
    """Ensure every model's config has a family formula, complete for it and its checkpoints."""
    for model in catalog.models.values():
        for overrides in ({}, *(c.config_overrides for c in model.checkpoints)):
            problem = _config_problem(model, {**model.config, **overrides})
            if problem is not None:
                yield problem
                break


def _config_problem(model: LanguageModel, config: dict[str, object]) -> Problem | None:
    try:
        architecture(config)  # type: ignore[arg-type]
    except UnknownFamily as error:
        hint = did_you_mean(error.model_type, FAMILIES)
        return Problem(model.span, "unknown-family", str(error), hint)
    except ConfigError as error:
        return Problem(model.span, "incomplete-config", str(error))
    return None


def counts_match(catalog: Catalog) -> Iterator[Problem]:
    """Ensure a published parameter count equals the sum over the config's tensors."""
    for model in catalog.models.values():
        published = model.published_parameters
        if published is None or _config_problem(model, dict(model.config)) is not None:
            continue
        design = architecture(model.config)
        exact = {parameters(design), parameters(design, buffers=True)}
        with_tower = {count + model.vision_parameters for count in exact}
        near = any(
            abs(count - published) <= PUBLISHED_TOLERANCE * published for count in with_tower
        )
        if published not in exact | with_tower and not (model.vision_parameters and near):
            counted = f"{parameters(design) + model.vision_parameters:,}"
            message = f"published_parameters is {published:,}, the config adds up to {counted}"
            yield Problem(model.span, "count-differs", message, "check the config's widths")


def kept_groups_exist(catalog: Catalog) -> Iterator[Problem]:
    """Ensure the tensor groups that checkpoints and recipes name exist."""
    for model in catalog.models.values():
        for checkpoint in model.checkpoints:
            for group in checkpoint.kept:
                if group not in SHARD_OF_GROUP:
                    message = f"checkpoint '{checkpoint.id}' keeps the unknown group '{group}'"
                    hint = did_you_mean(group, SHARD_OF_GROUP)
                    yield Problem(model.span, "unknown-group", message, hint)
    for recipe in catalog.quantizations.values():
        for exception in recipe.exceptions:
            for group in exception.groups:
                if group not in SHARD_OF_GROUP:
                    message = f"no tensor group is called '{group}'"
                    hint = did_you_mean(group, SHARD_OF_GROUP)
                    yield Problem(recipe.span, "unknown-group", message, hint)


RULES: tuple[Callable[[Catalog], Iterator[Problem]], ...] = (
    assumptions_are_complete,
    profiles.check,
    families_are_known,
    counts_match,
    kept_groups_exist,
)
"""Every rule, in the order in which it is read here; a rule that is not listed does not run."""
