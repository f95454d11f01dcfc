"""A small invented catalog with invented answers: every shape that a page can be given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    FailureMode,
    Gpu,
    InstalledGpu,
    Interconnect,
    Node,
    OperatingSystem,
    UnifiedMemory,
    Vendor,
)
from sitegen.catalog.domain.models import (
    Capabilities,
    Checkpoint,
    DefaultsByMemory,
    LanguageModel,
    MemoryModel,
    Quantization,
    Runtime,
    RuntimeProfile,
    TensorFormat,
    Traits,
)
from sitegen.catalog.domain.provenance import Constant, Evidence, Interval, Source, Status
from sitegen.fit.assessment import Assessment, BestPlans, Cure, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.open_verdict import DecidingMeasurement, OpenVerdict, ToMeasure, Uncertain
from sitegen.fit.quarantine import quarantine
from sitegen.physics.model_facts import CheckpointFacts, ModelFacts
from sitegen.physics.plan import (
    GpuLedger,
    Limits,
    ParallelPlan,
    PlanKind,
    Reason,
    RefusedPlan,
    Settings,
    Speed,
    Workload,
)
from sitegen.problems import SourceSpan
from sitegen.published.accuracy.report import report_of
from sitegen.published.claims.judge import judge_pages
from sitegen.published.judged_records import NOTHING, JudgedRecords
from sitegen.quality.values import Rating, Use
from sitegen.site.content.documents import parse_documents
from sitegen.site.content.history import parse_history
from sitegen.site.content.known_errors import parse_errors
from sitegen.site.content.search_terms import NOTHING as NO_TERMS
from sitegen.site.content.search_terms import parse_search_terms
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.inputs import SiteInputs, rows_by_model
from sitegen.site.page import Page
from sitegen.site.pages.pair import Beside, pair_page
from sitegen.survey.answers import (
    Answer,
    AnswerAfterFailure,
    AnswerGoal,
    Failure,
    FailureKind,
    GpusNeeded,
    RankedPlan,
    Scope,
    TierDrop,
)
from sitegen.survey.best_for_use import RatedPick, UseAnswer
from sitegen.survey.composed_build import BuildQuestion
from sitegen.survey.composed_model import Curves
from sitegen.survey.curves import ContextPoint, LoadPoint
from sitegen.survey.results import (
    AlternativeRuntimes,
    CheckpointOutcome,
    ComboSurvey,
    EffectiveVram,
    ModelOnCombo,
    Survey,
)
from sitegen.units import GB, GIB, MIB
from tests.fit.questions import CONFIGS
from tests.fit.questions import catalog as real_catalog
from tests.site import fabricated_records as records

SOURCES = (Source("An invented source", "https://source.example/facts", "2026-11-20"),)


def span(path: str) -> SourceSpan:
    return SourceSpan(path, 1, 1)


def gpu(id_: str, name: str, gib: int, **facts: object) -> Gpu:
    given: dict[str, object] = {
        "vendor": Vendor.NVIDIA,
        "memory": DedicatedMemory(gib * GIB, gib * GIB - 500 * MIB, Evidence.MEASURED),
        "compute_capability": (8, 9),
        **facts,
    }
    return Gpu(
        id=id_, name=name, architecture="Ada Lovelace", segment="consumer",
        memory_bandwidth_bytes_per_s=1_008 * GB, fp16_flops_per_s=165.2e12, fp8_flops_per_s=None,
        multiprocessors=128, bus="pcie-4-x16", links=(), tdp_watts=450, launch_price_usd=1_599,
        launched="2022-10-12", notes="", sources=SOURCES, span=span(f"catalog/gpus/{id_}.yaml"),
        **given,  # type: ignore[arg-type]
    )  # fmt: skip


RTX_4090 = gpu("rtx-4090", "RTX 4090", 24)
RTX_3060 = gpu("rtx-3060-12gb", "RTX 3060 12GB", 12)
M3_ULTRA = gpu(
    "m3-ultra",
    "M3 Ultra",
    0,
    vendor=Vendor.APPLE,
    memory=UnifiedMemory((96 * GIB, 256 * GIB), Interval(0.7, 0.75, 0.75), 8 * GIB),
    compute_capability=None,
)


def link(id_: str, name: str, *, between_nodes: bool) -> Interconnect:
    return Interconnect(
        id=id_, name=name, kind="ethernet" if between_nodes else "pcie",
        between_nodes=between_nodes, rdma=False, nominal_bytes_per_s=1_250_000_000,
        bus_bandwidth_bytes_per_s=Interval(0.9e9, 1.1e9, 1.2e9),
        latency_s=Interval(60e-6, 90e-6, 150e-6), evidence=Evidence.ESTIMATED, notes="",
        sources=SOURCES, span=span(f"catalog/interconnects/{id_}.yaml"),
    )  # fmt: skip


TEN_GBE = link("ethernet-10g", "10 GbE", between_nodes=True)
PCIE = link("pcie-4-x16", "PCIe 4.0 x16", between_nodes=False)


def installed(of: Gpu, gib: int = 0) -> InstalledGpu:
    if isinstance(of.memory, UnifiedMemory):
        return InstalledGpu(of, gib * GIB, gib * GIB * 3 // 4)
    return InstalledGpu(of, of.memory.installed_bytes, of.memory.visible_bytes)


def node(*gpus: InstalledGpu, ram_gib: int | None = 64) -> Node:
    return Node(
        name="", gpus=gpus, link=PCIE if len(gpus) > 1 else None,
        ram_bytes=None if ram_gib is None else ram_gib * GIB, ram_bandwidth_bytes_per_s=None,
        operating_system=OperatingSystem.LINUX, display_attached=False,
    )  # fmt: skip


def combo(id_: str, name: str, *nodes: Node, prose: ComboProse | None = None) -> Combo:
    return Combo(
        id=id_, name=name, summary="Boxes that somebody has at home.", nodes=nodes,
        network=TEN_GBE if len(nodes) > 1 else None, orchestrator="",
        prose=prose or ComboProse("", "", ()), notes="", sources=SOURCES,
        span=span(f"catalog/combos/{id_}.yaml"),
    )  # fmt: skip


REVIEW = ComboProse(
    "It is placid and was **already there**.",
    "Training.",
    (FailureMode("NCCL hangs", "`ip addr`", "Set `NCCL_SOCKET_IFNAME`."),),
)
FOUR_BY_TWO = combo(
    "four-by-two",
    "4 nodes × 2× RTX 4090",
    *(node(installed(RTX_4090), installed(RTX_4090)) for _ in range(4)),
    prose=REVIEW,
)
SINGLE = combo("single-rtx-3060", "1× RTX 3060 12GB", node(installed(RTX_3060)))
MIXED = combo("mixed-pair", "RTX 4090 + RTX 3060", node(installed(RTX_4090), installed(RTX_3060)))
MAC = combo("mac-studio", "Mac Studio, 96 GiB", node(installed(M3_ULTRA, 96), ram_gib=None))


def quantization(id_: str, name: str, bits: float, *, production: bool) -> Quantization:
    return Quantization(
        id=id_, name=name, format="gguf", gguf_file_type=name, linears=TensorFormat(bits),
        exceptions=(), nominal_bits=bits, production=production, minimum_compute_capability=None,
        other_architectures=None,
        native_compute_capability=None, tensor_parallel_group=0, tensor_parallel_block=0, notes="",
        sources=SOURCES, span=span(f"catalog/quantizations/{id_}.yaml"),
    )  # fmt: skip


BF16 = quantization("bf16", "BF16", 16, production=True)
Q4 = quantization("q4-k-m", "Q4_K_M", 4.83, production=True)
Q2 = quantization("q2-k", "Q2_K", 2.6, production=False)


def checkpoint(of: Quantization, published: int | None = None) -> Checkpoint:
    return Checkpoint(
        id=of.id, quantization=of, repository="maker/model", published_bytes=published,
        config_overrides={}, kept=(), native=of is BF16, evidence=Evidence.ESTIMATED,
        sources=SOURCES,
    )  # fmt: skip


def model(id_: str, name: str, context: int, published: int | None = None) -> LanguageModel:
    return LanguageModel(
        id=id_, name=name, organization="Maker", repository=f"maker/{id_}", license="Apache-2.0",
        released="2024-12", config=CONFIGS["llama8"], context_tokens=context,
        published_parameters=None, vision_parameters=0, mtp_parameters=0,
        checkpoints=(checkpoint(BF16), checkpoint(Q4, published), checkpoint(Q2)),
        notes="A note with a link: https://notes.example/page.", sources=SOURCES,
        span=span(f"catalog/models/{id_}.yaml"),
    )  # fmt: skip


SMALL = model("small-8b", "Small 8B", 131_072)
LARGE = model("large-70b", "Large 70B", 131_072, published=42_520_000_000)
HUGE = model("huge-400b", "Huge 400B", 16_384)


def constant(name: str, unit: str, low: float, mid: float, high: float) -> Constant:
    return Constant(name, unit, Interval(low, mid, high), Status.ASSUMED, SOURCES[0], "A note.")


CAPABILITIES = Capabilities(
    tensor_parallel=True, uneven_tensor_parallel=False, pipeline_parallel=True, layer_split=False,
    expert_parallel=True, data_parallel=True, multi_node=True, mixed_gpus=False, cpu_offload=False,
)  # fmt: skip


TRAITS = Traits(
    cache_types=("f16", "fp8", "q8_0"), value_types_apart=False, speed_family="paged",
    speed_reference=True, default_port=8_000, logs_keys_and_values=False,
    one_gpu_where_it_fits=False, llama_cpp_builds=False, present_engine_since="",
    experimental_cut=False, micro_batch_option=False,
)  # fmt: skip


def runtime(id_: str, name: str, memory_model: MemoryModel) -> Runtime:
    profile = RuntimeProfile(
        "0.19",
        "0.18",
        "",
        {"weights_extra_gib": constant("weights_extra_gib", "GiB", 0.03, 0.04, 0.05)},
        (DefaultsByMemory(70 * GIB, ("a100",), 8_192, 1_024),),
        {"graphs_in_budget": True},
    )
    assessed = memory_model in {MemoryModel.PAGED, MemoryModel.LAYER_SPLIT}
    return Runtime(
        id=id_, name=name, summary="A serving engine.", vendors=(Vendor.NVIDIA,),
        minimum_compute_capability=(7, 0), other_architectures=None,
        formats=("bf16", "gguf"), families=("llama",), memory_model=memory_model,
        capabilities=CAPABILITIES, traits=TRAITS, drives=("vllm",) if id_ == "ray-serve" else (),
        profiles=(profile,) if assessed else (), assessed_version="0.19" if assessed else "",
        backends=(), surveyed_in_full=True,
        traps=("A trap (https://trap.example/issue/1).",), license="Apache-2.0",
        url="https://runtime.example", notes="Notes.", sources=SOURCES,
        span=span(f"catalog/runtimes/{id_}.yaml"),
    )  # fmt: skip


VLLM = runtime("vllm", "vLLM", MemoryModel.PAGED)
LLAMA_CPP = runtime("llama-cpp", "llama.cpp", MemoryModel.LAYER_SPLIT)
RAY = runtime("ray-serve", "Ray Serve", MemoryModel.ORCHESTRATOR)

THRESHOLDS: Mapping[str, Constant] = {
    name: constant(name, unit, value, value, value)
    for name, unit, value in (
        ("aggregate-streams-cap", "streams", 64),
        ("comfortable-utilization", "/1", 0.9),
        ("counted-sequences-cap", "sequences", 64),
        ("good-rating-gap", "points", 15),
        ("reduced-context-tokens", "tokens", 4_096),
        ("reference-context-tokens", "tokens", 8_192),
        ("speed-floor-tokens-per-s", "tokens/s", 10),
        ("speed-minimum-tokens-per-s", "tokens/s", 1),
    )
}

CATALOG = Catalog(
    measurements={"a-log": records.measurements(LARGE.id, FOUR_BY_TWO)},
    benchmarks={"a-post": records.benchmarks(SMALL.id, SINGLE, FOUR_BY_TWO)},
    claims={"a-page": records.claims(FOUR_BY_TWO)},
    gpus={g.id: g for g in (M3_ULTRA, RTX_3060, RTX_4090)},
    interconnects={i.id: i for i in (TEN_GBE, PCIE)},
    combos={c.id: c for c in (FOUR_BY_TWO, MAC, MIXED, SINGLE)},
    models={m.id: m for m in (HUGE, LARGE, SMALL)},
    quantizations={q.id: q for q in (BF16, Q2, Q4)},
    runtimes={r.id: r for r in (LLAMA_CPP, RAY, VLLM)},
    assumptions=THRESHOLDS,
)

PLANS: Mapping[str, ParallelPlan] = {
    FOUR_BY_TWO.id: ParallelPlan(
        PlanKind.TENSOR_PIPELINE, 2, 2, 2, ((0, 0), (0, 1), (1, 0), (1, 1)), (40, 40)
    ),
    SINGLE.id: ParallelPlan(PlanKind.SINGLE, 1, 1, 1, ((0, 0),), (32,)),
    MIXED.id: ParallelPlan(PlanKind.LAYER_SPLIT, 1, 1, 1, ((0, 0), (0, 1)), (54, 26)),
    MAC.id: ParallelPlan(PlanKind.OFFLOAD, 1, 1, 1, ((0, 0),), (70,), cpu_layers=10),
}


def between(mid: float, spread: float = 0.05) -> Interval:
    return Interval(mid * (1 - spread), mid, mid * (1 + spread))


def ledger(of: Combo, plan: ParallelPlan, utilization: float) -> tuple[GpuLedger, ...]:
    rows = []
    for index, (at, slot) in enumerate(plan.ranks):
        one = of.nodes[at].gpus[slot]
        budget = one.visible_bytes * 9 // 10
        need = budget * (utilization - 0.01 * index)
        lines = {
            "reserved_os": between(0.0),
            "context": between(0.05 * need),
            "weights": between(0.7 * need),
            "kv": between(0.2 * need),
            "compute": between(0.05 * need),
        }
        bounds = between(need)
        rows.append(
            GpuLedger(
                at, slot, one.gpu.id, 20, one.visible_bytes, budget, lines, bounds,
                Interval(
                    one.visible_bytes - bounds.high,
                    one.visible_bytes - need,
                    one.visible_bytes - bounds.low,
                ),
                between(need / budget),
            )
        )  # fmt: skip
    return tuple(rows)


def assessment(
    of: LanguageModel, quantized: Quantization, on: Combo, tier: FitTier, utilization: float
) -> Assessment:
    plan = PLANS[on.id] if utilization < 3 else None
    found = next(c for c in of.checkpoints if c.quantization is quantized)
    comfortable = tier is FitTier.COMFORTABLE
    reason = {
        FitTier.COMFORTABLE: (),
        FitTier.BORDERLINE: (
            Reason("HEADROOM", {"utilization": utilization}),
            Reason("LINK_DECODE", {"share": 0.61, "link": "ethernet-10g"}),
        ),
        FitTier.NOT_PRACTICAL: (
            Reason("WEIGHTS_EXCEED", {"weights_bytes": 90 * GIB, "budget_bytes": 21 * GIB}),
        ),
    }[tier]
    paged = on.id == FOUR_BY_TWO.id
    return Assessment(
        id=f"{of.id}-{quantized.id}-{on.id}", model=of, checkpoint=found,
        runtime=VLLM if paged else LLAMA_CPP, profile=VLLM.profiles[0], combo=on,
        workload=Workload(8_192, 1, "f16"), settings=Settings(), tier=tier, reasons=reason,
        shortage_bytes=5 * GIB if tier is FitTier.NOT_PRACTICAL else 0,
        too_close=0.88 < utilization < 0.92,
        cure=None
        if comfortable
        else Cure("MORE_GPUS", {"count": 4, "gpu": "rtx-4090"}, FitTier.COMFORTABLE),
        plan=plan, ledger=ledger(on, plan, utilization) if plan else (),
        limits=Limits(93_456, 81_920, {8_192: 11, 32_768: 2}, 93_456, 40_960) if plan else None,
        speed=Speed(
            Interval(18.2, 21.0, 24.9), Interval(300.0, 380.0, 420.0), 16, "memory", 0.12,
            Evidence.ESTIMATED, 2_048, Interval(0.5, 0.7, 0.9), Interval(2_275.0, 2_925.0, 4_096.0),
            Interval(18.75, 23.75, 26.25), capped=False, small_steps=False,
        )
        if plan
        else None,
        refused=(RefusedPlan(3, 1, 1, Reason("TP_HEADS", {"heads": 64, "tp": 3})),),
        weights_bytes=40 * GIB, effective_vram_bytes=80 * GIB, verdict_context_tokens=8_192,
        verdict_utilization=between(utilization) if plan else None, evidence=Evidence.ESTIMATED,
    )  # fmt: skip


def row(of: LanguageModel, on: Combo, tier: FitTier, utilization: float) -> ModelOnCombo:
    """A pick of 4 bits, which carries the verdict where nothing is comfortable.

    Where something is, the verdict is that of a smaller file, and a larger one is comfortable too.
    """
    pick = assessment(of, Q4, on, tier, utilization)
    small = outcome(of, Q2, on, FitTier.COMFORTABLE, between(0.5))
    if tier is FitTier.COMFORTABLE:
        larger = outcome(of, BF16, on, FitTier.COMFORTABLE, between(0.8))
        return ModelOnCombo(small, replace(pick, best=best(pick)), (larger, small))
    others = (outcome(of, BF16, on, FitTier.NOT_PRACTICAL, None), small)
    reached = between(utilization) if pick.plan else None
    verdict = replace(outcome(of, Q4, on, tier, reached), too_close=pick.too_close)
    return ModelOnCombo(verdict, pick, others, doubt(pick) if pick.too_close else None)


def best(pick: Assessment) -> BestPlans:
    """The pick's own plan reaches the longest context; one GPU each serves more users."""
    assert pick.plan is not None
    assert pick.speed is not None
    single = ParallelPlan(PlanKind.SINGLE, 1, 1, len(pick.combo.gpus), ((0, 0),), (80,))
    return BestPlans(
        (93_456, pick.plan),
        {8_192: (24, single), 32_768: (6, pick.plan)},
        (pick.speed.single_tokens_per_s, pick.plan),
    )


