"""``sitegen import``: what an editor says and is asked, and what is written."""

from __future__ import annotations

import hashlib
import io
import json
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.catalog.load import parse_catalog
from sitegen.cli.imports.file import MOST_MEMBERS
from sitegen.inputs import read_project
from tests.cli.small_project import REPOSITORY, Ran, run
from tests.importers.reading import FILES
from tests.yaml_files import read_yaml

SAID = (
    "--combo", "2x-rtx-4090", "--model", "llama-3.1-8b-instruct", "--checkpoint", "bf16",
    "--runtime", "vllm@0.33.0", "--tensor-parallel", "2",
)  # fmt: skip
LLAMA_BENCH = (
    "--combo", "2x-rtx-3090-nvlink", "--model", "qwen3-8b", "--checkpoint", "q4-k-m",
    "--runtime", "llama-cpp",
)  # fmt: skip
SECRETS = (
    "alice", "SECRET", "/home/", "10.1.2.3", "hf_", "0f8fad5b", "worker_", "GPU-", "example",
    "answer", "prompt of", "Authorization", "http://", ".jsonl", ".json",
)  # fmt: skip


@pytest.fixture
def root(lent: Path) -> Path:
    """A small project."""
    return lent


def sample(name: str) -> Path:
    """A result file."""
    return FILES / name


def records(root: Path) -> list[Path]:
    """What was written."""
    return sorted((root / "catalog" / "benchmarks").glob("*.yaml"))


def imported(root: Path, *words: str | Path) -> dict[str, Any]:
    """Import, check the project, and read the record."""
    done = run("--root", root, "import", *words)
    assert (done.status, done.out.count("\n")) == (0, 1), done.err + done.out
    checked = run("--root", root, "check")
    assert (checked.status, checked.out) == (0, "")
    found: dict[str, Any] = read_yaml((root / done.out.strip()).read_text("utf-8"))
    return found


def test_a_scan_becomes_one_record_with_a_run_for_each_load(root: Path) -> None:
    found = imported(root, "vllm", sample("vllm/appended.jsonl"), *SAID)
    loads = [run["load"]["concurrency"] for run in found["runs"]]
    assert loads == [1, 2, 4, 8]
    catalog = parse_catalog(read_project(root).catalog)
    (record,) = catalog.benchmarks.values()
    saved = [json.loads(line) for line in sample("vllm/appended.jsonl").read_text().splitlines()]
    for one, row in zip(record.runs, saved, strict=True):
        assert one.combo == "2x-rtx-4090"
        assert [gpu.gpu.id for gpu in one.system.gpus] == ["rtx-4090"] * 2
        assert one.latency is not None
        for name, key in (("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl"), ("e2e", "e2el")):
            latency = one.latency.by_name[name]
            stated = (latency.mean_s, latency.p50_s, latency.p95_s, latency.p99_s)
            expected = [row[f"{what}_{key}_ms"] / 1000 for what in ("mean", "median", "p95", "p99")]
            assert stated == pytest.approx(expected, rel=1e-5)
    many = record.runs[-1]
    assert many.figures.aggregate_tokens_per_s == pytest.approx(
        saved[-1]["output_throughput"], 1e-5
    )
    assert [len(one) for one in found["imported"]["sha256"]] == [64]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("vllm/saved.json", SAID),
        ("vllm/detailed.json", SAID),
        ("vllm/printed.txt", (*SAID, "--date", "2026-08-20")),
        ("llama-bench/bench.json", LLAMA_BENCH),
        ("llama-bench/bench.csv", LLAMA_BENCH),
        ("llama-bench/bench.sql", LLAMA_BENCH),
        ("llama-bench/bench.md", (*LLAMA_BENCH, "--date", "2026-03-12")),
        ("guidellm/report.json", SAID),
        ("guidellm/report.yaml", SAID),
        ("aiperf/profile_export_aiperf.json", SAID),
        ("aiperf/profile_export.jsonl", SAID),
        ("genai-perf/profile_export_genai_perf.json", (*SAID, "--date", "2026-05-02")),
        ("inferencex/agg_bmk.json", (*SAID, "--runtime", "vllm@0.11.2", "--date", "2026-05-02")),
        ("inferencex/in-seconds.json", SAID),
        ("localscore/posted.json", (
            "--combo", "2x-rtx-4090", "--model", "llama-3.1-8b-instruct", "--quantization",
            "Q4_K_M", "--runtime", "llama-cpp", "--date", "2026-05-02")),
        ("mlperf/mlperf_log_summary.txt", (*SAID, "--date", "2026-05-02")),
        ("mlperf/mlperf_log_detail.txt", (*SAID, "--date", "2026-05-02")),
    ],
)  # fmt: skip
def test_every_sample_becomes_a_valid_record_and_nothing_private_is_in_it(
    root: Path, name: str, said: tuple[str, ...]
) -> None:
    assert imported(root, sample(name), *said)["runs"]
    (path,) = records(root)
    text = path.read_text("utf-8").split("\n", 1)[1]  # the first line names the schema
    private = [word for word in SECRETS if word in text + path.name]
    assert private == []


