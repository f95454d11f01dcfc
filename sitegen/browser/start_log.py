"""A startup log: what a server says of its memory, and what the engine would have said.

It runs in the browser (decision 56). A log is read as the command that it stands for, so that
model, checkpoint, split and context are found by the linter's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo, UnifiedMemory
from sitegen.catalog.domain.provenance import Interval
from sitegen.catalog.text.source_text import SourceText
from sitegen.fit.assessment import Assessment
from sitegen.lint.facts import LintContext
from sitegen.lint.launches import Launch
from sitegen.lint.reading import read
from sitegen.units import GIB
from sitegen.values import dataclass

MIB_PER_GIB = 1_024
VLLM_FIGURES = (
    ("weights_gib", r"Model loading took ([\d.]+) ?Gi?B"),
    ("weights_gib", r"Loading model weights took ([\d.]+) ?Gi?B"),
    ("weights_gib", r"model weights take ([\d.]+) ?GiB"),
    ("non_torch_gib", r"non_torch_memory takes ([\d.]+) ?GiB"),
    ("activation_gib", r"PyTorch activation peak memory takes ([\d.]+) ?GiB"),
    ("kv_pool_gib", r"Available KV cache memory: ([\d.]+) ?GiB"),
    ("kv_pool_gib", r"memory reserved for KV Cache is ([\d.]+) ?GiB"),
    ("kv_pool_tokens", r"(?:GPU|XPU|CPU) KV cache size: ([\d,]+) tokens"),
    ("graphs_gib", r"Graph capturing finished in [\d.]+ secs?, took ([\d.]+) ?GiB"),
)
"""Figures of vLLM's log, by the names of measurement records; each is of one GPU."""
SGLANG_FIGURES = (
    ("weights_gib", r"Load weight end\.[^\n]*?mem usage=([\d.]+) GB"),
    ("kv_pool_tokens", r"(?:KV Cache is allocated\.[^\n]*?#tokens: |max_total_num_tokens=)(\d+)"),
    ("graphs_gib", r"Capture cuda graph end\.[^\n]*?mem usage=([\d.]+) GB"),
)
_LLAMA_BUFFER = re.compile(
    r"(CUDA\d+|ROCm\d+|Vulkan\d+|SYCL\d+|Metal|MTL\d+(?:_\w+)?)(?:_Mapped)? "
    r"(model|KV|RS|compute) buffer size *= *([\d.]+) MiB"
)
_LLAMA_FILE = re.compile(r"loaded meta data with [^\n]*? from (\S+\.gguf)")
_LLAMA_CONTEXT = re.compile(r"n_ctx +?= (\d+)")
_LLAMA_BUILD = re.compile(r"build: (\d+)")
_LISTED_GPU = re.compile(r"Device \d+: ([^,\n]+), compute")
_OPTIONS = {
    "model": r"(?:\bmodel(?:_path)?|model_tag)['\"]?[=:] ?['\"]([^'\"\s]+)['\"]",
    "tensor": r"(?:tensor_parallel_size|tp_size)['\"]?[=:] ?(\d+)",
    "pipeline": r"(?:pipeline_parallel_size|pp_size)['\"]?[=:] ?(\d+)",
    "context": r"(?:max_seq_len|max_model_len|context_length)['\"]?[=:] ?(\d+)",
    "fraction": r"(?:gpu_memory_utilization|mem_fraction_static)['\"]?[=:] ?(0?\.\d+|1\.0)",
    "sequences": r"(?:max_num_seqs|max_running_requests)['\"]?[=:] ?(\d+)",
    "eager": r"(?:enforce_eager|disable_cuda_graph)['\"]?[=:] ?(True)",
    "kv_dtype": r"kv_cache_dtype['\"]?[=:] ?['\"]?(fp8\w*|bf16|bfloat16)",
}
"""What logs print of the arguments: the first time that each is printed counts."""
_STARTING = re.compile(r"Starting to load model (\S+?)\.\.\.")
_VERSION = re.compile(r"(?:vLLM API server version|LLM engine \(v|vLLM version) ?v?(\d+\.\d+\.\d+)")
_FAILED = re.compile(
    r"Engine ?[Cc]ore failed to start|Engine core initialization failed"
    r"|Engine process failed to start|Loaded weights leave no GPU memory|Scheduler hit an exception"
    r"|Received sigquit from a child process|failed to load model"
    r"|exiting due to model loading error"
)
"""What vLLM, SGLang and llama.cpp write when a start ends.

Source:
    vLLM, ``vllm/v1/engine/core.py`` and ``utils.py``; SGLang, ``srt/entrypoints/engine.py`` and
    ``model_runner_kv_cache_mixin.py``; llama.cpp, ``tools/server/server.cpp``; read 2026-11-29.
"""
_SERVES = re.compile(
    r"Application startup complete|The server is fired up|server is listening on", re.IGNORECASE
)
"""What they write when they answer requests."""
WRITTEN = {
    "vllm": {
        "tensor": "--tensor-parallel-size", "pipeline": "--pipeline-parallel-size",
        "context": "--max-model-len", "fraction": "--gpu-memory-utilization",
        "sequences": "--max-num-seqs", "kv_dtype": "--kv-cache-dtype",
    },
    "sglang": {
        "tensor": "--tp-size", "pipeline": "--pp-size", "context": "--context-length",
        "fraction": "--mem-fraction-static", "sequences": "--max-running-requests",
    },
}  # fmt: skip
"""How each argument is written in the command that a log stands for."""
EAGER = {"vllm": "--enforce-eager", "sglang": "--disable-cuda-graph"}


