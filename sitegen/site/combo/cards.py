"""The two answers of a combo page: what fits, how far, for how many, and run with what."""

from __future__ import annotations

from sitegen.fit.assessment import Assessment
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Lines,
    Link,
    Parts,
    Quantity,
    TierMark,
    Unit,
    span,
)
from sitegen.site.urls import model_row_id, url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.speeds import speed_rows
from sitegen.site.words.verdicts import (
    checkpoint_name,
    max_context,
    need_of_budget,
    start_note,
    users,
)
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """One answer: the model, its verdict, its main figures, how to run it, and all the rest.

    ``figures`` and ``pairs`` are names with values; ``to_start`` is a setting that the runtime
    needs, ``None`` where its defaults do.
    """

    model: Link
    mark: TierMark
    figures: tuple[tuple[str, Cell], ...]
    run: Cell
    to_start: Cell | None
    pairs: tuple[tuple[str, Cell], ...]


def answer_card(found: Assessment) -> Card:
    """Show one answer of a combo."""
    return Card(
        model=Link(url_of("model", found.model.id), found.model.name),
        mark=TierMark(found.tier, found.too_close),
        figures=(
            ("Longest context", max_context(found)),
            ("Users at 8K / 32K", users(found)),
            ("Busiest GPU", need_of_budget(found)),
            *_decode(found),
        ),
        run=_run(found),
        to_start=start_note(found),
        pairs=(
            ("One replica can fill", Quantity(found.effective_vram_bytes, Unit.GIB)),
            *speed_rows(found),
        ),
    )


def _decode(found: Assessment) -> tuple[tuple[str, Cell], ...]:
    speed = found.speed
    if speed is None:
        return (("Decode", Absent("not estimated")),)
    known = EvidenceMark(speed.evidence)
    replicas = found.plan.replicas if found.plan else 1
    streams = speed.batch * replicas
    one, every = speed.single_tokens_per_s, speed.aggregate_tokens_per_s
    return (
        ("One stream", Lines((span(one, Unit.TOKENS_PER_S), known))),
        (f"All {streams} streams", Lines((span(every, Unit.TOKENS_PER_S), known))),
    )


def _run(found: Assessment) -> Cell:
    """Name runtime, checkpoint, plan and context: what a command has to say."""
    runtime = Link(url_of("runtime", found.runtime.id), found.runtime.name)
    parts: list[Cell] = [
        runtime,
        f" {found.profile.version} with ",
        Link(f"#{model_row_id(found.model.id)}", checkpoint_name(found)),
    ]
    if found.plan is not None:
        parts.append(f", {plan_words(found.plan)}")
    if found.limits is not None and found.limits.max_context_tokens:
        longest = Quantity(found.limits.max_context_tokens, Unit.TOKENS)
        parts += [", context at most ", longest]
    return Parts(tuple(parts))
