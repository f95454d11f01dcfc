"""Every formula of the engine's arithmetic, asked with plain JSON and answered with plain JSON.

The module is run as it stands and, translated, in JavaScript. What it is given are values taken
apart: ``values`` are a dataclass's fields in order, whatever is a value itself stands beside them.
"""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import Any

from sitegen.fit.verdict import Thresholds
from sitegen.models.cache_kinds import (
    CellGrid,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    LayerCache,
    NoCache,
    RecurrentState,
    SlidingAttention,
)
from sitegen.models.image_tower import ImageTower
from sitegen.models.weights.checkpoint import LayerWeights
from sitegen.physics import meta_cut, traffic
from sitegen.physics.memory import block_layout as blocks
from sitegen.physics.memory import layer_layout
from sitegen.physics.memory.block_layout import BlockLayout, BlockRules, CacheType
from sitegen.physics.memory.layer_layout import LayerLayout
from sitegen.physics.memory.layer_split_profile import (
    Allocation,
    GraphPlace,
    SplitProfile,
    StaticGraph,
    StepwiseTensors,
    mask_cells,
)
from sitegen.physics.memory.paged_profile import (
    CapturedGraphs,
    FixedBytes,
    LayerPeak,
    PagedProfile,
    RankPlace,
    ReserveForActivations,
    SchedulerStep,
    ShareOfFree,
    ShareOfTotal,
    SparseWorkspace,
    WidthPeak,
    prefill_graphs,
)
from sitegen.physics.model_shape import (
    LatentWidths,
    LayerKind,
    ModelShape,
    PredictionLayers,
    TensorWidths,
    of_layers,
    stage_layers,
)
from sitegen.physics.powers import power
from sitegen.physics.speed.roofline import (
    LinkSpeed,
    StageConstants,
    Work,
    all_reduce_s,
    hop_link_s,
    stage_seconds,
    stage_terms,
    streamed_s,
    tensor_link_s,
)
from sitegen.physics.tensor_cut import (
    CutConflict,
    RankCut,
    expert_bytes,
    rank_weights,
    tensor_conflict,
)

Given = dict[str, Any]
Answers = list[Any]


def cache_of(word: str, values: list[Any]) -> LayerCache:
    """A cache of the kind that a word names."""
    if word == "FullAttention":
        return FullAttention(*values)
    if word == "SlidingAttention":
        return SlidingAttention(*values)
    if word == "LatentAttention":
        return LatentAttention(*values)
    if word == "CompressedAttention":
        return CompressedAttention(*values)
    if word == "RecurrentState":
        return RecurrentState(*values)
    return NoCache()


def shape_of(m: Given) -> ModelShape:
    """A checkpoint's numbers."""
    kinds = tuple(
        LayerKind(cache_of(word, cache), LayerWeights(*weights))
        for word, cache, weights in m["kinds"]
    )
    return replace(
        ModelShape(*m["values"]),
        kinds=kinds,
        latent=LatentWidths(*m["latent"]),
        widths=TensorWidths(*m["widths"]),
        prediction=PredictionLayers(*m["prediction"]),
        tower=ImageTower(*m["tower"]),
    )


def grid_of(values: list[Any]) -> CellGrid:
    """The cells of an allocation."""
    return CellGrid(*values)


def allocation_of(values: list[Any]) -> Allocation:
    """What a replica allots; only a pair equals a pair."""
    asked = Allocation(*values)
    return replace(asked, half_bits=(asked.half_bits[0], asked.half_bits[1]))


def cache_answers(m: Given, grid_values: list[Any], q: Given) -> Answers:
    """What each kind of layer answers, and the cells of its cache."""
    grid = grid_of(grid_values)
    half_bits = (q["half_bits"][0], q["half_bits"][1])
    found: list[Any] = [grid.streams, grid.pool, grid.window_pool(q["window"])]
    for kind in shape_of(m).kinds:
        cache = kind.cache
        kept = cache.keeps(q["tp"], q["bits"], q["scale_bytes"], q["state_bits"])
        found.append([
            cache.word, cache.grows, cache.chooses, cache.indexed,
            cache.token_bytes(q["tp"], q["bits"]),
            [list(astuple(one)) for one in kept], cache.cell_bytes(grid, q["tp"], half_bits),
            cache.mask_cells(grid), cache.state_bytes(q["tp"], q["state_bits"]),
            cache.cell_state_bytes(q["sequences"]), cache.read_tokens(q["context"]),
            cache.prompt_width(q["latent_width"]), cache.prompt_reach(q["reach"]),
            cache.gathered_bytes(q["bits"]),
        ])  # fmt: skip
        if isinstance(cache, CompressedAttention):
            found.append([
                cache.vector_bytes, cache.index_bytes, cache.summed_window,
                cache.summed_bytes(q["context"]),
            ])  # fmt: skip
    return found


