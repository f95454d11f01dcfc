"""Cells of an assessment that combo pages, model pages and guides share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment, BestPlans, Cure
from sitegen.physics.plan import Limits, ParallelPlan, Settings
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    rate_span,
    span,
)
from sitegen.site.composed_address import with_model, write_build
from sitegen.site.table import Column
from sitegen.site.urls import CUSTOM_URL, row_url, run_row_id, url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.sentences import BUSIEST, ONLY, cure_sentence, reason_sentence
from sitegen.survey.composed_build import Build, build_of
from sitegen.survey.results import CheckpointOutcome

SHORT_CONTEXT = 8_192
LONG_CONTEXT = 32_768
DIFFERENCES = {
    "kv-dtype": "a different cache type", "power": "a power limit", "eager": "no CUDA graphs",
    "context": "a different context length",
    "experts-in-ram": "a different number of layers with experts in RAM",
    "system-ram": "system RAM of a different speed",
}  # fmt: skip
"""What a record has that a fit tuple has not, where ``a different`` and the code do not say it."""
NO_PLAN = Absent("no valid plan")
NOTHING_FITS = Absent("none")


def row_link(assessment: Assessment | CheckpointOutcome) -> str:
    """Return the URL of a model's row among all models on a combo, whichever file heads it."""
    return row_url(assessment.combo.id, assessment.model.id)


def checkpoint_name(assessment: Assessment | CheckpointOutcome) -> str:
    """Name the checkpoint: its quantization, and its own id where that says more."""
    quantization = assessment.checkpoint.quantization
    plain = assessment.checkpoint.id == quantization.id
    return quantization.name if plain else f"{quantization.name} ({assessment.checkpoint.id})"


def runtime_and_plan(assessment: Assessment) -> Cell:
    """Name the runtime, its version and the plan."""
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    if assessment.plan is None:
        return NO_PLAN
    return Lines((runtime, Small(plan_words(assessment.plan))))


def need_of_budget(assessment: Assessment) -> Cell:
    """Print what the fullest GPU needs beside what is usable on it."""
    busiest = assessment.busiest
    if busiest is None:
        return NO_PLAN
    need = NumberCell(assessment.verdict_need_bytes, Unit.GIB)
    return Lines((need, Small(Parts(("of ", NumberCell(busiest.budget_bytes, Unit.GIB))))))


def utilization(assessment: Assessment) -> Cell:
    """Print how full the fullest GPU is, low to high, and at which context where it is reduced."""
    reached = assessment.verdict_utilization
    if reached is None:
        return NO_PLAN
    how_full = span(reached, Unit.PERCENT)
    known = Small(EvidenceMark(assessment.evidence))
    if assessment.verdict_context_tokens == assessment.workload.context_tokens:
        return Lines((how_full, known))
    context = NumberCell(assessment.verdict_context_tokens, Unit.TOKENS)
    return Lines((how_full, Small(Parts(("at ", context))), known))


def max_context(assessment: Assessment) -> Cell:
    """Print the longest context of one sequence."""
    if assessment.limits is None:
        return NO_PLAN
    return longest_context(assessment.limits.max_context_tokens)


def sure_context(assessment: Assessment) -> Cell:
    """Print the longest context of the plan, and below it what fits at the high estimate.

    Commands ask for no more than that.
    """
    limits = assessment.limits
    longest = max_context(assessment)
    if limits is None or limits.max_context_tokens_low >= limits.max_context_tokens:
        return longest
    least = NumberCell(limits.max_context_tokens_low, Unit.COUNT)
    return Lines((longest, Small(Parts(("at least ", least)) if least.value else "not certain")))


def reachable_context(assessment: Assessment) -> Cell:
    """Print the longest context that any comfortable plan reaches, and the plan if it is another.

    Where nothing is comfortable it is that of the plan shown.
    """
    if assessment.best is None:
        return max_context(assessment)
    tokens, plan = assessment.best.longest_context
    return _with_plan(longest_context(tokens), plan, assessment)


def _with_plan(cell: Cell, plan: ParallelPlan, assessment: Assessment) -> Cell:
    """Name the plan that a figure is of, where it is not the one in the row."""
    return cell if plan == assessment.plan else Lines((cell, Small(plan_words(plan))))


def context_label(assessment: Assessment) -> str:
    """Head a longest context, which is that of one user whatever number was asked for."""
    return "Longest context" if assessment.workload.sequences == 1 else "Longest context, one user"


def longest_context(tokens: int) -> Cell:
    """Print a longest context, in words where not even the shortest fits."""
    return NumberCell(tokens, Unit.TOKENS) if tokens else NOTHING_FITS


