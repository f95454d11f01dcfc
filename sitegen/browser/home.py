"""What the home page asks the engine, as its form writes it; runs in the browser (decision 27)."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.quality.values import Use
from sitegen.site.composed_address import State, read_state
from sitegen.survey.best_for_use import FIRST
from sitegen.survey.first_answer import asked_for_users

USES = tuple(str(use) for use in Use)


def home_state(text: str, catalog: Catalog, users: int = 0) -> State:
    """Read what was asked, an address of a composed build, for other users where they are given."""
    state = read_state(text, catalog)
    asked = replace(state.asked, sequences=users) if users else state.asked
    return replace(state, asked=replace(asked_for_users(asked), read_along=True))


def for_use(state: State, use: Use) -> State:
    """Ask for what reads images, where they are the use; the same state otherwise."""
    if use is not Use.VISION:
        return state
    return replace(state, asked=replace(state.asked, images=True))


def use_named(name: str) -> Use:
    """Return the use of that name, all uses together for any other word."""
    return Use(name) if name in USES else FIRST