@dataclass(frozen=True, slots=True)
class Start:
    """What a log says of a start.

    Attributes:
        runtime: ``vllm``, ``sglang`` or ``llama-cpp``.
        version: As the log prints it, empty where it does not.
        asked: Arguments by the linter's names.
        gpus: GPUs that the log names, one for each.
        figures: By the names of measurement records; of llama.cpp the sums over its GPUs in MiB.
        lines: The lines that the figures stand in.
        failed: The first line that says that the start ended; empty where the log has none, or
            where the server answered.
        serves: Whether the log says that the server answers.
    """

    runtime: str
    version: str
    asked: Mapping[str, str]
    gpus: tuple[str, ...]
    figures: Mapping[str, float]
    lines: tuple[str, ...]
    failed: str = ""
    serves: bool = False


@dataclass(frozen=True, slots=True)
class Beside:
    """One figure of a log with the engine's; in GiB, or tokens where ``unit`` says so."""

    name: str
    unit: str
    logged: float
    predicted: Interval | None


@dataclass(frozen=True, slots=True)
class Compared:
    """A start with what the engine says of it.

    Attributes:
        start: What was read.
        command: The command that it stands for.
        model: Name of the model, empty where it is not known.
        checkpoint: Its file, empty where that is not plain.
        figures: Each figure of the log, with the estimate where there is one.
        why_not: Why there is no estimate; empty where there is one.
        record: A measurement record to contribute.
    """

    start: Start
    command: str
    model: str
    checkpoint: str
    figures: tuple[Beside, ...]
    why_not: str
    record: str


def start_of(text: str) -> Start | None:
    """Read a log; ``None`` where it has no figure of memory."""
    start = _llama(text) if _LLAMA_BUFFER.search(text) is not None else _of_engine(text)
    if start is None:
        return None
    serves = _SERVES.search(text) is not None
    found = None if serves else _FAILED.search(text)
    failed = _line_at(text, found.start()) if found is not None else ""
    return replace(start, failed=failed, serves=serves)


def _of_engine(text: str) -> Start | None:
    """Read the log of vLLM or SGLang."""
    sglang = "Load weight end" in text or "ServerArgs(" in text
    patterns = SGLANG_FIGURES if sglang else VLLM_FIGURES
    figures: dict[str, float] = {}
    lines: list[str] = []
    for name, pattern in patterns:
        found = re.search(pattern, text)
        if found is not None and name not in figures:
            figures[name] = float(found[1].replace(",", ""))
            lines.append(_line_at(text, found.start(1)))
    if not figures:
        return None
    asked: dict[str, str] = {}
    for name, pattern in _OPTIONS.items():
        said = re.search(pattern, text)
        if said is not None:
            asked[name] = said[1]
    loading = _STARTING.search(text)
    if loading is not None and "model" not in asked:
        asked["model"] = loading[1]
    version = _VERSION.search(text)
    runtime = "sglang" if sglang else "vllm"
    return Start(runtime, version[1] if version else "", asked, (), figures, tuple(lines))


