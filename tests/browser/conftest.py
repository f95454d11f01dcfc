"""One Chromium for all tests, and the invented site in a folder it can open."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, sync_playwright

from benchmarks import browser_parity
from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.fit_engine import FitEngine
from sitegen.pipeline.search import installed_indexer
from sitegen.survey.results import ComboSurvey
from tests.engines import engine_of
from tests.made_once import browser_program, replace_in
from tests.render.built import files, searched
from tests.survey.whole_catalog import whole_survey

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--no-first-run",
]  # fmt: skip


def surveyed(_: FitEngine, combo: Combo) -> ComboSurvey:
    """Look a combo of the real catalog up among those that tests share."""
    return whole_survey(combo.id)


replace_in(browser_parity, FitEngine=engine_of, survey_combo=surveyed)
replace_in(browser_parity, program=browser_program)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if name and (found := shutil.which(name))), None)
    assert path is not None, "no Chromium: scripts/chromium.sh installs one"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("site")
    written(root, files())
    return root


def written(root: Path, content: Mapping[str, bytes]) -> None:
    for path, body in content.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output to the tests."""


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The address of a server for a folder."""
    handler = partial(_Quiet, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def published_at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The invented site with its index of the text, on a server, two folders deep."""
    root = tmp_path_factory.mktemp("server")
    indexer = installed_indexer()
    assert indexer is not None, "pagefind-bin is among the packages of the environment"
    written(root / "some" / "base", {**files(), **indexer(searched())})
    with served(root) as at:
        yield f"{at}some/base/"
