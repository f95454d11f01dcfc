"""The hardware that a text names: a combo of the catalog, GPUs with their number, or a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, DedicatedMemory, Gpu
from sitegen.published.claims.plans import machine
from sitegen.values import dataclass

VENDORS = ("nvidia", "amd", "intel", "geforce", "radeon", "instinct", "arc", "tesla")
_TIMES = r"\s?[x×*]\s?"
_NODES = re.compile(
    r"\b(\d{1,3}|two|three|four|eight)\s(?:\w+\s)?(?:nodes|machines|servers|hosts|boxes)\b", re.I
)
_GPUS = re.compile(
    r"(?<![\d.,×x-])(?<!across )(?<!over )\b(\d{1,4})(?:\s\w+)?\s(?:GPUs|cards)\b", re.IGNORECASE
)
"""GPUs that are counted; what lies across some of them may leave others."""
_EACH = re.compile(r"\b(?:each|per (?:node|machine|server|host))\b", re.IGNORECASE)
_WITH_EACH = re.compile(r"\bwith (\d{1,3})(?:\s\w+)? each\b", re.IGNORECASE)
WORDS = {"two": 2, "three": 3, "four": 4, "eight": 8}
MOST_GPUS = 4_096
MOST_KINDS = 8
_PLUS = re.compile(r"\s{0,3}(?:\+|plus)\s{0,3}", re.IGNORECASE)
"""What adds up GPUs of one machine."""
_AND = re.compile(r"\s{0,3}&\s{0,3}")
"""What joins GPUs of one machine, or machines of which each reader has one: ``H200 & B200``."""


@dataclass(frozen=True, slots=True)
class TextHardware:
    """Hardware as a text names it.

    Attributes:
        combo: The machines, ``None`` where the text only counts GPUs.
        gpus: How many.
        nodes: Machines, 1 where the text says nothing.
        words: What the text says, for a message.
    """

    combo: Combo | None
    gpus: int
    nodes: int
    words: str

    @classmethod
    def of(cls, combo: Combo) -> TextHardware:
        """Take a combo of the catalog."""
        return cls(combo, len(combo.gpus), len(combo.nodes), combo.name)


@dataclass(frozen=True)
class Hardware:
    """Names of GPUs and combos, to be found in texts."""

    catalog: Catalog

    @cached_property
    def names(self) -> Mapping[str, Gpu]:
        """GPUs by every way to write them that means only one size of memory."""
        found: dict[str, list[Gpu]] = {}
        for gpu in self.catalog.gpus.values():
            if isinstance(gpu.memory, DedicatedMemory):
                for name in _names(gpu):
                    found.setdefault(name, []).append(gpu)
        return {
            name: min(gpus, key=lambda gpu: ("sxm" not in gpu.id, gpu.id))
            for name, gpus in found.items()
            if len({g.memory.visible_bytes for g in gpus if isinstance(g.memory, DedicatedMemory)})
            == 1
        }

    @cached_property
    def _listed(self) -> str:
        names = sorted((re.escape(n).replace(r"\ ", r"[ -]") for n in self.names), key=len)
        listed = "|".join(reversed(names)) or "(?!)"
        return rf"(?:(?:{'|'.join(VENDORS)})[ -])*({listed})(?![\w-])"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w.-])(\d{{1,3}}){_TIMES}{self._listed}", re.IGNORECASE)

    @cached_property
    def _each(self) -> re.Pattern[str]:
        """GPUs of one kind in a sum of several: ``3090``, ``2x RTX 4090``."""
        return re.compile(rf"(?<![\w.-])(?:(\d{{1,3}}){_TIMES})?{self._listed}", re.IGNORECASE)

    def in_text(self, text: str) -> TextHardware | None:
        """Find the one hardware that a text names; ``None`` for none, or for several."""
        short = text[:2_000]
        combos = {c.id: c for c in self._combos(short)}
        if len(combos) == 1:
            return TextHardware.of(next(iter(combos.values())))
        if combos:
            return None
        sums = {one.words: one for one in self._sums(short)}
        if sums:
            return next(iter(sums.values())) if len(sums) == 1 else None
        return None if self._is_open(short) else self._counted(short)

    def _is_open(self, text: str) -> bool:
        """Whether a text counts GPUs that may be all, or those of one machine among several."""
        found = tuple(self._each.finditer(text))
        return any(
            _AND.fullmatch(text[one.end() : other.start()]) and (one[1] or other[1])
            for one, other in pairwise(found)
        )

    def _sums(self, text: str) -> Iterator[TextHardware]:
        """Yield machines of several kinds of GPU: ``RTX 3090 + 2x RTX 4090``."""
        last = -1
        parts: list[tuple[int, Gpu]] = []
        for found in self._each.finditer(text):
            joined = bool(parts) and _PLUS.fullmatch(text[last : found.start()]) is not None
            if not joined and len(parts) > 1:
                yield _summed(parts)
            gpu = self.catalog.gpus[self.names[re.sub(r"[ -]+", " ", found[2].lower())].id]
            parts = [*(parts if joined else ()), (int(found[1] or 1), gpu)]
            last = found.end()
        if len(parts) > 1:
            yield _summed(parts)

    def _combos(self, text: str) -> Iterator[Combo]:
        """Yield combos named by id, or by a name that the text uses as one: ``on NAME,``."""
        words = set(re.findall(r"[a-z0-9][a-z0-9.-]*[a-z0-9]", text))
        for combo in self.catalog.combos.values():
            if combo.id in words or f"on {combo.name}, " in text:
                yield combo

    def _counted(self, text: str) -> TextHardware | None:
        found = {
            (int(count), self.names[re.sub(r"[ -]+", " ", name.lower())].id)
            for count, name in self._pattern.findall(text)
        }
        nodes = _nodes(text)
        if len(found) > 1:
            return None
        if not found:
            return _plain(text, nodes)
        ((count, gpu_id),) = found
        each = nodes > 1 and _EACH.search(text) is not None
        if nodes > 1 and not each and count % nodes:
            return None
        per_node = count if each or nodes == 1 else count // nodes
        total = per_node * nodes
        if not 0 < total <= MOST_GPUS:
            return None
        combo = machine(self.catalog.gpus[gpu_id], per_node, nodes)
        name = self.catalog.gpus[gpu_id].name
        words = f"{total} × {name}" if nodes == 1 else f"{nodes} nodes of {per_node} × {name}"
        return TextHardware(replace(combo, name=words), total, nodes, words)


def _summed(parts: list[tuple[int, Gpu]]) -> TextHardware:
    """Put GPUs of several kinds in one machine."""
    words = " + ".join(gpu.name if count == 1 else f"{count} × {gpu.name}" for count, gpu in parts)
    gpus = [one for count, gpu in parts[:MOST_KINDS] for one in machine(gpu, count).gpus]
    whole = machine(parts[0][1], 1)
    node = replace(whole.nodes[0], gpus=tuple(gpus[:MOST_GPUS]))
    combo = replace(whole, id=words, name=words, nodes=(node,))
    return TextHardware(combo, len(combo.gpus), 1, words)


def _nodes(text: str) -> int:
    found = {WORDS.get(one.lower(), 0) or int(one) for one in _NODES.findall(text)}
    return max(1, found.pop()) if len(found) == 1 else 1


def _plain(text: str, nodes: int) -> TextHardware | None:
    """Read a text that only counts GPUs."""
    found = {int(one) for one in _GPUS.findall(text)}
    if len(found) != 1:
        return None
    count = found.pop()
    each = _WITH_EACH.search(text)
    if each is not None and int(each[1]) * nodes == count:
        return TextHardware(None, count, nodes, f"{count} GPUs on {nodes} machines")
    if nodes > 1 and _EACH.search(text):
        count *= nodes
    if not 0 < count <= MOST_GPUS:
        return None
    where = f" on {nodes} machines" if nodes > 1 else ""
    return TextHardware(None, count, nodes, f"{count} GPUs{where}")


def _names(gpu: Gpu) -> Iterator[str]:
    """Yield the ways to write a GPU's name, from its id and its name."""
    for whole in (gpu.id.replace("-", " "), gpu.name.lower()):
        parts = [p for p in re.split(r"[ \-]+", whole) if p and p not in VENDORS]
        plain = " ".join(parts)
        yield plain
        if parts[:1] == ["rtx"] or parts[:1] == ["gtx"] or parts[:1] == ["rx"]:
            yield " ".join(parts[1:])
        cut = [p for p in parts if p not in {"sxm", "pcie", "nvl", "sxm2", "sxm4", "sxm5"}]
        if cut:
            yield " ".join(cut)
