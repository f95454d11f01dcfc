"""Rules over the variables of Ollama's server, which starts whatever they say.

Source:
    Ollama fb3076099, which is 0.33.0-rc2, ``envconfig/config.go``, read 2026-11-27: a value that
    cannot be read is replaced by the default, and of a switch it means that it is on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.lint.facts import LintContext, tokens_of
from sitegen.lint.findings import finding, warning
from sitegen.lint.options import OptionTable
from sitegen.lint.scene import FileModel, Variable
from sitegen.lint.snippets import Spot
from sitegen.lint.spelling import is_slip
from sitegen.problems import Problem, did_you_mean

PREFIX = "OLLAMA_"
COUNTS = frozenset(
    {"OLLAMA_CONTEXT_LENGTH", "OLLAMA_NUM_PARALLEL", "OLLAMA_MAX_LOADED_MODELS",
     "OLLAMA_MAX_QUEUE", "OLLAMA_MAX_TRANSFER_STREAMS", "OLLAMA_GPU_OVERHEAD"}
)  # fmt: skip
"""Variables that are whole numbers (``Uint``, ``Uint64``)."""
SWITCHES = frozenset(
    {"OLLAMA_FLASH_ATTENTION", "OLLAMA_GO_TEMPLATE", "OLLAMA_DEBUG_LOG_REQUESTS",
     "OLLAMA_NOHISTORY", "OLLAMA_NOPRUNE", "OLLAMA_SCHED_SPREAD", "OLLAMA_AUTH", "OLLAMA_VULKAN",
     "OLLAMA_IGPU_ENABLE", "OLLAMA_NO_CLOUD"}
)  # fmt: skip
"""Variables that are on or off (``Bool``)."""
TIMES = frozenset({"OLLAMA_KEEP_ALIVE", "OLLAMA_LOAD_TIMEOUT"})
"""Variables that are a length of time (``KeepAlive``, ``LoadTimeout``)."""
_COUNT = re.compile(r"\d+")
_TIME = re.compile(r"[+-]?(?:0|(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)|[+-]?\d+")
"""What Go reads as a length of time, or as a number of seconds."""
_READ = re.compile(r"1|t|T|TRUE|true|True|0|f|F|FALSE|false|False")
"""What Go reads as true or false (``strconv.ParseBool``)."""
_OFF = re.compile(r"0|f|F|FALSE|false|False")
_MEANT_OFF = re.compile(r"off|no|n|none|never|disabled?", re.IGNORECASE)
_QUANTIZED = re.compile(r"i?q\d\w*", re.IGNORECASE)
"""A type of cache with fewer than 16 bits: ``q8_0``, ``iq4_nl``."""
LAST_PORT = 65_535
MEANT = {
    "OLLAMA_NUM_CTX": "OLLAMA_CONTEXT_LENGTH",
    "OLLAMA_CTX": "OLLAMA_CONTEXT_LENGTH",
    "OLLAMA_CTX_SIZE": "OLLAMA_CONTEXT_LENGTH",
    "OLLAMA_CONTEXT_SIZE": "OLLAMA_CONTEXT_LENGTH",
    "OLLAMA_CONTEXT_WINDOW": "OLLAMA_CONTEXT_LENGTH",
    "OLLAMA_MAX_CONTEXT": "OLLAMA_CONTEXT_LENGTH",
    "OLLAMA_PARALLEL": "OLLAMA_NUM_PARALLEL",
    "OLLAMA_KV_CACHE": "OLLAMA_KV_CACHE_TYPE",
    "OLLAMA_CACHE_TYPE": "OLLAMA_KV_CACHE_TYPE",
    "OLLAMA_FLASH_ATTN": "OLLAMA_FLASH_ATTENTION",
    "OLLAMA_MAX_MODELS": "OLLAMA_MAX_LOADED_MODELS",
}
"""Variables by names that people give them, which no letters lead to."""


OF_RUN = frozenset({"seed"})
"""Parameters that ``ollama run`` takes as an option, in versions that make images."""


def parameters_are_no_options(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report parameters of a Modelfile that ``ollama run`` is given: it knows no such flags.

    Source:
        Ollama fb3076099, ``cmd/cmd.go`` (``runCmd.Flags``) and ``cmd/interactive.go``
        (``/set parameter``), read 2026-11-29.
    """
    table = facts.tables.get("ollama")
    known = {one.partition(":")[2] for one in table.kinds} - OF_RUN - {""} if table else set()
    for snippet, call in scene.invocations:
        for given in call.options if call.program == "ollama-run" else ():
            name = given.written[2:].replace("-", "_")
            if given.written[:2] == "--" and name in known:
                message = f"'ollama run' has no option {given.written}"
                hint = f"type '/set parameter {name} …' in the session, or write it in a Modelfile"
                yield finding(Spot(snippet, given.word.start), "unknown-option", message, hint)


