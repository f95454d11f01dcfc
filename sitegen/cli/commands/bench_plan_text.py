"""A session at a terminal: its words as comments, so that what is left can be pasted."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.cli.commands.recipe_text import print_step
from sitegen.cli.questions.bench_sessions import Planned
from sitegen.cli.text.terminal import printable
from sitegen.fit.open_verdict import Uncertain
from sitegen.recipes.measuring import measuring
from sitegen.recipes.recipe import Phase
from sitegen.site.combo.benchmark_priorities import QUANTITY_WORDS
from sitegen.site.words.verdicts import checkpoint_name

OF_SPEED = frozenset({Uncertain.SPEED})
LISTED = 5
"""Models that a line names."""
KEPT = (Phase.SETTINGS, Phase.START)


def print_session(one: Planned, catalog: Catalog) -> None:
    """Print why it is worth the time, then start, measure and import."""
    found, recipe = one.found, one.recipe
    _say(f"# {found.model.name}, {checkpoint_name(found)}, on {found.combo.name}")
    for words in _why(one, catalog):
        _say(f"# {words}")
    weights = found.checkpoint.id
    _say(
        f"# Install, files and checks: sitegen recipe {found.model.id} {found.combo.id} "
        f"--quantization {weights} --runtime {found.runtime.id} --form {recipe.id}"
    )
    steps = [step for step in recipe.steps if step.phase in KEPT]
    for at, step in enumerate((*steps, *measuring(recipe)), 1):
        _say("")
        print_step(at, step)
    _say("")


def _why(one: Planned, catalog: Catalog) -> tuple[str, ...]:
    if not one.measures:
        return ("No verdict waits for it: it puts a measurement where an estimate stands.",)
    quantities = list(dict.fromkeys(measure.quantity for measure in one.measures))
    named = ", ".join(QUANTITY_WORDS[quantity] for quantity in quantities)
    models = list(dict.fromkeys(m.model_id for m in one.measures if m.model_id))
    also = [catalog.models[id].name for id in models if id != one.found.model.id]
    count = f"{one.verdicts} verdict{'' if one.verdicts == 1 else 's'}"
    lines = [f"It settles {count}: {named}."]
    if also:
        more = f" and {len(also) - LISTED} more" if len(also) > LISTED else ""
        lines.append(f"The same machine and split also for {', '.join(also[:LISTED])}{more}.")
    if not OF_SPEED.issuperset(quantities):
        lines.append(
            "Keep the log of the start: memory stands there (`sitegen new measurement <id>`)."
        )
    return tuple(lines)


def _say(text: str) -> None:
    print(printable(text, keep_newlines=True))