def doubt(pick: Assessment) -> OpenVerdict:
    gpus = ((pick.combo.gpus[0].gpu.id, 1),)
    overhead = ToMeasure(Uncertain.RUNTIME_OVERHEAD, "vllm", "0.19", gpus, 1, 1)
    speed = ToMeasure(
        Uncertain.SPEED, "vllm", "0.19", gpus, 1, 1, "", pick.model.id, pick.checkpoint.id
    )
    return OpenVerdict(
        (
            DecidingMeasurement(
                overhead, Interval(GIB, 2 * GIB, 3 * GIB), FitTier.COMFORTABLE, pick.tier
            ),
            DecidingMeasurement(speed, Interval(8.0, 10.0, 12.0), pick.tier, pick.tier),
        )
    )


def answers(fitting: list[Assessment]) -> tuple[Answer, ...]:
    """One answer for each goal of a combo where models fit, the largest model last."""
    if not fitting:
        return ()
    first, last = fitting[0], fitting[-1]

    def standing(of: Assessment, amount: float, plan: ParallelPlan | None = None) -> RankedPlan:
        return RankedPlan(of, Interval(amount, amount, amount), plan)

    speed = RankedPlan(last, Interval(18.2, 21.0, 24.9))
    assert last.best is not None
    _, many = last.best.users[8_192]
    return (
        Answer(AnswerGoal.ONE_STREAM, Scope.GOOD, speed, None, 1),
        Answer(AnswerGoal.USERS_8K, Scope.GOOD, standing(last, 24, many), standing(first, 9), 2),
        Answer(AnswerGoal.USERS_32K, Scope.GOOD, standing(last, 1), None, 1),
        Answer(AnswerGoal.LONGEST_CONTEXT, Scope.GOOD, standing(first, 93_456), None, 2),
        Answer(AnswerGoal.SMALL, Scope.SMALL, standing(last, 61), None, 1),
        Answer(
            AnswerGoal.PARAMETERS, Scope.EVERY_MODEL, standing(first, 70e9), standing(last, 8e9), 2
        ),
    )  # fmt: skip