def users(assessment: Assessment) -> Cell:
    """Print how many full contexts are held at once: at 8K, then at 32K.

    Each is that of the comfortable plan which holds most, named where it is not the one in the row;
    where nothing is comfortable, that of the plan shown.
    """
    if assessment.best is not None:
        return _most_users(assessment, assessment.best)
    limits, plan = assessment.limits, assessment.plan
    if limits is None or plan is None:
        return NO_PLAN
    if not limits.max_context_tokens:
        return NOTHING_FITS
    cells: list[Cell] = []
    for context in (SHORT_CONTEXT, LONG_CONTEXT):
        cells += [" / "] if cells else []
        at = limits.sequences_at.get(context)
        if at is None or context > assessment.model.context_tokens:
            cells.append("–")
        else:
            cells += counted_users(limits, at, plan.replicas)
    return Parts(tuple(cells))


def _most_users(assessment: Assessment, best: BestPlans) -> Cell:
    figures: list[Cell] = []
    plans: list[Cell] = []
    for context in (SHORT_CONTEXT, LONG_CONTEXT):
        figures += [" / "] if figures else []
        found = best.users.get(context)
        if found is None:
            figures.append("–")
            continue
        count, plan = found
        figures.append(NumberCell(count, Unit.COUNT))
        if ends_at_cap(assessment, context):
            figures.append("+")
        words = plan_words(plan)
        if plan != assessment.plan and count and Small(words) not in plans:
            plans.append(Small(words))
    return Lines((Parts(tuple(figures)), *plans)) if plans else Parts(tuple(figures))


def counted_users(limits: Limits, at: int, replicas: int) -> tuple[Cell, ...]:
    """Print sequences of all replicas, with ``+`` where the counting ended at the policy's cap."""
    count = NumberCell(at * replicas, Unit.COUNT)
    return (count, "+") if 0 < limits.counted_to <= at else (count,)


def ends_at_cap(assessment: Assessment, context: int) -> bool:
    """Return whether a count of users ended at the policy's cap, and not at memory."""
    limits, best = assessment.limits, assessment.best
    if limits is None:
        return False
    at = limits.sequences_at.get(context, 0)
    if best is not None and context in best.users:
        count, plan = best.users[context]
        at = count // plan.replicas
    return 0 < limits.counted_to <= at


def decode(assessment: Assessment) -> Cell:
    """Print decode speed: one stream, then all streams, with the word for how it is known."""
    speed = assessment.speed
    if speed is None:
        return NO_PLAN if assessment.plan is None else not_estimated(assessment)
    batch = NumberCell(speed.batch, Unit.COUNT)
    replicas = assessment.plan.replicas if assessment.plan else 1
    streams: tuple[Cell, ...] = (batch,) if replicas == 1 else (f"{replicas} × ", batch)
    first = (
        (Small(Parts(("first token ", NumberCell(speed.first_token_s.mid, Unit.SECONDS)))),)
        if speed.first_token_s is not None
        else ()
    )
    word = " user" if replicas * speed.batch == 1 else " users together"
    word += " (our limit)" if speed.capped else ""
    return Lines(
        (
            rate_span(speed.single_tokens_per_s),
            *measured_speed(assessment),
            Small(rate_span(speed.aggregate_tokens_per_s)),
            Small(Parts((*streams, word, ", ", EvidenceMark(speed.evidence)))),
            *first,
        )
    )


WHAT_IS_COUNTED = "for the weights, KV cache and buffers"
"""The parts of a shortage, which a reason about the weights alone does not name."""

OPTIONS = {
    "data_parallel_size": "--data-parallel",
    "decode_context_parallel_size": "--decode-context-parallel",
    "draft_bytes": "--draft-gib",
}
"""Settings whose option on the command line is called otherwise."""


def not_estimated(assessment: Assessment) -> Cell:
    """Say that speed is not estimated, and which settings are the reason."""
    options = [OPTIONS.get(name, f"--{name.replace('_', '-')}") for name in assessment.unpriced]
    return Absent(f"not estimated with {', '.join(options)}" if options else "not estimated")


def measured_speed(assessment: Assessment, only: tuple[str, ...] = ()) -> tuple[Cell, ...]:
    """Print the nearest measured speed beside the estimate, as a link to the record.

    ``only`` are the differences to name, where not all of them are.
    """
    found = next((a for a in assessment.anchors if a.tokens_per_s is not None), None)
    if found is None or found.tokens_per_s is None:
        return ()
    record = f"{url_of('model', assessment.model.id)}#{run_row_id(found.run)}"
    speed = NumberCell(found.tokens_per_s, Unit.TOKENS_PER_S)
    steps = [step for step in found.differs if not only or step in only]
    differs = [DIFFERENCES.get(step, f"a different {step}") for step in steps]
    other = f" with {and_list(differs)}" if differs else ""
    return (Small(Parts((Link(record, "measured"), " ", speed, other))),)


FIT_COLUMNS = (
    Column("Runtime", note="plan"),
    Column("Needs", numeric=True, note="fullest GPU"),
    Column("Utilization", numeric=True, note="low–high"),
    Column("Max context", numeric=True, note="one sequence"),
    Column("Users", numeric=True, note="at 8K / 32K"),
    Column("Decode", numeric=True, note="one user / all users"),
)


