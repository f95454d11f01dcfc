"""One mistake per problem of the catalog: what an author changes, and the code it gets."""

from __future__ import annotations

from typing import NamedTuple

from tests.catalog.sample import LLAMA, Q4_K_M, SOURCES, VISIBLE_FRACTION

GPU = "catalog/gpus/rtx-4090.yaml"
GPU_3090 = "catalog/gpus/rtx-3090.yaml"
MAC = "catalog/gpus/m4-max.yaml"
LINK = "catalog/interconnects/pcie-4-x16.yaml"
BOXES = "catalog/combos/four-boxes.yaml"
STUDIO = "catalog/combos/studio.yaml"
MODEL = "catalog/models/llama-3.1-8b.yaml"
MODEL_2 = "catalog/models/llama-3.2-8b.yaml"
GGUF = "catalog/quantizations/q4-k-m.yaml"
BF16 = "catalog/quantizations/bf16.yaml"
VLLM = "catalog/runtimes/vllm.yaml"
RAY = "catalog/runtimes/ray-serve.yaml"
LOGS = "catalog/measurements/logs.yaml"
SPEEDS = "catalog/benchmarks/table.yaml"
PAGE = "catalog/claims/page.yaml"
LOST = "catalog/losses/table.yaml"
POINT = "catalog/assumptions/rating-point-log-odds.yaml"
SCORED = "catalog/scores/november.yaml"
BOARD = "catalog/boards/test.yaml"
NAME_MAP = "catalog/names/somebody.yaml"
FRACTION = "catalog/assumptions/visible-memory-fraction.yaml"


OPERATIONS = """\
operations:
  power: Two circuits.
  sources:
    - title: A page
      url: https://example.org/x
      read: 2026-11-20
      fields: [{}]
failure_modes:"""
TRAITS = """\
traits:
  default_port: 8000
  sources:
    - {title: A page, read: 2026-11-20, fields: [port]}
profiles:
"""


class Case(NamedTuple):
    """Change a file of the sample (see ``changed``), and expect problems of this code only.

    The first case of a code is the example that ``docs/problems.md`` shows.
    """

    code: str
    path: str
    old: str
    new: str


TEXT = (
    Case("too-large", GPU, "RTX 4090", "x" * 2**20),
    Case("character", GPU, "RTX 4090", "RTX \u202e0904"),
    Case("character", GPU, "RTX 4090", "RTX\x00"),
    Case("character", GPU, "# yaml", "\ufeff# yaml"),
    Case("character", GPU, "name: RTX 4090", 'name: "RTX \\u200b4090"'),
    Case("not-nfc", GPU, "Ada Lovelace", "Ada Lo\u0308velace"),
    Case("not-nfc", GPU, "Ada Lovelace", '"Ada Lo\\u0308velace"'),
    Case("yaml-syntax", GPU, "bus: pcie-4-x16", "bus: [pcie-4-x16"),
    Case("yaml-syntax", GPU, "name: RTX 4090", "name: RTX: 4090"),
    Case("yaml-syntax", GPU, "name: RTX 4090", "\tname: RTX 4090"),
    Case("yaml-empty", FRACTION, "", VISIBLE_FRACTION.splitlines()[0] + "\n"),
    Case("yaml-depth", GPU, "name: RTX 4090", "name: " + "[" * 200_000),
    Case("yaml-tag", GPU, "RTX 4090", "!!python/object/apply:os.system [id]"),
    Case("yaml-anchor", GPU, "name: RTX", "name: &name RTX"),
    Case("yaml-anchor", GPU, "RTX 4090", "*name"),
    Case("yaml-anchor", GPU, "name: RTX 4090", "<<: {name: RTX 4090}"),
    Case("yaml-duplicate", GPU, "visible_mib: 24077", '"vram_gib": 24'),
    Case("yaml-documents", GPU, "sources:", "---\nsources:"),
    Case("yaml-directive", GPU, "name: RTX 4090", "%YAML 1.1\n---\nname: RTX 4090"),
    Case("yaml-key", GPU, "name: RTX 4090", "name: RTX 4090\n4090: yes"),
    Case("yaml-key", GPU, "name: RTX 4090", "? [name]\n: RTX 4090"),
    Case("yaml-number", GPU, "vram_gib: 24", "vram_gib: .inf"),
    Case("yaml-number", GPU, "vram_gib: 24", "vram_gib: 1e999"),
    Case("yaml-number", GPU, "vram_gib: 24", f"vram_gib: {'9' * 5000}"),
    Case("modeline", GPU, "v1/gpu", "v1/combo"),
    Case("modeline", GPU, "# yaml", "# YAML"),
)
"""What a file's text can have wrong with it."""

