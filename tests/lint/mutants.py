"""Commands and configurations that work, and one mistake planted in each."""

# ruff: noqa: S104 - addresses that the linter has to warn of

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Base:
    """Something that the linter has nothing against."""

    name: str
    text: str
    kind: str = "bash"
    combo: str = ""


@dataclass(frozen=True)
class Mutant:
    """A base with one mistake: ``code`` is what has to be reported."""

    name: str
    text: str
    kind: str
    combo: str
    code: str


VLLM = """\
CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen3-32B-FP8 \\
  --tensor-parallel-size 2 \\
  --pipeline-parallel-size 1 \\
  --max-model-len 8192 \\
  --gpu-memory-utilization 0.92 \\
  --max-num-seqs 16 \\
  --dtype auto \\
  --load-format auto \\
  --served-model-name qwen3-32b \\
  --host 127.0.0.1 \\
  --port 8000 \\
  --api-key secret
"""
TWO_SERVERS = """\
CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3-8B \\
  --max-model-len 8192 \\
  --port 8000 &
CUDA_VISIBLE_DEVICES=1 vllm serve meta-llama/Llama-3.1-8B-Instruct \\
  --max-model-len 8192 \\
  --port 8001 &
"""
RAY_CLUSTER = """\
ray start --head --port 6379 --num-gpus 8 --dashboard-host 127.0.0.1
ray start --address 10.0.0.1:6379 --num-gpus 8
vllm serve deepseek-ai/DeepSeek-R1 \\
  --distributed-executor-backend ray \\
  --tensor-parallel-size 8 \\
  --pipeline-parallel-size 2 \\
  --max-model-len 8192 \\
  --enable-expert-parallel
"""
SLOW = """\
vllm serve Qwen/Qwen3-32B \\
  --distributed-executor-backend ray \\
  --tensor-parallel-size 2 \\
  --pipeline-parallel-size 2 \\
  --max-model-len 8192
"""
NODES = """\
vllm serve deepseek-ai/DeepSeek-R1 \\
  --tensor-parallel-size 8 \\
  --pipeline-parallel-size 2 \\
  --nnodes 2 \\
  --node-rank 0 \\
  --master-addr 10.0.0.1 \\
  --max-model-len 8192
"""
SGLANG = """\
python3 -m sglang.launch_server \\
  --model-path Qwen/Qwen3-32B \\
  --tp-size 4 \\
  --context-length 32768 \\
  --mem-fraction-static 0.85 \\
  --kv-cache-dtype auto \\
  --attention-backend triton \\
  --max-running-requests 32 \\
  --host 127.0.0.1 \\
  --port 30000 \\
  --api-key secret
"""
LLAMA = """\
llama-server \\
  -m Qwen3-32B-Q4_K_M.gguf \\
  --n-gpu-layers 99 \\
  --tensor-split 1,1 \\
  --split-mode layer \\
  --ctx-size 16384 \\
  --parallel 1 \\
  --cache-type-k f16 \\
  --cache-type-v f16 \\
  --host 127.0.0.1 \\
  --port 8080
"""
RPC = "bin/ggml-rpc-server --host 10.0.0.2 --port 50052 --cache\n"
TRTLLM = """\
trtllm-serve Qwen/Qwen3-8B \\
  --tp_size 2 \\
  --pp_size 1 \\
  --max_seq_len 8192 \\
  --host 127.0.0.1 \\
  --port 8000
"""
MLX = """\
mlx_lm.server --model mlx-community/Qwen3-8B-4bit \\
  --host 127.0.0.1 \\
  --port 8080 \\
  --max-tokens 512
"""
AWQ = "vllm serve Qwen/Qwen3-32B-AWQ --quantization awq_marlin --max-model-len 8192\n"
GGUF = """\
pip install vllm-gguf-plugin
vllm serve unsloth/Qwen3-32B-GGUF:Q4_K_M --tokenizer Qwen/Qwen3-32B --max-model-len 8192
"""
BATCH = """\
vllm serve Qwen/Qwen3-30B-A3B --max-model-len 8192 --enable-expert-parallel \\
  --no-enable-chunked-prefill --max-num-batched-tokens 8192 --max-num-seqs 64
"""
POD = """\
apiVersion: v1
kind: Pod
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.33.0
    args: [--model, Qwen/Qwen3-32B-FP8, --tensor-parallel-size, "2", --max-model-len, "8192"]
    resources:
      limits: {nvidia.com/gpu: 2}
"""
KSERVE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
      args: ["--model_name=qwen", "--model_id=Qwen/Qwen3-8B", "--max_model_len=8192"]
      resources: {limits: {nvidia.com/gpu: "1"}}