def uses(fitting: list[Assessment]) -> tuple[UseAnswer, ...]:
    """Best overall: two models that the evidence cannot separate; coding: one alone."""
    if not fitting:
        return ()
    tier = tuple(
        RatedPick(one, Rating(Interval(60.0, 66.0 - at, 72.0)), 66.0 - at, 6.0)
        for at, one in enumerate(fitting)
    )
    return (
        UseAnswer(Use.OVERALL, tier, (), rated=len(tier), unrated=1),
        UseAnswer(Use.CODING, tier[:1], tier[1:], rated=len(tier), unrated=0),
    )


def losses(on: Combo, rows: tuple[ModelOnCombo, ...]) -> tuple[Failure, ...]:
    """The loss of one GPU, after which the first model is gone and the second goes on."""
    if len(on.gpus) < 2:
        return ()
    first, second = rows[0].pick, rows[1].pick
    drops = (TierDrop(first.model, first.tier, FitTier.NOT_PRACTICAL),)
    counts = {FitTier.COMFORTABLE: 1, FitTier.BORDERLINE: 0, FitTier.NOT_PRACTICAL: 2}
    gone, kept = AnswerAfterFailure(None, second), AnswerAfterFailure(second, second)
    ids = tuple(one.gpu.id for one in on.nodes[-1].gpus)
    worst = (FailureKind.GPU, 0, (on.gpus[0].gpu.id,), 2, counts, drops)
    gpu_lost = Failure(*worst, lead=gone, largest=gone, serving=kept, worst=True)
    mild = (FailureKind.GPU, 0, (on.gpus[-1].gpu.id,), 1, counts, ())
    other = Failure(*mild, lead=kept, largest=kept, serving=gone)
    node = (FailureKind.NODE, 0, ids, 1, counts, drops)
    return (gpu_lost, other, Failure(*node, lead=gone, largest=gone, serving=kept, worst=True))


