"""A miniature catalog that is in order: one or two records of each kind, as their authors write."""

from __future__ import annotations

from collections.abc import Mapping

SOURCES = """\
sources:
  - title: Data sheet
    url: https://example.org/sheet
    read: 2026-11-20
"""

RTX_4090 = f"""\
# yaml-language-server: $schema=../../schema/v1/gpu.schema.json
name: RTX 4090
vendor: nvidia
architecture: Ada Lovelace
segment: consumer
vram_gib: 24
visible_mib: 24077
memory_bandwidth_gb_s: 1008
fp16_tflops: 165.2
compute_capability: "8.9"
bus: pcie-4-x16
launched: 2022-10-12
{SOURCES}"""

RTX_3090 = """\
# yaml-language-server: $schema=../../schema/v1/gpu.schema.json
name: RTX 3090
vendor: nvidia
architecture: Ampere
segment: consumer
vram_gib: 24
memory_bandwidth_gb_s: 936
bus: pcie-4-x16
links: [nvlink-bridge]
sources:
  - title: Data sheet
    url: https://example.org/3090
    read: 2026-11-20
    fields: [vram_gib, memory_bandwidth_gb_s]
"""

M4_MAX = f"""\
# yaml-language-server: $schema=../../schema/v1/gpu.schema.json
name: M4 Max
vendor: apple
architecture: M4
segment: integrated
unified_memory_options_gib: [36, 64, 128]
unified_default_fraction: {{low: 0.7, mid: 0.75, high: 0.8}}
unified_larger_fractions:
  - {{from_gib: 128, low: 0.75, mid: 0.84, high: 0.84}}
unified_raised_reserve_gib: 8
memory_bandwidth_gb_s: 546
{SOURCES}"""

PCIE_4_X16 = f"""\
# yaml-language-server: $schema=../../schema/v1/interconnect.schema.json
name: PCIe 4.0 x16
kind: pcie
between_nodes: false
nominal_gb_s: 31.51
bus_bandwidth_gb_s: {{low: 10, mid: 20, high: 25}}
latency_us: {{low: 10, mid: 20, high: 40}}
evidence: estimated
{SOURCES}"""

NVLINK_BRIDGE = PCIE_4_X16.replace("PCIe 4.0 x16", "NVLink bridge").replace("pcie", "nvlink")
PCIE_3_X8 = PCIE_4_X16.replace("PCIe 4.0 x16", "PCIe 3.0 x8")

ETHERNET_10G = f"""\
# yaml-language-server: $schema=../../schema/v1/interconnect.schema.json
name: 10 GbE
kind: ethernet
between_nodes: true
nominal_gb_s: 1.25
evidence: estimated
{SOURCES}"""

FOUR_BOXES = f"""\
# yaml-language-server: $schema=../../schema/v1/combo.schema.json
name: 4 nodes × 2× RTX 4090
summary: Four desktop machines that serve replicas.
nodes:
  - count: 4
    gpus:
      - gpu: rtx-4090
        count: 2
    link: pcie-4-x16
    ram_gib: 128
network: ethernet-10g
orchestrator: ray-serve
why: Used parts, and each box stays a box.
failure_modes:
  - symptom: Workers hang at start.
    check: Look for a timeout in the log of the head node.
    fix: Give every node the same interface name.
{SOURCES}"""

STUDIO = f"""\
# yaml-language-server: $schema=../../schema/v1/combo.schema.json
name: Mac Studio
summary: One quiet machine.
nodes:
  - gpus:
      - gpu: m4-max
        unified_memory_gib: 128
    os: macos
{SOURCES}"""

LLAMA = f"""\
# yaml-language-server: $schema=../../schema/v1/model.schema.json
name: Llama 3.1 8B
organization: Meta
repository: meta-llama/Llama-3.1-8B-Instruct
released: 2024-07-23
config:
  model_type: llama
  hidden_size: 4096
  num_attention_heads: 32
  num_key_value_heads: 8
  vocab_size: 128256
context_tokens: 131072
published_parameters: 8030261248
checkpoints:
  - quantization: bf16
    native: true
    file_gb: 16.07
  - quantization: q4-k-m
    repository: someone/Llama-3.1-8B-GGUF
    file_bytes: 4920734272
{SOURCES}"""

BF16 = f"""\
# yaml-language-server: $schema=../../schema/v1/quantization.schema.json
name: BF16
format: bf16
linears: {{weight_bits: 16}}
nominal_bits: 16
production: true
{SOURCES}"""