NAMES = (
    Case("duplicate-id", "catalog/quantizations/Q4-K-M.yaml", "", Q4_K_M),
    Case("folder", "catalog/gpu/rtx-4070.yaml", "", Q4_K_M),
    Case("folder", "catalog/gpus/nvidia/rtx-4070.yaml", "", Q4_K_M),
    Case("file-name", "catalog/quantizations/q4-0.yml", "", Q4_K_M),
    Case("file-name", "catalog/quantizations/README.md", "", "# Quantizations\n"),
    Case("file-name", "catalog/quantizations/q4_0.yaml", "", Q4_K_M),
    Case("file-name", "catalog/quantizations/nul.yaml", "", Q4_K_M),
    Case("file-name", "catalog/quantizations/com1.x.yaml", "", Q4_K_M),
    Case("file-name", f"catalog/quantizations/{'q' * 81}.yaml", "", Q4_K_M),
)
"""What a file's name can have wrong with it."""

SHAPE = (
    Case("missing-key", GPU, "vendor: nvidia\n", ""),
    Case("unknown-key", GPU, "vram_gib: 24", "vram_gb: 24\nvram_gib: 24"),
    Case("unknown-key", GPU, "name: RTX 4090", "id: rtx-4090\nname: RTX 4090"),
    Case("not-a-choice", GPU, "nvidia", "nvida"),
    Case("wrong-type", GPU, "vram_gib: 24", "vram_gib: 24 GB"),
    Case("wrong-type", GPU, "vram_gib: 24", 'vram_gib: "24"'),
    Case("wrong-type", GPU, "vram_gib: 24", "vram_gib: 24000 MB"),
    Case("wrong-type", GPU, "vram_gib: 24", "vram_gib: 017"),
    Case("wrong-type", GPU, "vram_gib: 24", "vram_gib: no"),
    Case("wrong-type", GPU, "vram_gib: 24", "vram_gib: true"),
    Case("wrong-type", GPU, "visible_mib: 24077", "visible_mib: 24077.5"),
    Case("wrong-type", GPU, '"8.9"', "8.90"),
    Case("wrong-type", GPU, "RTX 4090", "4090"),
    Case("no-value", GPU, "RTX 4090", ""),
    Case("no-value", STUDIO, "nodes:", "network:\nnodes:"),
    Case("no-value", VLLM, 'since: "0.9"', "since: ~"),
    Case("wrong-type", LINK, "between_nodes: false", "between_nodes: no"),
    Case("wrong-type", GPU_3090, "[nvlink-bridge]", "nvlink-bridge"),
    Case("wrong-type", VLLM, "flags: {graphs_in_budget: true}", "flags: [graphs_in_budget]"),
    Case("wrong-type", GPU_3090, "  - title: Data sheet", "  - Data sheet\n  - title: Data sheet"),
    Case("out-of-range", BOXES, "count: 4", "count: 0"),
    Case("out-of-range", BOXES, "count: 2", "count: 65"),
    Case("out-of-range", BF16, "weight_bits: 16", "weight_bits: 16, group_size: -2"),
    Case("out-of-range", FRACTION, "high: 0.999", "high: 1e15"),
    Case("out-of-range", FRACTION, "low: 0.91", "low: -1"),
    Case("out-of-range", FRACTION, "low: 0.91", "low: 0"),
    Case("out-of-range", GPU_3090, "vram_gib: 24", "vram_gib: 1000000000000000"),
    Case("out-of-range", LOGS, "visible_gib: 23.5", "visible_gib: 1e-300"),
    Case("out-of-range", MODEL, "vocab_size: 128256", "vocab_size: 1000000000000000"),
    Case(
        "length",
        MODEL,
        LLAMA[LLAMA.index("checkpoints") : LLAMA.index(SOURCES)],
        "checkpoints: []\n",
    ),
    Case("length", GPU, "RTX 4090", '" "'),
    Case("length", GPU, "RTX 4090", "x" * 5001),
    Case("bad-format", GPU, "2022-10-12", "October 2022"),
    Case("bad-format", GPU, '"8.9"', "sm_89"),
    Case("bad-format", SPEEDS, "runtime: vllm", "runtime: vllm, version: v0.19.1"),
    Case("bad-format", LOGS, "runtime: vllm", "runtime: vllm, version: 0.19.0rc2"),
    Case("more-problems", GPU, SOURCES, SOURCES + "".join(f"x{i}: 1\n" for i in range(60))),
)
"""What a record's shape can have wrong with it."""

