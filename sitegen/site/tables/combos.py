"""Tables of combos: both answers, effective VRAM by plan, and plans that are refused."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.ownership.prices import build_to_buy
from sitegen.physics.plan import RefusedPlan
from sitegen.site.cells import (
    NOT_APPLICABLE,
    Absent,
    Cell,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
)
from sitegen.site.composed_address import FOR
from sitegen.site.row_filters import combo_facets
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of, view_of
from sitegen.site.words.hardware import plain_gpus
from sitegen.site.words.plans import effective_words, refused_words
from sitegen.site.words.prices import PRICE_NOTE, cost_cell
from sitegen.site.words.sentences import reason_sentence
from sitegen.site.words.tiers import TIER_HEADINGS
from sitegen.site.words.verdicts import checkpoint_name, row_link
from sitegen.survey.results import ComboSurvey, EffectiveVram


def answer_view(survey: ComboSurvey, found: Assessment) -> str:
    """Return where an answer is shown whole, with the file that it names."""
    view = view_of(found.combo.id, found.model.id)
    return f"{view}&for={FOR[False]}" if _is_beside_its_row(survey, found) else view


def _is_beside_its_row(survey: ComboSurvey, found: Assessment) -> bool:
    """Return whether the row of a model has a slower file than its answer."""
    of_answer = found.model.id, found.checkpoint.id, found.runtime.id
    others = (row.read_along for row in survey.rows if row.read_along is not None)
    return any((one.model.id, one.checkpoint.id, one.runtime.id) == of_answer for one in others)


def answer_model(survey: ComboSurvey) -> Cell:
    """Name the model of a combo's first answer, its checkpoint, and its tier unless comfortable."""
    assessment = survey.lead
    if assessment is None:
        return Absent("none fits")
    remark: tuple[Cell, ...] = (checkpoint_name(assessment),)
    if assessment.tier is not FitTier.COMFORTABLE:
        remark = (*remark, ", ", TierMark(assessment.tier))
    beside = _is_beside_its_row(survey, assessment)
    address = answer_view(survey, assessment) if beside else row_link(assessment)
    return Lines((Link(address, assessment.model.name), Small(Parts(remark))))


def combo_heading(combo: Combo) -> Cell:
    """Name a combo, and its GPUs where the name does not already."""
    link = Link(url_of("combo", combo.id), combo.name)
    gpus = plain_gpus(combo)
    told = {combo.name, combo.name.replace("× ", " × "), f"1 × {combo.name}"}
    return link if gpus in told else Lines((link, Small(gpus)))


def effective_vram(survey: ComboSurvey) -> Cell:
    """Return the most memory that one replica can fill under any plan of a combo."""
    most = max((row.bytes for row in survey.effective_vram), default=None)
    return NOT_APPLICABLE if most is None else NumberCell(most, Unit.GIB)


def combos_table(
    surveys: Iterable[ComboSurvey],
    *,
    id: str,
    caption: str,
    ascends: bool = False,
    prices: bool = False,
) -> Table:
    """List combos with the two answers and the number of models per tier.

    ``ascends`` says that the one with the least installed VRAM comes first.
    """
    columns = (
        Column("Machine", key="combo"),
        Column("Installed", numeric=True),
        Column("For one model", numeric=True, note="at most", key="effective"),
        *((Column("Price", numeric=True, note=PRICE_NOTE),) if prices else ()),
        Column("Best overall"),
        Column(TIER_HEADINGS[FitTier.COMFORTABLE], numeric=True),
        Column(TIER_HEADINGS[FitTier.BORDERLINE], numeric=True),
        Column(TIER_HEADINGS[FitTier.NOT_PRACTICAL], numeric=True),
    )
    rows = tuple(_combo_row(survey, prices=prices) for survey in surveys)
    ordered = 1 if ascends else None
    return Table(id, caption, columns, rows, counted=True, sortable=True, ascends_by=ordered)


def _combo_row(survey: ComboSurvey, *, prices: bool) -> Row:
    combo = survey.combo
    price: tuple[Cell, ...] = (cost_cell(build_to_buy(combo)),) if prices else ()
    return Row(
        (
            combo_heading(combo),
            NumberCell(combo.installed_vram_bytes, Unit.GIB),
            effective_vram(survey),
            *price,
            answer_model(survey),
            *(NumberCell(len(survey.tier(tier)), Unit.COUNT) for tier in FitTier),
        ),
        facets=combo_facets(combo) if prices else (),
    )


def effective_table(survey: ComboSurvey, catalog: Catalog, *, id: str = "effective") -> Table:
    """List what one replica can fill under each plan of a combo, most first."""
    remarks = any(row.note is not None for row in survey.effective_vram)
    columns = (
        Column("Plan"),
        Column("Runtime"),
        Column("Effective VRAM", numeric=True, note="one replica"),
        Column("Left for the model", numeric=True, note="after overhead", key="for the model"),
        Column("Replicas", numeric=True),
        *((Column("Remark"),) if remarks else ()),
    )
    rows = tuple(
        _effective_row(row, catalog, remarks=remarks)
        for row in sorted(survey.effective_vram, key=lambda row: -row.bytes)
    )
    return Table(id, "Effective VRAM of one replica, by plan", columns, rows)


def _effective_row(row: EffectiveVram, catalog: Catalog, *, remarks: bool) -> Row:
    cells: tuple[Cell, ...] = (
        effective_words(row),
        Link(url_of("runtime", row.runtime.id), row.runtime.name),
        NumberCell(row.bytes, Unit.GIB),
        NumberCell(row.for_weights_and_kv_bytes, Unit.GIB),
        NumberCell(row.replicas, Unit.COUNT),
    )
    if not remarks:
        return Row(cells)
    return Row((*cells, "–" if row.note is None else reason_sentence(row.note, catalog)))


def refused_table(
    refused: Iterable[RefusedPlan],
    catalog: Catalog,
    *,
    caption: str,
    id: str = "refused",
) -> Table:
    """List plans that a rule refuses, each with the rule's sentence."""
    rows = tuple(
        Row((refused_words(plan), reason_sentence(plan.reason, catalog))) for plan in refused
    )
    columns = (Column("Plan"), Column("Reason"))
    return Table(id, caption, columns, rows, counted=True)
