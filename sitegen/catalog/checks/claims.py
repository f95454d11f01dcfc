"""Rules on claims: each asserts one thing, in few words, with all that its kind needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.checks.topology import LARGEST_COMBO
from sitegen.catalog.records import assertions as says
from sitegen.catalog.records.claims import KINDS, ClaimRecord, StatedClaim
from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.runs import SystemRecord

LONGEST_QUOTE = 25
"""Words: enough for a cell or a clause, too few for a paragraph."""


def _claims(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[ClaimRecord], KeyPath, StatedClaim]]:
    for page in records.claims.values():
        for index, claim in enumerate(page.record.claims):
            yield page, ("claims", index), claim


def _parts(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[ClaimRecord], KeyPath, Record]]:
    """Yield every assertion of every claim, and the sides of comparisons."""
    for page, path, claim in _claims(records):
        for kind in KINDS:
            asserted: Record | None = getattr(claim, kind)
            if asserted is not None:
                yield page, (*path, kind), asserted
            if isinstance(asserted, says.RatioAssertion):
                yield page, (*path, kind, "first"), asserted.first
                yield page, (*path, kind, "second"), asserted.second


def claims_assert_one_thing(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a claim has one kind: what it asserts decides how it is judged."""
    for page, path, claim in _claims(records):
        given = [kind for kind in KINDS if getattr(claim, kind) is not None]
        if not given:
            hint = f"add one of {', '.join(KINDS)}"
            yield page.problem(path, "claim-kind", "the claim asserts nothing", hint)
        for kind in given[1:]:
            message = f"the claim asserts `{given[0]}` already"
            hint = "make it a claim of its own"
            yield page.problem((*path, kind), "claim-kind", message, hint, at_key=True)


def claim_ids_are_unique(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure each claim of a page has its own address."""
    for page in records.claims.values():
        seen: set[str] = set()
        for index, claim in enumerate(page.record.claims):
            if claim.id in seen:
                message = f"{quoted(claim.id)} is the id of an earlier claim"
                yield page.problem(("claims", index, "id"), "duplicate-claim", message)
            seen.add(claim.id)


def quotations_are_short(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a quotation is a few words: the page itself is a link away."""
    for page, path, claim in _claims(records):
        words = len(claim.quote.split())
        if words > LONGEST_QUOTE:
            message = f"the quotation has {words} words, more than {LONGEST_QUOTE}"
            hint = "keep the words that contain the figure"
            yield page.problem((*path, "quote"), "long-quote", message, hint)


def ranges_are_in_order(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the end of a range is not below its beginning."""
    for page, path, asserted in _parts(records):
        for key in type(asserted).model_fields:
            high = getattr(asserted, f"{key}_high", None)
            low = getattr(asserted, key)
            if high is None:
                continue
            if low is None or high < low:
                message = f"`{key}_high` needs a smaller `{key}`"
                place = (*path, f"{key}_high")
                yield page.problem(place, "claim-range", message, "without a range, leave it out")


def subjects_are_named(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a claim about a model names it, or its size where the page names none."""
    for page, path, asserted in _parts(records):
        if not isinstance(asserted, says.SubjectRecordOfClaim):
            continue
        if (asserted.model is None) == (asserted.parameters_b is None):
            message = "a claim needs `model` or `parameters_b`, not both"
            yield page.problem(path, "claim-subject", message)


def figures_are_complete(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a claim has a figure to judge."""
    for page, path, asserted in _parts(records):
        message = ""
        if isinstance(asserted, says.LinkAssertion) and not (asserted.gb_s or asserted.latency_us):
            message = "a link claim needs `gb_s` or `latency_us`"
        if isinstance(asserted, says.BreakEvenAssertion):
            used = asserted.api_usd_per_1k_tokens and asserted.tokens_per_day
            if bool(used) == bool(asserted.replaced_usd_month):
                message = "a break-even needs `replaced_usd_month`, or the API's price and use"
        if isinstance(asserted, says.SumAssertion):
            divides = asserted.operation == "quotient" and 0 in asserted.terms[1:]
            message = "nothing can be divided by zero" if divides else ""
        if isinstance(asserted, says.FigureAssertion):
            message = _unlike(records, asserted)
        if message:
            yield page.problem(path, "claim-figure", message)


def _unlike(records: CatalogRecords, asserted: says.FigureAssertion) -> str:
    """Say what keeps the figures of the parts from being added; empty for nothing."""
    from sitegen.catalog.domain.claims import FIGURE_UNITS  # a file alone needs no domain

    known = (records.assumptions.get(part.reference) for part in asserted.parts)
    units = {found.record.unit for found in known if found is not None}
    if len(units) > 1:
        return f"figures in {' and '.join(sorted(units))} cannot be added"
    strange = units - FIGURE_UNITS
    return f"a claim cannot have a figure in {strange.pop()}" if strange else ""


def systems_are_whole(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure hardware of a claim says its unified memory, and has no more GPUs than can be."""
    for page, path, asserted in _parts(records):
        system: SystemRecord | None = getattr(asserted, "on", None)
        if system is None:
            continue
        total = sum(node.count * part.count for node in system.nodes for part in node.gpus)
        if total > LARGEST_COMBO:
            message = f"{total} GPUs are more than the {LARGEST_COMBO} a combo may have"
            yield page.problem((*path, "on", "nodes"), "combo-size", message)
        for index, node in enumerate(system.nodes):
            for place, part in enumerate(node.gpus):
                gpu = records.gpus.get(part.gpu)
                shares = gpu is not None and gpu.record.vram_gib is None
                if shares and part.unified_memory_gib is None:
                    message = f"{quoted(part.gpu)} needs `unified_memory_gib`"
                    where = (*path, "on", "nodes", index, "gpus", place)
                    yield page.problem(where, "unified-memory", message)