REFERENCES = (
    Case("old-id-taken", GPU, "name: RTX 4090", "name: RTX 4090\nrenamed_from: [rtx-3090]"),
    Case("unknown-gpu", BOXES, "gpu: rtx-4090", "gpu: rtx-4900"),
    Case("unknown-gpu", BOXES, "gpu: rtx-4090", "gpu: RTX 4090"),
    Case("unknown-interconnect", BOXES, "ethernet-10g", "ethernet-100g"),
    Case("unknown-interconnect", GPU, "pcie-4-x16", "pcie-4"),
    Case("unknown-interconnect", GPU_3090, "[nvlink-bridge]", "[nvlink]"),
    Case(
        "superseded-successor",
        MODEL,
        "context_tokens",
        "superseded_by: llama-3.1-8b\ncontext_tokens",
    ),
    Case("unknown-model", LOGS, "llama-3.1-8b", "llama-3-8b"),
    Case("unknown-quantization", LOGS, "bf16", "bf-16"),
    Case(
        "unknown-quantization",
        VLLM,
        "assessed_version",
        "format_limits: [{formats: [awq], quantizations: [awq-4], "
        "source: {title: vLLM wheel, read: 2026-11-20}}]\nassessed_version",
    ),
    Case("unknown-gpu", LOGS, "rtx-4090", "rtx-4091"),
    Case("unknown-quantization", MODEL, "q4-k-m", "q4km"),
    Case("unknown-runtime", BOXES, "ray-serve", "ray"),
    Case("unknown-runtime", RAY, "[vllm]", "[vlm]"),
    Case("not-an-orchestrator", BOXES, "ray-serve", "vllm"),
    Case("drives-orchestrator", RAY, "[vllm]", "[vllm, ray-serve]"),
)
"""What a reference can have wrong with it."""

EXCUSES = (
    Case("bad-ignore", GPU, "vram_gib: 24", "vram_gib: 24 # sitegen: ignore[cors] counted"),
    Case("bad-ignore", GPU, "vram_gib: 24", "vram_gib: 24 # sitegen: ignore it"),
    Case("bad-ignore", GPU, "vram_gib: 24", "vram_gib: 24 # sitegen: ignore[no-source] mine"),
    Case("needless-ignore", GPU, "vram_gib: 24", "vram_gib: 24 # sitegen: ignore[cores] old"),
)
"""What a comment that excuses a problem can have wrong with it."""

HARDWARE = (
    Case(
        "bandwidth",
        GPU,
        "memory_bandwidth_gb_s: 1008",
        "memory_bandwidth_gb_s: 936\nmemory_bus_bits: 384\nmemory_gbit_s: 21",
    ),
    Case("cores", GPU, "bus: pcie", "multiprocessors: 144\ncores: 16384\nbus: pcie"),
    Case(
        "cores",
        GPU,
        'compute_capability: "8.9"',
        'compute_capability: "7.5"\nmultiprocessors: 68\ncores: 8704',
    ),
    Case(
        "rate-clock",
        GPU,
        "fp16_tflops: 165.2",
        "fp16_tflops: 330.4\nmultiprocessors: 128\nrates_at_mhz: 2520",
    ),
    Case("rate-ratio", GPU, "bus: pcie", "fp8_tflops: 660.6\nbus: pcie"),
    Case("rate-ratio", GPU, "bus: pcie", "int8_tops: 1321\nbus: pcie"),
    Case("rate-ratio", GPU, "bus: pcie", "fp4_tflops: 1321\nbus: pcie"),
    Case("unknown-architecture", GPU, "Ada Lovelace", "AdaLovelace"),
    Case("unknown-architecture", GPU, "Ada Lovelace", "CDNA 3"),
    Case("unknown-architecture", MAC, "architecture: M4", "architecture: m4"),
    Case("connectors", GPU, "bus: pcie", "power_connectors: 1× None\nbus: pcie"),
    Case("connectors", GPU, "bus: pcie", "power_connectors: 2x 8-pin\nbus: pcie"),
    Case("gpu-memory", GPU_3090, "vram_gib: 24\n", ""),
    Case("unified-facts", MAC, "unified_raised_reserve_gib: 8\n", ""),
    Case("unified-facts", MAC, "high: 0.8}", "high: 1.1}"),
    Case("unified-facts", MAC, "mid: 0.84, high: 0.84", "mid: 0.84, high: 1.1"),
    Case("unified-facts", GPU, "vram_gib: 24", "vram_gib: 24\nunified_raised_reserve_gib: 8"),
    Case("visible-memory", GPU, "24077", "25000"),
    Case("name-taken", GPU, "name: RTX 4090", "name: RTX-3090"),
    Case("visible-memory", GPU, "24077", "24"),
    Case(
        "short-context",
        MODEL_2,
        "",
        LLAMA.replace("3.1", "3.2").replace("tokens: 131072", "tokens: 40"),
    ),
    Case(
        "short-context",
        MODEL_2,
        "",
        LLAMA.replace("3.1", "3.2").replace("tokens: 131072", "tokens: 511"),
    ),
    Case("name-taken", MODEL_2, "", LLAMA.replace("Llama-3.1", "Llama-3.2")),
    Case("segment-figure", GPU, "gb_s: 1008", "gb_s: 10080"),
    Case("segment-figure", GPU_3090, "vram_gib: 24", "vram_gib: 24576"),
    Case("segment-figure", GPU, "gb_s: 1008", "gb_s: 1.008"),
    Case("segment-figure", GPU, "bus: pcie", "tdp_watts: 4500\nbus: pcie"),
    Case("segment-figure", MAC, "segment: integrated", "segment: integrated\ntdp_watts: 600"),
    Case("link-figure", LINK, "high: 25}", "high: 250}"),
    Case("link-figure", LINK, "latency_us: {low: 10", "latency_us: {low: 0.01"),
    Case("visible-memory", MAC, "memory_bandwidth", "visible_mib: 1\nmemory_bandwidth"),
    Case("compute-capability", GPU, '"8.9"', '"89"'),
    Case("compute-capability", GPU, '"8.9"', '"8.9.0"'),
    Case(
        "compute-capability", MAC, "memory_bandwidth", 'compute_capability: "8.9"\nmemory_bandwidth'
    ),
    Case("interval-order", LINK, "low: 10, mid: 20, high: 25", "low: 30, mid: 20, high: 25"),
    Case("node-link-missing", BOXES, "    link: pcie-4-x16\n", ""),
    Case("node-link-needless", STUDIO, "    os: macos", "    link: pcie-4-x16\n    os: macos"),
    Case("link-between-nodes", BOXES, "link: pcie-4-x16", "link: ethernet-10g"),
    Case("link-not-on-gpu", BOXES, "link: pcie-4-x16", "link: nvlink-bridge"),
    Case("network-missing", BOXES, "network: ethernet-10g\n", ""),
    Case("network-needless", STUDIO, "nodes:", "network: ethernet-10g\nnodes:"),
    Case("network-inside-node", BOXES, "network: ethernet-10g", "network: pcie-4-x16"),
    Case("unified-memory", STUDIO, "128", "96"),
    Case("unified-memory", STUDIO, "        unified_memory_gib: 128\n", ""),
    Case("unified-memory", BOXES, "count: 2", "count: 2\n        unified_memory_gib: 128"),
    Case(
        "combo-size",
        BOXES,
        "count: 4\n    gpus:",
        "count: 128\n    gpus:\n      - {gpu: rtx-4090, count: 64}",
    ),
)
"""What hardware can have wrong with it."""

