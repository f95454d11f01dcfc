"""``sitegen fit``: does this model run on this hardware, and how."""

from __future__ import annotations

import json
from typing import Any

import click

from sitegen.cli.exits import CLEAN
from sitegen.cli.questions.fit_options import FitOptions, Positive, fit_options
from sitegen.cli.session import CliSession, pass_session

EPILOG = """\b
Examples:
  sitegen fit qwen3-32b 2x-rtx-3090-nvlink --quantization fp8 --runtime vllm
  sitegen fit qwen3-32b 8x-h100-sxm --users 64
  sitegen fit --best coding --gpu rtx-3090:2 --context 32768 --users 4
  sitegen fit --config ./config.json --quantization bf16 --runtime vllm@0.19 \\
      --gpu rtx-4090:2 --nodes 4 --link ethernet-10g --json
"""


@click.command("fit", epilog=EPILOG)
@fit_options
@click.option("--prefill-gpus", type=Positive(), help="GPUs that only read prompts.")
@click.option("--decode-gpus", type=Positive(), help="GPUs that only write answers.")
@click.option(
    "--best",
    default="",
    metavar="USE",
    help="Best models for a use, e.g. coding; no MODEL. --users are those of each replica.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the whole record, in bytes and tokens/s."
)
@pass_session
def command(
    session: CliSession,
    /,
    as_json: bool,
    prefill_gpus: int | None,
    decode_gpus: int | None,
    **typed: Any,
) -> int:
    """Assess a model on a combo from the catalog, or on your own hardware (--gpu).

    The exit status is 0 whatever the verdict is.
    """
    if typed["best"]:
        _answer_best(session, FitOptions(**typed), as_json=as_json)
        return CLEAN
    if prefill_gpus or decode_gpus:
        _answer_pools(session, FitOptions(**typed), prefill_gpus, decode_gpus, as_json=as_json)
        return CLEAN
    from sitegen.cli.questions.answer import answered
    from sitegen.cli.questions.commands import commands_for
    from sitegen.cli.text.fit import print_assessment
    from sitegen.site.json.schema.record import to_record

    options = FitOptions(**typed)
    catalog, assessment = answered(session, options)
    if as_json:
        click.echo(json.dumps(to_record(assessment), indent=2, allow_nan=False))
    else:
        print_assessment(assessment, catalog, users=options.users)
        click.echo(commands_for(options, catalog, assessment), nl=False)
    return CLEAN


def _answer_best(session: CliSession, options: FitOptions, *, as_json: bool) -> None:
    """Print the best models for a use."""
    from sitegen.cli.questions.best_models import (
        best_answered,
        most_served,
        print_best,
        to_best_record,
    )

    _, combo, answer, higher = best_answered(session, options)
    if as_json:
        record = to_best_record(combo, answer, higher)
        click.echo(json.dumps(record, indent=2, allow_nan=False))
    else:
        fewer = most_served(session, options) if answer is None else None
        print_best(combo, answer, options, fewer, higher)


def _answer_pools(
    session: CliSession,
    options: FitOptions,
    prefill_gpus: int | None,
    decode_gpus: int | None,
    *,
    as_json: bool,
) -> None:
    """Print two pools: what each holds, and what travels between them."""
    from sitegen.cli.questions.answer import pools_answered
    from sitegen.cli.questions.choose import usage_error
    from sitegen.cli.text.fit import print_pools, to_pools_record

    if not prefill_gpus or not decode_gpus:
        raise usage_error("--prefill-gpus", "give --decode-gpus too: a plan needs both pools")
    catalog, found = pools_answered(session, options, (prefill_gpus, decode_gpus))
    if as_json:
        click.echo(json.dumps(to_pools_record(found), indent=2, allow_nan=False))
    else:
        print_pools(found, catalog)
