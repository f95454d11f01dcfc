"""Models, their checkpoints and quantizations, and runtimes, as the catalog states them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from sitegen.catalog.domain.hardware import Vendor
from sitegen.catalog.domain.provenance import Constant, Evidence, Interval, Source
from sitegen.problems import SourceSpan
from sitegen.values import dataclass

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A value of a Hugging Face ``config.json``."""


@dataclass(frozen=True, slots=True)
class TensorFormat:
    """How the elements of a tensor group are stored.

    Attributes:
        weight_bits: Bits per element; fractional for EXL.
        group_size: Elements along the input dimension that share a scale; 0 for one scale per
            output row, -1 for one scale per tensor.
        block_rows: Output rows that share a scale (128 for block FP8), else 1.
        scale_bits: Bits of each scale (scale and second-level scale together).
        zero_bits: Bits of each zero point, 0 when symmetric.
    """

    weight_bits: float
    group_size: int = 0
    block_rows: int = 1
    scale_bits: float = 0.0
    zero_bits: float = 0.0


@dataclass(frozen=True, slots=True)
class GroupFormat:
    """Tensor groups (see ``models.architecture``) that a recipe stores in their own format."""

    groups: tuple[str, ...]
    format: TensorFormat


@dataclass(frozen=True, slots=True)
class Quantization:
    """A recipe: which tensor groups get which format.

    ``gguf_file_type`` (``Q4_K_M``) selects the llama.cpp mix rules and then ``linears`` and
    ``exceptions`` are unused. Otherwise every linear gets ``linears``, everything that is not a
    linear (embedding, head, norms, router, biases) gets ``element_bits``, and ``exceptions``
    override both.
    """

    id: str
    name: str
    format: str
    """What a runtime must be able to load: ``bf16 fp8 int8 awq gptq compressed-tensors nvfp4
    mxfp4 mxfp8 bitsandbytes fp32 gguf mlx exl2 exl3``."""
    gguf_file_type: str
    linears: TensorFormat
    exceptions: tuple[GroupFormat, ...]
    nominal_bits: float
    """Bits per weight of a quantized linear, for sorting and for the production rule."""
    production: bool
    """At least 4 bits per weight in the linears, or the model's native format."""
    minimum_compute_capability: tuple[int, int] | None
    native_compute_capability: tuple[int, int] | None
    other_architectures: tuple[str, ...] | None
    """GPU architectures beside NVIDIA that can run it; ``None`` for all."""
    tensor_parallel_group: int
    """Columns per rank must be a multiple of this (group formats), 0 for none."""
    tensor_parallel_block: int
    """Rows and columns per rank must be a multiple of this (block FP8), 0 for none."""
    notes: str
    sources: tuple[Source, ...]
    span: SourceSpan
    element_bits: int = 16
    """Bits of what is no linear, of activations, and of a cache whose type the runtime chooses."""


