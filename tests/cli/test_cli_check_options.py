"""Options of ``sitegen check``: which codes count, what they mean, and what it mends by itself."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import pytest

import sitegen
from sitegen.cli.calendar_day import day_of_clock
from sitegen.cli.project_file import older
from sitegen.cli.shares import shared
from sitegen.cli.text.explanations import explanations
from tests.catalog.test_problems import codes_in_source
from tests.cli.small_project import REPOSITORY, run
from tests.lint.test_docs import reported


@pytest.fixture
def root(lent: Path) -> Path:
    return lent


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def broken(root: Path) -> Path:
    """Misspell a key and leave one out, and name a GPU that is none in another file."""
    gpu = root / "catalog" / "gpus" / "rtx-3090.yaml"
    edit(gpu, "name:", "nmae:")
    edit(gpu, "vendor: nvidia\n", "")
    edit(root / "catalog" / "combos" / "2x-rtx-4090.yaml", "gpu: rtx-4090", "gpu: rtx-4900")
    return gpu


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ((), {"unknown-key", "missing-key", "unknown-gpu"}),
        (("--select", "unknown-gpu"), {"unknown-gpu"}),
        (("--select", "unknown-gpu,missing-key"), {"unknown-gpu", "missing-key"}),
        (("--ignore", "unknown-gpu"), {"unknown-key", "missing-key"}),
        (("--select", "unknown-gpu", "--ignore", "unknown-gpu"), set()),
    ],
)
def test_codes_are_chosen_and_left_out(
    root: Path, options: tuple[str, ...], codes: set[str]
) -> None:
    broken(root)
    done = run("--root", root, "check", "--format", "concise", *options)
    found = {line.partition("[")[2].partition("]")[0] for line in done.out.splitlines()}
    assert found == codes
    assert done.status == (1 if codes else 0)


@pytest.mark.parametrize("option", ["--select", "--ignore", "--explain"])
def test_a_code_that_is_none_is_wrong_usage_with_the_nearest(root: Path, option: str) -> None:
    done = run("--root", root, "check", option, "unknwon-gpu")
    assert done.status == 2
    assert "did you mean 'unknown-gpu'?" in done.err


def test_every_code_that_is_reported_is_explained_from_its_page() -> None:
    known = explanations(shared("docs/problems.md"), shared("docs/linter.md"))
    assert known.keys() == codes_in_source() | reported()
    page = (REPOSITORY / "docs" / "problems.md").read_text()
    done = run("check", "--explain", "unknown-gpu")
    assert done.status == 0
    assert done.out.strip() in page
    assert "**Fix:**" in done.out
    assert run("explain", "unknown-gpu").out == done.out
    assert "more GPUs than it has" in run("check", "--explain", "ray-gpus").out


def test_pages_that_explain_are_installed_with_the_program() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text()
    assert '"share/sitegen/docs" = ["docs/linter.md", "docs/problems.md"]' in text


def test_files_are_mended_in_place_and_named(root: Path) -> None:
    gpu = root / "catalog" / "gpus" / "rtx-3090.yaml"
    right = gpu.read_text()
    gpu.write_text(right.partition("\n")[2].replace("\n", "\r\n"), newline="")
    gpu.chmod(0o640)
    done = run("--root", root, "check", "--fix")
    assert done.status == 0, done.out
    assert "mended catalog/gpus/rtx-3090.yaml" in done.err
    assert gpu.read_bytes() == right.replace("\n", "\r\n").encode()
    assert gpu.stat().st_mode & 0o777 == 0o640
    assert "mended" not in run("--root", root, "check", "--fix").err
    assert sorted(path.name for path in gpu.parent.iterdir()) == [
        "dgx-spark.yaml", "rtx-3090.yaml", "rtx-4090.yaml",
    ]  # fmt: skip


def test_a_file_is_called_as_its_id_unless_the_name_is_taken(root: Path) -> None:
    gpu = root / "catalog" / "gpus" / "rtx-3090.yaml"
    gpu.rename(gpu.with_name("RTX-3090.yml"))
    done = run("--root", root, "check", "--fix", gpu.with_name("RTX-3090.yml"))
    assert done.status == 0, done.out
    assert "mended catalog/gpus/RTX-3090.yml, now catalog/gpus/rtx-3090.yaml" in done.err
    gpu.with_name("rtx-3090.yml").write_text("name: another")
    assert run("--root", root, "check", "--fix").status == 1
    assert gpu.with_name("rtx-3090.yml").read_text() == "name: another"
    text = gpu.read_text()
    for name in ("B-1.yaml", "B-1.YML"):
        gpu.with_name(name).write_text(text.replace("name: ", f"name: {name} "))
    run("--root", root, "check", "--fix")
    assert "name: B-1.YML " in gpu.with_name("b-1.yaml").read_text(), "the first of the two"
    assert "name: B-1.yaml " in gpu.with_name("B-1.yaml").read_text()


def test_only_what_is_named_is_put_in_order(root: Path) -> None:
    gpus = root / "catalog" / "gpus"
    for name in ("rtx-3090", "rtx-4090"):
        path = gpus / f"{name}.yaml"
        first, _, rest = path.read_text().partition("\n")
        line, _, others = rest.partition("\n")
        path.write_text(f"{first}\n{others}{line}\n")
    done = run("--root", root, "check", "--fix", gpus / "rtx-3090.yaml")
    assert done.status == 0, done.out
    assert "rtx-4090" not in done.err
    assert (gpus / "rtx-3090.yaml").read_text().splitlines()[1].startswith("name:")
    assert (gpus / "rtx-4090.yaml").read_text().splitlines()[-1].startswith("name:")


def test_files_that_cannot_be_read_hide_no_problem_of_others(root: Path) -> None:
    broken(root)
    gpus = root / "catalog" / "gpus"
    (gpus / "rtx-4090.yaml").write_bytes(b'name: "\xc3\x28"\n')
    (gpus / "linked.yaml").symlink_to(gpus / "dgx-spark.yaml")
    os.mkfifo(gpus / "pipe.yaml")
    (root / "content" / "site.yaml").write_text("nonsense: 1\n")
    expected = {
        ("catalog/combos/2x-rtx-4090.yaml", "unknown-gpu"),
        ("catalog/gpus/linked.yaml", "symlink"),
        ("catalog/gpus/pipe.yaml", "not-a-file"),
        ("catalog/gpus/rtx-3090.yaml", "missing-key"),
        ("catalog/gpus/rtx-3090.yaml", "unknown-key"),
        ("catalog/gpus/rtx-4090.yaml", "not-utf8"),
        ("content/site.yaml", "missing-key"),
        ("content/site.yaml", "unknown-key"),
    }
    for command in ("check", "build"):
        done = run("--root", root, command)
        lines = [line for line in done.out.splitlines() if line.startswith(("catalog/", "cont"))]
        found = [
            (line.partition(":")[0], line.partition("[")[2].partition("]")[0]) for line in lines
        ]
        assert done.status == 1
        assert set(found) == expected
        assert found == sorted(found, key=lambda one: one[0])
    assert not (root / "public").exists()


def test_no_source_was_read_after_the_day_of_the_clock(root: Path) -> None:
    gpu = root / "catalog" / "gpus" / "rtx-3090.yaml"
    text = gpu.read_text()
    read = text.partition("read: ")[2][:12].strip("'\"\n")[:10]
    gpu.write_text(text.replace(read, "2199-01-01", 1))
    done = run("--root", root, "check", "--format", "concise")
    assert done.status == 1
    assert "[date]" in done.out
    assert run("--root", root, "check", "--today", "2199-01-02").status == 0


def test_a_clock_that_all_sources_contradict_is_not_believed() -> None:
    texts = ["read: '2026-11-23'", 'read: "2026-11-20"', "read: 2026-11-01"]
    at = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)
    assert day_of_clock(texts, now=at) == "2026-11-21", "it is tomorrow already somewhere"
    assert day_of_clock(texts, now=at.replace(year=2020)) == ""
    assert day_of_clock([], now=at) == "2026-11-21"


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "20261123", "2026-11"])
def test_a_day_that_is_none_is_wrong_usage(root: Path, day: str) -> None:
    done = run("--root", root, "check", "--today", day)
    assert done.status == 2
    assert "not an ISO date" in done.err


def test_check_says_which_version_it_is_and_which_the_project_runs(root: Path) -> None:
    mine = sitegen.__version__
    assert f"sitegen {mine}\n" in run("--root", root, "check").err
    for theirs, said in (
        (mine, f"sitegen {mine}, as in the project's own checks"),
        ("999.0", f"warning: this is sitegen {mine}, older: update it; "),
        ("0.0.1", f"warning: this is sitegen {mine}, newer; the project's checks use 0.0.1"),
    ):
        (root / "sitegen.toml").write_text(f'# a word\nversion = "{theirs}"\n')
        done = run("--root", root, "check")
        assert done.status == 0
        assert said in done.err
        assert done.err.splitlines()[-1].split()[1] == "files,"
    assert "sitegen" not in run("--root", root, "-q", "check").err


def test_this_project_names_the_version_that_it_is() -> None:
    assert f'version = "{sitegen.__version__}"' in (REPOSITORY / "sitegen.toml").read_text()
    assert older("0.1.0", "0.1.1")


def test_settings_of_the_project_are_defaults_and_what_is_typed_goes_before(root: Path) -> None:
    broken(root)
    (root / "sitegen.toml").write_text(
        'version = "0.1.0"\n[check]\nformat = "concise"\nignore = ["missing-key"]\n'
        "[build]\nout = 'site'\ntime-limit = 600\n"
    )
    done = run("--root", root, "check")
    assert len(done.out.splitlines()) == 2
    assert "missing-key" not in done.out
    assert "caret" not in done.out
    assert run("--root", root, "check", "--format", "full").out.count("more:") == 2
    assert run("--root", root, "--show-config").out == (
        "version = 0.1.0  (sitegen.toml)\n"
        "build.out = site  (sitegen.toml)\n"
        "build.time-limit = 600  (sitegen.toml)\n"
        "check.format = concise  (sitegen.toml)\n"
        "check.ignore = ['missing-key']  (sitegen.toml)\n"
    )


def test_pyproject_may_hold_them_and_the_project_is_found_upwards(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "pyproject.toml").write_text('[project]\nname = "x"\n')
    monkeypatch.chdir(root / "catalog" / "gpus")
    assert run("--show-config").out == "nothing is set\n"
    (root / "pyproject.toml").write_text("[tool.sitegen.serve]\nport = 8080\n")
    assert run("--show-config").out == "serve.port = 8080  (pyproject.toml)\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chek = {}\n", "sitegen.toml: 'chek' is not a setting; did you mean 'check'?"),
        ("[check]\nformt = 'json'\n", "`check` has no option 'formt'; did you mean 'format'?"),
        ("[check]\nformat = 'xml'\n", "sitegen.toml: check.format: 'xml' is not one of"),
        ("[check]\nignore = 'file-size'\n", 'check.ignore is a list: write ignore = ["file-size"]'),
        ("[check]\ntime-limit = 0\n", "sitegen.toml: check.time-limit: 0 is not in the range"),
        ("[check]\npages = {a = 1}\n", "check.pages is not a valid value"),
        ("check = 1\n", "sitegen.toml: `check` is a table"),
        ("version = 1\n", "'version' is not a setting"),
        ("a = [\n", "sitegen.toml: "),
    ],
)
def test_a_setting_that_is_none_is_an_error_with_the_nearest(
    root: Path, text: str, said: str
) -> None:
    (root / "sitegen.toml").write_text(text)
    done = run("--root", root, "check")
    assert done.status == 2
    assert said in done.err
    assert "Traceback" not in done.err
