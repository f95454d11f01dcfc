"""The formulas of the break-even calculator as a script: the engine's functions, translated."""

from __future__ import annotations

from sitegen.browser.engine_script import module_source
from sitegen.browser.translator import bundle

PATH = "assets/cost.js"
MODULE = "sitegen.ownership.cost"
FUNCTIONS = (
    "written_tokens_a_month", "electricity_usd_a_month", "bought_usd_a_month", "break_even_months",
    "power_usd_an_hour", "usd_per_million_tokens", "rented_hours",
)  # fmt: skip
"""What the forms call; plain arithmetic, which needs nothing of Python's runtime."""


def calculator_files() -> dict[str, bytes]:
    """Write the script, a few hundred bytes with one global name."""
    made = bundle(module_source, [(MODULE, name) for name in FUNCTIONS], {})
    exported = ", ".join(f"{name}: {made.names[MODULE, name]}" for name in FUNCTIONS)
    inside = f"{made.script}\nreturn {{{exported}}};"
    return {PATH: f'"use strict";\nvar sitegenCost = (() => {{\n{inside}\n}})();\n'.encode()}
