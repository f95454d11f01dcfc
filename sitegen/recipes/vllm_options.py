"""The options of ``vllm serve`` that every form of running vLLM shares."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Vendor
from sitegen.physics.cache_types import HEAD_SCALE_BYTES
from sitegen.recipes.chat import chat_options
from sitegen.recipes.environment import NEW_ENVIRONMENT
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import Option, quoted
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ, VLLM_PLUGINS

KV_DTYPES = {word: word for word in ("fp8", *HEAD_SCALE_BYTES)}
"""Cache types that have to be named; one as wide as the computation is the default."""
IMAGES = {
    Vendor.NVIDIA: f"vllm/vllm-openai:v{READ['vllm']}",
    Vendor.AMD: f"vllm/vllm-openai-rocm:v{READ['vllm']}",
    Vendor.INTEL: "vllm/vllm-openai-xpu:latest",
}
"""Container images, by vendor.

Source:
    vLLM, ``docs/getting_started/installation/gpu.xpu.inc.md`` (read 2026-11-29): the image for
    Intel's GPUs exists from 0.26.0 on, and ``latest`` is a release.
"""
XPU_NOTE = (
    "Intel's GPU driver must be installed. The wheels for Intel GPUs are built from the newest "
    "code, not from a release. If the version does not end in xpu, uv chose the wheel for CUDA: "
    "use the container image instead."
)
"""What the command of vLLM's makers may fetch, and how to tell.

Source:
    vLLM, ``setup.py`` (``get_vllm_version``) and issue 42338: with ``unsafe-best-match``, a release
    on PyPI comes before an older build of another index (read 2026-11-29).
"""
LOGGED_DEVICES = {Vendor.INTEL: "XPU"}
"""Words of the log for what has the cache, by vendor; "GPU" with the others.

Source:
    vLLM 0.33.0, ``v1/core/kv_cache_utils.py``, ``_kv_cache_device_name`` (read 2026-11-27): the
    type of the device in capitals, and "GPU" for "cuda", which is the type of AMD's GPUs too.
