"""The catalog as an index: models by every name a log may give them, checkpoints, GPUs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measurements import names
from benchmarks.measurements.parts import Entry, Unusable, filled
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu, UnifiedMemory
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.load import parse_catalog
from sitegen.importers.spellings.gpus import GpuNames
from sitegen.importers.spellings.models import ModelNames
from sitegen.inputs import read_project
from sitegen.units import GIB

NETWORK = "infiniband-ndr"
"""Between nodes, where a log does not say: what memory needs of it is only that there is one."""
SAME_MEMORY = 0.05
"""Share by which the memory that a log shows may differ from the GPU's that it names."""
NOMINAL = 0.1
"""Share by which a card's size on the box exceeds what a process sees."""
NAMED_LOOSELY = re.compile(
    r"per |not stated|\bOR\b|^7B|general\.name|\barch\b|cache\)|n_vocab| profile$|^n/a$|^LLaMA v2$"
    r"|^Qwen3.5 FP8 \(|^Qwen2 GPTQ|^DeepSeek V4$|^pixtral \(HF\)$"
)
"""Names of a family, of an architecture or of a file's header, which several models share."""
NOT_THAT_GPU = "the log's memory is not that of the GPU it names"


@dataclass(frozen=True, slots=True)
class World:
    """Everything that a log may name."""

    catalog: Catalog
    model_names: ModelNames
    gpu_names: GpuNames

    def model(self, name: str | None) -> LanguageModel:
        """Find a model by the name that a log gives it.

        Raises:
            Unusable: If the log names none, or none that the catalog has.
        """
        if not name:
            raise Unusable("model not named", says_enough=False)
        found = names.model_id(name, self.model_names)
        if found is not None:
            return self.catalog.models[found]
        if NAMED_LOOSELY.search(name):
            raise Unusable("model not named exactly", says_enough=False)
        raise Unusable(f"model not in the catalog: {name[:60]}", says_enough=True)

    def checkpoint(self, model: LanguageModel, recipe: str | None, name: str) -> Checkpoint | None:
        """Choose a listed checkpoint: the repository named, the recipe's, the native one."""
        by_name = [c for c in model.checkpoints if c.repository.lower() == name.lower() != ""]
        if by_name and (recipe is None or _alike(by_name[0], recipe)):
            return by_name[0]
        if recipe is None:
            return next((c for c in model.checkpoints if c.native), None)
        same = [c for c in model.checkpoints if c.quantization.id == recipe]
        same += [c for c in model.checkpoints if _alike(c, recipe)]
        return same[0] if same else None

    def gpus(self, word: str | None, visible_gib: float | None) -> tuple[Gpu, bool]:
        """Find a GPU by name, or by its memory; the second value tells that it was assumed.

        Raises:
            Unusable: If neither leads to one.
        """
        found = names.gpu_id(word, self.gpu_names) if word else None
        if found is not None and found in self.catalog.gpus:
            return self.catalog.gpus[found], False
        sized = names.gpu_of_size(visible_gib, word or "")
        if sized is not None and sized in self.catalog.gpus:
            return self.catalog.gpus[sized], True
        if word is None or names.names_no_gpu(word):
            raise Unusable("GPU not named", says_enough=False)
        raise Unusable(f"the catalog has no such GPU: {word[:40]}", says_enough=True)

    def visible(self, gpu: Gpu, stated: float | None, *, assumed: bool) -> float | None:
        """Return what the log shows of a GPU's memory, if it is more than the box says.

        Raises:
            Unusable: If it is not that GPU's.
        """
        if stated is None or isinstance(gpu.memory, UnifiedMemory):
            return None
        known = gpu.memory.visible_bytes / GIB
        if not assumed and abs(stated - known) > SAME_MEMORY * known:
            if stated == round(stated) and 0 < stated - known < NOMINAL * known:
                return None
            raise Unusable(NOT_THAT_GPU, says_enough=True)
        return stated

    def system(self, gpus: Sequence[Gpu], nodes: int, words: Sequence[str]) -> Entry:
        """Put GPUs into equal machines, joined by the fastest link the first GPU offers."""
        nodes = nodes if len(gpus) % nodes == 0 else 1
        each = len(gpus) // nodes
        parts: list[Entry] = []
        for at in range(nodes):
            own = gpus[at * each : (at + 1) * each]
            part: Entry = {"gpus": _counted(own, words)}
            if each > 1:
                part["link"] = self._link(own[0])
            if own[0].vendor.value == "apple":
                part["os"] = "macos"
            parts.append(part)
        if all(part == parts[0] for part in parts) and nodes > 1:
            parts = [{"count": nodes, **parts[0]}]
        return filled({"nodes": parts, "network": NETWORK if nodes > 1 else None})

    def _link(self, gpu: Gpu) -> str:
        links = [link for link in gpu.links if link in self.catalog.interconnects]
        if not links and not gpu.bus:
            raise Unusable("the source does not say what connects the GPUs", says_enough=False)
        return links[0] if links else gpu.bus


def _alike(checkpoint: Checkpoint, recipe: str) -> bool:
    """FP8 checkpoints come by channel and by block; a log says FP8 of both."""
    return checkpoint.quantization.id == recipe or (
        recipe == "fp8" and checkpoint.quantization.format == "fp8"
    )


def _counted(gpus: Sequence[Gpu], words: Sequence[str]) -> list[Entry]:
    found: list[Entry] = []
    for gpu in gpus:
        one: Entry = {"gpu": gpu.id}
        if isinstance(gpu.memory, UnifiedMemory):
            one["unified_memory_gib"] = _installed(gpu.memory, " ".join(words)) // GIB
        if found and {k: v for k, v in found[-1].items() if k != "count"} == one:
            found[-1]["count"] = found[-1].get("count", 1) + 1
        else:
            found.append(one)
    return found


def _installed(memory: UnifiedMemory, words: str) -> int:
    sizes = [int(size) * GIB for size in re.findall(r"(\d+) ?GB", words)]
    fitting = [size for size in sizes if size in memory.options_bytes]
    if sizes and not fitting:
        raise Unusable(NOT_THAT_GPU, says_enough=True)
    return fitting[0] if fitting else max(memory.options_bytes)


def read_world(project: Path) -> World:
    """Read the catalog of a project, measurements apart, which are what is to be written."""
    files = {
        path: text
        for path, text in read_project(project).catalog.items()
        if not path.startswith("catalog/measurements/")
    }
    catalog = parse_catalog(files)
    return World(catalog, ModelNames(catalog.models), GpuNames(catalog.gpus))