SEEN = """\
prices:
  - kind: used
    amount: 1850
    currency: USD
    date: 2026-11-18
    source: {title: A shop, url: https://example.org/shop, read: 2026-11-20}
"""


def priced(old: str, new: str, times: int = 1) -> str:
    """Write a list of prices with a mistake, in front of the sources."""
    head, _, entry = SEEN.partition("\n")
    return f"{head}\n{entry.replace(old, new) * times}sources:"


PRICES = (
    Case("price-date", GPU, "sources:", priced("2026-11-18", "2026-11-21")),
    Case("price-date", GPU, "sources:", priced("2026-11-18", "2026-12")),
    Case("price-date", GPU, "sources:", priced("2026-11-18", "2026-02-30")),
    Case("bad-format", GPU, "sources:", priced("2026-11-18", "'2026'")),
    Case("price-source", GPU, "sources:", priced("url: https://example.org/shop, ", "")),
    Case("price-amount", GPU, "sources:", priced("1850", "1850000")),
    Case("price-amount", GPU, "sources:", priced("1850", "0.5")),
    Case("price-amount", GPU, "sources:", "launch_price_usd: 1600\n" + priced("1850", "185000")),
    Case("price-amount", GPU, "sources:", priced("kind: used", "kind: rent")),
    Case("price-amount", GPU, "sources:", priced("currency: USD", "currency: KRW")),
    Case("price-amount", BOXES, "sources:", priced("1850", "12")),
    Case("out-of-range", GPU, "sources:", priced("1850", "0")),
    Case("price-twice", GPU, "sources:", priced("", "", times=2)),
    Case(
        "price-twice",
        GPU,
        "sources:",
        priced("", "").removesuffix("sources:")
        + priced("2026-11-18", "2026-11").removeprefix("prices:\n"),
    ),
    Case("price-memory", MAC, "sources:", priced("", "")),
    Case("price-memory", MAC, "sources:", priced("1850", "1850\n    memory_gib: 96")),
    Case("price-memory", GPU, "sources:", priced("1850", "1850\n    memory_gib: 24")),
    Case("price-memory", BOXES, "sources:", priced("1850", "1850\n    memory_gib: 24")),
    Case("not-a-choice", GPU, "sources:", priced("USD", "DOGE")),
    Case("not-a-choice", GPU, "sources:", priced("kind: used", "kind: refurbished")),
    Case("url", GPU, "sources:", priced("https://example.org/shop", "ftp://example.org/shop")),
    Case("date", GPU, "sources:", priced("read: 2026-11-20", "read: 2026-11-21")),
)
"""What prices can have wrong with them."""

