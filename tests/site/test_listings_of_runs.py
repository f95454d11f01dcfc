"""What others measured, as the model page lists it: every run once, with unit, split and source."""

from __future__ import annotations

from dataclasses import replace

from sitegen.render.cells import html, text
from sitegen.site.table import Table
from sitegen.site.tables.measured import (
    OTHER,
    PLAIN_ROWS,
    measured_by_gpu,
    measured_of_gpu,
    measured_of_model,
)
from sitegen.site.tables.runs import (
    NO_ESTIMATES,
    estimates,
    memory_runs_by_model,
    memory_runs_table,
    ran_file,
    speed_runs_by_model,
    speed_runs_table,
    twin_of_speed,
)
from sitegen.site.tables.runs import RATES as NAMES
from tests.render.built import files, tree, words
from tests.site.fabricated import CATALOG, LARGE, SMALL, SPEED_ACCURACY

GAP = "\N{NO-BREAK SPACE}"
SPEEDS = speed_runs_by_model(CATALOG)[SMALL.id]
STARTS = memory_runs_by_model(CATALOG)[LARGE.id]


def speeds() -> Table:
    return speed_runs_table(SPEEDS, CATALOG, id="speeds")


def starts() -> Table:
    return memory_runs_table(STARTS, CATALOG, id="starts")


def cells(table: Table, id: str) -> list[str]:
    return [text(cell) for row in table.rows if row.id == id for cell in row.cells]


def test_every_run_is_listed_once_under_the_model_that_ran() -> None:
    runs = [run.id for file in CATALOG.benchmarks.values() for run in file.runs]
    assert [row.id for row in speeds().rows] == [f"run-{id}" for id in runs]
    assert set(speed_runs_by_model(CATALOG)) == {SMALL.id}
    logged = [run.id for file in CATALOG.measurements.values() for run in file.runs]
    assert [row.id for row in starts().rows] == [f"run-{id}" for id in logged]


def test_a_speed_has_its_units_and_says_how_it_was_timed() -> None:
    plain = cells(speeds(), "run-run-1")
    assert plain[2:7] == [
        f"512{GAP}tokens", "1", f"48{GAP}tok/s after the first token", "not stated",
        f"1,234{GAP}tok/s",
    ]  # fmt: skip
    assert plain[8] == "A post 2025-08-04"


def test_what_sets_a_run_apart_is_said() -> None:
    aided = cells(speeds(), "run-run-2")
    assert aided[0] == f"8× RTX 4090 4 machines, 10 GbE limited to 280{GAP}W"
    assert aided[1] == "llama.cpp Q4_K_M, TP 2, PP 2 speculative decoding: eagle3"


def test_a_run_names_its_file_as_the_page_of_its_model_does() -> None:
    run, _ = SPEEDS[0]
    first = SMALL.checkpoints[0]
    listed = replace(run.subject, model=SMALL.id, checkpoint=first.id, quantization="")
    assert first.id != first.quantization.name
    assert ran_file(listed, CATALOG) == first.quantization.name
    assert ran_file(replace(listed, checkpoint="of-their-own"), CATALOG) == "of-their-own"
    assert ran_file(replace(listed, checkpoint=""), CATALOG) == "as released"


def test_a_batch_has_no_speed_of_one_stream_and_no_date_where_none_is_known() -> None:
    batch = cells(speeds(), "run-run-3")
    assert batch[3:6] == ["16", "not stated", f"380{GAP}tok/s"]
    assert batch[8] == "A post"


def test_a_start_without_hardware_says_so() -> None:
    ran, failed = cells(starts(), "run-start-1"), cells(starts(), "run-start-2")
    assert (ran[3], failed[3]) == ("ran", "failed")
    assert failed[0] == "not stated"
    assert ran[4] == f"weights 19.8{GAP}GiB KV pool 1.5{GAP}GiB"


def test_hardware_and_runtime_are_links_and_the_source_is_outside() -> None:
    row = speeds().rows[0]
    at = f"/models/{SMALL.id}/"
    assert 'href="../../gpus/rtx-3060-12gb/index.html"' in html(row.cells[0], at)
    assert 'href="../../runtimes/llama-cpp/index.html"' in html(row.cells[1], at)
    assert 'href="https://post.example/2"' in html(row.cells[8], at)


