"""One engine for each catalog of a process: what an engine remembers changes no answer."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.fit_engine import FitEngine

KEPT = 6
WHOLE = 100
"""Models of which no catalog but the real one has as many: its engine is never forgotten."""
_engines: dict[int, FitEngine] = {}


def engine_of(catalog: Catalog) -> FitEngine:
    """Return the engine that was made for this very catalog, of the last few."""
    engine = _engines.pop(id(catalog), None) or FitEngine(catalog)
    _engines[id(catalog)] = engine  # which holds the catalog, so that no other has its number
    small = [key for key, one in _engines.items() if len(one.catalog.models) < WHOLE]
    if len(small) > KEPT:
        del _engines[small[0]]
    return engine