def test_the_samples_hold_what_must_not_get_through() -> None:
    for folder in ("vllm", "guidellm", "aiperf", "llama-bench", "localscore", "mlperf"):
        text = "".join(path.read_text("utf-8") for path in (FILES / folder).iterdir())
        assert "alice" in text
    detailed = sample("vllm/detailed.json").read_text()
    assert all(word in detailed for word in ("SECRET", "hf_", "0f8fad5b", "/home/", "answer"))


def test_hardware_is_never_guessed(root: Path) -> None:
    without = [word for word in SAID if word not in {"--combo", "2x-rtx-4090"}]
    done = run("--root", root, "import", sample("aiperf/profile_export_aiperf.json"), *without)
    assert (done.status, records(root)) == (2, [])
    assert "--combo: on which combo did it run?" in done.err
    assert "2× NVIDIA GeForce RTX 4090" in done.err
    assert "perhaps 2x-rtx-4090" in done.err


@pytest.mark.parametrize("lacking", ["--model", "--checkpoint", "--runtime"])
def test_what_only_the_editor_knows_is_asked_for_by_name(root: Path, lacking: str) -> None:
    at = SAID.index(lacking)
    done = run("--root", root, "import", sample("vllm/appended.jsonl"), *SAID[:at], *SAID[at + 2 :])
    assert (done.status, records(root)) == (2, [])
    assert f"{lacking}: which" in done.err


def test_a_cache_that_no_record_can_name_is_refused(root: Path) -> None:
    said = (*SAID, "--kv-dtype", "fp8_per_token_head")
    done = run("--root", root, "import", sample("vllm/appended.jsonl"), *said)
    assert (done.status, records(root)) == (2, [])
    assert "--kv-dtype" in done.err


@pytest.mark.parametrize("option", ["--date", "--read"])
def test_a_day_that_is_still_to_come_is_refused(root: Path, option: str) -> None:
    said = (*SAID, option, "2999-01-01")
    done = run("--root", root, "import", sample("vllm/appended.jsonl"), *said)
    assert (done.status, records(root)) == (2, [])
    assert f"{option}: 2999-01-01 is in the future" in done.err


@pytest.mark.parametrize(
    ("typed", "version"), [("vllm@v0.33.0", "0.33.0"), ("vllm@0.33.0rc2", ""), ("vllm@main", "")]
)
def test_a_version_is_written_in_digits_or_refused(root: Path, typed: str, version: str) -> None:
    at = SAID.index("--runtime") + 1
    said = (*SAID[:at], typed, *SAID[at + 1 :])
    if version:
        runs = imported(root, sample("vllm/appended.jsonl"), *said)["runs"]
        assert [one["subject"]["version"] for one in runs] == [version] * len(runs)
        return
    done = run("--root", root, "import", sample("vllm/appended.jsonl"), *said)
    assert (done.status, records(root)) == (2, [])
    assert f"--runtime: '{typed.partition('@')[2]}' is not a version in digits" in done.err


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        """It looks like a terminal."""
        return True


