"""The full-text index: the same pages give the same bytes, and what is missing is said."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest

from sitegen.inputs import read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.search import SearchIndexError, index, installed_indexer
from tests.cli.small_project import run_process, small_project
from tests.render.built import searched

PAGES = {
    "/one/": '<html lang="en"><body><main><h1>One</h1><p>Quiet fans.</p></main></body></html>',
    "/two/": '<html lang="en"><body><main><h1>Two</h1><p>Loud fans.</p></main></body></html>',
}


def fragments(made: dict[str, bytes]) -> list[str]:
    return [gzip.decompress(c).decode() for p, c in made.items() if p.endswith(".pf_fragment")]


def made_of(pages: dict[str, str]) -> dict[str, bytes]:
    indexer = installed_indexer()
    assert indexer is not None
    return dict(indexer(pages))


def test_every_page_is_indexed_under_its_own_address() -> None:
    texts = fragments(made_of(PAGES))
    assert len(texts) == 2
    assert any('"url":"/one/"' in text and "Quiet fans." in text for text in texts)


def test_only_what_the_search_page_loads_is_published() -> None:
    kinds = {path.rsplit(".", 1)[-1] for path in made_of(PAGES)}
    assert kinds == {"js", "json", "pagefind", "pf_meta", "pf_index", "pf_fragment"}
    scripts = [path for path in made_of(PAGES) if path.endswith(".js")]
    assert scripts == ["pagefind/pagefind-worker.js", "pagefind/pagefind.js"]


def test_the_order_of_pages_and_the_environment_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = searched()
    first = made_of(pages)
    monkeypatch.setenv("PAGEFIND_VERBOSE", "true")
    monkeypatch.setenv("PAGEFIND_KEEP_INDEX_URL", "false")
    assert made_of(dict(reversed(pages.items()))) == first
    assert len(fragments(first)) == len(pages)


def test_names_in_tables_are_left_to_the_list_of_names() -> None:
    pages = searched()
    combo = pages["/combos/four-by-two/"]
    assert "What runs on 4 nodes" in combo
    assert "It is placid and was" in combo
    assert "<table" not in combo
    assert "Huge 400B" not in combo
    assert not {"/404.html", "/search/", "/"} & set(pages)


def test_a_program_that_is_not_there_or_says_nothing_is_a_named_failure(tmp_path: Path) -> None:
    with pytest.raises(SearchIndexError, match="No such file"):
        index(PAGES, str(tmp_path / "absent"))
    silent = tmp_path / "silent"
    silent.write_text(f"#!{sys.executable}\n")
    silent.chmod(0o755)
    with pytest.raises(SearchIndexError, match="without an answer"):
        index(PAGES, str(silent))


def test_a_build_has_the_index_only_where_it_is_handed_one(tmp_path: Path) -> None:
    project = read_project(small_project(tmp_path))
    plain, whole = build(project).files, build(project, search=installed_indexer()).files
    assert not [path for path in plain if path.startswith("pagefind/")]
    # The archive has no index: no browser loads one from a folder.
    assert {path for path in plain if whole[path] != plain[path]} == set()
    assert "pagefind/pagefind.js" in whole


def test_without_the_indexer_the_site_is_built_and_the_command_says_what_is_missing(
    tmp_path: Path,
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "pagefind_bin.py").write_text("raise ImportError\n", encoding="utf-8")
    project = small_project(tmp_path / "project")
    path = os.pathsep.join([str(hidden), str(Path(__file__).parents[2])])
    done = run_process("--root", project, "build", PYTHONPATH=path)
    assert done.status == 0
    assert "pip install pagefind-bin" in done.err
    assert (project / "public/search/index.html").is_file()
    assert not (project / "public/pagefind").exists()
