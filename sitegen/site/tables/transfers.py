"""Transfers that happen once: a checkpoint to a helper, the cache of a prompt to another pool."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import REFERENCE_WORKLOAD, Assessment, FitRequest
from sitegen.fit.disaggregated import Disaggregated, disaggregated, prompt_bytes, transfer_s
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.site.cells import Lines, NumberCell, Small, Unit, span
from sitegen.site.content.references import Directive, NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.links import checkpoint_of, links_of
from sitegen.site.tables.side_by_side import COLUMNS, answer_cells
from sitegen.site.words.plans import plan_words

DEFAULT_RUNTIME = "vllm"


def transfers_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List links by the seconds that they need for a whole checkpoint and for a prompt's cache."""
    request = _request(inputs, directive, next(iter(inputs.catalog.combos)))
    weights = next(
        entry.total_bytes
        for entry in inputs.facts[request.model.id].checkpoints
        if entry.checkpoint.id == request.checkpoint.id
    )
    cache = prompt_bytes(inputs.engine, request)
    timed = [
        (link, times)
        for link in links_of(inputs, directive)
        if (times := _times_s(link, weights, cache))
    ]
    timed.sort(key=lambda one: (one[1][0].mid, one[0].id))
    columns = (
        Column("Link"),
        Column("All weights", numeric=True, note="low–high"),
        Column("Cache of one prompt", numeric=True, note="low–high"),
    )
    rows = tuple(
        Row((link.name, *(span(one, Unit.SECONDS) for one in times))) for link, times in timed
    )
    caption = (
        f"Time to send the weights of {request.model.name} "
        f"({request.checkpoint.quantization.name}) or the cache of "
        f"{REFERENCE_WORKLOAD.context_tokens:,} tokens"
    )
    return Table(id, caption, columns, rows)


def pools_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """Put one pool of all GPUs beside a prefill and a decode pool of the same GPUs."""
    combo = look_up(inputs.catalog.combos, "combo", directive.required("combo"))
    request = _request(inputs, directive, combo.id)
    half = len(combo.gpus) // 2
    if not half:
        raise NotUnderstood(f"{combo.id} has one GPU, which is no two pools")
    whole = disaggregated(
        inputs.engine, request, prefill_gpus=0, decode_gpus=len(combo.gpus)
    ).decode
    apart = disaggregated(inputs.engine, request, prefill_gpus=half, decode_gpus=half)
    columns = (Column("Pool", note="plan"), Column("GPUs", numeric=True), *COLUMNS[1:])
    rows = (
        _pool("one pool for both", len(combo.gpus), whole),
        _pool("prefill pool", half, apart.prefill),
        _pool("decode pool", half, apart.decode),
    )
    caption = f"{request.model.name} on {combo.name}: prefill and decode in one pool and in two"
    return Table(id, caption, columns, rows, note=_handover(apart))


def _pool(name: str, gpus: int, assessment: Assessment) -> Row:
    plan = (Small(plan_words(assessment.plan)),) if assessment.plan else ()
    return Row((Lines((name, *plan)), NumberCell(gpus, Unit.COUNT), *answer_cells(assessment)))


def _handover(apart: Disaggregated) -> str:
    if apart.link is None:
        return ""
    return f"The cache of a prompt travels between the pools over {apart.link.name}."


def _request(inputs: SiteInputs, directive: Directive, combo_id: str) -> FitRequest:
    model = look_up(inputs.catalog.models, "model", directive.required("model"))
    runtime = look_up(
        inputs.catalog.runtimes, "runtime", directive.options.get("runtime", DEFAULT_RUNTIME)
    )
    profile = profile_of(runtime)
    if profile is None:
        raise NotUnderstood(f"{runtime.id} has no assessed profile")
    checkpoint = checkpoint_of(model, directive.options.get("checkpoint", ""))
    return FitRequest(model, checkpoint, inputs.catalog.combos[combo_id], runtime, profile)


def _times_s(link: Interconnect, *sizes: int) -> tuple[Interval, ...]:
    """Time each size over a link; empty where its speed is not recorded."""
    found = (transfer_s(size, link) for size in sizes)
    return tuple(one for one in found if one is not None)