@pytest.mark.parametrize(
    ("typed", "written"), [("y\n", True), ("n\n2x-rtx-4090\n", True), ("n\n\n", False)]
)
def test_at_a_terminal_a_suggestion_counts_only_when_it_is_confirmed(
    root: Path, monkeypatch: pytest.MonkeyPatch, typed: str, *, written: bool
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    without = [word for word in SAID if word not in {"--combo", "2x-rtx-4090"}]
    done = run("--root", root, "import", sample("aiperf/profile_export_aiperf.json"), *without)
    assert (done.status == 0, bool(records(root))) == (written, written)
    assert "Is it 2x-rtx-4090?" in done.err


def cells(tmp_path: Path, **changed: Any) -> Path:
    """A result of llama-bench with other fields in every row."""
    rows = json.loads(sample("llama-bench/bench.json").read_text())
    file = tmp_path / "bench.json"
    file.write_text(json.dumps([{**row, **changed} for row in rows]))
    return file


SMALL = {"model_type": "llama ?B F16", "model_size": 269_060_352, "model_n_params": 134_515_008}
"""What a run of SmolLM2 135M says of its file."""


@pytest.mark.parametrize(
    ("changed", "said", "kinds"),
    [
        ({"backends": "CPU", "gpu_info": ""}, {}, ["backend"]),
        ({"backends": "ROCm", "gpu_info": ""}, {}, ["backend"]),
        ({"gpu_info": "NVIDIA GeForce RTX 4090"}, {}, ["gpu"]),
        ({"gpu_info": ", ".join(["NVIDIA GeForce RTX 3090"] * 3)}, {}, ["gpu"]),
        ({"n_gpu_layers": 0}, {}, ["layers"]),
        ({"n_gpu_layers": 12}, {}, ["layers"]),
        (SMALL, {}, ["model", "quantization", "quantization"]),
        ({"model_n_params": 4_022_468_096}, {}, ["model"]),
        ({"model_type": "qwen3 8B Q8_0"}, {}, ["quantization"]),
        ({"model_size": 8_709_518_624}, {}, ["quantization"]),
        ({}, {"--checkpoint": "bf16"}, ["quantization", "quantization"]),
        ({}, {"--model": "llama-3.1-8b-instruct"}, ["model"]),
        ({}, {"--runtime": "vllm"}, ["runtime"]),
        ({"samples_ts": [100.0, 140.0]}, {}, ["samples"]),
    ],
)
def test_a_field_of_the_file_that_says_otherwise_stops_the_import_until_it_is_named(
    root: Path, tmp_path: Path, changed: dict[str, Any], said: dict[str, str], kinds: list[str]
) -> None:
    words = [
        said.get(LLAMA_BENCH[at - 1], word) if at % 2 else word
        for at, word in enumerate(LLAMA_BENCH)
    ]
    file = cells(tmp_path, **changed)
    refused = run("--root", root, "import", file, *words)
    assert (refused.status, records(root)) == (1, [])
    assert set(re.findall(r"--despite (\w+)", refused.err)) == set(kinds)
    assert refused.err.count("error[import-contradicts]") >= len(kinds)
    despite = [word for kind in dict.fromkeys(kinds) for word in ("--despite", kind)]
    done = run("--root", root, "import", file, *words, *despite, "--dry-run")
    assert "import-contradicts" not in done.err  # what is beyond a bound is refused all the same
    if done.status == 0:
        assert "notes: Imported although " in done.out or "notes: 'Imported although " in done.out


def test_what_no_field_contradicts_is_imported_without_a_word(root: Path, tmp_path: Path) -> None:
    plain = {"n_gpu_layers": -1, "backends": "CUDA,BLAS", "samples_ts": []}
    done = run("--root", root, "import", cells(tmp_path, **plain), *LLAMA_BENCH)
    assert (done.status, len(records(root))) == (0, 1)
    assert "although" not in records(root)[0].read_text()


def test_a_combo_without_the_files_gpu_is_refused_until_it_is_named(root: Path) -> None:
    said = [*SAID]
    said[1] = "2x-rtx-3090-nvlink"
    file = sample("aiperf/profile_export_aiperf.json")
    refused = run("--root", root, "import", file, *said)
    assert (refused.status, records(root)) == (1, [])
    assert "the file names NVIDIA GeForce RTX 4090, but 2x-rtx-3090-nvlink has none" in refused.err
    known = run("--root", root, "import", file, *said, "--despite", "gpu")
    assert (known.status, len(records(root))) == (0, 1)
    assert "Imported although the file names NVIDIA GeForce RTX 4090" in (
        records(root)[0].read_text()
    )


def test_a_repository_of_another_model_is_refused(root: Path) -> None:
    said = [word if word != "llama-3.1-8b-instruct" else "qwen3-8b" for word in SAID]
    refused = run("--root", root, "import", sample("vllm/saved.json"), *said)
    assert (refused.status, records(root)) == (1, [])
    assert "which is llama-3.1-8b-instruct, not qwen3-8b" in refused.err


def test_the_same_file_gives_the_same_bytes_and_nothing_new(root: Path) -> None:
    first = run("--root", root, "import", sample("vllm/appended.jsonl"), *SAID)
    (path,) = records(root)
    before = path.read_bytes()
    again = run("--root", root, "import", sample("vllm/appended.jsonl"), *SAID)
    assert (again.status, again.out) == (0, first.out)
    assert (records(root), path.read_bytes()) == ([path], before)
    path.unlink()
    run("--root", root, "import", sample("vllm/appended.jsonl"), *SAID)
    assert path.read_bytes() == before


def test_another_run_of_the_same_set_up_is_another_file(root: Path, tmp_path: Path) -> None:
    run("--root", root, "import", sample("vllm/appended.jsonl"), *SAID)
    (first,) = records(root)
    before = first.read_bytes()
    other = tmp_path / "again.jsonl"
    rows = [json.loads(line) for line in sample("vllm/appended.jsonl").read_text().splitlines()]
    other.write_text("".join(json.dumps({**row, "date": "20260821-100000"}) + "\n" for row in rows))
    done = run("--root", root, "import", other, *SAID)
    assert done.status == 0
    assert len(records(root)) == 2
    assert first.read_bytes() == before
    assert run("--root", root, "check").status == 0


def test_a_file_is_not_imported_twice_under_other_words(root: Path) -> None:
    run("--root", root, "import", sample("vllm/appended.jsonl"), *SAID)
    (path,) = records(root)
    before = path.read_bytes()
    said = [*SAID]
    said[1] = "2x-rtx-3090-nvlink"
    for words in ((*SAID, "--notes", "Other words."), said):
        done = run("--root", root, "import", sample("vllm/appended.jsonl"), *words)
        assert done.status == 2
        assert "remove it first" in done.err
    assert [path.read_bytes() for path in records(root)] == [before]


def faster(times: float) -> str:
    """The single stream of the scan, that many times as fast."""
    row = json.loads(sample("vllm/appended.jsonl").read_text().splitlines()[0])
    for key, value in row.items():
        if key.endswith("_ms"):
            row[key] = value / times
    return json.dumps({**row, "output_throughput": row["output_throughput"] * times})


def test_a_stream_faster_than_memory_is_refused_with_what_to_check(
    root: Path, tmp_path: Path
) -> None:
    # two RTX 4090 read 2 x 1,008 GB/s; 8.03e9 parameters less the embedding at two bytes: 134/s
    file = tmp_path / "fast.json"
    file.write_text(faster(2.0))
    done = run("--root", root, "import", file, *SAID)
    assert (done.status, records(root)) == (1, [])
    assert "error[import-implausible]" in done.err
    assert "of one stream is more than the GPUs' memory bandwidth allows" in done.err
    assert "check --checkpoint or --quantization, --combo (the number of GPUs)" in done.err
    possible = [word if word != "bf16" else "fp8" for word in SAID]
    assert run("--root", root, "import", file, *possible).status in {0, 2}
    file.write_text(faster(1.0))
    assert run("--root", root, "import", file, *SAID).status == 0


def test_an_implausible_run_is_pointed_at_where_its_id_is_quoted(
    root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "fast.json"
    for blanks in range(1_000):  # until a hash looks like a number, as 2090634e-1 does
        content = faster(2.0) + "\n" * blanks
        digest = hashlib.sha256(content.encode()).hexdigest()[:8]
        if re.fullmatch(r"[0-9]+e[0-9]*|[0-9]{8}", digest):
            break
    file.write_text(content)
    dry = run("--root", root, "import", file, *SAID, "--checkpoint", "fp8", "--dry-run").out
    line = next(at for at, text in enumerate(dry.splitlines(), 1) if "{id: '" in text)
    done = run("--root", root, "import", file, *SAID)
    assert f".yaml:{line}:5: error[import-implausible]" in done.err


def test_a_run_on_part_of_a_mixed_machine_has_the_gpus_that_were_used(root: Path) -> None:
    for kind, name in (("combos", "rtx-5090-plus-2x-rtx-3090"), ("gpus", "rtx-5090")):
        text = (REPOSITORY / "catalog" / kind / f"{name}.yaml").read_text("utf-8")
        (root / "catalog" / kind / f"{name}.yaml").write_text(text)
    said = [word if word != "2x-rtx-4090" else "rtx-5090-plus-2x-rtx-3090" for word in SAID]
    file = sample("vllm/appended.jsonl")
    found = imported(root, file, *said, "--first-gpu", "1")
    for one in found["runs"]:
        assert [gpu["gpu"] for gpu in one["system"]["nodes"][0]["gpus"]] == ["rtx-3090"]
        assert one["system"]["nodes"][0]["gpus"][0]["count"] == 2
    for wrong in (("--first-gpu", "3"), ("--first-gpu", "2", "--gpus", "2")):
        refused = run("--root", root, "import", file, *said, *wrong)
        assert refused.status == 2
        assert f"{wrong[-2]}: " in refused.err


def test_versions_that_were_not_read_are_warned_of_and_strictly_refused(
    root: Path, tmp_path: Path
) -> None:
    whole = json.loads(sample("guidellm/report.json").read_text())
    whole["metadata"]["version"] = 3
    file = tmp_path / "report.json"
    file.write_text(json.dumps(whole))
    strict = run("--root", root, "import", file, *SAID, "--strict")
    assert (strict.status, records(root)) == (1, [])
    assert (
        "report.json:1:1: error[import-refused]: the report has version 3, read was 2" in strict.err
    )
    done = run("--root", root, "import", file, *SAID)
    assert (done.status, len(records(root))) == (0, 1)
    assert "warning[import-refused]" in done.err


def test_runs_that_cannot_be_used_stop_the_import_or_are_listed(root: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in sample("vllm/appended.jsonl").read_text().splitlines()]
    rows[2]["failed"] = rows[2]["completed"]
    file = tmp_path / "scan.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = run("--root", root, "import", file, *SAID)
    assert (refused.status, records(root)) == (1, [])
    assert "scan.jsonl:3:1: error[import-refused]: 50.0% of the requests failed" in refused.err
    found = imported(root, file, *SAID, "--leave-out")
    assert len(found["runs"]) == 3
    (left,) = found["left_out"]
    assert left["id"] not in {run["id"] for run in found["runs"]}
    assert left["reason"].startswith("50.0% of the requests failed")


def test_runs_without_their_requests_are_not_merged(root: Path, tmp_path: Path) -> None:
    row = sample("vllm/appended.jsonl").read_text().splitlines()[3]
    file = tmp_path / "twice.jsonl"
    file.write_text(f"{row}\n{row}\n")
    done = run("--root", root, "import", file, *SAID, "--merge")
    assert (done.status, records(root)) == (1, [])
    assert "twice.jsonl:2:1" in done.err
    assert "cannot be averaged" in done.err
    assert len(imported(root, file, *SAID)["runs"]) == 2


def test_files_of_one_benchmark_may_come_in_any_order(root: Path, tmp_path: Path) -> None:
    files = []
    for at, row in enumerate(sample("vllm/appended.jsonl").read_text().splitlines()):
        files.append(tmp_path / f"{at}.json")
        files[-1].write_text(row)
    texts = []
    for order in (files, files[::-1]):
        done = run("--root", root, "import", *order, *SAID, "--dry-run")
        assert done.status == 0
        texts.append(done.out)
    assert texts[0] == texts[1]
    assert texts[0].count("\n  - {id: ") == 4


def test_a_file_that_is_given_twice_counts_once(root: Path) -> None:
    file = sample("vllm/appended.jsonl")
    done = run("--root", root, "import", file, file, *SAID)
    assert (done.status, len(records(root))) == (0, 1)
    assert "gave twice" in done.err
    assert records(root)[0].read_text("utf-8").count("\n  - {id: ") == 4


Make = Callable[[Path], None]


def zipped(members: dict[str, bytes], *, link: str = "") -> Make:
    """A zip archive of some members."""

    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
            if link:
                entry = zipfile.ZipInfo(link)
                entry.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(entry, "/etc/passwd")

    return make


def tarred(members: dict[str, bytes], *, link: str = "", kind: bytes = tarfile.SYMTYPE) -> Make:
    """A tar archive of some members."""

    def make(path: Path) -> None:
        with tarfile.open(path, "w:gz") as archive:
            for name, content in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            if link:
                entry = tarfile.TarInfo(link)
                entry.type, entry.linkname = kind, "/etc/passwd"
                archive.addfile(entry)

    return make


GOOD = (FILES / "vllm" / "appended.jsonl").read_bytes()
BOMB = b"0" * (64 * 2**20)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("good.zip", zipped({"run/log.txt": b"nothing", "run/results.jsonl": GOOD})),
        ("good.tar.gz", tarred({"run/log.txt": b"nothing", "run/results.jsonl": GOOD})),
    ],
)
def test_results_in_an_archive_are_read_and_the_rest_is_passed_over(
    root: Path, tmp_path: Path, name: str, make: Make
) -> None:
    make(tmp_path / name)
    done = run("--root", root, "import", tmp_path / name, *SAID)
    assert (done.status, len(records(root))) == (0, 1), done.err
    assert f"skipped: {name}/run/log.txt" in done.err


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("slip.zip", zipped({"../../outside.jsonl": GOOD}), "leads out of the archive"),
        ("root.zip", zipped({"/etc/cron.d/x": GOOD}), "leads out of the archive"),
        ("drive.zip", zipped({"C:/x.jsonl": GOOD}), "leads out of the archive"),
        ("back.zip", zipped({"..\\x.jsonl": GOOD}), "leads out of the archive"),
        ("link.zip", zipped({}, link="results.jsonl"), "is a link or a device"),
        ("bomb.zip", zipped({"results.jsonl": BOMB}), "far more than any results need"),
        ("many.zip", zipped({f"{at}": b"" for at in range(MOST_MEMBERS + 1)}), "members"),
        ("slip.tar.gz", tarred({"a/../../b.jsonl": GOOD}), "leads out of the archive"),
        ("root.tgz", tarred({"/b.jsonl": GOOD}), "leads out of the archive"),
        ("link.tar.gz", tarred({}, link="results.jsonl"), "is a link or a device"),
        ("hard.tar.gz", tarred({}, link="x", kind=tarfile.LNKTYPE), "is a link or a device"),
        ("pipe.tar.gz", tarred({}, link="x", kind=tarfile.FIFOTYPE), "is a link or a device"),
        ("bomb.tar.gz", tarred({"results.jsonl": BOMB}), "far more than any results need"),
        ("torn.zip", lambda path: path.write_bytes(b"PK\x03\x04" + b"x" * 40), ""),
        ("torn.tar.gz", lambda path: path.write_bytes(b"\x1f\x8b" + b"x" * 40), "cannot read the"),
    ],
)  # fmt: skip
def test_an_archive_that_no_benchmark_makes_is_refused_and_nothing_is_written(
    root: Path, tmp_path: Path, name: str, make: Make, said: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    make(folder / name)
    before = sorted(path for path in tmp_path.rglob("*"))
    done: Ran = run("--root", root, "import", folder / name, *SAID)
    assert (done.status, records(root)) == (1, [])
    assert said in done.err
    assert "Traceback" not in done.err
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_a_zip_that_lies_about_a_size_is_read_no_further_than_it_said(
    root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "lies.zip"
    zipped({"results.jsonl": GOOD * 50})(path)
    content = bytearray(path.read_bytes())
    size = len(GOOD * 50).to_bytes(4, "little")
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, (100).to_bytes(4, "little")))
    done = run("--root", root, "import", path, *SAID)
    assert (done.status, records(root)) == (1, [])
    assert "Traceback" not in done.err


