"""One sentence per reason and per cure; arguments become quantities and links, never text.

An argument's unit is its name's: ``…_bytes`` is memory, ``…_tokens`` a context, ``share`` a ratio,
``gpu``, ``runtime``, ``link`` and ``checkpoint`` are ids of the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Cure
from sitegen.physics.plan import Reason
from sitegen.site.cells import Cell, Link, NumberCell, Parts, Unit
from sitegen.site.urls import url_of
from sitegen.site.words.families import FAMILY_NAMES
from sitegen.site.words.hardware import VENDOR_NAMES

Arguments = Mapping[str, int | float | str]

REASONS: Mapping[str, str] = {
    "WEIGHTS_EXCEED": (
        "The weights alone need {weights_bytes} on the fullest GPU, but only {budget_bytes} is "
        "usable."
    ),
    "DOES_NOT_FIT": (
        "At {context_tokens}, the fullest GPU needs {need_bytes}, but only {budget_bytes} is "
        "usable."
    ),
    "HEADROOM": (
        "The model may use {utilization} of the fullest GPU's usable memory, which leaves little "
        "headroom."
    ),
    "KV_BELOW_CONTEXT": "At most {max_context_tokens} of context fit, not {context_tokens}.",
    "KV_BELOW_SEQUENCES": (
        "A replica has room for {held} contexts of {context_tokens}, not {sequences}."
    ),
    "UNCERTAIN": ("The estimate ranges from {low} to {high} of the fullest GPU's usable memory."),
    "CPU_SPILL": "{cpu_layers} layers ({cpu_bytes}) stay in system RAM.",
    "EXPERTS_IN_RAM": "The experts of {layers} layers ({cpu_bytes}) stay in system RAM.",
    "OS_LIMIT": (
        "The model needs more than {default_bytes}, the operating system's limit for the GPU. That "
        "limit can be raised to {needed_bytes}."
    ),
    "LOAD_SPIKE": (
        "Loading needs another {spike_bytes}, because the file cache and the GPU share the same "
        "memory."
    ),
    "LINK_DECODE": "{link} takes {share} of the time per token.",
    "LINK_PREFILL": "{link} alone adds {seconds} before the first token of a long prompt.",
    "STATE_BLOCKS": (
        "The server starts only with max_num_seqs at {most} or less, not at the default of "
        "{asked}: each sequence needs a block of recurrent state."
    ),
    "START_ROOM": (
        "The runtime reserves so much memory that the rest may be {excess_bytes} too small at "
        "startup."
    ),
    "ALLOCATION_LIMIT": (
        "The driver allocates at most {limit_bytes} in one piece, but the model needs a piece of "
        "{need_bytes}."
    ),
    "KNOWN_DEFECT": "A known defect of {runtime}: {text}.",
    "SPEED_FLOOR": "Decoding reaches at most {tokens_per_s}, which is below {floor}.",
    "NO_VALID_PLAN": "No runtime here can spread this model over these GPUs.",
    "TP_HEADS": "{heads} attention heads are not divisible by {tp}.",
    "TP_KV_HEADS": (
        "{tp} ranks cannot share {kv_heads} KV heads evenly: neither number divides the other."
    ),
    "TP_WHOLE_KV_HEADS": (
        "{runtime} splits {kv_heads} KV heads only over a number of GPUs that divides them, and "
        "{tp} does not."
    ),
    "TP_FFN": "A feed-forward width of {size} is not divisible by {tp}.",
    "TP_GROUP": (
        "Splitting a width of {size} over {tp} ranks cuts through a quantization group of {group}."
    ),
    "TP_FP8_BLOCK": (
        "Splitting a width of {size} over {tp} ranks cuts through an FP8 block of {block}."
    ),
    "TP_STATE": "{heads} heads of the recurrent state are not divisible by {tp}.",
    "PP_TOO_FEW_LAYERS": "{layers} layers cannot fill {pp} stages.",
    "TP_UNSUPPORTED": "{runtime} does not support tensor parallelism with equal shares.",
    "PP_UNSUPPORTED": "{runtime} does not support pipeline parallelism.",
    "WORLD": "The plan needs {needed} GPUs, but there are {available}.",
    "TP_NOT_HERE": (
        "{runtime} cannot split layers of this family, or cannot do so on GPUs from this maker."
    ),
    "TP_ACROSS_NODES": "Tensor parallelism would send data over {link} twice in every layer.",
    "MIXED_GPUS_TP_MIN": (
        "Equal shares limit every GPU to the memory of the smallest, the {smallest}; the largest "
        "is the {largest}."
    ),
    "MIXED_GPUS_UNSUPPORTED": "{runtime} does not spread one replica over different kinds of GPU.",
    "MULTI_NODE_UNSUPPORTED": "{runtime} does not spread one replica over several nodes.",
    "QUANT_UNSUPPORTED_ON_GPU": (
        "{runtime} needs {needs} for {quantization}, but the GPU has {has}."
    ),
    "EXPERTS_UNSUPPORTED_ON_GPU": (
        "{runtime} needs {needs} for experts in {quantization}, but the GPU has {has}."
    ),
    "MODEL_UNSUPPORTED_ON_GPU": (
        "{runtime} needs {needs} for {family} models, but the GPU has {has}."
    ),
    "GPU_UNSUPPORTED": "{runtime} does not run on the {gpu}.",
    "FORMAT_UNSUPPORTED": "{runtime} does not load {format} files.",
    "VENDOR_UNSUPPORTED": "{runtime} does not run on {vendor} GPUs.",
    "UNSUPPORTED_ARCHITECTURE": "{runtime} {version} does not support {family} models.",
    "EP_UNSUPPORTED": (
        "The model has no experts to distribute, or {runtime} cannot distribute them."
    ),
    "DP_UNSUPPORTED": (
        "Data-parallel attention needs a mixture-of-experts model and support in {runtime}."
    ),
    "DP_SIZE": "{dp} data-parallel ranks cannot share {gpus} GPUs equally.",
    "DCP_SIZE": (
        "{dcp} ranks can share the tokens of the cache only if {dcp} divides the tensor parallel "
        "size {tp} and is at most {repeated}, the number of copies of the cache."
    ),
    "DCP_UNSUPPORTED": "{runtime} cannot let ranks share the tokens of a cache.",
    "DCP_KINDS": (
        "{runtime} cannot let ranks share the tokens of this cache, because some layers use a "
        "sliding window, compressed keys or a recurrent state."
    ),
    "DCP_GPU": (
        "{runtime} cannot let ranks share the tokens of the cache of {family} models on the {gpu}."
    ),
    "DCP_CACHE": (
        "On the {gpu}, {runtime} lets ranks share the tokens of the cache of {family} models only "
        "if the cache is in FP8."
    ),
    "DCP_HEADS": (
        "{dcp} ranks that share the cache have {heads} attention heads together. For {family} "
        "models, {runtime} allows {most} on this GPU."
    ),
    "NO_PREDICTION_LAYERS": "The catalog records no multi-token prediction layers for this model.",
    "CONTEXT_BEYOND_MODEL": "The model supports {model_context}, not {context_tokens}.",
    "NO_PRODUCTION_CHECKPOINT": "The catalog has no checkpoint with at least 4 bits per weight.",
}

FOR_SEVERAL: Mapping[str, str] = {
    "KV_BELOW_CONTEXT": (
        "A single user can have {max_context_tokens}; you asked for {sequences} users with "
        "{context_tokens} each."
    ),
}
"""What takes the place of a reason's sentence where several users were asked for."""