class Publisher(StrEnum):
    """Who made the files of a repository."""

    OFFICIAL = "official"
    """The organisation that released the model."""
    KNOWN_QUANTIZER = "known-quantizer"
    """An owner known for quantizing other people's models."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A quantization of a model that somebody can download or make.

    Attributes:
        id: Unique within the model: the quantization id, or one with a suffix.
        variant: Which of the repository's files: tag of a GGUF file, branch of an EXL3 repository;
            empty where it is the quantization's own name.
        file: Name of the GGUF file in the repository, the first of its parts where it is split;
            empty where nobody lists it.
        duplicates: Patterns of the repository's files that hold the same weights once more.
        publisher: Who made the files; ``OTHER`` also where no repository is known.
        downloads: Of the repository, as the Hub counted them on the day of the source, or None.
        gated: Whether downloading asks for an account that accepted the licence.
        license: Licence id, the model's own unless the files have another.
        published_bytes: File size as published (decimal bytes), or None.
        config_overrides: Architecture facts that differ (a padded feed-forward width).
        kept: Tensor groups this checkpoint leaves as wide as it computes, beside the recipe's own.
        kept_fp8: Tensor groups this checkpoint stores in FP8, whatever the recipe says.
        native: True when the model was released in this format.
        prediction_layers: Layers that a GGUF file holds for speculative decoding alone, beside
            the model's own.
    """

    id: str
    quantization: Quantization
    repository: str
    published_bytes: int | None
    config_overrides: Mapping[str, Json]
    kept: tuple[str, ...]
    native: bool
    evidence: Evidence
    sources: tuple[Source, ...]
    variant: str = ""
    file: str = ""
    duplicates: tuple[str, ...] = ()
    publisher: Publisher = Publisher.OTHER
    downloads: int | None = None
    gated: bool = False
    license: str = ""
    kept_fp8: tuple[str, ...] = ()
    prediction_layers: int = 0

    @property
    def is_published(self) -> bool:
        """Whether somebody can download it: a named repository, or the release itself."""
        return self.native or self.repository != ""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """An open-weight model: a Hugging Face config and what else memory needs to know."""

    id: str
    name: str
    organization: str
    repository: str
    license: str
    released: str
    config: Mapping[str, Json]
    context_tokens: int
    """Longest context that the model card or config promises."""
    published_parameters: int | None
    vision_parameters: int
    mtp_parameters: int
    """Multi-token-prediction layers in the checkpoint; loaded only for speculative decoding."""
    checkpoints: tuple[Checkpoint, ...]
    notes: str
    sources: tuple[Source, ...]
    span: SourceSpan
    superseded_by: str = ""
    """Id of the model that took its place; such a model keeps its page and is not surveyed."""
    base: bool = False
    """Whether it was not tuned to follow instructions; such a model leads no answer."""
    vision_classes: tuple[str, ...] = ()
    """Classes with the vision tower, where ``config`` is that of the text part; else empty."""
    announced: bool = False
    """Whether ``released`` is the day of announcement; else its repository was made then."""


class MemoryModel(StrEnum):
    """How a runtime lays out memory; each is one set of formulas."""

    PAGED = "paged"
    """A fixed share of the GPU; what is left after weights and activations is the KV pool."""
    LAYER_SPLIT = "layer-split"
    """Whole layers per GPU, KV cache and compute buffers allocated for the context asked."""
    EAGER_SPLIT = "eager-split"
    """Whole layers per GPU, cache allocated for the context asked, the rest as it is needed."""
    UNPROFILED = "unprofiled"
    """No complete memory profile yet: listed with what it supports, never assessed."""
    ORCHESTRATOR = "orchestrator"
    """Runs replicas of another runtime."""


