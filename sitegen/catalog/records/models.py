"""Records of models, quantizations, runtimes and assumptions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from sitegen.catalog.licences import LICENCE_SCHEMA
from sitegen.catalog.records.parts import (
    ConstantRecord,
    EvidenceWord,
    IntervalRecord,
    IsoDate,
    Record,
    Renamable,
    Slug,
    SourceRecord,
    Text,
    VendorWord,
    Version,
)

FormatWord = Literal[
    "bf16", "fp8", "int8", "awq", "gptq", "compressed-tensors", "nvfp4", "mxfp4", "mxfp8",
    "bitsandbytes", "fp32", "gguf", "mlx", "exl2", "exl3",
]  # fmt: skip
CacheTypeWord = Literal[
    "f16", "f32", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl", "fp8", "fp8_per_token_head",
    "int8_per_token_head",
]  # fmt: skip


class TensorFormatRecord(Record):
    """How the elements of a tensor group are stored."""

    weight_bits: float = Field(gt=0, le=32, description="Bits per element.")
    group_size: int = Field(
        default=0,
        ge=-1,
        description="Inputs that share a scale; 0: one per output row, -1: one per tensor.",
    )
    block_rows: int = Field(default=1, gt=0, description="Output rows that share a scale.")
    scale_bits: float = Field(default=0, ge=0, description="Bits per scale, second level included.")
    zero_bits: float = Field(default=0, ge=0, description="Bits per zero point.")


class GroupFormatRecord(Record):
    """Tensor groups stored in a format of their own."""

    groups: tuple[Text, ...] = Field(min_length=1, description="Tensor groups.")
    format: TensorFormatRecord = Field(description="Their format.")


class QuantizationRecord(Renamable):
    """A recipe: `catalog/quantizations/<id>.yaml`."""

    name: Text = Field(description="Name as people write it, e.g. `Q4_K_M`.")
    format: FormatWord = Field(description="Format that a runtime must be able to load.")
    gguf_file_type: str = Field(default="", description="llama.cpp file type, for GGUF only.")
    linears: TensorFormatRecord | None = Field(
        default=None, description="Format of the linear layers; not for GGUF."
    )
    exceptions: tuple[GroupFormatRecord, ...] = Field(
        default=(), description="Groups in another format: more or fewer bits than the linears."
    )
    element_bits: Literal[16, 32] = Field(
        default=16,
        description="Bits of what is no linear, of activations and of a cache left to the runtime.",
    )
    nominal_bits: float = Field(gt=0, le=32, description="Bits per weight of a quantized linear.")
    production: bool = Field(
        description="At least 4 bits per weight in the linears, or a model's native format."
    )
    minimum_compute_capability: Version | None = Field(
        default=None, description="Lowest NVIDIA compute capability that can run it, quoted."
    )
    other_architectures: tuple[Text, ...] | None = Field(
        default=None,
        description="GPU architectures beside NVIDIA that can run it; all when left out.",
    )
    native_compute_capability: Version | None = Field(
        default=None, description="Lowest compute capability with arithmetic in this format."
    )
    tensor_parallel_group: int = Field(
        default=0, ge=0, description="Columns per rank must be a multiple of this."
    )
    tensor_parallel_block: int = Field(
        default=0, ge=0, description="Rows and columns per rank must be a multiple of this."
    )
    notes: str = Field(default="", description="Note for readers.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of the numbers.")


LicenceId = Annotated[Text, Field(json_schema_extra={"anyOf": LICENCE_SCHEMA})]
PublisherWord = Literal["official", "known-quantizer", "other"]


class CheckpointRecord(Record):
    """A quantization of this model that can be downloaded or made."""

    quantization: Slug = Field(description="Quantization id.")
    id: Slug | None = Field(
        default=None, description="Own id, when one quantization occurs twice (another maker)."
    )
    repository: str = Field(default="", description="Hugging Face repository, `owner/name`.")
    variant: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9][\w.-]*$|^$",
        description="Which of the repository's files, where their name or the branch is not the "
        "quantization's: tag of a GGUF file (`UD-Q4_K_M`), branch of an EXL3 repository "
        "(`4.00bpw`).",
    )
    file: str = Field(
        default="",
        pattern=r"^[\w.-]+(/[\w.-]+)*\.gguf$|^$",
        description="Name of the GGUF file in its repository, with its folder there; the first of "
        "its parts where it is split (`Q8_0/Model-Q8_0-00001-of-00003.gguf`). Left out where no "
        "source lists it.",
    )
    duplicates: tuple[Annotated[str, Field(pattern=r"^[\w.*/-]+$")], ...] = Field(
        default=(),
        description="Patterns of files in the repository that hold the same weights once more in "
        "another format (`original/*`). Downloads leave them out.",
    )
    publisher: PublisherWord | None = Field(
        default=None,
        description="Who made the files; `official` where the model's own organisation owns the "
        "repository, else `other`, when left out.",
    )
    downloads: int | None = Field(
        default=None,
        ge=0,
        description="Downloads of the repository as the Hub counted them when the source whose "
        "`fields` name `checkpoints` was read.",
    )
    gated: bool = Field(
        default=False, description="Downloading asks for an account that accepted the licence."
    )
    license: LicenceId | None = Field(
        default=None, description="Licence of the files, where it is not the model's."
    )
    file_bytes: int | None = Field(default=None, gt=0, description="Published size in bytes.")
    file_gb: float | None = Field(default=None, gt=0, description="Published size, decimal GB.")
    config_overrides: dict[str, JsonValue] = Field(
        default_factory=dict, description="Config keys that differ, e.g. a padded width."
    )
    kept: tuple[Text, ...] = Field(
        default=(), description="Tensor groups left at 16 bits beside the recipe's own."
    )
    kept_fp8: tuple[Text, ...] = Field(
        default=(),
        description="Tensor groups stored in FP8, 8 bits a weight, where the recipe stores them "
        "in fewer.",
    )
    prediction_layers: int = Field(
        default=0,
        ge=0,
        le=16,
        description="Prediction layers that a GGUF file holds beside the model's own layers. "
        "llama.cpp counts them among its layers and loads them only for speculative decoding.",
    )
    native: bool = Field(default=False, description="The format the model was released in.")
    evidence: EvidenceWord = Field(
        default="estimated", description="Source of its size: published file or recipe."
    )
    sources: tuple[SourceRecord, ...] = Field(default=(), description="Sources of its size.")


class ModelRecord(Renamable):
    """An open-weight model: `catalog/models/<id>.yaml`."""

    name: Text = Field(description="Name as people write it.")
    organization: Text = Field(description="Organization that released it.")
    repository: Text = Field(description="Hugging Face repository, `owner/name`.")
    license: LicenceId | None = Field(
        default=None, description="Licence of the weights, by its identifier."
    )
    released: IsoDate | None = Field(
        default=None,
        description="Day on which its repository was made on the Hugging Face Hub, up to some "
        "weeks before the announcement; the day of announcement where no listing dates the "
        "maker's own repository.",
    )
    announced: bool = Field(
        default=False, description="`released` is the day of announcement, not of the repository."
    )
    superseded_by: Slug | None = Field(
        default=None,
        description="Model that took its place; it keeps page and records and is not surveyed.",
    )
    base: bool = Field(
        default=False,
        description="Not tuned to follow instructions, so that it leads no answer.",
    )
    config: dict[str, JsonValue] = Field(description="Facts of its `config.json`, names kept.")
    context_tokens: int = Field(
        gt=0, description="Longest context that the model card promises, in tokens."
    )
    published_parameters: int | None = Field(
        default=None, gt=0, description="Exact published count, checked against the config."
    )
    vision_parameters: int = Field(default=0, ge=0, description="Vision tower and projector.")
    vision_classes: tuple[Text, ...] = Field(
        default=(),
        description="Classes with the vision tower, where `config` is that of the text part.",
    )
    mtp_parameters: int = Field(default=0, ge=0, description="Multi-token-prediction layers.")
    checkpoints: tuple[CheckpointRecord, ...] = Field(
        min_length=1, description="Files that can be downloaded or made."
    )
    notes: str = Field(default="", description="Note for readers.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of the facts.")


class CapabilitiesRecord(Record):
    """What a runtime can do."""

    tensor_parallel: bool = Field(description="Splits each layer over GPUs.")
    uneven_tensor_parallel: bool = Field(default=False, description="With unequal shares.")
    pipeline_parallel: bool = Field(description="Stages of layers, requests in flight in each.")
    layer_split: bool = Field(description="Layers over devices, one request at a time.")
    expert_parallel: bool = Field(default=False, description="Experts over GPUs.")
    data_parallel: bool = Field(default=False, description="Replicas behind one endpoint.")
    multi_node: bool = Field(description="One model over several machines.")
    mixed_gpus: bool = Field(description="Unequal GPUs in one replica, used by their size.")
    mixed_vendors: bool = Field(
        default=True, description="Where it mixes GPUs, also those of several makers."
    )
    cpu_offload: bool = Field(description="Layers or experts in system RAM.")
    any_tensor_width: bool = Field(
        default=False, description="Cuts a layer over any number of GPUs, whatever its heads."
    )
    whole_kv_heads: bool = Field(
        default=False,
        description="A tensor split gives each GPU KV heads of its own and never repeats one.",
    )
    decode_context_parallel: bool = Field(
        default=False, description="Tensor-parallel ranks share the tokens of one cache."
    )
    tensor_across_nodes: bool = Field(
        default=True, description="Cuts a layer over GPUs of several machines too."
    )
    tensor_vendors: tuple[VendorWord, ...] = Field(
        default=(), description="Makers of the GPUs that it cuts layers over; all when left out."
    )
    tensor_families: tuple[Text, ...] = Field(
        default=(), description="Model families whose layers it cuts; all by default."
    )
    stage_families: tuple[Text, ...] = Field(
        default=(),
        description="Model families whose layers it lays over several machines; all when left out.",
    )


class DefaultsByMemoryRecord(Record):
    """Scheduler defaults of GPUs with at least this much visible memory; first match wins."""

    min_visible_gib: float = Field(ge=0, description="Lower bound, in GiB.")
    excluded_gpus: tuple[Text, ...] = Field(
        default=(), description="GPU ids, or beginnings of them, that the row leaves out."
    )
    max_num_batched_tokens: int = Field(gt=0, description="Tokens per step.")
    max_num_seqs: int = Field(gt=0, description="Sequences per step.")
    graph_batch: int = Field(
        default=0, ge=0, description="Largest batch of decode graphs, where it is set apart."
    )
    graph_batch_wide: int = Field(
        default=0, ge=0, description="The same from four ranks of tensor parallelism on."
    )
    whole_prompt_tokens: int = Field(
        default=0, ge=0, description="Longest context whose prompts a step holds whole."
    )


class DefectRecord(Record):
    """A fault of the versions of a profile that its numbers do not show."""

    formats: tuple[FormatWord, ...] = Field(min_length=1, description="Formats that it hits.")
    vendors: tuple[VendorWord, ...] = Field(
        default=(), description="Vendors of the GPUs that it hits; all when left out."
    )
    families: tuple[Text, ...] = Field(
        default=(), description="Model families (`model_type`) that it affects; all by default."
    )
    text: Text = Field(description="The effect, in one sentence.")
    source: SourceRecord = Field(description="Source of the report.")


class ProfileRecord(Record):
    """The memory behaviour of a range of versions."""

    version: Version = Field(description="Version shown, quoted, e.g. `'0.19'`.")
    since: Version = Field(description="First version it holds for.")
    until: Version | None = Field(default=None, description="First version it no longer holds for.")
    like: Version | None = Field(
        default=None,
        description="Version of an earlier profile: what is left out here holds as it does there.",
    )
    budget_base: Literal["total", "reserve", "free"] | None = Field(
        default=None, description="Base of a share; `total` by default."
    )
    constants: dict[str, ConstantRecord] = Field(
        default_factory=dict, description="Numbers of the memory model."
    )
    defaults: tuple[DefaultsByMemoryRecord, ...] = Field(
        default=(), description="Scheduler defaults by GPU memory."
    )
    flags: dict[str, bool] = Field(
        default_factory=dict, description="Behaviours that are switches."
    )
    defects: tuple[DefectRecord, ...] = Field(
        default=(), description="Known faults of these versions; never taken over by `like`."
    )


class BackendRecord(Record):
    """A way to reach a GPU whose driver gives memory in limited pieces."""

    id: Slug = Field(description="Id within the runtime, e.g. `vulkan-radv`.")
    name: Text = Field(description="Interface and driver.")
    vendors: tuple[VendorWord, ...] = Field(
        min_length=1, description="Makers of the GPUs that the driver is for."
    )
    largest_allocation_gib: float = Field(gt=0, description="Largest single allocation, in GiB.")
    source: SourceRecord = Field(description="Source of the limit.")


class KnownModelsRecord(Record):
    """The models that a package has code for; `benchmarks.runtime_architectures` writes it."""

    version: Text = Field(description="Version that was read, as a sentence names it.")
    names: tuple[Text, ...] = Field(
        min_length=1,
        description="Classes of `architectures`, or `model_type` where the package goes by that.",
    )
    with_images: tuple[Text, ...] = Field(
        default=(), description="Classes, or types, whose images it reads too."
    )
    through_transformers: tuple[Text, ...] = Field(
        default=(), description="Classes that it runs in the code of Transformers."
    )
    refused_keys: tuple[Text, ...] = Field(
        default=(), description="Config keys that its code refuses where they are set."
    )
    dropped: dict[str, Version] = Field(
        default_factory=dict, description="Classes it had code for, with the last version that had."
    )
    source: SourceRecord = Field(description="Source of the names.")


class GpuOptionsRecord(Record):
    """What a server is told on some of NVIDIA's GPUs alone."""

    compute_capabilities: tuple[Version, ...] = Field(
        min_length=1, description="NVIDIA compute capabilities, quoted, of all GPUs of a plan."
    )
    options: tuple[Text, ...] = Field(min_length=1, description="Options, as typed.")
    source: SourceRecord = Field(description="Source of the options.")


