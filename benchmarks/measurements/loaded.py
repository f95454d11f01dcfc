"""Load logs of llama.cpp and its kin as runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.measurements import names
from benchmarks.measurements.parts import LONGEST_NOTE, Entry, Gaps, Unusable, filled, short
from benchmarks.measurements.served import slug
from benchmarks.measurements.world import World
from sitegen.catalog.domain.models import LanguageModel
from sitegen.units import GIB

Log = Mapping[str, Any]

ON_HOST = re.compile(r"host|^CPU", re.IGNORECASE)
FLASH = {"1": True, "on": True, "true": True, "0": False, "off": False, "false": False}
KV_WORDS = {"default": "f16", "q4": "q4_0"}
OUTCOMES = {"ran": "ran", "oom": "failed", "partial_offload": "partly-on-cpu", "unknown": "unknown"}
NO_LINE = "not an explicit out-of-memory line"
OTHER_BITS = 0.25
"""Share by which a file's bits per weight may differ from those of its type's linears."""
USABLE = {
    "weights": "model-buffers",
    "kv": "kv-buffers",
    "compute": "compute-buffers",
    "verdict": "verdict",
}
OWN_MIX = re.compile(
    r"UD-|THIREUS|ubergarm|_R4|I?Q\d_K[ST]|KSS|turbo|QAT|_L$|mix|SPECIAL", re.IGNORECASE
)
"""Marks of files whose tensor types follow their maker's own rules."""
MAIN_GPU = "main GPU (VRAM scratch buffer)"
"""What builds of 2023 call the one graph, which lies on the first GPU."""
SWA_FULL = re.compile(r"--swa-full|swa_full=true")
ROUGH_LIMIT = re.compile(r"context creation fails past roughly (\d+)K")
EACH_OF_SOME = "per device"
"""How a test quotes the buffer of each of several GPUs without saying how many."""
OF_TWENTY_MIB = 18_000
"""A GeForce RTX 3080 that shows more has been given 20 GB."""
OF_FILE = ("model-buffers", "verdict")
BACKENDS: Mapping[str, str] = {"A0366": "vulkan-radv", "A0594": "vulkan-amd-windows"}
"""Backend of a run whose thread tells the system, where its entry says Vulkan alone; of the two
drivers on Linux the more generous."""
DRIVERS = {"vulkan_amdvlk": "vulkan-amdvlk", "vulkan_radv": "vulkan-radv", "(RADV ": "vulkan-radv"}
"""Backend by a word of the runtime's or the GPU's name."""

PROGRAMS = (
    ("ik_llama.cpp", "ik-llama-cpp", ""),
    ("turboquant", "llama-cpp", "llama.cpp fork"),
    ("koboldcpp", "llama-cpp", "koboldcpp"),
    ("LM Studio", "llama-cpp", "LM Studio"),
    ("llama-cpp-python", "llama-cpp", "llama-cpp-python"),
    ("llama-box", "llama-cpp", "llama-box"),
    ("ds4", "llama-cpp", "ds4"),
    ("exllamav3", "exllamav3", ""),
    ("ollama", "ollama", ""),
)
"""Program by a word of the log: runtime of the catalog, and the program's own name."""


