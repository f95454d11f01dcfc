"""The development server shows an edit before a build has it, and gives way to the build."""

from __future__ import annotations

import asyncio
import http.client
import signal
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.serve.drafter import Drafter, DraftFailed, NoDrafts
from sitegen.serve.drafting import Drafting
from sitegen.serve.live import Draft, LiveSite, path_of
from sitegen.store import FOLDER
from tests.cli.small_project import remembered_project
from tests.serve.test_serve_builder import HANG, Serving, running, until

BENCH = "catalog/combos/2x-rtx-3090-nvlink.yaml"
PAGE = "combos/2x-rtx-3090-nvlink/index.html"


def edit(root: Path, old: str, new: str, path: str = BENCH) -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def drafter(tmp_path: Path) -> Iterator[Drafter]:
    root = remembered_project(tmp_path)
    made = Drafter(root, root / FOLDER)
    made.start()
    yield made
    made.stop()


def test_a_process_answers_with_pages_problems_and_failures(drafter: Drafter) -> None:
    drafter.renew()
    assert b"The bridge carries" in drafter.files(PAGE)[PAGE]
    edit(drafter.root, "The bridge carries", "It carries")
    drafter.renew()
    assert b"It carries" in drafter.files(PAGE)[PAGE]
    edit(drafter.root, "count: 2", "count: none")
    with pytest.raises(ProblemsFound) as found:
        drafter.renew()
    assert found.value.problems[0].span.path == BENCH
    assert b"It carries" in drafter.files(PAGE)[PAGE]
    edit(drafter.root, "count: none", "count: 2")
    edit(drafter.root, "{% endblock", "{{ nobody }}{% endblock", "templates/combo.html")
    drafter.renew()
    with pytest.raises(DraftFailed, match="'nobody' is undefined"):
        drafter.files(PAGE)
    assert drafter.files("nothing") == {}


def test_a_process_that_was_ended_is_told_from_one_that_fails(drafter: Drafter) -> None:
    drafter.stop()
    with pytest.raises(NoDrafts):
        drafter.renew()
    with pytest.raises(NoDrafts):
        drafter.files(PAGE)
    drafter.start()
    drafter.renew()
    assert PAGE in drafter.files(PAGE)


class Editor:
    """Sources that change when told, and a drafter that says which it has read."""

    def __init__(self) -> None:
        self.version = 0
        self.read = -1
        self.fails: Exception | None = None
        self.starts = 0
        self.reloads = 0
        self.made: list[str] = []

    def start(self) -> None:
        """Count processes."""
        self.starts += 1

    def renew(self) -> None:
        """Read the sources."""
        if self.fails is not None:
            raise self.fails
        self.read = self.version

    def files(self, path: str) -> Mapping[str, bytes]:
        """Make a page."""
        self.made.append(path)
        return {path: b"version %d" % self.read} if path == PAGE else {}

    def look(self) -> Hashable:
        """Tell the version."""
        return self.version

    def reload(self) -> None:
        """Count reloads."""
        self.reloads += 1


def drafted(editor: Editor, live: LiveSite, steps: Callable[[Drafting], Iterator[None]]) -> None:
    """Let drafts be made; after each step, wait until the edit is seen.

    The loop has a thread of its own: a browser that another test left open keeps one in this.
    """

    async def run() -> None:
        drafting = Drafting(live, editor, editor.look, editor.reload)  # type: ignore[arg-type]
        task = asyncio.create_task(drafting.run(since=0))
        await asyncio.sleep(0.2)
        for _ in steps(drafting):
            await asyncio.sleep(0.4)
        task.cancel()

    with ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: asyncio.run(run())).result()


def test_an_edit_is_a_draft_until_the_build_that_has_it() -> None:
    editor, live = Editor(), LiveSite({PAGE: b"version 0"})

    def steps(drafting: Drafting) -> Iterator[None]:
        assert live.draft is None
        editor.version = 1
        yield
        assert editor.reloads == 1
        assert live.draft is not None
        assert live.draft.file(PAGE) == b"version 1"
        assert live.draft.file("other") is None
        live.files = {PAGE: b"version 0"}
        assert not drafting.replaced(built=0)  # a build of the sources before
        assert live.draft is not None
        live.files = {PAGE: b"version 1"}
        assert not drafting.replaced(built=1)  # browsers show the same already
        assert live.draft is None
        editor.version = 2
        yield
        assert live.draft is not None
        live.draft.file(PAGE)
        live.files = {PAGE: b"version 2 with more"}
        assert drafting.replaced(built=2)

    drafted(editor, live, steps)


