"""The rules that no single record can keep alone: each a function, all of them listed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.checks.references import orchestrators_orchestrate, references_exist
from sitegen.problems import Problem

CHECKS: tuple[Callable[[CatalogRecords], Iterable[Problem]], ...] = (
    references_exist,
    orchestrators_orchestrate,
)
"""Every rule. One that is not here does not run: a missing line is seen in review."""
