"""Findings about claims and the lines of their arithmetic, as cells.

An argument's unit is its name's, as in ``sentences``: ``…_bytes`` is a size, ``…tokens_per_s`` and
``bound`` a speed, ``…usd`` money, ``low``, ``high``, ``share`` and ``utilization`` shares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from sitegen.catalog.domain.catalog import Catalog
from sitegen.physics.bounds.judgement import Arguments, BoundFinding, Judgement, Step
from sitegen.site.cells import Cell, Link, NumberCell, Parts, Span, Unit
from sitegen.site.urls import url_of
from sitegen.site.words.claim_sentences import FINDINGS, SAID, STEPS, WITHOUT_EMBEDDING
from sitegen.site.words.sentences import REASONS

READINGS = {"gb": "GB", "gib": "GiB"}
_HOLE = re.compile(r"\{(\w+)\}")
_UNITS: Mapping[str, Unit] = {
    "bytes/s": Unit.GB_PER_S, "tokens/s": Unit.TOKENS_PER_S, "tokens": Unit.TOKENS,
    "1": Unit.RATIO, "count": Unit.COUNT, "parameters": Unit.PARAMETERS, "flop/s": Unit.TFLOPS,
    "usd": Unit.USD_EXACT, "usd/kWh": Unit.USD_PER_KWH, "usd/month": Unit.USD_PER_MONTH,
    "usd/h": Unit.USD_PER_HOUR, "W": Unit.WATTS, "kWh": Unit.KWH, "h": Unit.HOURS,
    "months": Unit.MONTHS, "GB": Unit.GB_AS_PRINTED, "1/s": Unit.PLAIN,
}  # fmt: skip


def _time_unit(seconds: float) -> Unit:
    if seconds >= 1:
        return Unit.SECONDS
    return Unit.MILLISECONDS if seconds >= 1e-3 else Unit.MICROSECONDS


def _argument_unit(name: str, value: float) -> Unit | None:
    """Return the unit of an argument; ``None`` for a size, which is printed twice."""
    endings = (
        ("bytes_per_s", Unit.GB_PER_S), ("tokens", Unit.TOKENS), ("usd", Unit.USD_EXACT),
        ("hours", Unit.HOURS), ("months", Unit.MONTHS), ("parameters", Unit.PARAMETERS),
    )  # fmt: skip
    if name.endswith("seconds"):
        return _time_unit(value)
    if name.endswith("_bytes"):
        return None
    for ending, unit in endings:
        if name.endswith(ending):
            return unit
    if name in {"low", "high", "share", "utilization", "comfortable"}:
        return Unit.PERCENT
    if name in {"bound", "speed_low", "speed_high", "tokens_per_s"}:
        return Unit.TOKENS_PER_S
    return Unit.RATIO if "ratio" in name else Unit.PLAIN


def _size(value: float) -> Cell:
    return Parts((NumberCell(value, Unit.GB), " (", NumberCell(value, Unit.GIB), ")"))


def _named(catalog: Catalog, name: str, value: str) -> Cell:
    if name == "gpu" and value in catalog.gpus:
        return Link(url_of("gpu", value), catalog.gpus[value].name)
    if name == "runtime" and value in catalog.runtimes:
        return Link(url_of("runtime", value), catalog.runtimes[value].name)
    if name == "link" and value in catalog.interconnects:
        return catalog.interconnects[value].name
    if name == "quantization" and value in catalog.quantizations:
        return catalog.quantizations[value].name
    if name == "kind":
        return {"nvlink": "NVLink", "xgmi": "xGMI", "ualink": "UALink", "pcie": "PCIe"}[value]
    return value


@cache
def _pieces(template: str) -> tuple[str, ...]:
    return tuple(_HOLE.split(template))


def _fill(template: str, arguments: Arguments, catalog: Catalog) -> Parts:
    pieces = _pieces(template)
    parts: list[Cell] = [pieces[0]]
    for name, words in zip(pieces[1::2], pieces[2::2], strict=True):
        value = arguments[name]
        cell = _named(catalog, name, value) if isinstance(value, str) else _number(name, value)
        between = _between(parts, cell)
        parts = [*parts[:-2], between, words] if between else [*parts, cell, words]
    return Parts(tuple(parts))


def _number(name: str, value: float) -> Cell:
    unit = _argument_unit(name, value)
    return _size(value) if unit is None else NumberCell(value, unit)


def _between(parts: list[Cell], last: Cell) -> Span | None:
    """Join "1 % to 2 %" to one cell, which prints the unit once and equal ends as one number."""
    if len(parts) < 2 or parts[-1] != " to ":
        return None
    first = parts[-2]
    if not isinstance(first, NumberCell) or not isinstance(last, NumberCell):
        return None
    if first.unit is not last.unit:
        return None
    return Span(first.value, first.value, last.value, first.unit)


def finding_sentence(judgement: Judgement | BoundFinding, catalog: Catalog) -> Parts:
    """Say what the engine found.

    Raises:
        KeyError: For a code without a sentence, or a sentence without its argument.
    """
    template = FINDINGS.get(judgement.code) or REASONS[judgement.code]
    if judgement.code == "MEMORY_EXCEEDED" and _is_below_file(judgement):
        template = WITHOUT_EMBEDDING
    return _fill(template, judgement.arguments, catalog)


def _is_below_file(judgement: Judgement | BoundFinding) -> bool:
    """Return whether the arithmetic shows a file that is larger than what GPUs must hold."""
    file = max((step.value for step in judgement.steps if step.code == "weights"), default=0.0)
    needed = judgement.arguments["need_bytes"]
    return not isinstance(needed, str) and needed < file


def reading_words(reading: tuple[str, ...], catalog: Catalog, stated: str = "") -> str:
    """Say how the page's words were taken, where there was a choice; empty otherwise.

    A name that the page itself states is no assumption.
    """
    names = []
    for word in reading:
        if word in catalog.quantizations:
            names.append(catalog.quantizations[word].name)
        elif word in catalog.gpus:
            names.append(catalog.gpus[word].name)
        else:
            names.append(READINGS.get(word, word))
    names = [name for name in names if not _is_stated(name, stated)]
    return f"We assume that the page means {' and '.join(dict.fromkeys(names))}." if names else ""


def _is_stated(name: str, text: str) -> bool:
    """Return whether a text has every word of a name.

    >>> _is_stated("GB", "~140GB"), _is_stated("Q4_K_M", "INT4 (q4_K_M)"), _is_stated("GB", "5 GiB")
    (True, True, False)
    """
    return all(
        re.search(rf"(?<![a-z]){re.escape(word)}(?!\w)", text, re.IGNORECASE)
        for word in name.split()
    )


def step_cell(step: Step, catalog: Catalog) -> Cell:
    """Write one line of the arithmetic: what it is, its value, where it comes from.

    What "the page says" names its source already.
    """
    parts: list[Cell] = [STEPS[step.code]]
    if step.of:
        tokens = step.of.isdecimal()
        of = NumberCell(int(step.of), Unit.TOKENS) if tokens else _thing(step.of, catalog)
        parts += [" (", of, ")"]
    parts += [": ", *_value(step)]
    source = _source(step.source, catalog)
    if source is not None and STEPS[step.code] != SAID:
        parts += [" — ", source]
    return Parts(tuple(parts))


def _value(step: Step) -> tuple[Cell, ...]:
    if step.unit == "bytes":
        if step.high is None or step.high == step.value:
            return (_size(step.value),)
        return (Span(step.value, step.value, step.high, Unit.GIB),)
    unit = _time_unit(step.value) if step.unit == "s" else _UNITS[step.unit]
    if step.high is None or step.high == step.value:
        return (NumberCell(step.value, unit),)
    return (Span(step.value, step.value, step.high, unit),)


def _thing(id_: str, catalog: Catalog) -> Cell:
    if id_ in catalog.models:
        return Link(url_of("model", id_), catalog.models[id_].name)
    if id_ in catalog.gpus:
        return Link(url_of("gpu", id_), catalog.gpus[id_].name)
    if id_ in catalog.runtimes:
        return Link(url_of("runtime", id_), catalog.runtimes[id_].name)
    if id_ in catalog.quantizations:
        return catalog.quantizations[id_].name
    if id_ in catalog.interconnects:
        return catalog.interconnects[id_].name
    return id_


def _source(source: str, catalog: Catalog) -> Cell | None:
    kind, _, id_ = source.partition(":")
    if kind == "engine":
        return None
    if kind == "assumption":
        return Parts(("constant: ", Link("/framework/#constants", id_)))
    if kind == "claim":
        return "from the page"
    if id_:
        return Parts(("catalog: ", _thing(id_, catalog)))
    return "catalog"