Q4_K_M = f"""\
# yaml-language-server: $schema=../../schema/v1/quantization.schema.json
name: Q4_K_M
format: gguf
gguf_file_type: Q4_K_M
nominal_bits: 4.5
production: true
{SOURCES}"""

VLLM = f"""\
# yaml-language-server: $schema=../../schema/v1/runtime.schema.json
name: vLLM
summary: Serving engine for many users.
vendors: [nvidia, amd]
formats: [bf16, awq]
memory_model: paged
capabilities:
  tensor_parallel: true
  pipeline_parallel: true
  layer_split: false
  multi_node: true
  mixed_gpus: false
  cpu_offload: false
profiles:
  - version: "0.9"
    since: "0.9"
    until: "0.10"
    constants: {{}}
  - version: "0.19"
    since: "0.10"
    constants:
      memory_fraction:
        value: 0.9
        unit: /1
        status: code
        source: {{title: vLLM wheel, read: 2026-11-20}}
      graphs_gib:
        low: 0.5
        mid: 1
        high: 2
        unit: GiB
        status: measured
        source: {{title: start-up logs, read: 2026-11-20}}
    defaults:
      - min_visible_gib: 70
        max_num_batched_tokens: 8192
        max_num_seqs: 1024
    flags: {{graphs_in_budget: true}}
assessed_version: "0.19"
{SOURCES}"""

RAY_SERVE = f"""\
# yaml-language-server: $schema=../../schema/v1/runtime.schema.json
name: Ray Serve
summary: Replicas behind one endpoint.
vendors: [nvidia]
formats: [bf16]
memory_model: orchestrator
capabilities:
  tensor_parallel: false
  pipeline_parallel: false
  layer_split: false
  multi_node: true
  mixed_gpus: false
  cpu_offload: false
drives: [vllm]
{SOURCES}"""

ROUND_TRIP = """\
# yaml-language-server: $schema=../../schema/v1/assumption.schema.json
title: A round trip over 10 GbE
low: 20
mid: 90
high: 300
unit: us
status: published
source:
  title: Somebody's log
  url: https://example.org/ping
  read: 2026-11-20
"""

VISIBLE_FRACTION = """\
# yaml-language-server: $schema=../../schema/v1/assumption.schema.json
title: Share of a GPU's memory that a process sees
low: 0.91
mid: 0.98
high: 0.999
unit: /1
status: assumed
source:
  title: Start-up logs
  read: 2026-11-20
"""

LOGS = f"""\
# yaml-language-server: $schema=../../schema/v1/measurement.schema.json
runs:
  - id: llama-on-two
    subject: {{model: llama-3.1-8b, quantization: bf16, runtime: vllm}}
    system:
      nodes:
        - gpus: [{{gpu: rtx-4090, count: 2}}]
          link: pcie-4-x16
      visible_gib: 23.5
    parallel: {{tensor: 2}}
    workload: {{context_tokens: 8192}}
    observed: {{weights_gib: 7.51, kv_pool_gib: 12.5, kv_pool_tokens: 204800}}
    outcome: ran
    usable_for: [weights, kv-tokens]
    quote: Loading model weights took 7.51 GB
files:
  - {{id: file-1, model: llama-3.1-8b, quantization: q4-k-m, gb: 4.92, half_digit: 0.005}}
left_out:
  - {{id: log-2, reason: The model is not named.}}
{SOURCES}"""

SPEEDS = f"""\
# yaml-language-server: $schema=../../schema/v1/benchmark.schema.json
runs:
  - id: eight-streams
    group: llama
    subject: {{model: llama-3.1-8b, quantization: bf16, runtime: vllm}}
    system: {{nodes: [{{gpus: [{{gpu: rtx-4090, count: 2}}], link: pcie-4-x16}}]}}
    parallel: {{tensor: 2}}
    workload: {{depth_tokens: 1024, sequences: 8}}
    figures: {{decode_tokens_per_s: 60, aggregate_tokens_per_s: 450}}
    timed: steady
    quote: 8 streams, 450 tok/s
left_out:
  - id: row-1
    reason: The model is not named.
{SOURCES}"""

PAGE = f"""\
# yaml-language-server: $schema=../../schema/v1/claim.schema.json
title: A page
claims:
  - id: enough
    quote: An 8B model needs 16 GB in FP16.
    memory: {{model: llama-3.1-8b, quantizations: [bf16], gb: 16}}
  - id: on-a-studio
    quote: It runs on a Mac.
    fits:
      model: llama-3.1-8b
      quantizations: [bf16]
      on:
        nodes:
          - gpus: [{{gpu: m4-max, unified_memory_gib: 64}}]
  - id: wide
    quote: PCIe 4.0 carries 32 GB/s.
    link: {{link: pcie-4-x16, gb_s: 32}}
{SOURCES}"""