class ChatOptionsRecord(Record):
    """What a server of some models is told beside the plan: parsers, a template, remote code."""

    models: tuple[Slug, ...] = Field(min_length=1, description="Model ids.")
    reasoning: str = Field(
        default="",
        description="Parser of what a model thinks, or the tokens around its thoughts where the "
        "server goes by those.",
    )
    tools: str = Field(default="", description="Parser of calls to tools.")
    template: str = Field(
        default="",
        pattern=r"^[\w.-]+\.jinja$|^$",
        description="Chat template for such calls, by its name among the runtime's examples.",
    )
    remote_code: bool = Field(
        default=False, description="The recipe lets Python code of the repository run."
    )
    options: tuple[Text, ...] = Field(default=(), description="Further options, as typed.")
    of_maker: tuple[Text, ...] = Field(
        default=(), description="Options for files of the model's own organisation alone."
    )
    on_gpus: tuple[GpuOptionsRecord, ...] = Field(
        default=(), description="Options for some GPUs alone."
    )
    source: SourceRecord = Field(description="Source of the values.")


class SpeculationRecord(Record):
    """Options with which a server guesses tokens ahead for some models, and what that brings."""

    models: tuple[Slug, ...] = Field(min_length=1, description="Model ids.")
    options: tuple[Text, ...] = Field(min_length=1, description="Options, as typed.")
    repositories: tuple[Text, ...] = Field(
        default=(),
        description="Repositories whose files hold what it takes; all when left out. The first is "
        "named where the recipe's own is none of them, with the type of the recipe's file or with "
        "one of its own behind a colon.",
    )
    draft: str = Field(
        default="", description="Repository of a draft model; left out where the model has layers."
    )
    excluded_vendors: tuple[VendorWord, ...] = Field(
        default=(), description="GPU vendors on which it brings nothing."
    )
    only_gpus: tuple[Text, ...] = Field(
        default=(),
        description="GPUs that it is about, by how their ids begin; all when left out. The first "
        "entry about a model and its GPUs counts.",
    )
    excluded_plans: tuple[Literal["offload", "tensor", "pipeline", "tensor-pipeline"], ...] = Field(
        default=(),
        description="Plans that it makes slower or that it does not work with: with a part in "
        "system RAM, with a split of each layer, or with a pipeline.",
    )
    gain_factor: IntervalRecord | None = Field(
        default=None, description="One user's speed with the options, over that without."
    )
    measured_by: str = Field(
        default="Owners", description="Who measured the gain, as the subject of a sentence."
    )
    many_users: str = Field(
        default="Do not use speculative decoding if many users send requests at once.",
        description="What it does for several users at once, as a sentence.",
    )
    extra_gib: IntervalRecord | None = Field(
        default=None, description="Memory beyond that of the plan, GiB on all GPUs together."
    )
    source: SourceRecord = Field(description="Source of the values.")