ONLY_ON = "other_architectures: [CDNA 3, RDNA4]"
OLDEST = "minimum_compute_capability: '80'"
CACHE_DEFAULT = """\
cache_defaults:
  - families: [llama]
    compute_capabilities: ['10']
    kv_dtype: fp8
    source: {title: vLLM wheel, read: 2026-11-20}"""
ON_GPUS = """\
chat_options:
  - models: [llama-3.1-8b]
    on_gpus:
      - compute_capabilities: ['90']
        options: [--moe-runner-backend marlin]
        source: {title: SGLang wheel, read: 2026-11-20}
    source: {title: SGLang wheel, read: 2026-11-20}"""
FORMAT_LIMIT = f"""\
format_limits:
  - formats: [bf16]
    {ONLY_ON}
    source: {{title: vLLM wheel, read: 2026-11-20}}"""
MODEL_LIMIT = FORMAT_LIMIT.replace("format_limits", "model_limits").replace(
    "formats: [bf16]", "families: [llama]"
)
ENVIRONMENT = """\
environment:
  - architectures: [CDNA3]
    variables: {FAST: '1'}
    note: Fast.
    source: {title: vLLM wheel, read: 2026-11-20}"""
GGUF_REPOSITORY = "repository: someone/Llama-3.1-8B-GGUF"
MODELS = (
    Case("licence", MODEL, "released:", "license: llama3.1\nreleased:"),
    Case("licence", MODEL, "released:", "license: Apache-2.0\nreleased:"),
    Case("licence", MODEL, "released:", "license: apache-2.0 or mit, by size\nreleased:"),
    Case("licence", MODEL, "released:", "license: licenseref-\nreleased:"),
    Case("licence", MODEL, "    native: true", "    native: true\n    license: mrl"),
    Case(
        "experts", MODEL, "hidden_size", "num_experts: 8\n  num_experts_per_tok: 9\n  hidden_size"
    ),
    Case("kv-heads", MODEL, "num_key_value_heads: 8", "num_key_value_heads: 64"),
    Case(
        "duplicate-checkpoint", MODEL, "quantization: q4-k-m", "quantization: q4-k-m\n    id: bf16"
    ),
    Case("repository-taken", MODEL_2, "", LLAMA.replace("name: Llama 3.1", "name: Llama 3.2")),
    Case("repository", MODEL, "meta-llama/", "https://huggingface.co/meta-llama/"),
    Case("repository", MODEL, "someone/Llama", "Llama"),
    Case(
        "no-repository",
        MODEL,
        "repository: someone/Llama-3.1-8B-GGUF",
        "variant: UD-Q4_K_M",
    ),
    Case(
        "gguf-file", MODEL, GGUF_REPOSITORY, f"{GGUF_REPOSITORY}\n    file: Llama-3.1-8B-Q8_0.gguf"
    ),
    Case(
        "gguf-file",
        MODEL,
        GGUF_REPOSITORY,
        f"{GGUF_REPOSITORY}\n    file: Q4_K_M/Llama-3.1-8B-Q4_K_M-00002-of-00003.gguf",
    ),
    Case("file-size", MODEL, "16.07", "160.7"),
    Case(
        "file-size-twice",
        MODEL,
        "file_bytes: 4920734272",
        "file_bytes: 4920734272\n    file_gb: 4.92",
    ),
    Case("gguf-file-type", GGUF, "type: Q4_K_M", "type: Q4_KM"),
    Case("gguf-file-type", GGUF, "gguf_file_type: Q4_K_M\n", ""),
    Case("gguf-file-type", BF16, "nominal", "gguf_file_type: F16\nnominal"),
    Case("linears", BF16, "linears: {weight_bits: 16}\n", ""),
    Case("linears", GGUF, "nominal", "linears: {weight_bits: 4}\nnominal"),
    Case("production", GGUF, "nominal_bits: 4.5", "nominal_bits: 3.5"),
    Case("production", GGUF, "production: true", "production: false"),
)
"""What models and quantizations can have wrong with them."""