def outcome(
    of: LanguageModel, quantized: Quantization, on: Combo, tier: FitTier, full: Interval | None
) -> CheckpointOutcome:
    found = next(c for c in of.checkpoints if c.quantization is quantized)
    return CheckpointOutcome(of, found, LLAMA_CPP, on, tier, False, full, 44 * GIB if full else 0)


def combo_survey(on: Combo, *rows: ModelOnCombo) -> ComboSurvey:
    fitting = [r.pick for r in rows if r.tier is FitTier.COMFORTABLE]
    first, last = (fitting[0], fitting[-1]) if fitting else (None, None)
    across = Reason("TP_ACROSS_NODES", {"link": "ethernet-10g"})
    many = len(on.nodes) > 1
    return ComboSurvey(
        on,
        rows,
        (
            EffectiveVram(VLLM, PlanKind.TENSOR, 2, 2, 1, 4, 40 * GIB, 37 * GIB, None),
            EffectiveVram(
                VLLM, PlanKind.PIPELINE, 2, 1, 2, 1, 44 * GIB, 41 * GIB,
                Reason("MIXED_GPUS_TP_MIN", {"smallest": "rtx-3060-12gb", "largest": "rtx-4090"}),
            ),
        ),
        lead=first,
        largest_single_model=first,
        aggregate_serving=last,
        refused=(RefusedPlan(8, 1, 1, across),) if many else (),
        uses=uses(fitting),
        answers=answers(fitting),
        losses=losses(on, rows),
        context_curve=curve_of_context() if fitting else (),
        load_curve=curve_of_load() if fitting else (),
        ways=AlternativeRuntimes(tuple(fitting[:1]), tuple(fitting[1:])),
    )  # fmt: skip


