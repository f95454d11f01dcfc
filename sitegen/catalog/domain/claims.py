"""Claims of public pages about hardware and models, in a form that can be checked.

Figures are as printed, in the unit of their name; ``gb`` is what the page calls GB, which may
mean GiB. A figure without its ``_high`` is not a range.
"""

from __future__ import annotations

from typing import TypeAlias

from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.catalog.domain.models import LanguageModel, Quantization
from sitegen.catalog.domain.provenance import Source
from sitegen.problems import SourceSpan
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """A number of parameters, in billions."""

    model: LanguageModel
    billions: float
    active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSubject:
    """A model, or a bare size, and what its precision may be, likeliest first."""

    model: LanguageModel | None
    parameters_b: float | None
    quantizations: tuple[Quantization, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights(ClaimSubject):
    """Size of the weights, or of the file that holds them."""

    gb: float
    gb_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(Weights):
    """The memory that a model needs at least."""

    context_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KvCacheClaim:
    """Size of the KV cache of one sequence."""

    model: LanguageModel
    gb: float
    context_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits(ClaimSubject):
    """A model runs on some hardware (``None``: any single GPU), or does not."""

    on: Combo | None
    tensor: int | None
    pipeline: int | None
    context_tokens: int | None
    fits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput(ClaimSubject):
    """Decode speed; ``on`` is ``None`` where the page names no hardware."""

    on: Combo | None
    tensor: int | None
    pipeline: int | None
    tokens_per_s: float
    tokens_per_s_high: float | None
    streams: int
    memory_rate: str | None
    aided: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstToken:
    """Time to the first token."""

    model: LanguageModel
    on: Combo
    prompt_tokens: int | None
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalMemory:
    """The installed memory of some GPUs together."""

    on: Combo
    gb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveMemory(TotalMemory):
    """Memory that one replica of so many GPUs can fill."""

    gpus: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuCount(ClaimSubject):
    """So many GPUs have the memory for something."""

    gpu: Gpu
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchFlags:
    """Flags of a launch command, and the GPUs they meet."""

    model: LanguageModel
    quantization: Quantization
    tensor: int
    pipeline: int
    replicas: int
    nodes: int
    gpus: int
    per_replica: bool
    gpu: Gpu | None
    context_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFigure:
    """Bandwidth or latency of a link; ``link`` is ``None`` where the catalog has none."""

    link: Interconnect | None
    gb_s: float | None
    gb_s_high: float | None
    latency_us: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuLink:
    """A GPU has a link of some kind."""

    gpu: Gpu
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUse(ClaimSubject):
    """The link of some hardware is fast enough for a split, or is not."""

    on: Combo
    tensor: int
    pipeline: int
    works: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(ClaimSubject):
    """One side of a comparison."""

    on: Combo | None
    tensor: int | None
    pipeline: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """One thing is so many times another; ``of`` is ``decode`` or ``weights``."""

    of: str
    first: Side
    second: Side
    ratio: float
    ratio_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """Hardware pays for itself after some months."""

    hardware_usd: float
    power_usd_month: float
    replaced_usd_month: float | None
    api_usd_per_1k_tokens: float | None
    tokens_per_day: float | None
    months: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCost:
    """Cost of a month's electricity for some hardware."""

    on: Combo
    usd_month: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rental:
    """Renting costs as much as buying after some hours."""

    hardware_usd: float
    usd_per_hour: float
    usd_per_hour_high: float | None
    hours: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCost:
    """Cost of an API for some use."""

    usd_per_1k_tokens: float
    tokens_per_month: float | None
    users: int | None
    serving: Side | None
    usd_month: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Users(ClaimSubject):
    """Some hardware serves so many at once."""

    on: Combo
    users: int
    context_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRule:
    """A page's own rule; ``called`` is our word for its verdict."""

    utilization: float
    above: bool
    called: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number and the length of the list that it counts; ``None`` where no list is shown.

    ``comfortable_on``: hardware, where it counts models that fit it comfortably.
    """

    stated: int
    listed: int | None
    comfortable_on: Combo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """Arithmetic that the page does: ``sum``, ``product``, ``difference`` or ``quotient``."""

    operation: str
    terms: tuple[float, ...]
    result: float
    result_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedPart:
    """So many of something; ``reference`` is the assumption with its published figures."""

    reference: str
    count: int


FIGURE_UNITS = frozenset({"USD", "USD/1k tokens", "/1", "GB/s", "1/s"})
"""Units of constants that a claimed figure can be held against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureClaim:
    """A figure that is held against the sum of published ones, in their unit."""

    item: str
    value: float
    value_high: float | None
    parts: tuple[CountedPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A figure that says too little to be checked, and what is missing."""

    missing: tuple[str, ...]


Assertion: TypeAlias = (
    Parameters | Weights | Memory | KvCacheClaim | Fits | Throughput | FirstToken | TotalMemory
    | EffectiveMemory | GpuCount | LaunchFlags | LinkFigure | GpuLink | LinkUse | Ratio | BreakEven
    | PowerCost | Rental | ApiCost | Users | TierRule | Count | Sum | FigureClaim | Open
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence or cell of a page, and what it asserts."""

    id: str
    quote: str
    place: str
    note: str
    assertion: Assertion


@dataclass(frozen=True, slots=True)
class ClaimedPage:
    """The checkable claims of one public page."""

    id: str
    title: str
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    span: SourceSpan