"""
TABBY = """\
network:
  host: 127.0.0.1
  disable_auth: true
model:
  model_dir: models
  model_name: qwen3-32b-exl3-4.0bpw
  max_seq_len: 8192
  cache_mode: Q8
"""
OLLAMA_UNIT = """\
[Service]
ExecStart=/usr/local/bin/ollama serve
Environment="OLLAMA_HOST=127.0.0.1:11434"
Environment="OLLAMA_CONTEXT_LENGTH=8192" "OLLAMA_KEEP_ALIVE=24h"
Environment=OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0
"""
OLLAMA_COMPOSE = """\
services:
  ollama:
    image: ollama/ollama:0.33.0
    environment:
      OLLAMA_CONTEXT_LENGTH: 8192
      OLLAMA_NUM_PARALLEL: "2"
      OLLAMA_FLASH_ATTENTION: 1
      OLLAMA_KV_CACHE_TYPE: q8_0
    entrypoint: ["/bin/sh", "-c", "ollama serve & sleep 5; ollama run qwen3:14b; wait"]
"""
OLLAMA = "OLLAMA_HOST=127.0.0.1:11434 OLLAMA_CONTEXT_LENGTH=8192 ollama serve\n"
MODELFILE = "FROM qwen3.gguf\nPARAMETER num_ctx 8192\nPARAMETER num_gpu 65\n"
SERVE = """\
proxy_location: HeadOnly
applications:
- name: llm
  route_prefix: /
  import_path: ray.serve.llm:build_openai_app
  args:
    llm_configs:
    - model_loading_config:
        model_id: qwen3-32b
        model_source: Qwen/Qwen3-32B-FP8
      engine_kwargs:
        tensor_parallel_size: 2
        pipeline_parallel_size: 1
        max_model_len: 8192
        gpu_memory_utilization: 0.92
        max_num_seqs: 16
      placement_group_config:
        bundles:
        - {CPU: 1, GPU: 1}
        - {CPU: 1, GPU: 1}
        strategy: STRICT_PACK
      deployment_config:
        autoscaling_config:
          min_replicas: 1
          initial_replicas: 4
          max_replicas: 4
"""
PROGRAM = """\
from ray import serve
from ray.serve.llm import LLMConfig, build_openai_app

config = LLMConfig(
    model_loading_config={"model_id": "llama", "model_source": "meta-llama/Llama-3.1-8B-Instruct"},
    engine_kwargs={"tensor_parallel_size": 2, "max_model_len": 8192, "enforce_eager": True},
    placement_group_config={"bundles": [{"GPU": 1}] * 2, "strategy": "PACK"},
)
serve.run(build_openai_app({"llm_configs": [config]}))
"""
OFFLINE = """\
from vllm import LLM

