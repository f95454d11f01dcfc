"""``sitegen recipe``: the commands and files that run a model on this hardware."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sitegen.cli.exits import CLEAN, CommandError
from sitegen.cli.questions.fit_options import FitOptions, Positive, fit_options
from sitegen.cli.session import CliSession, pass_session

if TYPE_CHECKING:
    from sitegen.recipes.recipe import Recipe

EPILOG = """\b
Examples:
  sitegen recipe qwen3-32b 2x-rtx-3090-nvlink --quantization fp8 --runtime vllm
  sitegen recipe deepseek-r1 2-nodes-8x-h100 --runtime vllm --form vllm-nodes
  sitegen recipe 4x-rtx-3090 qwen3-32b gpt-oss-20b
  sitegen recipe qwen3-8b 1x-rtx-4090 --runtime vllm --out qwen/ && qwen/run.sh
"""


NOTHING = (
    "Nothing to run: no valid plan fits, or there is no recipe for this runtime.\n"
    "Run `sitegen fit` with the same arguments to see which, and why."
)


@click.command("recipe", epilog=EPILOG)
@fit_options
@click.option("--prefill-gpus", type=Positive(), help="GPUs that only read prompts.")
@click.option("--decode-gpus", type=Positive(), help="GPUs that only write answers.")
@click.option(
    "--form",
    metavar="ID",
    default="",
    help="Print one form only, e.g. vllm-ray.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
@click.option(
    "--out",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write the steps into a folder: a script that checks, installs, starts and tests, its "
    "settings, service files and a README.",
)
@click.option("--force", is_flag=True, help="Replace files in the folder, except .env.")
@pass_session
def command(
    session: CliSession,
    /,
    *,
    form: str,
    as_json: bool,
    folder: Path | None,
    force: bool,
    prefill_gpus: int | None,
    decode_gpus: int | None,
    **typed: Any,
) -> int:
    """Print how to run a model, or several at once (COMBO MODEL MODEL).

    The plan is the one that `sitegen fit` assesses with the same arguments.
    """
    from sitegen.cli.commands.recipe_folder import write_folder
    from sitegen.cli.commands.recipe_text import chosen, print_recipe
    from sitegen.site.combo.recipes import twin

    options, why = FitOptions(**typed), NOTHING
    if len(options.targets) > 2:
        if prefill_gpus or decode_gpus:
            raise click.UsageError("--prefill-gpus works for one model only")
        recipes, why = _together(session, options)
    else:
        recipes = _written(session, options, prefill_gpus, decode_gpus)
    found = chosen(recipes, form)
    if folder is not None:
        if not found:
            raise CommandError(why)
        write_folder(session, found, folder, force=force)
        return CLEAN
    if as_json:
        click.echo(json.dumps([twin(one) for one in found], indent=2, allow_nan=False))
        return CLEAN
    for recipe in found:
        print_recipe(recipe)
    if not found:
        click.echo(why)
    return CLEAN


def _together(session: CliSession, options: FitOptions) -> tuple[tuple[Recipe, ...], str]:
    """Write the recipe of several models at once, or say why there is none."""
    from sitegen.cli.questions.several import placed
    from sitegen.recipes.side_by_side import side_by_side

    shares, why = placed(session, options)
    found = side_by_side([share.assessment for share in shares])
    return () if found is None else (found,), why or NOTHING


def _written(
    session: CliSession, options: FitOptions, prefill_gpus: int | None, decode_gpus: int | None
) -> tuple[Recipe, ...]:
    """Write the recipes of the question, pools where both were asked for."""
    from sitegen.cli.questions.answer import answered, pools_answered
    from sitegen.cli.questions.choose import usage_error
    from sitegen.cli.questions.commands import recipes_of
    from sitegen.recipes.forms.dynamo import pools_recipe

    if not prefill_gpus and not decode_gpus:
        catalog, assessment = answered(session, options)
        return recipes_of(options.runtime, catalog, assessment)
    if not prefill_gpus or not decode_gpus:
        raise usage_error("--prefill-gpus", "give --decode-gpus too: a plan needs both pools")
    found = pools_recipe(pools_answered(session, options, (prefill_gpus, decode_gpus))[1])
    return () if found is None else (found,)