"""

KERNELS_SINCE = (8, 0)
"""Compute capability from which vLLM draws tokens with FlashInfer."""
KERNELS_ABOVE = 16
"""Multiprocessors that a GPU must have more of for this."""
KERNELS_NOTE = "With the downloaded kernels, vLLM needs no CUDA toolkit."


def plugin(target: Target) -> str:
    """Return the package that loads the format of the weights, quoted; nothing where vLLM does."""
    package = VLLM_PLUGINS.get(target.assessment.checkpoint.quantization.format)
    return f" '{package}'" if package else ""


def image_of(target: Target) -> str:
    """Return the container image that loads the weights, or nothing without one."""
    return "" if plugin(target) else IMAGES.get(target.vendors[0], "")


def plan_options(target: Target) -> list[Option]:
    """Sizes of the plan, the context, the share of memory: what makes it the plan assessed."""
    plan, asked = target.plan, target.assessment.settings
    options: list[Option] = [("--tensor-parallel-size", str(plan.tensor_parallel_size))]
    if plan.pipeline_parallel_size > 1:
        options.append(("--pipeline-parallel-size", str(plan.pipeline_parallel_size)))
    if asked.attention_copies > 1:
        options.append(("--data-parallel-size", str(asked.attention_copies)))
    if asked.expert_parallel:
        options.append(("--enable-expert-parallel",))
    if (asked.decode_context_parallel_size or 1) > 1:
        size = str(asked.decode_context_parallel_size)
        options.append(("--decode-context-parallel-size", size))
    options.append(("--max-model-len", str(target.context_tokens)))
    if target.memory_fraction is not None:
        options.append(("--gpu-memory-utilization", f"{target.memory_fraction:g}"))
    if target.max_num_seqs is not None:
        options.append(("--max-num-seqs", str(target.max_num_seqs)))
    if asked.max_num_batched_tokens is not None:
        options.append(("--max-num-batched-tokens", str(asked.max_num_batched_tokens)))
    if target.widened:
        options.append(("--dtype", "float32"))
    if cache_dtype(target):
        options.append(("--kv-cache-dtype", cache_dtype(target)))
    if asked.enforce_eager:
        options.append(("--enforce-eager",))
    if asked.text_only:
        options.append(("--limit-mm-per-prompt", """'{"image": 0, "video": 0}'"""))
    return options


def cache_dtype(target: Target) -> str:
    """Return the type of the cache to name: the one asked for, or else nothing.

    NVIDIA's files in NVFP4 ask for a cache in FP8, which vLLM follows unless a type is named. We
    count 16 bits, and vLLM has no such cache on GPUs before compute capability 8.9. Models with
    sparse attention keep the layout that vLLM chooses for their kernel.

    Source:
        vLLM 0.33.0, ``utils/torch_utils.py``, ``resolve_kv_cache_dtype_string``; NVIDIA's
        ``hf_quant_config.json`` of 13 models (``kv_cache_quant_algo``), read 2026-11-28.
    """
    found = target.assessment
    asked = KV_DTYPES.get(found.workload.kv_dtype, "")
    exported = found.checkpoint.quantization.format == "nvfp4"
    exported = exported and found.checkpoint.repository.startswith("nvidia/")
    sparse = "index_head_dim" in found.model.config
    return asked or ("bfloat16" if exported and not sparse else "")


def cache_choice(target: Target) -> str:
    """Say what the named type of the cache is instead of; empty where none has to be named."""
    if cache_dtype(target) != "bfloat16":
        return ""
    return (
        "The model files specify an FP8 KV cache. On GPUs with compute capability 8.9 or newer, it "
        "would hold twice as many tokens, but may reduce quality. Our figures are for a 16-bit "
        "cache."
    )


def serve_options(target: Target, *, port: str = '"$PORT"') -> list[Option]:
    """Everything for one server: the plan, its name, its address, its key."""
    return [
        *plan_options(target),
        *chat_options(target),
        ("--served-model-name", quoted(target.served_name)),
        ("--host", '"$HOST"'),
        ("--port", port),
        ("--api-key", '"$API_KEY"'),
    ]


def install_step(target: Target, where: str = "", *, ray: bool = False) -> RecipeStep:
    """Install the version for the vendor's GPUs."""
    vendor, version = target.vendors[0], READ["vllm"]
    extra = plugin(target) + (f" 'ray[default]=={READ['ray']}'" if ray else "")
    lines = [*NEW_ENVIRONMENT]
    note = ""
    if vendor is Vendor.AMD:
        index = "--extra-index-url https://wheels.vllm.ai/rocm/"
        lines.append(f"uv pip install 'vllm=={version}'{extra} {index}")
        note = "The wheels for ROCm include PyTorch. You can use the container image instead."
    elif vendor is Vendor.INTEL:
        index = "--extra-index-url https://wheels.vllm.ai/nightly/xpu"
        torch = "--extra-index-url https://download.pytorch.org/whl/xpu"
        lines.append(
            f"uv pip install vllm{extra} {index} {torch} --index-strategy unsafe-best-match"
        )
        note = XPU_NOTE
    else:
        kernels = " && vllm download-kernels" if wants_kernels(target) else ""
        lines.append(f"uv pip install 'vllm=={version}'{extra}{kernels}")
        note = KERNELS_NOTE if kernels else note
    lines.append("vllm --version")
    expect = "a version that ends in xpu" if vendor is Vendor.INTEL else version
    return RecipeStep(
        Phase.INSTALL, "Install", Language.BASH, "\n".join(lines), where, note=note, expect=expect
    )


def wants_kernels(target: Target) -> bool:
    """Return whether vLLM runs kernels of FlashInfer that its packages do not have.

    It draws tokens with them on most of NVIDIA's GPUs, and needs them for sparse attention on
    those of compute capability 12. FlashInfer compiles with ``nvcc`` what is not installed.

    Source:
        vLLM 0.33.0, ``v1/sample/ops/topk_topp_sampler.py``, ``flashinfer_sampler_supported``,
        ``entrypoints/cli/download_kernels.py`` and ``utils/flashinfer.py``; its dependencies have
        neither flashinfer-cubin nor flashinfer-jit-cache. FlashInfer 0.7.2.post1,
        ``jit/cpp_ext.py``, and ``compilation_context.py``: CUDA 12.9 for compute capability 12.1.
        vLLM issues 49497 and 50705: the server stops without a toolkit (all read 2026-11-29).
    """
    ranks = {rank for replica in target.replicas for rank in replica}
    used = [target.node(node).gpus[at].gpu for node, at in ranks]
    return any(
        gpu.compute_capability is not None
        and gpu.compute_capability >= KERNELS_SINCE
        and (gpu.multiprocessors is None or gpu.multiprocessors > KERNELS_ABOVE)
        for gpu in used
    )


def cache_note(target: Target) -> str:
    """Say what the server should log about its cache, as the engine expects it."""
    tokens = target.limits.tokens_by_request
    if not tokens:
        return ""
    device = LOGGED_DEVICES.get(target.vendors[0], "GPU")
    return f"{device} KV cache size: about {tokens:,} tokens in {target.log_words}"
