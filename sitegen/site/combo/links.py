"""Time that each link costs a combo's first answer, in milliseconds per token."""

from __future__ import annotations

from sitegen.physics.model_facts import LinkCost
from sitegen.site.cells import Cell, Lines, NumberCell, Parts, Small, Unit, span
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.hardware import bandwidth_cell, latency_cell
from sitegen.survey.results import ComboSurvey


def links_table(survey: ComboSurvey) -> Table | None:
    """List the links between GPUs and between machines; ``None`` where there is none to pay for."""
    costs, lead = survey.link_costs, survey.lead
    if lead is None or not costs:
        return None
    columns = (
        Column("Link"),
        Column("Collective", numeric=True, note="low–high"),
        Column("Latency", numeric=True, note="low–high"),
        Column("Tensor parallel", numeric=True, note="wait per token"),
        Column("Pipeline", numeric=True, note="wait per token"),
        Column("Prompt", numeric=True, note=f"{costs[0].prompt_tokens:,} tokens, tensor parallel"),
    )
    caption = f"Time spent on links: {lead.model.name} over two GPUs"
    return Table("links", caption, columns, tuple(_row(cost) for cost in costs))


def _row(cost: LinkCost) -> Row:
    link = cost.link
    where = "between machines" if link.between_nodes else "between GPUs"
    cells: tuple[Cell, ...] = (
        Lines((link.name, Small(where))),
        bandwidth_cell(link),
        latency_cell(link),
        Lines((span(cost.tensor_s, Unit.MILLISECONDS), *_most(cost.tensor_s.mid))),
        span(cost.pipeline_s, Unit.MILLISECONDS),
        span(cost.tensor_prefill_s, Unit.SECONDS),
    )
    return Row(cells)


def _most(seconds: float) -> tuple[Cell, ...]:
    """Say how many tokens a second would pass if only the link took time."""
    if seconds <= 0:
        return ()
    most = NumberCell(1 / seconds, Unit.TOKENS_PER_S)
    return (Small(Parts(("the link alone allows at most ", most))),)
