"""Files that the buyer's page loads: the rule, the writer of its answer, and the rows."""

from __future__ import annotations

import json
from dataclasses import astuple
from functools import cache
from importlib.resources import files as package_files

from sitegen.browser.engine_script import module_source
from sitegen.browser.translator import bundle
from sitegen.site.inputs import SiteInputs
from sitegen.site.pages.buy import ROWS_URL, SCRIPT_URL
from sitegen.site.reports.buying import Shelf, shelf

ENTRIES = (
    ("sitegen.browser.buyer", "opened"),
    ("sitegen.survey.buying", "Wanted"),
    ("sitegen.render.buying", "Question"),
    ("sitegen.render.buying", "answered"),
)
FILE = slice(1, 6)
"""Fields of an offer that say what its file is; they are written once."""
SCRIPT = """"use strict";
var sitegenBuy = (() => {
%s
%s
return {%s};
})();
"""


@cache
def buy_script() -> str:
    """Translate the rule and its words; the program's own text is no input of a build."""
    runtime = package_files("sitegen.browser.translator").joinpath("runtime.js").read_text("utf-8")
    made = bundle(module_source, ENTRIES, {})
    exported = ", ".join(f"{name}: {made.names[module, name]}" for module, name in ENTRIES)
    return SCRIPT % (runtime, made.script, exported)


def rows_of(found: Shelf) -> dict[str, object]:
    """Write what there is to choose from as plain lists."""
    files: dict[tuple[object, ...], int] = {}
    builds = []
    for one in found.builds:
        *plain, offers = astuple(one)
        listed = [[o[0], files.setdefault(o[FILE], len(files)), *o[FILE.stop :]] for o in offers]
        builds.append([*plain, listed])
    return {
        "files": list(files),
        "models": found.models,
        "ratings": found.ratings,
        "step": found.step,
        "least": found.least_speed,
        "room": found.least_context,
        "builds": builds,
    }


def buy_files(inputs: SiteInputs) -> dict[str, bytes]:
    """Write the script and its rows."""
    rows = json.dumps(rows_of(shelf(inputs)), separators=(",", ":"))
    texts = {SCRIPT_URL: buy_script(), ROWS_URL: f"var sitegenBuyRows = {rows};\n"}
    return {url.lstrip("/"): text.encode() for url, text in texts.items()}
