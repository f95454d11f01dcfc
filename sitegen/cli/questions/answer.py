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
from sitegen.fit.assessment import Assessment, FitTier, PlanGoal
from sitegen.fit.disaggregated import Disaggregated, disaggregated
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.models.families import ConfigError, UnknownFamily
from sitegen.survey.verdict_policy import answered as answered_by_policy


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
            return catalog, _answer_users(engine, options, options.users)
        return catalog, _answer(engine, options)
    except (UnknownFamily, ConfigError) as error:
        raise usage_error("--config" if options.config else "MODEL", str(error)) from error


def _answer_users(engine: FitEngine, options: FitOptions, users: int) -> Assessment:
    """Answer for the users of all replicas together, each replica with its share, rounded up.

    The plan for one user says how many replicas share them. A plan for the share may have fewer
    replicas, which then take more each. Where that is not comfortable, one replica takes them all.
    """
    if options.sequences != FitOptions().sequences:
        raise usage_error("--users", "give either --users or --sequences (users of each replica)")
    if users > 1 and options.goal is None:
        options = replace(options, goal=PlanGoal.THROUGHPUT.value)
    found, sequences = _answer(engine, replace(options, sequences=1)), 1
    while (share := _share(found, users)) > sequences:
        found, sequences = _answer(engine, replace(options, sequences=share)), share
    if found.tier is FitTier.COMFORTABLE or sequences == users:
        return found
    return min(found, _answer(engine, replace(options, sequences=users)), key=_order)


def _share(answer: Assessment, users: int) -> int:
    """Return the users of a replica, rounded up; all of them without a plan."""
    return -(-users // (answer.plan.replicas if answer.plan else 1))


def _answer(engine: FitEngine, options: FitOptions) -> Assessment:
    """Give the pick, or judge the plan that was asked for under the best choice that it suits."""
    question = question_from(options, engine)
    longest = question.model.context_tokens
    beyond = any(ask.workload.context_tokens > longest for ask in question.asks.every)
    if beyond or options.tensor_parallel or options.pipeline_parallel:
        best: Assessment | None = None
        for request in requests_from(options, engine):
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