class EnvironmentRecord(Record):
    """Variables of the environment that a server needs, on GPUs of some architectures or all."""

    architectures: tuple[Text, ...] = Field(
        default=(),
        description="GPU architectures; every GPU of the plan is of one of them. All when left "
        "out.",
    )
    models: tuple[Slug, ...] = Field(default=(), description="Model ids; all when left out.")
    replicas_from_gb: int = Field(
        default=0,
        ge=0,
        description="Only for a server that loads several copies of a model of this size, GB. Any "
        "server when left out.",
    )
    variables: dict[str, str] = Field(
        min_length=1,
        description="Values by variable. Where entries differ, the later one holds.",
    )
    note: Text = Field(description="What the variables do, in sentences for readers.")
    source: SourceRecord = Field(description="Source of the values.")


class ReplicasRecord(Record):
    """How one command serves several replicas of a model on one machine, behind one address."""

    option: str = Field(
        pattern=r"^--[a-z][a-z-]*$", description="Option that takes how many replicas there are."
    )
    experts_stay_whole: bool = Field(
        description="Each replica of a mixture of experts holds all; where not, replicas "
        "share them, and are none of this plan's."
    )
    source: SourceRecord = Field(description="Source of the statement.")


class FormatLimitRecord(Record):
    """The GPUs on which a runtime runs a format, in the place of what the quantization says."""

    formats: tuple[FormatWord, ...] = Field(min_length=1, description="Formats it is about.")
    quantizations: tuple[Slug, ...] = Field(
        default=(), description="Quantizations of these formats it is about; all when left out."
    )
    experts: bool = Field(default=False, description="It is about mixtures of experts alone.")
    minimum_compute_capability: Version | None = Field(
        default=None, description="Lowest NVIDIA compute capability, quoted; the runtime's own."
    )
    maximum_compute_capability: Version | None = Field(
        default=None, description="Highest NVIDIA compute capability, quoted; none when left out."
    )
    other_architectures: tuple[Text, ...] | None = Field(
        default=None,
        description="GPU architectures beside NVIDIA; all that the runtime runs on when left out.",
    )
    note: str = Field(default="", description="How it runs there: natively, or as weights only.")
    source: SourceRecord = Field(description="Source of the statement.")


