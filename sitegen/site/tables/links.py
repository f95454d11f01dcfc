"""The network as physics: what each link costs a model, per token and per prompt."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.physics.model_facts import LinkCost, link_cost
from sitegen.site.cells import Cell, EvidenceMark, Lines, NumberCell, Parts, Small, Unit, span
from sitegen.site.content.references import Directive, NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.hardware import bandwidth_cell, latency_cell

DEFAULT_PROMPT_TOKENS = 2_048
KINDS = {"network": True, "node": False}


def links_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List links by what they cost a model spread over two ranks, cheapest per token first."""
    model = look_up(inputs.catalog.models, "model", directive.required("model"))
    checkpoint = checkpoint_of(model, directive.options.get("checkpoint", ""))
    prompt = directive.options.get("prompt", str(DEFAULT_PROMPT_TOKENS))
    if not prompt.isdecimal() or int(prompt) == 0:
        raise NotUnderstood(f"prompt={prompt} is not a number of tokens")
    costs = [
        cost
        for link in links_of(inputs, directive)
        if (cost := link_cost(model, checkpoint, link, prompt_tokens=int(prompt))) is not None
    ]
    costs.sort(key=lambda cost: (cost.tensor_s.mid, cost.link.id))
    columns = (
        Column("Link", note="with the evidence for its figures"),
        Column("Collective", numeric=True, note="low–high"),
        Column("Latency", numeric=True, note="low–high"),
        Column("TP 2, per token", numeric=True, note="on the link alone"),
        Column("PP 2, per token", numeric=True, note="on the link alone"),
        Column("TP 2, prompt", numeric=True, note="on the link alone"),
        Column("PP 2, prompt", numeric=True, note="on the link alone"),
    )
    caption = (
        f"Time that {model.name} on two GPUs spends on each link, with a prompt of "
        f"{int(prompt):,} tokens"
    )
    return Table(id, caption, columns, tuple(_row(cost) for cost in costs))


def links_of(inputs: SiteInputs, directive: Directive) -> list[Interconnect]:
    """Return the links that a directive asks for: by name, or all of a kind."""
    known = inputs.catalog.interconnects
    only = directive.ids("only")
    if only:
        return [look_up(known, "interconnect", id_) for id_ in only]
    between_nodes = look_up(KINDS, "kind", directive.options.get("kind", "network"))
    return [link for link in known.values() if link.between_nodes == between_nodes]


def checkpoint_of(model: LanguageModel, wanted: str) -> Checkpoint:
    """Return the checkpoint asked for, the first where none is."""
    if not wanted:
        return model.checkpoints[0]
    return look_up({c.id: c for c in model.checkpoints}, f"checkpoint of {model.id}", wanted)


def _row(cost: LinkCost) -> Row:
    most = NumberCell(1 / cost.tensor_s.mid if cost.tensor_s.mid > 0 else 0.0, Unit.TOKENS_PER_S)
    cells: tuple[Cell, ...] = (
        Lines((cost.link.name, Small(EvidenceMark(cost.link.evidence)))),
        bandwidth_cell(cost.link),
        latency_cell(cost.link),
        Lines((span(cost.tensor_s, Unit.MILLISECONDS), Small(Parts(("about ", most))))),
        span(cost.pipeline_s, Unit.MILLISECONDS),
        span(cost.tensor_prefill_s, Unit.SECONDS),
        span(cost.pipeline_prefill_s, Unit.SECONDS),
    )
    return Row(cells)
