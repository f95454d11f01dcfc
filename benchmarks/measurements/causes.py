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

_REPACKED = "a fork for gfx906 that repacks AWQ for its own kernel"
_DEVICE = (
    "ROCm builds of 0.7.2 and later log what the device lost while loading, memory of the driver "
    "and the allocator's reserve with it, not the tensors (vLLM pull request 12624)"
)
_ROPE = (
    "linear RoPE scaling by 8 makes the table of positions eight times as long; the published "
    "config of this copy leaves it out"
)
_SHARED = "shared memory: operating system and loader hold about 13 GiB more than assumed"
_IK_GRAPH = "several GPUs: what the fork keeps of experts on GPUs after the first is not known"
_GLM_HOLE = (
    "the last hidden state lies behind the product of gate and up (23,040 × 512 × 4 bytes = "
    "45 MiB), and the logits behind that"
)
_OLD_GRAPH = "another graph allocator, years before the profile"
_NEIGHBOUR = "4.8 GiB outside the allocator on shared memory belong to another program"
_RANKS = "tokens are those of the rank with least room, the pool line may be another rank's"
_GLM_DRAFT = "the file keeps the model's draft layer"
_MATRIX = "fits a file made with an importance matrix, which the catalogue does not say"
_BRANCH = "the branch of a pull request, which counted memory outside the allocator another way"
_STEP = (
    "the step is not stated: one of 8,192 tokens in flight gives the logged count within 0.1 %, "
    "two steps of the default 2,048 are assumed"
)
_HALF = "the logged tokens are exactly twice what a 16-bit cache holds: an 8-bit cache, not stated"

_NOT_EXPLAINED = "not explained"
_DRAFTER = "the prediction layer is loaded as a drafter and counted, says the log"

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
        "verdict": "not explained; the page says roughly, of starts with the prediction layer"
    },
    "glm53-fp8-8xh200-893": {
        "weights": "5.63 GiB of it are the room that FlashMLA's sparse kernel keeps for five "
        "contexts of 1,048,576 tokens in 16 bits, allocated while the model loads (vLLM 0.28.0, "
        "v1/attention/backends/mla/flashmla_sparse.py); no prediction layer: 59,763,793,920 bytes "
        "stored are 8 ranks of 138,496 tokens of 78 layers and 21 indexers"
    },
    "gptoss120b-8xrtxpro4500-oom": {
        "weights": "not explained: experts padded for Marlin give 8.6 GiB, for FlashInfer 8.2, for "
        "Triton 9.4; a width of 480 on each rank would give 9.97",
        "verdict": "fails at or after the capture of graphs, says the record",
    },
    "sgl-dsv41-8xrtxpro-085": {
        "verdict": "a buffer of the attention kernel for these GPUs grows with the pool, says the "
        "file"
    },
    "sgl4895-gemma3-27b-awq-24g": {"verdict": "SGLang of March 2025, before its first profile"},
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
        "kv-tokens": "the stage with fewer layers has the larger pool; the line is one stage's",
        "activation": "a version before scheduler defaults were alike",
        "non-torch": "communication buffers of a pipeline over the bus",
    },
    "llama3-8b-a100-40": {
        "activation": "not explained: seven times the usual peak, says the record",
        "kv-pool": "follows from the unusual peak",
        "pool-tokens": "follows from the unusual peak",
    },
    "a0083": {"compute-buffers": _GLM_HOLE},
    "a0085": {"compute-buffers": _GLM_HOLE},
    "a0204": {
        "kv-buffers": "the draft layer was left out when this file was loaded",
        "compute-buffers": _IK_GRAPH,
    },
    "a0514": {"kv-buffers": "a window of 1,536 cells: a micro-batch of 1,024 tokens, on an NPU"},
    "a0540": {"compute-buffers": "a figure rounded to GiB by the test that quotes it"},
    **{f"b0{n}": {"file-size": _GLM_DRAFT} for n in range(203, 209)},
    "r1-distill-qwen7b-v100-32": {
        "verdict": "0.7 ran on compute capability 7.0, which later versions dropped"
    },
    "dsv4flash-8xpro5000": {
        "kv-tokens": "0.22 lays blocks out otherwise; by its own code 9.756 requests, as logged",
        "pool-tokens": "0.22 lays blocks out otherwise; by its own code 9.756 requests, as logged",
        "kv-pool": "the memory fraction is not stated; the default is assumed",
    },
    "2spark-glm53-700k-088": {"kv-tokens": "not explained: a draft model (DFlash2) was loaded"},
    **{
        one: {"kv-tokens": _STEP, "kv-pool": "FP8 of unknown scope"}
        for one in ("gemma4-26b-fp8-l40s-fp8kv", "gemma4-26b-fp8-l40s-fp8pth")
    },
    "kimi-linear-48b-awq-2x3090": {
        "kv-tokens": _RANKS,
        "kv-pool": "not explained: steps of 64,000 tokens",
        "pool-tokens": "not explained: steps of 64,000 tokens",
    },
    "qwen2vl7b-awq-a10-482": {
        "verdict": "0.6 profiled images of the largest size for every sequence"
    },
    "planner-gptoss20b-tp2": {
        "weights": "widths after the cut are padded differently; the rule is not known"
    },
    "gptoss120b-h100-oom-23278": {"weights": "the Marlin kernel pads more than Triton's"},
    "qwen25vl7b-awq-orin-055-vid": {
        "kv-per-token": "a pool of 0.20 GiB, logged with two decimals",
        "kv-tokens": "a pool of 0.20 GiB, logged with two decimals",
    },
    "4gb-qwen25-15b-fp16": {"kv-per-token": "a pool of 0.07 GiB, logged with two decimals"},
    "minimax-m27-awq-2xspark-080": {"kv-pool": _SHARED},
    "h100emp-mistral-small32-24b": {
        "activation": "the figure is that of 256 sequences, not 1,024",
        "kv-pool": "follows from the peak of 256 sequences",
        "pool-tokens": "follows from the peak of 256 sequences",
    },
    "planner-mistral-small31-w8a8-tp1": {
        "activation": "image encoder, which the formula leaves out"
    },
    "planner-llama4-scout-tp4": {"activation": "small experts, inside the interval"},
    "qwen36-27b-2x4090-dflash-180k": {"kv-pool": "a draft model shares the pool"},
    "dscoderv2lite-8xa100-40": {
        "weights": "0.7 kept the absorbed matrices of latent attention beside the weights: "
        "2 × 2,048 × 2 heads × 512 × 2 bytes in 27 layers are 0.21 of the missing 0.23 GiB",
        "activation": "the line of a rank that does not sample",
    },
    "r1-distill-qwen14b-2x4090-13061": {"activation": "the line of a rank that does not sample"},
    "planner-gptoss20b-tp1-util095-oom": {
        "verdict": "sampler warm-up after graph capture, at a memory fraction of 0.95"
    },
    "qwen38-27b-fp8-rtxpro6000-mamba": {
        "verdict": "the default of 1,024 sequences wants as many state blocks; fewer served"
    },
    **{f"b0{n}": {"file-size": _MATRIX} for n in (436, 437, 438, 440, 441)},
    "b0276": {"file-size": "the rule of 2023 put more tensors of Q2_K at 4 bits"},
    "b0770": {"file-size": "a quantization-aware build with its embedding at 16 bits"},
    "a0556": {"compute-buffers": "not explained: Gemma 4 12B, four slots, 255,232 tokens"},
    "a0495": {"model-buffers": "an Unsloth build of the file"},
    **{
        one: {"compute-buffers": _IK_GRAPH} for one in ("a0206", "a0221", "a0222", "a0227", "a0228")
    },
    **{f"a{n:04}": {"compute-buffers": _OLD_GRAPH} for n in range(133, 200)},
}
"""What is known of a difference, by run and quantity."""

