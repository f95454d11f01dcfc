"""Which GPU of the catalog a driver, a log or a person means."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sitegen.catalog.domain.hardware import Gpu, UnifiedMemory
from sitegen.units import GIB

_NOISE = frozenset(
    {
        "nvidia", "geforce", "amd", "intel", "apple", "instinct", "tesla", "r", "tm", "c", "gpu",
        "graphics", "corporation", "generation", "edition", "oam", "hbm", "e", "developer", "kit",
        "chip", "unified", "memory", "vram", "single", "card", "mac", "studio", "macbook", "air",
        "mini", "imac", "ram", "of", "gcd", "radv", "modified", "cpu",
    }
)  # fmt: skip
"""Words that every maker, driver or shop puts beside a name."""
_LEFT_OUT = frozenset(
    {"rtx", "gtx", "rx", "radeon", "arc", "jetson", "blackwell", "sxm", "pcie", "nvl", "quadro",
     "ada", "workstation", "server", "dgx", "ryzen"}
)  # fmt: skip
"""Words of a name that people leave out; where two GPUs differ in one, neither is meant."""
_TOO_MUCH = frozenset({"workstation", "radeon", "pro", "rx", "rtx"})
"""Words that a driver adds to some names and not to others."""
_STRIX_HALO = "ryzen ai max plus 395"
_CHIPS = {
    "8060s": _STRIX_HALO,
    "framework desktop": _STRIX_HALO,
    "evo[- ]x2": _STRIX_HALO,
    "gtr9 pro": _STRIX_HALO,
    "gb10": "gb10",
    "gx10": "gb10",
    "edgexpert": "gb10",
    "zgx nano": "gb10",
}
"""A part of a chip by which drivers call the whole, and machines that are sold with one chip.

Source:
    https://frame.work/desktop (Framework), https://www.gmktec.com (EVO-X2), https://www.bee-link.com
    (GTR9 Pro), https://www.asus.com (Ascent GX10), https://www.msi.com (EdgeXpert) and
    https://www.hp.com (ZGX Nano): names of products, known and not read again.
"""
_MEMORY = re.compile(r"(?<![a-z\d.])(\d+(?:\.\d+)?) ?(gi?b|g|mi?b)\b")
_CORES = re.compile(r"\(?\b\d+[- ]?(?:gpu )?cores?\b(?: [gc]pu)?\)?")
_COUNT = re.compile(r"^\s*\d{1,2}\s*[x×*](?:\s+|(?=[a-z(]))|\s[x×]\s*\d+\s*$")
_TOLERANCE = 0.09
"""Share by which a stated size of memory may differ: makers, drivers and units do."""


_BRACKETS = re.compile(
    r"\((?![^()]*\b(?:laptop|mobile|max-?q|ti|super|sxm\d?|pcie|nvl|ada|modified"
    r"|\w* ?gi?b)\b)"
    r"[^()]*\)",
    re.IGNORECASE,
)
"""Words in brackets that cannot make it another GPU."""
_INSIDE = re.compile(r"\(([^()]*)\)")
_MAKER = re.compile(
    r"nvidia|amd|intel|apple|geforce|radeon|tesla|quadro|instinct|\b(?:rtx|gtx|rx|arc)\b", re.I
)


class GpuNames:
    """The GPUs of a catalog by their names' words and the sizes of their memory."""

    def __init__(self, gpus: Mapping[str, Gpu]) -> None:
        self.gpus = gpus
        self._keys = {id: tuple(_names(gpu)) for id, gpu in gpus.items()}

    def meant(self, name: str, memory_gib: float | None = None) -> tuple[str, ...]:
        """Find the GPUs that a name may mean: one, or several where it leaves something open.

        Args:
            name: As a driver, a log or a person writes it, a count of GPUs before it or not.
            memory_gib: Memory that is stated beside the name.
        """
        text = name[:200]
        for some in ((text,), (_BRACKETS.sub(" ", text),), _named_parts(text)):
            found = [ids for one in some if (ids := self._one(one, memory_gib))]
            if found:
                return tuple(dict.fromkeys(id for ids in found for id in ids))
        return ()

    def _one(self, name: str, memory_gib: float | None) -> tuple[str, ...]:
        text = _plain(name)
        stated = _MEMORY.search(text)
        size = memory_gib
        if stated:
            size = float(stated[1]) / (1024 if stated[2].startswith("m") else 1)
        said = _words(_MEMORY.sub(" ", text))
        if said <= _LEFT_OUT:
            return ()
        for alike in (self._same, self._without, self._with):
            found = tuple(id for id in self.gpus if alike(said, id) and self._fits(id, size))
            if found:
                return _usual(found, self.gpus, size)
            if any(alike(said, id) for id in self.gpus):
                return ()
        return ()

    def _same(self, said: frozenset[str], id: str) -> bool:
        return said in self._keys[id]

    def _without(self, said: frozenset[str], id: str) -> bool:
        return any(said <= key and key - said <= _LEFT_OUT for key in self._keys[id])

    def _with(self, said: frozenset[str], id: str) -> bool:
        return any(
            key <= said | _LEFT_OUT and said - key <= _TOO_MUCH and _numbers(key) == _numbers(said)
            for key in self._keys[id]
        )

    def _fits(self, id: str, size: float | None) -> bool:
        if size is None:
            return True
        memory = self.gpus[id].memory
        if isinstance(memory, UnifiedMemory):
            return size <= max(memory.options_bytes) / GIB * (1 + _TOLERANCE)
        known = memory.installed_bytes / GIB
        return abs(size / known - 1) <= _TOLERANCE