@dataclass(slots=True)
class Loaded:
    """One log, turned into the keys of a run step by step."""

    world: World
    log: Log
    gaps: Gaps
    assumed: list[str]

    def run(self) -> Entry:
        """Return the run.

        Raises:
            Unusable: If nothing can be compared.
        """
        log = self.log
        if not log["usable"]:
            raise Unusable("no usable figure", says_enough=False)
        model = self.world.model(log["model"])
        runtime, program = self._program()
        observed = self._observed()
        number = names.build_number(log["runtime_version"]) if runtime == "llama-cpp" else None
        version = str(number) if number and not program else ""
        build = self._build(version)
        if runtime == "ollama":
            version = names.version(log["runtime_version"], None)
        if runtime == "llama-cpp" and not version:
            version = names.build_of_day(log["date"], str(log["runtime"]))
            self.assumed += ["version"] if version else []
        usable = [USABLE[word] for word in USABLE if word in log["usable"]]
        subject = {
            "model": model.id,
            **self._file(model, program or runtime),
            "runtime": runtime,
            "version": version,
            "build": build,
        }
        system, workload = self._system(), self._workload()
        self._check_figures(observed, model)
        unsaid, uncovered = self.gaps.among(usable)
        return filled(
            {
                "id": slug(log["id"]),
                "subject": filled(subject),
                "program": program,
                "date": log["date"],
                "system": system,
                "workload": workload,
                "settings": self._settings(),
                "assumed": self.assumed,
                "observed": observed,
                "outcome": self._outcome(),
                "usable_for": usable,
                "unsaid": unsaid,
                "uncovered": uncovered,
                "group": log["group"],
                "quote": short(log["quote"]) or short(log["notes"]) or "no line quoted",
                "notes": short(log["notes"], LONGEST_NOTE),
            }
        )

    def _program(self) -> tuple[str, str]:
        stated = str(self.log["runtime"])
        for word, runtime, program in PROGRAMS:
            if word in stated.partition("(log posted")[0]:
                return runtime, program
        return "llama-cpp", ""

    def _build(self, version: str) -> str:
        words = [str(self.log["runtime"]), self.log["runtime_version"] or ""]
        rest = [w for w in words if w and w not in {"llama.cpp", "ik_llama.cpp", "ollama", version}]
        return short(", ".join(rest), 80)

    def _file(self, model: LanguageModel, program: str) -> Entry:
        log = self.log
        stated = log["quant"]
        if stated is None:
            self.gaps.unsay(OF_FILE, "quantization not stated")
            return {}
        marks = " ".join(str(log[key] or "") for key in ("quant", "model_file", "author"))
        found = names.gguf_id(stated)
        by_own_rules = program == "ik-llama-cpp" and found not in {"gguf-f16", "q8-0"}
        by_own_rules |= stated.endswith("K_L") and stated != "Q3_K_L"
        if by_own_rules or found is None or OWN_MIX.search(marks) or self._other_bits(model, found):
            return self._mix(model)
        listed = self.world.checkpoint(model, found, "")
        if listed is not None:
            return {"checkpoint": listed.id}
        if found not in self.world.catalog.quantizations:
            self.gaps.uncover(OF_FILE, f"no quantization record for {stated[:30]}")
            return {}
        return {"quantization": found}

    def _other_bits(self, model: LanguageModel, recipe: str) -> bool:
        """Whether the file's size belies its type."""
        log, known = self.log, self.world.catalog.quantizations
        bits, size, count = log.get("bpw"), log["file_size_gib"], model.published_parameters
        if bits is None and size and count:
            bits = 8 * size * GIB / count
        if bits is None or recipe not in known:
            return False
        return abs(float(bits) / known[recipe].nominal_bits - 1) > OTHER_BITS

    def _mix(self, model: LanguageModel) -> Entry:
        """A mix of its maker: its size is known from the log or not at all."""
        log = self.log
        size, count = log["file_size_gib"], model.published_parameters
        self.gaps.unsay(
            ("model-buffers",), ("custom mix of types: the name does not state the tensor types")
        )
        if not size or not count:
            self.gaps.unsay(
                OF_FILE, ("custom mix of types: the name does not state the tensor types")
            )
            return {}
        self.assumed.append("file")
        bits = 8 * size * GIB / count
        recipes = [q for q in self.world.catalog.quantizations.values() if q.gguf_file_type]
        return {"quantization": min(recipes, key=lambda q: abs(q.nominal_bits - bits)).id}

    def _system(self) -> Entry:
        log = self.log
        words: Sequence[str] = log["gpus"] or ()
        if any(
            (part["total"] or 0) > OF_TWENTY_MIB for part in log.get("memory_breakdown_mib") or ()
        ):
            words = [word + " 20GB" if word.endswith("RTX 3080") else word for word in words]
        if not words:
            self.gaps.unsay(("verdict",), "GPU not named")
            return {}
        try:
            gpus = [self.world.gpus(word, None)[0] for word in words]
            return self.world.system(gpus, int(log["nodes"] or 1), words)
        except Unusable as gap:
            note = self.gaps.uncover if gap.says_enough else self.gaps.unsay
            note(("verdict",), str(gap))
            return {}

    def _workload(self) -> Entry:
        log = self.log
        keys, values = (
            KV_WORDS.get(log[k], log[k]) if log[k] else "" for k in ("kv_type_k", "kv_type_v")
        )
        return filled(
            {
                "context_tokens": log["n_ctx"] or self._rough_limit(),
                "sequences": log["n_seq"],
                "keys": keys,
                "values": values if values != keys else "",
            }
        )

    def _rough_limit(self) -> int | None:
        """Context past which the source says that a start fails; it is asked for that much."""
        found = ROUGH_LIMIT.search(str(self.log["quote"]))
        return int(found.group(1)) * 1_024 if found else None

    def _outcome(self) -> str:
        """What happened; a crash that no line ascribes to memory tells nothing of memory."""
        log = self.log
        if log["outcome"] == "oom" and NO_LINE in (log["notes"] or ""):
            return "unknown"
        return OUTCOMES[log["outcome"]]

    def _settings(self) -> Entry:
        log = self.log
        flash = log["flash_attn"]
        found = {
            "micro_batch_tokens": log["n_ubatch"],
            "split_mode": log["split_mode"],
            "gpu_layers": log["layers_offloaded"],
            "layers": log["layers_total"],
            "placed_by_hand": bool(log["tensor_override"]),
        }
        entry = filled(found)
        if flash is not None:
            entry["flash_attention"] = FLASH[str(flash)]
        words = " ".join((str(log["runtime"]), *(log["gpus"] or ())))
        named = (found for word, found in DRIVERS.items() if word in words)
        backend = BACKENDS.get(str(log["id"])) or next(named, "")
        return {**entry, "backend": backend} if backend else entry

    def _observed(self) -> Entry:
        log = self.log
        model_gpu, model_host = _by_place(log["model_buffer_mib"])
        compute_gpu, compute_host = _by_place(log["compute_buffer_mib"])
        return filled(
            {
                "file_gib": log["file_size_gib"] or None,
                "model_gpu_mib": model_gpu,
                "model_host_mib": model_host,
                "kv_mib": [float(b["mib"]) for b in log["kv_buffer_mib"] if b["mib"] > 0],
                "kv_total_mib": log["kv_total_mib"] or None,
                "compute_gpu_mib": compute_gpu,
                "compute_host_mib": compute_host,
            }
        )

    def _check_figures(self, observed: Entry, model: LanguageModel) -> None:
        log = self.log
        if not observed.get("model_gpu_mib") and not observed.get("model_host_mib"):
            self.gaps.unsay(("model-buffers",), "the log lists no model buffers")
        if SWA_FULL.search(f"{log['quote']} {log['notes']}"):
            self.gaps.uncover(
                ("kv-buffers",), ("the run asked for a full-size cache for sliding windows")
            )
        if not observed.get("kv_mib") and "kv_total_mib" not in observed:
            self.gaps.unsay(("kv-buffers",), "the log lists no KV buffers")
        if log.get("mla") == "0" and model.config.get("kv_lora_rank"):
            self.gaps.uncover(("kv-buffers",), "latent attention was turned off (-mla 0)")
        if any(b["device"] == EACH_OF_SOME for b in log["compute_buffer_mib"]):
            self.gaps.unsay(("compute-buffers",), "number of GPUs not stated")
        if not observed.get("compute_gpu_mib"):
            self.gaps.unsay(("compute-buffers",), "the log lists no compute buffer on a GPU")
        if any("draft" in str(b.get("kind", "")) for b in log["compute_buffer_mib"]):
            self.gaps.unsay(
                ("compute-buffers",), ("the figure includes the buffers of a draft model")
            )
        devices = len(observed.get("compute_gpu_mib", ()))
        if devices == 1 and (log["gpus_total"] or 1) > 1 and not self._one_computes(observed):
            self.gaps.unsay(("compute-buffers",), "one of several GPUs listed")

    def _one_computes(self, observed: Entry) -> bool:
        """Whether one of several GPUs holds the graph: old builds, split rows, one GPU used."""
        log = self.log
        alone = [b["device"] for b in log["compute_buffer_mib"]] == [MAIN_GPU]
        used = len(observed.get("model_gpu_mib", ())) == 1 and not alone
        return alone or used or log["split_mode"] in {"row", "none"}


def _by_place(buffers: Sequence[Mapping[str, Any]]) -> tuple[list[float], list[float]]:
    """Sizes in MiB on GPUs and in system RAM, in the log's order."""
    on_gpu = [float(b["mib"]) for b in buffers if not ON_HOST.search(b["device"])]
    on_host = [float(b["mib"]) for b in buffers if ON_HOST.search(b["device"])]
    return [b for b in on_gpu if b > 0], [b for b in on_host if b > 0]