def fit_cells(assessment: Assessment) -> tuple[Cell, ...]:
    """Fill ``FIT_COLUMNS``."""
    return (
        runtime_and_plan(assessment),
        need_of_budget(assessment),
        utilization(assessment),
        reachable_context(assessment),
        users(assessment),
        decode(assessment),
    )


def start_note(assessment: Assessment) -> Parts | None:
    """Say which settings a plan needs; ``None`` where the runtime's defaults do."""
    flags, most = flag_words(assessment.settings), most_sequences(assessment)
    parts: list[Cell] = [f"Start it with {and_list(flags)}."] if flags else []
    if most is not None:
        parts += [" ", most] if parts else [most]
    return Parts(tuple(parts)) if parts else None


def and_list(words: list[str]) -> str:
    """Join words, the last with "and".

    >>> and_list(["image input turned off"])
    'image input turned off'
    >>> and_list(["prompt steps of 256 tokens", "image input turned off"])
    'prompt steps of 256 tokens and image input turned off'
    """
    last = words[-1]
    return f"{', '.join(words[:-1])} and {last}" if len(words) > 1 else last


def most_sequences(assessment: Assessment) -> Parts | None:
    """Say with how many sequences at most the runtime starts; ``None`` where its default does."""
    limits = assessment.limits
    if limits is None or not limits.startable_sequences:
        return None
    most = NumberCell(limits.startable_sequences, Unit.COUNT)
    start = f"{assessment.runtime.name} starts only with max_num_seqs at "
    return Parts((start, most, " or less."))


def flag_words(settings: Settings) -> list[str]:
    """Name the settings that a pick may need, which its commands have; none for the defaults.

    >>> flag_words(Settings(max_num_seqs=64, memory_fraction=0.95))
    ['at most 64 concurrent sequences', '95 % of GPU memory']
    """
    found = []
    if settings.max_num_seqs is not None:
        found.append(f"at most {settings.max_num_seqs} concurrent sequences")
    if settings.memory_fraction is not None:
        found.append(f"{settings.memory_fraction * 100:.0f} % of GPU memory")
    if settings.micro_batch_tokens is not None:
        found.append(f"prompt steps of {settings.micro_batch_tokens:,} tokens")
    if settings.text_only:
        found.append("image input turned off")
    if settings.expert_parallel:
        found.append("whole experts on each GPU")
    if settings.decode_context_parallel_size is not None:
        found.append("one KV cache that the GPUs share")
    if settings.raised_limit:
        found.append("a higher system limit on GPU memory")
    return found


def reasons_of(assessment: Assessment, catalog: Catalog) -> Iterator[Parts]:
    """Say why the verdict is not better, one sentence for each reason."""
    many, gpus = assessment.workload.sequences, len(assessment.combo.gpus)
    for reason in assessment.reasons:
        yield reason_sentence(reason, catalog, many, gpus=gpus)


def _deciding_gpu(assessment: Assessment) -> str:
    return BUSIEST if len(assessment.combo.gpus) > 1 else ONLY


def why(assessment: Assessment, catalog: Catalog) -> Cell:
    """Say why the verdict is not better, what is missing, and the cheapest change that helps."""
    lines: list[Cell] = list(reasons_of(assessment, catalog))
    if assessment.shortage_bytes > 0:
        lacks = NumberCell(assessment.shortage_bytes, Unit.GIB)
        gpu = _deciding_gpu(assessment)
        parts = f"{gpu[:1].upper()}{gpu[1:]} lacks at least ", lacks, f" {WHAT_IS_COUNTED}."
        lines.append(Parts(parts))
    if assessment.cure is not None:
        cure = cure_sentence(assessment.cure, catalog)
        told = ("Fix: ", cure, " → ", TierMark(assessment.cure.tier), ".")
        lines.append(Parts((*told, *_with_ram(assessment, assessment.cure))))
    if not lines:
        return room(assessment)
    return lines[0] if len(lines) == 1 else Lines(tuple(lines))


def _with_ram(assessment: Assessment, cure: Cure) -> tuple[Cell, ...]:
    """Link to the same machine with the system RAM that a cure names."""
    if cure.code != "EXPERTS_TO_RAM":
        return ()
    build = build_of(assessment.combo)
    ram = int(cure.arguments["bytes"])
    nodes = tuple(replace(one, ram_bytes=ram) for one in build.nodes)
    address = with_model(write_build(Build(nodes, build.network)), assessment.model.id)
    return (" ", Link(f"{CUSTOM_URL}#{address}", "Commands for this machine with that RAM"), ".")


def room(assessment: Assessment) -> Cell:
    """Say how much the fullest GPU has left, and where no file to download is known."""
    busiest = assessment.busiest
    if busiest is None:
        return NO_PLAN
    left = max(0, busiest.budget_bytes - busiest.need.mid)
    where = _deciding_gpu(assessment)
    free: Cell = Parts((NumberCell(left, Unit.GIB), f" stays free on {where}."))
    if assessment.checkpoint.is_published:
        return free
    return Lines((free, Small("We don't know of a published file for this checkpoint.")))