RUNTIMES = (
    Case("compute-capability", BF16, "production", 'native_compute_capability: "9"\nproduction'),
    Case("compute-capability", VLLM, "memory_model:", OLDEST + "\nmemory_model:"),
    Case(
        "compute-capability",
        VLLM,
        "memory_model:",
        FORMAT_LIMIT.replace(ONLY_ON, OLDEST) + "\nmemory_model:",
    ),
    Case(
        "compute-capability",
        VLLM,
        "memory_model:",
        MODEL_LIMIT.replace(ONLY_ON, OLDEST) + "\nmemory_model:",
    ),
    Case("compute-capability", VLLM, "memory_model:", CACHE_DEFAULT + "\nmemory_model:"),
    Case("compute-capability", VLLM, "memory_model:", ON_GPUS + "\nmemory_model:"),
    Case("unknown-architecture", BF16, "production", "other_architectures: [CDNA3]\nproduction"),
    Case("unknown-architecture", VLLM, "memory_model:", ONLY_ON + "\nmemory_model:"),
    Case("unknown-architecture", VLLM, "memory_model:", FORMAT_LIMIT + "\nmemory_model:"),
    Case("unknown-architecture", VLLM, "memory_model:", MODEL_LIMIT + "\nmemory_model:"),
    Case("unknown-architecture", VLLM, "memory_model:", ENVIRONMENT + "\nmemory_model:"),
    Case("drives", RAY, "drives: [vllm]\n", ""),
    Case("drives", VLLM, "assessed_version", "drives: [vllm]\nassessed_version"),
    Case("profiles", VLLM, "memory_model: paged", "memory_model: unprofiled"),
    Case("assessed-version", VLLM, 'assessed_version: "0.19"', 'assessed_version: "0.20"'),
    Case("assessed-version", VLLM, 'assessed_version: "0.19"\n', ""),
    Case("profile-range", VLLM, 'until: "0.10"', 'until: "0.11"'),
    Case("profile-range", VLLM, '    until: "0.10"\n', ""),
    Case("profile-range", VLLM, 'version: "0.9"', 'version: "0.10"'),
    Case("profile-like", VLLM, 'until: "0.10"', 'until: "0.10"\n    like: "0.8"'),
    Case("constant-name", VLLM, "memory_fraction:", "Memory-Fraction:"),
    Case("constant-name", VLLM, "graphs_in_budget:", "graphs in budget:"),
    Case("constant-value", FRACTION, "low: 0.91", "value: 0.95"),
    Case("constant-value", FRACTION, "low: 0.91\n", ""),
    Case("constant-unit", VLLM, "unit: GiB", "unit: MiB"),
    Case("constant-unit", FRACTION, "unit: /1", "unit: percent"),
    Case("interval-order", FRACTION, "mid: 0.98", "mid: 0.9"),
    Case("missing-assumption", FRACTION, "", ""),
)
"""What runtimes and assumptions can have wrong with them."""

PROVENANCE = (
    Case("no-source", GPU_3090, "vram_gib: 24", "vram_gib: 24\ntdp_watts: 350"),
    Case(
        "no-source",
        GPU_3090,
        "    fields: [vram_gib, memory_bandwidth_gb_s]\n",
        "  - title: A page\n    read: 2026-11-20\n    fields: [vram_gib]\n",
    ),
    Case("unknown-source-field", GPU_3090, "fields: [vram_gib,", "fields: [vram_gib, vram_gb,"),
    Case("unknown-source-field", BOXES, "failure_modes:", OPERATIONS.format("used-market")),
    Case("url", BOXES, "failure_modes:", OPERATIONS.replace("https", "htps").format("power")),
    Case("unknown-source-field", VLLM, "profiles:\n", TRAITS),
    Case("url", GPU, "https://example.org/sheet", "javascript:alert(1)"),
    Case("url", GPU, "https://example.org/sheet", "//evil.example/x"),
    Case("url", GPU, "https://example.org/sheet", "https://user:pass@example.org/"),
    Case("url", GPU, "https://example.org/sheet", "https://example.org/a b"),
    Case("url", GPU, "https://example.org/sheet", "https://ex\u0430mple.org/"),
    Case("url", GPU, "https://example.org/sheet", f"https://example.org/{'x' * 500}"),
    Case("url", GPU, "https://example.org/sheet", "file:///etc/passwd"),
    Case("url", GPU, "https://example.org/sheet", "https://"),
    Case("date", GPU, "read: 2026-11-20", "read: 2026-02-30"),
    Case("date", GPU, "read: 2026-11-20", "read: 2027-01-01"),
    Case("date", GPU, "2022-10-12", "2022-13"),
    Case("date", GPU, "2022-10-12", "2026-12-06"),
    Case("date", GPU, "2022-10-12", "'2027'"),
    Case("date", MODEL, "2024-07-23", "2027-04-27"),
    Case(
        "date",
        VLLM,
        "memory_model:",
        FORMAT_LIMIT.replace("2026-11-20", "2026-11-21").replace(", RDNA4", "") + "\nmemory_model:",
    ),
    Case("prose-states-number", BOXES, "Used parts", "80 GB of used parts"),
    Case("prose-states-number", BOXES, "Four desktop", "24GiB desktop"),
    Case("prose-states-number", BOXES, "Workers hang", "Only 30 tok/s"),
)
"""What sources and prose can have wrong with them."""

