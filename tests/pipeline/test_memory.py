"""Builds with and without memory are equal, and a dependency that a key forgets is noticed."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu, GpuBody
from sitegen.catalog.domain.models import LanguageModel, Runtime, RuntimeProfile
from sitegen.fit import catalog_checks as engine_checks
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.pipeline import sources, survey_keys, surveys
from sitegen.pipeline.building import build
from sitegen.pipeline.memory import NO_PAST, Packer, Past
from sitegen.pipeline.sources import parse
from sitegen.pipeline.survey_keys import UNREAD, SurveyKeys
from sitegen.site.json import causes
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.gpu_counts import gpus_needed
from tests.cli.small_project import small_project
from tests.pipeline.random_edits import differing, edits

EDITS = 12
BENCH = "2x-rtx-3090-nvlink"


class Kept:
    """Memory in a dictionary, which counts what it was asked for and had."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}
        self.found = 0

    def get(self, key: str) -> bytes | None:
        """Return what was put."""
        self.found += key in self.entries
        return self.entries.get(key)

    def put(self, key: str, content: bytes) -> None:
        """Keep bytes."""
        self.entries[key] = content

    def touch(self, key: str) -> bool:
        """Return whether anything was put."""
        return key in self.entries


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, path
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_after_any_edit_a_build_with_memory_equals_one_without(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    memory = Kept()
    past = Past(memory, "program")
    assert differing(root, past) == []
    for edit in edits(root, seed=19, count=EDITS):
        assert differing(root, past) == [], edit
    assert memory.found >= EDITS / 2  # it was used; some edits leave nothing to find


def _forget_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    others = tuple(one for one in survey_keys.WHOLE if one != "assumptions")
    monkeypatch.setattr(survey_keys, "WHOLE", others)


def _forget_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    unread: Mapping[type, frozenset[str]] = {**UNREAD, Combo: frozenset({"nodes"})}
    monkeypatch.setattr(survey_keys, "UNREAD", unread)


def _forget_models(monkeypatch: pytest.MonkeyPatch) -> None:
    others = tuple(one for one in survey_keys.WHOLE if one != "models")
    monkeypatch.setattr(survey_keys, "WHOLE", others)


@pytest.mark.parametrize(
    ("plant", "path", "edit"),
    [
        (
            _forget_constants,
            "assumptions/comfortable-utilization.yaml",
            ("value: 0.9", "value: 0.6"),
        ),
        (_forget_nodes, f"combos/{BENCH}.yaml", ("count: 2", "count: 4")),
        (
            _forget_models,
            "models/qwen3-8b.yaml",
            ("context_tokens: 40960", "context_tokens: 20480"),
        ),
    ],
)
def test_a_key_that_forgets_a_dependency_gives_another_site(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, plant: Any, path: str, edit: tuple[str, str]
) -> None:
    root = small_project(tmp_path)
    plant(monkeypatch)
    past = Past(Kept(), "program")
    assert differing(root, past) == []
    replace_in(root / "catalog" / path, *edit)
    assert differing(root, past) != []


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return parse(read_project(small_project(tmp_path_factory.mktemp("project")))).catalog


def test_what_keys_leave_out_of_hardware_is_read_by_no_verdict(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
) -> None:
    read: set[str] = set()
    for kind, names in UNREAD.items():
        assert names <= {field.name for field in fields(kind)}
        for name in names:
            monkeypatch.setattr(kind, name, _telling(kind, name, read))
    engine = FitEngine(catalog)
    for combo in catalog.combos.values():
        survey_combo(engine, combo)
    for gpu in catalog.gpus.values():
        gpus_needed(engine, gpu)
    assert read <= {"Gpu.span"}  # a machine that is made up stands where its GPU stands
    assert catalog.gpus["rtx-3090"].notes is not None
    assert "Gpu.notes" in read  # a value tells when it is read


DOMAIN: Mapping[str, tuple[type, ...]] = {
    "gpus": (Gpu, GpuBody), "models": (LanguageModel,), "runtimes": (Runtime,),
}  # fmt: skip
ONLY_CHECKED = {"memory_bus_bits", "memory_gbit_s"}
"""Keys that rules of the catalog compare with others, and that no value has."""


def test_what_a_difference_names_as_no_cause_is_read_by_no_verdict(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
) -> None:
    read: set[str] = set()
    found = set(ONLY_CHECKED)
    for name, kinds in DOMAIN.items():
        for kind in kinds:
            for key in causes.UNREAD[name] & {field.name for field in fields(kind)}:
                monkeypatch.setattr(kind, key, _telling(kind, key, read))
                found.add(key)
    assert found == frozenset().union(*causes.UNREAD.values())
    engine = FitEngine(catalog)
    for combo in catalog.combos.values():
        survey_combo(engine, combo)
    assert read == set()
    assert catalog.runtimes["vllm"].speculation is not None
    assert read == {"Runtime.speculation"}


def test_verdicts_read_no_profile_but_the_one_that_is_shown(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
) -> None:
    read: set[int] = set()
    own: Any = RuntimeProfile.__dict__["constants"]

    def constants(profile: Any) -> Any:
        read.add(id(profile))
        return own.__get__(profile, RuntimeProfile)

    engine = FitEngine(catalog)
    monkeypatch.setattr(RuntimeProfile, "constants", property(constants))
    for combo in catalog.combos.values():
        survey_combo(engine, combo)
    every = {id(one): (runtime.assessed_version, one.version)
             for runtime in catalog.runtimes.values() for one in runtime.profiles}  # fmt: skip
    assert read
    assert {every[one] for one in read if one in every and len(set(every[one])) > 1} == set()


def _telling(kind: type, name: str, read: set[str]) -> property:
    own: Any = kind.__dict__.get(name)

    def get(value: Any) -> Any:
        caller = sys._getframe(1).f_code.co_name
        if caller not in {"__hash__", "__eq__"}:
            read.add(f"{kind.__name__}.{name}")
        return own.__get__(value, kind) if hasattr(own, "__set__") else value.__dict__[name]

    def put(value: Any, content: Any) -> None:
        if hasattr(own, "__set__"):
            own.__set__(value, content)
        else:
            value.__dict__[name] = content

    return property(get, put)


def test_nothing_that_is_remembered_is_judged_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project = read_project(small_project(tmp_path))
    past = Past(Kept(), "program")
    first = build(project, past=past).files

    def refuse(*_: object) -> None:
        raise AssertionError("judged again")

    for name in ("survey_combo", "gpus_needed", "judge_records", "custom_files", "prepare_all"):
        monkeypatch.setattr(surveys, name, refuse)
    assert build(project, past=past).files == first
    with pytest.raises(AssertionError, match="judged again"):
        build(project)


def test_a_packed_value_has_the_catalogs_own_values(catalog: Catalog) -> None:
    packer = Packer(catalog)
    combo = catalog.combos[BENCH]
    assert packer.unpack(packer.pack((combo, "and more"))) == (combo, "and more")
    assert packer.unpack(packer.pack([combo]))[0] is combo
    assert len(packer.pack(combo)) < 200


@pytest.mark.parametrize(
    "hostile",
    [
        pickle.dumps(subprocess.Popen),
        b"cos\nsystem\n(S'true'\ntR.",
        b"csitegen.store.folder\nopen_store\n(S'x'\ntR.",
        b"csitegen.pipeline.memory\nin_catalog\n(S'combo'\nS'gone'\ntR.",
        b"cbuiltins\ngetattr\n(csitegen.problems\nProblem\nS'__init__'\ntR.",
        b"nonsense",
        b"",
    ],
)
def test_bytes_that_name_anything_but_values_are_nothing(catalog: Catalog, hostile: bytes) -> None:
    assert Packer(catalog).unpack(hostile) is None


def test_keys_name_the_program_and_every_part_of_the_catalog(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    project = read_project(root)
    catalog = parse(project).catalog
    engine = FitEngine(catalog)
    combo = catalog.combos[BENCH]

    def key(texts: Mapping[str, str], program: str = "") -> str:
        return SurveyKeys(catalog, texts, program, engine).combo(combo)

    usual = key(project.catalog)
    assert usual == key(dict(reversed(list(project.catalog.items()))))
    assert usual != key(project.catalog, "another program")
    for path, text in project.catalog.items():
        folder = path.split("/")[1]
        changed = key({**project.catalog, path: f"{text}#"}) != usual
        assert changed == (folder in survey_keys.WHOLE), path
    assert NO_PAST.memory.get(usual) is None


class Telling:
    """A catalog that tells what is read of it."""

    def __init__(self, catalog: Catalog) -> None:
        self.read: set[str] = set()
        self._catalog = catalog

    def __getattr__(self, name: str) -> Any:
        """Note a read."""
        self.read.add(name)
        return getattr(self._catalog, name)


def test_the_rules_of_the_engine_read_no_folder_that_a_parser_passes_over(
    catalog: Catalog,
) -> None:
    telling: Any = Telling(catalog)
    assert engine_checks.check(telling) == engine_checks.check(catalog)
    assert {f"catalog/{name}/" for name in telling.read} == set(sources.JUDGED)
