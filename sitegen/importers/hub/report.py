"""Proposals as lines of Markdown: what to add, what is ambiguous, what the listing covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.importers.hub.listing import Row
from sitegen.importers.hub.proposals import Found, Proposal, most_downloaded

FORMATS = ("fp8", "int4", "nvfp4", "gguf", "mlx")
MOST_SHOWN = 80
_FORMAT = {"awq": "int4", "gptq": "int4", "compressed-tensors": "int4", "mxfp4": "nvfp4"}


def report(found: Found, catalog: Catalog) -> Iterator[str]:
    """Yield the proposals, the names that several models match, and counts."""
    if found.open():
        yield "| model | quantization | repository | publisher | downloads | catalog |"
        yield "|---|---|---|---|---:|---|"
        yield from (_line(one) for one in found.open())
        yield ""
    if found.to_look_up():
        yield "Look up what these leave at 16 bits (`kept`), and add them by hand:"
        yield from (
            f"- {one.model}, {one.quantization}: {one.repository}" for one in found.to_look_up()
        )
        yield ""
    if found.ambiguous:
        yield "Two models match; say which by hand:"
        yield from (f"- {one.repository}: {', '.join(one.models)}" for one in found.ambiguous)
        yield ""
    several, others = len(found.ambiguous), sum(found.reasons.values())
    yield f"{found.matched} names match, {several} are ambiguous, {others} mean no checkpoint:"
    for reason, count in Counter(found.reasons).most_common(6):
        yield f"  {count:6,} {reason}"
    if found.passed_over():
        yield (
            f"{found.passed_over()} GGUF files more are in sets that their providers usually make; "
            "none was read (--usual-files)."
        )
    listed = [one for model in catalog.models.values() for one in model.checkpoints]
    named = sum(1 for one in listed if one.repository)
    yield (
        f"Proposals: {len(found.open())}. The catalog has {len(listed)} checkpoints, "
        f"{named} of them with a repository."
    )


def _line(one: Proposal) -> str:
    count = "" if one.downloads is None else str(one.downloads)
    state = f"{one.state} ({one.provider}'s usual file, not read)" if one.provider else one.state
    return (
        f"| {one.model} | {one.quantization} | {one.repository} | {one.publisher} "
        f"| {count} | {state} |"
    )


def coverage(found: Found, catalog: Catalog, rows: Iterable[Row]) -> Iterator[str]:
    """Yield which formats the listing and the catalog have for the models downloaded most."""
    yield f"| model | downloads | {' | '.join(FORMATS)} |"
    yield f"|---|---:|{'---|' * len(FORMATS)}"
    wanted = met = 0
    for id, downloads in most_downloaded(catalog, rows)[:MOST_SHOWN]:
        there = {
            _kind(catalog, one.quantization) for one in found.proposals if one.model == id
        } & set(FORMATS)
        here = {
            _kind(catalog, one.quantization.id)
            for one in catalog.models[id].checkpoints
            if one.repository and not one.native
        }
        wanted, met = wanted + len(there), met + len(there & here)
        cells = (_cell(form in there, form in here) for form in FORMATS)
        yield f"| {id} | {downloads} | {' | '.join(cells)} |"
    yield ""
    yield f"Of {wanted} formats that the listing has for these models the catalog names {met}."


def _kind(catalog: Catalog, quantization: str) -> str:
    form = catalog.quantizations[quantization].format
    return _FORMAT.get(form, form)


def _cell(there: bool, here: bool) -> str:
    return "both" if there and here else "listing" if there else "catalog" if here else ""