def need(of: LanguageModel, one: Gpu, count: int, tier: FitTier) -> GpusNeeded:
    ranks = tuple((0, at) for at in range(count))
    kind = PlanKind.SINGLE if count == 1 else PlanKind.TENSOR
    return GpusNeeded(
        machine=combo(f"{count}-of-{one.id}", one.name, node(*[installed(one)] * count)), model=of,
        checkpoint=of.checkpoints[1], runtime=VLLM,
        plan=ParallelPlan(kind, count, 1, 1, ranks, (32,)), tier=tier, too_close=False,
        tight_on=None, utilization=Interval(0.7, 0.75, 0.8), max_context_tokens=32_768,
        single_tokens_per_s=Interval(30.0, 40.0, 50.0),
    )  # fmt: skip


def curve_of_context() -> tuple[ContextPoint, ...]:
    """From far below the budget to above it."""
    shares = {2_048: 0.4, 8_192: 0.5, 32_768: 0.7, 93_456: 0.98, 131_072: 1.2}
    return tuple(
        ContextPoint(
            tokens,
            Interval(share * 19 * GIB, share * 20 * GIB, share * 21 * GIB),
            Interval(0.95 * share, share, 1.05 * share),
        )
        for tokens, share in shares.items()
    )


def curve_of_load() -> tuple[LoadPoint, ...]:
    """Four numbers of streams, the last as the answer has it."""
    speeds = {1: 21.0, 4: 76.0, 8: 140.0, 16: 380.0}
    return tuple(
        LoadPoint(
            streams,
            Interval(0.8 * speed / streams, speed / streams, 1.1 * speed / streams),
            Interval(0.8 * speed, speed, 1.1 * speed),
        )
        for streams, speed in speeds.items()
    )


