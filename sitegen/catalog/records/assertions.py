"""Claims by kind: figures as the page prints them, things as ids of the catalog.

A figure without ``_high`` stands for itself; with it, for a range. Sizes are what the page calls
"GB": whether it means GB or GiB is for the engine to try.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sitegen.catalog.records.parts import Record, Slug, Text
from sitegen.catalog.records.runs import SystemRecord

Quantizations = tuple[Slug, ...]
LEAST, MOST = 1e-9, 1e15
"""Between these no product or quotient of a claim's figures leaves the range of a float."""
TOKENS = 10**12
WIDEST, LARGEST = 128, 4_096
"""Ranks of one kind, and GPUs, that are laid out one by one."""
Term = Annotated[float, Field(ge=-MOST, le=MOST)]
READINGS = "What the page's word (`Q4`, `FP16`) may mean: quantization ids, likeliest first."
SYSTEM = "Hardware as the page states it."
TENSOR = "Tensor parallel size, where stated."
PIPELINE = "Pipeline parallel size, where stated."


class SubjectRecordOfClaim(Record):
    """A model and what its precision may be; or a bare size, where no model is named."""

    model: Slug | None = Field(default=None, description="Model id.")
    parameters_b: float | None = Field(
        default=None,
        ge=LEAST,
        le=MOST,
        description="Billions of parameters, where the page names no model.",
    )
    quantizations: Quantizations = Field(min_length=1, max_length=12, description=READINGS)


class ParametersAssertion(Record):
    """A number of parameters."""

    model: Slug = Field(description="Model id.")
    billions: float = Field(ge=LEAST, le=MOST, description="As printed, in billions.")
    active: bool = Field(default=False, description="Those that one token multiplies with.")


class WeightsAssertion(SubjectRecordOfClaim):
    """What the weights, or the file that holds them, take."""

    gb: float = Field(ge=LEAST, le=MOST, description="As printed.")
    gb_high: float | None = Field(default=None, ge=LEAST, le=MOST, description="End of the range.")


class MemoryAssertion(WeightsAssertion):
    """The memory that a model needs at least."""

    context_tokens: int | None = Field(
        default=None, ge=1, le=TOKENS, description="Context, where stated."
    )


class CacheAssertion(Record):
    """What the KV cache of one sequence takes."""

    model: Slug = Field(description="Model id.")
    gb: float = Field(ge=LEAST, le=MOST, description="As printed.")
    context_tokens: int = Field(ge=1, le=TOKENS, description="Tokens in the cache.")


class FitsAssertion(SubjectRecordOfClaim):
    """A model runs on some hardware, or does not."""

    on: SystemRecord | None = Field(default=None, description=SYSTEM + " Empty: any single GPU.")
    tensor: int | None = Field(default=None, ge=1, le=WIDEST, description=TENSOR)
    pipeline: int | None = Field(default=None, ge=1, le=WIDEST, description=PIPELINE)
    context_tokens: int | None = Field(
        default=None, ge=1, le=TOKENS, description="Context, where stated."
    )
    fits: bool = Field(default=True, description="False where the page says that it does not fit.")


class ThroughputAssertion(SubjectRecordOfClaim):
    """Decode speed."""

    on: SystemRecord | None = Field(default=None, description=SYSTEM + " Empty: not stated.")
    tensor: int | None = Field(default=None, ge=1, le=WIDEST, description=TENSOR)
    pipeline: int | None = Field(default=None, ge=1, le=WIDEST, description=PIPELINE)
    tokens_per_s: float = Field(ge=LEAST, le=MOST, description="As printed.")
    tokens_per_s_high: float | None = Field(
        default=None, ge=LEAST, le=MOST, description="End of the range."
    )
    streams: int = Field(
        default=1, ge=1, le=LARGEST, description="Requests at once; 1 for a single stream."
    )
    memory_rate: Slug | None = Field(
        default=None,
        description="Assumption id: bandwidth of the memory that the page means.",
    )
    aided: bool = Field(
        default=False, description="Speculative decoding or a cached prompt: noted, not judged."
    )


