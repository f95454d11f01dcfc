"""Drafts of models that the catalog lacks, and how their counts compare with the files' own lists.

``new_models.json`` has what configs of public repositories say of sizes, and what the lists of
their files (``model.safetensors.index.json``) say of parameters: a count, or bytes of one type.
They are what GitHub's copies at the root of a repository gave, one of each shape that no model of
the catalog has; nobody chose them by their outcome. Each is drafted by ``sitegen new model``, from
the config alone and with the list beside it, and the draft is checked as it is. The second copy of
a tied head is no parameter. A tower that only the list tells of is what is left over there, so that
its count cannot be wrong with the list::

    python -m benchmarks.new_models
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from sitegen.cli.questions.files_index import INDEX, WIDTHS
from sitegen.models.architecture import parameters
from sitegen.models.families import architecture
from tests.cli.small_project import run, small_project

LISTED = Path(__file__).with_suffix(".json")
NEAR = 0.005
"""Share of the files' own count within which a count is right."""


def drafted(project: Path, source: Path) -> dict[str, Any] | None:
    """Draft a model and check it but for stand-ins; ``None`` where it is refused or fails."""
    record = project / "catalog/models/a-draft.yaml"
    record.unlink(missing_ok=True)
    if run("--root", project, "new", "model", "--from", source, "a-draft").status:
        return None
    found: dict[str, Any] = yaml.safe_load(record.read_text("utf-8"))
    return None if run("--root", project, "check", "--ignore", "stand-in").status else found


def counted(record: dict[str, Any]) -> int:
    """Add up what a draft says: its config's tensors and what it says is beside them."""
    beside = ("vision_parameters", "mtp_parameters")
    besides: int = sum(record.get(key, 0) for key in beside)
    return parameters(architecture(record["config"])) + besides


def stored_twice(names: list[str], record: dict[str, Any]) -> int:
    """Return the parameters of a head that is stored although it is tied to the embedding."""
    design = architecture(record["config"])
    twice = design.tied_embeddings and any(name.endswith("lm_head.weight") for name in names)
    return design.vocabulary * design.hidden_size if twice else 0


def main() -> int:
    """Print a row for each config; 1 where a draft does not pass its check."""
    rows = json.loads(LISTED.read_text("utf-8"))
    right = {"alone": 0, "with the list": 0}
    made = 0
    with tempfile.TemporaryDirectory() as temporary:
        project, folder = small_project(Path(temporary)), Path(temporary, "own")
        folder.mkdir()
        for row in rows:
            config = row["config"] | {"torch_dtype": row.get("dtype")}
            published = row.get("total_parameters") or row["total_size"] / WIDTHS[row["dtype"]]
            (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
            metadata = {key: row[key] for key in ("total_size", "total_parameters") if key in row}
            listed = {"metadata": metadata, "weight_map": dict.fromkeys(row["names"], "")}
            said = f"{row['repository']:45} {config['model_type']:18} {published:15,.0f}"
            for name in right:
                (folder / INDEX).unlink(missing_ok=True)
                if name != "alone":
                    (folder / INDEX).write_text(json.dumps(listed), encoding="utf-8")
                record = drafted(project, folder)
                if record is None:
                    said += "  no draft"
                    break
                off = counted(record) / (published - stored_twice(row["names"], record)) - 1
                right[name] += abs(off) <= NEAR
                said += f" {counted(record):15,} {off:+9.4%}"
            made += record is not None
            print(said)
    print(f"{made} of {len(rows)} drafts pass, counts within {NEAR:.1%}: {right}")
    return int(not made)


if __name__ == "__main__":
    sys.exit(main())
