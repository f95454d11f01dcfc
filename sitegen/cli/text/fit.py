"""An assessment for a person at a terminal: the verdict first, then why, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.cli.text.tables import print_pairs, print_table
from sitegen.fit.assessment import Assessment
from sitegen.physics.cache_types import PLAIN, spoken
from sitegen.site.cells import Cell, Parts, Quantity, TierMark, Unit, span
from sitegen.site.drawings.ledger import ledger_view
from sitegen.site.words.plans import plan_words, refused_words
from sitegen.site.words.sentences import cure_sentence, reason_sentence
from sitegen.site.words.speeds import speed_rows
from sitegen.site.words.verdicts import checkpoint_name, decode, max_context, start_note, users

REFUSED_SHOWN = 8


def print_assessment(assessment: Assessment, catalog: Catalog) -> None:
    """Print the verdict, its reasons, the plan, the ledger and the plans that were refused."""
    print_pairs(summary(assessment, catalog))
    if assessment.plan is not None:
        print_table(ledger_view(assessment).table)
    refused = assessment.refused[:REFUSED_SHOWN]
    if refused:
        print_pairs(
            (f"refused: {refused_words(plan)}", reason_sentence(plan.reason, catalog))
            for plan in refused
        )


def summary(assessment: Assessment, catalog: Catalog) -> Iterator[tuple[str, Cell]]:
    """Name and value of everything that stands above the ledger."""
    workload = assessment.workload
    yield "model", f"{assessment.model.name}, {checkpoint_name(assessment)}"
    yield "hardware", assessment.combo.name
    yield "runtime", f"{assessment.runtime.name} {assessment.profile.version}"
    context = Quantity(workload.context_tokens, Unit.TOKENS)
    cache = spoken(workload.kv_dtype)
    if cache == PLAIN:
        cache = f"f{assessment.checkpoint.quantization.element_bits}"
    plan = assessment.plan
    several = plan is not None and plan.replicas > 1 and workload.sequences > 1
    each = " in each replica" if several else ""
    yield "asked", Parts((context, f", {workload.sequences} at once{each}, KV cache {cache}"))
    fused = assessment.settings.flash_attention
    if fused is not None:
        yield "flash attention", "on" if fused else "off"
    close: tuple[Cell, ...] = (" (too close to call)",) if assessment.too_close else ()
    yield "verdict", Parts((TierMark(assessment.tier), *close))
    for reason in assessment.reasons:
        yield "because", reason_sentence(reason, catalog)
    if assessment.shortage_bytes:
        yield "missing", Quantity(assessment.shortage_bytes, Unit.GIB)
    if assessment.cure is not None:
        cure = cure_sentence(assessment.cure, catalog)
        yield "to help", Parts((cure, " → ", TierMark(assessment.cure.tier)))
    yield "weights", Quantity(assessment.weights_bytes, Unit.GB)
    yield from _plan(assessment)


def _plan(assessment: Assessment) -> Iterator[tuple[str, Cell]]:
    """What holds for the plan that was chosen; nothing where none is valid."""
    busiest = assessment.busiest
    if assessment.plan is None or busiest is None:
        return
    yield "plan", plan_words(assessment.plan)
    note = start_note(assessment)
    if note is not None:
        yield "to start", note
    yield "effective VRAM", Quantity(assessment.effective_vram_bytes, Unit.GIB)
    budget = Quantity(busiest.budget_bytes, Unit.GIB)
    need = span(busiest.need, Unit.GIB, with_mid=True)
    yield (
        "busiest GPU",
        Parts((need, " of ", budget, ", ", span(busiest.utilization, Unit.PERCENT))),
    )
    yield "longest context", max_context(assessment)
    yield "at once, 8K / 32K", users(assessment)
    yield "decode", decode(assessment)
    if assessment.speed is not None:
        yield "each of these streams", span(assessment.speed.each_tokens_per_s, Unit.TOKENS_PER_S)
        ended = batch_note(assessment)
        if ended:
            yield "streams", ended
        for name, value in speed_rows(assessment):
            yield name.lower(), value


def batch_note(assessment: Assessment) -> str:
    """Say what ended the number of streams, where it is not as many as fit or as were asked for."""
    speed, asked = assessment.speed, assessment.workload.sequences
    if speed is None:
        return ""
    if speed.capped:
        return (
            f"capped at {speed.batch} for each replica by policy; --sequences asks for another "
            "number"
        )
    if speed.batch < asked:
        return f"{speed.batch} of the {asked} asked for fit in a replica at this context"
    return ""