NO_ROOM = "No context length is certain to fit; you asked for {context_tokens}."
"""What takes its place where not even the shortest context is sure to fit."""

BUSIEST = "the fullest GPU"
"""How a reason names the GPU that decides among several."""

ONLY = "the GPU"
"""How it names the only one."""

CURES: Mapping[str, str] = {
    "SMALLER_CHECKPOINT": "use the {checkpoint} file",
    "OTHER_FILE": "use the {checkpoint} file (loses {points}) with {runtime}",
    "SHORTER_CONTEXT": "limit the context to {context_tokens}",
    "QUANTIZE_KV": "store the KV cache in {kv_dtype}, which may reduce quality",
    "ENFORCE_EAGER": "run without CUDA graphs (eager mode)",
    "RAISE_MEMORY_FRACTION": "let the runtime use {fraction} of GPU memory",
    "LOWER_MAX_NUM_SEQS": "start it with max_num_seqs set to {max_num_seqs}",
    "LOWER_MEMORY_FRACTION": "let the runtime use only {fraction} of GPU memory",
    "RAISE_OS_LIMIT": "let the GPU use {bytes} (run sudo sysctl iogpu.wired_limit_mb={mib})",
    "TEXT_ONLY": "start it without images, which frees the memory reserved for the largest image",
    "MORE_GPUS": "use {count} × {gpu}",
    "MORE_MEMORY": "use the {gpu} with {bytes}",
    "MORE_NODES": "connect {count} machines, each with {each} × {gpu}, through {link}",
    "EXPERTS_TO_RAM": (
        "run it in {runtime} on a computer with {bytes} of RAM, which holds some of the experts "
        "(about {tokens_per_s})"
    ),
}

