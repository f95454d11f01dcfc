"""One model answered several ways, side by side: by plan, runtime, cache, context or combo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.fit.assess import assess
from sitegen.fit.assessment import REFERENCE_WORKLOAD, Assessment, FitRequest, FitTier, PlanGoal
from sitegen.physics.cache_types import BITS, HEAD_SCALE_BYTES, offers
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Settings, Workload
from sitegen.site.cells import (
    NOT_APPLICABLE,
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
from sitegen.site.content.references import Directive, NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import assessment_of, look_up
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.links import checkpoint_of
from sitegen.site.urls import url_of
from sitegen.site.words.plans import plan_words, split_words
from sitegen.site.words.verdicts import (
    NO_PLAN,
    max_context,
    measured_speed,
    users,
    utilization,
    why,
)
from sitegen.values import dataclass

WORDS = {
    "combos": "combo", "checkpoints": "checkpoint", "runtimes": "runtime", "splits": "split",
    "experts": "experts", "caches": "cache", "contexts": "context", "goals": "goal",
    "steps": "step",
}  # fmt: skip
"""Options that list words, and which word of what is ``TableQuestion`` each fills, in its order."""
OPTIONS = ("model", *WORDS, "why")
COLUMNS = (
    Column("Setup", note="with the chosen plan"),
    Column("Verdict"),
    Column("Utilization", numeric=True, note="fullest GPU"),
    Column("Max context", numeric=True, note="users at 8K / 32K"),
    Column("One user", numeric=True, key="one stream"),
    Column("All users", numeric=True, key="all streams"),
)
EXPERTS = {"cut": False, "whole": True}
EXPERT_WORDS = {"cut": "every expert split", "whole": "whole experts per GPU"}
GOAL_WORDS = {
    str(PlanGoal.LARGEST_MODEL): "for the largest model",
    str(PlanGoal.LATENCY): "for one fast answer",
    str(PlanGoal.THROUGHPUT): "for many answers",
}
CACHE_WORDS = {
    "f16": "16-bit cache", "fp8": "FP8 cache", "q8_0": "Q8_0 cache", "q4_0": "Q4_0 cache",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question in the words of the options; an empty word leaves it open."""

    combo: str
    checkpoint: str = ""
    runtime: str = ""
    split: str = ""
    experts: str = ""
    cache: str = ""
    context: str = ""
    goal: str = ""
    step: str = ""


def side_by_side_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List the engine's answers for every combination of the options.

    Raises:
        NotUnderstood: If an option names nothing, or no runtime loads a checkpoint.
    """
    model = look_up(inputs.catalog.models, "model", directive.required("model"))
    directive.required("combos")
    asked = [question for question in _rows(directive) if _loads(inputs, model, question)]
    if not asked:
        raise NotUnderstood("no runtime named here loads a checkpoint named here")
    reasons = directive.options.get("why", "no") == "yes"
    rows = []
    for question in asked:
        found = answer_of(inputs, model, question)
        cells: tuple[Cell, ...] = (
            _heading(directive, found, question),
            *answer_cells(found, why(found, inputs.catalog) if reasons else None),
        )
        rows.append(Row(cells))
    return Table(id, _caption(inputs, model, directive, asked), COLUMNS, tuple(rows))


def _rows(directive: Directive) -> Iterator[TableQuestion]:
    for words in product(*(directive.ids(name) or ("",) for name in WORDS)):
        yield TableQuestion(*words)


def _loads(inputs: SiteInputs, model: LanguageModel, question: TableQuestion) -> bool:
    """Return whether a row's runtime loads its checkpoint; a part left open fits any other."""
    if not (question.runtime and question.checkpoint):
        return True
    runtime = look_up(inputs.catalog.runtimes, "runtime", question.runtime)
    return checkpoint_of(model, question.checkpoint).quantization.format in runtime.formats


def answer_of(inputs: SiteInputs, model: LanguageModel, question: TableQuestion) -> Assessment:
    """Assess the question of a row; open parts are chosen as on the combo's page.

    Raises:
        NotUnderstood: If a word names nothing.
    """
    combo = look_up(inputs.catalog.combos, "combo", question.combo)
    asked_more = (
        question.runtime
        or question.split
        or question.experts
        or question.cache
        or question.context
        or question.goal
        or question.step
    )
    if not asked_more:
        return assessment_of(inputs, model.id, combo.id, question.checkpoint)
    runtime, checkpoint = _subject(inputs, model, combo, question)
    profile = profile_of(runtime)
    if profile is None:
        raise NotUnderstood(f"{runtime.id} has no assessed profile")
    request = FitRequest(
        model,
        checkpoint,
        combo,
        runtime,
        profile,
        _workload(question, runtime),
        Settings(
            expert_parallel=bool(question.experts) and look_up(EXPERTS, "expert", question.experts),
            micro_batch_tokens=_steps(question, runtime),
        ),
        goal=look_up({str(g): g for g in PlanGoal}, "goal", question.goal)
        if question.goal
        else PlanGoal.THROUGHPUT,
    )
    if question.split:
        tensor, pipeline = _split(question.split)
        request = replace(request, tensor_parallel_size=tensor, pipeline_parallel_size=pipeline)
    return assess(inputs.engine, request)


