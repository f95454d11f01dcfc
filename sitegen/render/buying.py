"""The answer to a buyer as HTML: what to buy, what else, and the frontier; browsers run it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import log10

from sitegen.survey.buying import (
    CLOSE,
    CONTEXTS,
    FASTER,
    IMAGES,
    TIMED,
    Build,
    Choice,
    Ratings,
    Wanted,
    around_of,
    best_first,
    choices,
    frontier,
    speed_frontier,
    speed_of,
    timed,
)
from sitegen.survey.rated_tier import as_good
from sitegen.values import dataclass

SHOWN = 10
"""Builds below the first that are shown at once."""
WIDE = 760
HIGH = 400
LEFT = 52
RIGHT = 20
TOP = 34
BOTTOM = 48
LETTER = 7.6
"""Width of a letter of a label."""
LINE = 13
STEPS = (2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
MOST_RULERS = 7
WIDEST = 2.2
"""Powers of ten in which more prices than the powers themselves are written."""
POWERS = (100, 1_000, 10_000, 100_000)
TICKS = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)


@dataclass(frozen=True, slots=True)
class Question:
    """A buyer's question with the reader's own prices by GPU, and the name of the use."""

    wanted: Wanted
    own: Mapping[str, float]
    use_words: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The parts of the page that a question changes."""

    best: str
    others: str
    chart: str
    told: str


def answered(
    builds: Sequence[Build], models: Sequence[tuple[str, str]], ratings: Ratings, question: Question
) -> Answered:
    """Answer a question; the chart leaves the budget out, so that more money can be seen too."""
    wanted, own, use_words = question.wanted, question.own, question.use_words
    found = best_first(choices(builds, wanted, ratings, own), wanted)
    without = Wanted(
        wanted.use, wanted.context, wanted.users, 0, wanted.watts, wanted.desktop,
        wanted.computer, wanted.least_speed, wanted.step, wanted.least_context,
    )  # fmt: skip
    everything = choices(builds, without, ratings, own)
    if not found:
        told = "No build within these limits runs a rated model"
        words = f"<h2>{told}</h2>{_nothing(everything, wanted)}"
        return Answered(words, "", charts(timed(everything), models, wanted, use_words), told)
    first, faster = found[0], _fastest(found, wanted)
    told = f"Buy {first.build.name}: it runs {models[first.offer.model][1]}"
    if faster is not None:
        told += f". For speed, buy {faster.build.name}"
    return Answered(
        best_html(found, models, wanted),
        others_html(found[1:], models, wanted),
        charts(timed(everything), models, wanted, use_words),
        told,
    )


def _nothing(everything: Sequence[Choice], wanted: Wanted) -> str:
    if not everything:
        limits = (
            " or remove the limits on power and location" if wanted.watts or wanted.desktop else ""
        )
        text = f"Ask for fewer users or a shorter context{',' if limits else ''}{limits}."
        return f"<p>{text}</p>"
    least = min(everything, key=lambda one: one.usd)
    return (
        f"<p>The cheapest build that runs one is {_link(least)} for {usd(least.usd)}. "
        f"Your limit is {usd(wanted.usd)}.</p>"
    )


def usd(amount: float) -> str:
    """Print dollars."""
    return f"${amount:,.0f}"


def _link(one: Choice) -> str:
    return f'<a href="..{escape(one.build.address)}index.html">{escape(one.build.name)}</a>'


def _commands(one: Choice, models: Sequence[tuple[str, str]], wanted: Wanted) -> str:
    """Write the address at which a model on a build is shown whole, with its commands."""
    machine = f"combo={one.build.id}"
    if not one.build.counted:
        gpu, count = one.build.parts[0]
        machine = f"machine=1;{gpu}*{count}"
    goal = "&amp;goal=throughput" if wanted.users > 1 else ""
    use = "images" if wanted.use == IMAGES else "answer"
    context = (
        f"&amp;context={wanted.context}&amp;users={wanted.users}{goal}&amp;for={use}"
        f"&amp;{escape(one.offer.opens)}"
    )
    return f"../custom/index.html#{machine}{context}&amp;model={models[one.offer.model][0]}"


