"""What was found out about single logs: why their figures differ from any rule, and which err.

A cause explains a difference that stays counted. A dispute says that a figure is not of what its
record names: it contradicts the record, or belongs to a fork, to a defect of one version, to a
limit that is no capacity, or to another program. Disputed figures are counted both ways. What the
thread says beside a log decides what the log can be asked: it says too little, or no rule covers
what was done.
"""

from __future__ import annotations

from collections.abc import Mapping

By = Mapping[str, Mapping[str, str]]
"""Sentence by quantity by run."""

_REPACKED = "the run used a fork for gfx906 that repacks AWQ for its own kernel"
_DEVICE = (
    "ROCm builds of 0.7.2 and later do not log the size of the tensors but the memory that the "
    "device lost while loading, including the driver's memory and the allocator's reserve (vLLM "
    "pull request 12624)"
)
_ROPE = (
    "linear RoPE scaling by 8 makes the table of positions eight times as long, but the published "
    "config of this copy does not state it"
)
_SHARED = "shared memory: the operating system and the loader hold about 13 GiB more than we assume"
_IK_GRAPH = "several GPUs: we do not know what the fork keeps of the experts on the later GPUs"
_GLM_HOLE = (
    "the last hidden state is stored after the product of gate and up (23,040 × 512 × 4 bytes = "
    "45 MiB), and the logits after the hidden state"
)
_OLD_GRAPH = "the build has a graph allocator that is years older than the one in our profile"
_NEIGHBOUR = "another program held 4.8 GiB of the shared memory"
_RANKS = (
    "the tokens are for the rank with the least room, but the pool line may be for another rank"
)
_GLM_DRAFT = "the file keeps the model's draft layer"
_MATRIX = (
    "the size is that of a file made with an importance matrix, which the list does not mention"
)
_BRANCH = (
    "the run used the branch of a pull request, which counted memory outside the "
    "allocator differently"
)
_STEP = (
    "the step size is not stated: one step of 8,192 tokens would give the logged count within "
    "0.1 %, but we assume two steps of the default 2,048"
)
_HALF = (
    "the log shows exactly twice the tokens that a 16-bit cache holds, so the cache must have had "
    "8 bits, which the log does not state"
)

_NOT_EXPLAINED = "not explained"
_DRAFTER = "according to the log, the prediction layer is loaded as a draft model and counted"

