"""From typed options to the engine's answer: what ``fit`` and ``explain`` share."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import MemoryModel
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.fit_request import question_from, requests_from
from sitegen.cli.questions.projects import catalog_at
from sitegen.cli.session import CliSession
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.disaggregated import Disaggregated, disaggregated
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.fit.runnable_checkpoint import Asks
from sitegen.models.families import ConfigError, UnknownFamily
from sitegen.site.words.verdicts import checkpoint_name
from sitegen.survey.verdict_policy import answered as answered_by_policy
from sitegen.survey.verdict_policy import batches, reading_speed


def answered(session: CliSession, options: FitOptions) -> tuple[Catalog, Assessment]:
    """Read the catalog, resolve the question and let the engine answer it.

    Raises:
        click.UsageError: If a word names nothing, or the config cannot be assessed.
        ProblemsFound: If the catalog is broken.
    """
    catalog = catalog_at(session)
    try:
        engine = FitEngine(catalog)
        if options.users is not None:
            return catalog, _answer_users(session, engine, options, options.users)
        return catalog, _answer(engine, options)
    except (UnknownFamily, ConfigError) as error:
        raise usage_error("--config" if options.config else "MODEL", str(error)) from error


def _answer_users(
    session: CliSession, engine: FitEngine, options: FitOptions, users: int
) -> Assessment:
    """Answer for the users of all replicas together.

    A runtime that does not batch may hold them all and write to each more slowly than people read.
    It gives way to one that batches and answers more of them at reading speed (decision 84), even
    where that one has too little room for a few; a note names it.

    Raises:
        click.UsageError: If the users of each replica were given, too.
    """
    if options.sequences != FitOptions().sequences:
        raise usage_error("--users", "give either --users or --sequences (users of each replica)")
    if users > 1 and options.goal is None:
        options = replace(options, goal=PlanGoal.THROUGHPUT.value)
    found = _shared(engine, options, users)
    readers = _readers(engine, found)
    if options.goal != PlanGoal.THROUGHPUT or readers >= users or batches(found.runtime):
        return found
    if not any(batches(ask.subject.runtime) for ask in question_from(options, engine).asks.every):
        return found
    batched = _shared(engine, options, users, batching=True)
    if _readers(engine, batched) <= readers:
        return found
    _note_slower(session, found, users)
    return batched


def _note_slower(session: CliSession, found: Assessment, users: int) -> None:
    """Name an answer that holds every user but lets each wait."""
    if found.tier is FitTier.COMFORTABLE and found.speed is not None:
        each = found.speed.each_tokens_per_s.mid
        session.note(
            f"{found.runtime.name} with {checkpoint_name(found)} holds all {users} users, but each "
            f"gets only about {each:.2g} tokens/s (--runtime {found.runtime.id})"
        )


def _shared(
    engine: FitEngine, options: FitOptions, users: int, *, batching: bool = False
) -> Assessment:
    """Give each replica its share of the users, rounded up.

    The plan for one user says how many replicas share them. A plan for the share may have fewer
    replicas, which then take more each. Where that is not comfortable, one replica takes them all.
    """

    def answer(sequences: int) -> Assessment:
        found = _answer(engine, replace(options, sequences=sequences), batching=batching)
        return _with_its_share(engine, options, found, users)

    found, sequences = answer(1), 1
    while (share := _share(found, users)) > sequences:
        found, sequences = answer(share), share
    if found.tier is FitTier.COMFORTABLE or sequences == users:
        return found
    return min(found, answer(users), key=_order)


def _share(answer: Assessment, users: int) -> int:
    """Return the users of a replica, rounded up; all of them without a plan."""
    return -(-users // (answer.plan.replicas if answer.plan else 1))


def _with_its_share(
    engine: FitEngine, options: FitOptions, found: Assessment, users: int
) -> Assessment:
    """Judge a plan whose replicas were given more users than their share by the share alone."""
    share, plan = _share(found, users), found.plan
    if plan is None or share >= found.workload.sequences:
        return found
    request = FitRequest(
        found.model,
        found.checkpoint,
        found.combo,
        found.runtime,
        found.profile,
        replace(found.workload, sequences=share),
        found.settings,
        plan.tensor_parallel_size,
        plan.pipeline_parallel_size,
        PlanGoal(options.goal) if options.goal else PlanGoal.THROUGHPUT,
    )
    again = assess(engine, request)
    return again if again.plan == plan else found


def _readers(engine: FitEngine, answer: Assessment) -> int:
    """Count the users whom an answer serves at reading speed; where each waits, the most it may."""
    speed, plan = answer.speed, answer.plan
    if speed is None or plan is None:
        return 0
    if speed.each_tokens_per_s.mid >= reading_speed(engine):
        return speed.batch * plan.replicas
    return int(speed.aggregate_tokens_per_s.mid / reading_speed(engine))


def _answer(engine: FitEngine, options: FitOptions, *, batching: bool = False) -> Assessment:
    """Give the pick, or judge the plan that was asked for under the best choice that it suits.

    With ``batching``, only runtimes that batch may answer.
    """
    question = question_from(options, engine)
    if batching:
        kept = [ask for ask in question.asks.every if batches(ask.subject.runtime)]
        question = replace(question, asks=Asks(kept))
    longest = question.model.context_tokens
    beyond = any(ask.workload.context_tokens > longest for ask in question.asks.every)
    if beyond or options.tensor_parallel or options.pipeline_parallel:
        best: Assessment | None = None
        for request in requests_from(options, engine):
            if batching and not batches(request.runtime):
                continue
            found = assess(engine, request)
            if best is None or _order(found) < _order(best):
                best = found
            if best.tier is FitTier.COMFORTABLE:
                return best
    else:
        best = answered_by_policy(engine, question)
    if best is None:
        raise usage_error("MODEL", f"none of the assessed runtimes loads {question.model.name}")
    return best


def pools_answered(
    session: CliSession, options: FitOptions, pools: tuple[int, int]
) -> tuple[Catalog, Disaggregated]:
    """Answer the same question with prefill and decode on GPUs of their own.

    Raises:
        click.UsageError: If a word names nothing, or no runtime in question serves from a pool.
        ProblemsFound: If the catalog is broken.
    """
    if options.users is not None:
        raise usage_error("--users", "pools take --sequences instead")
    catalog = catalog_at(session)
    try:
        engine = FitEngine(catalog)
        answers = [
            disaggregated(engine, request, prefill_gpus=pools[0], decode_gpus=pools[1])
            for request in requests_from(options, engine)
            if request.runtime.memory_model is MemoryModel.PAGED
        ]
    except (UnknownFamily, ConfigError) as error:
        raise usage_error("--config" if options.config else "MODEL", str(error)) from error
    if not answers:
        raise usage_error("--prefill-gpus", "this runtime does not support pools")
    return catalog, min(answers, key=lambda answer: _order(answer.weaker))


def _order(answer: Assessment) -> tuple[int, bool]:
    """Best verdict first, then whatever has a plan; of equals the one that is chosen first."""
    return (RANK[answer.tier], answer.plan is None)
