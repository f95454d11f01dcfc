"""Claims to domain values: ids become the things they name, figures stay as printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitegen.catalog.authored import Authored
from sitegen.catalog.domain import claims as domain
from sitegen.catalog.domain.hardware import Gpu, Interconnect
from sitegen.catalog.domain.models import LanguageModel, Quantization
from sitegen.catalog.records import assertions as says
from sitegen.catalog.records.claims import KINDS, ClaimRecord, StatedClaim
from sitegen.catalog.records.parts import Record
from sitegen.catalog.records.runs import SystemRecord
from sitegen.catalog.resolve.parts import resolve_sources
from sitegen.catalog.resolve.runs import resolve_system
from sitegen.problems import SourceSpan
from sitegen.values import dataclass

MEANINGS: Mapping[type[Record], type[Any]] = {
    says.ParametersAssertion: domain.Parameters,
    says.WeightsAssertion: domain.Weights,
    says.MemoryAssertion: domain.Memory,
    says.CacheAssertion: domain.KvCacheClaim,
    says.FitsAssertion: domain.Fits,
    says.ThroughputAssertion: domain.Throughput,
    says.FirstTokenAssertion: domain.FirstToken,
    says.TotalMemoryAssertion: domain.TotalMemory,
    says.EffectiveMemoryAssertion: domain.EffectiveMemory,
    says.GpuCountAssertion: domain.GpuCount,
    says.LaunchAssertion: domain.LaunchFlags,
    says.LinkAssertion: domain.LinkFigure,
    says.GpuLinkAssertion: domain.GpuLink,
    says.LinkUseAssertion: domain.LinkUse,
    says.SideRecord: domain.Side,
    says.RatioAssertion: domain.Ratio,
    says.BreakEvenAssertion: domain.BreakEven,
    says.PowerCostAssertion: domain.PowerCost,
    says.RentalAssertion: domain.Rental,
    says.ApiCostAssertion: domain.ApiCost,
    says.UsersAssertion: domain.Users,
    says.TierRuleAssertion: domain.TierRule,
    says.CountAssertion: domain.Count,
    says.SumAssertion: domain.Sum,
    says.PartRecord: domain.CountedPart,
    says.FigureAssertion: domain.FigureClaim,
    says.OpenAssertion: domain.Open,
}
"""Claim class of each authored assertion; both have the same fields."""


@dataclass(frozen=True, slots=True)
class ClaimIds:
    """Records that ids of a claim may name, by current and former id."""

    models: Mapping[str, LanguageModel]
    quantizations: Mapping[str, Quantization]
    gpus: Mapping[str, Gpu]
    links: Mapping[str, Interconnect]


def resolve_claims(authored: Authored[ClaimRecord], named: ClaimIds) -> domain.ClaimedPage:
    """Turn the claims of a page into domain values."""
    record = authored.record
    return domain.ClaimedPage(
        id=authored.id,
        title=record.title,
        claims=tuple(_claim(claim, authored.id, named, authored.span) for claim in record.claims),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def _claim(record: StatedClaim, page: str, named: ClaimIds, span: SourceSpan) -> domain.Claim:
    (asserted,) = (found for kind in KINDS if (found := getattr(record, kind)) is not None)
    return domain.Claim(
        id=record.id,
        quote=record.quote,
        place=record.place,
        note=record.note,
        assertion=_meaning(asserted, f"{page}--{record.id}", named, span),
    )


def _meaning(record: Record, name: str, named: ClaimIds, span: SourceSpan) -> Any:
    """Build the domain value of an assertion field by field."""
    values = {
        key: _value(key, getattr(record, key), name, named, span)
        for key in type(record).model_fields
    }
    return MEANINGS[type(record)](**values)


def _value(key: str, given: Any, name: str, named: ClaimIds, span: SourceSpan) -> Any:
    if given is None:
        return None
    if isinstance(given, SystemRecord):
        return resolve_system(given, name, (named.gpus, named.links), span)
    if isinstance(given, Record):
        return _meaning(given, name, named, span)
    if key == "parts":
        return tuple(_meaning(part, name, named, span) for part in given)
    if key == "quantizations":
        return tuple(named.quantizations[id_] for id_ in given)
    tables: Mapping[str, Mapping[str, Any]] = {
        "model": named.models,
        "quantization": named.quantizations,
        "gpu": named.gpus,
        "link": named.links,
    }
    return tables[key][given] if key in tables else given