def conflict_answer(found: CutConflict | None) -> Answers:
    """A conflict as a list, empty where there is none."""
    return [] if found is None else [found.code, found.size, found.tp, found.group]


def cut_answers(m: Given, q: Given) -> Answers:
    """Which splits a model allows, and what a rank then holds."""
    shape = shape_of(m)
    counts = shape.kind_counts(q["start"], q["stop"])
    cut = RankCut(q["tp"], q["dp"], q["expert_parallel"])
    plain = shape.ungrouped()
    return [
        counts, shape.expert_padding(q["tp"]), list(stage_layers(shape.layers, q["pp"])),
        [[count, kind.cache.word] for count, kind in of_layers(counts, shape)],
        shape.latent.attended, [kind.weights.total_bytes for kind in shape.kinds],
        conflict_answer(tensor_conflict(shape, q["tp"], expert_parallel=q["expert_parallel"])),
        conflict_answer(tensor_conflict(plain, q["tp"], expert_parallel=q["expert_parallel"])),
        rank_weights(shape, counts, cut, first=q["first"], last=q["last"]),
        expert_bytes(shape, q["whole"], cut),
    ]  # fmt: skip


def meta_answers(m: Given, q: Given) -> Answers:
    """How llama.cpp's meta backend cuts a model."""
    shape, ranks = shape_of(m), q["ranks"]
    counts = shape.kind_counts(0, shape.layers)
    cuts = [meta_cut.cache_part(shape, kind, ranks, counts) for kind in shape.kinds]
    return [
        meta_cut.cut_parts(q["width"], q["granule"], ranks),
        meta_cut.widest_part(q["width"], q["granule"], ranks),
        meta_cut.turned_part(q["width"], q["granule"], ranks, shape.layers),
        meta_cut.head_granule(shape, q["kv_heads"], 128, ranks),
        meta_cut.width_granule(shape, q["width"]), meta_cut.whole_head(shape),
        [meta_cut.whole_shared_bytes(kind) for kind in shape.kinds],
        meta_cut.expert_part(shape, ranks),
        [meta_cut.attention_part(shape, kind, ranks) for kind in shape.kinds],
        [meta_cut.dense_part(shape, kind, ranks) for kind in shape.kinds], cuts,
        meta_cut.rank_bytes(shape, counts, ranks, cuts),
        meta_cut.dense_read_bytes(shape, counts, ranks, with_head=q["with_head"]),
        meta_cut.cache_read_bytes(shape, counts, ranks, q["context"], q["bits"]),
    ]  # fmt: skip


def traffic_answers(m: Given, q: Given) -> Answers:
    """Bytes that steps read, and operations of prompts."""
    shape = shape_of(m)
    counts, tp = shape.kind_counts(q["start"], q["stop"]), q["tp"]
    return [
        traffic.touched_experts(shape.experts, shape.experts_per_token, q["batch"]),
        traffic.dense_read_bytes(shape, counts, tp, with_head=q["with_head"]),
        traffic.expert_read_bytes(shape, counts, tp, q["batch"], 0.85),
        traffic.expert_read_bytes(shape, counts, tp, q["batch"], 1.0, whole=True),
        [traffic.kind_read_bytes(3, kind, tp, q["context"], q["bits"]) for kind in shape.kinds],
        traffic.cache_read_bytes(shape, counts, tp, q["context"], q["bits"]),
        traffic.reads_whole_cache(shape),
        traffic.attention_flops(shape, counts, q["tokens"], q["depth"]),
        traffic.score_count(shape, counts, q["tokens"], q["depth"], q["chunk"]),
    ]  # fmt: skip


def row_answers(layout: BlockLayout, q: Given) -> Answers:
    """The rows of a layout, each with the tokens that it keeps."""
    return [
        [
            list(astuple(row.kept)), row.layers, row.groups, row.block_tokens, row.spare_blocks,
            layout.row_tokens(row, q["context"], q["in_flight"]),
        ]
        for row in layout.rows
    ]  # fmt: skip