CAUSES: By = {
    "a0258": {"compute-buffers": _IK_GRAPH},
    "a0259": {"compute-buffers": _IK_GRAPH},
    "a0260": {"compute-buffers": _IK_GRAPH},
    "a0263": {"compute-buffers": _IK_GRAPH},
    "a0265": {"compute-buffers": _IK_GRAPH},
    "a0266": {"compute-buffers": _IK_GRAPH},
    "a0268": {"compute-buffers": _IK_GRAPH},
    "a0270": {"compute-buffers": _IK_GRAPH},
    "a0271": {"compute-buffers": _IK_GRAPH},
    "a0273": {"compute-buffers": _IK_GRAPH},
    "a0275": {"compute-buffers": _IK_GRAPH},
    "a0277": {"compute-buffers": _IK_GRAPH},
    "a0278": {"compute-buffers": _IK_GRAPH},
    "a0279": {"compute-buffers": _IK_GRAPH},
    "a0058": {"compute-buffers": _NOT_EXPLAINED},
    "a0059": {"compute-buffers": _NOT_EXPLAINED},
    "a0234": {"compute-buffers": _NOT_EXPLAINED},
    "a0443": {
        "verdict": "unknown; the source gives a rough figure, for runs with the multi-token "
        "prediction (MTP) layer"
    },
    "glm53-fp8-8xh200-893": {
        "weights": "while the model loads, FlashMLA's sparse kernel allocates 5.63 GiB for five "
        "contexts of 1,048,576 tokens in 16 bits (vLLM 0.28.0, "
        "v1/attention/backends/mla/flashmla_sparse.py). No prediction layer is loaded, because the "
        "59,763,793,920 bytes stored are 8 ranks of 138,496 tokens of 78 layers and 21 indexers"
    },
    "gptoss120b-8xrtxpro4500-oom": {
        "weights": "not explained: experts padded for Marlin give 8.6 GiB, for FlashInfer 8.2, for "
        "Triton 9.4; a width of 480 on each rank would give 9.97",
        "verdict": "according to the record, startup failed during or after graph capture",
    },
    "sgl-dsv41-8xrtxpro-085": {
        "verdict": "according to the source, a buffer of the attention kernel for these GPUs "
        "grows with the pool",
    },
    "sgl4895-gemma3-27b-awq-24g": {
        "verdict": (
            "the run used an SGLang version from March 2025, which is older than our first profile"
        )
    },
    "t4-qwen25-15b-util05": {"non-torch": _NOT_EXPLAINED},
    "llama32-3b-q8gguf-4070l": {"non-torch": _NOT_EXPLAINED},
    "planner-gemma3-4b": {"weights": _ROPE},
    "gemma3-4b-b200-21489": {"weights": _ROPE},
    "planner-gemma3-27b": {"weights": _ROPE},
    "qwen3-235b-fp8-4h100-vllm-21348": {"kv-per-token": _RANKS, "kv-tokens": _RANKS},
    "minimax-m27-awq-2xspark-085": {
        "kv-per-token": _RANKS,
        "kv-tokens": _RANKS,
        "kv-pool": _SHARED,
        "pool-tokens": _SHARED,
    },
    "qwq32b-bnb-2x5090-pp2": {
        "kv-tokens": (
            "the log line is for one stage, and the stage with fewer layers has the larger pool"
        ),
        "activation": "the version has different scheduler defaults",
        "non-torch": "the communication buffers of a pipeline over PCIe",
    },
    "llama3-8b-a100-40": {
        "activation": "unknown; the record states seven times the usual peak",
        "kv-pool": "follows from the unusual activation peak",
        "pool-tokens": "follows from the unusual activation peak",
    },
    "a0083": {"compute-buffers": _GLM_HOLE},
    "a0085": {"compute-buffers": _GLM_HOLE},
    "a0204": {
        "kv-buffers": "this run did not load the draft layer",
        "compute-buffers": _IK_GRAPH,
    },
    "a0514": {
        "kv-buffers": (
            "the run used a window of 1,536 cells, with a micro-batch of 1,024 tokens, on an NPU"
        )
    },
    "a0540": {"compute-buffers": "the test that quotes the figure rounded it to GiB"},
    **{f"b0{n}": {"file-size": _GLM_DRAFT} for n in range(203, 209)},
    "r1-distill-qwen7b-v100-32": {
        "verdict": "version 0.7 still supported compute capability 7.0; later versions do not"
    },
    "dsv4flash-8xpro5000": {
        "kv-tokens": (
            "version 0.22 lays out blocks differently; its own code gives 9.756 requests, as logged"
        ),
        "pool-tokens": (
            "version 0.22 lays out blocks differently; its own code gives 9.756 requests, as logged"
        ),
        "kv-pool": "the memory fraction is not stated, so we assume the default",
    },
    "2spark-glm53-700k-088": {"kv-tokens": "unknown; a draft model (DFlash2) was loaded"},
    **{
        one: {"kv-tokens": _STEP, "kv-pool": "we do not know which layers are in FP8"}
        for one in ("gemma4-26b-fp8-l40s-fp8kv", "gemma4-26b-fp8-l40s-fp8pth")
    },
    "kimi-linear-48b-awq-2x3090": {
        "kv-tokens": _RANKS,
        "kv-pool": "unknown; the run used steps of 64,000 tokens",
        "pool-tokens": "unknown; the run used steps of 64,000 tokens",
    },
    "qwen2vl7b-awq-a10-482": {
        "verdict": "version 0.6 profiled images of the largest size for every sequence"
    },
    "planner-gptoss20b-tp2": {
        "weights": "the split widths are padded differently, by a rule that we do not know"
    },
    "gptoss120b-h100-oom-23278": {"weights": "the Marlin kernel pads more than Triton's"},
    "qwen25vl7b-awq-orin-055-vid": {
        "kv-per-token": "rounding: the log gives the pool of 0.20 GiB with two decimals",
        "kv-tokens": "rounding: the log gives the pool of 0.20 GiB with two decimals",
    },
    "4gb-qwen25-15b-fp16": {
        "kv-per-token": ("rounding: the log gives the pool of 0.07 GiB with two decimals")
    },
    "minimax-m27-awq-2xspark-080": {"kv-pool": _SHARED},
    "h100emp-mistral-small32-24b": {
        "activation": "the figure is for 256 sequences, not 1,024",
        "kv-pool": "follows from the activation peak, which is for 256 sequences",
        "pool-tokens": "follows from the activation peak, which is for 256 sequences",
    },
    "planner-mistral-small31-w8a8-tp1": {
        "activation": "the figure includes the image encoder, which our formula does not include"
    },
    "planner-llama4-scout-tp4": {
        "activation": "the model has small experts, and the error is inside our interval"
    },
    "qwen36-27b-2x4090-dflash-180k": {"kv-pool": "a draft model shares the pool"},
    "dscoderv2lite-8xa100-40": {
        "weights": "version 0.7 kept the absorbed matrices of latent attention in addition to the "
        "weights: 2 × 2,048 × 2 heads × 512 × 2 bytes in 27 layers explain 0.21 of the missing "
        "0.23 GiB",
        "activation": "the log line comes from a rank that does not sample",
    },
    "r1-distill-qwen14b-2x4090-13061": {
        "activation": ("the log line comes from a rank that does not sample")
    },
    "planner-gptoss20b-tp1-util095-oom": {
        "verdict": (
            "startup failed in the sampler's warm-up after graph capture, at a memory "
            "fraction of 0.95"
        )
    },
    "qwen38-27b-fp8-rtxpro6000-mamba": {
        "verdict": (
            "the default of 1,024 sequences needs 1,024 state blocks; the server started "
            "with fewer sequences"
        )
    },
    **{f"b0{n}": {"file-size": _MATRIX} for n in (436, 437, 438, 440, 441)},
    "b0276": {"file-size": "the rule of 2023 put more tensors of Q2_K at 4 bits"},
    "b0770": {"file-size": "the file is a quantization-aware build with its embedding at 16 bits"},
    "a0556": {
        "compute-buffers": "unknown; the run used Gemma 4 12B with four slots and 255,232 tokens"
    },
    "a0495": {"model-buffers": "the file is an Unsloth build"},
    **{
        one: {"compute-buffers": _IK_GRAPH} for one in ("a0206", "a0221", "a0222", "a0227", "a0228")
    },
    **{f"a{n:04}": {"compute-buffers": _OLD_GRAPH} for n in range(133, 200)},
}
"""What is known of a difference, by run and quantity."""