WITH_ONE_GPU: Mapping[str, str] = {
    "MORE_NODES": "connect {count} machines, each with one {gpu}, through {link}",
}
"""What takes the place of a cure's sentence where each machine has one GPU."""

ON_LINUX: Mapping[str, str] = {
    "RAISE_OS_LIMIT": (
        "let the GPU use {bytes} (on Linux, set the kernel parameter ttm.pages_limit={pages})"
    ),
}
"""What takes the place of a cure's sentence where Linux and not macOS sets the limit."""

_HOLE = re.compile(r"\{(\w+)\}")


def _unit(name: str) -> Unit:
    if name.endswith("bytes"):
        return Unit.GIB
    if name.endswith("_tokens") or name == "model_context":
        return Unit.TOKENS
    if name in {"share", "utilization", "low", "high", "fraction"}:
        return Unit.PERCENT
    if name in {"tokens_per_s", "floor"}:
        return Unit.TOKENS_PER_S
    if name == "points":
        return Unit.POINTS
    return Unit.SECONDS if name == "seconds" else Unit.PLAIN


@cache
def _pieces(template: str) -> tuple[str, ...]:
    """Alternate text and argument names, beginning with text."""
    return tuple(_HOLE.split(template))


def _named(catalog: Catalog, name: str, value: str) -> Cell:
    """Turn an id into the link or name it stands for."""
    if name in {"gpu", "smallest", "largest"} and value in catalog.gpus:
        return Link(url_of("gpu", value), catalog.gpus[value].name)
    if name == "runtime" and value in catalog.runtimes:
        return Link(url_of("runtime", value), catalog.runtimes[value].name)
    if name == "link" and value in catalog.interconnects:
        return catalog.interconnects[value].name
    if name in {"checkpoint", "quantization"} and value in catalog.quantizations:
        return catalog.quantizations[value].name
    if name == "family":
        return FAMILY_NAMES.get(value, value)
    return VENDOR_NAMES.get(value, value) if name == "vendor" else str(value)


def _sentence(
    template: str, arguments: Arguments, named: Callable[[str, str], Cell]
) -> tuple[Cell, ...]:
    parts: list[Cell] = []
    for index, piece in enumerate(_pieces(template)):
        if index % 2 == 0:
            if piece:
                parts.append(piece)
            continue
        value = arguments[piece]
        parts.append(
            named(piece, value) if isinstance(value, str) else NumberCell(value, _unit(piece))
        )
    return tuple(parts)


def reason_sentence(
    reason: Reason, catalog: Catalog, sequences: int = 1, *, gpus: int = 2
) -> Parts:
    """Say why a verdict for so many users of a replica is not better on a machine's GPUs.

    Raises:
        KeyError: For a code without a sentence, or a sentence without its argument.
    """
    template, arguments = REASONS[reason.code], reason.arguments
    if arguments.get("max_context_tokens") == 0:
        template = NO_ROOM
    elif sequences > 1 and reason.code in FOR_SEVERAL:
        template = FOR_SEVERAL[reason.code]
        arguments = {**arguments, "sequences": sequences}
    runtime = catalog.runtimes.get(str(arguments.get("runtime", "")))
    if runtime is not None and "version" in arguments:
        arguments = {**arguments, "version": runtime.release(str(arguments["version"]))}
    has = str(arguments.get("has", ""))
    if has and not has[:1].isdigit():
        arguments = {**arguments, "has": f"the {has} architecture"}
    if gpus == 1:
        template = template.replace(BUSIEST, ONLY)
    return Parts(_sentence(template, arguments, lambda name, id_: _named(catalog, name, id_)))


def cure_sentence(cure: Cure, catalog: Catalog) -> Parts:
    """Say what would help, without a full stop; the tier it gives is the caller's to add.

    Raises:
        KeyError: For a code without a sentence, or a sentence without its argument.
    """
    template = CURES[cure.code]
    if cure.arguments.get("each") == 1:
        template = WITH_ONE_GPU.get(cure.code, template)
    if "pages" in cure.arguments:
        template = ON_LINUX.get(cure.code, template)
    return Parts(_sentence(template, cure.arguments, lambda name, id_: _named(catalog, name, id_)))