class BudgetBase(StrEnum):
    """The memory that a paged runtime takes its share of."""

    TOTAL = "total"
    """The whole GPU; weights, activations and cache all lie inside the share."""
    RESERVE = "reserve"
    """The GPU for weights and cache, after a reserve for activations and graphs."""
    FREE = "free"
    """Memory left by weights and activations; the share is the cache alone."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A fault of some versions that memory arithmetic cannot see; it warns.

    ``formats`` names the quantization formats that it hits, ``vendors`` those of the GPUs and
    ``families`` those of models, all where empty.
    """

    formats: tuple[str, ...]
    vendors: tuple[Vendor, ...]
    families: tuple[str, ...]
    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of a runtime, each with a word of detail in the record's notes.

    Model families are named where its code for each has to know how: ``tensor_families`` whose
    layers it cuts, ``stage_families`` whose layers it lays over several machines; empty for all.
    ``tensor_vendors`` are the makers of GPUs whose backend cuts well; empty for all. With
    ``whole_kv_heads`` no two ranks hold the same KV head. ``mixed_vendors`` says whether
    ``mixed_gpus`` holds for GPUs of several makers too.
    """

    tensor_parallel: bool
    uneven_tensor_parallel: bool
    pipeline_parallel: bool
    layer_split: bool
    expert_parallel: bool
    data_parallel: bool
    multi_node: bool
    mixed_gpus: bool
    cpu_offload: bool
    any_tensor_width: bool = False
    whole_kv_heads: bool = False
    decode_context_parallel: bool = False
    tensor_across_nodes: bool = True
    tensor_vendors: tuple[Vendor, ...] = ()
    tensor_families: tuple[str, ...] = ()
    stage_families: tuple[str, ...] = ()
    mixed_vendors: bool = True


@dataclass(frozen=True, slots=True)
class DefaultsByMemory:
    """Scheduler defaults for GPUs with at least ``min_visible_bytes``; first match wins."""

    min_visible_bytes: int
    excluded_gpus: tuple[str, ...]
    max_num_batched_tokens: int
    max_num_seqs: int
    graph_batch: int = 0
    """Largest batch that decode graphs are captured for, where it is a setting of its own."""
    graph_batch_wide: int = 0
    """The same from four ranks of tensor parallelism on."""
    whole_prompt_tokens: int = 0
    """Longest context whose prompts a step holds whole, however many tokens; 0 for none."""


SPEED_FAMILIES = ("exllama", "layer-split", "mlx", "paged")
"""Families of runtimes that share kernels, and with them the constants of speed."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of a runtime, where runtimes of the same formulas differ.

    Attributes:
        cache_types: Types of KV cache that it offers, words of ``physics.cache_types.BITS``.
        value_types_apart: Keys may be cached in one type and values in another.
        speed_family: Whose speed constants it shares, one of ``SPEED_FAMILIES``.
        speed_reference: Its family's constants are its own; the others differ by factors.
        default_port: Port that its server takes unasked; 0 where it is not recorded.
        logs_keys_and_values: It logs the sizes of keys and of values apart, each rounded.
        one_gpu_where_it_fits: A model that fits one GPU is put on one, whatever others there are.
        llama_cpp_builds: Its versions are build numbers of llama.cpp, which date a run.
        present_engine_since: First version with the engine of today; speeds of earlier ones are
            those of software before 2025. Empty where versions say nothing of it.
        experimental_cut: Its makers call the mode that cuts each layer experimental.
        micro_batch_option: Its server can be told how many tokens of a prompt a step reads.
        copied_expert_tokens: Tokens of a step that each expert in system RAM needs on average
            before it is copied to the GPU; with fewer the processor computes it.
        unmapped_option: Option that reads a file into memory that a GPU copies from directly; empty
            where there is none.
        loads_consolidated: Of weights in Mistral's own files and in ``model*.safetensors``, it
            loads Mistral's.
    """

    cache_types: tuple[str, ...]
    value_types_apart: bool
    speed_family: str
    speed_reference: bool
    default_port: int
    logs_keys_and_values: bool
    one_gpu_where_it_fits: bool
    llama_cpp_builds: bool
    present_engine_since: str
    experimental_cut: bool
    micro_batch_option: bool
    copied_expert_tokens: int = 0
    unmapped_option: str = ""
    loads_consolidated: bool = False


@dataclass(frozen=True, slots=True)
class RuntimeProfile:
    """The memory behaviour of a range of versions.

    ``since <= version < until`` as dotted numbers; ``until`` empty means open. ``constants`` holds
    every number the memory model needs, keyed by name: see ``memory.profile_constants``.
    """

    version: str
    """The version shown and assessed, e.g. ``0.19``."""
    since: str
    until: str
    constants: Mapping[str, Constant]
    defaults: tuple[DefaultsByMemory, ...]
    flags: Mapping[str, bool]
    """Behaviours that are switches: ``hybrid_group_padding``, ``graphs_in_budget``…"""
    budget_base: BudgetBase = BudgetBase.TOTAL
    defects: tuple[Defect, ...] = ()


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to reach a GPU whose driver gives at most so many bytes in one piece."""

    id: str
    name: str
    vendors: tuple[Vendor, ...]
    """Makers of the GPUs that the driver is for."""
    largest_allocation_bytes: int
    source: Source


