"""Reading a project: what is read, and what an attacker who owns the folder gets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sitegen.inputs import KnownFiles, read_project
from sitegen.problems import Problem, ProblemsFound

OUTSIDE = "not of this project"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a folder with a little of everything."""
    for path, content in {
        "catalog/gpus/rtx-4090.yaml": b"name: RTX 4090\n",
        "content/guides/first.md": b"# First\r\nline\r\n",
        "content/site.yaml": b"title: x\n",
        "templates/base.html": b"<title></title>",
        "templates/partials/foot.html": b"<footer>",
        "templates/assets/icons/logo.png": b"\x89PNG\xff",
    }.items():
        file = tmp_path / "project" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return tmp_path / "project"


def problems_in(root: Path) -> tuple[Problem, ...]:
    with pytest.raises(ProblemsFound) as found:
        read_project(root)
    return found.value.problems


def only_problem(root: Path) -> tuple[str, str]:
    (problem,) = problems_in(root)
    assert OUTSIDE not in str(problem)
    return str(problem.span), problem.code


def test_files_are_keyed_as_their_readers_name_them(project: Path) -> None:
    files = read_project(project)
    assert files.catalog == {"catalog/gpus/rtx-4090.yaml": "name: RTX 4090\n"}
    assert list(files.content) == ["content/guides/first.md", "content/site.yaml"]
    assert list(files.templates) == ["base.html", "partials/foot.html"]
    assert files.assets == {"icons/logo.png": b"\x89PNG\xff"}


def test_windows_line_ends_become_line_feeds(project: Path) -> None:
    assert read_project(project).content["content/guides/first.md"] == "# First\nline\n"


def test_what_editors_and_systems_leave_is_passed_over(project: Path) -> None:
    before = read_project(project)
    for name in (".DS_Store", ".rtx-4090.yaml.swp", "rtx-4090.yaml~", ".hidden/x.yaml"):
        file = project / "catalog/gpus" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"\xff\x00")
    assert read_project(project) == before


def test_content_and_templates_may_be_missing_and_the_catalog_not(tmp_path: Path) -> None:
    assert only_problem(tmp_path) == ("catalog:1:1", "missing-folder")
    (tmp_path / "catalog").mkdir()
    assert read_project(tmp_path).content == {}


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert only_problem(tmp_path / "nowhere") == (".:1:1", "unreadable")


@pytest.mark.parametrize(
    "place", ["catalog/gpus", "content/guides", "templates", "templates/assets"]
)
@pytest.mark.parametrize("target", ["secret", "folder", ".", "missing", "link"])
def test_links_are_not_followed(project: Path, place: str, target: str) -> None:
    outside = project.parent
    (outside / "secret").write_text(OUTSIDE)
    (outside / "folder").mkdir()
    (outside / "folder/x.yaml").write_text(OUTSIDE)
    link = project / place / "link"
    goal = link if target == "link" else outside / target
    link.symlink_to(goal if target != "." else project)
    assert only_problem(project) == (f"{place}/link:1:1", "symlink")


def test_a_top_folder_that_is_a_link_is_not_followed(project: Path) -> None:
    (project / "catalog").rename(project.parent / "elsewhere")
    (project / "catalog").symlink_to(project.parent / "elsewhere")
    assert only_problem(project) == ("catalog:1:1", "symlink")


def test_a_folder_swapped_for_a_link_while_reading_leaks_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "rtx-4090.yaml").write_text(OUTSIDE)
    look = os.scandir

    def look_then_swap(folder: int) -> os._ScandirIterator[str]:
        entries = look(folder)
        gpus = project / "catalog/gpus"
        if not gpus.is_symlink():
            gpus.rename(project / "moved")
            gpus.symlink_to(outside)
        return entries

    monkeypatch.setattr(os, "scandir", look_then_swap)
    assert only_problem(project) == ("catalog/gpus:1:1", "symlink")


def test_a_pipe_does_not_make_it_wait(project: Path) -> None:
    os.mkfifo(project / "catalog/gpus/pipe.yaml")
    assert only_problem(project) == ("catalog/gpus/pipe.yaml:1:1", "not-a-file")


@pytest.fixture
def short_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter the project, because a socket's path must be short."""
    monkeypatch.chdir(project)
    return project