def _llama(text: str) -> Start:
    """Read llama.cpp's log: buffers of every GPU, those in system RAM apart."""
    figures: dict[str, float] = {}
    lines: list[str] = []
    for found in _LLAMA_BUFFER.finditer(text):
        name = {"model": "model", "KV": "kv", "RS": "kv", "compute": "compute"}[found[2]]
        figures[name] = figures.get(name, 0.0) + float(found[3])
        lines.append(_line_at(text, found.start(1)))
    asked: dict[str, str] = {}
    file = _LLAMA_FILE.search(text)
    if file is not None:
        asked["model"] = file[1]
    context = _LLAMA_CONTEXT.search(text)
    if context is not None:
        asked["context"] = context[1]
    build = _LLAMA_BUILD.search(text)
    gpus = tuple(found[1].strip() for found in _LISTED_GPU.finditer(text))
    version = build[1] if build else ""
    return Start("llama-cpp", version, asked, gpus, figures, tuple(lines))


def _line_at(text: str, at: int) -> str:
    """Return the line that a place is in, without the time before it."""
    before = text[:at].split("\n")
    line = before[-1] + text[at:].partition("\n")[0]
    return line.strip()[:240]


def command_of(start: Start) -> str:
    """Write the command that a log stands for."""
    model = start.asked.get("model", "")
    if not model:
        return ""
    if start.runtime == "llama-cpp":
        context = start.asked.get("context", "")
        return f"llama-server -m {model}" + (f" -c {context}" if context else "")
    name = "vllm serve" if start.runtime == "vllm" else "python3 -m sglang.launch_server"
    words = [name, model if start.runtime == "vllm" else f"--model-path {model}"]
    for setting, option in WRITTEN[start.runtime].items():
        if setting in start.asked:
            words.append(f"{option} {start.asked[setting]}")
    if "eager" in start.asked:
        words.append(EAGER[start.runtime])
    return " ".join(words)


def compared(start: Start, facts: LintContext, today: str) -> Compared:
    """Put the engine's estimate beside each figure of a log."""
    command = command_of(start)
    launch = _launch(command, facts)
    meant = facts.meant(launch) if launch is not None else None
    found, why = _answer(launch, facts)
    if not command:
        why = "The log does not name the model: paste it from the first line on."
    estimates = _estimates(found) if found is not None else {}
    figures = tuple(_figures(start, estimates))
    model = meant.model.name if meant is not None else ""
    checkpoint = ""
    if meant is not None and meant.checkpoint is not None:
        checkpoint = meant.checkpoint.quantization.name
    record = _record(start, launch, facts, today)
    return Compared(start, command, model, checkpoint, figures, why, record)


def _launch(command: str, facts: LintContext) -> Launch | None:
    if not command:
        return None
    scene = read(SourceText("log", command), facts.tables, "bash")
    return scene.launches[0] if scene.launches else None


def _answer(launch: Launch | None, facts: LintContext) -> tuple[Assessment | None, str]:
    """Assess the start, or say what keeps it from being assessed."""
    if launch is None:
        return None, "We could not read the command in this log."
    meant, named = facts.meant(launch), facts.named(launch)
    if meant is None:
        return None, f"This page does not know the model {launch.text('model')}."
    if meant.checkpoint is None:
        return None, "We cannot tell from the file's name which quantized file was loaded."
    if named is None:
        return None, "Choose the machine that it ran on: the log does not name it."
    combo = facts.combo(launch, named)
    request = facts.request(launch, combo, meant) if combo is not None else None
    found = facts.answer(request) if request is not None else None
    if found is None or found.busiest is None:
        return None, "The engine has no estimates for this setup on that machine."
    return found, ""


