"""The fields of GPUs, links and combos that content may refer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.fit.assessment import FitTier
from sitegen.site.cells import Absent, Cell, Link, Quantity, Unit, joined, recorded
from sitegen.site.content.references import NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import combo_survey, look_up
from sitegen.site.tables.combos import effective_vram
from sitegen.site.tables.hardware import (
    bandwidth_cell,
    installed_memory,
    latency_cell,
    visible_memory,
)
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import VENDOR_NAMES, link_words
from sitegen.site.words.prices import gpu_price_cell
from sitegen.site.words.verdicts import row_link

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
        "bandwidth": lambda: Quantity(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
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

    def tier(of: FitTier) -> Cell:
        return Quantity(len(survey.tier(of)), Unit.COUNT)

    return {
        "link": lambda: Link(url_of("combo", combo.id), combo.name),
        "name": lambda: combo.name,
        "gpus": lambda: Quantity(len(combo.gpus), Unit.COUNT),
        "nodes": lambda: Quantity(len(combo.nodes), Unit.COUNT),
        "network": lambda: link_words(combo.network),
        "node-link": lambda: joined(tuple(link_words(link) for link in links.values())),
        "installed": lambda: Quantity(combo.installed_vram_bytes, Unit.GIB),
        "usable": lambda: Quantity(sum(g.visible_bytes for g in combo.gpus), Unit.GIB),
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
        "size": lambda: Quantity(row.bytes, Unit.GIB),
        "replicas": lambda: Quantity(row.replicas, Unit.COUNT),
        "runtime": lambda: Link(url_of("runtime", row.runtime.id), row.runtime.name),
    }
