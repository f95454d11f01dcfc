"""Files made of the program alone: scripts of the engine and the calculator, and schemas."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.browser.check_script import linter_bundle
from sitegen.browser.engine_script import engine_bundle, module_source
from sitegen.browser.translator import Bundle, Modules, Reader, bundle
from sitegen.catalog.schema import schema_files
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class BrowserProgram:
    """The engine and the linter, translated, and files by path."""

    engine: Bundle
    linter: Bundle
    files: Mapping[str, bytes]


def program() -> BrowserProgram:
    """Translate what browsers run and write the schemas; no project is needed."""
    schemas = {path: text.encode() for path, text in schema_files().items()}
    modules = Modules(module_source)  # most of the linter's are the engine's
    files = schemas | calculator_files(modules)
    return BrowserProgram(engine_bundle(modules), linter_bundle(modules), files)


PATH = "assets/cost.js"
MODULE = "sitegen.ownership.cost"
FUNCTIONS = (
    "written_tokens_a_month", "electricity_usd_a_month", "bought_usd_a_month", "break_even_months",
    "power_usd_an_hour", "usd_per_million_tokens", "rented_hours",
)  # fmt: skip
"""What the forms call; plain arithmetic, which needs nothing of Python's runtime."""


def calculator_files(read: Reader | Modules = module_source) -> dict[str, bytes]:
    """Write the script, a few hundred bytes with one global name."""
    made = bundle(read, [(MODULE, name) for name in FUNCTIONS], {})
    exported = ", ".join(f"{name}: {made.names[MODULE, name]}" for name in FUNCTIONS)
    inside = f"{made.script}\nreturn {{{exported}}};"
    return {PATH: f'"use strict";\nvar sitegenCost = (() => {{\n{inside}\n}})();\n'.encode()}