def block_answers(m: Given, rules_values: list[Any], q: Given) -> Answers:
    """How a paged runtime groups layers into blocks, and what a pool holds."""
    shape, rules = shape_of(m), BlockRules(*rules_values)
    stored = CacheType(q["bits"], q["scale_bytes"])
    counts, tp = shape.kind_counts(0, shape.layers), q["tp"]
    layout = blocks.block_layout(
        shape, rules, counts, tp=tp, context_ranks=q["context_ranks"], stored=stored
    )
    context, in_flight, pool = q["context"], q["in_flight"], q["pool"]
    return [
        row_answers(layout, q), layout.group_layers, layout.page_bytes, layout.uniform,
        layout.context_ranks, layout.sliding_share, layout.state_share, layout.state_safety,
        layout.request_bytes(context, in_flight), layout.token_bytes(), layout.state_bytes(),
        layout.pool_tokens(pool), layout.token_pool(pool), layout.state_blocks(pool),
        layout.counted_by_request, layout.tokens_by_request(pool, context, in_flight),
        layout.longest_context(pool, in_flight, 262_144, 16, lambda _: 0),
        layout.held_bytes(context, in_flight, q["sequences"]),
        layout.sequences(pool, context, in_flight, 256),
        len(blocks.cache_rows(shape, rules, counts, tp, stored)),
        blocks.least_padding(counts, q["least"]),
    ]  # fmt: skip


def activation_of(word: str, values: list[Any]) -> LayerPeak | WidthPeak:
    """How the largest step's peak is counted."""
    return LayerPeak(*values) if word == "LayerPeak" else WidthPeak(*values)


def share_of(
    word: str, values: list[Any], graphs: list[Any]
) -> ShareOfTotal | ShareOfFree | ReserveForActivations:
    """What a share is taken of."""
    if word == "ShareOfTotal":
        return replace(ShareOfTotal(*values), graphs=CapturedGraphs(*graphs))
    if word == "ShareOfFree":
        return replace(ShareOfFree(*values), graphs=CapturedGraphs(*graphs))
    return ReserveForActivations(*values)


def paged_profile_of(given: Given) -> PagedProfile:
    """A paged runtime's constants."""
    peak, share = given["activation"], given["share"]
    return replace(
        PagedProfile(*given["values"]),
        blocks=BlockRules(*given["blocks"]),
        activation=activation_of(peak[0], peak[1]),
        share=share_of(share[0], share[1], share[2]),
        workspace=SparseWorkspace(*given["workspace"]),
    )


def fixed_answers(fixed: FixedBytes) -> Answers:
    """The ledger's lines, by name, and their sums."""
    names = ["weights", "context", "communication", "compute", "graphs"]
    return [
        [list(fixed.of_line(name)) for name in names],
        [fixed.total(bound, with_graphs=True) for bound in range(3)],
        [fixed.total(bound, with_graphs=False) for bound in range(3)],
    ]


def paged_answers(m: Given, given: Given, step: list[Any], q: Given) -> Answers:
    """What a rank of a paged runtime holds beside the cache, and what it may fill."""
    shape, profile = shape_of(m), paged_profile_of(given)
    rank = RankPlace(SchedulerStep(*step), q["tp"], q["pp"], q["stage"])
    counts = shape.kind_counts(q["start"], q["stop"])
    fixed = profile.fixed_bytes(shape, rank, counts)
    share, seen = profile.share, q["seen"]
    found: list[Any] = [
        rank.first, rank.last, rank.sees, list(astuple(rank.cut)), fixed_answers(fixed),
        profile.allotted_states(shape, rank, counts), prefill_graphs(q["tokens"]),
        profile.workspace.reserved_bytes(1_152, q["context"]),
    ]  # fmt: skip
    for bound in range(3):
        budget, counted = share.budget(profile, shape, rank, fixed, q["fraction"], seen, bound)
        found.append([
            budget, counted, profile.non_torch_bytes(rank, bound),
            profile.activation.sampler_bytes(shape, rank, bound),
            profile.activation.peak_bytes(profile, shape, rank, bound),
            share.graph_bytes(shape, rank, bound),
            share.start_excess(profile, shape, rank, fixed, q["room"], 400_000_000, bound),
        ])  # fmt: skip
        if isinstance(share, ReserveForActivations):
            found.append([
                share.planned_graphs(rank, latent=q["latent"]),
                share.usual_fraction(rank, seen, bound, latent=q["latent"], sees=q["sees"]),
            ])  # fmt: skip
        else:
            found.append(share.graphs.held_bytes(rank, bound))
    return found