class ModelLimitRecord(Record):
    """The GPUs on which a runtime runs models of some families, whatever their format."""

    families: tuple[Text, ...] = Field(
        min_length=1, description="Model families (`model_type` of the text model or the whole)."
    )
    minimum_compute_capability: Version | None = Field(
        default=None, description="Lowest NVIDIA compute capability, quoted; the runtime's own."
    )
    other_architectures: tuple[Text, ...] | None = Field(
        default=None,
        description="GPU architectures beside NVIDIA; all that the runtime runs on when left out.",
    )
    source: SourceRecord = Field(description="Source of the statement.")


class CacheSharingRecord(Record):
    """Where ranks can share the tokens of the cache of some families: decode context parallel."""

    families: tuple[Text, ...] = Field(min_length=1, description="Model families (`model_type`).")
    compute_capabilities: tuple[Version, ...] = Field(
        default=(), description="NVIDIA compute capabilities, quoted, on which any cache does."
    )
    quantized_cache_only: tuple[Version, ...] = Field(
        default=(), description="Those on which the cache has to be quantized."
    )
    most_heads: int | None = Field(
        default=None,
        ge=1,
        le=1_024,
        description="Most attention heads of all ranks that share a quantized cache.",
    )
    source: SourceRecord = Field(description="Source of the statement.")


