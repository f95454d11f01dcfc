"""Rules on figures of a GPU that follow from others, and on machines that feed several of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.records.hardware import GpuRecord
from sitegen.catalog.source_text import quoted
from sitegen.problems import Problem

_ROUNDING = 0.015
"""How far printed bandwidths are from width times rate: makers round both."""
_CORES_OF_7, _CORES = 64, 128
_FEW_CORES = frozenset({"6.0", "7.0", "7.2", "7.5", "8.0"})
_CONNECTORS = re.compile(
    r"none|[1-9]× (6-pin|8-pin|8-pin EPS|12-pin|16-pin)( \+ [1-9]× (6-pin|8-pin|12-pin|16-pin))*"
)


def bandwidth_is_width_times_rate(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure memory bandwidth is what the width of its bus and the rate of its pins make."""
    for gpu in records.gpus.values():
        bits, rate = gpu.record.memory_bus_bits, gpu.record.memory_gbit_s
        if bits is None or rate is None:
            continue
        made, said = bits * rate / 8, gpu.record.memory_bandwidth_gb_s
        if abs(said - made) > _ROUNDING * made:
            message = f"{said:g} GB/s are not {bits} bits times {rate:g} Gbit/s ({made:g} GB/s)"
            hint = "look up the three figures of this very card; siblings differ"
            yield gpu.problem(("memory_bandwidth_gb_s",), "bandwidth", message, hint)


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


def modules_draw_no_less_than_cards(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a GPU on a server module has at least the power of the PCIe card of the same name."""
    for gpu in records.gpus.values():
        card = records.gpus.get(re.sub(r"-sxm$", "-pcie", gpu.id))
        if card is None or card is gpu:
            continue
        watts, of_card = gpu.record.tdp_watts, card.record.tdp_watts
        if watts is not None and of_card is not None and watts < of_card:
            message = f"{watts} W are less than the {of_card} W of {quoted(card.id)}"
            hint = "modules are cooled better and draw more: are the two exchanged?"
            yield gpu.problem(("tdp_watts",), "module-power", message, hint)


def gpus_draw_no_more_than_their_machine(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the GPUs of a node together draw no more than its maker says of the whole machine."""
    for combo in records.combos.values():
        for index, node in enumerate(combo.record.nodes):
            if node.max_watts is None:
                continue
            watts = sum(part.count * _watts(records.gpus, part.gpu) for part in node.gpus)
            if watts > node.max_watts:
                message = f"its GPUs draw {watts} W, the machine {node.max_watts} W at most"
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
            message = f"{quoted(given)} is no way to write power connectors"
            hint = "write e.g. `1× 16-pin`, `2× 8-pin`, `1× 6-pin + 1× 8-pin`, or `none`"
            yield gpu.problem(("power_connectors",), "connectors", message, hint)
