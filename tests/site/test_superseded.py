"""A model that another took the place of: a page of its own, no row on any combo."""

from __future__ import annotations

from dataclasses import replace

from sitegen.fit.fit_engine import FitEngine
from sitegen.pipeline.pages import render
from sitegen.site.collect import collect_pages
from sitegen.site.pages.model import pages
from sitegen.survey.every_combo import survey_combo
from tests.fit.questions import catalog, combo, model
from tests.render.built import parse, project
from tests.site import fabricated


def test_it_is_not_surveyed() -> None:
    old, new = model("llama8"), model("qwen25_72")
    here = combo("rtx-4090", "rtx-4090")
    both = replace(catalog(), models={old.id: old, new.id: new}, combos={here.id: here})
    left = replace(both, models={**both.models, old.id: replace(old, superseded_by=new.id)})
    rows = [
        {row.verdict.model.id for row in survey_combo(FitEngine(one), here).rows}
        for one in (both, left)
    ]
    assert rows == [{old.id, new.id}, {new.id}]


def test_its_page_links_the_newer_model_and_counts_no_combos() -> None:
    given = fabricated.inputs()
    small, large = fabricated.SMALL, fabricated.LARGE
    old = replace(small, superseded_by=large.id)
    models = {**given.catalog.models, small.id: old}
    rows = {id: found for id, found in given.rows.items() if id != small.id}
    inputs = replace(given, catalog=replace(given.catalog, models=models), rows=rows)
    files = render(collect_pages(inputs, [pages]), project().templates, project().assets)
    root = parse(files[f"models/{small.id}/index.html"])
    words = " ".join("".join(root.itertext()).split())
    assert f"{large.name} replaces it" in words
    assert "Every combo, by verdict" not in words
    assert "not surveyed" in words
    assert f"../{large.id}/index.html" in {link.get("href") for link in root.iter("a")}