FIGURES = "figures: {decode_tokens_per_s: 60, aggregate_tokens_per_s: 450}"
BENCHMARKS = (
    Case("run-id-taken", SPEEDS, "left_out:", """\
  - id: eight-streams
    group: llama
    subject: {model: llama-3.1-8b, quantization: bf16, runtime: vllm}
    system: {nodes: [{gpus: [{gpu: rtx-4090}]}]}
    figures: {prefill_tokens_per_s: 9000}
    timed: steady
    quote: pp 9000
left_out:"""),
    Case("no-figure", SPEEDS, FIGURES, "figures: {}"),
    Case("aggregate-below-stream", SPEEDS, "aggregate_tokens_per_s: 450",
         "aggregate_tokens_per_s: 45"),
    Case("depth-beyond-model", SPEEDS, "depth_tokens: 1024", "depth_tokens: 1048576"),
    Case("percentiles-fall", SPEEDS, FIGURES,
         f"{FIGURES}\n    latency: {{ttft_ms: {{p50: 90, p99: 80}}}}"),
    Case("histogram-edges", SPEEDS, FIGURES,
         f"{FIGURES}\n    latency: {{e2e_ms: {{histogram: {{edges_ms: [1, 2], counts: [3, 4]}}}}}}"
    ),
    Case("histogram-edges", SPEEDS, FIGURES,
         f"{FIGURES}\n    latency: {{e2e_ms: {{histogram: {{edges_ms: [2, 1], counts: [3]}}}}}}"),
    Case("histogram-empty", SPEEDS, FIGURES,
         f"{FIGURES}\n    latency: {{e2e_ms: {{histogram: {{edges_ms: [1, 2], counts: [0]}}}}}}"),
    Case("out-of-range", SPEEDS, FIGURES,
         f"{FIGURES}\n    latency: {{e2e_ms: {{histogram: {{edges_ms: [0, 2], counts: [1]}}}}}}"),
    Case("unknown-combo", SPEEDS, FIGURES, f"{FIGURES}\n    combo: four-box"),
    Case("split-beyond-system", SPEEDS, "tensor: 2", "tensor: 4"),
    Case("out-of-range", SPEEDS, "decode_tokens_per_s: 60", "decode_tokens_per_s: 0"),
    Case("unknown-runtime", SPEEDS, "runtime: vllm", "runtime: vlm"),
)  # fmt: skip
"""What benchmark runs can have wrong with them."""

CLAIMS = (
    Case("claim-kind", PAGE, "    link: {link: pcie-4-x16, gb_s: 32}\n", ""),
    Case("claim-kind", PAGE, "    link: {", "    count: {stated: 8, listed: 9}\n    link: {"),
    Case("duplicate-claim", PAGE, "id: wide", "id: enough"),
    Case("long-quote", PAGE, "It runs on a Mac.", " ".join(["word"] * 26)),
    Case("claim-range", PAGE, "gb: 16}", "gb: 16, gb_high: 12}"),
    Case("claim-subject", PAGE, "memory: {model: llama-3.1-8b, ", "memory: {"),
    Case("claim-subject", PAGE, "memory: {model", "memory: {parameters_b: 8, model"),
    Case("claim-figure", PAGE, "link: {link: pcie-4-x16, gb_s: 32}", "link: {link: pcie-4-x16}"),
    Case(
        "claim-figure",
        PAGE,
        "link: {link: pcie-4-x16, gb_s: 32}",
        "break_even: {hardware_usd: 4000, months: 8}",
    ),
    Case(
        "claim-figure",
        PAGE,
        "link: {link: pcie-4-x16, gb_s: 32}",
        "sum: {operation: quotient, terms: [8, 0], result: 4}",
    ),
    Case(
        "claim-figure",
        PAGE,
        "link: {link: pcie-4-x16, gb_s: 32}",
        "figure: {item: a box, value: 4, parts: [{reference: round-trip-us}]}",
    ),
    Case(
        "unknown-assumption",
        PAGE,
        "link: {link: pcie-4-x16, gb_s: 32}",
        "figure: {item: a box, value: 4, parts: [{reference: price-of-a-box}]}",
    ),
    Case("out-of-range", PAGE, "gb: 16}", "gb: 0}"),
    Case("out-of-range", PAGE, "gb_s: 32}", "gb_s: 10000000000000000.0}"),
    Case("unified-memory", PAGE, ", unified_memory_gib: 64", ""),
    Case(
        "combo-size",
        PAGE,
        "- gpus: [",
        "- count: 128\n            gpus: [{gpu: rtx-4090, count: 64}, ",
    ),
    Case("unknown-model", PAGE, "memory: {model: llama-3.1-8b", "memory: {model: llama-3-8b"),
    Case(
        "unknown-quantization", PAGE, "      quantizations: [bf16]", "      quantizations: [bf-16]"
    ),
    Case("unknown-interconnect", PAGE, "link: {link: pcie-4-x16", "link: {link: pcie-4"),
    Case("unknown-gpu", PAGE, "gpu: m4-max", "gpu: m4"),
)
"""What claims can have wrong with them."""

