"""A renamed record: old references still work and say so, old addresses lead to the new page."""

from __future__ import annotations

from pathlib import Path

from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.pipeline.building import build
from tests.catalog.problem_cases import BOXES, GPU
from tests.catalog.sample import SAMPLE
from tests.cli.small_project import run, small_project

DOCUMENT = Path(__file__).parents[2] / "docs/problems.md"


def with_old_reference() -> dict[str, str]:
    files = dict(SAMPLE)
    files[GPU] = files[GPU].replace(
        "name: RTX 4090", "name: RTX 4090\nrenamed_from: [rtx-4090-24gb]"
    )
    files[BOXES] = files[BOXES].replace("gpu: rtx-4090", "gpu: rtx-4090-24gb")
    return files


def test_an_old_id_resolves_to_the_record_of_today() -> None:
    catalog = parse_catalog(with_old_reference())
    assert {gpu.gpu.id for gpu in catalog.combos["four-boxes"].gpus} == {"rtx-4090"}
    assert catalog.renamed == {"gpu": {"rtx-4090-24gb": "rtx-4090"}}


def test_using_it_is_a_warning_with_the_id_to_write() -> None:
    warnings = parse_catalog(with_old_reference()).warnings
    assert [warning.code for warning in warnings] == ["renamed-id"]
    assert f"```text\n{warnings[0]}\n```" in DOCUMENT.read_text()


def test_an_old_address_leads_to_the_page_of_today(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    model = root / "catalog/models/qwen3-8b.yaml"
    model.write_text(model.read_text().replace("config:", "renamed_from: [qwen3-8b-base]\nconfig:"))
    result = build(read_project(root))
    page = result.files["models/qwen3-8b-base/index.html"].decode()
    assert '<meta http-equiv="refresh" content="0; url=../qwen3-8b/index.html">' in page
    assert b"qwen3-8b-base" not in result.files["sitemap.xml"]
    assert run("--root", root, "check").status == 0


def test_the_schemas_are_published_beside_the_pages(tmp_path: Path) -> None:
    result = build(read_project(small_project(tmp_path)))
    committed = (DOCUMENT.parents[1] / "schema/v1/gpu.schema.json").read_bytes()
    assert result.files["schema/v1/gpu.schema.json"] == committed