class FirstTokenAssertion(Record):
    """Time to the first token."""

    model: Slug = Field(description="Model id.")
    on: SystemRecord = Field(description=SYSTEM)
    prompt_tokens: int | None = Field(
        default=None, ge=1, le=TOKENS, description="Prompt, where stated."
    )
    milliseconds: float = Field(ge=LEAST, le=MOST, description="As printed.")


class TotalMemoryAssertion(Record):
    """The installed memory of some GPUs together."""

    on: SystemRecord = Field(description=SYSTEM)
    gb: float = Field(ge=LEAST, le=MOST, description="As printed.")


class EffectiveMemoryAssertion(TotalMemoryAssertion):
    """Memory that one replica can fill."""

    gpus: int = Field(ge=1, le=LARGEST, description="GPUs of one replica.")


class GpuCountAssertion(SubjectRecordOfClaim):
    """So many GPUs have the memory for something."""

    gpu: Slug = Field(description="GPU id.")
    count: int = Field(ge=1, le=LARGEST, description="Number that is enough according to the page.")


class LaunchAssertion(Record):
    """Flags of a launch command, and the GPUs they meet."""

    model: Slug = Field(description="Model id.")
    quantization: Slug = Field(description="Quantization in the named repository.")
    tensor: int = Field(default=1, ge=1, le=WIDEST, description="Tensor parallel size.")
    pipeline: int = Field(default=1, ge=1, le=WIDEST, description="Pipeline parallel size.")
    replicas: int = Field(default=1, ge=1, le=WIDEST, description="Replicas.")
    nodes: int = Field(default=1, ge=1, le=WIDEST, description="Machines.")
    gpus: int = Field(
        ge=1, le=LARGEST, description="GPUs there are, or that each replica reserves."
    )
    per_replica: bool = Field(default=False, description="`gpus` are those of one replica.")
    gpu: Slug | None = Field(default=None, description="GPU id, where the page names one.")
    context_tokens: int | None = Field(
        default=None, ge=1, le=TOKENS, description="Context, where stated."
    )


class LinkAssertion(Record):
    """Bandwidth or latency of a link."""

    link: Slug | None = Field(default=None, description="Interconnect id; empty: not recorded.")
    gb_s: float | None = Field(default=None, ge=LEAST, le=MOST, description="GB/s as printed.")
    gb_s_high: float | None = Field(
        default=None, ge=LEAST, le=MOST, description="End of the range."
    )
    latency_us: float | None = Field(default=None, ge=LEAST, le=MOST, description="Microseconds.")


class GpuLinkAssertion(Record):
    """A GPU has a link of some kind."""

    gpu: Slug = Field(description="GPU id.")
    kind: Literal["nvlink", "xgmi", "ualink", "pcie"] = Field(description="Technology.")


class LinkUseAssertion(SubjectRecordOfClaim):
    """A link is fast enough for a way of splitting a model, or is not."""

    on: SystemRecord = Field(description=SYSTEM)
    tensor: int = Field(default=1, ge=1, le=WIDEST, description=TENSOR)
    pipeline: int = Field(default=1, ge=1, le=WIDEST, description=PIPELINE)
    works: bool = Field(description="Whether it works according to the page.")


class SideRecord(SubjectRecordOfClaim):
    """One side of a comparison."""

    on: SystemRecord | None = Field(default=None, description=SYSTEM)
    tensor: int | None = Field(default=None, ge=1, le=WIDEST, description=TENSOR)
    pipeline: int | None = Field(default=None, ge=1, le=WIDEST, description=PIPELINE)


class RatioAssertion(Record):
    """One thing is so many times another."""

    of: Literal["decode", "weights"] = Field(description="Quantity that is compared.")
    first: SideRecord = Field(description="Dividend of the ratio.")
    second: SideRecord = Field(description="By what.")
    ratio: float = Field(ge=LEAST, le=MOST, description="As printed, 1.5 for 50 % more.")
    ratio_high: float | None = Field(
        default=None, ge=LEAST, le=MOST, description="End of the range."
    )


