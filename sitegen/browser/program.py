"""What is made of the program alone: the engine as a script, and schemas of the records."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.browser.calculator_script import calculator_files
from sitegen.browser.engine_script import engine_bundle
from sitegen.browser.translator import Bundle
from sitegen.catalog.schema import schema_files
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """The engine, translated, and files by path."""

    engine: Bundle
    files: Mapping[str, bytes]


def program() -> Program:
    """Translate what browsers run and write the schemas; no project is needed."""
    schemas = {path: text.encode() for path, text in schema_files().items()}
    return Program(engine_bundle(), schemas | calculator_files())
