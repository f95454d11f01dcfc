"""Values of the content's references: one function per kind, one entry per field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Interconnect
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Link,
    NumberCell,
    Parts,
    TierMark,
    Unit,
    joined,
    rate_span,
    recorded,
)
from sitegen.site.content.references import NotUnderstood, words_of
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import assessment_of, combo_survey, look_up
from sitegen.site.sources import constant_value
from sitegen.site.tables.combos import effective_vram
from sitegen.site.tables.hardware import (
    bandwidth_cell,
    installed_memory,
    latency_cell,
    visible_memory,
)
from sitegen.site.tables.models import tensor_parallel_words
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import VENDOR_NAMES, link_words
from sitegen.site.words.plans import plan_words
from sitegen.site.words.prices import gpu_price_cell
from sitegen.site.words.sentences import cure_sentence
from sitegen.site.words.speeds import bound, first_token, reading
from sitegen.site.words.verdicts import (
    LONG_CONTEXT,
    SHORT_CONTEXT,
    checkpoint_name,
    counted_users,
    reasons_of,
    row_link,
    utilization,
)

Fields = Mapping[str, Callable[[], Cell]]


def gpu_fields(inputs: SiteInputs, id_: str) -> Fields:
    """Fields of a GPU."""
    gpu = look_up(inputs.catalog.gpus, "gpu", id_)
    capability = gpu.compute_capability
    return {
        "link": lambda: Link(url_of("gpu", gpu.id), gpu.name),
        "name": lambda: gpu.name,
        "vendor": lambda: VENDOR_NAMES[gpu.vendor],
        "architecture": lambda: gpu.architecture,
        "installed": lambda: installed_memory(gpu),
        "visible": lambda: visible_memory(gpu),
        "bandwidth": lambda: NumberCell(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
        "fp16": lambda: recorded(gpu.fp16_flops_per_s, Unit.TFLOPS),
        "fp8": lambda: recorded(gpu.fp8_flops_per_s, Unit.TFLOPS),
        "fp4": lambda: recorded(gpu.fp4_flops_per_s, Unit.TFLOPS),
        "int8": lambda: recorded(gpu.int8_ops_per_s, Unit.TOPS),
        "rates-at": lambda: recorded(gpu.rates_at_hz, Unit.MHZ),
        "compute-capability": lambda: (
            f"{capability[0]}.{capability[1]}" if capability else Absent("none")
        ),
        "tdp": lambda: recorded(gpu.tdp_watts, Unit.WATTS),
        "price": lambda: gpu_price_cell(gpu),
        "launched": lambda: gpu.launched or Absent(),
    }


def interconnect_fields(inputs: SiteInputs, id_: str) -> Fields:
    """Fields of a link."""
    link: Interconnect = look_up(inputs.catalog.interconnects, "interconnect", id_)
    return {
        "name": lambda: link.name,
        "kind": lambda: link.kind,
        "nominal": lambda: recorded(link.nominal_bytes_per_s, Unit.GB_PER_S),
        "bandwidth": lambda: bandwidth_cell(link),
        "latency": lambda: latency_cell(link),
        "evidence": lambda: str(link.evidence),
    }


def combo_fields(inputs: SiteInputs, id_: str) -> Fields:
    """Fields of a combo and of the answers about it."""
    survey = combo_survey(inputs, id_)
    combo = survey.combo
    single, serving = survey.largest_single_model, survey.aggregate_serving
    lead = survey.lead
    links = {node.link.id: node.link for node in combo.nodes if node.link}

    def tier(tier: FitTier) -> Cell:
        return NumberCell(len(survey.tier(tier)), Unit.COUNT)

    return {
        "link": lambda: Link(url_of("combo", combo.id), combo.name),
        "name": lambda: combo.name,
        "gpus": lambda: NumberCell(len(combo.gpus), Unit.COUNT),
        "nodes": lambda: NumberCell(len(combo.nodes), Unit.COUNT),
        "network": lambda: link_words(combo.network),
        "node-link": lambda: joined(tuple(link_words(link) for link in links.values())),
        "installed": lambda: NumberCell(combo.installed_vram_bytes, Unit.GIB),
        "usable": lambda: NumberCell(sum(g.visible_bytes for g in combo.gpus), Unit.GIB),
        "effective": lambda: effective_vram(survey),
        "comfortable": lambda: tier(FitTier.COMFORTABLE),
        "borderline": lambda: tier(FitTier.BORDERLINE),
        "not-practical": lambda: tier(FitTier.NOT_PRACTICAL),
        "best-model": lambda: Link(row_link(lead), lead.model.name) if lead else Absent("none"),
        "largest-model": lambda: (
            Link(row_link(single), single.model.name) if single else Absent("none")
        ),
        "serving-model": lambda: (
            Link(row_link(serving), serving.model.name) if serving else Absent("none")
        ),
    }


def effective_fields(inputs: SiteInputs, combo_id: str, tensor: str, pipeline: str) -> Fields:
    """Fields of effective VRAM under one split, the largest where runtimes differ."""
    if not (tensor.isdecimal() and pipeline.isdecimal()):
        raise NotUnderstood("write {{ effective <combo> <tp> <pp> <field> }} with two numbers")
    rows = [
        row
        for row in combo_survey(inputs, combo_id).effective_vram
        if (row.tensor_parallel_size, row.pipeline_parallel_size) == (int(tensor), int(pipeline))
    ]
    if not rows:
        raise NotUnderstood(f"{combo_id} has no effective VRAM for TP {tensor} × PP {pipeline}")
    row = max(rows, key=lambda row: row.bytes)
    return {
        "size": lambda: NumberCell(row.bytes, Unit.GIB),
        "replicas": lambda: NumberCell(row.replicas, Unit.COUNT),
        "runtime": lambda: Link(url_of("runtime", row.runtime.id), row.runtime.name),
    }


def _model(inputs: SiteInputs, id_: str) -> Fields:
    model = look_up(inputs.catalog.models, "model", id_)
    facts = inputs.facts[model.id]
    return {
        "link": lambda: Link(url_of("model", model.id), model.name),
        "name": lambda: model.name,
        "organization": lambda: model.organization,
        "license": lambda: model.license,
        "context": lambda: NumberCell(model.context_tokens, Unit.TOKENS),
        "parameters": lambda: NumberCell(facts.all_parameters, Unit.PARAMETERS),
        "active-parameters": lambda: NumberCell(facts.active_parameters, Unit.PARAMETERS),
        "kv-per-token": lambda: NumberCell(facts.kv_bytes_per_token, Unit.KIB),
        "tensor-parallel-sizes": lambda: tensor_parallel_words(facts),
        "checkpoints": lambda: NumberCell(len(model.checkpoints), Unit.COUNT),
    }


def _weights(inputs: SiteInputs, model_id: str, checkpoint_id: str) -> Fields:
    look_up(inputs.catalog.models, "model", model_id)
    known = {entry.checkpoint.id: entry for entry in inputs.facts[model_id].checkpoints}
    entry = look_up(known, f"checkpoint of {model_id}", checkpoint_id)
    return {
        "size": lambda: NumberCell(entry.total_bytes, Unit.GIB),
        "file": lambda: NumberCell(entry.total_bytes, Unit.GB),
        "bits-per-weight": lambda: NumberCell(entry.bits_per_weight, Unit.BITS),
        "quantization": lambda: entry.checkpoint.quantization.name,
    }


def _assess(inputs: SiteInputs, model_id: str, combo_id: str, checkpoint_id: str = "") -> Fields:
    found = assessment_of(inputs, model_id, combo_id, checkpoint_id)
    return {
        name: partial(make, found, inputs.catalog) for name, make in assessment_fields().items()
    }


def _runtime(inputs: SiteInputs, id_: str) -> Fields:
    runtime = look_up(inputs.catalog.runtimes, "runtime", id_)
    return {
        "link": lambda: Link(url_of("runtime", runtime.id), runtime.name),
        "name": lambda: runtime.name,
        "version": lambda: runtime.release(runtime.assessed_version) or Absent("not assessed"),
        "summary": lambda: runtime.summary,
    }


def _constant(inputs: SiteInputs, runtime_id: str) -> Fields:
    runtime = look_up(inputs.catalog.runtimes, "runtime", runtime_id)
    for profile in runtime.profiles:
        if profile.version == runtime.assessed_version:
            return {
                name: partial(constant_value, constant)
                for name, constant in profile.constants.items()
            }
    raise NotUnderstood(f"{runtime_id} has no assessed profile")


def _assumption(inputs: SiteInputs) -> Fields:
    return {
        name: partial(constant_value, constant)
        for name, constant in inputs.catalog.assumptions.items()
    }


def _quantization(inputs: SiteInputs, id_: str) -> Fields:
    quantization = look_up(inputs.catalog.quantizations, "quantization", id_)
    return {
        "name": lambda: quantization.name,
        "bits": lambda: NumberCell(quantization.nominal_bits, Unit.BITS),
        "format": lambda: quantization.format,
    }


def _count(inputs: SiteInputs) -> Fields:
    catalog = inputs.catalog
    sizes = {
        "gpus": len(catalog.gpus),
        "interconnects": len(catalog.interconnects),
        "combos": len(catalog.combos),
        "models": len(catalog.models),
        "checkpoints": sum(len(model.checkpoints) for model in catalog.models.values()),
        "quantizations": len(catalog.quantizations),
        "runtimes": len(catalog.runtimes),
        "assessments": sum(len(survey.rows) for survey in inputs.survey.combos.values()),
    }
    return {name: partial(NumberCell, size, Unit.COUNT) for name, size in sizes.items()}


KINDS: Mapping[str, tuple[Callable[..., Fields], tuple[int, ...]]] = {
    "gpu": (gpu_fields, (1,)),
    "interconnect": (interconnect_fields, (1,)),
    "model": (_model, (1,)),
    "weights": (_weights, (2,)),
    "combo": (combo_fields, (1,)),
    "effective": (effective_fields, (3,)),
    "assess": (_assess, (2, 3)),
    "runtime": (_runtime, (1,)),
    "constant": (_constant, (1,)),
    "assumption": (_assumption, (0,)),
    "quantization": (_quantization, (1,)),
    "count": (_count, (0,)),
}
"""By first word: the function and how many ids may stand between it and the field."""


def resolve_reference(inner: str, inputs: SiteInputs) -> Cell:
    """Return what the inner text of a reference stands for.

    Raises:
        NotUnderstood: If it names nothing.
    """
    kind, *rest = words_of(inner)
    fields_of, arities = look_up(KINDS, "reference", kind)
    if len(rest) - 1 not in arities:
        raise NotUnderstood(f"'{kind}' is followed by {arities[0]} id(s) and a field")
    *ids, field = rest
    noun = "assumption" if kind == "assumption" else f"field of '{kind}'"
    return look_up(fields_of(inputs, *ids), noun, field)()


Field = Callable[[Assessment, Catalog], Cell]
NO_PLAN = Absent("no valid plan")


def _users(assessment: Assessment, context: int) -> Cell:
    if assessment.limits is None or assessment.plan is None:
        return NO_PLAN
    at = assessment.limits.sequences_at.get(context)
    if at is None:
        return Absent()
    cells = counted_users(assessment.limits, at, assessment.plan.replicas)
    return Parts(cells)


def _need(assessment: Assessment, _: Catalog) -> Cell:
    if assessment.busiest is None:
        return NO_PLAN
    return NumberCell(assessment.verdict_need_bytes, Unit.GIB)


def _budget(assessment: Assessment, _: Catalog) -> Cell:
    busiest = assessment.busiest
    return NO_PLAN if busiest is None else NumberCell(busiest.budget_bytes, Unit.GIB)


def _max_context(assessment: Assessment, _: Catalog) -> Cell:
    limits = assessment.limits
    return NO_PLAN if limits is None else NumberCell(limits.max_context_tokens, Unit.TOKENS)


def _decode(assessment: Assessment, _: Catalog) -> Cell:
    speed = assessment.speed
    return NO_PLAN if speed is None else rate_span(speed.single_tokens_per_s)


def _aggregate(assessment: Assessment, _: Catalog) -> Cell:
    speed = assessment.speed
    return NO_PLAN if speed is None else rate_span(speed.aggregate_tokens_per_s)


def _reason(assessment: Assessment, catalog: Catalog) -> Cell:
    if not assessment.reasons:
        return Absent("no reason against it")
    return next(reasons_of(assessment, catalog))


def _shortage(assessment: Assessment, _: Catalog) -> Cell:
    if not assessment.shortage_bytes:
        return Absent("nothing")
    return NumberCell(assessment.shortage_bytes, Unit.GIB)


def _cure(assessment: Assessment, catalog: Catalog) -> Cell:
    return cure_sentence(assessment.cure, catalog) if assessment.cure else Absent("none known")


def assessment_fields() -> Mapping[str, Field]:
    """Return every field by name."""
    return {
        "tier": lambda a, _: TierMark(a.tier, a.too_close),
        "link": lambda a, _: Link(row_link(a), f"{a.model.name} on {a.combo.name}"),
        "checkpoint": lambda a, _: checkpoint_name(a),
        "runtime": lambda a, _: Link(url_of("runtime", a.runtime.id), a.runtime.name),
        "plan": lambda a, _: plan_words(a.plan) if a.plan else NO_PLAN,
        "need": _need,
        "budget": _budget,
        "utilization": lambda a, _: utilization(a),
        "max-context": _max_context,
        "users-8k": lambda a, _: _users(a, SHORT_CONTEXT),
        "users-32k": lambda a, _: _users(a, LONG_CONTEXT),
        "decode": _decode,
        "aggregate": _aggregate,
        "first-token": lambda a, _: first_token(a.speed),
        "prefill": lambda a, _: reading(a.speed),
        "bound": lambda a, _: bound(a.speed),
        "reason": _reason,
        "shortage": _shortage,
        "cure": _cure,
        "evidence": lambda a, _: EvidenceMark(a.evidence),
    }