SURVEY = Survey(
    {
        FOUR_BY_TWO.id: combo_survey(
            FOUR_BY_TWO,
            row(LARGE, FOUR_BY_TWO, FitTier.COMFORTABLE, 0.84),
            row(SMALL, FOUR_BY_TWO, FitTier.COMFORTABLE, 0.31),
            row(HUGE, FOUR_BY_TWO, FitTier.NOT_PRACTICAL, 1.8),
        ),
        MAC.id: combo_survey(
            MAC,
            row(SMALL, MAC, FitTier.COMFORTABLE, 0.2),
            row(LARGE, MAC, FitTier.BORDERLINE, 0.95),
            row(HUGE, MAC, FitTier.NOT_PRACTICAL, 9.0),
        ),
        MIXED.id: combo_survey(
            MIXED,
            row(SMALL, MIXED, FitTier.COMFORTABLE, 0.3),
            row(LARGE, MIXED, FitTier.NOT_PRACTICAL, 1.2),
            row(HUGE, MIXED, FitTier.NOT_PRACTICAL, 9.0),
        ),
        SINGLE.id: combo_survey(
            SINGLE,
            row(SMALL, SINGLE, FitTier.BORDERLINE, 0.9),
            row(LARGE, SINGLE, FitTier.NOT_PRACTICAL, 3.4),
            row(HUGE, SINGLE, FitTier.NOT_PRACTICAL, 9.0),
        ),
    },
    {
        RTX_3060.id: (need(SMALL, RTX_3060, 1, FitTier.COMFORTABLE),),
        RTX_4090.id: (
            need(SMALL, RTX_4090, 1, FitTier.COMFORTABLE),
            need(LARGE, RTX_4090, 2, FitTier.COMFORTABLE),
            need(HUGE, RTX_4090, 8, FitTier.BORDERLINE),
        ),
    },
)


