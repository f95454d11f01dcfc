"""Models, quantizations and runtimes: from checked records to domain values."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.authored import Authored
from sitegen.catalog.domain.hardware import Vendor
from sitegen.catalog.domain.models import (
    Backend,
    BudgetBase,
    CacheDefault,
    CacheSharing,
    Capabilities,
    ChatOptions,
    Checkpoint,
    DefaultsByMemory,
    Defect,
    FormatLimit,
    GpuOptions,
    GroupFormat,
    KnownModels,
    LanguageModel,
    MemoryModel,
    ModelLimit,
    Publisher,
    Quantization,
    Replicas,
    Runtime,
    RuntimeProfile,
    ServerEnvironment,
    Speculation,
    TensorFormat,
    Traits,
)
from sitegen.catalog.domain.provenance import Evidence
from sitegen.catalog.records.models import (
    BackendRecord,
    CacheDefaultRecord,
    CacheSharingRecord,
    ChatOptionsRecord,
    CheckpointRecord,
    DefectRecord,
    EnvironmentRecord,
    FormatLimitRecord,
    GpuOptionsRecord,
    KnownModelsRecord,
    ModelLimitRecord,
    ModelRecord,
    ProfileRecord,
    QuantizationRecord,
    ReplicasRecord,
    RuntimeRecord,
    SpeculationRecord,
    TensorFormatRecord,
    TraitsRecord,
)
from sitegen.catalog.resolve.parts import (
    gb_to_bytes,
    gib_to_bytes,
    resolve_capability,
    resolve_constant,
    resolve_interval,
    resolve_source,
    resolve_sources,
)
from sitegen.units import GB, GIB

_SIXTEEN_BITS = TensorFormat(weight_bits=16.0)

NOT_RECORDED = "not recorded"


def resolve_quantization(authored: Authored[QuantizationRecord]) -> Quantization:
    """Turn a quantization record into its domain value; GGUF has no linears of its own."""
    record = authored.record
    return Quantization(
        id=authored.id,
        name=record.name,
        format=record.format,
        gguf_file_type=record.gguf_file_type,
        linears=_tensor_format(record.linears) if record.linears else _SIXTEEN_BITS,
        exceptions=tuple(
            GroupFormat(part.groups, _tensor_format(part.format)) for part in record.exceptions
        ),
        nominal_bits=record.nominal_bits,
        production=record.production,
        minimum_compute_capability=resolve_capability(record.minimum_compute_capability),
        other_architectures=record.other_architectures,
        native_compute_capability=resolve_capability(record.native_compute_capability),
        tensor_parallel_group=record.tensor_parallel_group,
        tensor_parallel_block=record.tensor_parallel_block,
        notes=record.notes,
        sources=resolve_sources(record.sources),
        span=authored.span,
        element_bits=record.element_bits,
    )


def _tensor_format(record: TensorFormatRecord) -> TensorFormat:
    return TensorFormat(
        weight_bits=record.weight_bits,
        group_size=record.group_size,
        block_rows=record.block_rows,
        scale_bits=record.scale_bits,
        zero_bits=record.zero_bits,
    )


def resolve_model(
    authored: Authored[ModelRecord], quantizations: Mapping[str, Quantization]
) -> LanguageModel:
    """Turn a model record into its domain value."""
    record = authored.record
    return LanguageModel(
        id=authored.id,
        name=record.name,
        organization=record.organization,
        repository=record.repository,
        license=record.license or NOT_RECORDED,
        released=record.released or "",
        config=record.config,
        context_tokens=record.context_tokens,
        published_parameters=record.published_parameters,
        vision_parameters=record.vision_parameters,
        vision_classes=record.vision_classes,
        mtp_parameters=record.mtp_parameters,
        checkpoints=tuple(
            _checkpoint(checkpoint, quantizations[checkpoint.quantization], record)
            for checkpoint in record.checkpoints
        ),
        notes=record.notes,
        sources=resolve_sources(record.sources),
        span=authored.span,
        superseded_by=record.superseded_by or "",
        base=record.base,
        announced=record.announced,
    )


def _checkpoint(
    record: CheckpointRecord, quantization: Quantization, model: ModelRecord
) -> Checkpoint:
    published = record.file_bytes
    if published is None and record.file_gb is not None:
        published = gb_to_bytes(record.file_gb)
    return Checkpoint(
        id=record.id or quantization.id,
        quantization=quantization,
        repository=record.repository,
        published_bytes=published,
        config_overrides=record.config_overrides,
        kept=record.kept,
        kept_fp8=record.kept_fp8,
        prediction_layers=record.prediction_layers,
        native=record.native,
        evidence=Evidence(record.evidence),
        sources=resolve_sources(record.sources),
        variant=record.variant,
        file=record.file,
        duplicates=record.duplicates,
        publisher=_publisher(record, model),
        downloads=record.downloads,
        gated=record.gated,
        license=record.license or model.license or NOT_RECORDED,
    )


def _publisher(record: CheckpointRecord, model: ModelRecord) -> Publisher:
    """Say who made the files: as written, else by the owner of the repository."""
    if record.publisher is not None:
        return Publisher(record.publisher)
    own = record.repository.partition("/")[0] == model.repository.partition("/")[0]
    return Publisher.OFFICIAL if own else Publisher.OTHER


def resolve_runtime(authored: Authored[RuntimeRecord]) -> Runtime:
    """Turn a runtime record into its domain value."""
    record = authored.record
    return Runtime(
        id=authored.id,
        name=record.name,
        summary=record.summary,
        vendors=tuple(map(Vendor, record.vendors)),
        formats=record.formats,
        families=record.families,
        memory_model=MemoryModel(record.memory_model),
        minimum_compute_capability=resolve_capability(record.minimum_compute_capability),
        other_architectures=record.other_architectures,
        capabilities=Capabilities(**record.capabilities.model_dump()),
        traits=_traits(record.traits, record.memory_model),
        drives=record.drives,
        profiles=_profiles(record.profiles),
        assessed_version=record.assessed_version or "",
        backends=tuple(map(_backend, record.backends)),
        surveyed_in_full=record.surveyed_in_full,
        traps=record.traps,
        license=record.license,
        url=record.url,
        notes=record.notes,
        sources=resolve_sources(record.sources),
        span=authored.span,
        known_models=_known_models(record.known_models) if record.known_models else None,
        format_limits=tuple(map(_format_limit, record.format_limits)),
        model_limits=tuple(map(_model_limit, record.model_limits)),
        cache_sharing=tuple(map(_cache_sharing, record.cache_sharing)),
        cache_defaults=tuple(map(_cache_default, record.cache_defaults)),
        chat_options=tuple(map(_chat_options, record.chat_options)),
        speculation=tuple(map(_speculation, record.speculation)),
        environment=tuple(map(_environment, record.environment)),
        replicas=_replicas(record.replicas) if record.replicas else None,
    )


PAGED_CACHE_TYPES = ("f16", "fp8")
"""Types of KV cache of a runtime with a paged cache whose record lists none."""
OTHER_CACHE_TYPES = ("f16", "q8_0", "q4_0")
"""Cache types of the other runtimes."""


def _traits(record: TraitsRecord, memory_model: str) -> Traits:
    """Fill in what the memory model says where the record says nothing."""
    usual = PAGED_CACHE_TYPES if memory_model == "paged" else OTHER_CACHE_TYPES
    family = "layer-split" if memory_model == "layer-split" else "paged"
    return Traits(
        cache_types=usual if record.cache_types is None else record.cache_types,
        value_types_apart=record.value_types_apart,
        speed_family=record.speed_family or family,
        speed_reference=record.speed_reference,
        default_port=record.default_port,
        logs_keys_and_values=record.logs_keys_and_values,
        one_gpu_where_it_fits=record.one_gpu_where_it_fits,
        llama_cpp_builds=record.llama_cpp_builds,
        present_engine_since=record.present_engine_since or "",
        experimental_cut=record.experimental_cut,
        micro_batch_option=record.micro_batch_option,
        copied_expert_tokens=record.copied_expert_tokens,
        unmapped_option=record.unmapped_option,
        loads_consolidated=record.loads_consolidated,
    )


def _known_models(record: KnownModelsRecord) -> KnownModels:
    return KnownModels(
        version=record.version,
        names=record.names,
        with_images=record.with_images,
        through_transformers=record.through_transformers,
        refused_keys=record.refused_keys,
        dropped=record.dropped,
        source=resolve_source(record.source),
    )


def _chat_options(record: ChatOptionsRecord) -> ChatOptions:
    return ChatOptions(
        models=record.models,
        reasoning=record.reasoning,
        tools=record.tools,
        template=record.template,
        remote_code=record.remote_code,
        options=record.options,
        of_maker=record.of_maker,
        on_gpus=tuple(map(_gpu_options, record.on_gpus)),
        source=resolve_source(record.source),
    )


def _gpu_options(record: GpuOptionsRecord) -> GpuOptions:
    return GpuOptions(
        compute_capabilities=record.compute_capabilities,
        options=record.options,
        source=resolve_source(record.source),
    )


def _speculation(record: SpeculationRecord) -> Speculation:
    gain, extra = record.gain_factor, record.extra_gib
    return Speculation(
        models=record.models,
        options=record.options,
        repositories=record.repositories,
        draft=record.draft,
        excluded_vendors=tuple(map(Vendor, record.excluded_vendors)),
        only_gpus=record.only_gpus,
        excluded_plans=record.excluded_plans,
        gain=None if gain is None else resolve_interval(gain),
        measured_by=record.measured_by,
        many_users=record.many_users,
        extra_bytes=None if extra is None else resolve_interval(extra, unit=GIB),
        source=resolve_source(record.source),
    )


def _environment(record: EnvironmentRecord) -> ServerEnvironment:
    return ServerEnvironment(
        architectures=record.architectures,
        models=record.models,
        replicas_from_bytes=record.replicas_from_gb * GB,
        variables=record.variables,
        note=record.note,
        source=resolve_source(record.source),
    )


def _replicas(record: ReplicasRecord) -> Replicas:
    return Replicas(
        option=record.option,
        experts_stay_whole=record.experts_stay_whole,
        source=resolve_source(record.source),
    )


def _format_limit(record: FormatLimitRecord) -> FormatLimit:
    return FormatLimit(
        formats=record.formats,
        quantizations=record.quantizations,
        experts=record.experts,
        minimum_compute_capability=resolve_capability(record.minimum_compute_capability),
        other_architectures=record.other_architectures,
        note=record.note,
        source=resolve_source(record.source),
        maximum_compute_capability=resolve_capability(record.maximum_compute_capability),
    )


def _model_limit(record: ModelLimitRecord) -> ModelLimit:
    return ModelLimit(
        families=record.families,
        minimum_compute_capability=resolve_capability(record.minimum_compute_capability),
        other_architectures=record.other_architectures,
        source=resolve_source(record.source),
    )


def _cache_sharing(record: CacheSharingRecord) -> CacheSharing:
    return CacheSharing(
        families=record.families,
        compute_capabilities=record.compute_capabilities,
        quantized_cache_only=record.quantized_cache_only,
        most_heads=record.most_heads,
        source=resolve_source(record.source),
    )


def _cache_default(record: CacheDefaultRecord) -> CacheDefault:
    return CacheDefault(
        families=record.families,
        models=record.models,
        excluded_gpus=record.excluded_gpus,
        compute_capabilities=record.compute_capabilities,
        kv_dtype=record.kv_dtype,
        source=resolve_source(record.source),
    )


def _profiles(records: tuple[ProfileRecord, ...]) -> tuple[RuntimeProfile, ...]:
    """Resolve profiles oldest first: each may stand on an earlier one (checked: profile-like)."""
    found: dict[str, RuntimeProfile] = {}
    for record in records:
        found[record.version] = _profile(record, found.get(record.like or ""))
    return tuple(found.values())


def _profile(record: ProfileRecord, base: RuntimeProfile | None) -> RuntimeProfile:
    own = {name: resolve_constant(name, constant) for name, constant in record.constants.items()}
    defaults = tuple(
        DefaultsByMemory(
            min_visible_bytes=gib_to_bytes(row.min_visible_gib),
            excluded_gpus=row.excluded_gpus,
            max_num_batched_tokens=row.max_num_batched_tokens,
            max_num_seqs=row.max_num_seqs,
            graph_batch=row.graph_batch,
            graph_batch_wide=row.graph_batch_wide,
            whole_prompt_tokens=row.whole_prompt_tokens,
        )
        for row in record.defaults
    )
    budget = base.budget_base if base else BudgetBase.TOTAL
    return RuntimeProfile(
        version=record.version,
        since=record.since,
        until=record.until or "",
        constants={**base.constants, **own} if base else own,
        defaults=defaults or (base.defaults if base else ()),
        flags={**base.flags, **record.flags} if base else record.flags,
        budget_base=BudgetBase(record.budget_base) if record.budget_base else budget,
        defects=tuple(map(_defect, record.defects)),
    )


def _backend(record: BackendRecord) -> Backend:
    limit = gib_to_bytes(record.largest_allocation_gib)
    vendors = tuple(map(Vendor, record.vendors))
    return Backend(record.id, record.name, vendors, limit, resolve_source(record.source))


def _defect(record: DefectRecord) -> Defect:
    return Defect(
        record.formats,
        tuple(map(Vendor, record.vendors)),
        record.families,
        record.text,
        resolve_source(record.source),
    )
