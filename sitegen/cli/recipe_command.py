"""``sitegen recipe``: the commands and files that run a model on this hardware."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from sitegen.cli.exits import CLEAN
from sitegen.cli.fit_options import FitOptions, fit_options
from sitegen.cli.session import Session, pass_session

if TYPE_CHECKING:
    from sitegen.recipes.recipe import Recipe

EPILOG = """\b
Examples:
  sitegen recipe qwen3-32b 2x-rtx-3090-nvlink --quantization fp8 --runtime vllm
  sitegen recipe deepseek-r1 2-nodes-8x-h100 --runtime vllm --form vllm-nodes
"""


@click.command("recipe", epilog=EPILOG)
@fit_options
@click.option("--prefill-gpus", type=click.IntRange(1), help="GPUs that only read prompts.")
@click.option("--decode-gpus", type=click.IntRange(1), help="GPUs that only write answers.")
@click.option("--form", metavar="ID", default="", help="One way alone, e.g. vllm-ray; all of them.")
@click.option("--json", "as_json", is_flag=True, help="The steps as data.")
@pass_session
def command(
    session: Session,
    /,
    form: str,
    as_json: bool,
    prefill_gpus: int | None,
    decode_gpus: int | None,
    **typed: Any,
) -> int:
    """Print how to run a model on a combo: install, network, start, verify, stop.

    It is the plan that `sitegen fit` judges with the same words: sizes, context and memory share
    are its own. Where nothing fits there is nothing to run, and it says so.
    """
    from sitegen.cli.recipe_text import chosen, print_recipe
    from sitegen.site.recipes import twin

    recipes = _written(session, FitOptions(**typed), prefill_gpus, decode_gpus)
    found = chosen(recipes, form)
    if as_json:
        click.echo(json.dumps([twin(one) for one in found], indent=2, allow_nan=False))
        return CLEAN
    for recipe in found:
        print_recipe(recipe)
    if not found:
        click.echo("Nothing to run: no valid plan fits, or no way is written for this runtime.")
        click.echo("`sitegen fit` with the same words says which, and why.")
    return CLEAN


def _written(
    session: Session, options: FitOptions, prefill_gpus: int | None, decode_gpus: int | None
) -> tuple[Recipe, ...]:
    """Write the recipes of the question, pools where both were asked for."""
    from sitegen.cli.choose import usage_error
    from sitegen.cli.questions import answered, pools_answered
    from sitegen.recipes import recipes_for
    from sitegen.recipes.forms.dynamo import pools_recipe

    if not prefill_gpus and not decode_gpus:
        return recipes_for(answered(session, options)[1])
    if not prefill_gpus or not decode_gpus:
        raise usage_error("--prefill-gpus", "give --decode-gpus too: two pools make one plan")
    found = pools_recipe(pools_answered(session, options, (prefill_gpus, decode_gpus))[1])
    return () if found is None else (found,)
