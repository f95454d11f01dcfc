"""Values of the content's references: one function per kind, one entry per field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu, Interconnect
from sitegen.catalog.domain.models import LanguageModel, Quantization, Runtime
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.model_facts import CheckpointFacts, ModelFacts
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
from sitegen.survey.results import ComboSurvey, EffectiveVram

Fields = Mapping[str, Callable[[], Cell]]
S = TypeVar("S")


def _of(subject: S, fields: Mapping[str, Callable[[S], Cell]]) -> Fields:
    """Return the fields of one subject."""
    return {name: partial(make, subject) for name, make in fields.items()}


def _tier(tier: FitTier) -> Callable[[ComboSurvey], Cell]:
    return lambda survey: NumberCell(len(survey.tier(tier)), Unit.COUNT)


def _to_row(found: Assessment | None) -> Cell:
    return Link(row_link(found), found.model.name) if found else Absent("none")


def _capability(gpu: Gpu) -> Cell:
    capability = gpu.compute_capability
    return f"{capability[0]}.{capability[1]}" if capability else Absent("none")


def _node_links(survey: ComboSurvey) -> Cell:
    links = {node.link.id: node.link for node in survey.combo.nodes if node.link}
    return joined(tuple(link_words(link) for link in links.values()))


GPU: Mapping[str, Callable[[Gpu], Cell]] = {
    "link": lambda gpu: Link(url_of("gpu", gpu.id), gpu.name),
    "name": lambda gpu: gpu.name,
    "vendor": lambda gpu: VENDOR_NAMES[gpu.vendor],
    "architecture": lambda gpu: gpu.architecture,
    "installed": installed_memory,
    "visible": visible_memory,
    "bandwidth": lambda gpu: NumberCell(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
    "fp16": lambda gpu: recorded(gpu.fp16_flops_per_s, Unit.TFLOPS),
    "fp8": lambda gpu: recorded(gpu.fp8_flops_per_s, Unit.TFLOPS),
    "fp4": lambda gpu: recorded(gpu.fp4_flops_per_s, Unit.TFLOPS),
    "int8": lambda gpu: recorded(gpu.int8_ops_per_s, Unit.TOPS),
    "rates-at": lambda gpu: recorded(gpu.rates_at_hz, Unit.MHZ),
    "compute-capability": _capability,
    "tdp": lambda gpu: recorded(gpu.tdp_watts, Unit.WATTS),
    "price": gpu_price_cell,
    "launched": lambda gpu: gpu.launched or Absent(),
}
INTERCONNECT: Mapping[str, Callable[[Interconnect], Cell]] = {
    "name": lambda link: link.name,
    "kind": lambda link: link.kind,
    "nominal": lambda link: recorded(link.nominal_bytes_per_s, Unit.GB_PER_S),
    "bandwidth": bandwidth_cell,
    "latency": latency_cell,
    "evidence": lambda link: str(link.evidence),
}
COMBO: Mapping[str, Callable[[ComboSurvey], Cell]] = {
    "link": lambda survey: Link(url_of("combo", survey.combo.id), survey.combo.name),
    "name": lambda survey: survey.combo.name,
    "gpus": lambda survey: NumberCell(len(survey.combo.gpus), Unit.COUNT),
    "nodes": lambda survey: NumberCell(len(survey.combo.nodes), Unit.COUNT),
    "network": lambda survey: link_words(survey.combo.network),
    "node-link": _node_links,
    "installed": lambda survey: NumberCell(survey.combo.installed_vram_bytes, Unit.GIB),
    "usable": lambda survey: NumberCell(sum(g.visible_bytes for g in survey.combo.gpus), Unit.GIB),
    "effective": effective_vram,
    "comfortable": _tier(FitTier.COMFORTABLE),
    "borderline": _tier(FitTier.BORDERLINE),
    "not-practical": _tier(FitTier.NOT_PRACTICAL),
    "best-model": lambda survey: _to_row(survey.lead),
    "largest-model": lambda survey: _to_row(survey.largest_single_model),
    "serving-model": lambda survey: _to_row(survey.aggregate_serving),
}
EFFECTIVE: Mapping[str, Callable[[EffectiveVram], Cell]] = {
    "size": lambda row: NumberCell(row.bytes, Unit.GIB),
    "replicas": lambda row: NumberCell(row.replicas, Unit.COUNT),
    "runtime": lambda row: Link(url_of("runtime", row.runtime.id), row.runtime.name),
}
MODEL: Mapping[str, Callable[[tuple[LanguageModel, ModelFacts]], Cell]] = {
    "link": lambda both: Link(url_of("model", both[0].id), both[0].name),
    "name": lambda both: both[0].name,
    "organization": lambda both: both[0].organization,
    "license": lambda both: both[0].license,
    "context": lambda both: NumberCell(both[0].context_tokens, Unit.TOKENS),
    "parameters": lambda both: NumberCell(both[1].all_parameters, Unit.PARAMETERS),
    "active-parameters": lambda both: NumberCell(both[1].active_parameters, Unit.PARAMETERS),
    "kv-per-token": lambda both: NumberCell(both[1].kv_bytes_per_token, Unit.KIB),
    "tensor-parallel-sizes": lambda both: tensor_parallel_words(both[1]),
    "checkpoints": lambda both: NumberCell(len(both[0].checkpoints), Unit.COUNT),
}
WEIGHTS: Mapping[str, Callable[[CheckpointFacts], Cell]] = {
    "size": lambda entry: NumberCell(entry.total_bytes, Unit.GIB),
    "file": lambda entry: NumberCell(entry.total_bytes, Unit.GB),
    "bits-per-weight": lambda entry: NumberCell(entry.bits_per_weight, Unit.BITS),
    "quantization": lambda entry: entry.checkpoint.quantization.name,
}
RUNTIME: Mapping[str, Callable[[Runtime], Cell]] = {
    "link": lambda runtime: Link(url_of("runtime", runtime.id), runtime.name),
    "name": lambda runtime: runtime.name,
    "version": lambda runtime: runtime.release(runtime.assessed_version) or Absent("not assessed"),
    "summary": lambda runtime: runtime.summary,
}
QUANTIZATION: Mapping[str, Callable[[Quantization], Cell]] = {
    "name": lambda quantization: quantization.name,
    "bits": lambda quantization: NumberCell(quantization.nominal_bits, Unit.BITS),
    "format": lambda quantization: quantization.format,
}


COUNT: Mapping[str, Callable[[SiteInputs], int]] = {
    "gpus": lambda inputs: len(inputs.catalog.gpus),
    "interconnects": lambda inputs: len(inputs.catalog.interconnects),
    "combos": lambda inputs: len(inputs.catalog.combos),
    "models": lambda inputs: len(inputs.catalog.models),
    "checkpoints": lambda inputs: sum(
        len(model.checkpoints) for model in inputs.catalog.models.values()
    ),
    "quantizations": lambda inputs: len(inputs.catalog.quantizations),
    "runtimes": lambda inputs: len(inputs.catalog.runtimes),
    "assessments": lambda inputs: sum(len(survey.rows) for survey in inputs.survey.combos.values()),
}


def _gpu(inputs: SiteInputs, id_: str) -> Fields:
    return _of(look_up(inputs.catalog.gpus, "gpu", id_), GPU)


def _interconnect(inputs: SiteInputs, id_: str) -> Fields:
    return _of(look_up(inputs.catalog.interconnects, "interconnect", id_), INTERCONNECT)


def _combo(inputs: SiteInputs, id_: str) -> Fields:
    return _of(combo_survey(inputs, id_), COMBO)


def _effective(inputs: SiteInputs, combo_id: str, tensor: str, pipeline: str) -> Fields:
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
    return _of(max(rows, key=lambda row: row.bytes), EFFECTIVE)


def _model(inputs: SiteInputs, id_: str) -> Fields:
    model = look_up(inputs.catalog.models, "model", id_)
    return _of((model, inputs.facts[model.id]), MODEL)


def _weights(inputs: SiteInputs, model_id: str, checkpoint_id: str) -> Fields:
    look_up(inputs.catalog.models, "model", model_id)
    known = {entry.checkpoint.id: entry for entry in inputs.facts[model_id].checkpoints}
    return _of(look_up(known, f"checkpoint of {model_id}", checkpoint_id), WEIGHTS)


def _assess(inputs: SiteInputs, model_id: str, combo_id: str, checkpoint_id: str = "") -> Fields:
    found = assessment_of(inputs, model_id, combo_id, checkpoint_id)
    return {
        name: partial(make, found, inputs.catalog) for name, make in assessment_fields().items()
    }


def _runtime(inputs: SiteInputs, id_: str) -> Fields:
    return _of(look_up(inputs.catalog.runtimes, "runtime", id_), RUNTIME)


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
    return _of(look_up(inputs.catalog.quantizations, "quantization", id_), QUANTIZATION)


def _count(inputs: SiteInputs) -> Fields:
    return {name: partial(NumberCell, size(inputs), Unit.COUNT) for name, size in COUNT.items()}


KINDS: Mapping[str, tuple[Callable[..., Fields], tuple[int, ...]]] = {
    "gpu": (_gpu, (1,)),
    "interconnect": (_interconnect, (1,)),
    "model": (_model, (1,)),
    "weights": (_weights, (2,)),
    "combo": (_combo, (1,)),
    "effective": (_effective, (3,)),
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
    kind, ids, field = parts_of(inner)
    noun = "assumption" if kind == "assumption" else f"field of '{kind}'"
    return look_up(KINDS[kind][0](inputs, *ids), noun, field)()


def parts_of(inner: str) -> tuple[str, list[str], str]:
    """Return the kind of a reference, the ids in it and its field.

    Raises:
        NotUnderstood: If there is no such kind, or another number of ids belongs to it.
    """
    kind, *rest = words_of(inner)
    _, arities = look_up(KINDS, "reference", kind)
    if len(rest) - 1 not in arities:
        raise NotUnderstood(f"'{kind}' is followed by {arities[0]} id(s) and a field")
    *ids, field = rest
    return kind, ids, field


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


FIELDS: Mapping[str, frozenset[str]] = {
    "gpu": frozenset(GPU),
    "interconnect": frozenset(INTERCONNECT),
    "model": frozenset(MODEL),
    "weights": frozenset(WEIGHTS),
    "combo": frozenset(COMBO),
    "effective": frozenset(EFFECTIVE),
    "assess": frozenset(assessment_fields()),
    "runtime": frozenset(RUNTIME),
    "quantization": frozenset(QUANTIZATION),
    "count": frozenset(COUNT),
}
"""By first word, the fields that it always has."""
