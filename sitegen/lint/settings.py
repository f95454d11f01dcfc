"""What each program calls the settings that rules ask about."""

from __future__ import annotations

from collections.abc import Mapping

RUNTIMES: Mapping[str, str] = {
    "vllm": "vllm",
    "dynamo": "vllm",
    "sglang": "sglang",
    "llama-cpp": "llama-cpp",
    "tensorrt-llm": "tensorrt-llm",
    "mlx-lm": "mlx-lm",
}
"""Runtime of the catalog by table of options."""

_VLLM = {
    "model": ("--model",),
    "tensor": ("--tensor-parallel-size",),
    "pipeline": ("--pipeline-parallel-size",),
    "data": ("--data-parallel-size",),
    "decode_context": ("--decode-context-parallel-size",),
    "context": ("--max-model-len",),
    "fraction": ("--gpu-memory-utilization",),
    "sequences": ("--max-num-seqs",),
    "batched": ("--max-num-batched-tokens",),
    "kv_dtype": ("--kv-cache-dtype",),
    "quantization": ("--quantization",),
    "dtype": ("--dtype",),
    "eager": ("--enforce-eager",),
    "experts": ("--enable-expert-parallel",),
    "nodes": ("--nnodes",),
    "rank": ("--node-rank",),
    "host": ("--host",),
    "port": ("--port",),
    "key": ("--api-key",),
    "overrides": ("--hf-overrides", "--rope-scaling", "--hf-config-path", "--config"),
    "offload": ("--cpu-offload-gb", "--offload-backend", "--offload-group-size"),
    "local_data": ("--data-parallel-size-local", "--data-parallel-rank"),
}
FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "vllm": _VLLM,
    "dynamo": _VLLM,
    "sglang": {
        "model": ("--model-path",),
        "tensor": ("--tp-size",),
        "pipeline": ("--pp-size",),
        "data": ("--dp-size",),
        "context": ("--context-length",),
        "fraction": ("--mem-fraction-static",),
        "sequences": ("--max-running-requests",),
        "kv_dtype": ("--kv-cache-dtype",),
        "quantization": ("--quantization",),
        "dtype": ("--dtype",),
        "eager": ("--disable-cuda-graph",),
        "experts": ("--ep-size",),
        "nodes": ("--nnodes",),
        "rank": ("--node-rank",),
        "attention_data": ("--enable-dp-attention",),
        "host": ("--host",),
        "port": ("--port",),
        "key": ("--api-key",),
        "overrides": ("--json-model-override-args", "--config"),
        "offload": ("--cpu-offload-gb", "--kt-weight-path", "--kt-method"),
    },
    "llama-cpp": {
        "model": ("--model", "--hf-repo"),
        "context": ("--ctx-size",),
        "parallel": ("--parallel",),
        "layers": ("--gpu-layers",),
        "split": ("--tensor-split",),
        "split_mode": ("--split-mode",),
        "kv_dtype": ("--cache-type-k",),
        "value_dtype": ("--cache-type-v",),
        "flash": ("--flash-attn",),
        "micro_batch": ("--ubatch-size",),
        "rpc": ("--rpc",),
        "devices": ("--device",),
        "host": ("--host",),
        "port": ("--port",),
        "key": ("--api-key", "--api-key-file"),
        "offload": ("--n-cpu-moe", "--cpu-moe", "--override-tensor", "--fit"),
        "overrides": ("--rope-scaling", "--rope-scale", "--override-kv"),
    },
    "tensorrt-llm": {
        "tensor": ("--tp_size", "--tensor_parallel_size"),
        "pipeline": ("--pp_size", "--pipeline_parallel_size"),
        "context": ("--max_seq_len",),
        "sequences": ("--max_batch_size",),
        "fraction": ("--kv_cache_free_gpu_memory_fraction", "--free_gpu_memory_fraction"),
        "host": ("--host",),
        "port": ("--port",),
        "overrides": ("--extra_llm_api_options", "--config"),
    },
    "rpc": {"host": ("--host",), "port": ("--port",)},
    "mlx-lm": {"model": ("--model",), "host": ("--host",), "port": ("--port",)},
}
"""What each program calls a setting."""
POSITIONAL_MODEL = frozenset({"vllm", "tensorrt-llm"})