DISPUTED: By = {
    "l4-gemma4-e4b-075-oom": {
        "verdict": "another service held 4,901 MiB of the GPU: 17.06 GiB were free, and the "
        "memory fraction amounted to 16.53 GiB"
    },
    "qwen35-122b-nvfp4-spark": {"weights": _DRAFTER},
    "5090-qwen35-9b-mtp1": {"weights": _DRAFTER},
    "glm47-fp8-pp8-32105": {
        "kv-per-token": (
            "according to the thread, the log compares the whole model with the pool of one stage"
        )
    },
    "a0291": {"compute-buffers": "the figure is the sum over four GPUs, not the buffer of one"},
    "mi50-qwen25-15b-fp16": {"weights": _DEVICE},
    "radeon-qwen25-05b-fp16": {"weights": _DEVICE},
    "r1-distill-qwen14b-rocm-tp2": {"weights": _DEVICE},
    "mi50-gemma3-27b-awq-4k": {"weights": _REPACKED},
    "mi50-gemma3-27b-awq-8k": {"weights": _REPACKED},
    "mi50-qwen3-32b-awq-4k": {"weights": _REPACKED},
    "sgl8337-qwen3-235b-pp4tp8-fp8online": {
        "weights": "according to the thread, a bug in that version kept the 16-bit copy"
    },
    "qwen25vl7b-awq-orin-055-vid": {
        "verdict": _NEIGHBOUR,
        "kv-pool": _NEIGHBOUR,
        "pool-tokens": _NEIGHBOUR,
        "non-torch": _NEIGHBOUR,
    },
    "vllm31273-qwen25-72b-fp8-h20-013": {
        "verdict": (
            "version 0.13 needs more memory while it loads the model; the same setup ran on 0.12"
        )
    },
    "nemotron-nano9b-l40s-23230": {
        "verdict": "the first engine (V0) reserved the state of all 256 sequences at once in 32 "
        "bits, 33.75 GiB; our profile is for the second engine"
    },
    "llama3-8b-80g-tp1-pr10511": {"non-torch": _BRANCH, "kv-pool": _BRANCH},
    "llama3-8b-80g-tp2-pr10511": {"non-torch": _BRANCH},
    "r1-distill-qwen14b-2x4090-13061": {
        "kv-tokens": "according to the record, pool and tokens come from two different workers",
        "kv-pool": "according to the record, pool and tokens come from two different workers",
    },
    "glm47-nvfp4-tp4-080": {"kv-per-token": _HALF, "kv-tokens": _HALF},
    "trt-llama31-8b-32g": {"kv-per-token": _HALF, "kv-tokens": _HALF},
    "h100emp-gptoss120b": {
        "kv-pool": (
            "the record's own figures add up at a memory fraction of 0.95, not at the stated 0.9"
        ),
    },
}
"""Figures that contradict their own record, by run and quantity."""

UNSAID: By = {
    "a0360": {
        "verdict": (
            "the server started, then ran out of memory on a prompt of more than 10,000 tokens"
        )
    },
    "a0091": {
        "verdict": (
            "the user placed layers or tensors by hand (-ts 6.5,6,10,4, according to the thread)"
        ),
        "compute-buffers": "the user placed layers of different widths by hand (-ts 6.5,6,10,4)",
    },
    "nemotron-ultra253b-16xa100-40": {
        "verdict": "the record names two machines, but does not say how they split the model"
    },
}
"""What a source leaves open that a question needs, by run and quantity."""

UNCOVERED: By = {
    "flashnext-nvfp4-pro6000-sgl-2": {
        "verdict": (
            "according to the thread, the run used a fork that keeps the n-gram tables on an SSD"
        )
    },
    "sgl-dsv41-4xrtxpro-082": {
        "verdict": "the n-gram tables are not on the GPUs: 510 GB of files on 380 GiB"
    },
}
"""What was done that no rule of ours covers, by run and quantity."""