def variables_are_read(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Warn of variables that the server does not know, or that only a client is given."""
    table = facts.tables.get("ollama")
    if table is None:
        return
    known = {name for name in table.kinds if name.startswith(PREFIX)}
    for one in scene.environment:
        place = one.setting.place
        if one.name not in known:
            yield from _unknown(one, table, known)
        elif one.server == "ollama-run" and one.name not in OF_CLIENTS:
            message = f"the server reads {one.name}, not this command, so it has no effect here"
            hint = "set it where you start ollama serve"
            yield warning(place, "option-conflict", message, hint)


OF_CLIENTS = frozenset({"OLLAMA_HOST", "OLLAMA_EDITOR", "OLLAMA_NOHISTORY", "OLLAMA_DEBUG",
                        "OLLAMA_MODELS"})  # fmt: skip
"""Variables that ``ollama run`` reads too (``cmd/cmd.go``, ``appendEnvDocs``)."""


def _unknown(one: Variable, table: OptionTable, known: set[str]) -> Iterator[Problem]:
    """Warn of a variable that is none; of one that another program may read, only if misspelt."""
    told, read = one.version.split(".")[:2], table.version.split(".")[:2]
    if not one.name.startswith(PREFIX) or (one.version[:1].isdigit() and told != read):
        return  # another version may have it
    meant = MEANT.get(one.name, "")
    slugs = [name.removeprefix(PREFIX).replace("_", "-").lower() for name in known]
    slip = is_slip(one.name.removeprefix(PREFIX).replace("_", "-").lower(), slugs)
    if one.server or meant or slip:
        message = f"Ollama {table.version} does not read {one.name}, so it has no effect"
        near = did_you_mean(one.name, known) if slip else ""
        hint = f"write {meant}" if meant else near
        yield warning(one.setting.place, "unknown-option", message, hint)


def values_are_read(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Warn of values in place of which the server takes its default, or the contrary."""
    for one in scene.environment:
        text = one.setting.text.strip().strip("\"'")
        if not one.setting.known or not text or "$" in text or "{{" in text:
            continue
        message, hint = _misread(one.name, text, facts)
        if message:
            yield warning(one.setting.place, "option-value", message, hint)


def _misread(name: str, text: str, facts: LintContext) -> tuple[str, str]:
    """Say how a value is read that means something else; empty where it is read as it is meant."""
    if name in COUNTS and not _COUNT.fullmatch(text):
        tokens = tokens_of(text.upper()) if name == "OLLAMA_CONTEXT_LENGTH" else None
        hint = f"write {name}={tokens}" if tokens else "write only digits"
        if name == "OLLAMA_GPU_OVERHEAD":
            hint = "write a number of bytes"
        return f"{name} is a whole number; Ollama ignores {text!r} and uses its default", hint
    if name in SWITCHES and not _READ.fullmatch(text) and _MEANT_OFF.fullmatch(text):
        return f"{text!r} turns {name} on: only 0 and false turn it off", f"write {name}=0"
    if name in TIMES and not _TIME.fullmatch(text):
        hint = "write it like 30m or 24h, or as a number of seconds; -1 means forever"
        return f"{name} is a duration; Ollama ignores {text!r} and uses 5 minutes", hint
    if name == "OLLAMA_KV_CACHE_TYPE":
        return _type_of_cache(text, facts)
    if name == "OLLAMA_HOST":
        port = text.rpartition("//")[2].partition("/")[0].rpartition(":")[2]
        if port.isdigit() and ":" in text and int(port[:9]) > LAST_PORT:
            return f"{name} names port {port}, which does not exist: Ollama uses 11434", ""
    return "", ""


def _type_of_cache(text: str, facts: LintContext) -> tuple[str, str]:
    """Say whether ``llama-server``, which Ollama starts for a model, has a type of cache.

    Source:
        Ollama fb3076099, ``llm/llama_server.go``, read 2026-11-27: it hands the type on.
    """
    table = facts.tables.get("llama-cpp")
    types = table.taken("--cache-type-k").choices if table is not None else ()
    if not types or text.lower() in types:
        return "", ""
    listed = ", ".join(types)
    message = f"there is no cache of type {text!r}, so no model loads: the types are {listed}"
    return message, did_you_mean(text, types)


def caches_in_few_bits_are_fused(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Warn of a cache in few bits where flash attention is off, which ``llama-server`` refuses.

    Source:
        Ollama fb3076099, ``llm/llama_server.go`` (``appendFlashAttentionArgs``): it hands both on;
        llama.cpp, ``src/llama-context.cpp``: "V cache quantization requires flash_attn". Earlier
        versions, ``llm/server.go``: "quantized kv cache requested but flash attention disabled".
    """
    kinds = [one for one in scene.environment if one.name == "OLLAMA_KV_CACHE_TYPE"]
    for one in scene.environment:
        off = one.name == "OLLAMA_FLASH_ATTENTION" and _OFF.fullmatch(one.setting.text)
        beside = [kind for kind in kinds if kind.server == one.server]
        for kind in beside[:1] if off else ():
            if _QUANTIZED.fullmatch(kind.setting.text):
                message = (
                    f"a cache in {kind.setting.text} needs flash attention, which is off: no model "
                    "loads (earlier versions of Ollama kept 16 bits)"
                )
                hint = "write OLLAMA_FLASH_ATTENTION=1"
                yield warning(one.setting.place, "option-conflict", message, hint)