def _price(one: Choice, wanted: Wanted) -> str:
    kind = one.build.priced if _as_seen(one, wanted) else "your price"
    what = "GPUs only"
    if one.build.whole:
        what = "whole computer"
    elif one.build.around and around_of(one.build, wanted) == one.build.around_usd:
        what = one.build.around
    return f"{usd(one.usd)} <small>{escape(kind)}; {escape(what)}</small>"


def _as_seen(one: Choice, wanted: Wanted) -> bool:
    """Whether the price is the one that somebody saw, not the reader's own."""
    return one.usd == one.build.usd + around_of(one.build, wanted)


def _speed(one: Choice, wanted: Wanted) -> str:
    if wanted.users == 1:
        return f"{_figure(one.offer.speed)} tok/s"
    total = _figure(speed_of(one.offer, wanted))
    return f"{total} tok/s <small>{wanted.users} users together</small>"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def best_html(found: Sequence[Choice], models: Sequence[tuple[str, str]], wanted: Wanted) -> str:
    """Write the cheapest build with the best model, and the fastest where that is another."""
    one, faster = found[0], _fastest(found, wanted)
    if faster is None:
        model = escape(models[one.offer.model][1])
        return f"<h2>Buy {_link(one)} and run {model}</h2>{_facts(one, models, wanted)}"
    both = ((one, "Cheapest"), (faster, "Fastest"))
    blocks = "".join(
        f"<div><h3>{why}: {_link(each)} runs {escape(models[each.offer.model][1])}</h3>"
        f"{_facts(each, models, wanted)}</div>"
        for each, why in both
    )
    same = one.offer.model == faster.offer.model
    told = "Both run the same model." if same else "Tests cannot tell the two models apart."
    return (
        f"<h2>Buy {_link(one)} for the lowest price, or {_link(faster)} for the highest speed</h2>"
        f'<p class="note">{told} No build within your limits runs a clearly better one.</p>'
        f'<div class="both">{blocks}</div>'
    )


def _facts(one: Choice, models: Sequence[tuple[str, str]], wanted: Wanted) -> str:
    """Write what a build runs, and its figures."""
    power = f"{one.build.watts:,} W" if one.build.watts else "not recorded"
    facts = [
        ("Price", _price(one, wanted)),
        ("Speed", _speed(one, wanted)),
        ("Longest context", f"{one.offer.context:,} tokens"),
        ("Maximum power" if one.build.whole else "Maximum power of the GPUs", power),
    ]
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return (
        f'<p class="note">{escape(one.offer.runs)}. {_warned(one)}{_picked_for(wanted)}'
        f'<a href="{_commands(one, models, wanted)}">Commands, memory and limits</a></p>'
        f'<dl class="figures">{listed}</dl>'
    )


def _warned(one: Choice) -> str:
    """Say what is not sure of a build."""
    close = "It may be only borderline. " if CLOSE in one.offer.traits else ""
    if TIMED in one.offer.traits:
        return close
    return f"{close}We cannot estimate how fast it reads prompts. "


def _picked_for(wanted: Wanted) -> str:
    """Say for which context file and speed were picked, where it is not the one asked for."""
    if wanted.context <= CONTEXTS[0]:
        return ""
    return f"The file and the speed are for a context of {CONTEXTS[0]:,} tokens. "


def _fastest(found: Sequence[Choice], wanted: Wanted) -> Choice | None:
    """Return the fastest build whose model cannot be told from that of the first."""
    first = found[0]
    best = max(as_good(timed(found)), key=lambda one: speed_of(one.offer, wanted))
    faster = speed_of(best.offer, wanted) > FASTER * speed_of(first.offer, wanted)
    return best if faster else None


