"""A draft of a page is what a whole build makes of it, as far as the page is about itself."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.inputs import read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.drafts import Drafts
from sitegen.pipeline.memory import Past
from sitegen.pipeline.pages import RenderError
from sitegen.problems import ProblemsFound
from tests.cli.small_project import small_project
from tests.pipeline.test_memory import BENCH, Kept, replace_in

COMBO = f"combos/{BENCH}/index.html"
MODELS = f"combos/{BENCH}/models/index.html"
MODEL = "models/qwen3-8b/index.html"
GPU = "gpus/rtx-3090/index.html"
GUIDE = "guides/first/index.html"
TEXT = """---
title: The first guide
description: What the first guide says.
kind: guide
---

Its text, and [a combo](/combos/2x-rtx-4090/).
"""


class Project:
    """A project, its drafts and its memory."""

    def __init__(self, root: Path) -> None:
        self.root = small_project(root)
        guides = self.root / "content" / "guides"
        guides.mkdir()
        (guides / "first.md").write_text(TEXT, encoding="utf-8")
        self.past = Past(Kept(), "program")
        self.drafts = Drafts(self.past)
        self.renew()

    def renew(self) -> None:
        """Take the newest sources."""
        self.drafts.renew(read_project(self.root))

    def edit(self, path: str, old: str, new: str) -> None:
        """Change a file and take it."""
        replace_in(self.root / path, old, new)
        self.renew()

    def draft(self, path: str) -> bytes:
        """Make the file at a path."""
        return self.drafts.files(path)[path]

    def built(self, path: str) -> bytes:
        """Make it by a whole build."""
        return build(read_project(self.root)).files[path]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("project"))


@pytest.mark.parametrize(
    ("path", "edit", "shown"),
    [
        (GUIDE, ("content/guides/first.md", "Its text", "Its words"), b"Its words"),
        (MODEL, ("templates/model.html", "</h2>", " of it</h2>"), b" of it</h2>"),
        (COMBO, (f"catalog/combos/{BENCH}.yaml", "The bridge carries", "It carries"), b"It carr"),
        (COMBO, (f"catalog/combos/{BENCH}.yaml", "count: 2", "count: 4"), b"4"),
        (MODEL, (f"catalog/combos/{BENCH}.yaml", "count: 4", "count: 3"), b""),
        (MODELS, ("catalog/assumptions/comfortable-utilization.yaml", "0.9", "0.1"), b""),
        (COMBO, ("catalog/gpus/rtx-3090.yaml", "amount: 1207", "amount: 907"), b"907"),
        (GPU, ("catalog/gpus/rtx-3090.yaml", "tdp_watts: 350", "tdp_watts: 360"), b"360"),
        (COMBO, ("catalog/models/qwen3-8b.yaml", "name: Qwen3", "name: Qwen-3"), b"Qwen-3"),
        ("assets/site.css", ("templates/assets/site.css", "{", "{ /* x */"), b"/* x */"),
    ],
)
def test_a_draft_is_the_page_of_a_whole_build(
    project: Project, path: str, edit: tuple[str, str, str], shown: bytes
) -> None:
    before = project.draft(path)
    project.edit(*edit)
    draft = project.draft(path)
    assert draft != before
    assert shown in draft
    assert draft == project.built(path)
    assert project.draft(path) is draft  # made once


def test_a_combo_that_was_not_there_has_a_draft(project: Project) -> None:
    combos = project.root / "catalog" / "combos"
    text = (combos / f"{BENCH}.yaml").read_text(encoding="utf-8")
    (combos / "new.yaml").write_text(text.replace("name: ", "name: New ", 1), encoding="utf-8")
    project.renew()
    assert project.draft("combos/new/index.html") == project.built("combos/new/index.html")
    (combos / "new.yaml").unlink()
    project.renew()
    assert project.drafts.files("combos/new/index.html") == {}


@pytest.mark.parametrize("path", ["", "nothing.txt", "sitemap.xml", "no/such/page/index.html"])
def test_what_belongs_to_no_page_has_no_draft(project: Project, path: str) -> None:
    assert project.drafts.files(path) == {}


@pytest.mark.parametrize(
    ("edit", "fails", "path"),
    [
        ((f"catalog/combos/{BENCH}.yaml", "count: ", "count: -"), ProblemsFound, ""),
        (("content/guides/first.md", "[a combo]", "{{ combo.nothing }}"), ProblemsFound, GUIDE),
        (("templates/document.html", "{% endblock", "{{ nobody }}{% endblock"), RenderError, GUIDE),
    ],
)
def test_what_is_wrong_is_said_and_mended(
    tmp_path: Path, edit: tuple[str, str, str], fails: type[Exception], path: str
) -> None:
    project = Project(tmp_path)

    def see(read: Callable[[], object]) -> None:
        read()
        if path:
            project.draft(path)

    with pytest.raises(fails):
        see(lambda: project.edit(*edit))
    if not path:  # the last good sources stay
        assert BENCH.encode() in project.draft(COMBO)
    see(lambda: project.edit(edit[0], edit[2], edit[1]))


def test_what_a_draft_judges_a_build_need_not(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.edit(f"catalog/combos/{BENCH}.yaml", "count: 2", "count: 4")
    memory = project.past.memory
    assert isinstance(memory, Kept)
    before = set(memory.entries)
    project.draft(COMBO)
    kept = set(memory.entries) - before
    assert len(kept) == 1
    build(read_project(project.root), past=project.past)
    assert kept <= set(memory.entries)


def test_a_record_that_is_gone_is_missed_by_those_that_name_it(tmp_path: Path) -> None:
    project = Project(tmp_path)
    path = project.root / "catalog" / "interconnects" / "nvlink-bridge-ga102.yaml"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    with pytest.raises(ProblemsFound) as found:
        project.renew()
    assert {one.span.path for one in found.value.problems} >= {f"catalog/combos/{BENCH}.yaml"}
    path.write_text(text, encoding="utf-8")
    project.renew()
    assert project.draft(COMBO) == project.built(COMBO)


def test_nothing_keeps_the_catalogs_of_earlier_edits(tmp_path: Path) -> None:
    mine = Project(tmp_path)
    for turn in range(6):
        mine.edit(f"catalog/combos/{BENCH}.yaml", "name: ", f"name: kept{turn} ")
        assert f"kept{turn}".encode() in mine.draft(COMBO)
    gc.collect()
    alive = [one for one in gc.get_objects() if isinstance(one, Catalog)]
    assert len([one for one in alive if "kept" in one.combos[BENCH].name]) == 1
