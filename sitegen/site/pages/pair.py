"""Pages of one model on one machine, at ``/combos/<id>/<model>/``, for pairs people look for.

Each says what the page of composed builds says of the same pair, by the same functions, with the
curves drawn. All other pairs have that view alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Source
from sitegen.fit.assessment import Assessment
from sitegen.fit.fit_engine import FitEngine
from sitegen.recipes import recipes_for
from sitegen.site.cells import Cell, Link, NumberCell, Parts, TierMark, Unit
from sitegen.site.combo.benchmark_priorities import to_settle
from sitegen.site.combo.cards import commands as start_commands
from sitegen.site.combo.cards import run_words, speed_figure
from sitegen.site.combo.tier_tables import why_so
from sitegen.site.composed_address import State, write_state
from sitegen.site.drawings.answers import context_plot, load_plot
from sitegen.site.drawings.plot import Drawn
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import JUDGED, Lazy, Page, note, unheard
from sitegen.site.pages.custom import DATA_URLS, ENGINE_URL, MODEL_URL
from sitegen.site.reports.opened_model import (
    Commands,
    Details,
    Losses,
    Others,
    commands,
    details,
    losses,
    others,
)
from sitegen.site.search import PAIR
from sitegen.site.sources import sources_table
from sitegen.site.table import Table
from sitegen.site.urls import pair_url, url_of, view_of
from sitegen.site.words.prices import brief_cost
from sitegen.site.words.tiers import CLOSE_WORDS, TIER_WORDS
from sitegen.site.words.verdicts import start_note, sure_context, users
from sitegen.survey.composed_build import BuildQuestion, build_of
from sitegen.survey.composed_model import AfterLoss, Curves, after_losses, curves_of, other_ways
from sitegen.survey.curves import LoadPoint
from sitegen.survey.looked_for import pairs
from sitegen.survey.results import ModelOnCombo
from sitegen.values import dataclass

TEMPLATE = "pair.html"
LEAST_CONTEXT = 1_024
USERS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Where a slider stands; the view of composed builds answers any number."""


@dataclass(frozen=True, slots=True)
class Slider:
    """One slider: the numbers at which it stops, and which of them the page itself is about."""

    label: str
    name: str
    numbers: tuple[int, ...]
    start: int
    unit: str


@dataclass(frozen=True, slots=True)
class Sliders:
    """The sliders of a page, the address of the pair, and the scripts that answer."""

    address: str
    scripts: tuple[str, ...]
    ranges: tuple[Slider, ...]


@dataclass(frozen=True, slots=True)
class PairView:
    """Values that ``pair.html`` shows.

    Attributes:
        figures: Names with values, what a reader decides by.
        why: Why the verdict is not better, what is missing and what helps.
        start: What downloads and starts it, empty where it takes more than one shell.
        sliders: What asks the engine, in the browser, for more context or more users.
    """

    combo: Link
    model: Link
    mark: TierMark
    figures: tuple[tuple[str, Cell], ...]
    run: str
    why: Cell
    to_start: Cell | None
    start: str
    sliders: Sliders
    view_url: str
    details: Details
    commands: Commands | None
    reference: Cell
    context: Drawn | None
    context_finding: Cell
    load: Drawn | None
    load_finding: Cell
    losses: Losses | None
    others: Others | None
    sources: Table


