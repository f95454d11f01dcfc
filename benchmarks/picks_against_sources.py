"""Compares the product's picks with what named sources recommend for the same hardware and model.

Run as ``python -m benchmarks.picks_against_sources [--all]``. The pairs and their sources are in
``benchmarks/picks/pairs.yaml``, whose head defines the classes; it was written before the first
run. Always exits with 0: a disagreement is to be explained, and may be right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import yaml

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel, Quantization
from sitegen.catalog.domain.provenance import Interval
from sitegen.catalog.load import parse_catalog
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.own_hardware import own_combo
from sitegen.fit.assessment import Assessment, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import PlacedPlan, Question, comfortable_plans, every_plan
from sitegen.fit.runnable_checkpoint import Ask
from sitegen.inputs import read_project
from sitegen.physics.plan import ParallelPlan, Workload
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    aggregate_tokens_per_s,
    answered,
    by_choice,
    flags_of,
    loaded_on,
    machine_standing,
    reference_question,
    reference_workload,
)
from sitegen.values import dataclass

PAIRS = Path(__file__).parent / "picks" / "pairs.yaml"
GOAL = 54
"""Pairs of the sixty that the project set out to agree with."""
GOALS = {"one user": PlanGoal.LATENCY, "serving": PlanGoal.THROUGHPUT}
"""What a source recommends a configuration for, as the planner's goal."""
PARTS = ("bits", "runtime", "plan")
CAUSES = {
    "where no pick loses more, by class, than a comfortable published file": ("WORSE-CLASS",),
    "and a pick is a comfortable file of 4 bits or more": (
        "NOT-THERE", "NO-PLAN", "NOT-COMFORTABLE", "UNDER-4-BIT", "NO-FILE",
    ),
    "and holds the context that any file of its class holds": ("LESS-ROOM",),
    "and is not slower by more than a tie": ("SLOWER",),
    "and of ties takes the fewest GPUs and the better-known file": ("TIE",),
}  # fmt: skip
"""Rules of picks, each with the causes of a difference that it explains.

The first is line 2 of what issue 15 must show, the second and third are who may be a candidate,
the others the order among candidates (``advice.md``, decisions 44 and 68).
"""
SAME_RUNTIME = {
    "llama-cpp": "llama.cpp", "ollama": "llama.cpp", "exo": "mlx-lm",
    "exllamav2": "exllama", "exllamav3": "exllama", "ray-serve": "vllm", "dynamo": "vllm",
}  # fmt: skip
"""Runtimes that count as another one, because they run it or load its files."""
SIXTEEN = frozenset({"bf16", "F16"})
FOUR_BIT_ONLY = frozenset({"awq", "gptq", "nvfp4", "mxfp4"})
GGUF_BITS = re.compile(r"I?Q(\d)_")


@dataclass(frozen=True, slots=True)
class Pair:
    """Hardware and a model, and the classes that a source's recommendation allows."""

    group: str
    combo: str
    gpus: str
    link: str
    model: str
    use: str
    bits: tuple[str, ...]
    runtimes: tuple[str, ...]
    plans: tuple[str, ...]
    source: str
    reserve: bool

    @property
    def hardware(self) -> str:
        """The combo, or the GPUs where the catalog has no combo."""
        return self.combo or self.gpus


@dataclass(frozen=True, slots=True)
class Pick:
    """The product's answer in the classes of the pairs; ``checkpoint`` is the quantization."""

    bits: str
    runtime: str
    plan: str
    checkpoint: str


