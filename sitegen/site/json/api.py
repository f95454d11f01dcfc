"""The lists of ``/api/v2/``: the catalog as authored, and every verdict of the survey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic_core import to_jsonable_python

from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.kinds import Kind
from sitegen.site.json.schema.lists import Verdict
from sitegen.site.json.shaped import by_column
from sitegen.site.page import Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.urls import FOLDERS, url_of
from sitegen.survey.results import Survey
from sitegen.values import dataclass

ROOT = "api/v2/"
# Scores stay input: pages publish what is derived of them and link to the boards.
DESCRIPTIONS: Mapping[Kind, str] = {
    Kind.GPU: "GPUs: memory, bandwidth, links, with sources.",
    Kind.INTERCONNECT: "Links inside machines and between them.",
    Kind.COMBO: "Nodes, GPUs and links judged together.",
    Kind.MODEL: "Language models with the config that decides their memory, and their checkpoints.",
    Kind.QUANTIZATION: "Formats of weights.",
    Kind.RUNTIME: "Serving engines with the constants of their memory models.",
    Kind.ASSUMPTION: "Constants of the engine that belong to no runtime.",
    Kind.MEASUREMENT: "Memory figures from published logs, by source.",
    Kind.BENCHMARK: "Published speeds, by source.",
    Kind.CLAIM: "Claims on public pages, as quoted; our verdicts are in /claims/index.json.",
    Kind.BOARD: "Public benchmarks with their use, license and cautions; no scores.",
    Kind.LOSS: "Published quality loss from quantization, by source.",
}


@dataclass(frozen=True, slots=True)
class ApiList:
    """A list of the API: ``name`` is its file's; ``generated_from`` the folder it is made of."""

    name: str
    description: str
    generated_from: str
    entries: list[PlainJson] | dict[str, PlainJson]
    total: int


def listings(records: CatalogRecords, survey: Survey, pages: Iterable[Page]) -> Iterator[ApiList]:
    """Yield every list: records by kind, verdicts, pages."""
    for kind in DESCRIPTIONS:
        found = [one for one in records.all if one.kind is kind]
        entries: list[PlainJson] = [
            {
                "id": one.id,
                "page": url_of(kind.value, one.id) if kind.value in FOLDERS else None,
                "record": to_jsonable_python(one.record.model_dump(exclude_unset=True)),
            }
            for one in found
        ]
        folder = f"catalog/{kind.folder}"
        yield ApiList(kind.folder, DESCRIPTIONS[kind], folder, entries, len(entries))
    about = "Every verdict in a few words; /combos/<id>/index.json and /models/<id>/index.json "
    verdicts = [row.pick for found in survey.combos.values() for row in found.rows]
    written = by_column(Verdict, verdicts)
    yield ApiList("verdicts", f"{about}say more.", "catalog", written, len(verdicts))
    about = "Every page with its files."
    listed = [page_entry(page) for page in pages]
    yield ApiList("pages", about, "content", listed, len(listed))


def schema_name(page: Page) -> str:
    """Return the name of the schema of a page's ``index.json``."""
    return f"{'tables' if page.stated is None else page.kind}-page"


def page_entry(page: Page) -> PlainJson:
    """Describe a page: where it is, and which files are beside it."""
    return {
        "url": page.url,
        "title": page.title,
        "kind": page.kind,
        "description": page.description,
        "files": list(page.files),
        "schema_path": f"/{ROOT}schema/{schema_name(page)}.schema.json",
    }
