"""The matrix of models and GPUs: its table as HTML, and the whole grid as a script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from sitegen.catalog.domain.hardware import Combo, UnifiedMemory
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.physics.model_facts import ModelFacts
from sitegen.render.addresses import relative
from sitegen.render.cells import TIER_GLYPHS
from sitegen.render.filters import quantity
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.combo.matrix import Cut, Grid, Head, ModelRow, Pair, machine_address
from sitegen.site.pages.matrix import DATA_URL, REST_URL
from sitegen.site.words.tiers import CLOSE_WORDS, TIER_SHORT
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.gpu_grid import NOT, OnGpus, figures_of, on_gpus
from sitegen.units import GIB
from sitegen.values import dataclass

BILLION = 10**9
TIER_LETTERS = {
    FitTier.COMFORTABLE: "c",
    FitTier.BORDERLINE: "b",
    FitTier.NOT_PRACTICAL: "n",
}


def printed(tokens_per_s: float) -> str:
    """Print a speed without its unit; nothing where it is not known."""
    if not tokens_per_s:
        return ""
    return quantity(NumberCell(tokens_per_s, Unit.TOKENS_PER_S)).partition("\N{NO-BREAK SPACE}")[0]


def says(model: str, machine: str, count: int, found: OnGpus) -> str:
    """Say a cell in words; the script of the page says the same.

    >>> found = OnGpus(FitTier.COMFORTABLE, False, 131.2, 40960, 1, "Q4_K_M")
    >>> says("Qwen3 8B", "RTX 4090", 1, found)
    'Qwen3 8B on RTX 4090: comfortable, Q4_K_M, 131 tokens per second, 40,960 tokens of context'
    """
    words = f"{model} on {machine}: {TIER_SHORT[found.tier]}"
    if found.too_close:
        words += f" ({CLOSE_WORDS[found.tier]})"
    if found.file:
        words += f", {found.file}"
    if found.tokens_per_s:
        words += f", {printed(found.tokens_per_s)} tokens per second"
    if found.context_tokens:
        words += f", {found.context_tokens:,} tokens of context"
    return f"{words} (on {found.count} of them)" if 0 < found.count < count else words


def matrix_html(cut: Cut, page_url: str) -> str:
    """Write the table: a column for each GPU, and in each cell a link to the whole answer."""
    heads = "".join(
        f'<th scope="col"><a href="{escape(relative(head.url, page_url))}">{escape(head.name)}</a>'
        f" <small>{'' if head.is_chip else f'{head.gib} GiB'}</small></th>"
        for head in cut.heads
    )
    rows = "".join(_row(row, cut.heads, page_url) for row in cut.rows)
    return (
        '<div class="table" role="region" aria-labelledby="matrix-caption" tabindex="0">'
        '<table id="matrix"><caption class="unseen">'
        '<span id="matrix-caption">Models on GPUs</span></caption>'
        f'<thead><tr><th scope="col">Model <small>Rating</small></th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(row: ModelRow, heads: Sequence[Head], page_url: str) -> str:
    model = row.model
    points = "not rated" if row.points is None else row.points
    cells = "".join(
        _cell(model.text, head.name, pair, page_url)
        for head, pair in zip(heads, row.pairs, strict=True)
    )
    link = f'<a href="{escape(relative(model.url, page_url))}">{escape(model.text)}</a>'
    return f'<tr><th scope="row">{link} <small>{points}</small></th>{cells}</tr>'


def _cell(model: str, machine: str, pair: Pair, page_url: str) -> str:
    found = pair.found
    speed = printed(found.tokens_per_s)
    unit = f" <small>{speed} tok/s</small>" if speed else ""
    if found.file:
        unit += f' <small class="file">{escape(found.file)}</small>'
    words = escape(says(model, machine, 1, found))
    return (
        f'<td class="{found.tier}"><a href="{escape(relative(pair.url, page_url))}" '
        f'aria-label="{words}"><span>{TIER_GLYPHS[found.tier]} {TIER_SHORT[found.tier]}</span>'
        f"{unit}</a></td>"
    )


def matrix_files(grid: Grid, facts: Mapping[str, ModelFacts]) -> dict[str, bytes]:
    """Write scripts, since pages that are read from a folder may load nothing else.

    The first has the GPUs that a reader sees at first and the names of the others, whose verdicts
    the second has.
    """
    sizes = {id_: known.all_parameters for id_, known in facts.items()}
    whole = matrix_data(grid, sizes)
    gpus = whole["gpus"]
    rest = [{key: one.pop(key) for key in VERDICTS if key in one} for one in gpus[FIRST:]]
    return {
        DATA_URL.lstrip("/"): f"var sitegenMatrix = {_json(whole)};\n".encode(),
        REST_URL.lstrip("/"): f"var sitegenMatrixRest = {_json(rest)};\n".encode(),
    }


FIRST = 40
"""GPUs whose verdicts are loaded with the page."""
VERDICTS = ("at", "need")


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
"""Two of them are the place of a text in a list."""


class Texts:
    """Texts that occur again and again, each written as two characters."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def code(self, text: str) -> str:
        """Return the two characters of a text.

        >>> texts = Texts()
        >>> texts.code("131"), texts.code("34"), texts.code("131")
        ('00', '01', '00')
        """
        place = self.places.setdefault(text, len(self.places))
        if place >= len(DIGITS) ** 2:
            raise ValueError(f"{text} is one text too many for two characters")
        return DIGITS[place // len(DIGITS)] + DIGITS[place % len(DIGITS)]


def matrix_data(grid: Grid, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Write the whole grid in columns for the script of the page.

    ``columns`` are the places of GPUs in ``gpus`` in the order of the grid, a chip with the GiB of
    one size. Of a GPU, ``at`` has its machines by number of GPUs, of a chip by GiB: the address,
    and where the catalog has the machine a letter for each model, a capital where it is too close
    to call, with figures. ``need`` is what the other machines follow from: for each model the
    place of the smallest machine, 0 for none, a letter where that one is tight; figures; the
    smallest tight machines as models with places; and the models too close to call. Figures are of
    what runs: a place in ``speeds``, one in ``contexts``, whose empty text is the longest context
    that the model has, and one in ``files``.
    """
    models = grid.models
    by_gpu: dict[str, list[Head]] = {}
    for head in grid.heads:
        by_gpu.setdefault(head.gpu, []).append(head)
    places = {gpu: place for place, gpu in enumerate(by_gpu)}
    figures = Figures(Texts(), Texts(), Texts())
    gpus = [_gpu_data(heads, grid, figures) for heads in by_gpu.values()]
    return {
        "tiers": [
            [tier, TIER_GLYPHS[tier], TIER_SHORT[tier], CLOSE_WORDS[tier]] for tier in FitTier
        ],
        "models": [model.id for model in models],
        "names": [model.name for model in models],
        "billions": [round(sizes[model.id] / BILLION, 1) for model in models],
        "longest": [model.context_tokens for model in models],
        "points": {
            str(use): [points.get(model.id, 0) for model in models]
            for use, points in grid.points.items()
            if points
        },
        "speeds": list(figures.speeds.places),
        "contexts": list(figures.contexts.places),
        "files": list(figures.files.places),
        "columns": [[places[head.gpu], head.gib if head.is_chip else 0] for head in grid.heads],
        "gpus": gpus,
    }


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of cells, as places among all speeds, contexts and files."""

    speeds: Texts
    contexts: Texts
    files: Texts

    def of(self, cells: Sequence[OnGpus], models: Sequence[LanguageModel]) -> str:
        """Write the figures of the cells that have any."""
        return "".join(
            self.speeds.code(printed(one.tokens_per_s))
            + self.contexts.code(
                "" if one.context_tokens == model.context_tokens else str(one.context_tokens)
            )
            + self.files.code(one.file)
            for one, model in zip(cells, models, strict=True)
            if one.count
        )


def _gpu_data(heads: Sequence[Head], grid: Grid, figures: Figures) -> dict[str, Any]:
    first, models = heads[0], grid.models
    needed = grid.needs.get(first.gpu, ())
    at: dict[str, list[str]] = {}
    follows = False
    for head in heads:
        for count in head.counts:
            column = [machine_address(head, count)]
            if count in head.kind.listed:
                found = on_gpus(head.kind, count, needed)
                cells = [found.get(model.id, NOT) for model in models]
                column += ["".join(_letter(one) for one in cells), figures.of(cells, models)]
            else:
                follows = True
            at[str(head.gib if head.is_chip else count)] = column
    steps = sorted(head.gib for head in heads) if first.is_chip else STEPS
    return {
        "id": first.gpu,
        "name": first.kind.gpu.name.partition(" (")[0],
        "vendor": first.vendor,
        "gib": 0 if first.is_chip else first.gib,
        "at": at,
        **({"need": _needs_data(models, needed, steps, figures)} if follows else {}),
    }


STEPS = tuple(range(1, 9))


def _letter(one: OnGpus) -> str:
    letter = TIER_LETTERS[one.tier]
    return letter.upper() if one.too_close else letter


TIGHT = "abcdefghi"
"""Letters for the first, second, third … machine, where it is tight."""


def _needs_data(
    models: Sequence[LanguageModel],
    needed: Sequence[GpusNeeded],
    steps: Sequence[int],
    figures: Figures,
) -> list[str]:
    by_model = {need.model.id: need for need in needed}

    def place(machine: Combo) -> int:
        chip = isinstance(machine.gpus[0].gpu.memory, UnifiedMemory)
        size = round(machine.gpus[0].installed_bytes / GIB) if chip else len(machine.gpus)
        return steps.index(size) + 1

    fewest = ""
    cells: list[OnGpus] = []
    tight: list[str] = []
    close: list[str] = []
    for at, model in enumerate(models):
        need = by_model.get(model.id)
        cells.append(figures_of(need) if need is not None else NOT)
        if need is None:
            fewest += "0"
            continue
        found = place(need.machine)
        fewest += str(found) if need.tier is FitTier.COMFORTABLE else TIGHT[found - 1]
        if need.tight_on is not None:
            tight.append(f"{at}:{place(need.tight_on)}")
        if need.too_close:
            close.append(str(at))
    return [fewest, figures.of(cells, models), " ".join(tight), " ".join(close)]