MEASUREMENTS = (
    Case("logged-id", LOGS, "id: log-2", "id: llama-on-two"),
    Case("logged-id", LOGS, "id: file-1", "id: log-2"),
    Case("logged-checkpoint", LOGS, "quantization: bf16", "checkpoint: fp8"),
    Case("logged-checkpoint", LOGS, "quantization: bf16", "checkpoint: bf16, quantization: bf16"),
    Case("logged-figure", LOGS, "weights_gib: 7.51, ", ""),
    Case("logged-figure", LOGS, "weights_gib: 7.51", "weights_gib: 7690"),
    Case(
        "logged-figure", LOGS, "    quote: Loading", "    causes: {graphs: x}\n    quote: Loading"
    ),
    Case("split-beyond-system", LOGS, "parallel: {tensor: 2}", "parallel: {tensor: 3}"),
    Case("logged-pool", LOGS, "kv_pool_tokens: 204800", "kv_pool_tokens: 1024"),
    Case("published-size", LOGS, "gb: 4.92, ", ""),
    Case("published-size", LOGS, "gb: 4.92", "gb: 4.92, gib: 4.58"),
    Case("unified-memory", LOGS, "{gpu: rtx-4090, count: 2}", "{gpu: m4-max, count: 2}"),
    Case("visible-memory", LOGS, "visible_gib: 23.5", "visible_gib: 32"),
    Case("date", LOGS, "runs:", "date: 2026-02-30\nruns:"),
    Case("date", LOGS, "    outcome: ran", "    date: 2026-11-21\n    outcome: ran"),
    Case("date", SPEEDS, "runs:", "date: 2026-12\nruns:"),
)
"""What measurements can have wrong with them."""

QUALITY = (
    Case("loss-figure", LOST, "value: 0.03", "value: -0.03"),
    Case("loss-figure", LOST, "value: 64.6", "value: 646"),
    Case("loss-baseline", LOST, "baseline_value: 65.2", "baseline_value: 0"),
    Case("rating-point", POINT, "value: 0.079", "value: 0"),
    Case("missing-assumption", POINT, "", ""),
    Case("unknown-model", LOST, "model: llama-3.1-8b", "model: llama-3-8b"),
    Case("unknown-quantization", LOST, "quantization: q4-k-m", "quantization: q4-km"),
    Case("unknown-board", SCORED, "board: test", "board: tests"),
    Case("unknown-name-map", SCORED, "names: somebody", "names: nobody"),
    Case("unknown-name", SCORED, "Other 7B:", "Other 8B:"),
    Case("unknown-name", NAME_MAP, "  - Other 7B", "  - Other 8B"),
    Case("unknown-name", NAME_MAP, "outside:", "decided:\n  Llama: By date.\noutside:"),
    Case("two-way-name", NAME_MAP, "  - Other 7B", "  - Other 7B\n  - llama-3.1-8B"),
    Case("two-way-name", NAME_MAP, "  - Other 7B", "  - Other 7B\n  - Llama 3.1 8B"),
    Case("unknown-model", NAME_MAP, "  Llama 3.1 8B: llama-3.1-8b", "  Llama 3.1 8B: llama-3-8b"),
    Case("score", SCORED, "61.5", "615"),
    Case("score", SCORED, "[62, 60, 64]", "[62, 63, 64]"),
    Case("date", SCORED, "date: 2026-11-01", "date: 2026-11-31"),
    Case("date", SCORED, "date: 2026-11-01", "date: 2028-02"),
    Case("date", LOST, "    metric: kld-mean", "    date: 2026-11-21\n    metric: kld-mean"),
    Case("date", NAME_MAP, "reviewed: 2026-11-20", "reviewed: 2026-13"),
    Case("url", BOARD, "https://example.org/board", "javascript:alert(1)"),
    Case("not-a-choice", BOARD, "use: coding", "use: code"),
)
"""What losses, boards and scores can have wrong with them."""

CASES = (
    *TEXT, *NAMES, *SHAPE, *REFERENCES, *EXCUSES, *HARDWARE, *MODELS, *RUNTIMES, *PROVENANCE,
    *BENCHMARKS, *CLAIMS, *MEASUREMENTS, *QUALITY, *PRICES,
)  # fmt: skip