def others_html(found: Sequence[Choice], models: Sequence[tuple[str, str]], wanted: Wanted) -> str:
    """Write the other builds as a table; those beyond the first ones are folded away."""
    if not found:
        return ""
    rows = [_row(one, models, wanted) for one in found]
    shown = _table("Other builds within your limits", rows[:SHOWN])
    rest = rows[SHOWN:]
    if not rest:
        return shown
    folded = _table("The other builds", rest[:60])
    return (
        f'{shown}<details class="fold"><summary>{len(rest)} more builds</summary>{folded}</details>'
    )


def _row(one: Choice, models: Sequence[tuple[str, str]], wanted: Wanted) -> str:
    power = f"{one.build.watts:,} W" if one.build.watts else "–"
    model = escape(models[one.offer.model][1])
    low, high = round(one.points - one.half_width), round(one.points + one.half_width)
    return (
        f'<tr><th scope="row">{_link(one)}</th><td class="n">{_price(one, wanted)}</td>'
        f'<td><a href="{_commands(one, models, wanted)}">{model}</a> '
        f"<small>{escape(one.offer.runs)}{_doubt(one)}</small></td>"
        f'<td class="n">{round(one.points)} <small>{low} to {high}</small></td>'
        f'<td class="n">{_speed(one, wanted)}</td><td class="n">{power}</td></tr>'
    )


def _doubt(one: Choice) -> str:
    close = "; may be only borderline" if CLOSE in one.offer.traits else ""
    return close if TIMED in one.offer.traits else f"{close}; prompt speed unknown"