def layouts_of(shape: ModelShape, shares: list[int], q: Given) -> list[LayerLayout]:
    """A model on its devices in every way that there is."""
    devices, moved = len(shares), q["moved"]
    return [
        layer_layout.split_layout(shape, shares, cpu_experts=moved),
        layer_layout.split_layout(
            shape, shares, cpu_experts=moved, cache_bytes=[moved * 1_000_000] * len(shape.kinds)
        ),
        layer_layout.split_layout(shape, shares, cpu_layers=moved),
        layer_layout.dealt_layout(shape, shares, everywhere=q["everywhere"]),
        layer_layout.tensor_layout(shape, devices, embedding=q["everywhere"]),
        layer_layout.meta_layout(shape, devices),
    ]


def layout_answers(m: Given, shares: list[int], q: Given) -> Answers:
    """Which layers lie on which device."""
    shape = shape_of(m)
    found: list[Any] = [
        layer_layout.assign_slots(shares, shape.layers + 1),
        layer_layout.level_slots(shares, [one * 1_000_003 % 97 for one in range(shape.layers)]),
        layer_layout.deal_slots(shares, shape.layers),
        list(astuple(layer_layout.nothing_on_host(shape))),
    ]
    for layout in layouts_of(shape, shares, q):
        devices = [list(astuple(device)) for device in layout.gpus]
        host = list(astuple(layout.host))
        read = layout.host.read_bytes(shape)
        found.append([devices, host, read, layout.pipelined, layout.tensor, list(layout.cuts)])
    return found


def split_profile_of(given: Given) -> SplitProfile:
    """The constants of a runtime that places whole layers."""
    word, values = given["graph"]
    graph = StaticGraph(*values) if word == "StaticGraph" else StepwiseTensors(*values)
    return replace(SplitProfile(*given["values"]), graph=graph)


def split_answers(
    m: Given, given: Given, shares: list[int], allocation: list[Any], q: Given
) -> Answers:
    """What each device of each layout holds."""
    shape, profile = shape_of(m), split_profile_of(given)
    asked = allocation_of(allocation)
    found: list[Any] = []
    for layout in layouts_of(shape, shares, q):
        index = q["index"]
        found.append(list(astuple(profile.parts(shape, layout, index, asked))))
    clipped = profile.clipped(asked)
    grid, counts = profile.grid(shape, clipped), shape.kind_counts(0, shape.layers)
    cells = mask_cells(shape, grid, counts)
    whole = list(profile.cache_bytes(shape, asked))
    scratch = profile.scratch_bytes(shape, counts, grid, asked, q["ranks"])
    found.append([
        list(astuple(grid)), clipped.micro_batch, clipped.plain, list(cells), whole, scratch,
    ])  # fmt: skip
    graph = profile.graph
    if isinstance(graph, StaticGraph):
        place = GraphPlace(q["index"], q["pipelined"], q["has_output"])
        found.append([
            graph.compute_bytes(shape, place, grid, counts, clipped, scratch=scratch),
            graph.feed_floats(shape), graph.attention_floats(shape),
            graph.value_index_bytes(shape, cells),
            graph.displaced_output(shape, cells, q["inputs"]),
        ])  # fmt: skip
    else:
        found.append(
            graph.peak_bytes(
                shape, 512, asked, q["ranks"], has_output=q["has_output"], scratch=scratch
            )
        )
    return found


def speed_answers(work_values: list[Any], constants_values: list[Any], q: Given) -> Answers:
    """Seconds of a stage and of links."""
    work, constants = Work(*work_values), StageConstants(*constants_values)
    link, tokens = LinkSpeed(*q["link"]), q["tokens"]
    growth = (q["growth"][0], q["growth"][1], q["growth"][2])
    return [
        [list(terms) for terms in stage_terms(work, constants)],
        list(stage_seconds(work, constants)), streamed_s(q["together"], q["slowest"], q["chunks"]),
        all_reduce_s(q["tp"], tokens * 16_384, 1e-5, growth[1], 1e10),
        list(tensor_link_s(q["hidden"], q["layers"], q["tp"], tokens, link=link, growth=growth)),
        list(hop_link_s(q["hidden"], q["hops"], tokens, link, q["tensors"])),
    ]  # fmt: skip


def tier_answer(thresholds: list[Any], asked: list[Any]) -> str:
    """The tier of a utilization and a speed."""
    return str(Thresholds(*thresholds).tier(*asked))


def power_answer(base: float, exponent: float) -> float:
    """A power."""
    return power(base, exponent)
