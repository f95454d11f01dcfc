"""Recorded probes, and what the engine says of the same questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.physics.cache_types import ggml_half_bits
from sitegen.physics.memory.layer_layout import split_layout
from sitegen.physics.memory.layer_split_profile import Allocation, SplitProfile, StaticGraph
from sitegen.physics.memory.profile_constants import profile_of, split_profile
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.reduced_checkpoint import reduce_checkpoint
from sitegen.units import MIB

PRINTED_MIB = 1
"""The program prints whole MiB."""
CLOSE = 0.01
NEAR = 0.05
INDEXED = ("deepseek-v3.2", "glm-5")
"""Models whose attention chooses: the scores of their indexers are tensors that no term counts."""


class Probe(NamedTuple):
    """One question with its answer, MiB on each device."""

    model: str
    context: int
    micro_batch: int
    devices: int
    flash: bool
    sequences: int
    kv: str
    model_mib: tuple[int, ...]
    cache_mib: tuple[int, ...]
    compute_mib: tuple[int, ...]


class Figure(NamedTuple):
    """A buffer of one device: what was printed and what we compute."""

    probe: Probe
    quantity: str
    printed: int
    computed: float
    hidden: int

    @property
    def error(self) -> float:
        """How far off we are, without sign; nothing within what is printed."""
        off = abs(self.computed - self.printed)
        return 0.0 if off <= PRINTED_MIB else off / max(self.printed, 1)


def read(path: Path) -> Iterator[Probe]:
    """Yield the probes of a record, one a line."""
    for line in path.read_text().splitlines():
        values = json.loads(line)
        yield Probe(*values[:7], *map(tuple, values[7:]))


def outcome(figure: Figure) -> str:
    """Say how a figure was met: exactly, nearly, for a known reason, or not."""
    if figure.error == 0:
        return "exact"
    if figure.error <= CLOSE:
        return "within 1 %"
    if figure.quantity == "compute":
        if figure.probe.model in INDEXED:
            return "explained: scores of an indexer"
        if _whole_hidden(figure):
            return "explained: off by one to four hidden states, holes of ggml's allocator"
    return "not explained, within 5 %" if figure.error <= NEAR else "not explained, beyond 5 %"


def _whole_hidden(figure: Figure) -> bool:
    """Whether the difference is of one to four tensors of the hidden size."""
    one = 4 * min(figure.probe.micro_batch, figure.probe.context) * figure.hidden / MIB
    tensors = (figure.printed - figure.computed) / one
    return 0 < abs(round(tensors)) <= 4 and abs(tensors - round(tensors)) * one <= PRINTED_MIB


def figures(probe: Probe) -> Iterator[Figure]:
    """Compute all buffers of a probe.

    The program reserves logits for each token of a batch, and its devices have no kernels that
    widen a quantized cache.
    """
    shape, profile = _shape(probe.model), _profile()
    profile = replace(profile, split_cache=probe.sequences > 1)
    layout = split_layout(shape, [1] * probe.devices)
    bits = ggml_half_bits(probe.kv)
    asked = Allocation(probe.context, probe.sequences, probe.micro_batch, bits, probe.flash)
    for at in range(probe.devices):
        parts = profile.parts(shape, layout, at, asked)
        for quantity, printed, found in (
            ("model", probe.model_mib[at], parts.weights),
            ("cache", probe.cache_mib[at], parts.kv + parts.state),
            ("compute", probe.compute_mib[at], parts.compute),
        ):
            yield Figure(probe, quantity, printed, found / MIB, shape.hidden)


@cache
def _catalog() -> Catalog:
    return parse_catalog(read_project(Path()).catalog)


@cache
def _shape(model: str) -> ModelShape:
    """A model as a 16-bit GGUF file."""
    one = _catalog().models[model]
    wide = _catalog().quantizations["gguf-f16"]
    checkpoint = replace(one.checkpoints[0], quantization=wide, config_overrides={})
    return reduce_checkpoint(one, checkpoint).shape


@cache
def _profile() -> SplitProfile:
    profile = profile_of(_catalog().runtimes["llama-cpp"])
    if profile is None:
        raise LookupError("llama.cpp has no profile")
    found = split_profile(profile)
    if not isinstance(found.graph, StaticGraph):
        raise TypeError("llama.cpp allots its graph once")
    graph = replace(found.graph, outputs_per_sequence=False)
    return replace(found, widened_cache=False, graph=graph)