def test_a_socket_is_refused(short_folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("catalog/s.yaml")
        assert only_problem(short_folder) == ("catalog/s.yaml:1:1", "not-a-file")


def test_a_huge_sparse_file_is_not_read_whole(project: Path) -> None:
    with (project / "catalog/gpus/huge.yaml").open("wb") as huge:
        huge.truncate(10 * 2**30)
    assert only_problem(project) == ("catalog/gpus/huge.yaml:1:1", "too-large")


def test_a_file_of_just_the_limit_is_read(project: Path) -> None:
    file = project / "content/guides/first.md"
    file.write_bytes(b"x" * 2**20)
    assert len(read_project(project).content["content/guides/first.md"]) == 2**20
    file.write_bytes(b"x" * (2**20 + 1))
    assert only_problem(project) == ("content/guides/first.md:1:1", "too-large")


def test_an_empty_file_is_an_empty_text(project: Path) -> None:
    (project / "catalog/gpus/empty.yaml").touch()
    assert read_project(project).catalog["catalog/gpus/empty.yaml"] == ""


@pytest.mark.parametrize(
    ("content", "place", "offset"),
    [
        (b"name: Gr\xf6\xdfe\n", "1:9", "byte 8 (0xf6)"),
        (b"a: 1\nb: \xc3\xa9 \xff\n", "2:6", "byte 11 (0xff)"),
        (b"a: 1\nb: \xed\xa0\x80\n", "2:4", "byte 8 (0xed)"),
        ("a: 1\n".encode("utf-16"), "1:1", "UTF-16"),
    ],
)
def test_bytes_that_are_not_utf8_are_named_with_line_and_offset(
    project: Path, content: bytes, place: str, offset: str
) -> None:
    (project / "catalog/gpus/latin.yaml").write_bytes(content)
    (problem,) = problems_in(project)
    assert str(problem.span) == f"catalog/gpus/latin.yaml:{place}"
    assert (problem.code, offset in problem.message) == ("not-utf8", True)


@pytest.mark.parametrize("character", ["\x00", "\ufeff", "\r", "\u202e", "\x1b"])
def test_content_may_not_hide_characters(project: Path, character: str) -> None:
    (project / "content/guides/first.md").write_bytes(f"# A\n{character}b\n".encode())
    assert only_problem(project) == ("content/guides/first.md:2:1", "character")


def test_a_name_that_would_write_into_a_log_is_refused_and_shown_harmless(project: Path) -> None:
    (project / "catalog/gpus/a\n::error::x.yaml").touch()
    (problem,) = problems_in(project)
    assert problem.code == "file-name"
    assert str(problem).replace("\n  hint", "").isprintable()


def test_a_path_that_is_too_long_or_too_deep_is_refused(project: Path) -> None:
    (project / "catalog" / ("x" * 240)).touch()
    deep = project / "content" / "/".join("abcdefghij")
    deep.mkdir(parents=True)
    assert [problem.code for problem in problems_in(project)] == ["file-name", "file-name"]


def test_all_problems_of_the_disk_come_together(project: Path) -> None:
    (project / "catalog/gpus/link.yaml").symlink_to("/etc/passwd")
    (project / "content/guides/bad.md").write_bytes(b"\xff")
    os.mkfifo(project / "templates/pipe")
    assert [problem.code for problem in problems_in(project)] == [
        "symlink",
        "not-utf8",
        "not-a-file",
    ]


def test_a_file_that_nobody_touched_is_not_read_again_and_one_just_written_is(
    project: Path,
) -> None:
    known, guide = KnownFiles(), project / "content/guides/first.md"
    for path in project.rglob("*"):
        os.utime(path, (1, 1))  # the time of change stays: all of them were made just now
    first = read_project(project, known=known)
    assert known.contents == {}
    stamp = (1, 2, 3, 4, 5)
    known.keep("content/guides/first.md", stamp, b"# Old\n")
    assert known.content("content/guides/first.md", stamp) == b"# Old\n"
    assert known.content("content/guides/first.md", (1, 2, 3, 4, 6)) is None
    assert read_project(project, known=known) == first
    guide.write_text("# Other\n")
    assert read_project(project, known=known).content["content/guides/first.md"] == "# Other\n"


def test_a_text_that_was_in_order_is_decoded_once(project: Path) -> None:
    known = KnownFiles()
    read_project(project, known=known)
    content, text = known.texts["catalog/gpus/rtx-4090.yaml"]
    assert (content, text) == (b"name: RTX 4090\n", "name: RTX 4090\n")
    (project / "content/guides/first.md").write_bytes(b"\xff")
    known.texts.clear()
    with pytest.raises(ProblemsFound):
        read_project(project, known=known)
    assert "content/guides/first.md" not in known.texts