def rule_of(gpus: Mapping[str, Gpu]) -> dict[str, object]:
    """Return the words that the rule knows, and each GPU's own, for a page that reads spellings."""
    return {
        "noise": sorted(_NOISE),
        "left_out": sorted(_LEFT_OUT),
        "too_much": sorted(_TOO_MUCH),
        "chips": _CHIPS,
        "keys": {id: [sorted(key) for key in _names(gpu)] for id, gpu in gpus.items()},
    }


def _named_parts(text: str) -> tuple[str, ...]:
    """Parts of a machine's description that name a maker of GPUs: in brackets, or beside a plus.

    >>> _named_parts("Intel 13900K (Nvidia 4090)"), _named_parts("RTX 5090 + EPYC 9355")
    (('Nvidia 4090', 'Intel 13900K'), ('RTX 5090',))
    """
    parts = [*_INSIDE.findall(text), *re.split(r" (?:\+|with|and) ", _BRACKETS.sub(" ", text))]
    return tuple(one.strip() for one in parts if _MAKER.search(one))


def _usual(found: tuple[str, ...], gpus: Mapping[str, Gpu], size: float | None) -> tuple[str, ...]:
    """Leave out modified cards where no size asks for one, and chips that are not sold with it."""
    if size is None:
        usual = tuple(id for id in found if "(modified)" not in gpus[id].name)
    else:
        usual = tuple(id for id in found if _sold(gpus[id], size))
    return usual or found


def _sold(gpu: Gpu, size: float) -> bool:
    memory = gpu.memory
    if not isinstance(memory, UnifiedMemory):
        return True
    return any(abs(size * GIB / one - 1) <= _TOLERANCE for one in memory.options_bytes)


def _names(gpu: Gpu) -> list[frozenset[str]]:
    """Keys of a GPU: its name, what stands in brackets behind it, and both together."""
    plain, _, inside = gpu.name.partition("(")
    keys = [_words(_MEMORY.sub(" ", _plain(plain)))]
    inside = inside.rstrip(")")
    if any(char.isdigit() for char in inside):
        keys += [_words(_plain(inside)), keys[0] | _words(_plain(inside))]
    return keys


def _plain(name: str) -> str:
    text = name.lower().replace("_", " ").replace("\u2011", "-").replace("+", " plus ")
    text = _COUNT.sub(" ", text)
    text = re.sub(r"\ba(\d{4})(?= ada\b)", r"rtx \1", text)
    text = re.sub(r"\bmax-?q ?/ ?mobile\b|\bmobile\b", "laptop", text)
    text = re.sub(r"\bgfx\w+(:\S*)?|\b0x[0-9a-f]+\b|\bmac ?book pro\b|\bmac pro\b", " ", text)
    text = re.sub(r"\bh100 80gb hbm3\b", "h100 sxm 80gb", text)  # the card for PCIe has HBM2e
    text = re.sub(r"(?<=\d)(gi?b|mi?b)(?=\b|_)", r" \1", _CORES.sub(" ", text))
    for part, whole in _CHIPS.items():
        text = re.sub(rf"\b{part}\b", whole, text)
    return re.sub(r"\b(sxm|pcie)[2-6]\b|\bpci-e\b", r"\1", text)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+|\d+", text)) - _NOISE


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word.isdigit())