class CacheDefaultRecord(Record):
    """The type of cache that some families have on some GPUs where nobody names one.

    The program takes it by itself, or its makers' recipe for the models names it.
    """

    families: tuple[Text, ...] = Field(min_length=1, description="Model families (`model_type`).")
    models: tuple[Slug, ...] = Field(
        default=(), description="Model ids of these families; all when left out."
    )
    excluded_gpus: tuple[Text, ...] = Field(
        default=(), description="GPUs that it is not about, by how their ids begin."
    )
    compute_capabilities: tuple[Version, ...] = Field(
        min_length=1, description="NVIDIA compute capabilities, quoted, on which it does."
    )
    kv_dtype: Literal["fp8"] = Field(description="The type of the cache.")
    source: SourceRecord = Field(description="Source of the statement.")


class TraitsRecord(Record):
    """What the program does, where runtimes of the same formulas differ."""

    cache_types: tuple[CacheTypeWord, ...] | None = Field(
        default=None,
        description="Types of KV cache that it offers; those of its memory model when left out.",
    )
    value_types_apart: bool = Field(
        default=False, description="Keys may be cached in one type and values in another."
    )
    speed_family: Literal["exllama", "layer-split", "mlx", "paged"] | None = Field(
        default=None,
        description="Runtime whose speed constants it shares; by default that of its memory model.",
    )
    speed_reference: bool = Field(
        default=False, description="Its family's constants are its own; others have factors."
    )
    default_port: int = Field(
        default=0, ge=0, le=65_535, description="Port that its server takes unasked."
    )
    logs_keys_and_values: bool = Field(
        default=False, description="Logs the sizes of keys and of values apart, each rounded."
    )
    one_gpu_where_it_fits: bool = Field(
        default=False, description="A model that fits one GPU is put on one, whatever others there."
    )
    llama_cpp_builds: bool = Field(
        default=False, description="Its versions are build numbers of llama.cpp, which date a run."
    )
    present_engine_since: Version | None = Field(
        default=None,
        description="First version with the engine of today; earlier runs count as before 2025.",
    )
    experimental_cut: bool = Field(
        default=False, description="Its makers call the mode that cuts each layer experimental."
    )
    micro_batch_option: bool = Field(
        default=False,
        description="Its server can be told how many tokens of a prompt a step reads.",
    )
    copied_expert_tokens: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description=(
            "Tokens of a step that each expert in system RAM needs on average before the runtime "
            "copies experts to the GPU; with fewer, the processor computes them. 0: it always "
            "copies."
        ),
    )
    unmapped_option: str = Field(
        default="",
        max_length=80,
        description=(
            "Option that reads a file into memory that a GPU copies from directly, where the "
            "runtime maps files otherwise (`--load-mode none`)."
        ),
    )
    loads_consolidated: bool = Field(
        default=False,
        description="Where a repository has the weights twice, as Mistral's own "
        "`consolidated*.safetensors` and as `model*.safetensors`, it loads the former.",
    )
    sources: tuple[SourceRecord, ...] = Field(
        default=(), description="Sources, with the keys that each supports."
    )


