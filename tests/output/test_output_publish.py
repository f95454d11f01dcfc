"""Publishing: the folder holds the new site or the old one; what is not ours is never lost."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sitegen.output import (
    MANIFEST,
    DescribedFile,
    PublishError,
    SiteFiles,
    SwapMode,
    described,
    publish,
    publishing,
)

OLD = {"index.html": b"old home", "combos/a/index.html": b"old a", "gone.txt": b"gone"}
NEW = {"index.html": b"new home", "combos/a/index.html": b"old a", "combos/b/index.html": b"b"}
MODES = ("", "renames")


def tree(folder: Path) -> dict[str, bytes]:
    """Read everything but the manifest."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir() if path != out)


def test_first_publication_makes_the_folder_and_its_parents(tmp_path: Path) -> None:
    out = tmp_path / "www" / "public"
    publication = publish(NEW, out)
    assert tree(out) == NEW
    assert publication.mode is SwapMode.FIRST
    assert publication.added == tuple(sorted(NEW))
    assert beside(out) == []


@pytest.mark.parametrize("mode", MODES)
def test_publication_replaces_the_site_and_says_what_changed(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SWAP", mode)
    out = tmp_path / "public"
    publish(OLD, out)
    publication = publish(NEW, out)
    assert tree(out) == NEW
    assert publication.added == ("combos/b/index.html",)
    assert publication.changed == ("index.html",)
    assert publication.removed == ("gone.txt",)
    assert publication.unchanged == 1
    if mode:
        assert publication.mode is SwapMode.RENAMES
    else:  # some file systems cannot exchange folders
        assert publication.mode in {SwapMode.EXCHANGE, SwapMode.RENAMES}
    assert beside(out) == []


def test_a_user_without_a_home_can_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody_knows(_: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", nobody_knows)
    publish(NEW, tmp_path / "public")
    assert tree(tmp_path / "public") == NEW


def test_manifest_lists_every_file_with_size_and_digest(tmp_path: Path) -> None:
    publish(NEW, tmp_path / "public")
    manifest = json.loads((tmp_path / "public" / MANIFEST).read_bytes())
    assert manifest["files"] == [
        {"path": path, "sha256": hashlib.sha256(NEW[path]).hexdigest(), "size": len(NEW[path])}
        for path in sorted(NEW)
    ]


def test_modes_do_not_depend_on_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        publish(NEW, tmp_path / "public")
    finally:
        os.umask(before)
    for path in [tmp_path / "public", *(tmp_path / "public").rglob("*")]:
        expected = 0o755 if path.is_dir() else 0o644
        assert stat.S_IMODE(path.lstat().st_mode) == expected, path


def test_published_tree_has_no_links_and_no_hidden_files(tmp_path: Path) -> None:
    publish({**NEW, ".nojekyll": b""}, tmp_path / "public")
    for path in (tmp_path / "public").rglob("*"):
        assert not path.is_symlink()
        assert path.is_dir() or path.stat().st_nlink == 1
        assert not path.name.startswith(".") or path.name == ".nojekyll"


@pytest.mark.parametrize(
    "path",
    [
        "../x", "/abs", "a/../b", "a//b", "./a", "", "a\\b", "C:x", "%2e%2e/x", "a\0b", "nul.html",
        "con", "aux/index.html", "lpt9.txt", "com¹", "a.", "a ", ".hidden", "a/.git/config",
        "x" * 201, "/".join(["long-name"] * 30), "a\u001bb", "tab\tname", 'a"b', "\ud800",
    ],
)  # fmt: skip
def test_unsafe_paths_are_refused_before_anything_is_written(tmp_path: Path, path: str) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    with pytest.raises(PublishError, match="cannot publish"):
        publish({**NEW, path: b"x"}, out)
    assert tree(out) == OLD
    assert beside(out) == []


@pytest.mark.parametrize(
    "clash", [("A/x.html", "a/x.html"), ("a", "a/b"), ("Ä.html", "ä.html"), ("A", "a/b")]
)
def test_paths_that_some_file_system_cannot_hold_together_are_refused(
    tmp_path: Path, clash: tuple[str, str]
) -> None:
    with pytest.raises(PublishError):
        publish(dict.fromkeys(clash, b"x"), tmp_path / "public")


def test_precious_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "home" / "project"
    (root / "catalog").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for out in ("/", tmp_path, tmp_path / "home", root, root / "catalog", root / "catalog/gpus"):
        with pytest.raises(PublishError, match="refusing"):
            publish(NEW, Path(out), root=root)
    publish(NEW, root / "public", root=root)
    assert tree(root / "public") == NEW


def test_a_folder_that_is_not_ours_is_refused_and_untouched(tmp_path: Path) -> None:
    out = tmp_path / "photos"
    out.mkdir()
    (out / "holiday.jpg").write_bytes(b"jpg")
    for force in (False, True):
        with pytest.raises(PublishError, match="sitegen did not write it"):
            publish(NEW, out, force=force)
    assert tree(out) == {"holiday.jpg": b"jpg"}


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    out = tmp_path / "public"
    out.mkdir()
    publish(NEW, out)
    assert tree(out) == NEW


def test_a_manifest_of_another_program_is_not_ours(tmp_path: Path) -> None:
    out = tmp_path / "public"
    out.mkdir()
    for content in (b"{}", b"not json", b'{"generator": "other", "files": []}', b"[1]"):
        (out / MANIFEST).write_bytes(content)
        with pytest.raises(PublishError, match="not empty"):
            publish(NEW, out)


def test_foreign_files_stop_the_publication_or_are_carried_along(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    (out / "CNAME").write_text("example.org")
    (out / "combos" / "notes").mkdir()
    (out / "combos" / "notes" / "mine.txt").write_text("mine")
    (out / "link").symlink_to("CNAME")
    with pytest.raises(PublishError, match=r"'CNAME', 'combos/notes/mine\.txt', 'link'"):
        publish(NEW, out)
    publication = publish(NEW, out, force=True)
    assert publication.foreign == ("CNAME", "combos/notes/mine.txt", "link")
    assert (out / "link").is_symlink()
    expected = {**NEW, "CNAME": b"example.org", "combos/notes/mine.txt": b"mine"}
    assert tree(out) == {**expected, "link": b"example.org"}


def test_what_somebody_did_to_published_files_is_named_when_it_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "public"
    files = {**OLD, "same.txt": b"same", "dated.txt": b"dated", "touched.txt": b"touched"}
    assert publish(files, out).edited == ()
    assert publish(files, out).edited == ()
    (out / "index.html").write_bytes(b"new home, by hand")
    (out / "gone.txt").unlink()
    (out / "same.txt").write_bytes(b"emas")
    (out / "dated.txt").write_bytes(b"detad")
    os.utime(out / "dated.txt", (0, 0))
    (out / "touched.txt").write_bytes(b"touched")
    publication = publish(files, out)
    assert publication.edited == ("dated.txt", "gone.txt", "index.html", "same.txt")
    assert tree(out) == files


def test_a_link_in_place_of_a_published_file_is_named(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    (tmp_path / "mine.txt").write_bytes(OLD["gone.txt"])
    (out / "gone.txt").unlink()
    (out / "gone.txt").symlink_to(tmp_path / "mine.txt")
    assert publish(OLD, out).edited == ("gone.txt",)
    assert (tmp_path / "mine.txt").read_bytes() == OLD["gone.txt"]


def test_a_foreign_file_in_the_way_is_never_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    (out / "combos" / "b").mkdir()
    (out / "combos" / "b" / "INDEX.html").write_text("mine")
    with pytest.raises(PublishError, match="the build would overwrite it"):
        publish(NEW, out, force=True)
    assert (out / "combos" / "b" / "INDEX.html").read_text() == "mine"


def test_symlinks_are_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    out = tmp_path / "public"
    out.symlink_to(outside)
    with pytest.raises(PublishError, match="symlink"):
        publish(NEW, out)
    out.unlink()
    publish(OLD, out)
    (out / "index.html").unlink()
    (out / "index.html").symlink_to(outside / "victim")
    publish(NEW, out)
    assert list(outside.iterdir()) == []
    assert not (out / "index.html").is_symlink()


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "public"
    out.write_text("a file")
    with pytest.raises(PublishError, match="it is a file"):
        publish(NEW, out)
    assert out.read_text() == "a file"


def test_a_parent_that_is_a_file_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(PublishError, match="cannot publish into"):
        publish(NEW, tmp_path / "file" / "public")


def _failing(real: Callable[..., object], at: int, code: int) -> Callable[..., object]:
    calls = 0

    def wrapper(*arguments: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == at:
            raise OSError(code, os.strerror(code))
        return real(*arguments, **named)

    return wrapper


FAULTS = [
    (mode, operation, at, code)
    for mode in MODES
    for operation, ats in {
        "write": (1, 2, 4, 5),
        "fsync": (1, 3, 5, 8, 9, 10),
        "open": (1, 2, 3, 5, 9),
        "mkdir": (1, 2, 3),
        "rename": (1, 2, 3),
        "fchmod": (1, 4),
    }.items()
    for at in ats
    for code in (errno.ENOSPC, errno.EIO, errno.EROFS)
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_failing_disk_leaves_the_old_site_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: tuple[str, str, int, int]
) -> None:
    mode, operation, at, code = fault
    out = tmp_path / "public"
    publish(OLD, out)
    monkeypatch.setenv("SITEGEN_SWAP", mode)
    with monkeypatch.context() as broken:
        broken.setattr(os, operation, _failing(getattr(os, operation), at, code))
        try:
            publish(NEW, out)
            message = ""
        except PublishError as error:
            message = str(error)
    assert tree(out) == (OLD if message else NEW)
    assert not message or os.strerror(code) in message
    publish(NEW, out)
    assert tree(out) == NEW
    assert beside(out) == []


def test_an_interrupt_leaves_the_old_site_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "public"
    publish(OLD, out)

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            publish(NEW, out)
    assert tree(out) == OLD
    assert beside(out) == []


def test_files_written_early_are_part_of_the_publication_once_it_is_finished(
    tmp_path: Path,
) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    with publishing(out) as publisher:
        publisher.write({"index.html": NEW["index.html"]})
        assert tree(out) == OLD
        publication = publisher.finish(NEW)
    assert tree(out) == NEW
    assert publication.changed == ("index.html",)
    assert beside(out) == []


def test_files_written_early_are_gone_when_a_build_fails_after_all(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)

    def failing() -> None:
        with publishing(out) as publisher:
            publisher.write(NEW)
            raise LookupError("a link leads nowhere")

    with pytest.raises(LookupError, match="leads nowhere"):
        failing()
    assert tree(out) == OLD
    assert beside(out) == []


def test_an_unsafe_path_is_not_written_early_either(tmp_path: Path) -> None:
    out = tmp_path / "public"
    with publishing(out) as publisher, pytest.raises(PublishError, match="not a name"):
        publisher.write({"../x": b""})
    assert not (tmp_path / "x").exists()
    assert beside(out) == []
    assert not out.exists()


def test_the_same_files_give_the_same_tree_wherever_they_are_published(tmp_path: Path) -> None:
    def digest(files: Mapping[str, bytes], out: Path) -> dict[str, bytes]:
        publish(files, out)
        return {**tree(out), MANIFEST: (out / MANIFEST).read_bytes()}

    backwards = dict(reversed(NEW.items()))
    assert digest(NEW, tmp_path / "a") == digest(backwards, tmp_path / "b" / "c")


def test_a_file_that_stands_already_is_not_written_again(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    before = {path: (out / path).stat().st_ino for path in OLD}
    publish(NEW, out)
    assert tree(out) == NEW
    after = {path: (out / path).stat() for path in NEW}
    assert after["combos/a/index.html"].st_ino == before["combos/a/index.html"]
    assert after["index.html"].st_ino != before["index.html"]
    assert {found.st_nlink for found in after.values()} == {1}


def test_a_described_file_is_fetched_only_where_it_does_not_stand(tmp_path: Path) -> None:
    out, fetched = tmp_path / "public", list[str]()
    publish(OLD, out)

    def fetch(path: str) -> bytes:
        fetched.append(path)
        return NEW[path]

    elsewhere = {path: DescribedFile(described(content), fetch) for path, content in NEW.items()}
    publish(SiteFiles({}, elsewhere), out)
    assert tree(out) == NEW
    assert fetched == ["combos/b/index.html", "index.html"]
    (out / "index.html").write_bytes(b"new home")  # the same words, touched
    (out / "combos/b/index.html").write_bytes(b"c")
    fetched.clear()
    assert publish(SiteFiles({}, elsewhere), out).edited == ("combos/b/index.html",)
    assert tree(out) == NEW
    assert set(fetched) == {"combos/b/index.html", "index.html"}


def test_a_file_that_changes_while_a_site_is_built_is_not_carried_along(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    with publishing(out) as publisher:
        publisher.write({"combos/a/index.html": NEW["combos/a/index.html"]})
        (out / "combos/a/index.html").write_bytes(b"old b")
        publisher.finish(NEW)
    assert tree(out) == NEW


def test_a_forked_process_writes_files_of_the_publication(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    with publishing(out) as publisher:
        child = os.fork()
        if child == 0:
            publisher.write({path: NEW[path] for path in ("index.html", "combos/b/index.html")})
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        publisher.write({"combos/a/index.html": NEW["combos/a/index.html"]})
        publication = publisher.finish(NEW)
    assert tree(out) == NEW
    assert publication.changed == ("index.html",)


def test_a_copy_that_shares_the_files_of_a_site_keeps_its_own(tmp_path: Path) -> None:
    out, snapshot = tmp_path / "public", tmp_path / "snapshot.html"
    publish(OLD, out)
    snapshot.hardlink_to(out / "combos/a/index.html")
    publish(NEW, out)
    (out / "combos/a/index.html").write_bytes(b"by hand")
    assert snapshot.read_bytes() == b"old a"
    assert publish(NEW, out).edited == ("combos/a/index.html",)
    assert tree(out) == NEW


def test_a_file_of_the_right_size_with_other_words_is_written_again(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    (out / "combos/a/index.html").write_bytes(b"new a")
    publish(NEW, out)
    assert tree(out) == NEW


def test_a_mode_that_somebody_changed_is_set_right(tmp_path: Path) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    (out / "combos/a/index.html").chmod(0o600)
    publish(NEW, out)
    assert stat.S_IMODE((out / "combos/a/index.html").stat().st_mode) == 0o644


def test_a_file_system_without_second_names_takes_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    out = tmp_path / "public"
    publish(OLD, out)
    monkeypatch.setattr(os, "link", refused)
    publish(NEW, out)
    assert tree(out) == NEW


def test_a_file_edited_while_the_old_site_is_removed_is_still_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "public"
    publish(OLD, out)
    remove = sys.modules["sitegen.output.swap"].remove

    def removed(scratch: Path) -> None:
        remove(scratch)
        (out / "combos/a/index.html").write_bytes(b"old A")

    monkeypatch.setattr(sys.modules["sitegen.output.swap"], "remove", removed)
    publish(NEW, out)
    monkeypatch.undo()
    assert publish(NEW, out).edited == ("combos/a/index.html",)
