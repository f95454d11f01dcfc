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
  sitegen recipe 4x-rtx-3090 qwen3-32b gpt-oss-20b
"""


NOTHING = (
    "Nothing to run: no valid plan fits, or no way is written for this runtime.\n"
    "`sitegen fit` with the same words says which, and why."
)


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
    """Print how to run a model, or several at once (COMBO MODEL MODEL).

    It is the plan that `sitegen fit` judges with the same words.
    """
    from sitegen.cli.recipe_text import chosen, print_recipe
    from sitegen.site.recipes import twin

    options, why = FitOptions(**typed), NOTHING
    if len(options.targets) > 2:
        if prefill_gpus or decode_gpus:
            raise click.UsageError("--prefill-gpus: pools are for one model")
        recipes, why = _together(session, options)
    else:
        recipes = _written(session, options, prefill_gpus, decode_gpus)
    found = chosen(recipes, form)
    if as_json:
        click.echo(json.dumps([twin(one) for one in found], indent=2, allow_nan=False))
        return CLEAN
    for recipe in found:
        print_recipe(recipe)
    if not found:
        click.echo(why)
    return CLEAN


def _together(session: Session, options: FitOptions) -> tuple[tuple[Recipe, ...], str]:
    """Write the recipe of several models at once, or say why there is none."""
    from sitegen.cli.several import placed
    from sitegen.recipes.side_by_side import side_by_side

    shares, why = placed(session, options)
    found = side_by_side([share.assessment for share in shares])
    return () if found is None else (found,), why or NOTHING


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
