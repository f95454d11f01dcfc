"""The project's own set-up: what the Makefile promises, what the lock files pin."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
TARGETS = ("site", "test", "quick", "serve", "check", "bless", "bench")
LOCKS = ("requirements.lock", "requirements-test.lock")
SETUP = (
    "Makefile",
    ".ci/run",
    *LOCKS,
    "sbom.cdx.json",
    "scripts/environment.py",
    "scripts/chromium.sh",
)
CHECKS = (
    "ruff format --check", "ruff check", "mypy", "lint-imports", "pytest", "sitegen check",
    "scripts/reproduce.py",
)  # fmt: skip
HASH = r"--hash=sha256:[0-9a-f]{64}"
MACHINE_PATH = re.compile(r"(?<![\w./$}])/(?:home|root|Users|work|opt|mnt|srv|tmp)/")


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = (line.removesuffix(" \\").split("==") for line in lines if "==" in line)
    return {package.lower().replace("_", "-"): version for package, version in found}


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dry_run(target: str) -> str:
    command = ["make", "--dry-run", "--no-print-directory", target]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_make_knows_the_targets(target: str) -> None:
    assert "scripts/environment.py" in dry_run(target)


def test_make_test_runs_every_check() -> None:
    commands = dry_run("test").replace("-m sitegen", "sitegen")
    for check in CHECKS:
        assert check in commands, check


def test_whatever_a_site_is_made_of_is_built_twice_anew_when_it_changes(tmp_path: Path) -> None:
    reproduce = script("reproduce")
    places = [*(f"{name}/deep/file" for name in reproduce.INPUTS), "sitegen/deep/module.py"]
    places += ["scripts/reproduce.py", "requirements.lock", "pyproject.toml"]
    seen = set()
    for content in (b"a", b"b"):
        for place in places:
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).write_bytes(content)
            seen.add(reproduce.fingerprint(tmp_path))
    assert len(seen) == 2 * len(places)
    (tmp_path / "sitegen/deep/module.py").rename(tmp_path / "sitegen/deep/other.py")
    assert reproduce.fingerprint(tmp_path) not in seen


def test_builds_that_differ_are_never_taken_for_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reproduce = script("reproduce")
    (tmp_path / ".venv").mkdir()
    for name in reproduce.PROGRAM[1:]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = iter([["index.html"], [], ["late.html"]])
    monkeypatch.setattr(reproduce, "ROOT", tmp_path)
    monkeypatch.setattr(reproduce, "compared", lambda: next(found))
    assert reproduce.main(["--if-changed"]) == 1
    assert reproduce.main(["--if-changed"]) == 0
    assert reproduce.main(["--if-changed"]) == 0
    assert reproduce.main([]) == 1


def test_ci_runs_make_test_and_nothing_else() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("#!")
    assert lines[-1] == "exec make test"
    assert all(line.startswith(("#", "set ", "cd ", "exec ")) for line in lines)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


@pytest.mark.parametrize("name", LOCKS)
def test_locks_pin_names_and_versions_and_carry_no_addresses(name: str) -> None:
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        pin = r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+ \\"
        assert re.fullmatch(rf"#.*|-r requirements\.lock|{pin}|    {HASH}( \\)?", line)
        assert "://" not in line
        assert "@" not in line


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_hashes_of_its_files_and_shares_them_with_no_other(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8").replace(" \\\n", " ")
    entries = [line.split() for line in text.splitlines() if "==" in line]
    assert len(entries) == len(pins(name)) > 20
    assert [pin for pin, *hashes in entries if not hashes] == []
    assert all(re.fullmatch(HASH, one) for _, *hashes in entries for one in hashes)
    every = [one for _, *hashes in entries for one in hashes]
    assert len(every) == len(set(every))
    compiled = next(hashes for pin, *hashes in entries if pin.startswith(COMPILED[name]))
    assert len(compiled) > 10  # wheels of several Pythons and systems, and the source


COMPILED = dict(zip(LOCKS, ("numpy==", "rpds-py=="), strict=True))


def test_the_environment_is_installed_by_hashes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = script("environment")
    ran: list[list[str]] = []

    def noted(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        ran.append([str(word) for word in command])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(environment.subprocess, "run", noted)
    environment.install("requirements-test.lock")
    of_lock = next(words for words in ran if "requirements-test.lock" in words)
    assert "--require-hashes" in of_lock
    fetching = [words for words in ran if "install" in words and words is not of_lock]
    assert all({"--no-deps", "--no-build-isolation"} <= set(words) for words in fetching)


def test_a_file_that_differs_from_its_hash_is_not_installed(tmp_path: Path) -> None:
    package = tmp_path / "thing-1.0.tar.gz"
    package.write_bytes(b"not what was locked")
    lock = tmp_path / "lock"
    lock.write_text(f"thing @ {package.as_uri()} \\\n    --hash=sha256:{'0' * 64}\n")
    pip = [sys.executable, "-m", "pip", "--isolated", "install", "--dry-run", "--no-index"]
    done = subprocess.run(
        [*pip, "--require-hashes", "-r", str(lock)], check=False, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr


def test_the_list_of_materials_is_that_of_the_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    sbom = script("sbom")
    written = (ROOT / sbom.FILE).read_text(encoding="utf-8")
    assert written == sbom.text(ROOT), "make lock writes it anew"
    bill = json.loads(written)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    listed = {(one["name"], one["version"], one["scope"]) for one in bill["components"]}
    scopes = (("requirements.lock", "required"), ("requirements-test.lock", "excluded"))
    assert listed == {
        (re.sub(r"[-_.]+", "-", name), version, scope)
        for lock, scope in scopes
        for name, version in pins(lock).items()
    }
    names = [one["bom-ref"] for one in bill["components"]]
    assert len(names) == len(set(names)) == len(listed)
    (of_project,) = bill["dependencies"]
    assert set(of_project["dependsOn"]) <= set(names)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert len(of_project["dependsOn"]) == len(settings["project"]["dependencies"])
    assert "://" not in written


def test_a_lock_that_is_written_is_read_again_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    lock, sbom = script("lock"), script("sbom")
    text = lock.listed(
        frozenset({"b==2", "A_a==1.0+x"}), {"b==2": ["0f"], "A_a==1.0+x": ["1e", "2d"]}
    )
    one, two = "A_a==1.0+x", "b==2"
    first = f"{one} \\\n    --hash=sha256:1e \\\n    --hash=sha256:2d\n"
    assert text == f"{first}{two} \\\n    --hash=sha256:0f\n"
    for name in LOCKS:
        assert len(sbom.pins(ROOT / name)) == len(pins(name))


def test_locks_satisfy_the_project_file() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    run = pins("requirements.lock")
    test = {**run, **pins("requirements-test.lock")}
    needed = [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
    extra = settings["project"]["optional-dependencies"]["test"]
    for words, lock in ((needed, run), (extra, test)):
        for word in words:
            requirement = Requirement(word)
            name = requirement.name.lower().replace("_", "-")
            assert requirement.specifier.contains(lock[name]), word


@pytest.mark.parametrize("name", SETUP)
def test_set_up_names_no_registry_and_no_machine(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "index-url" not in text
    assert not MACHINE_PATH.search(text)
    assert not re.search(r"https?://(?!127\.0\.0\.1)", text)


def test_the_environment_is_made_once_and_again_when_a_lock_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = script("environment")
    for name in (*LOCKS, "pyproject.toml"):
        (tmp_path / name).write_text(f"{name} one", encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    installed: list[str] = []
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "FOLDER", tmp_path / ".venv")
    monkeypatch.setattr(environment, "started", lambda: sys.version)
    monkeypatch.setattr(environment, "install", installed.append)

    def made(kind: str) -> int:
        before = len(installed)
        assert environment.main([kind]) == 0
        return len(installed) - before

    assert [made("run"), made("run")] == [1, 0]
    assert [made("test"), made("test"), made("run")] == [1, 0, 0]
    (tmp_path / "requirements.lock").write_text("two", encoding="utf-8")
    assert [made("run"), made("test"), made("test")] == [1, 1, 0]


def program(folder: Path, answer: str) -> str:
    folder.mkdir()
    path = folder / f"python3.{sys.version_info.minor}"
    path.write_text(f"#!/bin/sh\n{answer}\n")
    path.chmod(0o755)
    return str(path)


def test_a_python_is_tried_by_the_time_it_takes(tmp_path: Path) -> None:
    environment = script("environment")
    assert 0 < environment.trial_seconds(sys.executable) < math.inf
    other_version = program(tmp_path / "other", "echo 3.9 0.01")
    without_environments = program(tmp_path / "without", "exit 1")
    assert environment.trial_seconds(other_version) == math.inf
    assert environment.trial_seconds(without_environments) == math.inf


def test_the_environment_is_of_a_much_faster_build_of_the_same_python_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = script("environment")
    alike, fast = program(tmp_path / "alike", ""), program(tmp_path / "fast", "")
    seconds = {sys.executable: 1.0, alike: 0.9, fast: 0.7}
    monkeypatch.setattr(environment, "trial_seconds", seconds.__getitem__)
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}/alike")
    assert environment.fastest() == sys.executable
    monkeypatch.setenv("PATH", f"{tmp_path}/alike:{tmp_path}/fast")
    assert environment.fastest() == fast
    monkeypatch.setenv("PYTHON", "the one that was asked for")
    assert environment.fastest() == sys.executable


def test_an_old_python_is_told_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = script("environment")
    monkeypatch.setattr(environment.sys, "version_info", (3, 10, 4))
    assert environment.main([]) == 2
    assert "needs Python 3.11 or newer" in capsys.readouterr().out


def test_without_chromium_and_without_apt_the_way_out_is_said(tmp_path: Path) -> None:
    for name in ("sh", "id"):
        program = shutil.which(name)
        assert program is not None
        (tmp_path / name).symlink_to(program)
    done = subprocess.run(
        [ROOT / "scripts" / "chromium.sh"],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "need Chromium or Chrome on the PATH, or its path in CHROMIUM" in done.stderr


def test_a_chromium_that_is_named_is_taken(tmp_path: Path) -> None:
    browser = tmp_path / "my browser"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    command = [ROOT / "scripts" / "chromium.sh"]
    environment = {**os.environ, "CHROMIUM": str(browser)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert done.stdout == f"{browser}\n"
