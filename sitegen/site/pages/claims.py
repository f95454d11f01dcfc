"""Claims checked: what public pages say beside the engine's arithmetic, at ``/claims/``."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.quarantine import Quarantined
from sitegen.physics.bounds.judgement import ClaimVerdict, Step
from sitegen.problems import SourceSpan
from sitegen.published.claims.judge import JudgedClaim, JudgedPage
from sitegen.site.cells import (
    Cell,
    ClaimMark,
    Folded,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Unit,
)
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.claims import finding_sentence, reading_words, step_cell
from sitegen.values import dataclass

TEMPLATE = "claims.html"
URL = "/claims/"


@dataclass(frozen=True, slots=True)
class ClaimedPageView:
    """One public page: where it is, and its claims."""

    id: str
    title: str
    source: Cell
    read: str
    table: Table


WRONG = (ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE)


@dataclass(frozen=True, slots=True)
class ClaimsView:
    """Values that ``claims.html`` shows."""

    counts: tuple[tuple[ClaimMark, Cell], ...]
    total: Cell
    pages: tuple[ClaimedPageView, ...]
    summary: Table
    quarantined: Table


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    catalog = inputs.catalog
    judged, kept_apart = inputs.records.claims, inputs.records.quarantined
    total = sum(len(page.claims) for page in judged)
    wrong = sum(page.count(verdict) for page in judged for verdict in WRONG)
    view = ClaimsView(
        counts=tuple(
            (ClaimMark(verdict), NumberCell(sum(p.count(verdict) for p in judged), Unit.COUNT))
            for verdict in ClaimVerdict
        ),
        total=NumberCell(total, Unit.COUNT),
        pages=tuple(_page(page, catalog) for page in judged),
        summary=_summary(judged),
        quarantined=_quarantined(kept_apart, catalog),
    )
    yield Page(
        URL,
        f"{wrong} of {total} public claims do not add up" if wrong else "Claims checked",
        TEMPLATE,
        view,
        "claims",
        SourceSpan("catalog/claims"),
        f"{total} checkable claims from {len(judged)} public pages about GPUs, models and costs, "
        "each compared with the engine's arithmetic: confirmed, doubtful, disputed or impossible.",
        stated={
            "pages": [_page_json(page) for page in judged],
            "quarantined": [_quarantined_json(found) for found in kept_apart],
        },
        total=total,
    )


def _page(judged: JudgedPage, catalog: Catalog) -> ClaimedPageView:
    page = judged.page
    columns = (Column("The page says"), Column("Verdict"), Column("The engine says"))
    table = Table(
        f"claims-{page.id}",
        f"Claims by {page.title}",
        columns,
        tuple(_row(page.id, one, catalog) for one in judged.claims),
        counted=True,
    )
    source = page.sources[0]
    return ClaimedPageView(page.id, page.title, source_cell(source), source.read, table)


def _row(page: str, judged: JudgedClaim, catalog: Catalog) -> Row:
    claim, judgement = judged.claim, judged.judgement
    anchor = f"{page}--{claim.id}"
    lines: list[Cell] = [
        Parts(
            ("“", claim.quote, "” ", Link(f"#{anchor}", "¶", f"Link to the claim “{claim.quote}”"))
        )
    ]
    lines += [Small(words) for words in (claim.place, claim.note) if words]
    said: list[Cell] = [finding_sentence(judgement, catalog)]
    reading = reading_words(judgement.reading, catalog, f"{claim.quote} {claim.place} {claim.note}")
    if reading:
        said.append(Small(reading))
    if judgement.steps:
        said.append(_sum(judgement.steps, catalog))
    return Row((Lines(tuple(lines)), ClaimMark(judgement.verdict), Lines(tuple(said))), anchor)


def _sum(steps: tuple[Step, ...], catalog: Catalog) -> Folded:
    return Folded("Show the calculation", tuple(step_cell(step, catalog) for step in steps))


def _summary(judged: tuple[JudgedPage, ...]) -> Table:
    columns = (
        Column("Page"),
        *(Column(verdict.value.capitalize(), numeric=True) for verdict in ClaimVerdict),
        Column("Accessed", key="read"),
    )
    rows = tuple(
        Row(
            (
                Link(f"#claims-{one.page.id}", one.page.title),
                *(NumberCell(one.count(verdict), Unit.COUNT) for verdict in ClaimVerdict),
                one.page.sources[0].read,
            )
        )
        for one in judged
    )
    return Table("claimed-pages", "Pages that we checked", columns, rows, counted=True)


def _quarantined(quarantineds: tuple[Quarantined, ...], catalog: Catalog) -> Table:
    columns = (Column("Record"), Column("Published"), Column("Reason"))
    rows = tuple(
        Row(
            (
                Lines((quarantined.run.id, Small(source_cell(quarantined.benchmarks.sources[0])))),
                f"“{quarantined.run.quote}”",
                Lines(
                    (
                        finding_sentence(quarantined.finding, catalog),
                        _sum(quarantined.finding.steps, catalog),
                    )
                ),
            ),
            f"quarantined--{quarantined.run.id}",
        )
        for quarantined in quarantineds
    )
    return Table("quarantined", "Benchmark records in quarantine", columns, rows, counted=True)


def _step_json(step: Step) -> PlainJson:
    out: dict[str, PlainJson] = {
        "code": step.code, "value": step.value, "unit": step.unit, "source": step.source,
    }  # fmt: skip
    if step.of:
        out["of"] = step.of
    if step.high is not None:
        out["high"] = step.high
    return out


def _page_json(judged: JudgedPage) -> PlainJson:
    page = judged.page
    return {
        "id": page.id,
        "title": page.title,
        "url": page.sources[0].url,
        "read": page.sources[0].read,
        "claims": [
            {
                "id": judged_claim.claim.id,
                "quote": judged_claim.claim.quote,
                "place": judged_claim.claim.place,
                "verdict": str(judged_claim.judgement.verdict),
                "code": judged_claim.judgement.code,
                "arguments": dict(judged_claim.judgement.arguments),
                "reading": list(judged_claim.judgement.reading),
                "steps": [_step_json(step) for step in judged_claim.judgement.steps],
            }
            for judged_claim in judged.claims
        ],
    }


def _quarantined_json(quarantined: Quarantined) -> PlainJson:
    return {
        "source": quarantined.benchmarks.id,
        "run": quarantined.run.id,
        "quote": quarantined.run.quote,
        "code": quarantined.finding.code,
        "verdict": str(quarantined.finding.verdict),
        "arguments": dict(quarantined.finding.arguments),
        "steps": [_step_json(step) for step in quarantined.finding.steps],
    }
