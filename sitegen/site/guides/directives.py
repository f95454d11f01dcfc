"""The directives of the content: the block that each shows, and the combos its options leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.physics.model_facts import ModelFacts
from sitegen.site.combo.tier_tables import tier_table
from sitegen.site.content.references import Directive, NotUnderstood, parse_directive
from sitegen.site.drawings.ledger import LedgerView, ledger_view
from sitegen.site.guides.calculator import Calculator, calculator
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import (
    assessment_of,
    combo_survey,
    look_up,
    row_of,
)
from sitegen.site.sources import constants_table
from sitegen.site.table import Table
from sitegen.site.tables.checkpoints import checkpoints_on_combo_table, checkpoints_table
from sitegen.site.tables.combos import combos_table, effective_table, refused_table
from sitegen.site.tables.costs import OPTIONS as COST_OPTIONS
from sitegen.site.tables.costs import costs_table
from sitegen.site.tables.errors import errors_table
from sitegen.site.tables.hardware import gpus_table, unified_table
from sitegen.site.tables.links import links_table
from sitegen.site.tables.models import cache_table, tensor_parallel_table
from sitegen.site.tables.runtimes import formats_table, runtimes_table
from sitegen.site.tables.side_by_side import OPTIONS as SIDE_BY_SIDE_OPTIONS
from sitegen.site.tables.side_by_side import side_by_side_table
from sitegen.site.tables.transfers import pools_table, transfers_table
from sitegen.site.tables.where import where_table
from sitegen.site.words.hardware import is_mixed
from sitegen.survey.every_combo import assess_outcome
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass


def _many(count: int, wanted: str) -> bool:
    if wanted.isdecimal():
        return count == int(wanted)
    if wanted == "many":
        return count > 1
    raise NotUnderstood(f"'{wanted}' is not a number or 'many'")


def _matches(combo: Combo, options: Mapping[str, str]) -> bool:
    tests: Mapping[str, Callable[[str], bool]] = {
        "nodes": lambda wanted: _many(len(combo.nodes), wanted),
        "gpus": lambda wanted: _many(len(combo.gpus), wanted),
        "gpu": lambda wanted: any(gpu.gpu.id == wanted for gpu in combo.gpus),
        "vendor": lambda wanted: any(gpu.gpu.vendor == wanted for gpu in combo.gpus),
        "network": lambda wanted: combo.network is not None and combo.network.id == wanted,
        "mixed": lambda wanted: is_mixed(combo) == (wanted == "yes"),
        "only": lambda wanted: combo.id in wanted.split(","),
    }
    return all(tests[name](wanted) for name, wanted in options.items())


def chosen_combos(inputs: SiteInputs, directive: Directive) -> list[ComboSurvey]:
    """Return the combos that match every option, in the order asked for."""
    if "gpu" in directive.options:
        look_up(inputs.catalog.gpus, "gpu", directive.options["gpu"])
    if "network" in directive.options:
        look_up(inputs.catalog.interconnects, "interconnect", directive.options["network"])
    only = directive.ids("only")
    if only:
        listed = [combo_survey(inputs, id_) for id_ in only]
    else:
        listed = list(inputs.survey.combos.values())
    return [survey for survey in listed if _matches(survey.combo, directive.options)]


Block: TypeAlias = Table | LedgerView | Calculator


def _model(inputs: SiteInputs, directive: Directive) -> LanguageModel:
    return look_up(inputs.catalog.models, "model", directive.required("model"))


def _models(
    inputs: SiteInputs, directive: Directive
) -> tuple[tuple[LanguageModel, ModelFacts], ...]:
    directive.required("models")
    chosen = (look_up(inputs.catalog.models, "model", id_) for id_ in directive.ids("models"))
    return tuple((model, inputs.facts[model.id]) for model in chosen)


def _limit(directive: Directive) -> int | None:
    limit = directive.options.get("limit")
    if limit is None:
        return None
    if not limit.isdecimal() or int(limit) == 0:
        raise NotUnderstood(f"limit={limit} is not a number of rows")
    return int(limit)


def _tier(directive: Directive) -> FitTier:
    word = directive.options.get("tier", "comfortable")
    return look_up({str(tier): tier for tier in FitTier}, "tier", word)


def _combos(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    return combos_table(chosen_combos(inputs, directive), id=id_, caption="Combos")


def _effective(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    survey = combo_survey(inputs, directive.required("combo"))
    return effective_table(survey, inputs.catalog, id=id_)


def _ledger(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    model, combo = directive.required("model"), directive.required("combo")
    found = assessment_of(inputs, model, combo, directive.options.get("checkpoint", ""))
    if not found.ledger:
        raise NotUnderstood(f"{model} has no plan on {combo}, so there is no ledger")
    return ledger_view(found, id=id_)


def _refused(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    row = row_of(inputs, directive.required("model"), directive.required("combo"))
    caption = f"Plans ruled out for {row.pick.model.name} on {row.pick.combo.name}"
    return refused_table(row.pick.refused, inputs.catalog, caption=caption, id=id_)


def _plans(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    row = row_of(inputs, directive.required("model"), directive.required("combo"))
    found = (assess_outcome(inputs.engine, outcome) for outcome in row.others)
    return checkpoints_on_combo_table((row.pick, *found), id=id_)


def _fits(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    survey, tier = combo_survey(inputs, directive.required("combo")), _tier(directive)
    only = directive.ids("models")
    for model in only:
        look_up(inputs.catalog.models, "model", model)
    rows = tuple(r for r in survey.tier(tier) if not only or r.pick.model.id in only)
    return tier_table(tier, rows[: _limit(directive)], inputs.catalog, id=id_)


def _where(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    model, tier = _model(inputs, directive), _tier(directive)
    rows = tuple(r for r in inputs.rows.get(model.id, ()) if r.tier is tier)
    return where_table(rows[: _limit(directive)], tier, id=id_)


def _checkpoints(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    model = _model(inputs, directive)
    return checkpoints_table(model, inputs.facts[model.id], inputs.rows.get(model.id, ()), id=id_)


def _tensor_parallel(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    return tensor_parallel_table(_models(inputs, directive), id=id_)


def _kv(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    return cache_table(_models(inputs, directive), id=id_)


def _gpus(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    only = directive.ids("only")
    known = inputs.catalog.gpus
    listed = [look_up(known, "gpu", word) for word in only] if only else list(known.values())
    vendor, segment = directive.options.get("vendor"), directive.options.get("segment")
    chosen = [g for g in listed if vendor in {None, g.vendor} and segment in {None, g.segment}]
    return gpus_table(chosen, id=id_, caption="GPUs")


def _runtimes(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    del directive
    return runtimes_table(inputs.catalog.runtimes.values(), id=id_)


def _assumptions(inputs: SiteInputs, directive: Directive, id_: str) -> Block:
    known = inputs.catalog.assumptions
    names = directive.ids("only") or tuple(known)
    chosen = tuple((name, look_up(known, "assumption", name)) for name in names)
    return constants_table(chosen, id=id_, caption="Assumptions")


def _table(make: Callable[..., Block]) -> Callable[[SiteInputs, Directive, str], Block]:
    return lambda inputs, directive, id_: make(inputs, directive, id=id_)


@dataclass(frozen=True, slots=True)
class DirectiveKind:
    """A directive: what makes its block, and the options it knows."""

    make: Callable[[SiteInputs, Directive, str], Block]
    options: tuple[str, ...] = ()


DIRECTIVES: Mapping[str, DirectiveKind] = {
    "links": DirectiveKind(_table(links_table), ("model", "checkpoint", "kind", "only", "prompt")),
    "combos": DirectiveKind(
        _combos, ("nodes", "gpus", "gpu", "vendor", "network", "mixed", "only")
    ),
    "effective": DirectiveKind(_effective, ("combo",)),
    "ledger": DirectiveKind(_ledger, ("model", "combo", "checkpoint")),
    "refused": DirectiveKind(_refused, ("model", "combo")),
    "plans": DirectiveKind(_plans, ("model", "combo")),
    "fits": DirectiveKind(_fits, ("combo", "tier", "limit", "models")),
    "where": DirectiveKind(_where, ("model", "tier", "limit")),
    "checkpoints": DirectiveKind(_checkpoints, ("model",)),
    "tensor-parallel": DirectiveKind(_tensor_parallel, ("models",)),
    "kv": DirectiveKind(_kv, ("models",)),
    "gpus": DirectiveKind(_gpus, ("vendor", "segment", "only")),
    "runtimes": DirectiveKind(_runtimes),
    "assumptions": DirectiveKind(_assumptions, ("only",)),
    "errors": DirectiveKind(_table(errors_table), ("topic",)),
    "compare": DirectiveKind(_table(side_by_side_table), SIDE_BY_SIDE_OPTIONS),
    "transfers": DirectiveKind(
        _table(transfers_table), ("model", "checkpoint", "runtime", "kind", "only")
    ),
    "pools": DirectiveKind(_table(pools_table), ("model", "checkpoint", "runtime", "combo")),
    "formats": DirectiveKind(_table(formats_table), ("only",)),
    "unified": DirectiveKind(_table(unified_table), ("vendor", "only")),
    "costs": DirectiveKind(_table(costs_table), COST_OPTIONS),
    "calculator": DirectiveKind(_table(calculator), COST_OPTIONS),
}


def resolve_directive(inner: str, inputs: SiteInputs, *, id: str) -> Block:
    """Return what the inner text of a directive shows, under an HTML id of its own.

    Raises:
        NotUnderstood: If it names nothing, or shows nothing.
    """
    directive = parse_directive(inner)
    block = kind_of(directive).make(inputs, directive, id)
    if isinstance(block, Table) and not block.rows:
        raise NotUnderstood(f"{{% {inner} %}} comes out empty")
    return block


def kind_of(directive: Directive) -> DirectiveKind:
    """Return what a directive is.

    Raises:
        NotUnderstood: If there is none of its name, or it does not have one of the options.
    """
    kind = look_up(DIRECTIVES, "directive", directive.name)
    for option in directive.options:
        look_up(dict.fromkeys(kind.options), f"option of '{directive.name}'", option)
    return kind