def _table(caption: str, rows: Sequence[str]) -> str:
    heads = (
        '<th scope="col">Build</th><th scope="col" class="n">Price</th>'
        '<th scope="col">Runs</th><th scope="col" class="n">Rating <small>90% interval</small></th>'
        '<th scope="col" class="n">Speed</th><th scope="col" class="n">Power</th>'
    )
    return (
        f'<div class="table" role="region" aria-label="{caption}" tabindex="0"><table>'
        f"<caption>{caption}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def finding(edge: Sequence[Choice], use_words: str) -> str:
    """Say what the frontier of quality shows."""
    if not edge:
        return "No build with a known price runs a rated model with these settings"
    enough = as_good(edge)[0]
    return (
        f"{use_words}: {usd(enough.usd)} is enough. No build at a higher price runs a clearly "
        "better model"
    )


def speed_finding(edge: Sequence[Choice], wanted: Wanted) -> str:
    """Say what the frontier of speed shows."""
    first, last = edge[0], edge[-1]
    slow, fast = speed_of(first.offer, wanted), speed_of(last.offer, wanted)
    if first.build.id == last.build.id:
        return f"No build is faster than the cheapest one, at {usd(first.usd)}"
    return (
        f"More money buys speed: {_figure(slow)} tok/s for {usd(first.usd)}, "
        f"{_figure(fast)} for {usd(last.usd)}"
    )


def charts(
    everything: Sequence[Choice], models: Sequence[tuple[str, str]], wanted: Wanted,
    use_words: str,
) -> str:  # fmt: skip
    """Draw price against quality, then price against speed among the best models."""
    edge = frontier(everything, wanted)
    title = finding(edge, use_words)
    if not edge:
        return f"<h2>{title}</h2>"
    quality = Drawing(
        "frontier", title, "Rating of the best model that each runs (average model: 50)",
        "The line joins the builds that beat every cheaper one. Points whose intervals "
        "overlap cannot be told apart.",
        everything, [one.points for one in everything], edge, [one.points for one in edge],
    )  # fmt: skip
    best = as_good(everything)
    quick = speed_frontier(best, wanted)
    of_whom = "one user" if wanted.users == 1 else f"all {wanted.users} users together"
    speed = Drawing(
        "speed", speed_finding(quick, wanted), f"Tokens per second, {of_whom}",
        "Every build here runs a model as good as the best one, as far as tests can tell. The "
        "line joins the builds that are much faster than every cheaper one.",
        best, [speed_of(one.offer, wanted) for one in best],
        quick, [speed_of(one.offer, wanted) for one in quick],
    )  # fmt: skip
    return (
        drawn(quality, models, wanted)
        + drawn(speed, models, wanted)
        + _numbers(edge, models, wanted)
    )


@dataclass(frozen=True, slots=True)
class Drawing:
    """Builds by price and another figure, with those on the frontier."""

    id: str
    title: str
    upward: str
    note: str
    found: Sequence[Choice]
    values: Sequence[float]
    edge: Sequence[Choice]
    edge_values: Sequence[float]


def drawn(one: Drawing, models: Sequence[tuple[str, str]], wanted: Wanted) -> str:
    """Draw every build as a point, the frontier as a line with names."""
    xs = [each.usd for each in one.found]
    low_x, high_x = log10(min(xs)) - 0.05, log10(max(xs)) + 0.12
    least, most = min(one.values), max(one.values)
    margin = max((most - least) * 0.12, 1.0)
    low_y, high_y = max(0.0, least - margin), most + margin
    span_x, span_y = max(high_x - low_x, 0.1), max(high_y - low_y, 1.0)
    across = [
        round(LEFT + (log10(each.usd) - low_x) / span_x * (WIDE - LEFT - RIGHT), 1)
        for each in one.edge
    ]
    up = [_up(value, low_y, span_y) for value in one.edge_values]
    parts = [*_grid(low_x, span_x), *_rulers(low_y, span_y)]
    parts.append(
        f'<text x="{LEFT - 40}" y="{TOP - 16}">{escape(one.upward)}</text>'
        f'<text x="{WIDE - RIGHT}" y="{HIGH - 8}" text-anchor="end">Price (logarithmic)</text>'
    )
    limit = log10(wanted.usd) if wanted.usd else low_x
    if low_x < limit < high_x:
        x = round(LEFT + (limit - low_x) / span_x * (WIDE - LEFT - RIGHT), 1)
        parts.append(
            f'<line class="limit" x1="{_at(x)}" x2="{_at(x)}" y1="{TOP}" y2="{HIGH - BOTTOM}"/>'
            f'<text class="strong" x="{_at(x + 5)}" y="{HIGH - BOTTOM - 8}">your budget</text>'
        )
    for each, value in zip(one.found, one.values, strict=True):
        x = round(LEFT + (log10(each.usd) - low_x) / span_x * (WIDE - LEFT - RIGHT), 1)
        said = f"{each.build.name}, {usd(each.usd)}: {models[each.offer.model][1]}"
        parts.append(
            f'<circle class="other" cx="{_at(x)}" cy="{_at(_up(value, low_y, span_y))}" r="3.5">'
            f"<title>{escape(said)}</title></circle>"
        )
    path = ""
    for x, y in zip(across, up, strict=True):
        path += f"H{_at(x)}V{_at(y)}" if path else f"M{_at(x)} {_at(y)}"
    parts.append(f'<path class="edge" d="{path}H{WIDE - RIGHT}"/>')
    for x, y in zip(across, up, strict=True):
        parts.append(f'<circle class="best" cx="{_at(x)}" cy="{_at(y)}" r="5"/>')
    parts += _labels(one.edge, across, up, models)
    summary = f"{len(one.found)} builds by price and by {one.upward[:1].lower()}{one.upward[1:]}"
    return (
        f'<h2 id="{one.id}">{escape(one.title)}</h2><figure class="chart frontier">'
        f'<div class="table" role="region" aria-label="Chart: {escape(one.upward)}" tabindex="0">'
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(summary)}">'
        f"{''.join(parts)}</svg></div><figcaption>{escape(summary)}. {one.note}</figcaption>"
        "</figure>"
    )


