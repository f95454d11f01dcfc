"""The options of ``fit`` and ``explain``: a fit tuple as it is typed, in the engine's words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from sitegen.catalog.domain.models import MemoryModel, Runtime, RuntimeProfile
from sitegen.cli.questions.choose import usage_error
from sitegen.fit.assessment import PlanGoal
from sitegen.physics.cache_types import GGML_WORDS, SPELLINGS, joined, of_keys_and_values, quantized
from sitegen.values import dataclass

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class FitOptions:
    """The options as typed; ``None`` and empty mean not given."""

    targets: tuple[str, ...] = ()
    config: Path | None = None
    quantization: str = ""
    gpu: tuple[str, ...] = ()
    nodes: int = 1
    link: str = ""
    node_link: str = ""
    unified_memory_gib: int | None = None
    ram_gib: int | None = None
    runtime: str = ""
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    context: int | None = None
    sequences: int = 1
    kv_dtype: str = "auto"
    cache_type_k: str | None = None
    cache_type_v: str | None = None
    flash_attention: str | None = None
    gpu_memory_utilization: float | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    enforce_eager: bool = False
    expert_parallel: bool = False
    data_parallel: int | None = None
    decode_context_parallel: int | None = None
    prediction_layers: bool = False
    draft_gib: float | None = None
    text_only: bool = False
    images: bool = False
    backend: str = ""
    ubatch: int | None = None
    goal: str | None = None
    best: str = ""
    users: int | None = None


class Finite(click.FloatRange):
    """A range that excludes NaN, because every comparison with NaN is false."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Refuse ``nan`` in the words of the range."""
        number = click.FloatRange.convert(self, value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return float(number)


UNITS = {"": 1, "k": 1_024, "m": 1_048_576}
"""Tokens by the letter behind a number."""
MOST = 10**9
"""More tokens, users or GPUs than anybody means; beyond, numbers are no longer exact."""


class Positive(click.IntRange):
    """A whole number from 1 to a bound that help does not have to mention."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Refuse what nobody means, in a few words."""
        number: int = super().convert(value, param, ctx)
        if number > MOST:
            self.fail(f"it is not in the range 1 to {MOST:,}.", param, ctx)
        return number


class Tokens(Positive):
    """A number of tokens, also in units of 1,024 as the names of contexts have them: ``32k``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a number with or without its unit, or say how to write it."""
        found = re.fullmatch(r"(-?[0-9]+)(k|m)?", str(value).strip().lower())
        if found is None:
            self.fail(f"{value!r} is not a number of tokens: write 32768 or 32k.", param, ctx)
        return super().convert(str(int(found[1]) * UNITS[found[2] or ""]), param, ctx)


_POSITIVE = Positive()
_OPTIONS = (
    click.argument("targets", nargs=-1, metavar="[MODEL] [COMBO]"),
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="config.json instead of MODEL; - reads stdin.",
    ),
    click.option(
        "--quantization",
        default="",
        metavar="ID",
        help="Checkpoint. Default: the best one.",
    ),
    click.option(
        "--runtime",
        default="",
        metavar="ID[@VERSION]",
        help="For example vllm@0.19. Default: the best one.",
    ),
    click.option(
        "--gpu",
        multiple=True,
        metavar="ID[:COUNT]",
        help="GPUs of a node instead of COMBO; repeat for a mixed node. `here` means this machine.",
    ),
    click.option(
        "--nodes",
        type=click.IntRange(1, 128),
        default=1,
        help="Number of identical nodes (with --gpu).",
    ),
    click.option("--link", default="", metavar="ID", help="Interconnect between the nodes."),
    click.option("--node-link", default="", metavar="ID", help="Interconnect inside a node."),
    click.option(
        "--unified-memory-gib",
        metavar="N",
        type=_POSITIVE,
        help="Memory of a GPU with unified memory.",
    ),
    click.option("--ram-gib", type=_POSITIVE, help="System RAM of each node."),
    click.option("--tensor-parallel", metavar="N", type=_POSITIVE, help="Tensor parallel size."),
    click.option(
        "--pipeline-parallel", metavar="N", type=_POSITIVE, help="Pipeline parallel size."
    ),
    click.option(
        "--context",
        metavar="TOKENS",
        type=Tokens(),
        help="Tokens per sequence; 32k is 32768. Default: as on the pages, or the runtime's.",
    ),
    click.option(
        "--sequences",
        type=_POSITIVE,
        default=1,
        show_default=True,
        help="Users of each replica.",
    ),
    click.option("--users", type=_POSITIVE, help="Users of all replicas together."),
    click.option(
        "--kv-dtype",
        metavar="TYPE",
        type=click.Choice(list(SPELLINGS)),
        default="auto",
        show_default=True,
        help="Type of the KV cache, e.g. fp8 or q8_0.",
    ),
    click.option(
        "--cache-type-k",
        metavar="TYPE",
        type=click.Choice(list(GGML_WORDS)),
        help="Type of cached keys (llama.cpp).",
    ),
    click.option(
        "--cache-type-v",
        metavar="TYPE",
        type=click.Choice(list(GGML_WORDS)),
        help="Type of cached values (llama.cpp).",
    ),
    click.option(
        "--flash-attention",
        type=click.Choice(["on", "off"]),
        help="Fused attention (llama.cpp).",
    ),
    click.option("--gpu-memory-utilization", metavar="SHARE", type=Finite(0.01, 1)),
    click.option("--max-num-seqs", type=_POSITIVE),
    click.option("--max-num-batched-tokens", metavar="N", type=_POSITIVE),
    click.option("--enforce-eager", is_flag=True, help="No CUDA graphs."),
    click.option("--expert-parallel", is_flag=True, help="Whole experts on each rank."),
    click.option(
        "--data-parallel",
        metavar="N",
        type=_POSITIVE,
        help="Copies of the attention in a replica.",
    ),
    click.option(
        "--decode-context-parallel",
        metavar="N",
        type=_POSITIVE,
        help="Ranks that share one cache's tokens.",
    ),
    click.option(
        "--prediction-layers", is_flag=True, help="Load the model's own prediction layers."
    ),
    click.option(
        "--draft-gib",
        metavar="N",
        type=Finite(0, 1024, min_open=True),
        help="Draft model, on each GPU.",
    ),
    click.option("--text-only", is_flag=True, help="No images: do not profile the encoder."),
    click.option("--images", is_flag=True, help="Load the image encoder too."),
    click.option(
        "--backend", default="", metavar="ID", help="Driver limit of a backend: vulkan-radv, …"
    ),
    click.option("--ubatch", type=_POSITIVE, help="Micro-batch in tokens (llama.cpp)."),
    click.option(
        "--goal",
        metavar="GOAL",
        type=click.Choice([goal.value for goal in PlanGoal]),
        help="Goal: latency, throughput or largest-model.",
    ),
)


