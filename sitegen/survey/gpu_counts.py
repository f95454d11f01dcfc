"""The smallest machine with one kind of GPU that runs a model, from legal plans only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    Gpu,
    InstalledGpu,
    Interconnect,
    Node,
    OperatingSystem,
    Vendor,
)
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitRequest, FitTier, PlanGoal
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.fit.usual_links import link_inside
from sitegen.quality.values import Use
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.best_for_use import (
    LONG_DOCUMENT,
    SHORTEST,
    answers_document,
    less_loss,
    may_lead,
    takes_images,
)
from sitegen.survey.buying import CONTEXTS
from sitegen.survey.comfortable_users import users_at
from sitegen.survey.rated_tier import (
    as_good,
    best_assured_first,
    may_be_led_by,
    served_first,
)
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    Pick,
    PlannedCheckpoint,
    batches,
    pick_of,
    reading_speed,
    reference_question,
    verdict_of,
)
from sitegen.units import GIB
from sitegen.values import dataclass

ANSWERED = (Use.OVERALL, Use.CODING)
"""Uses that the page of a GPU answers for each number of it."""
COUNTS = (1, 2, 3, 4, 6, 8)
"""GPUs that people put into one machine."""
POWERS = (1, 2, 4, 8)
"""The same of GPUs that no combo of the catalog has."""


def installed_kinds(gpu: Gpu) -> tuple[InstalledGpu, ...]:
    """List what machines have of a GPU: the card, or the chip with each size that it is sold in."""
    memory = gpu.memory
    if isinstance(memory, DedicatedMemory):
        return (InstalledGpu(gpu, memory.installed_bytes, memory.visible_bytes),)
    return tuple(InstalledGpu(gpu, size, size) for size in sorted(memory.options_bytes))


def machines_of(catalog: Catalog, gpu: Gpu) -> tuple[Combo, ...]:
    """List machines with one kind of GPU, the smallest first.

    They have some number of a GPU, one of what is built into a laptop, or each size of memory
    that a machine is sold with.
    """
    kinds = installed_kinds(gpu)
    if not isinstance(gpu.memory, DedicatedMemory):
        return tuple(_machine(one, 1, None) for one in kinds)
    found = (machine_of(catalog, kinds[0], count) for count in counts_of(catalog, gpu))
    return tuple(machine for machine in found if machine is not None)


def counts_of(catalog: Catalog, gpu: Gpu) -> tuple[int, ...]:
    """Return how many of a GPU with memory of its own stand in one machine."""
    if gpu.body.form == "laptop":
        return (1,)
    known = any(gpu.id in combo.gpu_ids for combo in catalog.combos.values())
    return COUNTS if known else POWERS


def machine_of(catalog: Catalog, installed: InstalledGpu, count: int) -> Combo | None:
    """Build a machine of equal GPUs with what joins them; ``None`` where nobody knows a link."""
    link = catalog.interconnects.get(link_inside(catalog, installed.gpu, count))
    if count > 1 and link is None:
        return None
    return _machine(installed, count, link if count > 1 else None)


def _machine(installed: InstalledGpu, count: int, link: Interconnect | None) -> Combo:
    memory = installed.installed_bytes // GIB
    id_ = f"{count}-of-{installed.gpu.id}-{memory}"
    return equal_machines(installed, count, link, id_=id_, name=f"{count}× {installed.gpu.name}")


def equal_machines(
    installed: InstalledGpu,
    count: int,
    link: Interconnect | None,
    *,
    id_: str,
    name: str,
    machines: int = 1,
    network: Interconnect | None = None,
    ram_bytes: int | None = None,
) -> Combo:
    """Put together what no combo of the catalog is: headless machines with equal GPUs.

    Without ``ram_bytes`` nothing may lie in RAM.
    """
    macos = installed.gpu.vendor is Vendor.APPLE
    node = Node(
        name="",
        gpus=(installed,) * count,
        link=link,
        ram_bytes=ram_bytes,
        ram_bandwidth_bytes_per_s=None,
        operating_system=OperatingSystem.MACOS if macos else OperatingSystem.LINUX,
        display_attached=False,
    )
    nodes, prose = (node,) * machines, ComboProse("", "", ())
    return Combo(id_, name, "", nodes, network, "", prose, "", (), installed.gpu.span)


def gpus_needed(engine: FitEngine, gpu: Gpu) -> tuple[GpusNeeded, ...]:
    """Find the smallest machine with a GPU on which each surveyed model fits comfortably.

    Where none of ``machines_of`` is enough, the smallest on which it is borderline; a model that
    runs on none is left out. What leads an answer on a larger machine is picked for that one, too.
    """
    machines = machines_of(engine.catalog, gpu)
    every = (_needed(engine, model, machines) for model in engine.catalog.surveyed_models)
    needs = {need.model.id: need for need in every if need is not None}
    for machine in machines:
        _answer(engine, needs, machine)
    return tuple(_with_images(engine, need, machines) for need in needs.values())


def _with_images(engine: FitEngine, need: GpusNeeded, machines: Iterable[Combo]) -> GpusNeeded:
    """Add the smallest machine that runs a model for images, where its pick takes none."""
    rating = engine.ratings.of(Use.VISION, need.model.id)
    rated = rating is not None and rating.is_rated and need.tier is FitTier.COMFORTABLE
    if not rated or takes_images(engine, need):
        return need
    return replace(need, seeing=_needed(engine, need.model, machines, images=True))


def _answer(engine: FitEngine, needs: dict[str, GpusNeeded], machine: Combo) -> None:
    """Pick again what may lead an answer on a machine: it may run a larger or a faster file there.

    Asked are a leader that was picked for a smaller machine, and models that are rated higher and
    whose pick so far is too slow to read along. What is picked is added to their ``more``.
    """
    asked: set[str] = set()
    for use in ANSWERED:
        while again := _to_ask(engine, needs.values(), machine, use, asked):
            for model in again:
                asked.add(model.id)
                question = replace(reference_question(engine, machine, model), read_along=True)
                entry = verdict_of(engine, question)
                if entry is not None and entry.tier is FitTier.COMFORTABLE:
                    found = _record(engine, machine, None, pick_of(engine, question, entry))
                    need = needs[model.id]
                    needs[model.id] = replace(need, more=(*need.more, found))


def _to_ask(
    engine: FitEngine,
    needs: Iterable[GpusNeeded],
    machine: Combo,
    use: Use,
    asked: Collection[str],
) -> list[LanguageModel]:
    size = machine.installed_vram_bytes
    rated = _rated_on(engine, [one for one in needs if one.installed_bytes <= size], use, machine)
    led = _best(engine, [one for one in rated if _reads_along(engine, one.need)], machine)[:1]
    points = led[0].points if led else float("-inf")
    again = [one for one in led if one.need.installed_bytes < size]
    again += [one for one in rated if one.points > points and not _reads_along(engine, one.need)]
    return [one.need.model for one in again if one.need.model.id not in asked]


def _needed(
    engine: FitEngine, model: LanguageModel, machines: Iterable[Combo], *, images: bool = False
) -> GpusNeeded | None:
    best: tuple[ModelQuestion, PlannedCheckpoint] | None = None
    tight: Combo | None = None
    for question, entry in _verdicts(engine, model, machines, images=images):
        if entry.tier is FitTier.COMFORTABLE:
            best = (question, entry)
            break
        if best is None:
            best, tight = (question, entry), question.combo
    if best is None:
        return None
    question, entry = best
    tight = None if entry.tier is not FitTier.COMFORTABLE else tight
    return _record(engine, question.combo, tight, pick_of(engine, question, entry))


def _verdicts(
    engine: FitEngine, model: LanguageModel, machines: Iterable[Combo], *, images: bool
) -> Iterator[tuple[ModelQuestion, PlannedCheckpoint]]:
    """Judge the machines that can hold the smallest checkpoint at all, the smallest first."""
    least = _least_bytes(engine, model)
    for machine in machines:
        widest = engine.gpu_groups(machine)[-1][0]
        if widest.usable_bytes < least:
            continue
        usual = reference_question(engine, machine, model)
        question = usual.for_images() if images else usual
        entry = verdict_of(engine, question) if question is not None else None
        if question and entry is not None and entry.tier is not FitTier.NOT_PRACTICAL:
            yield question, entry


def _least_bytes(engine: FitEngine, model: LanguageModel) -> int:
    """Return the least that a checkpoint which may carry the verdict puts on GPUs."""
    loaded = engine.loadable(model)
    production = [one for one in loaded if one.subject.checkpoint.quantization.production]
    return min((one.reduced.least_gpu_bytes for one in production or loaded), default=0)


def _record(engine: FitEngine, machine: Combo, tight: Combo | None, pick: Pick) -> GpusNeeded:
    entry = pick.entry
    chosen = entry.chosen
    if chosen is None:
        raise ValueError(f"{machine.id}: a verdict without a plan is not practical")
    evaluation, subject = chosen.evaluation, entry.subject
    longest = subject.model.context_tokens
    return GpusNeeded(
        machine=machine,
        model=subject.model,
        checkpoint=subject.checkpoint,
        runtime=subject.runtime,
        plan=evaluation.replica.plan(chosen.replicas),
        tier=evaluation.tier,
        too_close=evaluation.too_close,
        tight_on=tight,
        utilization=evaluation.utilization,
        max_context_tokens=evaluation.replica.limits(longest, ()).max_context_tokens,
        single_tokens_per_s=evaluation.single_tokens_per_s,
        settings=evaluation.settings,
        comfortable_tokens=max(
            (one for one in CONTEXTS if one <= longest and users_at(engine, evaluation, one)),
            default=0,
        ),
        reads_document=_reads_document(engine, machine, subject, evaluation),
        times_prompts=(
            evaluation.pipeline is not None
            and engine.judge.speed.prefill_s(evaluation.pipeline) is not None
        ),
    )


def _reads_document(
    engine: FitEngine, machine: Combo, subject: ServedCheckpoint, evaluation: Evaluation
) -> bool:
    """Say the same as ``best_for_use`` of a model that is rated for long documents."""
    model, longest = subject.model, subject.model.context_tokens
    if (
        engine.ratings.of(Use.LONG_CONTEXT, model.id) is None
        or evaluation.replica.limits(longest, ()).max_context_tokens < LONG_DOCUMENT
    ):
        return False
    request = FitRequest(
        model, subject.checkpoint, machine, subject.runtime, subject.profile, evaluation.workload,
        settings=evaluation.settings, goal=PlanGoal.LATENCY,
    )  # fmt: skip
    return answers_document(engine, request)


@dataclass(frozen=True, slots=True)
class RatedNeed:
    """A model with its rating for a use, less the loss of its checkpoint (see ``RatedPick``)."""

    need: GpusNeeded
    points: float
    half_width: float
    general: float | None


def best_of_needs(
    engine: FitEngine, needs: Iterable[GpusNeeded], use: Use, machine: Combo
) -> tuple[GpusNeeded, ...]:
    """Return the best models for a use among some that a machine runs: a tier, the first leading.

    As ``best_for_use`` has it, for machines that no combo is.
    """
    rated = _rated_on(engine, needs, use, machine)
    led = _best(engine, [one for one in rated if _reads_along(engine, one.need)], machine)
    return tuple(one.need for one in led)


def _best(engine: FitEngine, every: Sequence[RatedNeed], machine: Combo) -> list[RatedNeed]:
    least = engine.assumptions[SHORTEST].value.mid
    rated = may_be_led_by(
        every,
        lambda one: one.need.checkpoint.is_published,
        lambda one: one.need.max_context_tokens >= least,
    )
    if not rated:
        return []
    step = engine.assumptions["answer-rating-step"].value.mid
    tier = best_assured_first(as_good(rated), step, lambda one: fastest_need_first(one.need))
    if not machine.is_datacenter:
        return tier
    return served_first(
        tier,
        step,
        lambda one: batches(one.need.runtime),
        lambda one: one.need.single_tokens_per_s.mid,
    )


def fastest_need_first(need: GpusNeeded) -> tuple[float, int, str]:
    """Order models that evidence cannot separate, as ``best_for_use`` does."""
    return (-need.single_tokens_per_s.mid, -need.max_context_tokens, need.model.id)


def _reads_along(engine: FitEngine, need: GpusNeeded) -> bool:
    return need.single_tokens_per_s.mid >= reading_speed(engine)


def _rated_on(
    engine: FitEngine, needs: Iterable[GpusNeeded], use: Use, machine: Combo
) -> list[RatedNeed]:
    """Rate what a machine runs comfortably and an answer may name."""
    found: list[RatedNeed] = []
    for need in (one.on(machine) for one in needs):
        rating = engine.ratings.of(use, need.model.id)
        fits = need.tier is FitTier.COMFORTABLE and may_lead(engine, need.model)
        if fits and rating is not None and rating.is_rated:
            net = less_loss(engine, rating, need.model, need.checkpoint)
            found.append(RatedNeed(need, *net))
    return found
