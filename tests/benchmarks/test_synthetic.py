"""Made-up catalogs are catalogs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.synthetic import with_combos
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project

ROOT = Path(__file__).parents[2]


def test_as_many_different_combos_as_asked_for_pass_every_check() -> None:
    project = read_project(ROOT)
    catalog = parse_catalog(project.catalog)
    made = parse_catalog(with_combos(project, catalog, 1_000).catalog)
    assert len(made.combos) == 1_000
    assert len({combo.name for combo in made.combos.values()}) == 1_000
    assert made.models.keys() == catalog.models.keys()
    with pytest.raises(ValueError, match="combos, not 1000000"):
        with_combos(project, catalog, 1_000_000)