@dataclass(frozen=True, slots=True)
class Because:
    """What speaks against a source's choice: a word of ``CAUSES``, and its values in words."""

    cause: str
    words: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A pair beside the product's pick; ``pick`` is None where the product has none.

    ``attainable`` says whether the catalog has a checkpoint of the class that the source names,
    ``why`` what speaks against the source's choice, where they differ.
    """

    pair: Pair
    pick: Pick | None
    attainable: bool
    why: Because | None = None

    @property
    def differing(self) -> tuple[str, ...]:
        """The parts that the source would not accept."""
        if self.pick is None:
            return PARTS
        accepted = (self.pair.bits, self.pair.runtimes, self.pair.plans)
        given = (self.pick.bits, self.pick.runtime, self.pick.plan)
        return tuple(
            part
            for part, value, allowed in zip(PARTS, given, accepted, strict=True)
            if value not in allowed
        )


@click.command()
@click.option("--all", "everything", is_flag=True, help="Print the pairs that agree, too.")
@click.option("--project", type=click.Path(path_type=Path), default=Path(), help="Holds catalog/.")
def main(project: Path, *, everything: bool) -> None:
    """Compare every pair and print how many agree, and where others differ."""
    catalog = parse_catalog(read_project(project).catalog)
    engine = FitEngine(catalog)
    compared = []
    for pair in read_pairs(PAIRS):
        combo = combo_of(pair, catalog)
        pick = pick_of(engine, catalog.models[pair.model], combo, GOALS[pair.use])
        attainable = bool(set(pair.bits) & classes_of(catalog.models[pair.model]))
        found = Comparison(pair, pick, attainable)
        if found.differing and pick is not None:
            found = replace(found, why=explained(engine, pair, combo))
        compared.append(found)
    for line in (*table(compared), *rows(compared, everything=everything)):
        click.echo(line)


@dataclass(frozen=True, slots=True)
class Sourced:
    """One way to run what a source recommends, as the engine judges it.

    ``quality`` is the class of expected loss, 0 the release's; ``holds`` says whether the longest
    context is held that the pick has room for, ``amount`` what the plan gives of the goal, in
    tokens/s.
    """

    ask: Ask
    plan: PlacedPlan
    quality: int
    holds: bool
    amount: float

    @property
    def comfortable(self) -> bool:
        """Whether it is comfortable, with the flags that it was judged with."""
        return self.plan.evaluation.tier is FitTier.COMFORTABLE

    @property
    def need(self) -> Interval:
        """How full the fullest GPU is, as a share of what the runtime may fill."""
        return self.plan.evaluation.utilization

    @property
    def order(self) -> tuple[bool, int, bool, float, float]:
        """The way that speaks most for the source, the lowest first."""
        return (not self.comfortable, self.quality, not self.holds, -self.amount, self.need.high)


def explained(engine: FitEngine, pair: Pair, combo: Combo) -> Because:
    """Ask the engine about the source's own files, runtimes and plans: what speaks against them.

    Each cause is a value that it computes; ``CAUSES`` has their order and which rule each is.
    """
    model, goal = engine.catalog.models[pair.model], GOALS[pair.use]
    whole = reference_question(engine, combo, model, goal)
    asks = source_asks(engine, pair, combo)
    if not asks:
        return Because("NOT-THERE", "the catalog has no such file that the runtime loads")
    ours = answered(engine, whole, cured=False)
    held = held_by(whole, ours) if ours is not None else 0
    ways = [way for ask in asks for way in source_ways(engine, whole, pair, ask, held)]
    if not ways:
        return Because("NO-PLAN", f"no valid plan {' or '.join(pair.plans)} of such a file there")
    return against(
        engine, whole, min(ways, key=lambda way: way.order), held, best_amount(whole, ours)
    )


def against(
    engine: FitEngine, whole: ModelQuestion, theirs: Sourced, held: int, rate: float
) -> Because:
    """Say what speaks against the best way to run what a source recommends.

    ``held`` are the tokens that the pick has room for, ``rate`` its tokens/s.
    """
    model = whole.model
    named = theirs.ask.subject.checkpoint
    if not named.quantization.production:
        loss = engine.losses.of(model, named).mid
        return Because("UNDER-4-BIT", f"{named.id} loses {loss:.1f} points: an alternative")
    if not theirs.comfortable:
        full, most = theirs.need, engine.judge.thresholds.comfortable
        even = ", even at the low end" if full.low > most else ""
        words = f"{named.id} fills {100 * full.low:.0f} to {100 * full.high:.0f} %"
        codes = " ".join(one.code for one in theirs.plan.evaluation.reasons)
        return Because(
            "NOT-COMFORTABLE", f"{words} where {100 * most:.0f} is the most{even} ({codes})"
        )
    better = better_file(engine, whole, theirs.quality, held)
    if better:
        loss = engine.losses.of(model, named).mid
        return Because("WORSE-CLASS", f"{named.id} loses {loss:.1f} points, and {better}")
    if not named.is_published:
        return Because("NO-FILE", "we know no published file of it")
    if not theirs.holds:
        return Because(
            "LESS-ROOM", f"{named.id} does not hold the {held:,} tokens that the pick does"
        )
    tie = 1 - engine.assumptions["pick-tie-share"].value.mid
    cause = "SLOWER" if theirs.amount < tie * rate else "TIE"
    return Because(cause, f"{named.id} gives {theirs.amount:,.0f} tok/s, the pick {rate:,.0f}")


def source_asks(engine: FitEngine, pair: Pair, combo: Combo) -> list[Ask]:
    """List the checkpoints of the source's classes under its runtimes."""
    model = engine.catalog.models[pair.model]
    published = published_in(model)
    workload = reference_workload(engine, model)
    return [
        Ask(prepared, workload)
        for runtime, _ in engine.assessed_runtimes()
        if runtime_class(runtime.id) in pair.runtimes
        for prepared in loaded_on(engine, combo, model, runtime.id)
        if bits_class(prepared.subject.checkpoint.quantization, published) in pair.bits
    ]


