"""Layers by GPU, in runtimes that place whole layers or cut each layer over all GPUs."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.physics import meta_cut
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.tensor_cut import RankCut, rank_weights
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class GpuLayers:
    """Content of one GPU: layers of each kind, weights in bytes, and whether it has the output."""

    counts: tuple[int, ...]
    weights_bytes: int
    layers: int
    has_output: bool


@dataclass(frozen=True, slots=True)
class HostLayers:
    """Content of system RAM: whole layers, and experts of layers that are on a GPU otherwise.

    ``largest_bytes`` is the most that a GPU copies at once.
    """

    counts: tuple[int, ...]
    weights_bytes: int
    experts_bytes: int
    largest_bytes: int

    def read_bytes(self, shape: ModelShape) -> int:
        """Bytes that one token reads from RAM: whole layers, and the experts that it chooses.

        Source:
            llama.cpp ``ggml-cpu.c``, ``ggml_compute_forward_mul_mat_id``: experts without a row are
            passed over.
        """
        chosen = shape.experts_per_token / shape.experts if shape.experts else 1.0
        return int(self.weights_bytes + self.experts_bytes * chosen)


@dataclass(frozen=True, slots=True)
class LayerLayout:
    """A model on its GPUs.

    Attributes:
        gpus: In order of computation.
        host: Weights in system RAM.
        pipelined: GPUs work on different parts of a batch at the same time.
        tensor: GPUs that every layer is cut over; 1 where layers stay whole.
        cuts: The share of each kind's cache on the fullest GPU, where llama.cpp's meta backend
            cuts layers; else empty.
    """

    gpus: tuple[GpuLayers, ...]
    host: HostLayers
    pipelined: bool
    tensor: int
    cuts: tuple[float, ...]


def nothing_on_host(shape: ModelShape) -> HostLayers:
    """Return an empty host: all layers lie on GPUs."""
    return HostLayers((0,) * len(shape.kinds), 0, 0, 0)


def split_layout(
    shape: ModelShape,
    shares: Sequence[int],
    *,
    cpu_layers: int = 0,
    cpu_experts: int = 0,
    cache_bytes: Sequence[int] = (),
) -> LayerLayout:
    """Deal whole layers out by share of the GPUs' memory.

    The first ``cpu_layers`` stay in system RAM with their cache, and the routed experts of the
    first ``cpu_experts`` layers too. With ``cache_bytes``, the cache of a layer of each kind,
    layers with experts in RAM count as the little that is left of them: the GPUs that hold them
    hold more layers.

    Source:
        llama.cpp ``src/llama-model.cpp``, ``llama_model::load_tensors``. Issue 15136: with
        ``--n-cpu-moe`` and equal shares the first GPUs stay empty, unless ``--tensor-split`` gives
        them more layers; read 2026-11-29.
    """
    slots = assign_slots(shares, shape.layers - cpu_layers + 1)
    if cpu_experts > 0 and len(shares) > 1 and len(cache_bytes) > 0:
        loads = [
            shape.kinds[kind].weights.total_bytes
            - (shape.kinds[kind].weights.expert_bytes if layer < cpu_experts else 0)
            + cache_bytes[kind]
            for layer, kind in enumerate(shape.sequence)
        ]
        slots = level_slots(shares, [*loads, shape.head_bytes + shape.final_bytes])
    return _placed(shape, len(shares), slots, cpu_layers, cpu_experts)


LEVELS = 1_000
"""Steps in which the load of the fullest GPU is looked for, of what all carry on average."""


def level_slots(shares: Sequence[int], loads: Sequence[int]) -> list[int]:
    """Give each slot a GPU, in order, so that the fullest has as little as possible for its share.

    Source:
        llama.cpp issue 15136, for what owners do by hand; a test compares it with every split.

    >>> level_slots([1, 1], [1, 1, 1, 1, 4, 4])
    [0, 0, 0, 0, 0, 1]
    """
    low, high = LEVELS, LEVELS * sum(shares) // min(shares) + 1
    while low < high:
        middle = (low + high) // 2
        if len(_filled(shares, loads, middle)) == len(loads):
            high = middle
        else:
            low = middle + 1
    return _filled(shares, loads, low)


def _filled(shares: Sequence[int], loads: Sequence[int], level: int) -> list[int]:
    """Fill GPU after GPU up to a level; fewer slots where what is left fits on none."""
    every, total = sum(loads), sum(shares)
    out: list[int] = []
    at, held = 0, 0
    for load in loads:
        while at < len(shares) and (held + load) * total * LEVELS > shares[at] * every * level:
            at, held = at + 1, 0
        if at == len(shares):
            break
        out.append(at)
        held += load
    return out


def assign_slots(shares: Sequence[int], slots: int) -> list[int]:
    """Give each slot a GPU: the first whose cumulative share exceeds the slot's.

    Slots are the layers and one more for the output.

    Source:
        llama.cpp ``src/llama-model.cpp``, ``llama_model::load_tensors`` (``get_layer_buft_list``).
    """
    total = 0.0
    for share in shares:
        total += share
    out: list[int] = []
    at, reached = 0, shares[0] / 1.0
    for slot in range(slots):
        while at < len(shares) - 1 and reached / total <= slot / slots:
            at += 1
            reached += shares[at]
        out.append(at)
    return out


def dealt_layout(shape: ModelShape, shares: Sequence[int], *, everywhere: bool) -> LayerLayout:
    """Deal whole layers out by largest remainder; embedding and head on every GPU if asked.

    Source:
        exo b5375f8, its partitioning by memory.
    """
    slots = deal_slots(shares, shape.layers)
    return _placed(shape, len(shares), slots, 0, 0, everywhere=everywhere)


def deal_slots(shares: Sequence[int], layers: int) -> list[int]:
    """Give each layer a GPU in proportion, at least one to each; the output follows the last.

    Source:
        exo, ``src/exo/master/placement_utils.py``, ``allocate_layers_proportionally``.
    """
    total = 0.0
    for share in shares:
        total += share
    count: list[int] = []
    part: list[float] = []
    for share in shares:
        raw = share / total * layers
        count.append(int(raw))
        part.append(raw - int(raw))
    for _ in range(layers - sum(count)):
        best = _first_largest(part)
        count[best] += 1
        part[best] = -1.0
    for at, held in enumerate(count):
        most = _first_largest(count)
        if held == 0 and count[most] > 1:
            count[most] -= 1
            count[at] = 1
    out = [at for at, held in enumerate(count) for _ in range(held)]
    return [*out, len(shares) - 1]


def _first_largest(values: Sequence[float]) -> int:
    return values.index(max(values))


def tensor_layout(shape: ModelShape, gpus: int, *, embedding: bool) -> LayerLayout:
    """Cut every layer over all GPUs, which then hold the same; the embedding too if asked.

    Source:
        ExLlamaV2 1.6.5 and ExLlamaV3 @4f8ad01, ``model_tp_alloc.py``; mlx_lm 0.31.3.
    """
    counts = shape.kind_counts(0, shape.layers)
    weights = rank_weights(shape, counts, RankCut(gpus), first=embedding, last=True)
    return _same_on_all(shape, gpus, weights, ())


def meta_layout(shape: ModelShape, gpus: int) -> LayerLayout:
    """Cut every layer over all GPUs by llama.cpp's meta backend, which leaves more of it whole.

    Shared experts, a head that is the embedding, norms and routers are on each GPU. Parts need
    not be equal and move on by a GPU from layer to layer.
    """
    counts = shape.kind_counts(0, shape.layers)
    cuts = tuple(meta_cut.cache_part(shape, kind, gpus, counts) for kind in shape.kinds)
    weights = meta_cut.rank_bytes(shape, counts, gpus, cuts)
    return _same_on_all(shape, gpus, weights, cuts)


def _same_on_all(
    shape: ModelShape, gpus: int, weights_bytes: int, cuts: tuple[float, ...]
) -> LayerLayout:
    counts = tuple(shape.kind_counts(0, shape.layers))
    each = GpuLayers(counts, weights_bytes, shape.layers, has_output=True)
    return LayerLayout((each,) * gpus, nothing_on_host(shape), False, gpus, cuts)


def _placed(
    shape: ModelShape,
    gpus: int,
    slots: Sequence[int],
    cpu_layers: int,
    cpu_experts: int,
    *,
    everywhere: bool = False,
) -> LayerLayout:
    """Place layers on the GPUs of their slots, those before on the host."""
    dense = [k.weights.total_bytes - k.weights.expert_bytes for k in shape.kinds]
    expert = [k.weights.expert_bytes for k in shape.kinds]
    counts = [[0] * len(shape.kinds) for _ in range(gpus)]
    weights = [0] * gpus
    moved = experts = largest = 0
    for layer, kind in enumerate(shape.sequence):
        if layer < cpu_layers:
            moved += dense[kind] + expert[kind]
            largest = max(largest, dense[kind], expert[kind])
            continue
        gpu = slots[layer - cpu_layers]
        counts[gpu][kind] += 1
        weights[gpu] += dense[kind]
        if layer < cpu_experts:
            experts += expert[kind]
            largest = max(largest, expert[kind])
        else:
            weights[gpu] += expert[kind]
    last = slots[shape.layers - cpu_layers]
    for gpu in range(gpus):
        weights[gpu] += _output_bytes(shape, gpu == last, everywhere)
    return LayerLayout(
        gpus=tuple(
            GpuLayers(tuple(counts[at]), weights[at], sum(counts[at]), at == last)
            for at in range(gpus)
        ),
        host=HostLayers(tuple(shape.kind_counts(0, cpu_layers)), moved, experts, largest),
        pipelined=gpus > 1 and cpu_layers == 0 and cpu_experts == 0,
        tensor=1,
        cuts=(),
    )


def _output_bytes(shape: ModelShape, is_last: bool, everywhere: bool) -> int:
    """Head and norm of a GPU; where every GPU has them, the embedding too."""
    head = shape.head_bytes + shape.final_bytes
    if everywhere:
        return head if shape.tied else head + shape.embedding_bytes
    return head if is_last else 0