def test_the_page_that_is_looked_at_is_made_before_a_browser_asks() -> None:
    editor, live = Editor(), LiveSite({PAGE: b"version 0"})

    def steps(_: Drafting) -> Iterator[None]:
        editor.version = 1
        yield
        assert editor.made == []
        for path in ("index.html", PAGE, "assets/site.css"):
            live.note(path)
        editor.version = 2
        yield
        assert editor.made == [PAGE]

    drafted(editor, live, steps)


def test_problems_of_an_edit_stand_on_the_page_until_they_are_mended() -> None:
    editor, live = Editor(), LiveSite({PAGE: b"version 0"})

    def steps(drafting: Drafting) -> Iterator[None]:
        editor.version = 1
        editor.fails = ProblemsFound([Problem(SourceSpan(BENCH, 3), "wrong", "no good")])
        yield
        assert live.said == (f"{BENCH}:3:1: error[wrong]: no good",)
        live.problems = live.said
        assert drafting.replaced(built=1)
        assert live.said == (f"{BENCH}:3:1: error[wrong]: no good",)
        editor.version, editor.fails = 2, None
        yield
        assert not live.said
        live.problems = ()
        assert not drafting.replaced(built=2)
        assert not live.said

    drafted(editor, live, steps)


def test_a_process_that_has_ended_is_begun_again() -> None:
    editor, live = Editor(), LiveSite({PAGE: b"version 0"})

    def steps(_: Drafting) -> Iterator[None]:
        editor.version, editor.fails = 1, NoDrafts("gone")
        yield
        assert (editor.starts, live.draft) == (2, None)
        editor.version, editor.fails = 2, None
        yield
        assert live.draft is not None

    drafted(editor, live, steps)


def test_a_page_that_cannot_be_made_says_why_and_the_last_good_one_stays() -> None:
    def fail(_: str) -> Mapping[str, bytes]:
        raise DraftFailed("RenderError: of a template")

    live = LiveSite({PAGE: b"version 0"}, draft=Draft(fail))
    assert live.draft is not None
    assert live.draft.file(PAGE) is None
    assert live.said == ("the build failed: RenderError: of a template",)


def test_paths_of_requests() -> None:
    assert [path_of(one) for one in ("/", "/a/", "/a/b.css", "/%61/", "/%ff")] == [
        "index.html", "a/index.html", "a/b.css", "a/index.html", "",
    ]  # fmt: skip


def ask(port: int, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/{path}", headers={"Host": f"localhost:{port}"})
    body = connection.getresponse().read().decode()
    connection.close()
    return body


def test_an_edit_shows_although_no_build_ever_ends(tmp_path: Path) -> None:
    root = remembered_project(tmp_path)
    with Serving(root) as serving:
        assert until(lambda: any(line.startswith("http://") for line in serving.said))
        address = next(line for line in serving.said if line.startswith("http://"))
        port = int(address.rstrip("/").rpartition(":")[2])
        assert until(lambda: len(serving.builders()) == 1)  # the process that makes drafts
        status = root / "templates" / "status.html"
        status.write_text(HANG + status.read_text(encoding="utf-8"), encoding="utf-8")
        time.sleep(1)
        edit(root, "The bridge carries", "It carries")
        assert until(lambda: "It carries" in ask(port, PAGE))
        edit(root, "count: 2", "count: none")
        assert until(lambda: "sitegen-problems" in ask(port, PAGE))
        assert "It carries" in ask(port, PAGE)
        edit(root, "count: none", "count: 2")
        assert until(lambda: "sitegen-problems" not in ask(port, PAGE))
        assert serving.built() == 1
        children = serving.builders()
        serving.process.send_signal(signal.SIGTERM)
        serving.process.wait(timeout=20)
        assert until(lambda: not running(children), 10)
