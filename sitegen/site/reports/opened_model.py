"""All that is said of one model on one machine, on a page of its own and in the browser.

The page of composed builds runs these functions (decision 27), so that both say the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.planner import RANK
from sitegen.physics.plan import PlanKind
from sitegen.recipes import recipes_for
from sitegen.site.cells import (
    Absent,
    Cell,
    Code,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    joined,
    rate_span,
)
from sitegen.site.combo.failures import about_losses, lost_cell
from sitegen.site.combo.recipes import RecipeView, recipe_view
from sitegen.site.combo.tier_tables import why_so
from sitegen.site.drawings.ledger import LedgerView, ledger_view
from sitegen.site.table import Column, Row, Table, facts
from sitegen.site.tables.combos import refused_table
from sitegen.site.tables.curves import context_table, load_table
from sitegen.site.urls import url_of
from sitegen.site.words.plans import as_plan, plan_words
from sitegen.site.words.speeds import speed_rows
from sitegen.site.words.verdicts import (
    FIT_COLUMNS,
    checkpoint_name,
    context_label,
    fit_cells,
    max_context,
    start_note,
    users,
    utilization,
)
from sitegen.survey.composed_model import AfterLoss, Curves, worst_first
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Details:
    """One model on the build: the verdict, what each GPU holds, the rest, refused plans."""

    heading: str
    facts: Table
    ledger: LedgerView | None
    more: Table
    refused: Table | None


@dataclass(frozen=True, slots=True)
class Further:
    """Tables of a verdict at other contexts and numbers of users; an empty one is left out."""

    context: Table | None
    load: Table | None


@dataclass(frozen=True, slots=True)
class Others:
    """The ways in which a model runs beside the one shown, and the names of those that do not."""

    table: Table
    rest: Cell | None


@dataclass(frozen=True, slots=True)
class Commands:
    """The recipes of a verdict, or the reason why there is none."""

    recipes: tuple[RecipeView, ...]
    none: Cell | None


@dataclass(frozen=True, slots=True)
class Losses:
    """The answers after a loss: a sentence, and a table where something may still run."""

    about: str
    table: Table | None


def details(assessment: Assessment, catalog: Catalog) -> Details:
    """Describe one verdict whole."""
    refused = None
    if assessment.refused:
        runtime = assessment.runtime.name
        caption = f"Plans of {runtime} ruled out for {assessment.model.name}"
        refused = refused_table(assessment.refused, catalog, caption=caption, id="refused-here")
    ledger = ledger_view(assessment, id="held") if assessment.ledger else None
    return Details(
        assessment.model.name, _facts(assessment, catalog), ledger, _more(assessment), refused
    )


def _facts(assessment: Assessment, catalog: Catalog) -> Table:
    """Say what a reader decides by, and how it is known."""
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    note, speed = start_note(assessment), assessment.speed
    pairs: list[tuple[str, Cell]] = [
        ("Verdict", TierMark(assessment.tier)),
        ("Why", why_so(assessment, catalog)),
        ("Checkpoint", checkpoint_name(assessment)),
        ("Runtime", Parts((runtime, f" {assessment.version}"))),
        ("Plan", plan_words(assessment.plan) if assessment.plan else Absent("no valid plan")),
    ]
    if speed is not None:
        pairs.append(("Speed, one user", rate_span(speed.single_tokens_per_s)))
    if assessment.plan is not None:
        pairs += [
            (context_label(assessment), max_context(assessment)),
            ("Users at 8K / 32K", users(assessment)),
        ]
    if note is not None:
        pairs.append(("To start", note))
    pairs += [
        ("Weakest evidence", EvidenceMark(assessment.known_by)),
        ("Assessment id", Code(assessment.id)),
    ]
    return facts("verdict-facts", f"{assessment.model.name} on this build", tuple(pairs))


def _more(assessment: Assessment) -> Table:
    """Say what a reader still has to know after the memory."""
    speed = assessment.speed
    pairs: list[tuple[str, Cell]] = [
        ("Model", Link(url_of("model", assessment.model.id), assessment.model.name)),
        ("Weights in memory", NumberCell(assessment.weights_bytes, Unit.GIB)),
    ]
    if assessment.plan is not None:
        pairs += [
            ("GPUs of one replica", NumberCell(len(assessment.plan.ranks), Unit.COUNT)),
            ("Layers", _layers(assessment)),
            ("Usable by one replica", NumberCell(assessment.effective_vram_bytes, Unit.GIB)),
            ("Fullest GPU", utilization(assessment)),
        ]
    if speed is not None:
        pairs += [
            ("Speed, all users", rate_span(speed.aggregate_tokens_per_s)),
            ("Speed, each user", rate_span(speed.each_tokens_per_s)),
            *speed_rows(assessment),
        ]
    return facts("verdict-more", "More about this verdict", tuple(pairs))


def _layers(assessment: Assessment) -> Cell:
    """Say how many layers each stage or GPU holds."""
    plan = assessment.plan
    if plan is None:
        return Absent()
    place = "GPU" if plan.kind in LAYER_KINDS else "stage"
    counts = ", ".join(str(count) for count in plan.layers_per_stage)
    return counts if len(plan.layers_per_stage) == 1 else f"{counts} per {place}"


MOST_WAYS = 16
"""Other ways that have a row; the others are named below."""
LAYER_KINDS = frozenset({PlanKind.LAYER_SPLIT, PlanKind.REMOTE_LAYER_SPLIT, PlanKind.OFFLOAD})


def further(assessment: Assessment, curves: Curves) -> Further | None:
    """Tell how memory grows with the context, and speed with the users; ``None`` for neither."""
    context = context_table(assessment, curves.context)
    load = load_table(assessment, curves.load)
    return None if context is None and load is None else Further(context, load)


def commands(assessment: Assessment) -> Commands | None:
    """Write every recipe of a verdict; ``None`` where it does not run."""
    plan = assessment.plan
    if plan is None or assessment.tier is FitTier.NOT_PRACTICAL:
        return None
    recipes = tuple(recipe_view("run", one, is_open=False) for one in recipes_for(assessment))
    if recipes:
        return Commands(recipes, None)
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    return Commands(
        (), Parts(("We have no recipe yet for running ", runtime, f" {as_plan(plan)}."))
    )


def losses(whole: Assessment, after_loss: Sequence[AfterLoss], catalog: Catalog) -> Losses | None:
    """Compare a verdict with what each loss leaves of it; ``None`` where it does not run."""
    if whole.tier is FitTier.NOT_PRACTICAL:
        return None
    about = about_losses(whole.combo, "the model")
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
    rows = tuple(_way(one) for one in ordered[:MOST_WAYS])
    return Others(
        Table("other-ways", "Other ways to run it here", columns, rows, counted=True),
        _rest(ordered[MOST_WAYS:], assessments),
    )


def _way(assessment: Assessment) -> Row:
    name: Cell = checkpoint_name(assessment)
    if not assessment.checkpoint.quantization.production:
        name = Lines((name, Small("format below 4 bits")))
    return Row(
        (
            name,
            TierMark(assessment.tier, assessment.too_close),
            NumberCell(assessment.weights_bytes, Unit.GIB),
            *fit_cells(assessment),
        )
    )


def _rest(further: Sequence[Assessment], assessments: Sequence[Assessment]) -> Cell | None:
    """Name the checkpoints that run too, and those that are not practical, with their runtimes."""
    failing = sorted(
        [one for one in assessments if one.tier is FitTier.NOT_PRACTICAL],
        key=lambda one: (-one.weights_bytes, one.runtime.id),
    )
    lines: list[Cell] = []
    if further:
        lines.append(Parts(("You can also run: ", _named_ways(further), ".")))
    if failing:
        lines.append(Parts((TierMark(FitTier.NOT_PRACTICAL), ": ", _named_ways(failing), ".")))
    if not lines:
        return None
    return lines[0] if len(lines) == 1 else Lines(tuple(lines))


def _named_ways(ways: Sequence[Assessment]) -> Cell:
    """Name each checkpoint once, with its runtimes."""
    by_name: dict[str, list[str]] = {}
    for one in ways:
        by_name.setdefault(checkpoint_name(one), []).append(one.runtime.name)
    return joined(tuple(f"{name} ({', '.join(runtimes)})" for name, runtimes in by_name.items()))