def facts_of(of: LanguageModel, parameters: int) -> ModelFacts:
    sizes = ((BF16, 16.0), (Q4, 4.83), (Q2, 2.9))
    return ModelFacts(
        parameters=parameters, active_parameters=parameters, layers=80, attention_heads=64,
        kv_heads=8, experts=0, experts_per_token=0, kv_bytes_per_token=327_680,
        kv_bytes_at=((8_192, 8_192 * 327_680), (131_072, 131_072 * 327_680)),
        kv_curve=tuple((length, length * 327_680) for length in (2_048, 8_192, 32_768, 131_072)),
        kv_peak_at=((8_192, 8_192 * 327_680),),
        valid_tensor_parallel_sizes=(1, 2, 4, 8), cache_kinds=(("full", 80),),
        checkpoints=tuple(
            CheckpointFacts(
                next(c for c in of.checkpoints if c.quantization is q),
                round(parameters * bits / 8),
                bits,
            )
            for q, bits in sizes
        ),
    )  # fmt: skip


SETTINGS = SiteSettings(
    title="sitegen",
    tagline="What runs on this hardware?",
    description="Which models run on which GPUs.",
    base_url="https://example.org/",
    repository_url="https://example.org/sitegen",
    data_licence="CC BY 4.0",
    data_licence_url="https://creativecommons.org/licenses/by/4.0/",
    data_version="test",
    data_date="2026-11-20",
    thresholds=tuple(THRESHOLDS.values()),
)

ACCURACY = report_of(records.results(LARGE.id), CATALOG.measurements.values())
SPEED_ACCURACY = records.speed_results(RTX_3060.id)
ENGINE = FitEngine(replace(CATALOG, assumptions=real_catalog().assumptions))
RECORDS = JudgedRecords(
    ACCURACY, SPEED_ACCURACY, judge_pages(ENGINE), quarantine(ENGINE.catalog, ENGINE.reduced)
)

