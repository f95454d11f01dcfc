"""``--catalog``: private records beside those of the project, and never in their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.inputs import read_project
from sitegen.pipeline.building import build
from sitegen.problems import ProblemsFound
from sitegen.serve import Builder, fingerprint
from tests.cli.small_project import REPOSITORY, run
from tests.cli.test_cli_import import SAID
from tests.importers.reading import FILES


@pytest.fixture
def root(lent: Path) -> Path:
    return lent


@pytest.fixture
def company(tmp_path: Path) -> Path:
    """A GPU that nobody else has, and a machine with two of them."""
    folder = tmp_path / "company"
    for kind, old, new in (
        ("gpus", "rtx-4090", "prototype"),
        ("combos", "2x-rtx-4090", "2x-prototype"),
    ):
        (folder / kind).mkdir(parents=True)
        text = (REPOSITORY / "catalog" / kind / f"{old}.yaml").read_text(encoding="utf-8")
        text = text.replace("gpu: rtx-4090", "gpu: prototype").replace("RTX 4090", "Prototype")
        (folder / kind / f"{new}.yaml").write_text(text, encoding="utf-8")
    return folder


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("before", [True, False])
def test_the_option_stands_before_or_behind_any_command(
    root: Path, company: Path, before: bool
) -> None:
    option: list[str | Path] = ["--catalog", company]
    for command, said in (
        (["check"], ""),
        (["fit", "qwen3-8b", "2x-prototype"], "2× Prototype"),
        (["fit", "qwen3-8b", "--gpu", "prototype"], "Prototype"),
        (["recipe", "qwen3-8b", "2x-prototype"], "Prototype"),
        (["explain", "qwen3-8b", "2x-prototype"], "Prototype"),
        (["bench-plan", "2x-prototype"], "2x-prototype"),
    ):
        words: list[str | Path] = [*option, *command] if before else [*command, *option]
        done = run("--root", root, *words)
        assert done.status == 0, (command, done.out, done.err)
        assert said.lower() in done.out.lower()
    assert run("--root", root, "fit", "qwen3-8b", "2x-prototype").status == 2


def test_an_id_of_the_public_catalog_is_refused_with_both_places(root: Path, company: Path) -> None:
    (company / "gpus" / "prototype.yaml").rename(company / "gpus" / "rtx-3090.yaml")
    done = run("--root", root, "check", "--catalog", company)
    assert done.status == 1
    place = f"{(company / 'gpus' / 'rtx-3090.yaml').as_posix()}:1:1: error[duplicate-id]"
    assert f"{place}: catalog/gpus/rtx-3090.yaml has this id too" in done.out


def test_problems_name_the_file_that_is_wrong(root: Path, company: Path) -> None:
    edited(company / "gpus" / "prototype.yaml", "vendor: nvidia", "vendor: nvidja")
    edited(company / "combos" / "2x-prototype.yaml", "link: pcie-4-x16", "link: pcie-9-x16")
    edited(root / "catalog" / "gpus" / "rtx-3090.yaml", "vendor: nvidia", "vendor: nvidja")
    done = run("--root", root, "check", "--catalog", company, "--format", "json")
    places = {(one["path"], one["code"]) for one in json.loads(done.out)["problems"]}
    assert {
        (f"{company.as_posix()}/gpus/prototype.yaml", "not-a-choice"),
        (f"{company.as_posix()}/combos/2x-prototype.yaml", "unknown-interconnect"),
        ("catalog/gpus/rtx-3090.yaml", "not-a-choice"),
    } <= places
    alone = run("--root", root, "check", company / "gpus" / "prototype.yaml", "--catalog", company)
    assert (alone.status, alone.out.count("error[")) == (1, 1)


def test_a_private_catalog_below_the_project_is_named_from_there(root: Path, company: Path) -> None:
    inside = root / "ours"
    company.rename(inside)
    edited(inside / "gpus" / "prototype.yaml", "vendor: nvidia", "vendor: nvidja")
    assert (
        "\nours/gpus/prototype.yaml:3:9: error"
        in "\n" + run("--root", root, "check", "--catalog", inside).out
    )


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda company: (company / "gpus" / "more").mkdir(), None),
        (lambda company: (company / "README.md").write_text("ours"), "folder"),
        (lambda company: (company / "gpus" / "a").symlink_to("/etc/passwd"), "symlink"),
        (lambda company: (company / "chips").mkdir(), None),
        (lambda company: (company / "gpus" / "X.yaml").write_text("name: X"), "file-name"),
        (lambda company: (company / "gpus" / "b.yaml").write_bytes(b"name: \xff"), "not-utf8"),
    ],
)
def test_a_private_folder_is_read_with_the_same_suspicion(
    root: Path, company: Path, make: object, code: str | None
) -> None:
    assert callable(make)
    make(company)
    done = run("--root", root, "check", "--catalog", company)
    assert done.status == (1 if code else 0), done.out + done.err
    assert code is None or f"error[{code}]" in done.out
    assert code is None or done.out.startswith(company.as_posix())


@pytest.mark.parametrize("name", [".", "catalog", "catalog/gpus"])
def test_the_project_itself_is_no_private_catalog(root: Path, name: str) -> None:
    with pytest.raises(ProblemsFound) as found:
        read_project(root, root / name)
    assert {one.code for one in found.value.problems} == {"private-folder"}


def test_an_empty_private_folder_is_a_mistake(root: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("--root", root, "check", "--catalog", tmp_path / "empty")
    assert (done.status, "the private catalog holds no records" in done.out) == (1, True)
    assert run("--root", root, "check", "--catalog", tmp_path / "none").status == 2


def test_pages_say_which_records_are_private_and_not_where_they_lie(
    root: Path, company: Path
) -> None:
    files = build(read_project(root, company)).files
    public = build(read_project(root)).files
    mark = "This record is private"
    for url in ("gpus/prototype", "combos/2x-prototype", "combos/2x-prototype/models"):
        page = files[f"{url}/index.html"].decode()
        assert mark in page
        assert "Report a wrong number" not in page
    assert mark not in files["gpus/rtx-4090/index.html"].decode()
    assert "Report a wrong number" in files["gpus/rtx-4090/index.html"].decode()
    assert "private records" not in public["index.html"].decode()
    assert "private records" in files["index.html"].decode()
    status = files["status/index.html"].decode()
    assert 'id="private"' in status
    assert "prototype" in status
    twin = json.loads(files["gpus/prototype/index.json"])
    assert twin["generated_from"] == "private/gpus/prototype.yaml"
    where = company.parent.as_posix().encode()
    assert [path for path, content in files.items() if where in content] == []


def test_the_version_of_the_data_does_not_depend_on_where_the_folder_lies(
    root: Path, company: Path, tmp_path: Path
) -> None:
    def version() -> str:
        made = json.loads(run("--root", root, "fit", "qwen3-8b", "2x-prototype", "--json",
                              "--catalog", company).out)  # fmt: skip
        return json.dumps(made)

    before = version()
    company = company.rename(tmp_path / "elsewhere")
    assert version() == before


def test_new_records_go_into_the_private_catalog(root: Path, company: Path) -> None:
    done = run("--root", root, "new", "gpu", "secret", "--catalog", company)
    assert done.status == 0, done.err
    assert done.out.strip() == f"{company.as_posix()}/gpus/secret.yaml"
    assert (company / "gpus" / "secret.yaml").is_file()
    assert not (root / "catalog" / "gpus" / "secret.yaml").exists()
    checked = run("--root", root, "check", "--catalog", company, "--ignore", "stand-in")
    assert (checked.status, checked.out) == (0, "")


def test_imported_results_go_into_the_private_catalog(root: Path, company: Path) -> None:
    done = run("--root", root, "import", FILES / "vllm/saved.json", *SAID, "--catalog", company)
    assert done.status == 0, done.err
    (written,) = (company / "benchmarks").iterdir()
    assert done.out.strip() == f"{company.as_posix()}/benchmarks/{written.name}"
    assert not list((root / "catalog").glob("benchmarks/*"))
    again = run("--root", root, "import", FILES / "vllm/saved.json", *SAID, "--catalog", company)
    assert "already imported and unchanged" in again.err


def test_the_server_builds_with_the_private_catalog(root: Path, company: Path) -> None:
    files = Builder(root, private=company)()
    assert "gpus/prototype/index.html" in files


def test_the_server_notices_an_edit_of_a_private_record(root: Path, company: Path) -> None:
    before = fingerprint(root, company)
    assert fingerprint(root, company) == before
    edited(company / "gpus" / "prototype.yaml", "slots: 3", "slots: 44")
    assert fingerprint(root, company) != before