def source_ways(
    engine: FitEngine, whole: ModelQuestion, pair: Pair, ask: Ask, held: int
) -> Iterator[Sourced]:
    """Yield each plan of the source's kind, with every set of flags that a pick may take."""
    subject = ask.subject
    sets = engine.gpu_groups(whole.combo)
    quality = engine.losses.quality_class(subject.model, subject.checkpoint)
    for settings in flags_of(whole, subject):
        asked = Question(ask.runnable, sets, ask.workload, settings, whole.goal)
        for plan in every_plan(asked):
            if plan_word(plan.evaluation.replica.plan(plan.replicas)) in pair.plans:
                full = plan.evaluation.replica.utilization(held, 1).high
                holds = full <= engine.judge.thresholds.comfortable
                amount = amount_of(engine, whole.goal, ask.workload, plan)
                yield Sourced(ask, plan, quality, holds, amount)


def held_by(question: ModelQuestion, ours: Assessment) -> int:
    """Return the longest context of those people want that the pick is comfortable at."""
    limits = ours.limits
    sure = limits.max_context_tokens_low if limits is not None else 0
    shortest = ours.workload.context_tokens
    return max((tokens for tokens in question.room if tokens <= sure), default=shortest)


def better_file(engine: FitEngine, question: ModelQuestion, quality: int, held: int) -> str:
    """Name a published file of a better class that is comfortable with as long a context.

    This is what *Must show* 2 forbids a pick to pass over; empty where there is none.
    """
    most = engine.judge.thresholds.comfortable
    for ask in by_choice(engine, question):
        subject = ask.subject
        class_ = engine.losses.quality_class(subject.model, subject.checkpoint)
        usual = machine_standing(question, subject.runtime) == 0
        if class_ >= quality or not usual or not subject.checkpoint.is_published:
            continue
        sets = engine.gpu_groups(question.combo)
        for plan in comfortable_plans(
            Question(ask.runnable, sets, ask.workload, question.settings, question.goal)
        ):
            if plan.evaluation.replica.utilization(held, 1).high <= most:
                return f"{subject.checkpoint.id} with {subject.runtime.id} holds {held:,} tokens"
    return ""