def _estimates(found: Assessment) -> dict[str, Interval]:
    """Say in a log's words what the engine expects: of the fullest GPU, or of all of them."""
    busiest = found.busiest
    if busiest is None:
        return {}
    lines = busiest.lines
    cached = lines["kv"].plus(lines["state"])
    rest = Interval(
        busiest.need.low - cached.low,
        busiest.need.mid - cached.mid,
        busiest.need.high - cached.high,
    )
    estimates = {
        "weights_gib": lines["weights"],
        "activation_gib": lines["compute"],
        "graphs_gib": lines["graphs"],
        "non_torch_gib": lines["context"].plus(lines["communication"]),
        "kv_pool_gib": rest.left_of(busiest.budget_bytes),
        "model": Interval.total([one.lines["weights"] for one in found.ledger]),
        "kv": Interval.total([one.lines["kv"].plus(one.lines["state"]) for one in found.ledger]),
        "compute": Interval.total([one.lines["compute"] for one in found.ledger]),
    }
    pool = found.limits.kv_pool_tokens if found.limits is not None else 0
    room = estimates["kv_pool_gib"]
    if pool and room.mid > 0:
        share = pool / room.mid  # a pool of another size holds as many more tokens
        estimates["kv_pool_tokens"] = Interval(room.low * share, pool, room.high * share)
    return estimates


WORDS = {
    "weights_gib": "Weights, per GPU", "non_torch_gib": "CUDA context and communication, per GPU",
    "activation_gib": "Activation peak, per GPU", "graphs_gib": "CUDA graphs, per GPU",
    "kv_pool_gib": "Room for the KV cache, per GPU", "kv_pool_tokens": "Tokens in the KV cache",
    "model": "Weights, all GPUs", "kv": "KV cache, all GPUs",
    "compute": "Compute buffers, all GPUs",
}  # fmt: skip
"""What each figure is called on the page."""


def _figures(start: Start, estimates: Mapping[str, Interval]) -> Iterator[Beside]:
    for name, value in start.figures.items():
        expected = estimates.get(name)
        if name == "kv_pool_tokens":
            yield Beside(WORDS[name], "tokens", value, expected)
            continue
        logged = value / MIB_PER_GIB if start.runtime == "llama-cpp" else value
        shown = None
        if expected is not None:
            shown = Interval(expected.low / GIB, expected.mid / GIB, expected.high / GIB)
        yield Beside(WORDS[name], "GiB", logged, shown)


def _record(start: Start, launch: Launch | None, facts: LintContext, today: str) -> str:
    """Write a record as ``catalog/measurements/`` has them, with what is left to fill in."""
    meant = facts.meant(launch) if launch is not None else None
    named = facts.named(launch) if launch is not None else None
    model = meant.model.id if meant is not None else "MODEL-ID"
    checkpoint = "CHECKPOINT-ID"
    if meant is not None and meant.checkpoint is not None:
        checkpoint = meant.checkpoint.id
    subject = f'{{model: "{model}", checkpoint: "{checkpoint}", runtime: "{start.runtime}"'
    if start.version:
        subject += f', version: "{start.version}"'
    lines = [
        f'date: "{today}"',
        "runs:",
        f'  - id: "{model}-{today}"',
        f"    subject: {subject}}}",
        f"    system: {_system(named.combo if named is not None else None)}",
    ]
    sizes = [f"{name}: {start.asked[name]}" for name in SIZES if name in start.asked]
    if sizes:
        lines.append(f"    parallel: {{{', '.join(sizes)}}}")
    if "context" in start.asked:
        lines.append(f"    workload: {{context_tokens: {start.asked['context']}}}")
    chosen = []
    if "fraction" in start.asked:
        chosen.append(f"memory_fraction: {start.asked['fraction']}")
    if "sequences" in start.asked:
        chosen.append(f"max_num_seqs: {start.asked['sequences']}")
    if "eager" in start.asked:
        chosen.append("eager: true")
    if chosen:
        lines.append(f"    settings: {{{', '.join(chosen)}}}")
    outcome = "failed" if start.failed else "ran"
    lines += [
        f"    observed: {{{', '.join(_observed(start))}}}",
        f'    outcome: "{outcome}"',
        f"    usable_for: [{', '.join(_usable(start))}]",
        f"    quote: {_quoted(' | '.join(start.lines))}",
        "sources:",
        '  - title: "WHERE OTHERS CAN READ THE WHOLE LOG"',
        '    url: "https://…"',
        f'    read: "{today}"',
    ]
    return "\n".join(lines) + "\n"