def test_a_source_needs_the_day_on_which_it_was_read(root: Path) -> None:
    words = (sample("vllm/appended.jsonl"), *SAID, "--source", "https://bench.example/results")
    refused = run("--root", root, "import", *words)
    assert (refused.status, records(root)) == (2, [])
    assert "--read: give the date on which you read the source" in refused.err
    found = imported(root, *words, "--read", "2026-11-22", "--title", "Example results")
    assert found["sources"] == [
        {"title": "Example results", "url": "https://bench.example/results", "read": "2026-11-22"}
    ]


@pytest.mark.parametrize("missing", ["nowhere.json", "folder"])
def test_what_is_no_file_is_said(root: Path, tmp_path: Path, missing: str) -> None:
    (tmp_path / "folder").mkdir()
    done = run("--root", root, "import", tmp_path / missing, *SAID)
    assert done.status in {1, 2}
    assert missing in done.err
    assert "Traceback" not in done.err


def test_a_new_benchmark_may_be_made_of_results(root: Path) -> None:
    file = sample("vllm/appended.jsonl")
    done = run("--root", root, "new", "benchmark", "--from", file, *SAID)
    assert (done.status, len(records(root))) == (0, 1), done.err
    assert run("--root", root, "check").out == ""
    again = run("--root", root, "import", file, *SAID)
    assert again.out == done.out
    for words in (("gpu", "--from", file), ("benchmark", "mine", "--from", file, *SAID)):
        refused = run("--root", root, "new", *words)
        assert refused.status == 2
    assert len(records(root)) == 1
