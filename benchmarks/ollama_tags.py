"""Says which model of the catalog, and which type of file, a tag of Ollama's library names.

Reads a listing of https://ollama.com/library, and writes for the linter what
``sitegen/lint/options/ollama-library.json`` says. ``FOLDER`` is ``data`` of a checkout of
D3rhami/ollama_gallery, which lists every tag with its size once for each digest::

    python -m benchmarks.ollama_tags FOLDER --read 2026-11-27 --commit 5d4b656

A tag without a type (``llama3.3:70b``) is one with a type whose digest it shares, and the listing
leaves that one out: of the longer tags that begin with it, the model whose tags have every type but
one of a size that agrees is meant. Where no longer tag tells, the name says the model, and the size
the type. What stays open is left open: a model without a type, or no entry at all.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.importers.spellings.models import ModelNames
from sitegen.inputs import read_project
from sitegen.lint.checkpoints import LIBRARY_TYPE, of_recipe

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "sitegen" / "lint" / "options" / "ollama-library.json"
SOURCE = "https://github.com/D3rhami/ollama_gallery"
TYPES = ("Q4_K_M", "Q4_0", "Q8_0", "F16")
"""Types that tags without one stand for."""
OF_TRAINING = ("Q4_0",)
"""The same where the model was trained for few bits (``qat``)."""
OF_MXFP4 = ("MXFP4_MOE_F16", "MXFP4_MOE")
"""The same where the model is published in MXFP4."""
OTHERS = re.compile(r"(?<![a-z])(?:qat|mtp|coding|cloud)(?![a-z])")
"""Words of tags whose files differ from those of the tag that they begin with."""
SLACK = 0.05
"""Share by which a listed size, of two digits, may differ from what was computed."""


@dataclass
class Listing:
    """The tags of one family, by tag without its type.

    Attributes:
        plain: Sizes in GB of tags without a type.
        typed: Types of the others, in small letters.
    """

    plain: dict[str, float] = field(default_factory=dict)
    typed: dict[str, set[str]] = field(default_factory=dict)


def listing_of(family: Mapping[str, Mapping[str, str]]) -> Listing:
    """Read the tags of a family, without those for MLX and those that run elsewhere."""
    found = Listing()
    for one in family.values():
        words = one["name"].split()
        tag = words[0].partition(":")[2].lower()
        if len(words) > 1 or tag.endswith("cloud") or not one["size_str"][:1].isdigit():
            continue
        named = LIBRARY_TYPE.search(tag)
        if named is None:
            found.plain[tag] = gigabytes(one["size_str"])
        else:
            found.typed.setdefault(tag[: named.start()], set()).add(named[1])
    return found


def gigabytes(text: str) -> float:
    """Read a size.

    >>> gigabytes("43GB"), gigabytes("271MB")
    (43.0, 0.271)
    """
    number, unit = text[:-2], text[-2:]
    return float(number) * {"TB": 1_000, "GB": 1, "MB": 0.001}[unit]


class Tags:
    """What the catalog says of the tags of a listing."""

    def __init__(self, engine: FitEngine) -> None:
        self._engine = engine
        self._names = ModelNames(engine.catalog.models)
        self._recipes = {
            one.gguf_file_type: one
            for one in engine.catalog.quantizations.values()
            if one.gguf_file_type
        }

    def model(self, family: str, tag: str) -> LanguageModel | None:
        """Find the one model that a family and a tag without a type name."""
        name = family if tag in {"", "latest"} else f"{family}:{tag}"
        found = self._names.meant(name).model
        return self._engine.catalog.models[found] if found else None

    def off(self, model: LanguageModel, kind: str, size: float) -> float:
        """Return by which share a size differs from that of a model's file in a type.

        A file may also hold what reads images or predicts further tokens, in 16 bits.
        """
        try:
            checkpoint = of_recipe(model, self._recipes[kind])
            weights = self._engine.reduced(model, checkpoint).weights.total_bytes / 1e9
        except ValueError:
            return 1.0
        beside = 2 * (model.vision_parameters + model.mtp_parameters) / 1e9
        nearest = min(max(size, weights), weights + beside)
        return abs(size / nearest - 1)

    def kind(self, model: LanguageModel, size: float, taken: set[str], tag: str) -> str:
        """Find the type of a file by its size, among those that no other tag has."""
        native = any(one.quantization.format == "mxfp4" for one in model.checkpoints if one.native)
        order = OF_TRAINING if "qat" in tag else OF_MXFP4 if native else TYPES
        free = [
            (self.off(model, one, size), one)
            for one in order
            if one.lower() not in taken and not (one == "F16" and taken & {"fp16", "bf16"})
        ]
        off, kind = min(free, key=lambda one: one[0], default=(1.0, ""))
        return kind if off <= SLACK else ""

    def of_family(
        self, family: str, listing: Listing, sizes: list[str]
    ) -> Iterator[tuple[str, str]]:
        """Yield the tags of a family with the model, and the type where it is plain.

        What a tag with a type begins with has a dash behind it: without a type it may be another.
        """
        for tag in listing.typed:
            model = self.model(family, tag)
            if model is not None:
                yield f"{family}:{tag}-", model.id
        lost = [one for one in sizes if one not in listing.plain]
        plain = dict(listing.plain)
        if len(lost) == 1 and "latest" in plain:  # the listing has each digest once
            plain[lost[0]] = plain["latest"]
        claimed: set[str] = set()
        for tag in sorted(plain, key=len, reverse=True):
            if tag != "latest" or len(lost) != 1:
                found, longer = self.default(family, listing, tag, plain[tag], claimed)
                claimed.add(longer)
                if found:
                    yield f"{family}:{tag}".removesuffix(":latest"), found
                if found and [tag] == lost:
                    yield family, found

    def default(
        self, family: str, listing: Listing, tag: str, size: float, claimed: set[str]
    ) -> tuple[str, str]:
        """Say what a tag without a type is: a model and a type, and the longer tag that told it."""
        found: dict[str, str] = {}
        for longer, taken in listing.typed.items():
            begins = tag in {"latest", longer} or longer.startswith(f"{tag}-")
            other = OTHERS.findall(longer) != OTHERS.findall(tag)
            if not begins or longer in claimed or other:
                continue
            model = self.model(family, longer)
            kind = self.kind(model, size, taken, tag) if model is not None else ""
            if model is not None and kind:
                found[f"{model.id} {kind}"] = longer
        if len(found) == 1:
            return next(iter(found.items()))
        model = self.model(family, tag)
        if model is None or found:
            return "", ""
        return f"{model.id} {self.kind(model, size, set(), tag)}".strip(), ""


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--read", required=True)
    parser.add_argument("--commit", required=True)
    given = parser.parse_args()
    engine = FitEngine(parse_catalog(read_project(ROOT).catalog))
    tags = Tags(engine)
    listed = json.loads((given.folder / "tags.json").read_text("utf-8"))
    models = json.loads((given.folder / "models.json").read_text("utf-8"))
    entries: dict[str, str] = {}
    for family, rows in listed.items():
        sizes = [one.lower() for one in models.get(family, {}).get("parameters", ())]
        entries |= dict(tags.of_family(family, listing_of(rows), sizes))
    record = {
        "program": "ollama-library",
        "version": f"ollama_gallery {given.commit}",
        "source": SOURCE,
        "read": given.read,
        "options": dict(sorted(entries.items())),
    }
    TARGET.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    typed = sum(" " in one for one in entries.values())
    print(f"{len(entries)} tags, {typed} with a type")


if __name__ == "__main__":
    main()