def best_amount(question: ModelQuestion, ours: Assessment | None) -> float:
    """Return what the pick gives of the goal, in tokens/s."""
    if ours is None or ours.speed is None:
        return 0.0
    if question.goal is PlanGoal.LATENCY:
        return ours.speed.single_tokens_per_s.mid
    return ours.speed.aggregate_tokens_per_s.mid


def amount_of(engine: FitEngine, goal: PlanGoal, workload: Workload, plan: PlacedPlan) -> float:
    """Return what a plan gives of a goal, in tokens/s; 0 where no speed is known."""
    if goal is PlanGoal.LATENCY:
        return plan.evaluation.single_tokens_per_s.mid
    return aggregate_tokens_per_s(engine, workload, plan)


def pick_of(engine: FitEngine, model: LanguageModel, combo: Combo, goal: PlanGoal) -> Pick | None:
    """Ask for the product's pick as ``sitegen fit`` does when only the goal is named."""
    best = answered(engine, reference_question(engine, combo, model, goal), cured=False)
    return None if best is None or best.plan is None else _pick(best, best.plan)


def _pick(answer: Assessment, plan: ParallelPlan) -> Pick:
    return Pick(
        bits=bits_class(answer.checkpoint.quantization, published_in(answer.model)),
        runtime=runtime_class(answer.runtime.id),
        plan=plan_word(plan),
        checkpoint=answer.checkpoint.quantization.id,
    )


def bits_class(quantization: Quantization, published: str) -> str:
    """Name the class of a quantization of a model whose maker published it in a format.

    GGUF keeps the experts of a model published in MXFP4 as they are, whatever its label.
    """
    kind, bits = quantization.format, quantization.linears.weight_bits
    if kind == "gguf":
        return _gguf_class(quantization.gguf_file_type, published)
    if kind in {"mlx", "exl2", "exl3"}:
        return "16-bit" if bits == 16 else f"{kind.rstrip('23')}-{int(bits)}"
    if kind == "mxfp4" and published == "mxfp4":
        return "mxfp4"
    if kind in FOUR_BIT_ONLY or (kind in {"compressed-tensors", "bitsandbytes"} and bits == 4):
        return "4-bit-gpu"
    if kind in {"fp8", "mxfp8"}:
        narrow = any(exception.format.weight_bits == 4 for exception in quantization.exceptions)
        return "fp8-fp4-experts" if narrow else "fp8"
    return "16-bit" if kind in SIXTEEN else f"int{int(bits)}"


def _gguf_class(file_type: str, published: str) -> str:
    if published == "mxfp4":
        return "mxfp4"
    if file_type in SIXTEEN:
        return "16-bit"
    found = GGUF_BITS.match(file_type)
    return f"gguf-{found[1] if found else 4}"


def published_in(model: LanguageModel) -> str:
    """The format of the checkpoint that the maker published, or nothing."""
    return next((c.quantization.format for c in model.checkpoints if c.native), "")


def classes_of(model: LanguageModel) -> set[str]:
    """The classes of all checkpoints that the catalog has of a model."""
    return {bits_class(c.quantization, published_in(model)) for c in model.checkpoints}


def runtime_class(runtime: str) -> str:
    """The runtime that this one counts as."""
    return SAME_RUNTIME.get(runtime, runtime)


