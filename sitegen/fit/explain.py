"""The sum behind a verdict, line by line, with the constants it used and their sources."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import MemoryModel
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.fit.assessment import Assessment
from sitegen.physics.memory.stated_constants import lines_of
from sitegen.physics.plan import LEDGER_LINES
from sitegen.values import dataclass

ASSUMPTIONS_OF_LINE = {
    "reserved_os": ("reserved-display-gib", "reserved-windows-gib"),
    "context": (
        "gpu-context-base-mib", "gpu-context-per-multiprocessor-mib", "gpu-context-spread-mib",
        "gpu-context-other-mib",
    ),
}  # fmt: skip
"""Assumptions behind each ledger line of a layer split, beside the profile's constants."""


@dataclass(frozen=True, slots=True)
class ExplainLine:
    """One line of the sum: a ledger component of the fullest GPU, in bytes.

    ``formula`` is the line in words; ``constants`` are those it was made with.
    """

    name: str
    value: Interval
    formula: str
    constants: tuple[Constant, ...]


FORMULAS = {
    "reserved_os": "reserved by the operating system or by its limit for shared memory",
    "context": "GPU context and libraries outside the tensor allocator",
    "projector": "the image tower's file at 16 bits, on the first GPU",
    "weights": (
        "this rank's share of every tensor (replicated tensors in full), plus loaded buffers"
    ),
    "kv": "layers x tokens x KV heads on this rank x (key + value) x bytes per element, in blocks; "
    "a window keeps its tokens and those in flight",
    "state": "recurrent layers x (convolution + state) elements x bytes, per sequence",
    "compute": "peak of the largest step: the widest layer or the sampler's logits",
    "communication": "buffers of collectives between GPUs",
    "graphs": "captured CUDA graphs",
    "fragmentation": "lost between blocks",
}


def explain(assessment: Assessment, catalog: Catalog) -> tuple[ExplainLine, ...]:
    """List the fullest GPU's ledger with formulas and constants; empty without a valid plan."""
    return tuple(_lines(assessment, catalog))


def _lines(assessment: Assessment, catalog: Catalog) -> Iterator[ExplainLine]:
    busiest = assessment.busiest
    if busiest is None:
        return
    used = lines_of(assessment.runtime, assessment.profile)
    split = assessment.runtime.memory_model is not MemoryModel.PAGED
    for name in (line for line in LEDGER_LINES if line in busiest.lines):
        stated = assessment.profile.constants
        found = [stated[one] for one, line in used.items() if line == name and one in stated]
        if split or name == "reserved_os":
            names = ASSUMPTIONS_OF_LINE.get(name, ())
            found += [catalog.assumptions[key] for key in names if key in catalog.assumptions]
        yield ExplainLine(name, busiest.lines[name], FORMULAS[name], tuple(found))