def _at(value: float) -> str:
    """Write a coordinate, alike in both languages."""
    return f"{value:.1f}"


def _up(value: float, low: float, span: float) -> float:
    return round(HIGH - BOTTOM - (value - low) / span * (HIGH - TOP - BOTTOM), 1)


def _grid(low: float, span: float) -> list[str]:
    """Write the lines of the prices; in a wide span only the powers of ten."""
    out: list[str] = []
    for tick in TICKS:
        place = log10(tick)
        if low <= place <= low + span and (span < WIDEST or tick in POWERS):
            x = round(LEFT + (place - low) / span * (WIDE - LEFT - RIGHT), 1)
            out.append(
                f'<line class="grid" x1="{_at(x)}" x2="{_at(x)}" y1="{TOP}" y2="{HIGH - BOTTOM}"/>'
                f'<text x="{_at(x)}" y="{HIGH - BOTTOM + 18}" text-anchor="middle">'
                f"{usd(tick)}</text>"
            )
    return out


def _rulers(low: float, span: float) -> list[str]:
    """Write the lines of the figure at round values."""
    step = next((one for one in STEPS if span / one <= MOST_RULERS), STEPS[-1])
    out: list[str] = []
    mark = int(low / step) * step + step
    while mark < low + span:
        y = _up(mark, low, span)
        out.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{_at(y)}" y2="{_at(y)}"/>'
            f'<text x="{LEFT - 8}" y="{_at(y + 4)}" text-anchor="end">{mark:,}</text>'
        )
        mark += step
    return out


def _labels(
    edge: Sequence[Choice], xs: Sequence[float], ys: Sequence[float],
    models: Sequence[tuple[str, str]],
) -> list[str]:  # fmt: skip
    """Write names beside the points of the frontier, from the best down, where there is room."""
    out: list[str] = []
    taken: list[tuple[float, float, float, float]] = []
    for back in range(len(edge)):
        at = len(edge) - 1 - back
        one, x, y = edge[at], xs[at], ys[at]
        name, model = _short(one.build.name), _short(models[one.offer.model][1])
        width = max(len(name), len(model)) * LETTER
        for left, top in (
            (x - width - 6, y - 2 * LINE + 4),
            (x + 8, y + 8),
            (x - width - 6, y + 2),
        ):
            box = (left, top, left + width, top + 2 * LINE)
            inside = left >= LEFT and box[2] <= WIDE and top >= TOP - 12
            over_low = top + 2 * LINE > HIGH - BOTTOM
            if not inside or over_low or any(_meet(box, other) for other in taken):
                continue
            taken.append(box)
            out.append(
                f'<text class="strong" x="{_at(left)}" y="{_at(top + 10)}">'
                f"{escape(name)}</text>"
                f'<text x="{_at(left)}" y="{_at(top + 10 + LINE)}">{escape(model)}</text>'
            )
            break
    return out


LONGEST = 26


def _short(name: str) -> str:
    plain = name.partition(" (")[0]
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _numbers(edge: Sequence[Choice], models: Sequence[tuple[str, str]], wanted: Wanted) -> str:
    """Write the frontier as a table that opens on demand."""
    rows = "".join(
        f'<tr><th scope="row">{_link(one)}</th><td class="n">{_price(one, wanted)}</td>'
        f'<td>{escape(models[one.offer.model][1])}</td><td class="n">{round(one.points)} ± '
        f"{round(one.half_width)}</td></tr>"
        for one in edge
    )
    heads = (
        '<th scope="col">Build</th><th scope="col" class="n">Price</th>'
        '<th scope="col">Best model</th><th scope="col" class="n">Rating</th>'
    )
    return (
        '<details class="numbers"><summary>Builds on the line as a table</summary>'
        '<div class="table" role="region" aria-label="Builds on the line" tabindex="0"><table>'
        f"<caption>Builds on the line</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"
        "</table></div></details>"
    )
