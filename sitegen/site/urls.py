"""Where each thing has its page."""

from __future__ import annotations

FOLDERS = {
    "combo": "combos",
    "model": "models",
    "gpu": "gpus",
    "runtime": "runtimes",
    "guide": "guides",
}


CUSTOM_URL = "/custom/"
"""Where readers compose a build; what stands after its ``#`` is the build (``custom_state``)."""


def url_of(kind: str, id: str) -> str:
    """Return the URL of a record's page.

    >>> url_of("combo", "dual-rtx-3090")
    '/combos/dual-rtx-3090/'
    """
    return f"/{FOLDERS[kind]}/{id}/"


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