SIZES = ("tensor", "pipeline")
QUANTITIES = {
    "weights_gib": "weights", "non_torch_gib": "non-torch", "activation_gib": "activation",
    "graphs_gib": "graphs", "kv_pool_gib": "kv-pool", "kv_pool_tokens": "pool-tokens",
    "model": "model-buffers", "kv": "kv-buffers", "compute": "compute-buffers",
}  # fmt: skip
"""What each figure can check."""
BUFFERS = {"model": "model_gpu_mib", "kv": "kv_mib", "compute": "compute_gpu_mib"}


def _observed(start: Start) -> Iterator[str]:
    for name, value in start.figures.items():
        if name in BUFFERS:
            yield f"{BUFFERS[name]}: [{value:.2f}]"
        elif name == "kv_pool_tokens":
            yield f"{name}: {int(value)}"
        else:
            yield f"{name}: {value:.2f}"


def _usable(start: Start) -> Iterator[str]:
    for name in start.figures:
        yield f'"{QUANTITIES[name]}"'
    if not start.failed:  # memory may not be what it failed for
        yield '"verdict"'


def _system(combo: Combo | None) -> str:
    """Write the machines of a combo as a record does."""
    if combo is None:
        return '{nodes: [{gpus: [{gpu: "GPU-ID", count: 1}]}]}'
    nodes = []
    for node in combo.nodes:
        counts: dict[str, int] = {}
        for one in node.gpus:
            counts[one.gpu.id] = counts.get(one.gpu.id, 0) + 1
        shared = [one for one in node.gpus if isinstance(one.gpu.memory, UnifiedMemory)]
        memory = f", unified_memory_gib: {int(shared[0].installed_bytes / GIB)}" if shared else ""
        gpus = [f'{{gpu: "{id_}", count: {count}{memory}}}' for id_, count in counts.items()]
        link = f', link: "{node.link.id}"' if node.link is not None else ""
        nodes.append(f"{{gpus: [{', '.join(gpus)}]{link}}}")
    network = f', network: "{combo.network.id}"' if combo.network is not None else ""
    return f"{{nodes: [{', '.join(nodes)}]{network}}}"


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", " ")
    return f'"{plain}"'


_NUMBER = re.compile(
    r"-?\d[\d.,]*%?|…|0x[0-9a-f]+|['\"`][^'\"`\n]{1,80}['\"`]|/[\w./-]{3,}|\bcuda:"
)
"""What differs from one machine to the next in the text of an error."""
_BLANK = re.compile(r"\s+")
LEAST_PIECE = 8
LEAST_SHARE = 0.5
SURE = 18
"""Characters of a piece without a number that no other text has by chance."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A known error in a paste: how much of its text stands there, and the first line of it."""

    id: str
    share: float
    line: int


def known_errors_in(text: str, known: Sequence[tuple[str, str]]) -> tuple[Seen, ...]:
    """Find the errors whose text stands in a paste, numbers and paths apart, best first.

    Args:
        text: What was pasted.
        known: Id and text of every error that is known.
    """
    flat = _BLANK.sub(" ", text).lower()
    found = [one for id_, said in known if (one := _seen(id_, said, text, flat)) is not None]
    return tuple(sorted(found, key=lambda one: (-one.share, one.line, one.id))[:5])


def _seen(id_: str, said: str, text: str, flat: str) -> Seen | None:
    pieces = [one.strip() for one in _NUMBER.sub("\n", _BLANK.sub(" ", said)).split("\n")]
    pieces = [one for one in pieces if len(one) >= LEAST_PIECE]
    size = sum(len(one) for one in pieces)
    here = [one for one in pieces if one.lower() in flat]
    longest = max((len(one) for one in here), default=0)
    share = sum(len(one) for one in here) / size if size else 0.0
    if longest < min(SURE, size) or share < LEAST_SHARE:
        return None
    first = next((one for one in here if len(one) == longest), "")
    return Seen(id_, share, _line_of(text, first))


def _line_of(text: str, piece: str) -> int:
    """Return the line in which a piece begins, by its first words."""
    words = piece.lower().split()[:3]
    for number, line in enumerate(text.lower().split("\n"), 1):
        if all(word in line for word in words):
            return number
    return 1
