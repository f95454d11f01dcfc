"""Recipes: from an assessed plan to the commands and files that run it, one module per form."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module

from sitegen.engine.assessment import Assessment
from sitegen.recipes import forms
from sitegen.recipes.recipe import Recipe
from sitegen.recipes.target import Target

Form = Callable[[Target], Recipe | None]

FIRST = ("ray_serve", "dynamo")
"""Forms that a combo was built for stand before the plain ones."""
LAST = ("infernet",)
"""Forms that put something in front of another stand behind it."""


def _forms() -> tuple[Form, ...]:
    names = sorted(
        (module.name for module in pkgutil.iter_modules(forms.__path__)),
        key=lambda name: (name not in FIRST, name in LAST, name),
    )
    return tuple(import_module(f"{forms.__name__}.{name}").recipe for name in names)


FORMS: tuple[Form, ...] = _forms()
"""Every form, by name; adding one is adding one module."""


def recipes_for(assessment: Assessment) -> tuple[Recipe, ...]:
    """Write every form in which the assessed plan can be run; none where it does not run."""
    target = Target.of(assessment)
    if target is None:
        return ()
    found = (form(target) for form in FORMS)
    return tuple(one for one in found if one is not None)
