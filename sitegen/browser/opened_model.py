"""What is said of one model on a composed build beside its verdict; runs in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.planner import RANK
from sitegen.recipes import recipes_for
from sitegen.site.cells import Cell, Lines, Link, NumberCell, Parts, Small, TierMark, Unit, joined
from sitegen.site.combo.failures import about_losses, lost_cell
from sitegen.site.combo.recipes import RecipeView, recipe_view
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.verdicts import FIT_COLUMNS, checkpoint_name, fit_cells
from sitegen.survey.composed_model import AfterLoss, worst_first
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Others:
    """The ways in which a model runs beside the one shown, and the names of those that do not."""

    table: Table
    rest: Cell | None


@dataclass(frozen=True, slots=True)
class Commands:
    """How a verdict is run: recipes, or why there is none."""

    recipes: tuple[RecipeView, ...]
    none: Cell | None


@dataclass(frozen=True, slots=True)
class Losses:
    """What a loss leaves: a sentence about it, and the table where something may be left."""

    about: str
    table: Table | None


def commands(assessment: Assessment) -> Commands | None:
    """Write every recipe of a verdict; ``None`` where it does not run."""
    plan = assessment.plan
    if plan is None or assessment.tier is FitTier.NOT_PRACTICAL:
        return None
    recipes = tuple(recipe_view("run", one, is_open=False) for one in recipes_for(assessment))
    if recipes:
        return Commands(recipes, None)
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    return Commands((), Parts(("No recipe runs ", runtime, f" as {plan_words(plan)} yet.")))


def losses(whole: Assessment, after_loss: Sequence[AfterLoss], catalog: Catalog) -> Losses | None:
    """Compare a verdict with what each loss leaves of it; ``None`` where it does not run."""
    if whole.tier is FitTier.NOT_PRACTICAL:
        return None
    about = about_losses(whole.combo, "The model")
    if not after_loss:
        return Losses(about, None)
    nothing = Row(("Nothing", TierMark(whole.tier, whole.too_close), *fit_cells(whole)))
    rows = (nothing, *(_after(one, catalog) for one in worst_first(after_loss)))
    columns = (Column("Lost"), Column("Verdict"), *FIT_COLUMNS)
    return Losses(about, Table("losses", "Before and after", columns, rows))


def _after(after_loss: AfterLoss, catalog: Catalog) -> Row:
    found = after_loss.assessment
    close = found.too_close and found.tier is after_loss.tier
    lost = lost_cell(after_loss.lost, catalog, worst=after_loss.worst)
    return Row((lost, TierMark(after_loss.tier, close), *fit_cells(found)))


def others(assessments: Sequence[Assessment]) -> Others | None:
    """List the other ways in which a model runs, best first; ``None`` where there is no other."""
    if not assessments:
        return None
    columns = (
        Column("Checkpoint"),
        Column("Verdict"),
        Column("Weights", numeric=True),
        *FIT_COLUMNS,
    )
    running = [one for one in assessments if one.tier is not FitTier.NOT_PRACTICAL]
    ordered = sorted(running, key=lambda one: (RANK[one.tier], -one.weights_bytes, one.runtime.id))
    rows = tuple(_way(one) for one in ordered)
    return Others(
        Table("other-ways", "Other ways to run it here", columns, rows, counted=True),
        _rest(assessments),
    )


def _way(assessment: Assessment) -> Row:
    name: Cell = checkpoint_name(assessment)
    if not assessment.checkpoint.quantization.production:
        name = Lines((name, Small("below 4 bits per weight")))
    return Row(
        (
            name,
            TierMark(assessment.tier, assessment.too_close),
            NumberCell(assessment.weights_bytes, Unit.GIB),
            *fit_cells(assessment),
        )
    )


def _rest(assessments: Sequence[Assessment]) -> Cell | None:
    """Name the checkpoints that are not practical, with the runtimes under which they are not."""
    by_name: dict[str, list[str]] = {}
    for one in sorted(assessments, key=lambda one: (-one.weights_bytes, one.runtime.id)):
        if one.tier is FitTier.NOT_PRACTICAL:
            by_name.setdefault(checkpoint_name(one), []).append(one.runtime.name)
    if not by_name:
        return None
    names = tuple(f"{name} ({', '.join(runtimes)})" for name, runtimes in by_name.items())
    return Parts((TierMark(FitTier.NOT_PRACTICAL), ": ", joined(names), "."))
