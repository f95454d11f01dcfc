"""Published scores to the text of records: boards, scores by source and date, names of models."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from benchmarks.quality.boards import FEWEST_MODELS, Described, board_id, described
from benchmarks.quality.review import REVIEWED, Review
from benchmarks.quality.text import READ, quoted, source_lines

Row: TypeAlias = dict[str, Any]
SCHEMA = "# yaml-language-server: $schema=../../schema/v1/{}.schema.json\n"
UNRATED = "factuality"
WIDE = frozenset({None, "bf16", "fp16", "gguf-f16", "fp8", "nvfp4", "q8-0", "q6-k", "bnb-int8",
                  "exl2-8.0bpw", "exl3-6.0bpw", "mlx-bf16"})  # fmt: skip
"""Formats that a score of the model itself may be taken in; others are losses of quantization."""
NAME_MAPS: Mapping[str, str] = {
    "Artificial Analysis": "artificial-analysis",
    "LMArena (human votes)": "lmarena",
    "LiveBench": "livebench",
    "oobabooga": "oobabooga",
    "EuroEval": "euroeval",
    "BigCodeBench": "bigcodebench",
    "EvalPlus": "evalplus",
    "ZeroEval": "zeroeval",
    "aider": "aider",
    "lechmazur": "lechmazur",
    "NVIDIA RULER": "ruler",
    "author-submitted (marked *)": "ruler",
    "MMMU team": "mmmu",
    "author-reported, listed by MMMU": "mmmu",
    "maker, collected by llm-stats": "llm-stats",
}
"""Name map of an evaluator with names of its own; all others share ``elsewhere``."""


def usable(rows: Sequence[Row]) -> list[Row]:
    """Return rows that ratings use, with the board's id as a slug."""
    kept = [
        {**row, "board": board_id(row["benchmark"], row["evaluated_by"])}
        for row in rows
        if row["category"] != UNRATED
        and row.get("quantization") in WIDE
        and (row["model_id"] or row["evaluator"] == "independent")
    ]
    takers: dict[str, set[str]] = defaultdict(set)
    for row in kept:
        takers[row["board"]].add(row["model_id"] or row["model_name"])
    return [row for row in kept if len(takers[row["board"]]) >= FEWEST_MODELS]


def name_map(row: Row) -> str:
    """Return the id of the map that has a row's name."""
    return NAME_MAPS.get(row["evaluated_by"], "elsewhere")


def board_files(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each board."""
    by_board: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_board[row["board"]].append(row)
    for board, some in sorted(by_board.items()):
        yield board, SCHEMA.format("board") + _board_text(described(board, some), some)


def _board_text(board: Described, rows: Sequence[Row]) -> str:
    stated = {
        "name": quoted(board.name),
        "use": board.use,
        "unit": board.unit,
        "higher_is_better": None if board.higher_is_better else "false",
        "evaluator": board.evaluator,
        "evaluated_by": quoted(board.evaluated_by),
        "url": board.url,
        "license": quoted(board.license),
        "family": board.family,
        "renewed": "true" if board.renewed else None,
        "questions": board.questions,
        "caution": board.caution,
        "note": quoted(board.note) if board.note else None,
    }
    lines = [f"{key}: {value}" for key, value in stated.items() if value is not None]
    lines += source_lines(_where(rows[0]), rows[0]["source_url"], read=READ)
    return "\n".join(lines) + "\n"


def score_files(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each source at each date."""
    by_sheet: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_sheet[sheet_id(row)].append(row)
    for sheet, some in sorted(by_sheet.items()):
        yield sheet, SCHEMA.format("score") + _sheet_text(some)


def sheet_id(row: Row) -> str:
    """Name a source, and the date of its snapshot where it has several."""
    owner, _, repository = row["source_url"].rstrip("/").rpartition("/")
    who = NAME_MAPS.get(row["evaluated_by"]) or repository
    if row["evaluator"] != "independent" and who != "llm-stats":
        who = f"{owner.rpartition('/')[2]}-{repository}-{row['evaluated_by'].partition(',')[0]}"
    parts = [who]
    if who == "artificial-analysis":
        mirror = {"Scarlett9826": "api", "Maicarons": "boards"}.get(owner.rpartition("/")[2])
        parts.append(mirror or "gaps")
    if who in {"artificial-analysis", "livebench", "lmarena"}:
        parts.append(row["date"])
    if who == "lechmazur":
        parts.append(repository)
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()).strip("-.")[:80]