RATING_POINT = """\
# yaml-language-server: $schema=../../schema/v1/assumption.schema.json
title: Log-odds of a rating point
value: 0.079
unit: log-odds
status: assumed
source: {title: A fit, url: "", read: 2026-11-20}
"""

LOSSES = f"""\
# yaml-language-server: $schema=../../schema/v1/loss.schema.json
title: A table
evaluator: independent
evaluated_by: Somebody
license: MIT
date: 2026-11
tables:
  - model: llama-3.1-8b
    name: Llama 3.1 8B
    metric: kld-mean
    unit: nats
    baseline: bf16
    rows:
      - {{quantization: q4-k-m, value: 0.03, error: 0.0002, bits: 4.8}}
  - name: Llama 3 8B
    metric: mmlu
    unit: percent
    baseline: bf16
    baseline_value: 65.2
    questions: 14042
    rows:
      - {{written: Q4_K_XL, value: 64.6}}
{SOURCES}"""

BOARD = f"""\
# yaml-language-server: $schema=../../schema/v1/board.schema.json
name: A test
use: coding
unit: percent
evaluator: independent
evaluated_by: Somebody
url: https://example.org/board
license: MIT
questions: 200
{SOURCES}"""

SCORES = f"""\
# yaml-language-server: $schema=../../schema/v1/score.schema.json
title: A test, November
names: somebody
evaluator: independent
evaluated_by: Somebody
date: 2026-11-01
tables:
  - board: test
    mode: non-thinking
    scores:
      Llama 3.1 8B: 61.5
      Llama 3.1 8B Chat: [62, 60, 64]
      Other 7B: 50.25
{SOURCES}"""

NAME_MAP = """\
# yaml-language-server: $schema=../../schema/v1/name.schema.json
title: Somebody
reviewed: 2026-11-20
exact:
  Llama 3.1 8B: llama-3.1-8b
siblings:
  Llama 3.1 8B Chat: llama-3.1-8b
outside:
  - Other 7B
"""

SAMPLE: Mapping[str, str] = {
    "catalog/boards/test.yaml": BOARD,
    "catalog/scores/november.yaml": SCORES,
    "catalog/names/somebody.yaml": NAME_MAP,
    "catalog/assumptions/rating-point-log-odds.yaml": RATING_POINT,
    "catalog/assumptions/visible-memory-fraction.yaml": VISIBLE_FRACTION,
    "catalog/assumptions/round-trip-us.yaml": ROUND_TRIP,
    "catalog/benchmarks/table.yaml": SPEEDS,
    "catalog/claims/page.yaml": PAGE,
    "catalog/combos/four-boxes.yaml": FOUR_BOXES,
    "catalog/combos/studio.yaml": STUDIO,
    "catalog/gpus/m4-max.yaml": M4_MAX,
    "catalog/gpus/rtx-3090.yaml": RTX_3090,
    "catalog/gpus/rtx-4090.yaml": RTX_4090,
    "catalog/interconnects/ethernet-10g.yaml": ETHERNET_10G,
    "catalog/interconnects/nvlink-bridge.yaml": NVLINK_BRIDGE,
    "catalog/interconnects/pcie-3-x8.yaml": PCIE_3_X8,
    "catalog/interconnects/pcie-4-x16.yaml": PCIE_4_X16,
    "catalog/losses/table.yaml": LOSSES,
    "catalog/measurements/logs.yaml": LOGS,
    "catalog/models/llama-3.1-8b.yaml": LLAMA,
    "catalog/quantizations/bf16.yaml": BF16,
    "catalog/quantizations/q4-k-m.yaml": Q4_K_M,
    "catalog/runtimes/ray-serve.yaml": RAY_SERVE,
    "catalog/runtimes/vllm.yaml": VLLM,
}


def changed(path: str, old: str, new: str) -> dict[str, str]:
    """Return the sample with one piece of text replaced in one file.

    Without ``old`` the whole file is ``new``; without both the file is gone.
    """
    assert not old or old in SAMPLE[path], f"{old!r} is not in {path}"
    text = SAMPLE[path].replace(old, new, 1) if old else new
    return {name: given for name, given in {**SAMPLE, path: text}.items() if given}
