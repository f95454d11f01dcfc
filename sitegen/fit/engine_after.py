"""An engine for newer facts that keeps what the change leaves of an engine for older ones.

Only a draft of a page uses it: a build begins with nothing but its inputs.
"""

from __future__ import annotations

from collections.abc import Set
from copy import copy

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.fit_engine import FitEngine

RATED = frozenset({"models", "boards", "scores", "names"})
"""Folders of the catalog that ratings are made of."""
LOST = frozenset({"models", "quantizations", "losses", "assumptions"})
"""Folders that the losses of checkpoints are made of."""


def engine_after(before: FitEngine, catalog: Catalog, folders: Set[str]) -> FitEngine:
    """Return an engine for a catalog; the one before is not to be used any more.

    Args:
        before: The engine of an older catalog.
        catalog: The newer one.
        folders: Folders of the catalog in which something differs.
    """
    if folders <= {"combos"}:
        return _on_other_combos(before, catalog)
    rated = not folders & RATED and catalog.left_out == before.catalog.left_out
    engine = FitEngine(
        catalog,
        losses=None if folders & LOST else before.losses,
        ratings=before.ratings if rated else None,
    )
    if catalog.quantizations == before.catalog.quantizations:
        known = before.catalog.models
        same = {id_ for id_, model in catalog.models.items() if known.get(id_) == model}
        for key, found in before._reduced_checkpoints.items():
            if isinstance(key, tuple) and key[0] in same:
                engine._reduced_checkpoints[key] = found
    return engine


def _on_other_combos(before: FitEngine, catalog: Catalog) -> FitEngine:
    """Keep all but what the engine looked up of combos: their GPUs, and what usually joins them."""
    engine = copy(before)
    engine.catalog = catalog
    engine._of_combo, engine._networks, engine._cures = {}, {}, {}
    return engine