def test_the_twin_has_the_runs_as_published() -> None:
    found = {run["id"]: run for run in twin_of_speed(SPEEDS)}
    assert len(found) == len(SPEEDS)
    assert found["run-1"]["decode_tokens_per_s"] == 48.5
    assert found["run-1"]["aggregate_tokens_per_s"] is None
    assert found["run-2"]["speculative"] == "eagle3"
    assert found["run-2"]["gpus"] == ", ".join(["rtx-4090"] * 8)


def test_the_model_page_shows_them() -> None:
    assert f"models/{SMALL.id}/index.html" in files()
    root = tree(f"models/{SMALL.id}/index.html")
    (table,) = [t for t in root.iter("table") if t.get("id") == "measured-speed"]
    assert len(table.findall("tbody/tr")) == len(SPEEDS)
    assert f"({len(SPEEDS)})" in words(table)


def test_the_impossible_run_is_in_quarantine_on_the_claims_page() -> None:
    root = tree("claims/index.html")
    (table,) = [t for t in root.iter("table") if t.get("id") == "quarantined"]
    assert [row.get("id") for row in table.findall("tbody/tr")] == ["quarantined--run-4"]


def test_the_engines_rate_of_the_same_run_stands_beside_the_measured_one() -> None:
    assert SPEED_ACCURACY is not None
    known = estimates(SPEED_ACCURACY, ["run-4"])
    shown = speed_runs_table(SPEEDS, CATALOG, known, id="speeds")
    for one in SPEED_ACCURACY.comparisons:
        (cell,) = [row.cells[7] for row in shown.rows if row.id == f"run-{one.run}"]
        assert f"tok/s{NAMES[one.quantity]}" in text(cell)
        assert ("without speculative decoding" in text(cell)) == bool(one.speculative)
    assert "in quarantine faster than the hardware allows" in cells(shown, "run-run-4")[7]
    assert cells(speeds(), "run-run-1")[7] == "not estimated"


def test_long_lists_are_folded_by_hardware_and_lose_no_run() -> None:
    many = tuple(
        (replace(run, id=f"{run.id}-{copy}"), source)
        for copy in range(PLAIN_ROWS)
        for run, source in (SPEEDS[0], SPEEDS[1])
    )
    many += ((SPEEDS[0][0], SPEEDS[0][1]),)
    (found,) = measured_of_model(many, (), CATALOG, NO_ESTIMATES)
    assert found.table is None
    listed = [row.id for fold in found.folds for row in fold.table.rows]
    assert sorted(listed) == sorted(f"run-{run.id}" for run, _ in many)
    assert [fold.summary for fold in found.folds] == [
        f"1× RTX 3060 12GB ({PLAIN_ROWS + 1})", f"8× RTX 4090 ({PLAIN_ROWS})",
    ]  # fmt: skip
    few, rare = many[:PLAIN_ROWS], (*many[0::2], many[1])
    (plain,) = measured_of_model(few, (), CATALOG, NO_ESTIMATES)
    assert plain.table is not None
    assert plain.folds == ()
    assert measured_of_model(many[: PLAIN_ROWS + 1], (), CATALOG, NO_ESTIMATES)[0].folds
    (mixed,) = measured_of_model(rare, (), CATALOG, NO_ESTIMATES)
    assert [fold.summary for fold in mixed.folds][-1] == f"{OTHER} (1)"


def test_a_gpu_lists_what_was_measured_on_it() -> None:
    found = measured_by_gpu(CATALOG)
    for gpu, models in found.items():
        runs = [
            run for file in CATALOG.benchmarks.values() for run in file.runs
            if gpu in {one.gpu.id for one in run.system.gpus}
        ]  # fmt: skip
        assert sum(tally.speeds for tally in models.values()) == len(runs)
        assert len(measured_of_gpu(models, CATALOG, id="x").rows) == len(models)
    assert found["rtx-3060-12gb"][SMALL.id].alone[0] == 48.5
