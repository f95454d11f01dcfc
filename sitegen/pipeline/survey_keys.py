"""Keys of surveys: one name for all that the survey of a combo or a kind of GPU depends on.

All models, recipes, runtimes, constants, links, runs and scores stand in every key by the text of
their files: a verdict may compare with any of them. Of hardware a key has the values that the
engine reads: a combo with its own GPUs, and the GPUs that somebody measured. What only pages read
of it (``UNREAD``) is left out; a test judges a catalog under values that tell when they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.catalog.file_names import catalog_path
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.usual_links import usual_link
from sitegen.store import digest_of

UNREAD: Mapping[type, frozenset[str]] = {
    Gpu: frozenset({"notes", "sources", "span", "prices", "launch_price_usd", "launched"}),
    Interconnect: frozenset({"notes", "sources", "span"}),
}
"""Fields of hardware that no verdict depends on.

A combo stands in its key whole: the survey copies it, less a GPU or a node, with all its words.
"""
WHOLE = (
    "models", "quantizations", "runtimes", "assumptions", "interconnects", "measurements",
    "benchmarks", "losses", "boards", "scores", "names",
)  # fmt: skip
"""Folders of the catalog whose every file stands in every key."""


def is_claim(path: str) -> bool:
    """Return whether a file has claims of a public page."""
    return catalog_path(path).startswith("catalog/claims/")


class SurveyKeys:
    """Names surveys of one catalog."""

    def __init__(
        self, catalog: Catalog, texts: Mapping[str, str], program: str, engine: FitEngine
    ) -> None:
        """Take what all surveys have in common.

        Args:
            catalog: What is surveyed.
            texts: Its files by path.
            program: Digest of the code that surveys.
            engine: Says what joins machines of a kind; asked for nothing else.
        """
        self._catalog, self._engine = catalog, engine
        self._written: dict[int, str] = {}
        prefixes = tuple(f"catalog/{folder}/" for folder in WHOLE)
        files = (part for path in sorted(texts) if catalog_path(path).startswith(prefixes)
                 for part in (path, texts[path]))  # fmt: skip
        measured = sorted(_measured(catalog))
        left_out = repr(catalog.left_out)
        self._claims = digest_of(
            *(part for path in sorted(texts) if is_claim(path) for part in (path, texts[path]))
        )
        self.common = digest_of(
            program,
            left_out,
            repr({kind: dict(old) for kind, old in catalog.renamed.items()}),
            *(self._text(catalog.gpus[id_]) for id_ in measured),
            *files,
        )

    def hardware(self, value: Gpu | Combo) -> str:
        """Name a piece of hardware, less what no verdict reads of it."""
        return digest_of(self._text(value))

    def claims(self) -> str:
        """Name the claims of public pages."""
        return self._claims

    def judged(self) -> str:
        """Name all that is judged, less what no verdict reads of hardware."""
        catalog = self._catalog
        hardware: tuple[Gpu | Combo, ...] = (*catalog.gpus.values(), *catalog.combos.values())
        told = repr(catalog.warnings)
        texts = (self._text(one) for one in hardware)
        return digest_of(self.common, self._claims, told, *texts)

    def combo(self, combo: Combo) -> str:
        """Name the survey of a combo."""
        joined = (
            word
            for id_ in combo.gpu_ids
            for word in (self._network(id_), usual_link(self._catalog, id_))
        )
        return digest_of("combo", self.common, self._text(combo), *joined)

    def needs(self, gpu: Gpu) -> str:
        """Name the answer to how many of a GPU each model needs."""
        known = any(gpu.id in combo.gpu_ids for combo in self._catalog.combos.values())
        joined = usual_link(self._catalog, gpu.id)
        return digest_of(
            "needs", self.common, self._text(gpu), str(known), joined, self._network(gpu.id)
        )

    def _network(self, gpu_id: str) -> str:
        network = self._engine.usual_network(gpu_id)
        return network.id if network else ""

    def _text(self, value: Gpu | Combo) -> str:
        """Write all that is read of a piece of hardware; each piece once."""
        if id(value) not in self._written:
            self._written[id(value)] = "".join(self._told(value))
        return self._written[id(value)]

    def _told(self, value: object) -> Iterator[str]:
        if is_dataclass(value) and not isinstance(value, type):
            unread = UNREAD.get(type(value), frozenset())
            yield f"{type(value).__name__}("
            for field in fields(value):
                if field.name not in unread:
                    yield f"{field.name}="
                    inner = getattr(value, field.name)
                    yield from [self._text(inner)] if isinstance(inner, Gpu) else self._told(inner)
            yield ")"
        elif isinstance(value, tuple):
            yield "["
            for item in value:
                yield from self._told(item)
            yield "]"
        elif isinstance(value, Enum):
            yield f"{type(value).__name__}.{value.name},"
        else:
            yield f"{value!r},"


def _measured(catalog: Catalog) -> Iterator[str]:
    """Yield the ids of the GPUs that a log or a benchmark is of."""
    systems = [run.system for log in catalog.measurements.values() for run in log.runs]
    systems += [run.system for file in catalog.benchmarks.values() for run in file.runs]
    found = {id_ for system in systems if system is not None for id_ in system.gpu_ids}
    yield from found & catalog.gpus.keys()