@dataclass(frozen=True, slots=True)
class KnownModels:
    """The models that a package has code for, as its own tables name them.

    Attributes:
        version: The version that was read, in words.
        names: Classes, or ``model_type`` where the package goes by that.
        with_images: Those, and others, whose images it reads too.
        through_transformers: Classes that it runs in the code of Transformers.
        refused_keys: Keys of a config that its code refuses.
        dropped: Classes that it had code for, with the last version that had.
    """

    version: str
    names: tuple[str, ...]
    through_transformers: tuple[str, ...]
    refused_keys: tuple[str, ...]
    dropped: Mapping[str, str]
    source: Source
    with_images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormatLimit:
    """The GPUs on which a runtime runs a format, where they differ from what the format says.

    Attributes:
        formats: Formats that it is about.
        quantizations: Recipes of these formats that it is about; all when empty.
        experts: It is about mixtures of experts alone.
        minimum_compute_capability: Lowest NVIDIA generation; ``None`` for the runtime's own.
        maximum_compute_capability: Highest NVIDIA generation; ``None`` where no later one differs.
        other_architectures: Others that run it; ``None`` for all that the runtime runs on.
    """

    formats: tuple[str, ...]
    quantizations: tuple[str, ...]
    experts: bool
    minimum_compute_capability: tuple[int, int] | None
    other_architectures: tuple[str, ...] | None
    note: str
    source: Source
    maximum_compute_capability: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ModelLimit:
    """The GPUs on which a runtime has kernels for models of some families.

    Attributes:
        families: Model families (``model_type`` of the text model or the whole) that it is about.
        minimum_compute_capability: Lowest NVIDIA generation; ``None`` for the runtime's own.
        other_architectures: Others that run them; ``None`` for all that the runtime runs on.
    """

    families: tuple[str, ...]
    minimum_compute_capability: tuple[int, int] | None
    other_architectures: tuple[str, ...] | None
    source: Source


@dataclass(frozen=True, slots=True)
class CacheSharing:
    """The GPUs on which ranks can share the tokens of the cache of some families.

    Attributes:
        families: Model families (``model_type``) that it is about.
        compute_capabilities: NVIDIA's generations, such as ``10.0``, where they share any cache.
        quantized_cache_only: Generations where they share a quantized cache alone.
        most_heads: Most attention heads of all ranks that share a quantized cache.
    """

    families: tuple[str, ...]
    compute_capabilities: tuple[str, ...]
    quantized_cache_only: tuple[str, ...]
    most_heads: int | None
    source: Source


@dataclass(frozen=True, slots=True)
class CacheDefault:
    """The type of cache that some families have on some GPUs if nobody names one.

    ``compute_capabilities`` are NVIDIA's generations, such as ``10.0``; ``models`` are all of the
    families when empty; ``excluded_gpus`` go by how their ids begin.
    """

    families: tuple[str, ...]
    models: tuple[str, ...]
    excluded_gpus: tuple[str, ...]
    compute_capabilities: tuple[str, ...]
    kv_dtype: str
    source: Source


