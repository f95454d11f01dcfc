"""What was gone through by eye after the collection was made: names, and scores that it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Row: TypeAlias = dict[str, Any]
Meant: TypeAlias = tuple[str, str | None]
"""How a name matches (exact, sibling or none), and the model that it means."""
HERE = Path(__file__).parent
REVIEWED = "2026-11-23"
"""Day on which names were gone through and scores were added."""
MATCHES: Mapping[str, str] = {"exact": "exact", "siblings": "sibling"}
OF_A_BOARD = ("category", "unit", "higher_is_better")
OF_A_NAME = ("match", "model_id")


class Review:
    """Names by map: what they mean, and why where that is not plain."""

    def __init__(self, record: Mapping[str, Mapping[str, Mapping[str, str]]]) -> None:
        self.meant: dict[tuple[str, str], Meant] = {}
        self.why: dict[tuple[str, str], str] = {}
        for map_, sections in record.items():
            for section, match in MATCHES.items():
                for name, model in sections.get(section, {}).items():
                    self._enter(map_, name, (match, model))
            for name, reason in sections.get("outside", {}).items():
                self._enter(map_, name, ("none", None))
                self.why[map_, name] = reason
            self.why |= {(map_, name): why for name, why in sections.get("why", {}).items()}

    def _enter(self, map_: str, name: str, meant: Meant) -> None:
        if (map_, name) in self.meant:
            raise SystemExit(f"{map_}: {name!r} was reviewed twice")
        self.meant[map_, name] = meant

    def applied(self, rows: Sequence[Row], map_of: Mapping[str, str]) -> list[Row]:
        """Return rows with the models that the review says; every reviewed name must be there.

        Args:
            rows: Rows of the collection and the added ones.
            map_of: Name map of each evaluator; others share ``elsewhere``.
        """
        keys = [(map_of.get(row["evaluated_by"], "elsewhere"), row["model_name"]) for row in rows]
        missing = sorted((self.meant.keys() | self.why.keys()) - set(keys))
        if missing:
            raise SystemExit(f"reviewed, and in no row: {missing}")
        return [
            {**row, "match": self.meant[key][0], "model_id": self.meant[key][1]}
            if key in self.meant
            else row
            for key, row in zip(keys, rows, strict=True)
        ]


def review() -> Review:
    """Read the names that were gone through."""
    return Review(yaml.safe_load((HERE / "reviewed-names.yaml").read_text(encoding="utf-8")))


def added(rows: Sequence[Row]) -> list[Row]:
    """Return the scores that the collection lacks, as rows of it; known names mean the same."""
    groups = yaml.safe_load((HERE / "added-scores.yaml").read_text(encoding="utf-8"))
    boards = {row["benchmark"]: {key: row[key] for key in OF_A_BOARD} for row in rows}
    known = {
        (row["evaluated_by"], row["model_name"]): {key: row[key] for key in OF_A_NAME}
        for row in rows
    }
    return [
        {**row, **known.get((row["evaluated_by"], row["model_name"]), {})}
        for row in _rows(groups, boards)
    ]


def _rows(groups: Sequence[Mapping[str, Any]], boards: Mapping[str, Row]) -> Iterator[Row]:
    for group in groups:
        source = {key: value for key, value in group.items() if key != "scores"}
        for name, given in group["scores"].items():
            how = {key: given[key] for key in ("mode", "effort") if key in given}
            for benchmark, score in given.items():
                if benchmark in how:
                    continue
                row = {"model_id": None, "match": "none", "model_name": name, "read": REVIEWED}
                yield {**row, **source, **how, **boards[benchmark], "benchmark": benchmark,
                       **_figures(score)}  # fmt: skip


def _figures(score: float | Sequence[float]) -> Row:
    if isinstance(score, Sequence):
        return dict(zip(("score", "ci_low", "ci_high"), score, strict=True))
    return {"score": score}