def plan_word(plan: ParallelPlan) -> str:
    """Write the GPUs of one replica as ``tp8``, ``pp4`` or ``tp8pp2``; ``+ram`` with offload.

    A layer split counts as pipeline parallel; ranks beyond TP × PP (copies of the attention)
    count as tensor parallel.
    """
    gpus, stages = len(plan.ranks), plan.pipeline_parallel_size
    if plan.tensor_parallel_size == 1 and gpus > 1:
        stages = max(stages, len(plan.layers_per_stage))
    width = max(plan.tensor_parallel_size, gpus // stages)
    words = [f"tp{width}"] if width > 1 or stages == 1 else []
    words += [f"pp{stages}"] if stages > 1 else []
    offload = "+ram" if plan.cpu_layers or plan.cpu_expert_layers else ""
    return "".join(words) + offload


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """Read the list of pairs."""
    rows: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["pairs"]
    return tuple(_pair(row) for row in rows)


def _pair(row: Mapping[str, Any]) -> Pair:
    gpus = row.get("gpus")
    return Pair(
        group=row["group"],
        combo=row.get("combo", ""),
        gpus=f"{gpus['gpu']}:{gpus['count']}" if gpus else "",
        link=row.get("link", ""),
        model=row["model"],
        use=row["use"],
        bits=tuple(row["bits"]),
        runtimes=tuple(row["runtimes"]),
        plans=tuple(row["plans"]),
        source=row["source"],
        reserve=row.get("reserve", False),
    )


def combo_of(pair: Pair, catalog: Catalog) -> Combo:
    """The combo of the catalog, or GPUs beside each other where it has none."""
    if pair.combo:
        return catalog.combos[pair.combo]
    return own_combo(FitOptions(gpu=(pair.gpus,), node_link=pair.link), catalog)


def table(compared: Sequence[Comparison]) -> Iterator[str]:
    """Yield agreement by part and by group, first of the sixty and then of the reserves."""
    for reserve, name in ((False, "pairs"), (True, "reserves")):
        chosen = [c for c in compared if c.pair.reserve is reserve]
        agree = sum(not c.differing for c in chosen)
        goal = "" if reserve else f" (goal: {GOAL})"
        yield f"{agree} of {len(chosen)} {name} agree{goal}"
        for part in PARTS:
            yield f"  {part:<24}{sum(part not in c.differing for c in chosen):>4}"
        yield from allowed(chosen)
        groups = Counter(c.pair.group for c in chosen)
        for group, count in groups.items():
            right = sum(c.pair.group == group and not c.differing for c in chosen)
            yield f"  {group:<24}{right:>4} of {count}"


def allowed(compared: Sequence[Comparison]) -> Iterator[str]:
    """Yield how many differ for each cause, and how many could agree at most under each rule.

    Each rule stands beside those before it: a pair that one forbids is not counted by the next.
    """
    causes = Counter(one.why.cause for one in compared if one.why is not None)
    left = len(compared)
    for rule, named in CAUSES.items():
        for cause in named:
            if causes[cause]:
                yield f"  differs: {cause:<15}{causes[cause]:>4}"
        left -= sum(causes[cause] for cause in named)
        yield f"    at most {left} can agree {rule}"


def rows(compared: Sequence[Comparison], *, everything: bool) -> Iterator[str]:
    """Yield the pairs that differ, with both sides and the source, and the others if asked."""
    for one in compared:
        if not (one.differing or everything):
            continue
        pair = one.pair
        word = f"differs in {', '.join(one.differing)}" if one.differing else "agrees"
        yield ""
        yield (
            f"{pair.model} on {pair.hardware}, {pair.use}: {word}"
            f"{' (reserve)' if pair.reserve else ''}"
        )
        yield f"  source  {_choices(pair.bits, pair.runtimes, pair.plans)}  ({pair.source})"
        yield f"  pick    {_shown(one.pick)}"
        if not one.attainable:
            yield "  the catalog has no checkpoint of that class"
        if one.why:
            yield f"  why     {one.why.cause}: {one.why.words}"


def _choices(*sets: tuple[str, ...]) -> str:
    return " · ".join(" or ".join(words) for words in sets)


def _shown(pick: Pick | None) -> str:
    if pick is None:
        return "none"
    return f"{pick.bits} · {pick.runtime} · {pick.plan}  ({pick.checkpoint})"


if __name__ == "__main__":
    main()
