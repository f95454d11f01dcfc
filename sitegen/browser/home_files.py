"""Files that the home page loads when a reader begins: names of hardware, answers of combos.

The answers are those that the engine in the browser would give, written before anybody asks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from sitegen.browser.home import home_state
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu, UnifiedMemory
from sitegen.importers.spellings.gpus import rule_of
from sitegen.render.first_answer import answer_html, instead_html
from sitegen.site.combo.first_answer import first_view
from sitegen.site.composed_address import read_state, write_build
from sitegen.site.pages.home import ANSWERS_URL, NAMES_URL
from sitegen.site.search import combo_words, gpu_words
from sitegen.survey.composed_build import build_of
from sitegen.survey.first_answer import of_survey
from sitegen.survey.results import Survey
from sitegen.units import GIB

HOME = "/"
ANSWER = "(self.sitegenWritten ??= {})[%s] = %s;\n"
"""A script, since pages that are read from a folder may load nothing else."""


def home_files(catalog: Catalog, survey: Survey) -> dict[str, bytes]:
    """Write the table of names, and the first answer of every combo."""
    answers = {}
    for combo_id, found in survey.combos.items():
        view = first_view(of_survey(found), home_state(f"combo={combo_id}", catalog), catalog)
        parts = {"answer": answer_html(view, HOME), "instead": instead_html(view, HOME)}
        answers[f"{ANSWERS_URL}{combo_id}.js"] = ANSWER % (_json(combo_id), _json(parts))
    files = {NAMES_URL: f"var sitegenNames = {_json(names_table(catalog))};\n", **answers}
    return {url.lstrip("/"): content.encode() for url, content in files.items()}


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def names_table(catalog: Catalog) -> dict[str, object]:
    """List every GPU and combo by name, other words for it, and its address on the page.

    A GPU has ``gib`` of its own, or ``options`` of which a machine has one; ``link`` is what joins
    several in one machine.
    """
    rule = rule_of(catalog.gpus)
    return {
        **rule,
        "gpus": [_gpu(gpu, catalog) for gpu in catalog.gpus.values()],
        "combos": [
            {
                "id": combo.id,
                "name": combo.name,
                "words": " ".join(dict.fromkeys(" ".join(combo_words(combo)).lower().split())),
                "build": write_build(build_of(combo)),
            }
            for combo in catalog.combos.values()
        ],
    }


def _gpu(gpu: Gpu, catalog: Catalog) -> dict[str, object]:
    return dict(_facts(gpu, catalog))


def _facts(gpu: Gpu, catalog: Catalog) -> Iterator[tuple[str, object]]:
    memory = gpu.memory
    yield "id", gpu.id
    yield "name", gpu.name
    yield "words", " ".join(dict.fromkeys(" ".join(gpu_words(gpu)).lower().split()))
    if isinstance(memory, UnifiedMemory):
        yield "options", [round(size / GIB) for size in memory.options_bytes]
        if gpu.vendor == "apple":
            yield "system", "macos"
    else:
        yield "gib", round(memory.installed_bytes / GIB, 1)
        machine = read_state(f"machine=1;{gpu.id}*2", catalog).build.nodes[0]
        yield "link", machine.link