class RuntimeRecord(Renamable):
    """A serving engine or orchestrator: `catalog/runtimes/<id>.yaml`."""

    name: Text = Field(description="Name as its makers write it.")
    summary: Text = Field(description="One sentence: what it is for.")
    vendors: tuple[VendorWord, ...] = Field(min_length=1, description="GPU vendors it runs on.")
    formats: tuple[FormatWord, ...] = Field(min_length=1, description="Formats that it can load.")
    families: tuple[Text, ...] = Field(
        default=(), description="Model families (`model_type`) it runs; all when left out."
    )
    known_models: KnownModelsRecord | None = Field(
        default=None, description="Models it has code for, read in its package."
    )
    format_limits: tuple[FormatLimitRecord, ...] = Field(
        default=(), description="GPUs on which it runs a format; the first match holds."
    )
    model_limits: tuple[ModelLimitRecord, ...] = Field(
        default=(), description="GPUs on which it runs a family; the first match holds."
    )
    cache_sharing: tuple[CacheSharingRecord, ...] = Field(
        default=(),
        description="GPUs on which ranks share the cache of a family; all others where none match.",
    )
    cache_defaults: tuple[CacheDefaultRecord, ...] = Field(
        default=(),
        description="Types of cache where nobody names one; the first match holds.",
    )
    chat_options: tuple[ChatOptionsRecord, ...] = Field(
        default=(), description="Parsers and templates by model; the first match holds."
    )
    speculation: tuple[SpeculationRecord, ...] = Field(
        default=(), description="Speculative decoding by model; the first match holds."
    )
    environment: tuple[EnvironmentRecord, ...] = Field(
        default=(), description="Variables that its server needs on some GPUs; all matches hold."
    )
    replicas: ReplicasRecord | None = Field(
        default=None,
        description="How it serves several replicas on one machine; left out where each replica is "
        "a server of its own.",
    )
    memory_model: Literal["paged", "layer-split", "eager-split", "unprofiled", "orchestrator"] = (
        Field(description="Which formulas hold; `unprofiled` is listed but not assessed.")
    )
    minimum_compute_capability: Version | None = Field(
        default=None, description="Oldest NVIDIA generation it runs on, quoted."
    )
    other_architectures: tuple[Text, ...] | None = Field(
        default=None,
        description="GPU architectures beside NVIDIA that it runs on; all when left out.",
    )
    capabilities: CapabilitiesRecord = Field(description="Its capabilities.")
    traits: TraitsRecord = Field(
        default=TraitsRecord(), description="Differences from runtimes with the same formulas."
    )
    drives: tuple[Slug, ...] = Field(default=(), description="Runtimes that an orchestrator runs.")
    profiles: tuple[ProfileRecord, ...] = Field(default=(), description="Oldest first.")
    assessed_version: Version | None = Field(
        default=None, description="Profile version that the survey uses, quoted."
    )
    backends: tuple[BackendRecord, ...] = Field(
        default=(), description="Backends whose drivers limit a single allocation."
    )
    surveyed_in_full: bool = Field(
        default=True,
        description="False: the survey judges each model's smallest production checkpoint only.",
    )
    traps: tuple[Text, ...] = Field(default=(), description="Behaviour that surprises people.")
    license: Text = Field(default="not recorded", description="Its licence.")
    url: str = Field(default="", description="Home page or repository.")
    notes: str = Field(default="", description="Note for readers.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of the facts.")


class AssumptionRecord(ConstantRecord):
    """A constant that belongs to no runtime: `catalog/assumptions/<id>.yaml`."""

    title: Text = Field(description="Meaning of the number, in a few words.")
