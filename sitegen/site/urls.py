"""Addresses of pages."""

from __future__ import annotations

FOLDERS = {
    "combo": "combos",
    "model": "models",
    "gpu": "gpus",
    "runtime": "runtimes",
    "guide": "guides",
}


CUSTOM_URL = "/custom/"
"""Page on which readers compose a build; the text after its ``#`` is the build."""
BUY_URL = "/buy/"
"""Where readers ask what to buy."""
CHECK_URL = "/check/"
"""Where readers paste a command, a compose file or a log."""


def url_of(kind: str, id: str) -> str:
    """Return the URL of a record's page.

    >>> url_of("combo", "dual-rtx-3090")
    '/combos/dual-rtx-3090/'
    """
    return f"/{FOLDERS[kind]}/{id}/"


def view_of(combo_id: str, model_id: str) -> str:
    """Return where a model on a combo is shown whole: memory, limits, commands, other files.

    >>> view_of("dual-rtx-3090", "llama-3.3-70b")
    '/custom/#combo=dual-rtx-3090&model=llama-3.3-70b'
    """
    return f"{CUSTOM_URL}#combo={combo_id}&model={model_id}"


def pair_url(combo_id: str, model_id: str) -> str:
    """Return where a model on a combo has a page of its own, if it has one.

    >>> pair_url("dual-rtx-3090", "llama-3.3-70b")
    '/combos/dual-rtx-3090/llama-3.3-70b/'
    """
    return f"{url_of('combo', combo_id)}{model_id}/"


def models_of(combo_id: str) -> str:
    """Return the page of all models on a combo, one row each."""
    return f"{url_of('combo', combo_id)}models/"


def recipes_of(combo_id: str) -> str:
    """Return the page of all commands of a combo."""
    return f"{url_of('combo', combo_id)}recipes/"


def machines_url(model_id: str) -> str:
    """Return the page of all machines for a model."""
    return f"{url_of('model', model_id)}machines/"


def model_recipes_url(model_id: str) -> str:
    """Return the page of all commands for a model."""
    return f"{url_of('model', model_id)}recipes/"


def parts_of(kind: str, id: str) -> tuple[str, ...]:
    """Return the pages that stand below a record's page."""
    if kind == "model":
        return (machines_url(id), model_recipes_url(id))
    return (models_of(id), recipes_of(id)) if kind == "combo" else ()


def row_url(combo_id: str, model_id: str) -> str:
    """Return the row of a model among all models on a combo.

    >>> row_url("dual-rtx-3090", "llama-3.3-70b")
    '/combos/dual-rtx-3090/models/#m-llama-3.3-70b'
    """
    return f"{models_of(combo_id)}#{model_row_id(model_id)}"


def row_id(model_id: str, checkpoint_id: str) -> str:
    """Return the anchor of a fit tuple's row on a combo page; part of the site's interface.

    >>> row_id("llama-3.3-70b", "q4-k-m")
    'm-llama-3.3-70b--q4-k-m'
    """
    return f"m-{model_id}--{checkpoint_id}"


def run_row_id(run_id: str) -> str:
    """Return the anchor of a record on the page of the model that ran.

    >>> run_row_id("c2264")
    'run-c2264'
    """
    return f"run-{run_id}"


def model_row_id(model_id: str) -> str:
    """Return the anchor of a model's row, whatever checkpoint heads it.

    >>> model_row_id("llama-3.3-70b")
    'm-llama-3.3-70b'
    """
    return f"m-{model_id}"