FACTS = {
    HUGE.id: facts_of(HUGE, 400_000_000_000),
    LARGE.id: facts_of(LARGE, 70_553_706_496),
    SMALL.id: facts_of(SMALL, 8_030_261_248),
}

GUIDE_TEXT = """\
---
title: Several machines
description: How to spread one model over several machines.
kind: guide
order: 10
---

An {{ gpu rtx-4090 link }} shows {{ gpu rtx-4090 visible }} of {{ gpu rtx-4090 installed }}.

## What fits

{% fits combo=four-by-two tier=comfortable limit=1 %}

| Question | Answer |
|---|--:|
| How much is installed? | {{ combo four-by-two installed }} |

```bash
vllm serve maker/large-70b --max-model-len {{ assess large-70b four-by-two max-context }}
```

{% ledger model=large-70b combo=four-by-two %}

Read [the framework](/framework/#fit-tiers) and <https://outside.example/>.
"""

GLOSSARY_TEXT = """\
---
title: Glossary
description: The words of this site.
kind: page
---

## Replica

A full copy that serves its own requests.
"""


RELEASE = """\
date: 2026-11-20
title: A larger buffer
summary: The buffer of **vLLM** is larger than was assumed.
base: before
head: test
removed: {gpus: [gtx-1080]}
added: {models: [small-8b]}
moved:
  - before: comfortable
    after: borderline
    rows: {single-rtx-3060: [small-8b], gone-combo: [large-70b]}
"""
REMOVED = """\
/runtimes/withdrawn/:
  date: 2026-11-19
  reason: Its maker has **withdrawn** it.
  instead: /models/small-8b/
"""
HISTORY = parse_history(
    {"content/changes/2026-11-20.yaml": RELEASE, "content/removed.yaml": REMOVED}
)


ERRORS_TEXT = """\
title: Memory
errors:
  - id: pool-too-small
    title: Pool too small
    text: "ValueError: the pool of <8> blocks is *too small*"
    runtimes: [vllm]
    means: The cache is full.
    likely:
      - {cause: No context was stated., check: "The `--max-model-len` is missing.", fix: State one.}
      - {cause: Somebody else was first., check: "`nvidia-smi` lists a process.", fix: End it.}
    source: {title: Issue 1, url: "https://example.org/1", read: 2026-11-20}
"""
ERRORS = parse_errors({"content/errors/memory.yaml": ERRORS_TEXT})
SEARCH_TERMS_TEXT = """\
ignored: [on, the]
terms:
  - typed: [oom, out of memory]
    means: cache is full
    answers: [{title: "Errors: memory", page: /errors/#memory}]
  - typed: [replica, cluster]
    answers: [{title: Several machines, page: /guides/several-machines/#what-fits}]
"""
SEARCH_TERMS = parse_search_terms({"content/search.yaml": SEARCH_TERMS_TEXT})


def inputs(**files: str) -> SiteInputs:
    """Everything above, with the given documents (``guides/x`` by name) or two standing ones."""
    texts = files or {"guides/several-machines": GUIDE_TEXT, "pages/glossary": GLOSSARY_TEXT}
    documents = parse_documents({f"content/{name}.md": text for name, text in texts.items()})
    rows = rows_by_model(SURVEY)
    return SiteInputs(
        CATALOG, ENGINE, SURVEY, FACTS, rows, documents, SETTINGS, RECORDS, HISTORY, ERRORS,
        search_terms=SEARCH_TERMS if not files else NO_TERMS,
    )  # fmt: skip


def inputs_without_records() -> SiteInputs:
    """The same where nobody has measured or claimed anything."""
    bare = replace(CATALOG, measurements={}, benchmarks={}, claims={})
    return replace(inputs(), catalog=bare, records=NOTHING)


def pair_pages() -> Iterator[Page]:
    """Make two pages of a model on a machine: no engine judges invented runtimes."""
    for combo in (FOUR_BY_TWO, SINGLE):
        survey = SURVEY.combos[combo.id]
        (row,) = (one for one in survey.rows if one.model.id == LARGE.id)
        picks = tuple(one.pick for one in survey.rows if one.pick.plan is not None)
        curves = Curves(survey.context_curve, survey.load_curve)
        yield pair_page(row, CATALOG, partial(Beside, BuildQuestion(8_192), curves, (), picks))
