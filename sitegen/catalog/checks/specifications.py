"""Rules on figures of a GPU that follow from others, and on machines that feed several of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.bounds import bounds_of_key
from sitegen.catalog.kinds import Kind
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.hardware import GpuRecord

_ROUNDING = 0.015
"""How far printed bandwidths are from width times rate: makers round both."""
_BANDWIDTHS = {
    "consumer": (50, 4_000),
    "workstation": (60, 4_000),
    "datacenter": (80, 50_000),
    "integrated": (8, 3_000),
}
"""Least and most memory bandwidth of a segment, GB/s."""
_DIFFERS = {Kind.GPU: ", e.g. the size of the memory"}
_MEMORIES = {
    "consumer": (1, 128),
    "workstation": (2, 256),
    "datacenter": (4, 1_024),
    "integrated": (1, 256),
}
"""Least and most memory of its own in a GPU of a segment, GiB."""
_WATTS = {
    "consumer": (30, 1_200),
    "workstation": (20, 1_200),
    "datacenter": (25, 4_000),
    "integrated": (5, 500),
}
"""Least and most power of a segment."""
_CORES_OF_7, _CORES = 64, 128
_FEW_CORES = frozenset({"6.0", "7.0", "7.2", "7.5", "8.0"})
_RATE_ROUNDING = 0.03
"""How far printed rates are from one another and from units times clock: makers round each."""
_OPERATIONS = {
    **dict.fromkeys(("6.0", "GCN 5.1", "RDNA 1", "RDNA 2"), 256),
    **dict.fromkeys(("RDNA 3", "RDNA 3.5"), 512),
    **dict.fromkeys(("7.0", "7.2", "7.5", "8.6", "8.9", "12.0", "12.1"), 1024),
    **dict.fromkeys(("CDNA 1", "CDNA 2", "RDNA 4"), 1024),
    **dict.fromkeys(("8.0", "8.7", "CDNA 3"), 2048),
    **dict.fromkeys(("9.0", "CDNA 4"), 4096),
    **dict.fromkeys(("10.0", "10.3", "11.0"), 8192),
}
"""Most dense FP16 operations with FP32 accumulate that a unit does in a clock, by generation.

Source:
    AMD GPUOpen, "Using the Matrix Cores of AMD RDNA 4" and "AMD matrix cores" (operations a clock
    and unit of RDNA 2 to 4 and CDNA 1 and 2); hmc-tech.com and glennklockwood.com (rate, units and
    clock of A100, H100, B200 and the RTX cards); torring.dev on Thor; read 2026-11-23.
"""
_GEFORCE_HALF = frozenset({"7.5", "8.6", "8.9", "12.0"})
"""GeForce generations that accumulate FP16 in FP32 at half the rate of workstation GPUs."""
_BLACKWELL = {"fp8_tflops": 2, "fp4_tflops": 4, "int8_tops": 2}
_MULTIPLES: Mapping[str, Mapping[str, float]] = {
    "Turing": {"int8_tops": 2},
    "Ampere": {"int8_tops": 2},
    "Ada Lovelace": {"fp8_tflops": 2, "int8_tops": 2},
    "Hopper": {"fp8_tflops": 2, "int8_tops": 2},
    "Blackwell": _BLACKWELL,
    "Blackwell Ultra": {"fp8_tflops": 2, "fp4_tflops": 6, "int8_tops": 0.066},
    "GCN 5.1": {"int8_tops": 2},
    "CDNA 1": {"int8_tops": 1},
    "CDNA 2": {"int8_tops": 1},
    "CDNA 3": {"fp8_tflops": 2, "int8_tops": 2},
    "CDNA 4": _BLACKWELL,
    "RDNA 2": {"int8_tops": 2},
    "RDNA 3": {"int8_tops": 1},
    "RDNA 3.5": {"int8_tops": 1},
    "RDNA 4": {"fp8_tflops": 2, "int8_tops": 2},
    "Xe-HPG": {"int8_tops": 2},
    "Xe2-HPG": {"int8_tops": 2},
}
"""How many times the dense FP16 rate a generation reaches in fewer bits; what is absent, it lacks.

Source:
    hmc-tech.com (RTX 4090, RTX PRO 4000 SFF, A40, A100, B200, MI300A), glennklockwood.com (H100),
    verda.com (B300, GB300), AMD GPUOpen (RDNA 2 to 4, CDNA 1 and 2), thelinx.net (MI60), yd166.com
    on Intel's Xe-HPG; read 2026-11-23. Where GeForce halves FP16, INT8 and FP4 keep the whole rate:
    twice as many.