@dataclass(frozen=True, slots=True)
class Beside:
    """Answers beside a verdict: other contexts and users, losses, other ways to run the model."""

    asked: BuildQuestion
    curves: Curves
    lost: tuple[AfterLoss, ...]
    ways: tuple[Assessment, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield a page for each pair."""
    with unheard():
        listed = pairs(inputs.catalog, inputs.rows)
        found = tuple((row.pick.combo.id, row.model.id) for row in listed)
    for combo_id, model_id in found:
        with unheard() as own:
            rows = inputs.survey.combos[combo_id].rows
            row = next(one for one in rows if one.model.id == model_id)
            page = pair_page(row, inputs.catalog, partial(_judged, row.pick, inputs.engine))
        yield replace(page, read=tuple(own))


def _judged(found: Assessment, engine: FitEngine) -> Beside:
    """Judge beside a verdict, of which the page has read the survey.

    An answer on a combo depends on what its survey does.
    """
    with unheard() as reads:
        beside = judged_beside(found, engine)
    note(*(read for read in reads if read != JUDGED))
    return beside


def judged_beside(found: Assessment, engine: FitEngine) -> Beside:
    """Judge what the page says beside the verdict."""
    asked = BuildQuestion(int(engine.assumptions["reference-context-tokens"].value.mid))
    return Beside(
        asked,
        curves_of(engine, found, asked),
        tuple(after_losses(engine, found, asked)),
        tuple(other_ways(engine, found, asked)),
    )


def pair_page(row: ModelOnCombo, catalog: Catalog, beside: Callable[[], Beside]) -> Page:
    """Make the page of a row of a combo; ``beside`` is asked for when the page is shown."""
    model, combo = row.model, row.pick.combo
    return Page(
        pair_url(combo.id, model.id),
        f"{model.name} on {combo.name}",
        TEMPLATE,
        Lazy(lambda: _view(row, catalog, beside())),
        PAIR,
        combo.span,
        _description(row),
        sources=(*model.sources, *combo.sources),
        part=True,
        listed=True,
    )


def _description(row: ModelOnCombo) -> str:
    found = row.pick
    names = f"{found.model.name} on {found.combo.name}"
    close = f" ({CLOSE_WORDS[row.tier]})" if row.too_close else ""
    how = "" if found.plan is None else f" Best setup: {run_words(found)}."
    return (
        f"{names}: {TIER_WORDS[row.tier]}{close}.{how} Memory per GPU, longest context, users, "
        "speed, commands, other files."
    )


def _view(row: ModelOnCombo, catalog: Catalog, beside: Beside) -> PairView:
    found, asked, curves = row.pick, beside.asked, beside.curves
    run = commands(found)
    return PairView(
        combo=Link(url_of("combo", found.combo.id), found.combo.name),
        model=Link(url_of("model", found.model.id), found.model.name),
        mark=TierMark(row.tier, row.too_close),
        figures=_figures(found),
        run=run_words(found) if found.plan is not None else "",
        why=_why(row, catalog),
        to_start=start_note(found),
        start=next((text for one in recipes_for(found) if (text := start_commands(one))), "")
        if run is not None
        else "",
        sliders=_sliders(found, asked, catalog),
        view_url=view_of(found.combo.id, found.model.id),
        details=details(found, catalog),
        commands=run,
        reference=NumberCell(asked.context_tokens, Unit.TOKENS),
        context=context_plot(found, curves.context),
        context_finding=_context_finding(found),
        load=load_plot(found, curves.load),
        load_finding=_load_finding(curves.load),
        losses=losses(found, beside.lost, catalog),
        others=others(beside.ways),
        sources=sources_table(_sources(found)),
    )


def _sources(found: Assessment) -> tuple[Source, ...]:
    """List what the facts of the model, the file and the machine were read in, each once."""
    every = (*found.model.sources, *found.checkpoint.sources, *found.combo.sources)
    return tuple(dict.fromkeys(every))


def _why(row: ModelOnCombo, catalog: Catalog) -> Cell:
    settle = (to_settle(row.open_verdict.named.measure, catalog),) if row.open_verdict else ()
    return why_so(row.pick, catalog, settle, too_close=row.too_close)


def _figures(found: Assessment) -> tuple[tuple[str, Cell], ...]:
    weights: tuple[tuple[str, Cell], ...] = (
        ("Download", NumberCell(found.download_bytes, Unit.GB)),
        ("GPU cost", brief_cost(found.combo)),
    )
    if found.plan is None:
        return weights
    return (
        *speed_figure(found),
        ("Longest context", sure_context(found)),
        ("Users at 8K / 32K", users(found)),
        *weights,
    )


def _context_finding(found: Assessment) -> Cell:
    """Say how far the context goes, and whether memory or the model ends it."""
    longest = found.limits.max_context_tokens if found.limits else 0
    if not longest:
        return "No context length is certain to fit"
    if longest >= found.model.context_tokens:
        ends = "the model's maximum"
    else:
        ends = "which fills the memory"
    return Parts(("One user can have ", NumberCell(longest, Unit.TOKENS), f" of context, {ends}"))


def _load_finding(curve: Sequence[LoadPoint]) -> Cell:
    """Say what more users at once gain in all, and what each of them pays."""
    if not curve:
        return ""
    first, last = curve[0], curve[-1]
    return Parts(
        (
            f"From {first.streams} to {last.streams} users, total speed goes from ",
            NumberCell(first.all_tokens_per_s.mid, Unit.TOKENS_PER_S),
            " to ",
            NumberCell(last.all_tokens_per_s.mid, Unit.TOKENS_PER_S),
            ", or ",
            NumberCell(last.each_tokens_per_s.mid, Unit.TOKENS_PER_S),
            " for each user",
        )
    )


def _sliders(found: Assessment, asked: BuildQuestion, catalog: Catalog) -> Sliders:
    """Offer doublings of the context up to the model's own, and of the users."""
    state = State(build_of(found.combo), asked, found.combo.id, found.model.id)
    most, usual = found.model.context_tokens, min(asked.context_tokens, found.model.context_tokens)
    doubled = (LEAST_CONTEXT << by for by in range(most.bit_length()))
    contexts = tuple(sorted({usual, most, *(tokens for tokens in doubled if tokens < most)}))
    return Sliders(
        write_state(state, catalog),
        (ENGINE_URL, MODEL_URL, *DATA_URLS),
        (
            Slider("Context", "context", contexts, contexts.index(usual), "tokens"),
            Slider("Concurrent users", "users", USERS, 0, "users"),
        ),
    )