@dataclass(frozen=True, slots=True)
class GpuOptions:
    """What a server is told where all GPUs of a plan are of some of NVIDIA's generations."""

    compute_capabilities: tuple[str, ...]
    options: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What a server of some models is told beside the plan, so that clients get clean answers.

    Attributes:
        models: Ids of the models.
        reasoning: Parser that takes apart what a model thinks and what it answers.
        tools: Parser of calls to tools.
        template: Chat template for such calls, where the model's own does not do.
        remote_code: Whether the maker's recipe lets Python code of the repository run.
        options: Further options, as typed.
        of_maker: Options that hold for files of the model's own organisation alone.
        on_gpus: Options that hold on some GPUs alone.
    """

    models: tuple[str, ...]
    reasoning: str
    tools: str
    template: str
    remote_code: bool
    options: tuple[str, ...]
    of_maker: tuple[str, ...]
    on_gpus: tuple[GpuOptions, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Speculation:
    """Speculative decoding of some models: a server guesses tokens and checks them in one step.

    Attributes:
        models: Ids of the models.
        options: As typed.
        repositories: Whose files hold the layers that guess; empty for all.
        draft: Repository of a draft model, empty where the model itself has layers that guess.
        excluded_vendors: GPU vendors on which it brings nothing.
        only_gpus: How the ids of the GPUs that it is about begin; empty for all.
        excluded_plans: Plans that it makes slower or that it does not work with.
        gain: One user's speed with the options over that without; ``None`` where unmeasured.
        measured_by: Who measured the gain, as the subject of a sentence.
        many_users: What it does for several users at once, as a sentence.
        extra_bytes: Memory beyond the plan's, of all GPUs; ``None`` where unknown.
    """

    models: tuple[str, ...]
    options: tuple[str, ...]
    repositories: tuple[str, ...]
    draft: str
    excluded_vendors: tuple[Vendor, ...]
    only_gpus: tuple[str, ...]
    excluded_plans: tuple[str, ...]
    gain: Interval | None
    measured_by: str
    many_users: str
    extra_bytes: Interval | None
    source: Source


@dataclass(frozen=True, slots=True)
class ServerEnvironment:
    """Variables of the environment that a server needs, on GPUs of some architectures or all.

    Attributes:
        architectures: Every GPU of the plan is of one of them; empty for all.
        models: Ids of the models that it is about; empty for all.
        replicas_from_bytes: Size of a model of which a server loads several copies; 0 for any.
        variables: Values by name.
        note: What they do, in sentences for readers.
    """

    architectures: tuple[str, ...]
    models: tuple[str, ...]
    replicas_from_bytes: int
    variables: Mapping[str, str]
    note: str
    source: Source


@dataclass(frozen=True, slots=True)
class Replicas:
    """How one command serves several replicas of a model on one machine, behind one address.

    Attributes:
        option: Takes how many replicas there are.
        experts_stay_whole: Whether each replica of a mixture of experts holds all of them.
    """

    option: str
    experts_stay_whole: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Runtime:
    """A serving engine or orchestrator and its version profiles, newest last."""

    id: str
    name: str
    summary: str
    vendors: tuple[Vendor, ...]
    formats: tuple[str, ...]
    families: tuple[str, ...]
    """Model families it cannot run are left out; empty means no known limit."""
    memory_model: MemoryModel
    minimum_compute_capability: tuple[int, int] | None
    """Oldest NVIDIA generation it runs on; ``None`` for no known limit."""
    other_architectures: tuple[str, ...] | None
    """GPU architectures beside NVIDIA that it runs on; ``None`` for all of its vendors'."""
    capabilities: Capabilities
    traits: Traits
    drives: tuple[str, ...]
    """Runtime ids that an orchestrator can run."""
    profiles: tuple[RuntimeProfile, ...]
    assessed_version: str
    """Profile that the survey uses; empty where there is none."""
    backends: tuple[Backend, ...]
    """Backends whose drivers limit a single allocation."""
    surveyed_in_full: bool
    """Whether the survey judges every checkpoint, or only what a verdict rests on."""
    traps: tuple[str, ...]
    license: str
    url: str
    notes: str
    sources: tuple[Source, ...]
    span: SourceSpan
    known_models: KnownModels | None = None
    """Models that it has code for; ``None`` where nobody read its tables."""
    format_limits: tuple[FormatLimit, ...] = ()
    """First match holds, in the place of what the format says of GPUs."""
    model_limits: tuple[ModelLimit, ...] = ()
    """First match holds, beside what the format says of GPUs."""
    cache_sharing: tuple[CacheSharing, ...] = ()
    """First match holds; families of none share their cache on every GPU."""
    cache_defaults: tuple[CacheDefault, ...] = ()
    """First match holds; elsewhere a cache is as wide as the model computes."""
    chat_options: tuple[ChatOptions, ...] = ()
    speculation: tuple[Speculation, ...] = ()
    """First entry that names a model holds."""
    environment: tuple[ServerEnvironment, ...] = ()
    """Every entry that matches holds, the later one where two set the same variable."""
    replicas: Replicas | None = None
    """How it serves several replicas on one machine; ``None`` where each is a server of its own."""

    def release(self, version: str) -> str:
        """Name a version as its makers do: llama.cpp tags its builds ``b8000``."""
        numbered = self.traits.llama_cpp_builds and version.isdigit()
        return f"b{version}" if numbered else version