llm = LLM(
    model="Qwen/Qwen3-32B",
    tensor_parallel_size=4,
    max_model_len=8192,
    gpu_memory_utilization=0.9,
)
print(llm.generate("Hello"))
"""
COMPOSE = """\
services:
  first:
    image: vllm/vllm-openai:v0.33.0
    command: [Qwen/Qwen3-8B, --tensor-parallel-size, '1', --max-model-len, '8192', --port, '8000']
    ports: ['8000:8000']
    deploy:
      resources:
        reservations:
          devices:
          - {driver: nvidia, device_ids: ['0'], capabilities: [gpu]}
  second:
    image: vllm/vllm-openai:v0.33.0
    command: [Qwen/Qwen3-8B, --tensor-parallel-size, '1', --max-model-len, '8192', --port, '8000']
    ports: ['8001:8000']
    deploy:
      resources:
        reservations:
          devices:
          - {driver: nvidia, device_ids: ['1'], capabilities: [gpu]}
"""
PAGE = """\
---
combo: 2x-rtx-4090
---

# Two servers

## Quantized to 4 bits, on 2x RTX 4090

```bash
vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ \\
  --tensor-parallel-size 2 \\
  --max-model-len 3072 \\
  --served-model-name big \\
  --port 8000
```

The daemon is told where it is:

```json
{
  "backend": "vllm",
  "vllm_instances": [{"host": "http://localhost:8000", "model": "big"}],
  "served_models": ["big"]
}
```
"""
BASES = (
    Base("vllm", VLLM, combo="2x-rtx-4090"),
    Base("two", TWO_SERVERS, combo="2x-rtx-4090"),
    Base("ray", RAY_CLUSTER, combo="2-nodes-8x-h100"),
    Base("slow", SLOW, combo="2-nodes-2x-rtx-3090-10g"),
    Base("nodes", NODES, combo="2-nodes-8x-h100"),
    Base("sglang", SGLANG, combo="8x-h100-sxm"),
    Base("llama", LLAMA, combo="2x-rtx-3090-nvlink"),
    Base("shares", LLAMA.replace("Q4_K_M", "Q6_K"), combo="2x-rtx-3090-nvlink"),
    Base("rpc", RPC),
    Base("trtllm", TRTLLM, combo="2x-rtx-4090"),
    Base("mlx", MLX),
    Base("ollama", OLLAMA),
    Base("awq", AWQ),
    Base("gguf", GGUF),
    Base("batch", BATCH),
    Base("pod", POD, "yaml"),
    Base("kserve", KSERVE, "yaml"),
    Base("tabby", TABBY, "yaml", "1x-rtx-3090"),
    Base("ollama-unit", OLLAMA_UNIT, "ini"),
    Base("ollama-compose", OLLAMA_COMPOSE, "yaml", "1x-rtx-3090"),
    Base("modelfile", MODELFILE, "modelfile"),
    Base("serve", SERVE, "yaml", "4-nodes-2x-rtx-4090-ray-serve"),
    Base("program", PROGRAM, "python", "4-nodes-2x-rtx-4090-ray-serve"),
    Base("offline", OFFLINE, "python", "4x-rtx-4090"),
    Base("compose", COMPOSE, "yaml", "2x-rtx-4090"),
    Base("page", PAGE, "markdown"),
)
BY_NAME = {base.name: base for base in BASES}
SHELL = tuple(base for base in BASES if base.kind == "bash")
OPTION = re.compile(r"(?<=\s)--[a-z][a-z_-]+")
CHOSEN = {
    "--dtype": "fp33", "--kv-cache-dtype": "fp17", "--split-mode": "rows",
    "--attention-backend": "tritonn", "--cache-type-k": "q9_0", "--cache-type-v": "q4_00",
}  # fmt: skip


def misspelt() -> Iterator[Mutant]:
    """Every option with a letter doubled in its middle."""
    for base in SHELL:
        for at, found in enumerate(OPTION.finditer(base.text)):
            name = found[0]
            middle = len(name) // 2
            wrong = f"{name[:middle]}q{name[middle:]}"
            text = base.text[: found.start()] + wrong + base.text[found.end() :]
            yield Mutant(
                f"{base.name} misspelt {at}", text, base.kind, base.combo, "unknown-option"
            )


def broken_lines() -> Iterator[Mutant]:
    """A blank or a comment behind a backslash, a backslash that is missing, a comment between."""
    for base in SHELL:
        places = [m.start() for m in re.finditer(r"\\\n", base.text)]
        for at in places[:6]:
            head, tail = base.text[:at], base.text[at + 2 :]
            changes = (
                ("blank", f"{head}\\  \n{tail}", "broken-continuation"),
                ("comment", f"{head}\\  # why\n{tail}", "comment-after-continuation"),
                ("none", f"{head}\n{tail}", "broken-continuation"),
                ("between", f"{head}\\\n  # why\n{tail}", "comment-after-continuation"),
            )
            for name, text, code in changes:
                yield Mutant(f"{base.name} {name} {at}", text, base.kind, base.combo, code)


def wrong_values() -> Iterator[Mutant]:
    """A word where a number has to be, a choice that there is none, a value too few."""
    for base in SHELL:
        for found in re.finditer(r"(--[a-z][a-z_-]+) (\d+)(?=\s|$)", base.text):
            text = base.text[: found.start(2)] + "many" + base.text[found.end(2) :]
            name = f"{base.name} {found[1]} {found.start()} word"
            code = "option-value"
            yield Mutant(name, text, base.kind, base.combo, code)
        for option, wrong in CHOSEN.items():
            pattern = re.compile(rf"({option}) (\w+)")
            if pattern.search(base.text):
                text = pattern.sub(rf"\1 {wrong}", base.text, count=1)
                yield Mutant(f"{base.name} {option}", text, base.kind, base.combo, "option-value")


LLAMA_8B = "meta-llama/Llama-3.1-8B-Instruct"
LONG = f"{LLAMA_8B} --max-model-len 120000"
LARGE = """\
model_source: Qwen/Qwen2.5-72B-Instruct-AWQ
      engine_kwargs:
        tensor_parallel_size: 2
        pipeline_parallel_size: 1
