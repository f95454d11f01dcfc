"""Recipes to HTML, on pages of the site and in the browser (decision 27).

Commands have no colours: they were a fifth of a page of commands, and more in files to unpack.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sitegen.recipes.recipe import Phase, RecipeStep
from sitegen.render.cells import html
from sitegen.render.escaping import escaped
from sitegen.site.combo.recipes import RecipeGroup, RecipeView


def recipes_html(groups: Sequence[RecipeGroup], page_url: str) -> str:
    """Write a page's section of recipes, empty without any."""
    if not groups:
        return ""
    several = any(len(group.recipes) > 1 for group in groups)
    choice = "Each runtime has its own commands: open the one you use. " if several else ""
    parts = ['<section>\n<h2 id="run">How to run it</h2>\n', about_html(choice)]
    for group in groups:
        if group.heading:
            parts.append(f'<h3 id="{escape(group.id)}">{escaped(group.heading)}</h3>\n')
        if group.about:
            parts.append(f"<p>{escaped(group.about)}</p>\n")
        level = "h4" if group.heading else "h3"
        parts += [recipe_html(recipe, level, page_url) for recipe in group.recipes]
    return "".join([*parts, "</section>\n"])


def about_html(choice: str) -> str:
    """Say what the commands are, and how to choose between several."""
    return (
        "<p>Copy and paste these commands. They start the plans that we assessed: sizes, "
        f"context and memory share are filled in. {choice}We checked the options against the "
        "source code of the versions named below.</p>\n"
    )


def recipe_html(recipe: RecipeView, level: str, page_url: str) -> str:
    """Write one recipe, which opens on demand; ``level`` is the element that heads a step."""
    opened = " open" if recipe.open else ""
    other_ways = [_other_way(step) for step in recipe.steps if _instead(step)]
    return "".join(
        [
            f'<details class="recipe" id="{escape(recipe.id)}"{opened}>\n',
            f"<summary>{escaped(recipe.name)} <small>{escaped(recipe.plan)}</small></summary>\n",
            f"<p>{html(recipe.runs, page_url)} ",
            f"<small>Options checked against {escaped(recipe.options)}.</small></p>\n",
            *(f'<p class="warning">{escaped(warning)}</p>\n' for warning in recipe.warnings),
            '<ol class="steps">\n',
            *(f"<li>\n{_step(step, level)}</li>\n" for step in recipe.steps if not _instead(step)),
            "</ol>\n",
            *_beside(other_ways),
            "</details>\n",
        ]
    )


def _instead(step: RecipeStep) -> bool:
    """Whether a step replaces the others, for example with a systemd unit."""
    return step.phase is Phase.INSTEAD


def _beside(other_ways: list[str]) -> list[str]:
    if not other_ways:
        return []
    head = '<div class="other-ways">\n<p>Other ways to start it:</p>\n'
    return [head, *other_ways, "</div>\n"]


def _other_way(step: RecipeStep) -> str:
    return f'<details class="instead">{_step(step, "summary")}</details>\n'


def _step(step: RecipeStep, head: str) -> str:
    where = f" <small>· run this on {escaped(step.where)}</small>" if step.where else ""
    language = str(step.language)
    parts = [f"<{head}>{escaped(step.title)}{where}</{head}>\n"]
    parts += [f"<p>{escaped(one)}</p>\n" for one in step.note_paragraphs]
    if step.file:
        parts.append(f'<p class="file"><code>{escaped(step.file)}</code></p>\n')
    parts.append(
        f'<div class="code"><pre tabindex="0"><code class="language-{language}">'
        f"{escaped(step.text)}</code></pre></div>\n"
    )
    if step.expect:
        parts.append(f'<p class="expect">Expect <samp>{escaped(step.expect)}</samp></p>\n')
    return "".join(parts)
