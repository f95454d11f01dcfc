"""Texts that digests of a golden site are made of: its survey, answers, records and pages."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from itertools import cycle, product

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.importers.evidence import EditorStatement, contradictions
from sitegen.importers.names import combos_named
from sitegen.importers.quality import doubts, refusals
from sitegen.importers.record import RunChoice, Said, record_text
from sitegen.physics.plan import Workload
from sitegen.pipeline.building import BuildResult
from sitegen.published.judged_records import judge_records
from sitegen.recipes import recipes_for
from sitegen.recipes.folder import folder_of
from sitegen.recipes.measuring import measuring
from tests.importers.reading import FILES, told
from tests.spelled_out import RECORDS, spelled_out


def values(result: BuildResult) -> Iterator[tuple[str, str]]:
    """Yield all that the survey says of a combo and of each of its rows, to nine digits."""
    for combo_id, found in result.survey.combos.items():
        for row in found.rows:
            yield f"{combo_id}/{row.pick.model.id}", spelled_out(row, RECORDS)
        rest = (f for f in fields(found) if f.name not in {"combo", "rows"})
        for part in rest:
            yield f"{combo_id} {part.name}", spelled_out(getattr(found, part.name), RECORDS)


def judged(result: BuildResult) -> Iterator[tuple[str, str]]:
    """Yield what is said of each thing that others published."""
    records = judge_records(FitEngine(result.catalog))
    for name in ("memory", "speed"):
        if (report := getattr(records, name)) is not None:
            for part in fields(report):
                yield f"published {name} {part.name}", spelled_out(getattr(report, part.name))
    for page in records.claims:
        for claim in page.claims:
            yield f"claim {page.page.id} {claim.claim.id}", spelled_out(claim.judgement)
    yield "quarantined", spelled_out(records.quarantined)


def questions(engine: FitEngine, catalog: Catalog) -> Iterator[FitRequest]:
    """Yield every model on every combo under every runtime, at its smallest and largest files."""
    for combo, model in product(catalog.combos.values(), catalog.models.values()):
        vendors = {gpu.gpu.vendor for gpu in combo.gpus}
        goal = cycle(PlanGoal)
        for runtime, profile in engine.assessed_runtimes():
            loaded = [
                one for one in model.checkpoints if one.quantization.format in runtime.formats
            ]
            if loaded and not vendors.isdisjoint(runtime.vendors):
                by_bits = sorted(loaded, key=lambda one: one.quantization.nominal_bits)
                for checkpoint, tokens in ((by_bits[0], 8_192), (by_bits[-1], 32_768)):
                    workload = Workload(tokens, 1, "f16")
                    yield FitRequest(
                        model, checkpoint, combo, runtime, profile, workload, goal=next(goal)
                    )


def written_down(answer: Assessment) -> tuple[Assessment, list[object]]:
    """Return an answer with its recipes, how each is measured, and its folder."""
    made: list[object] = [
        (recipe, measuring(recipe), folder_of(recipe, title="A title", asked="a question"))
        for recipe in recipes_for(answer)
    ]
    return answer, made


def answers(result: BuildResult) -> Iterator[tuple[str, str]]:
    """Yield what the engine answers to every question, and the recipes with their folders."""
    engine, texts = FitEngine(result.catalog), defaultdict(list)
    for question in questions(engine, result.catalog):
        answer = assess(engine, question)
        name = f"{answer.combo.id}/{answer.model.id}"
        texts[name].append(spelled_out(written_down(answer), RECORDS))
    for name, parts in texts.items():
        yield f"answers/{name}", "\n".join(parts)


IMPORTED = (
    ("2x-rtx-4090", 2, "llama-3.1-8b-instruct", "vllm"),
    ("1x-rtx-3090", 1, "qwen3-8b", "llama-cpp"),
    ("2-nodes-8x-h100", 16, "gpt-oss-20b", "sglang"),
    ("mac-studio-m3-ultra-256gb", 1, "gemma-3-27b-it", "mlx-lm"),
)
"""Combo, GPUs, model and runtime of an editor who imports every sample of a tool's file."""


def imports(result: BuildResult) -> Iterator[tuple[str, str]]:
    """Yield the record of each sample file for each editor, and the fields that contradict him."""
    catalog = result.catalog
    for path in sorted(path for path in FILES.rglob("*.*") if path.suffix in {".json", ".jsonl"}):
        format_, runs = told(path.read_bytes())
        usable = [run for run in runs if not list(refusals(run))]
        parts = [spelled_out([(list(refusals(run)), list(doubts(run))) for run in runs])]
        for combo, gpus, model, runtime in (row for row in IMPORTED if row[0] in catalog.combos):
            checkpoint = catalog.models[model].checkpoints[0]
            stated = EditorStatement(
                catalog.combos[combo], gpus, catalog.models[model], checkpoint, runtime
            )
            said = Said(sequences=4, date="2026-11-20", tensor_parallel=gpus)
            choice = RunChoice(combo, (), "", gpus, model, checkpoint.id, "", runtime, "", said)
            parts.append(spelled_out(contradictions(runs, stated, catalog)))
            parts.append(
                record_text(usable, (), choice, tool=(format_.id, format_.id), hashes=["0" * 64])
            )
        hardware = [named for run in runs for named in run.hardware]
        parts.append(spelled_out(combos_named(hardware, catalog)))
        yield f"import {path.parent.name} {path.name}", "\n".join(parts)


def pages(result: BuildResult) -> Iterator[tuple[str, str]]:
    """Yield what pages say, for readers and for machines, and the files that they fetch."""
    version = json.loads(result.files["models/index.json"])["data_version"]
    for path, content in sorted(result.files.items()):
        kind = path.rpartition(".")[2]
        if path.startswith(("assets/", "schema/")) or kind not in {"html", "json", "md", "csv"}:
            continue
        text = re.sub(r"(?<=[?.])[0-9a-f]{8,}(?=[.\"])", "FILE", content.decode())
        if kind == "html":  # what stands round it is the same everywhere
            text = text[text.index("<main") :]
        yield path, text.replace(version, "VERSION")
