"""From typed options to the engine's answer: what ``fit`` and ``explain`` share."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import MemoryModel
from sitegen.catalog.load import parse_catalog
from sitegen.cli.choose import usage_error
from sitegen.cli.fit_options import FitOptions
from sitegen.cli.fit_request import requests_from
from sitegen.cli.session import Session
from sitegen.engine.assess import assess
from sitegen.engine.assessment import Assessment
from sitegen.engine.disaggregated import Disaggregated, disaggregated
from sitegen.engine.families import ConfigError, UnknownFamily
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK
from sitegen.inputs import read_project


def answered(session: Session, options: FitOptions) -> tuple[Catalog, Assessment]:
    """Read the catalog, resolve the question and let the engine answer it.

    Raises:
        click.UsageError: If a word names nothing, or the config cannot be assessed.
        ProblemsFound: If the catalog is broken.
    """
    catalog = parse_catalog(read_project(session.root).catalog)
    try:
        engine = FitEngine(catalog)
        answers = [assess(engine, request) for request in requests_from(options, engine)]
    except (UnknownFamily, ConfigError) as error:
        raise usage_error("--config" if options.config else "MODEL", str(error)) from error
    return catalog, min(answers, key=_order)


def pools_answered(
    session: Session, options: FitOptions, pools: tuple[int, int]
) -> tuple[Catalog, Disaggregated]:
    """Answer the same question with prefill and decode on GPUs of their own.

    Raises:
        click.UsageError: If a word names nothing, or no runtime in question serves from a pool.
        ProblemsFound: If the catalog is broken.
    """
    catalog = parse_catalog(read_project(session.root).catalog)
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
        raise usage_error("--prefill-gpus", "this runtime does not serve from a pool")
    return catalog, min(answers, key=lambda answer: _order(answer.weaker))


def _order(answer: Assessment) -> tuple[int, bool, int]:
    """Best verdict first, then whatever has a plan, then the smaller checkpoint."""
    return (RANK[answer.tier], answer.plan is None, answer.weights_bytes)
