"""Assessments, pools and sums at a terminal: the verdict first, then why, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.cli.text.tables import print_pairs, print_table
from sitegen.fit.assessment import Assessment
from sitegen.fit.disaggregated import Disaggregated
from sitegen.fit.explain import ExplainLine, explain
from sitegen.physics.cache_types import PLAIN, quantized, spoken
from sitegen.physics.plan import GpuLedger
from sitegen.site.cells import (
    Cell,
    EvidenceMark,
    Lines,
    NumberCell,
    Parts,
    Span,
    TierMark,
    Unit,
    rate_span,
    span,
)
from sitegen.site.drawings.ledger import ledger_view
from sitegen.site.json.schema.record import to_record
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.plans import plan_words, refused_words
from sitegen.site.words.sentences import cure_sentence, reason_sentence
from sitegen.site.words.speeds import speed_rows
from sitegen.site.words.tiers import CLOSE_WORDS
from sitegen.site.words.verdicts import (
    WHAT_IS_COUNTED,
    checkpoint_name,
    max_context,
    measured_speed,
    not_estimated,
    reasons_of,
    start_note,
    users,
)

REFUSED_SHOWN = 8
CACHE_MAY_LOSE = "A smaller KV cache may reduce quality: test it with your own prompts."


def print_assessment(assessment: Assessment, catalog: Catalog, *, users: int | None = None) -> None:
    """Print the verdict, its reasons, the plan, the ledger and the plans that were refused.

    ``users`` are those of all replicas together, where the question was about them.
    """
    print_pairs(summary(assessment, catalog, asked_users=users))
    if assessment.plan is not None:
        print_table(ledger_view(assessment).table)
    refused = assessment.refused[:REFUSED_SHOWN]
    if refused:
        print_pairs(
            (f"ruled out: {refused_words(plan)}", reason_sentence(plan.reason, catalog))
            for plan in refused
        )


def summary(
    assessment: Assessment, catalog: Catalog, *, asked_users: int | None = None
) -> Iterator[tuple[str, Cell]]:
    """Name and value of everything that stands above the ledger."""
    workload = assessment.workload
    yield "model", f"{assessment.model.name}, {checkpoint_name(assessment)}"
    yield "hardware", assessment.combo.name
    yield "runtime", f"{assessment.runtime.name} {assessment.version}"
    context = NumberCell(workload.context_tokens, Unit.TOKENS)
    cache = spoken(workload.kv_dtype)
    if cache == PLAIN:
        cache = f"f{assessment.checkpoint.quantization.element_bits}"
    plan = assessment.plan
    several = plan is not None and plan.replicas > 1 and workload.sequences > 1
    each = " in each replica" if several else ""
    together = f"{workload.sequences} user{'' if workload.sequences == 1 else 's'}{each}"
    if asked_users is not None and plan is not None and plan.replicas > 1:
        share = workload.sequences
        together = f"{asked_users} users, up to {share} in each of {plan.replicas} replicas"
    images = ", with images" if assessment.settings.images else ""
    yield "asked", Parts((context, f", {together}, KV cache {cache}{images}"))
    fused = assessment.settings.flash_attention
    if fused is not None:
        yield "flash attention", "on" if fused else "off"
    doubt = f" ({CLOSE_WORDS[assessment.tier]})"
    close: tuple[Cell, ...] = (doubt,) if assessment.too_close else ()
    yield "verdict", Parts((TierMark(assessment.tier), *close))
    if quantized(workload.kv_dtype):
        yield "not judged", CACHE_MAY_LOSE
    yield from (("because", sentence) for sentence in reasons_of(assessment, catalog))
    if assessment.shortage_bytes:
        lacks = NumberCell(assessment.shortage_bytes, Unit.GIB)
        yield "missing", Parts(("at least ", lacks, f" {WHAT_IS_COUNTED}"))
    if assessment.cure is not None:
        cure = cure_sentence(assessment.cure, catalog)
        yield "to help", Parts((cure, " → ", TierMark(assessment.cure.tier)))
    yield "weights", NumberCell(assessment.weights_bytes, Unit.GB)
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
    yield "effective VRAM", NumberCell(assessment.effective_vram_bytes, Unit.GIB)
    budget = NumberCell(busiest.budget_bytes, Unit.GIB)
    need = span(busiest.need, Unit.GIB, with_mid=True)
    yield (
        "fullest GPU",
        Parts((need, " of ", budget, ", ", span(busiest.utilization, Unit.PERCENT))),
    )
    yield "longest context", max_context(assessment)
    yield "users at 8K / 32K", users(assessment)
    yield from _speeds(assessment)


def _speeds(assessment: Assessment) -> Iterator[tuple[str, Cell]]:
    """Speeds of one user and of all, then of prompts; why there are none where nothing is known."""
    speed = assessment.speed
    if speed is None:
        yield "speed", not_estimated(assessment)
        return
    one = Parts((rate_span(speed.single_tokens_per_s), ", ", EvidenceMark(speed.evidence)))
    yield "speed, one user", Lines((one, *measured_speed(assessment)))
    served = speed.batch * (assessment.plan.replicas if assessment.plan else 1)
    if served > 1:
        yield f"speed, {served} users together", rate_span(speed.aggregate_tokens_per_s)
        yield "speed, each of them", rate_span(speed.each_tokens_per_s)
    ended = batch_note(assessment)
    if ended:
        yield "users", ended
    for name, value in speed_rows(assessment):
        yield name[0].lower() + name[1:], value


def batch_note(assessment: Assessment) -> str:
    """Say what ended the number of streams, where it is not as many as fit or as were asked for."""
    speed, asked = assessment.speed, assessment.workload.sequences
    if speed is None:
        return ""
    if speed.capped:
        return f"limited to {speed.batch} users in each replica; --sequences sets another number"
    if speed.batch < asked:
        return f"{speed.batch} of {asked} users fit in a replica at this context"
    return ""


def print_pools(disaggregated: Disaggregated, catalog: Catalog) -> None:
    """Print the verdict of both pools together, then each pool as ``fit`` prints it."""
    print_pairs(_together(disaggregated))
    pools = {
        "The pool that reads prompts": disaggregated.prefill,
        "The pool that writes answers": disaggregated.decode,
    }
    for name, pool in pools.items():
        print(f"\n{name}:")
        print_assessment(pool, catalog)


def _together(disaggregated: Disaggregated) -> Iterator[tuple[str, Cell]]:
    yield "both pools", TierMark(disaggregated.weaker.tier)
    if not disaggregated.transfer_bytes:
        return
    yield "cache of a prompt", NumberCell(disaggregated.transfer_bytes, Unit.GB)
    if disaggregated.link is not None:
        yield "travels over", disaggregated.link.name
    if disaggregated.transfer_s is not None:
        yield "before the first token", span(disaggregated.transfer_s, Unit.SECONDS, with_mid=True)


def to_pools_record(disaggregated: Disaggregated) -> dict[str, Any]:
    """Write both assessments and the transfer; bytes and seconds."""
    seconds = disaggregated.transfer_s
    return {
        "tier": disaggregated.weaker.tier.value,
        "prefill": to_record(disaggregated.prefill),
        "decode": to_record(disaggregated.decode),
        "link": disaggregated.link.id if disaggregated.link is not None else None,
        "transfer_bytes": disaggregated.transfer_bytes,
        "transfer_s": None if seconds is None else list(seconds.bounds),
    }


def print_explanation(
    assessment: Assessment, catalog: Catalog, *, users: int | None = None
) -> None:
    """Print the summary, the lines of the fullest GPU, and the constants behind them."""
    print_pairs(summary(assessment, catalog, asked_users=users))
    lines = [line for line in explain(assessment, catalog) if line.value.high > 0]
    if lines:
        print_table(sum_of(lines, assessment.busiest))
        print_table(constants_of(lines))


def sum_of(lines: Sequence[ExplainLine], busiest: GpuLedger | None) -> Table:
    """Each line of the fullest GPU with its formula in words, and what it adds up to."""
    columns = (
        Column("line"), Column("low", numeric=True), Column("mid", numeric=True),
        Column("high", numeric=True), Column("what it is"),
    )  # fmt: skip
    rows = [Row((line.name, *_bounds(line.value), line.formula)) for line in lines]
    held = Interval.total([line.value for line in lines])
    rows.append(Row(("sum", *_bounds(held), "everything on the GPU")))
    if busiest is not None:
        need = "the part that counts against the budget and decides the verdict"
        budget = NumberCell(busiest.budget_bytes, Unit.GIB)
        visible = NumberCell(busiest.visible_bytes, Unit.GIB)
        rows.append(Row(("need", *_bounds(busiest.need), need)))
        rows.append(Row(("budget", "", budget, "", "memory that the runtime may use")))
        rows.append(Row(("visible", "", visible, "", "GPU memory that a program sees")))
    return Table("sum", "Fullest GPU, line by line", columns, tuple(rows))


def constants_of(lines: Sequence[ExplainLine]) -> Table:
    """Each constant once, with unit, status and source."""
    used = {constant.name: constant for line in lines for constant in line.constants}
    columns = (
        Column("constant"), Column("value", numeric=True), Column("unit"), Column("status"),
        Column("source"), Column("read"),
    )  # fmt: skip
    rows = tuple(_constant(constant) for _, constant in sorted(used.items()))
    return Table("constants", "Constants behind these lines", columns, rows)


def _bounds(interval: Interval) -> tuple[Cell, Cell, Cell]:
    return (
        NumberCell(interval.low, Unit.GIB),
        NumberCell(interval.mid, Unit.GIB),
        NumberCell(interval.high, Unit.GIB),
    )


def _constant(constant: Constant) -> Row:
    value = constant.value
    shown = Span(value.low, value.mid, value.high, Unit.PLAIN, with_mid=True)
    source = constant.source
    where = f"{source.title} {source.url}".strip()
    return Row((constant.name, shown, constant.unit, constant.status.value, where, source.read))