"""
SMALL = LARGE.replace("Qwen2.5-72B-Instruct-AWQ", "Qwen3-32B-FP8")
PLANTED: tuple[tuple[str, str, str, str], ...] = (
    ("vllm", "-parallel-size 2", "-parallel-size 4", "visible-gpus"),
    ("vllm", "-parallel-size 1", "-parallel-size 4", "visible-gpus"),
    ("vllm", "=0,1", "=0", "visible-gpus"),
    ("vllm", "=0,1", "=2,3", "visible-gpus"),
    ("vllm", "=0,1", "=0,7", "visible-gpus"),
    ("vllm", "CUDA_VISIBLE_DEVICES=0,1 ", "CUDA_VISIBLE_DEVICES=1 ", "visible-gpus"),
    ("vllm", "Qwen/Qwen3-32B-FP8", "Qwen/Qwen3-32B", "does-not-fit"),
    ("vllm", "Qwen/Qwen3-32B-FP8", "Qwen/Qwen2.5-72B-Instruct", "does-not-fit"),
    ("vllm", "Qwen/Qwen3-32B-FP8", "meta-llama/Llama-3.3-70B-Instruct", "does-not-fit"),
    ("two", f"{LLAMA_8B} \\\n  --max-model-len 8192", LLAMA_8B, "no-context-cap"),
    ("two", f"{LLAMA_8B} \\\n  --max-model-len 8192", f"{LLAMA_8B} -tp 1", "no-context-cap"),
    ("two", f"{LLAMA_8B} \\\n  --max-model-len 8192", LONG, "context-too-long"),
    (
        "two",
        f"{LLAMA_8B} \\\n  --max-model-len 8192",
        LONG.replace("120000", "120K"),
        "context-too-long",
    ),
    ("vllm", "8192", "131072", "context-beyond-model"),
    ("vllm", "8192", "40960", "may-not-fit"),
    ("vllm", "Qwen/Qwen3-32B-FP8", "mlx-community/gemma-4-e4b-it-4bit", "unsupported"),
    ("vllm", "Qwen/Qwen3-32B-FP8", "baichuan-inc/Baichuan2-7B-Base", "no-code-for-model"),
    ("sglang", "Qwen/Qwen3-32B", "tiiuae/falcon-40b", "no-code-for-model"),
    ("sglang", "Qwen/Qwen3-32B", "mlx-community/gemma-4-e4b-it-4bit", "unsupported"),
    ("vllm", "--dtype auto", "--dtype fp33", "option-value"),
    ("slow", "size 2 \\\n  --pipeline-parallel-size 2", "size 4", "tensor-across-nodes"),
    ("slow", "-parallel-size 2", "-parallel-size 4", "world-size"),
    ("slow", "-parallel-size 2", "-parallel-size 8", "world-size"),
    ("vllm", "0.92", "1.5", "option-value"),
    ("vllm", "0.92", "0", "option-value"),
    ("vllm", "0.92", "most", "option-value"),
    ("vllm", "--port 8000", "--port 80000", "option-value"),
    ("vllm", "-parallel-size 2", "-parallel-size 0", "option-value"),
    ("vllm", "-parallel-size 2", "-parallel-size", "option-value"),
    ("vllm", "127.0.0.1 \\\n  --port 8000 \\\n  --api-key secret", "0.0.0.0", "exposed"),
    ("vllm", "secret\n", "'secret\n", "unclosed-quote"),
    ("vllm", "qwen3-32b \\", "qwen3-32b --seed 1 other \\", "extra-argument"),
    ("vllm", "--dtype auto", "--quantization awqq", "option-value"),
    ("vllm", "Qwen3-32B-FP8", "Qwen3-32B --quantization awq", "unquantized-checkpoint"),
    ("two", "8001", "8000", "port-clash"),
    ("two", " \\\n  --port 8001", "", "port-clash"),
    ("two", "DEVICES=1", "DEVICES=0", "shared-gpu"),
    ("two", "CUDA_VISIBLE_DEVICES=1 ", "", "shared-gpu"),
    ("two", "DEVICES=1", "DEVICES=2", "visible-gpus"),
    ("two", "Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "does-not-fit"),
    ("two", "vllm serve Qwen/Qwen3-8B", "vllm serve Qwen/Qwen3-8B Qwen/Qwen3-4B", "extra-argument"),
    ("ray", "size 2", "size 4", "world-size"),
    ("ray", "size 8", "size 32", "world-size"),
    ("ray", "--num-gpus 8", "--num-gpus 16", "ray-gpus"),
    ("ray", "6379 --num-gpus 8", "6379 --num-gpus 8 --num-gpus 10", "ray-gpus"),
    ("ray", "127.0.0.1", "0.0.0.0", "exposed"),
    ("ray", "  --distributed-executor-backend ray \\\n", "", "one-node"),
    ("ray", "backend ray", "backend mp", "one-node"),
    ("ray", "DeepSeek-R1", "DeepSeek-R1 extra", "extra-argument"),
    ("ray", "ray start --head", "ray start --head now", "extra-argument"),
    ("nodes", "--nnodes 2", "--nnodes 3", "nodes"),
    ("nodes", "--nnodes 2", "--nnodes 4", "nodes"),
    ("nodes", "--nnodes 2", "--nnodes 1", "nodes"),
    ("nodes", "--nnodes 2", "--nnodes 0", "option-value"),
    ("nodes", "--node-rank 0", "--node-rank 2", "nodes"),
    ("nodes", "-parallel-size 2", "-parallel-size 3", "world-size"),
    ("sglang", "--tp-size 4", "--tp-size 3", "tensor-split"),
    ("sglang", "--tp-size 4", "--tp-size 6", "tensor-split"),
    ("sglang", "--tp-size 4", "--tp-size 16", "world-size"),
    ("sglang", "--tp-size 4", "--tp-size 4 --dp-size 4", "world-size"),
    ("sglang", "32768", "262144", "context-beyond-model"),
    ("sglang", "Qwen/Qwen3-32B", "moonshotai/Kimi-K2-Instruct", "does-not-fit"),
    ("sglang", "0.85", "85", "option-value"),
    ("sglang", " \\\n  --api-key secret", " --host 0.0.0.0", "exposed"),
    ("llama", "--tensor-split 1,1", "--tensor-split 1,1,1", "split-count"),
    ("llama", "--tensor-split 1,1", "--tensor-split 1,1,1,1", "split-count"),
    ("llama", "--tensor-split 1,1", "--tensor-split 1", "split-count"),
    ("shares", "--tensor-split 1,1", "--tensor-split 1,0", "split-size"),
    ("shares", "--tensor-split 1,1", "--tensor-split 0,1", "split-size"),
    ("llama", "--tensor-split 1,1", "--tensor-split half,half", "split-count"),
    ("llama", "Qwen3-32B-Q4_K_M", "Qwen2.5-72B-Instruct-Q8_0", "does-not-fit"),
    ("llama", "Qwen3-32B-Q4_K_M", "Llama-3.1-70B-Instruct-Q6_K", "does-not-fit"),
    ("llama", "16384", "1638400", "context-beyond-model"),
    ("llama", "127.0.0.1", "0.0.0.0", "exposed"),
    ("llama", "--parallel 1", "--draft-max 16", "unknown-option"),
    ("llama", "8080", "80800", "option-value"),
    ("llama", "--parallel 1", "--flash-attn --parallel 1", "option-value"),
    ("llama", "--cache-type-v f16", "--cache-type-v q8_0 --flash-attn off", "option-conflict"),
    ("vllm", "--load-format auto", "--tool-call-parser hermess", "option-value"),
    ("vllm", "--load-format auto", "--enable-auto-tool-choice", "option-conflict"),
    ("rpc", "10.0.0.2", "0.0.0.0", "exposed"),
    ("rpc", "10.0.0.2", "::", "exposed"),
    ("rpc", "--cache", "--cache /tmp", "extra-argument"),
    ("rpc", "50052", "500520", "option-value"),
    ("trtllm", "--tp_size 2", "--tp_size 4", "world-size"),
    ("trtllm", "--pp_size 1", "--pp_size 2", "world-size"),
    ("trtllm", "--tp_size 2", "--tp_size 3", "world-size"),
    ("trtllm", "Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "does-not-fit"),
    ("trtllm", "127.0.0.1", "0.0.0.0", "exposed"),
    ("trtllm", "8192", "1000000", "context-beyond-model"),
    ("mlx", "127.0.0.1", "0.0.0.0", "exposed"),
    ("ollama", "127.0.0.1:11434", "0.0.0.0:11434", "exposed"),
    ("ollama", "127.0.0.1:11434", "0.0.0.0", "exposed"),
    ("awq", "awq_marlin", "gptq", "option-conflict"),
    ("awq", "32B-AWQ", "32B-FP8", "option-conflict"),
    ("gguf", "pip install vllm-gguf-plugin", "", "unsupported"),
    ("batch", "tokens 8192", "tokens 4096", "option-conflict"),
    ("batch", "len 8192", "len 16384", "option-conflict"),
    ("batch", "30B-A3B", "8B", "option-conflict"),
    ("pod", "gpu: 2", "gpu: 1", "visible-gpus"),
    ("pod", '"2", --max', '"4", --max', "visible-gpus"),
    ("kserve", "max_model_len", "max_modle_len", "unknown-option"),
    ("kserve", "8192", "200000", "context-beyond-model"),
    ("tabby", "127.0.0.1", "0.0.0.0", "exposed"),
    ("tabby", "max_seq_len", "max_seq_length", "unknown-option"),
    ("tabby", "Q8", "Q7", "option-value"),
    ("tabby", "8192", "200000", "context-beyond-model"),
    ("ollama", "CONTEXT_LENGTH", "CONTEXT_LENTGH", "unknown-option"),
    ("ollama", "OLLAMA_CONTEXT_LENGTH", "OLLAMA_NUM_CTX", "unknown-option"),
    ("ollama", "8192", "8k", "option-value"),
    ("ollama-unit", "CONTEXT_LENGTH", "CTX_SIZE", "unknown-option"),
    ("ollama-unit", "24h", "24hours", "option-value"),
    ("ollama-unit", "ATTENTION=1", "ATTENTION=0", "option-conflict"),
    ("ollama-unit", "127.0.0.1", "0.0.0.0", "exposed"),
    ("ollama-compose", "q8_0", "q8", "option-value"),
    ("ollama-compose", '"2"', '"64"', "partly-in-ram"),
    ("ollama-compose", "8192", "131072", "context-beyond-model"),
    ("ollama-compose", "qwen3:14b", "qwen3:32b-q8_0", "partly-in-ram"),
    ("ollama-compose", "FLASH_ATTENTION: 1", "FLASH_ATTENTION: 0", "option-conflict"),
    ("modelfile", "num_ctx", "num_context", "unknown-option"),
    ("modelfile", "num_gpu", "num_gpus", "unknown-option"),
    ("serve", "        - {CPU: 1, GPU: 1}\n", "", "actor-gpus"),
    ("serve", "        - {CPU: 1, GPU: 1}\n", "        - {CPU: 1}\n", "actor-gpus"),
    ("serve", "parallel_size: 2", "parallel_size: 4", "actor-gpus"),
    ("serve", "parallel_size: 1", "parallel_size: 2", "actor-gpus"),
    ("serve", "initial_replicas: 4", "initial_replicas: 5", "world-size"),
    ("serve", "initial_replicas: 4", "initial_replicas: 8", "world-size"),
    ("serve", "max_model_len", "max_modellen", "unknown-option"),
    ("serve", "gpu_memory_utilization", "gpu_memory_util", "unknown-option"),
    ("serve", "max_num_seqs", "max_seqs", "unknown-option"),
    ("serve", "Qwen/Qwen3-32B-FP8", "Qwen/Qwen3-32B", "does-not-fit"),
    ("serve", "Qwen/Qwen3-32B-FP8", "meta-llama/Llama-3.3-70B-Instruct", "does-not-fit"),
    ("serve", f"{SMALL}        max_model_len: 8192\n", LARGE, "no-context-cap"),
    (
        "serve",
        f"{SMALL}        max_model_len: 8192\n",
        f"{LARGE}        max_model_len: 32768\n",
        "context-too-long",
    ),
    ("serve", "8192", "500000", "context-beyond-model"),
    ("serve", "0.92", "92", "option-value"),
    ("program", "* 2", "* 1", "actor-gpus"),
    ("program", '"tensor_parallel_size": 2', '"tensor_parallel_size": 8', "actor-gpus"),
    ("program", '"tensor_parallel_size": 2', '"tensor_parallel_size": 3', "tensor-split"),
    ("program", "enforce_eager", "enforce_eagerly", "unknown-option"),
    ("program", "max_model_len", "max_len", "unknown-option"),
    ("program", "8192", "1000000", "context-beyond-model"),
    ("offline", "size=4", "size=8", "world-size"),
    ("offline", "size=4", "size=3", "tensor-split"),
    ("offline", "size=4", "size=1", "does-not-fit"),
    ("offline", "size=4", "size=2", "does-not-fit"),
    ("offline", "max_model_len", "max_model_length", "unknown-option"),
    ("offline", "=0.9,", "=9,", "option-value"),
    ("compose", "8001:8000", "8000:8000", "port-clash"),
    ("compose", "--tensor-parallel-size, '1'", "--tensor-parallel-size, '2'", "visible-gpus"),
    ("compose", "Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "does-not-fit"),
    ("compose", "--max-model-len", "--max-modellen", "unknown-option"),
    ("compose", "['1']", "['2']", "visible-gpus"),
    (
        "page",
        "Qwen/Qwen2.5-72B-Instruct-AWQ",
        "Qwen/Qwen2.5-72B-Instruct",
        "unquantized-checkpoint",
    ),
    ("page", "2x-rtx-4090", "1x-rtx-4090", "world-size"),
    ("page", "2x-rtx-4090", "2x-rtx-4900", "no-such-combo"),
    ("page", "2x-rtx-4090", "2x-rtx-3060-12gb", "does-not-fit"),
    ("page", '"model": "big"', '"model": "large"', "daemon-model"),
    ("page", '["big"]', '["small"]', "daemon-model"),
    ("page", "name big", "name huge", "daemon-model"),
    ("page", "size 2", "size 16", "world-size"),
)
"""Base, what stands there, what is written instead, and the code that has to be reported."""

UNSEEN: tuple[tuple[str, str, str, str], ...] = (
    ("serve", "build_openai_app", "build_app", "unseen"),
    ("ray", "10.0.0.1:6379", "10.0.0.1:6380", "unseen"),
    ("two", " &\nCUDA", "\nCUDA", "unseen"),
    ("compose", "vllm/vllm-openai:v0.33.0", "vllm/vllm-openai:v0.33", "unseen"),
    ("vllm", "Qwen/Qwen3-32B-FP8", "Qwen/Qwen3-32B-PF8", "unseen"),
)
"""Mistakes that the linter does not see; the test gives the reasons."""

SERVING = """\
from {module} import {name}
from vllm import LLM
{setup}