def _subject(
    inputs: SiteInputs, model: LanguageModel, combo: Combo, question: TableQuestion
) -> tuple[Runtime, Checkpoint]:
    """Return runtime and checkpoint; an open one is that of the combo's page."""
    if question.runtime and question.checkpoint:
        runtime = look_up(inputs.catalog.runtimes, "runtime", question.runtime)
        return runtime, checkpoint_of(model, question.checkpoint)
    row = assessment_of(inputs, model.id, combo.id, question.checkpoint)
    if question.runtime:
        raise NotUnderstood("runtimes= needs checkpoints= beside it")
    return row.runtime, row.checkpoint


def _workload(question: TableQuestion, runtime: Runtime) -> Workload:
    workload = REFERENCE_WORKLOAD
    if question.cache:
        types = [word for word in BITS if word not in HEAD_SCALE_BYTES and offers(runtime, word)]
        look_up(dict.fromkeys(types), f"cache of {runtime.id}", question.cache)
        workload = replace(workload, kv_dtype=question.cache)
    if question.context:
        workload = replace(workload, context_tokens=_tokens("contexts", question.context))
    return workload


def _steps(question: TableQuestion, runtime: Runtime) -> int | None:
    """Read how many tokens of a prompt a step has; ``None`` for the runtime's own."""
    if not question.step:
        return None
    if not runtime.traits.micro_batch_option:
        raise NotUnderstood(f"{runtime.id} cannot be told the tokens of a step")
    return _tokens("steps", question.step)


def _tokens(name: str, word: str) -> int:
    if not word.isdecimal() or int(word) == 0:
        raise NotUnderstood(f"{name}={word} is not a number of tokens")
    return int(word)


def _split(words: str) -> tuple[int, int]:
    """Read a split.

    >>> _split("2x4")
    (2, 4)
    """
    tensor, _, pipeline = words.partition("x")
    if not (tensor.isdecimal() and pipeline.isdecimal() and int(tensor) and int(pipeline)):
        raise NotUnderstood(f"splits={words} is not written like 2x4: TP, an x, PP")
    return int(tensor), int(pipeline)


def _words(name: str, word: str, assessment: Assessment) -> Cell:
    if name == "combos":
        return Link(url_of("combo", assessment.combo.id), assessment.combo.name)
    if name == "checkpoints":
        return assessment.checkpoint.quantization.name
    if name == "runtimes":
        return assessment.runtime.name
    if name == "splits":
        return split_words(*_split(word))
    if name in {"contexts", "steps"}:
        tokens = NumberCell(int(word), Unit.TOKENS)
        return tokens if name == "contexts" else Parts(("steps of ", tokens))
    return {**EXPERT_WORDS, **CACHE_WORDS, **GOAL_WORDS}[word]


def _heading(directive: Directive, assessment: Assessment, question: TableQuestion) -> Cell:
    """Name what tells a row from the others, and what the engine chose by itself."""
    varied = [name for name in WORDS if len(directive.ids(name)) > 1] or ["combos"]
    lines = [_words(name, getattr(question, WORDS[name]), assessment) for name in varied]
    if not directive.ids("checkpoints"):
        lines.append(assessment.checkpoint.quantization.name)
    if not directive.ids("runtimes"):
        lines.append(assessment.runtime.name)
    if assessment.plan is not None and plan_words(assessment.plan) not in lines:
        lines.append(plan_words(assessment.plan))
    return Lines((lines[0], *(Small(line) for line in lines[1:])))


def answer_cells(assessment: Assessment, reasons: Cell | None = None) -> tuple[Cell, ...]:
    """Fill the columns behind the heading, with reasons below the verdict where they are given."""
    mark: Cell = TierMark(assessment.tier, assessment.too_close)
    if reasons is not None and assessment.tier is not FitTier.COMFORTABLE:
        mark = Lines((mark, Small(reasons)))
    if assessment.plan is None:
        return (mark, NO_PLAN, *(NOT_APPLICABLE,) * 3)
    fits = assessment.limits is not None and assessment.limits.max_context_tokens
    held = (Small(Parts(("users: ", users(assessment)))),) if fits else ()
    speed = assessment.speed
    if speed is None:
        return (mark, utilization(assessment), max_context(assessment), *(NOT_APPLICABLE,) * 2)
    first = () if speed.first_token_s is None else (
        Small(Parts(("first token ", span(speed.first_token_s, Unit.SECONDS)))),
    )  # fmt: skip
    replicas = assessment.plan.replicas
    number = str(speed.batch) if replicas == 1 else f"{replicas} × {speed.batch}"
    streams = f"{number} user" if replicas * speed.batch == 1 else f"{number} users"
    return (
        mark,
        utilization(assessment),
        Lines((max_context(assessment), *held)),
        Lines(
            (
                rate_span(speed.single_tokens_per_s),
                *measured_speed(assessment),
                *first,
                Small(EvidenceMark(speed.evidence)),
            )
        ),
        Lines((rate_span(speed.aggregate_tokens_per_s), Small(streams))),
    )


def _caption(
    inputs: SiteInputs, model: LanguageModel, directive: Directive, asked: list[TableQuestion]
) -> str:
    words = [model.name]
    if len(directive.ids("checkpoints")) == 1:
        words.append(f"as {checkpoint_of(model, asked[0].checkpoint).quantization.name}")
    if len(directive.ids("combos")) == 1:
        words.append(f"on {inputs.catalog.combos[asked[0].combo].name}")
    if len(directive.ids("runtimes")) == 1:
        words.append(f"with {inputs.catalog.runtimes[asked[0].runtime].name}")
    return " ".join(words)