"""
_IN_FEWER_BITS = {"fp8_tflops": "FP8", "fp4_tflops": "FP4", "int8_tops": "INT8"}
_CONNECTORS = re.compile(
    r"none|[1-9]× (6-pin|8-pin|8-pin EPS|12-pin|16-pin)( \+ [1-9]× (6-pin|8-pin|12-pin|16-pin))*"
)


def records_have_names_of_their_own(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no two records of a kind have one name, whatever its case, spaces and hyphens are."""
    named: tuple[Mapping[str, Authored[Any]], ...] = (
        records.gpus, records.interconnects, records.combos, records.models,
        records.quantizations, records.runtimes, records.boards,
    )  # fmt: skip
    for kind in named:
        first: dict[str, Authored[Any]] = {}
        for one in kind.values():
            plain = re.sub(r"[\s_-]+", "", one.record.name).casefold()
            other = first.setdefault(plain, one)
            if other is not one:
                message = f"{quoted(other.id)} is called {quoted(other.record.name)}, too"
                hint = f"say in the name what differs{_DIFFERS.get(one.kind, '')}; or remove one"
                yield one.problem(("name",), "name-taken", message, hint)


def bandwidth_is_width_times_rate(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure memory bandwidth is what the width of its bus and the rate of its pins make."""
    for gpu in records.gpus.values():
        bits, rate = gpu.record.memory_bus_bits, gpu.record.memory_gbit_s
        if bits is None or rate is None:
            continue
        made, said = bits * rate / 8, gpu.record.memory_bandwidth_gb_s
        if abs(said - made) > _ROUNDING * made:
            message = f"{written(said)} GB/s is not {bits} bits times {written(rate)} Gbit/s "
            message += f"({written(made)} GB/s)"
            hint = "check the three figures of this exact card; siblings differ"
            yield gpu.problem(("memory_bandwidth_gb_s",), "bandwidth", message, hint)


def figures_are_of_their_segment(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure memory, its bandwidth and power are of the size that GPUs of their segment have.

    The bounds are the least and the most in the catalog of 2026-11-27 with a factor of two and
    more, so that a generation can pass the last one and a digit too many cannot. In the catalog
    were, in GB/s and watts: consumer 112 to 1,792 and 70 to 575, workstation 160 to 1,792 and 50
    to 600, datacenter 192 to 23,300 and 60 to 1,600, integrated 17 to 1,228 and 15 to 220. Memory
    of their own, in GiB: consumer 3 to 48, workstation 6 to 96, datacenter 8 to 432.
    """
    for gpu in records.gpus.values():
        for field, unit, bounds in (
            ("memory_bandwidth_gb_s", "GB/s", _BANDWIDTHS),
            ("tdp_watts", "W", _WATTS),
            ("vram_gib", "GiB", _MEMORIES),
        ):
            said, (least, most) = getattr(gpu.record, field), bounds[gpu.record.segment]
            if said is None or not bounds_of_key(field).holds(said):
                continue  # nothing is said, or no unit has such a number
            if not least <= said <= most:
                message = f"{written(said)} {unit} does not fit a {gpu.record.segment} GPU: "
                message += f"those have {least:,} to {most:,} {unit}"
                hint = "compare number, unit and `segment` with the source"
                yield gpu.problem((field,), "segment-figure", message, hint)


def cores_fill_the_multiprocessors(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure CUDA cores are multiprocessors times the cores that their generation has in each."""
    for gpu in records.gpus.values():
        cores, count = gpu.record.cores, gpu.record.multiprocessors
        capability = gpu.record.compute_capability
        if cores is None or count is None or capability is None:
            continue
        each = _CORES_OF_7 if capability in _FEW_CORES else _CORES
        if cores != count * each:
            message = f"{cores} cores are not {count} multiprocessors of {each}"
            hint = "units of the whole chip are often printed for a card that has fewer"
            yield gpu.problem(("multiprocessors",), "cores", message, hint)


def _is_halved(gpu: GpuRecord) -> bool:
    """Return whether FP16 with FP32 accumulate runs at half rate: GeForce cards, but no TITAN."""
    return (
        gpu.segment == "consumer"
        and gpu.compute_capability in _GEFORCE_HALF
        and not gpu.name.startswith("TITAN")
    )


def rates_are_within_units_times_clock(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the dense FP16 rate is no more than the units can do at the clock it is stated at."""
    for gpu in records.gpus.values():
        record = gpu.record
        each = _OPERATIONS.get(record.compute_capability or record.architecture)
        rate, units, clock = record.fp16_tflops, record.multiprocessors, record.rates_at_mhz
        if rate is None or units is None or clock is None or each is None:
            continue
        each = each // 2 if _is_halved(record) else each
        most = units * each * clock / 1e6
        if rate > most * (1 + _RATE_ROUNDING):
            message = (
                f"{written(rate)} TFLOPS is more than {units} multiprocessors of {each} "
                f"operations can do at {clock} MHz ({written(most, 4)} TFLOPS)"
            )
            hint = "is it the rate with sparsity, or with FP16 accumulate? write the dense one"
            yield gpu.problem(("fp16_tflops",), "rate-clock", message, hint)


def rates_in_fewer_bits_follow_from_fp16(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure dense FP8, FP4 and INT8 rates are as many times FP16's as the generation does."""
    for gpu in records.gpus.values():
        multiples = _MULTIPLES.get(gpu.record.architecture)
        if multiples is None:
            continue
        for field, name in _IN_FEWER_BITS.items():
            said = getattr(gpu.record, field)
            if said is None:
                continue
            if field not in multiples and field != "int8_tops":
                message = f"{gpu.record.architecture} has no {name} arithmetic"
                hint = f"leave `{field}` out: files in {name} are widened first"
                yield gpu.problem((field,), "rate-ratio", message, hint)
            elif field in multiples and (fp16 := gpu.record.fp16_tflops) is not None:
                whole = 2 if _is_halved(gpu.record) and field != "fp8_tflops" else 1
                made = fp16 * multiples[field] * whole
                if abs(said - made) > _RATE_ROUNDING * made:
                    message = (
                        f"{written(said)} in {name} is not {written(multiples[field] * whole)} "
                        f"times the FP16 rate of {written(fp16)} ({written(made, 4)})"
                    )
                    hint = "rates with sparsity are twice the dense ones: write dense ones"
                    yield gpu.problem((field,), "rate-ratio", message, hint)


def modules_draw_no_less_than_cards(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a GPU on a server module has at least the power of the PCIe card of the same name."""
    for gpu in records.gpus.values():
        pcie = records.gpus.get(re.sub(r"-sxm$", "-pcie", gpu.id))
        if pcie is None or pcie is gpu:
            continue
        watts, of_pcie = gpu.record.tdp_watts, pcie.record.tdp_watts
        if watts is not None and of_pcie is not None and watts < of_pcie:
            message = f"{watts} W is less than the {of_pcie} W of {quoted(pcie.id)}"
            hint = "modules are cooled better and draw more: are the two swapped?"
            yield gpu.problem(("tdp_watts",), "module-power", message, hint)


def gpus_draw_no_more_than_their_machine(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the GPUs of a node together draw no more than its maker says of the whole machine."""
    for combo in records.combos.values():
        for index, node in enumerate(combo.record.nodes):
            if node.max_watts is None:
                continue
            watts = sum(part.count * _watts(records.gpus, part.gpu) for part in node.gpus)
            if watts > node.max_watts:
                message = f"its GPUs draw {watts} W, but the machine draws only {node.max_watts} W"
                hint = "check `tdp_watts` of the GPUs, and that `max_watts` is of this machine"
                path = ("nodes", index, "max_watts")
                yield combo.problem(path, "machine-power", message, hint)


def _watts(gpus: Mapping[str, Authored[GpuRecord]], id_: str) -> int:
    gpu = gpus.get(id_)
    return (gpu.record.tdp_watts or 0) if gpu else 0


def connectors_are_named_alike(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure power connectors are counted and named as all records do, or said to be none."""
    for gpu in records.gpus.values():
        given = gpu.record.power_connectors
        if given and not _CONNECTORS.fullmatch(given):
            message = f"{quoted(given)} is not a valid list of power connectors"
            hint = "write e.g. `1× 16-pin`, `2× 8-pin`, `1× 6-pin + 1× 8-pin`, or `none`"
            yield gpu.problem(("power_connectors",), "connectors", message, hint)
