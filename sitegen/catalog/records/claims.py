"""Records of what public pages say, in a form that can be checked: one file per page."""

from __future__ import annotations

from pydantic import Field

from sitegen.catalog.records import assertions as says
from sitegen.catalog.records.parts import Record, Slug, SourceRecord, Text


class StatedClaim(Record):
    """One sentence or cell of the page, and one of the kinds below that says what it asserts."""

    id: Slug = Field(description="Unique within the page; part of the address of its row.")
    quote: Text = Field(description="The words, as few as carry the claim.")
    place: str = Field(default="", description="Place on the page: a heading, a row.")
    note: str = Field(default="", description="Reading of the words, if it is not obvious.")
    parameters: says.ParametersAssertion | None = Field(
        default=None, description="A number of parameters."
    )
    weights: says.WeightsAssertion | None = Field(
        default=None, description="Size of the weights or of their file."
    )
    memory: says.MemoryAssertion | None = Field(
        default=None, description="Memory that a model needs at least."
    )
    cache: says.CacheAssertion | None = Field(default=None, description="Size of a KV cache.")
    fits: says.FitsAssertion | None = Field(
        default=None, description="A model runs on hardware, or does not."
    )
    throughput: says.ThroughputAssertion | None = Field(default=None, description="Decode speed.")
    first_token: says.FirstTokenAssertion | None = Field(
        default=None, description="Time to the first token."
    )
    total_memory: says.TotalMemoryAssertion | None = Field(
        default=None, description="Installed memory of several GPUs."
    )
    effective_memory: says.EffectiveMemoryAssertion | None = Field(
        default=None, description="Memory that one replica can fill."
    )
    gpu_count: says.GpuCountAssertion | None = Field(
        default=None, description="So many GPUs are enough."
    )
    launch: says.LaunchAssertion | None = Field(default=None, description="Launch flags.")
    link: says.LinkAssertion | None = Field(
        default=None, description="Bandwidth or latency of a link."
    )
    gpu_link: says.GpuLinkAssertion | None = Field(
        default=None, description="A GPU has a link of some kind."
    )
    link_use: says.LinkUseAssertion | None = Field(
        default=None, description="A link is fast enough, or is not."
    )
    ratio: says.RatioAssertion | None = Field(default=None, description="A comparison.")
    break_even: says.BreakEvenAssertion | None = Field(
        default=None, description="Months until hardware pays for itself."
    )
    power_cost: says.PowerCostAssertion | None = Field(
        default=None, description="Electricity, a month."
    )
    rental: says.RentalAssertion | None = Field(
        default=None, description="Hours after which renting costs more than buying."
    )
    api_cost: says.ApiCostAssertion | None = Field(default=None, description="Cost of an API.")
    users: says.UsersAssertion | None = Field(default=None, description="Users served at once.")
    tier_rule: says.TierRuleAssertion | None = Field(
        default=None, description="The page's own rule for a verdict."
    )
    count: says.CountAssertion | None = Field(default=None, description="A number and its list.")
    sum: says.SumAssertion | None = Field(default=None, description="Arithmetic of the page.")
    figure: says.FigureAssertion | None = Field(
        default=None, description="A price or another figure that others publish too."
    )
    open: says.OpenAssertion | None = Field(
        default=None, description="A figure that says too little."
    )


KINDS = tuple(
    name for name in StatedClaim.model_fields if name not in {"id", "quote", "place", "note"}
)
"""Keys of which a claim has exactly one."""


class ClaimRecord(Record):
    """The checkable claims of one public page: `catalog/claims/<id>.yaml`."""

    title: Text = Field(description="Title of the page.")
    claims: tuple[StatedClaim, ...] = Field(
        min_length=1, description="Its claims, in the order of the page."
    )
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="The page itself.")