class BreakEvenAssertion(Record):
    """Hardware pays for itself after some months."""

    hardware_usd: float = Field(ge=LEAST, le=MOST, description="Price of the hardware.")
    power_usd_month: float = Field(
        default=0, ge=0, le=MOST, description="Cost of running it, a month."
    )
    replaced_usd_month: float | None = Field(
        default=None,
        ge=LEAST,
        le=MOST,
        description="Cost that it replaces, per month; or the two keys below.",
    )
    api_usd_per_1k_tokens: float | None = Field(
        default=None, ge=LEAST, le=MOST, description="API price."
    )
    tokens_per_day: float | None = Field(default=None, ge=LEAST, le=MOST, description="Use.")
    months: float = Field(ge=LEAST, le=MOST, description="As printed.")


class PowerCostAssertion(Record):
    """What the electricity of some hardware costs a month."""

    on: SystemRecord = Field(description=SYSTEM)
    usd_month: float = Field(ge=LEAST, le=MOST, description="As printed.")


class RentalAssertion(Record):
    """Renting costs as much as buying after some hours."""

    hardware_usd: float = Field(ge=LEAST, le=MOST, description="Price of the hardware.")
    usd_per_hour: float = Field(ge=LEAST, le=MOST, description="Rent.")
    usd_per_hour_high: float | None = Field(
        default=None, ge=LEAST, le=MOST, description="End of the range."
    )
    hours: float = Field(ge=LEAST, le=MOST, description="As printed.")


class ApiCostAssertion(Record):
    """What an API costs for some use."""

    usd_per_1k_tokens: float = Field(ge=LEAST, le=MOST, description="API price.")
    tokens_per_month: float | None = Field(
        default=None, ge=LEAST, le=MOST, description="Use, where stated."
    )
    users: int | None = Field(
        default=None, ge=1, le=TOKENS, description="People who share the use."
    )
    serving: SideRecord | None = Field(
        default=None, description="Alternative for the same use, if the page names one."
    )
    usd_month: float = Field(ge=LEAST, le=MOST, description="As printed.")


class UsersAssertion(SubjectRecordOfClaim):
    """Some hardware serves so many at once."""

    on: SystemRecord = Field(description=SYSTEM)
    users: int = Field(ge=1, le=TOKENS, description="As printed.")
    context_tokens: int | None = Field(
        default=None, ge=1, le=TOKENS, description="Context, where stated."
    )


class TierRuleAssertion(Record):
    """A page's own rule for calling a fit good or bad."""

    utilization: float = Field(ge=LEAST, le=MOST, description="Share of the memory, 1.1 for 110 %.")
    above: bool = Field(default=False, description="The rule covers everything above it.")
    called: Literal["comfortable", "borderline", "not-practical"] = Field(
        description="Our tier that the page's word comes nearest to."
    )


class CountAssertion(Record):
    """A number and the list that it counts."""

    stated: int = Field(ge=0, le=TOKENS, description="As printed.")
    listed: int | None = Field(
        default=None,
        ge=0,
        le=TOKENS,
        description="Length of the list; empty where the page shows none.",
    )
    comfortable_on: SystemRecord | None = Field(
        default=None,
        description="Hardware, where the number is of models that fit it comfortably.",
    )


class SumAssertion(Record):
    """Arithmetic that the page does itself."""

    operation: Literal["sum", "product", "difference", "quotient"] = Field(
        description="Operations on the terms, in order."
    )
    terms: tuple[Term, ...] = Field(min_length=2, max_length=12, description="As printed.")
    result: Term = Field(description="As printed.")
    result_high: Term | None = Field(default=None, description="End of the range.")


class PartRecord(Record):
    """So many of something with a published figure."""

    reference: Slug = Field(description="Assumption id: the published figures.")
    count: int = Field(default=1, ge=1, le=LARGEST, description="Number of pieces.")


class FigureAssertion(Record):
    """A price or another figure that is not computed: it is held against published ones."""

    item: Text = Field(description="Item in a few words.")
    value: float = Field(ge=0, le=MOST, description="As printed, in the unit of the references.")
    value_high: float | None = Field(
        default=None, ge=LEAST, le=MOST, description="End of the range."
    )
    parts: tuple[PartRecord, ...] = Field(
        min_length=1, max_length=12, description="Its parts; their figures are added."
    )


class OpenAssertion(Record):
    """A figure that says too little to be checked."""

    missing: tuple[Text, ...] = Field(min_length=1, description="Facts that it leaves open.")