def fit_options(command: F) -> F:
    """Add the options to a command, in the order a reader meets them in ``--help``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def typed(options: FitOptions) -> Iterator[str]:
    """List the words of the options that differ from the defaults, as they are typed."""
    yield from options.targets
    for field in fields(FitOptions):
        value = getattr(options, field.name)
        if field.name == "targets" or value == field.default:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            yield f"--{field.name.replace('_', '-')}"
            if one is not True:
                yield f"{one}"


Runtimes = tuple[tuple[Runtime, RuntimeProfile], ...]


def names_llama_cpp(options: FitOptions) -> bool:
    """Whether an option was given that only llama.cpp and its kin have."""
    return bool(options.flash_attention or options.cache_type_k or options.cache_type_v)


def cache_type_from(options: FitOptions) -> str:
    """Return the type of the cache, of keys and values apart where they are given so.

    Raises:
        click.UsageError: If both are given together and apart.
    """
    keys, values = options.cache_type_k, options.cache_type_v
    if not keys and not values:
        return SPELLINGS[options.kv_dtype]
    if options.kv_dtype != "auto":
        raise usage_error("--kv-dtype", "give it, or --cache-type-k and --cache-type-v, not both")
    return joined(SPELLINGS[keys or "f16"], SPELLINGS[values or "f16"])


def fusing(options: FitOptions, runtimes: Runtimes) -> Runtimes:
    """Keep the runtimes whose attention can be fused or not, where that is asked for.

    Raises:
        click.UsageError: If none of them can, or the type of the values needs it fused.
    """
    if not options.flash_attention:
        return runtimes
    choosing = tuple(pair for pair in runtimes if pair[0].memory_model is MemoryModel.LAYER_SPLIT)
    if not choosing:
        names = " and ".join(runtime.name for runtime, _ in runtimes)
        raise usage_error(
            "--flash-attention", f"{names} does not offer this choice; llama.cpp does"
        )
    values = of_keys_and_values(cache_type_from(options))[1]
    if options.flash_attention == "off" and quantized(values):
        raise usage_error(
            "--flash-attention", f"values in {values} need flash attention: leave it on"
        )
    return choosing