{decorator}
{kind} Model:
    def __init__(self):
        self.llm = LLM(model="Qwen/Qwen3-8B", max_model_len=8192{more})
"""
HANDLER = """\
from fastapi import FastAPI
from vllm import LLM

app = FastAPI()
llm = LLM(model="Qwen/Qwen3-8B", max_model_len=8192)


@app.post("/ask")
def ask(prompt: str):
    return llm.generate(prompt)
"""


def planted() -> Iterator[Mutant]:
    """Mistakes of every rule that need a place of their own."""
    for at, (name, old, new, code) in enumerate((*PLANTED, *UNSEEN)):
        base = BY_NAME[name]
        assert old in base.text, (name, old)
        text = base.text.replace(old, new, 1)
        named = f"{name} {old}" if code == "unseen" else f"{name} planted {at} {code}"
        yield Mutant(named, text, base.kind, base.combo, code)
    moved = "llama-server -m Qwen3-30B-A3B-Q4_K_M.gguf --n-cpu-moe 9 -c 16384 --port 8080\n"
    yield Mutant("experts in RAM", moved, "bash", "", "small-steps")
    yield Mutant("handler", HANDLER, "python", "", "offline-engine")
    inside = HANDLER.replace("return llm", "return LLM(model='x')")
    yield Mutant("handler, inside", inside, "python", "", "offline-engine")
    actor = SERVING.format(
        module="ray", name="serve", setup="", kind="class", more="",
        decorator="@serve.deployment(ray_actor_options={'num_gpus': 1})",
    )  # fmt: skip
    yield Mutant("actor", actor, "python", "", "offline-engine")
    wide = actor.replace("max_model_len=8192", "tensor_parallel_size=2")
    yield Mutant("actor, wide", wide, "python", "", "actor-gpus")
    bare = actor.replace("(ray_actor_options={'num_gpus': 1})", "")
    yield Mutant("actor, bare", bare, "python", "", "actor-gpus")


def mutants() -> tuple[Mutant, ...]:
    """All of them."""
    return (*misspelt(), *broken_lines(), *wrong_values(), *planted())