DISPUTED: By = {
    "qwen35-122b-nvfp4-spark": {"weights": _DRAFTER},
    "5090-qwen35-9b-mtp1": {"weights": _DRAFTER},
    "glm47-fp8-pp8-32105": {
        "kv-per-token": "the need of the whole model beside the pool of one stage, says the thread"
    },
    "a0291": {"compute-buffers": "the sum of four GPUs, not one's buffer"},
    "mi50-qwen25-15b-fp16": {"weights": _DEVICE},
    "radeon-qwen25-05b-fp16": {"weights": _DEVICE},
    "r1-distill-qwen14b-rocm-tp2": {"weights": _DEVICE},
    "mi50-gemma3-27b-awq-4k": {"weights": _REPACKED},
    "mi50-gemma3-27b-awq-8k": {"weights": _REPACKED},
    "mi50-qwen3-32b-awq-4k": {"weights": _REPACKED},
    "sgl8337-qwen3-235b-pp4tp8-fp8online": {
        "weights": "a bug of that version kept the 16-bit copy, says the thread"
    },
    "qwen25vl7b-awq-orin-055-vid": {
        "verdict": _NEIGHBOUR,
        "kv-pool": _NEIGHBOUR,
        "pool-tokens": _NEIGHBOUR,
        "non-torch": _NEIGHBOUR,
    },
    "vllm31273-qwen25-72b-fp8-h20-013": {
        "verdict": "a regression of 0.13 while loading: the same ran on 0.12"
    },
    "nemotron-nano9b-l40s-23230": {
        "verdict": "the first engine (V0) reserved the state of all 256 sequences at once in 32 "
        "bits, 33.75 GiB; the profile is that of the second"
    },
    "llama3-8b-80g-tp1-pr10511": {"non-torch": _BRANCH, "kv-pool": _BRANCH},
    "llama3-8b-80g-tp2-pr10511": {"non-torch": _BRANCH},
    "r1-distill-qwen14b-2x4090-13061": {
        "kv-tokens": "pool and tokens come from two different workers, says the record",
        "kv-pool": "pool and tokens come from two different workers, says the record",
    },
    "glm47-nvfp4-tp4-080": {"kv-per-token": _HALF, "kv-tokens": _HALF},
    "trt-llama31-8b-32g": {"kv-per-token": _HALF, "kv-tokens": _HALF},
    "h100emp-gptoss120b": {
        "kv-pool": "the record's own lines sum up at a memory fraction of 0.95, not the 0.9 stated",
    },
}
"""Figures that contradict their own record, by run and quantity."""

UNSAID: By = {
    "a0360": {
        "verdict": "the start went well: a prompt of more than 10,000 tokens ran out of memory"
    },
    "a0091": {
        "verdict": "layers or tensors placed by hand (-ts 6.5,6,10,4, says the thread)",
        "compute-buffers": "layers of unlike widths, placed by hand (-ts 6.5,6,10,4)",
    },
    "nemotron-ultra253b-16xa100-40": {
        "verdict": "two machines, and how tensors and stages are split is not stated"
    },
}
"""What a source leaves open that a question needs, by run and quantity."""

UNCOVERED: By = {
    "flashnext-nvfp4-pro6000-sgl-2": {
        "verdict": "a fork that keeps the tables of n-grams on an SSD, says the thread"
    },
    "sgl-dsv41-4xrtxpro-082": {
        "verdict": "tables of n-grams outside the GPUs: 510 GB of files on 380 GiB"
    },
}
"""What was done that no rule of ours covers, by run and quantity."""
