"""Several models on one combo, as typed: the combo first, then the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.fit_request import requests_from
from sitegen.cli.questions.projects import catalog_at
from sitegen.cli.questions.this_machine import combo_named
from sitegen.cli.session import CliSession
from sitegen.fit.assess import question_of
from sitegen.fit.assessment import FitRequest
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.models.families import ConfigError, UnknownFamily
from sitegen.survey.colocation import MOST_MODELS, colocate, fewest_gpus
from sitegen.survey.results import ColocatedModel
from sitegen.survey.verdict_policy import batches

ALONE = ("config", "gpu", "tensor_parallel", "pipeline_parallel", "users")
"""Options that describe one model or one plan."""


def placed(session: CliSession, options: FitOptions) -> tuple[tuple[ColocatedModel, ...], str]:
    """Read the catalog and place the models on the combo.

    Returns:
        A share for each model; where they do not fit together none, and why not.

    Raises:
        click.UsageError: If a word names nothing, or an option is for one model.
        ProblemsFound: If the catalog is broken.
    """
    combo_word, *words = options.targets
    if len(words) > MOST_MODELS:
        raise usage_error(
            "arguments", f"{len(words)} models are too many; the limit is {MOST_MODELS}"
        )
    for name in ALONE:
        if getattr(options, name):
            raise usage_error(f"--{name.replace('_', '-')}", "this option works for one model only")
    if options.goal:
        raise usage_error("--goal", "this option works for one model only")
    engine = FitEngine(catalog_at(session))
    combo = combo_named(combo_word, engine.catalog)
    try:
        asked = [_asked(engine, replace(options, targets=(w, combo_word))) for w in words]
    except (UnknownFamily, ConfigError) as error:
        raise usage_error("MODEL", str(error)) from error
    shares = _best(engine, combo, asked)
    return shares, "" if shares else _why(engine, combo, asked)


def _best(
    engine: FitEngine, combo: Combo, asked: Sequence[Sequence[FitRequest]]
) -> tuple[ColocatedModel, ...]:
    """Place them under one runtime where one takes all as well: one that batches, on few GPUs."""
    every = {one.runtime.id: one.runtime for questions in asked for one in questions}
    tries = [
        [[one for one in questions if one.runtime.id == runtime] for questions in asked]
        for runtime in every
    ]
    found = [colocate(engine, combo, some) for some in (*tries, asked) if all(some)]
    return min((one for one in found if one), key=_order, default=())


def _order(shares: Sequence[ColocatedModel]) -> tuple[int, bool, int]:
    """The worst verdict decides, then batching, then the GPUs taken."""
    return (
        max(RANK[share.assessment.tier] for share in shares),
        not all(batches(share.assessment.runtime) for share in shares),
        sum(len(share.ranks) for share in shares),
    )


def _asked(engine: FitEngine, options: FitOptions) -> list[FitRequest]:
    """Ask under every runtime about its smallest file, a published one before others."""
    found: dict[str, FitRequest] = {}
    for request in sorted(requests_from(options, engine), key=lambda one: _size(engine, one)):
        found.setdefault(request.runtime.id, request)
    return list(found.values())


def _size(engine: FitEngine, request: FitRequest) -> tuple[bool, int]:
    return not request.checkpoint.is_published, question_of(engine, request).runnable.weights_bytes


def _why(engine: FitEngine, combo: Combo, asked: Sequence[Sequence[FitRequest]]) -> str:
    needs = []
    for questions in asked:
        fewest = fewest_gpus(engine, combo, questions)
        name = questions[0].model.id
        needs.append(
            f"{name} alone needs {fewest}" if fewest else f"{name} fits on none of its machines"
        )
    listed, count = ", ".join(needs), len(combo.gpus)
    gpus = "1 GPU" if count == 1 else f"{count} GPUs"
    return f"They do not fit together on the {gpus} of {combo.id}: {listed}."