def _sheet_text(rows: Sequence[Row]) -> str:
    first = rows[0]
    newest = max(_date(row) for row in rows)
    paths = {row["source_path"] for row in rows}
    tables: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        tables[_table_key(row, with_path=1 < len(paths) <= MOST_PATHS)].append(row)
    title = f"{first['evaluated_by']}, {newest}"
    lines = [
        f"title: {quoted(title)}",
        f"names: {name_map(first)}",
        f"evaluator: {first['evaluator']}",
        f"evaluated_by: {quoted(first['evaluated_by'])}",
        f"date: '{newest}'",
        "tables:",
    ]
    for key, some in sorted(tables.items()):
        for part in _without_twins(some):
            lines += _table_lines(key, part, newest)
    read = max(row.get("read", READ) for row in rows)
    lines += source_lines(_where(first, several=len(paths) > 1), first["source_url"], read=read)
    return "\n".join(lines) + "\n"


MOST_PATHS = 40
"""Files of a source that are named table by table; beyond that the repository is enough."""


def _table_key(row: Row, *, with_path: bool) -> tuple[str, ...]:
    return (
        row["board"],
        row.get("benchmark_version") or "",
        row.get("mode") or "",
        row.get("effort") or "",
        _date(row),
        row["source_path"] if with_path else "",
    )


def _without_twins(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Split rows so that no name stands twice in a table."""
    parts: list[dict[str, Row]] = []
    for row in rows:
        place = next((part for part in parts if row["model_name"] not in part), None)
        if place is None:
            place = {}
            parts.append(place)
        place[row["model_name"]] = row
    for part in parts:
        yield list(part.values())


def _table_lines(key: tuple[str, ...], rows: Sequence[Row], newest: str) -> list[str]:
    board, version, mode, effort, date, path = key
    stated = {
        "board": board,
        "version": quoted(version) if version else None,
        "mode": mode or None,
        "effort": effort or None,
        "date": f"'{date}'" if date != newest else None,
        "path": quoted(path[:200]) if path else None,
    }
    keys = [f"{name}: {value}" for name, value in stated.items() if value is not None]
    scores = [f"      {quoted(row['model_name'])}: {_score(row)}" for row in rows]
    return [f"  - {keys[0]}", *(f"    {key}" for key in keys[1:]), "    scores:", *scores]


def _score(row: Row) -> str:
    if row.get("ci_low") is None or row.get("ci_high") is None:
        return f"{row['score']:.10g}"
    return f"[{row['score']:.10g}, {row['ci_low']:.10g}, {row['ci_high']:.10g}]"


def _date(row: Row) -> str:
    found = re.match(r"\d{4}(-\d{2}(-\d{2})?)?", row["date"])
    day = found[0] if found else "2026"
    return day if row["evaluator"] == "independent" and name_map(row) != "aider" else day[:7]


def _where(row: Row, *, several: bool = False) -> str:
    commit = f" @{row['source_commit'][:10]}" if row.get("source_commit") else ""
    where = "/".join(row["source_url"].removeprefix("https://").rstrip("/").split("/")[:4])
    return f"{where}{commit}" if several else f"{where}, {row['source_path']}{commit}"


def name_files(rows: Sequence[Row], review: Review) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each map of names."""
    maps: dict[str, dict[str, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
    who: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        meant = ("none", "") if row["model_id"] is None else (row["match"], row["model_id"])
        maps[name_map(row)][row["model_name"]].add(meant)
        who[name_map(row)][row["evaluated_by"]] += 1
    for name, meant_by in sorted(maps.items()):
        yield name, SCHEMA.format("name") + _names_text(name, meant_by, who[name], review)


def _names_text(
    name: str,
    meant_by: Mapping[str, set[tuple[str, str]]],
    who: Counter[str],
    review: Review,
) -> str:
    sections: dict[str, list[str]] = defaultdict(list)
    for written, meanings in sorted(meant_by.items()):
        if len(meanings) > 1:
            raise SystemExit(f"{name}: {written!r} means {sorted(meanings)}; review it")
        ((match, model),) = meanings
        line = f"  - {quoted(written)}" if match == "none" else f"  {quoted(written)}: {model}"
        sections[match].append(line)
    title = who.most_common(1)[0][0] if len(who) < 3 else "Sources of few names, makers first"
    lines = [f"title: {quoted(title)}", f"reviewed: '{REVIEWED}'"]
    for key, match in (("exact", "exact"), ("siblings", "sibling"), ("outside", "none")):
        if sections[match]:
            lines += [f"{key}:", *sections[match]]
    decided = {n: why for (map_, n), why in sorted(review.why.items()) if map_ == name}
    lines += ["decided:"] * any(n in meant_by for n in decided)
    lines += [f"  {quoted(n)}: {quoted(why)}" for n, why in decided.items() if n in meant_by]
    return "\n".join(lines) + "\n"
